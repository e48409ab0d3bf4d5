# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import check_keep, host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.host_state import HostState
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.kept_snapshots import (
    delete_older,
    owners_in,
    parse_before,
    parse_moment,
    snapshot_before,
    snapshots_of,
    write_snapshot,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.snapshot import snapshot_text

NOW = datetime(2027, 1, 29, 2, 0, 5, 310412, tzinfo=timezone.utc)
ACCOUNT, OTHER, ZONE = "1" * 32, "c" * 32, "b" * 32


def write(folder: Path, hours: float, account: str = ACCOUNT, zone: str = "") -> Path:
    """A snapshot that is some hours older than NOW."""
    owner = {"edge_account_id": account, **({"edge_zone_id": zone} if zone else {})}
    part = host_part("lima", {**owner, "edge_api_token": "x"})
    owners = {"account_id": account, **({"zone_id": zone} if zone else {})}
    state = HostState(owners, {"status": [{"enabled": True}]})
    return Path(write_snapshot(folder, snapshot_text(part, state), NOW - timedelta(hours=hours)))


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("latest", None),
        ("2027-01-29", datetime(2027, 1, 29, tzinfo=timezone.utc)),
        ("2027-01-29T06:00:00+01:00", datetime(2027, 1, 29, 5, tzinfo=timezone.utc)),
        ("2027-01-29 06:00:00+00:00", datetime(2027, 1, 29, 6, tzinfo=timezone.utc)),  # as YAML reads one
    ],
)
def test_a_moment_is_a_time_or_the_beginning_of_a_day(text: str, moment: datetime | None) -> None:
    assert parse_before(text, "restore_before") == moment


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2027-01-29T06:00:00", "2027-02-30", "06:00", "Latest", "0001-01-01"]
)
def test_another_moment_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"restore_before: '{text}' is neither latest, nor a date"):
        parse_before(text, "restore_before")


def test_a_bound_is_a_time() -> None:
    assert parse_moment("2027-01-29", "restore_since") == datetime(2027, 1, 29, tzinfo=timezone.utc)
    with pytest.raises(ValueError, match="restore_since: 'latest' is neither a date such as 2027-01-31, nor a time"):
        parse_moment("latest", "restore_since")


def test_a_host_takes_its_newest_snapshot_from_before_a_moment(tmp_path: Path) -> None:
    old, new = write(tmp_path / "lima", 24), write(tmp_path / "lima", 0)
    write(tmp_path / "other", 1)
    (tmp_path / "lima" / "notes.yml").write_text("")
    (tmp_path / "lima" / "2028-01-01T00-00-00.000000Z.yml").mkdir()
    assert snapshot_before(str(tmp_path), "lima", None) == new
    assert snapshot_before(str(tmp_path), "lima", NOW + timedelta(seconds=1)) == new
    assert snapshot_before(str(tmp_path), "lima", NOW) == old
    assert snapshot_before(str(tmp_path), "lima", None, since=NOW) == new


@pytest.mark.parametrize(
    ("before", "since", "bounds"),
    [
        (NOW - timedelta(days=2), None, " from before 2027-01-27T02:00:05Z"),
        (None, NOW + timedelta(hours=1), " from since 2027-01-29T03:00:05Z"),
        (NOW, NOW - timedelta(hours=1), " from before 2027-01-29T02:00:05Z and since 2027-01-29T01:00:05Z"),
    ],
)
def test_a_host_without_a_snapshot_between_the_bounds_fails(
    before: datetime | None, since: datetime | None, bounds: str, tmp_path: Path
) -> None:
    write(tmp_path / "lima", 24), write(tmp_path / "lima", 0)
    there = "; it has 2, from 2027-01-28T02:00:05Z to 2027-01-29T02:00:05Z. Nothing was changed."
    with pytest.raises(ValueError, match=re.escape(f"lima has no snapshot{bounds} in {tmp_path}/lima{there}")):
        snapshot_before(str(tmp_path), "lima", before, since)


def test_a_host_without_snapshots_or_a_directory_fails(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(f"lima has no snapshot in {tmp_path}/lima. Nothing was changed.")):
        snapshot_before(str(tmp_path), "lima", None)
    with pytest.raises(ValueError, match="lima has no directory of snapshots; set baseline_snapshot_directory"):
        snapshot_before(None, "lima", None)
    with pytest.raises(ValueError, match="not a name of a folder"):
        snapshot_before(str(tmp_path), "../lima", None)


def test_a_host_that_was_renamed_hears_where_its_snapshots_are(tmp_path: Path) -> None:
    write(tmp_path / "peru", 24)
    write(tmp_path / "oslo", 24, OTHER)
    (tmp_path / "notes.txt").write_text("")
    hint = (
        f"{tmp_path} has snapshots of this account or zone in peru: if the host was renamed, rename the folder as well."
    )
    message = f"lima has no snapshot in {tmp_path}/lima. {hint} Nothing was changed."
    with pytest.raises(ValueError, match=re.escape(message)):
        snapshot_before(str(tmp_path), "lima", None, owners={"account_id": ACCOUNT})
    with pytest.raises(ValueError, match=re.escape(f"{tmp_path}/lima. Nothing was changed.")):
        snapshot_before(str(tmp_path), "lima", None, owners={"zone_id": ZONE})


def test_the_newest_snapshots_remain_and_the_one_just_written(tmp_path: Path) -> None:
    oldest, old, new = (write(tmp_path, hours) for hours in (72, 48, 24))
    late = write(tmp_path, -1)  # by a clock that was ahead
    written = write(tmp_path, 96)  # by a clock that is behind
    assert delete_older(written, 3) == [str(old), str(oldest)]
    assert names(tmp_path) == {late.name, new.name, written.name}
    assert delete_older(written, 1) == [str(late), str(new)]
    assert names(tmp_path) == {written.name}


def test_other_files_neither_count_nor_go(tmp_path: Path) -> None:
    own = write(tmp_path, 96, zone=ZONE)
    other_account, other_zone = write(tmp_path, 48, OTHER), write(tmp_path, 47, zone="e" * 32)
    other_text = tmp_path / "2027-01-01T00-00-00.000000Z.yml"
    other_text.write_text("---\nbaseline_source:\n  account_id: 1\n", encoding="utf-8")
    link = tmp_path / "2027-01-02T00-00-00.000000Z.yml"
    link.symlink_to(own)
    (tmp_path / "protection.yml").write_text("")
    written = write(tmp_path, 0, zone=ZONE)
    before = names(tmp_path)
    assert delete_older(written, 2) == []
    assert names(tmp_path) == before
    assert delete_older(written, 1) == [str(own)]
    assert names(tmp_path) == before - {own.name}
    assert owners_in(other_account) == {"account_id": OTHER}
    assert owners_in(other_zone) == {"account_id": ACCOUNT, "zone_id": "e" * 32}


def test_snapshots_are_the_files_with_a_time_as_name(tmp_path: Path) -> None:
    path = write(tmp_path, 0)
    (tmp_path / "2027-01-29.yml").write_text("")
    (tmp_path / f"{path.name}.part").write_text("")
    assert snapshots_of(tmp_path) == [(NOW, path)]
    assert snapshots_of(tmp_path / "none") == []


def test_at_least_one_snapshot_remains() -> None:
    assert (check_keep(None), check_keep(""), check_keep("3"), check_keep(1)) == (None, None, 3, 1)
    with pytest.raises(ValueError, match="baseline_snapshot_keep: 0 is less than 1; leave it out"):
        check_keep(0)

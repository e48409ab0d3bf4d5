# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The snapshots in the folder of a host: their names, the newest one before a moment, and the
oldest ones, which go."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from types import MappingProxyType

from ...module_utils._errors import NOTHING_CHANGED, OptionError
from ...module_utils._schema.resource import OWNERS
from ...module_utils._text import Option, first_few
from ...module_utils._timestamps import DATE, TIMESTAMP, read_timestamp, write_time
from .._baseline.variables import SNAPSHOT_DIRECTORY, SOURCE
from .._files import host_folder, write_private
from .._variables import Mistakes

SNAPSHOT_HEADER = (
    "The state before a run of edgeops.protection.baseline, as Cloudflare had it;"
    " edgeops.protection.restore takes this file."
)
TIME_AS_NAME = "%Y-%m-%dT%H-%M-%S.%fZ.yml"  # of a file, by the time in UTC


def write_snapshot(folder: Path, text: str, now: datetime) -> str:
    """Write a snapshot that only its owner can read, completely or not at all; returns its path.
    Raises OSError."""
    path = folder / now.strftime(TIME_AS_NAME)
    write_private(path, text, lasting=True)
    return str(path)


LATEST = "latest"
NO_OWNERS: Mapping[str, str] = MappingProxyType({})
HEAD = 4096  # characters of a file, in which it names its account and its zone
BEGINNING = f"---\n# {SNAPSHOT_HEADER}\n{SOURCE}:\n"
OWNER = re.compile(rf"  ({'|'.join(OWNERS)}): '?([^'\n]+)'?\n")


def parse_before(text: str, name: str) -> datetime | None:
    """The moment in a text, or None for the word latest; raises ValueError."""
    return None if text.strip() == LATEST else parse_moment(text, name, f"{LATEST}, nor ")


def parse_moment(text: str, name: str, words: str = "") -> datetime:
    """The moment in the variable `name`: a timestamp with an offset, or a date, which means its
    beginning in UTC. Raises ValueError; `words` says what else the variable accepts."""
    text = text.strip()
    match = TIMESTAMP.fullmatch(f"{text}T00:00:00Z" if DATE.fullmatch(text) else text)
    moment = read_timestamp(match[0]) if match and match[4] else None
    if moment is None:
        forms = "a date such as 2027-01-31, nor a time such as 2027-01-31T18:00:00+01:00"
        raise Mistakes([OptionError(Option(name), f"'{text}' is neither {words}{forms}")])
    return moment


def snapshots_of(folder: Path) -> list[tuple[datetime, Path]]:
    """The time and path of each snapshot in the folder of a host, newest first; raises OSError."""
    try:
        names = sorted((path.name for path in folder.iterdir()), reverse=True)
    except FileNotFoundError:
        return []
    taken = ((_time_of(name), folder / name) for name in names)
    return [(time, path) for time, path in taken if time is not None and path.is_file()]


def _time_of(name: str) -> datetime | None:
    try:
        return datetime.strptime(name, TIME_AS_NAME).replace(tzinfo=timezone.utc)
    except ValueError:
        return None


class NoSnapshot(ValueError):
    """There is no snapshot of a host between two moments, so that no run has changed it then."""


def snapshot_before(
    directory: object,
    host: str,
    before: datetime | None,
    since: datetime | None = None,
    owners: Mapping[str, str] = NO_OWNERS,
) -> Path:
    """The newest snapshot of a host that was taken before a moment, and not before `since`.

    Raises NoSnapshot for a host without one, or ValueError if other folders have snapshots of its
    `owners`, the ids of its account and zone, which the message names; and OSError.
    """
    if not directory:
        raise ValueError(
            f"{host} has no directory of snapshots; set {SNAPSHOT_DIRECTORY}, or restore_file for"
            " a single file."
        )
    folder = host_folder(str(directory), host)
    taken = snapshots_of(folder)
    for time, path in taken:
        is_early = before is None or time < before
        is_late = since is None or time >= since
        if is_early and is_late:
            return path
    bounds = []
    if before:
        bounds.append(f"before {write_time(before)}")
    if since:
        bounds.append(f"since {write_time(since)}")
    between = f" from {' and '.join(bounds)}" if bounds else ""
    existing = _times_in_words([time for time, _path in taken])
    elsewhere = _other_folders(folder, owners)
    message = f"{host} has no snapshot{between} in {folder}{existing}. {elsewhere}{NOTHING_CHANGED}"
    raise ValueError(message) if elsewhere else NoSnapshot(message)


def _other_folders(folder: Path, owners: Mapping[str, str]) -> str:
    """A sentence on the folders beside this one with snapshots of these owners, such as that of a
    host before it was renamed; empty if there are none. Raises OSError."""
    names: list[str] = []
    beside = sorted(folder.parent.iterdir()) if folder.parent.is_dir() else []
    for other in beside:
        taken = snapshots_of(other) if other.is_dir() and other != folder else []
        if any(_are_same(owners_in(path), owners) for _time, path in taken[:1]):
            names.append(other.name)
    if not names:
        return ""
    return (
        f"{folder.parent} has snapshots of this account or zone in {first_few(names)}: if the host"
        " was renamed, rename the folder as well. "
    )


def _times_in_words(times: Sequence[datetime]) -> str:
    """A clause on the number of snapshots and their times, of which the newest is the first; empty
    if there are none."""
    if not times:
        return ""
    return f"; it has {len(times)}, from {write_time(times[-1])} to {write_time(times[0])}"


def delete_older(written: Path, keep: int) -> list[str]:
    """Delete the oldest snapshots of the host that has just `written` one, so that `keep` remain.

    Files that are no snapshots, or those of another account or zone, are left alone and do not
    count. Returns the paths of the deleted files; raises OSError.
    """
    owners = owners_in(written)
    earlier = [path for _time, path in snapshots_of(written.parent) if path != written]
    of_host = [path for path in earlier if _are_same(owners_in(path), owners)]
    oldest = of_host[keep - 1 :]
    for path in oldest:
        path.unlink(missing_ok=True)  # another run may have deleted it
    return [str(path) for path in oldest]


def owners_in(path: Path) -> dict[str, str]:
    """The ids of the account and the zone that a snapshot names; none if the file is not a
    snapshot. Raises OSError."""
    with path.open(encoding="utf-8", errors="replace") as file:
        text = file.read(HEAD)
    if path.is_symlink() or not text.startswith(BEGINNING):
        return {}
    owners: dict[str, str] = {}
    place = len(BEGINNING)
    while match := OWNER.match(text, place):
        owners[match[1]] = match[2].lower()
        place = match.end()
    return owners


def _are_same(owners: Mapping[str, str], compared: Mapping[str, str]) -> bool:
    """Return whether both have an id of the same account or zone, and no ids that differ."""
    common = owners.keys() & compared.keys()
    return bool(common) and all(owners[name] == compared[name] for name in common)

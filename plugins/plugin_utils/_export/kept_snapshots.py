# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The snapshots that a host has: which one a restore takes, and which ones are deleted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from pathlib import Path

from ansible_collections.edgeops.protection.plugins.module_utils._schema.owners import OWNERS
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import (
    DATE,
    TIMESTAMP,
    read_timestamp,
)

from .._baseline.variables import SNAPSHOT_DIRECTORY, SNAPSHOT_KEEP, SOURCE
from .snapshot import HEADER, NAME, host_folder

LATEST = "latest"
HEAD = 4096  # characters of a file, in which it names its account and its zone
BEGINNING = f"---\n# {HEADER}\n{SOURCE}:\n"
OWNER = re.compile(rf"  ({'|'.join(OWNERS)}): '?([^'\n]+)'?\n")


def parse_before(text: str, name: str) -> datetime | None:
    """A moment, or None for the word latest; raises ValueError."""
    return None if text.strip() == LATEST else parse_moment(text, name, f"{LATEST}, nor ")


def parse_moment(text: str, name: str, words: str = "") -> datetime:
    """A moment of the variable `name`: a timestamp with an offset, or a date, which means its
    beginning in UTC. Raises ValueError; `words` says what else the variable takes."""
    text = text.strip()
    match = TIMESTAMP.fullmatch(f"{text}T00:00:00Z" if DATE.fullmatch(text) else text)
    moment = read_timestamp(match[0]) if match and match[4] else None
    if moment is None:
        raise ValueError(
            f"{name}: '{text}' is neither {words}a date such as 2027-01-31, nor a time such"
            " as 2027-01-31T18:00:00+01:00."
        )
    return moment


def snapshots_of(folder: Path) -> list[tuple[datetime, Path]]:
    """The files in the folder of a host that are named as snapshots are, newest first; raises
    OSError."""
    try:
        names = sorted((path.name for path in folder.iterdir()), reverse=True)
    except FileNotFoundError:
        return []
    taken = ((_time_of(name), folder / name) for name in names)
    return [(time, path) for time, path in taken if time is not None and path.is_file()]


def _time_of(name: str) -> datetime | None:
    try:
        return datetime.strptime(name, NAME).replace(tzinfo=timezone.utc)
    except ValueError:
        return None


def snapshot_before(
    directory: object, host: str, before: datetime | None, since: datetime | None = None
) -> Path:
    """The newest snapshot of a host that was taken before a moment, and not before `since`.

    Raises ValueError for a host without one, and OSError.
    """
    if not directory:
        raise ValueError(
            f"{host} has no directory of snapshots; set {SNAPSHOT_DIRECTORY}, or restore_file for"
            " a single file."
        )
    folder = host_folder(str(directory), host)
    taken = snapshots_of(folder)
    for time, path in taken:
        if (before is None or time < before) and (since is None or time >= since):
            return path
    bounds = [
        f"{word} {_shown(moment)}"
        for word, moment in (("before", before), ("since", since))
        if moment is not None
    ]
    between = " and ".join(bounds) and f" from {' and '.join(bounds)}"
    there = ""
    if taken:
        there = f"; it has {len(taken)}, from {_shown(taken[-1][0])} to {_shown(taken[0][0])}"
    raise ValueError(f"{host} has no snapshot{between} in {folder}{there}. Nothing was changed.")


def _shown(moment: datetime) -> str:
    return f"{moment.astimezone(timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


def check_keep(keep: object) -> int | None:
    """How many snapshots of a host remain, None for all; raises ValueError."""
    if keep in (None, ""):
        return None
    number = int(str(keep))
    if number < 1:
        raise ValueError(
            f"{SNAPSHOT_KEEP} is {number}, and at least 1 snapshot remains. Leave it out to keep"
            " all of them."
        )
    return number


def delete_older(written: Path, keep: int) -> list[str]:
    """Delete the oldest snapshots of the host that has just `written` one, so that `keep` remain.

    Files that are no snapshots, or those of another account or zone, are left alone and do not
    count. Returns the paths of the deleted files; raises OSError.
    """
    owners = owners_in(written)
    others = (path for _time, path in snapshots_of(written.parent) if path != written)
    own = [path for path in others if _are_same(owners_in(path), owners)]
    return list(_deleted(own[keep - 1 :]))


def _deleted(paths: Iterable[Path]) -> Iterable[str]:
    for path in paths:
        path.unlink(missing_ok=True)  # another run may have deleted it
        yield str(path)


def owners_in(path: Path) -> dict[str, str]:
    """The account and the zone that a snapshot names; none for another file. Raises OSError."""
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


def _are_same(owners: Mapping[str, str], others: Mapping[str, str]) -> bool:
    """Whether both name an account or zone, and none names another one."""
    both = owners.keys() & others.keys()
    return bool(both) and all(owners[name] == others[name] for name in both)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The entries of the file of postures that the playbook attack adds to, and ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ...module_utils._schema.resource import without
from ...module_utils._timestamps import parse_expiry
from .._baseline.posture import POSTURE_TIMES, RISKS
from .._baseline.variables import acceptances_in
from .blocking import BLOCKED_BY

FileEntries = list[dict[str, Any]]
YES = ("true", "yes")


def is_meant(over: str, entry: Mapping[str, Any]) -> bool:
    """Return whether `over`, the value of attack_over, selects an entry: by its name, by its
    reason, or because it selects all.
    """
    if over.lower() in YES:
        return True
    name, reason = entry.get("name", ""), entry.get("reason", "")
    return over in (str(name), str(reason))


def entries_in_force(entries: FileEntries, now: datetime) -> FileEntries:
    """The entries that have not ended at this time."""
    return [entry for entry in entries if _holds(entry, now)]


def _holds(entry: Mapping[str, Any], now: datetime) -> bool:
    return parse_expiry(str(entry["until"])) > now


def with_end(
    entries: FileEntries, over: str, until: str, accepted_risks: Sequence[Any]
) -> FileEntries:
    """The entries, of which those that `over` selects end at `until` and accept these risks as
    well.
    """
    with_ended = []
    for entry in entries:
        if is_meant(over, entry):
            risks = [*acceptances_in(entry.get(RISKS)), *accepted_risks]
            entry = {**entry, "until": until, RISKS: risks}
        with_ended.append(entry)
    return with_ended


def taking(existing: FileEntries, asked: FileEntries, now: datetime) -> FileEntries:
    """The entries of a host together with new ones. If a new entry differs from one in force only
    in its times, it is not added: the one in force gets the later end.
    """
    entries = [*existing]
    for entry in asked:
        index = _index_of_same(existing, entry, now)
        if index is None:
            entries.append(entry)
        else:
            same = existing[index]
            later = max(same, entry, key=lambda lasting: parse_expiry(str(lasting["until"])))
            entries[index] = {**same, **without(later, "since")}
    return entries


def _index_of_same(existing: FileEntries, entry: Mapping[str, Any], now: datetime) -> int | None:
    """The index of the existing entry that is in force and differs from this entry only in its
    times; None if there is none."""
    values = _without_times(entry)
    for index, existing_entry in enumerate(existing):
        if _holds(existing_entry, now) and _without_times(existing_entry) == values:
            return index
    return None


def _without_times(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry without its times. The descriptions of its blocks are left out as well, since they
    contain the end.
    """
    values = without(entry, *POSTURE_TIMES)
    for name in BLOCKED_BY.values():
        if name in values:
            values[name] = list(map(_without_description, values[name]))
    return values


def _without_description(rule: Any) -> Any:
    return without(rule, "description") if isinstance(rule, Mapping) else rule

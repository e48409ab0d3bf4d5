# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the demonstration shows of a report, so that it fits one screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._report.overview import field_changes
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import LABELS

SIGNS = {"create": "+", "update": "~", "delete": "-"}
MAX_ALIKE = 2  # operations of one kind, on objects of one sort, are shown; the others are counted
MAX_LINE = 110  # characters


def host_lines(record: Mapping[str, Any]) -> Iterator[str]:
    """A host with its status, its risks, and what a run would do to it."""
    reason = record["reasons"][0] if record["reasons"] else ""
    yield shortened(f"  {record['host']}: {LABELS[record['status']]}. {reason}")
    for risk in record["risks"]:
        yield shortened(f"    ! {'accepted' if risk['accepted'] else 'refused'} {risk['code']}: {risk['message']}")
    shown: Counter[tuple[str, str]] = Counter()
    for item in record["operations"]:
        shown[item["action"], item["title"]] += 1
        if shown[item["action"], item["title"]] <= MAX_ALIKE:
            yield shortened(operation_line(item))
    for (action, title), count in shown.items():
        if count > MAX_ALIKE:
            yield f"    {SIGNS[action]} {title}: {count - MAX_ALIKE} more"


def shortened(line: str) -> str:
    """A line that fits; of a longer one, the words that do."""
    return line if len(line) <= MAX_LINE else line[: MAX_LINE - 4].rpartition(" ")[0] + " ..."


def operation_line(operation: Mapping[str, Any]) -> str:
    """One operation: its sign, the object by name, and the fields that change."""
    fields = [
        f"{change.path} {change.before} -> {change.after}"
        for change in field_changes(operation)
        if change.before is not None
    ]
    name = "" if operation["name"] == operation["resource"] else f" {operation['name']}"
    return f"    {SIGNS[operation['action']]} {operation['title']}{name}" + (f": {', '.join(fields)}" if fields else "")


def table(rows: Mapping[str, Mapping[str, object]]) -> Iterator[str]:
    """A row for each host, by column."""
    columns = list(next(iter(rows.values()), {}))
    yield "  " + f"{'account':<12}" + "".join(f"{name:>{max(10, len(name) + 3)}}" for name in columns)
    for host, cells in rows.items():
        yield "  " + f"{host:<12}" + "".join(f"{cells[name]!s:>{max(10, len(name) + 3)}}" for name in columns)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the page says of all hosts together: ages, changes since the report before, what ends soon,
accepted risks, and changes that hosts share."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

from ansible_collections.edgeops.protection.plugins.module_utils._text import (
    capitalised,
    excerpt,
    left_out,
    plural,
    visible,
)

from .record import LABELS, Difference, HostChange, HostRecord, Report
from .results import RESOURCES, field_changes

ACTION_SIGNS = {"create": "+", "update": "~", "delete": "\u2212"}
MAX_VALUE = 600  # characters of a value are shown


class FieldTexts(NamedTuple):
    """A field that an operation sets; `before` is None if the object has no value now."""

    path: str
    before: str | None
    after: str


class OperationTexts(NamedTuple):
    """An operation; the name is empty for an object that there is once."""

    action: str
    sign: str
    title: str
    name: str
    fields: list[FieldTexts]


def operation_texts(operation: Difference) -> OperationTexts:
    """An operation with its sign, the object, and its fields."""
    action, name = operation["action"], operation["name"]
    fields = [
        FieldTexts(
            change.path,
            value_text(change.before) if change.exists else None,
            value_text(change.after),
        )
        for change in field_changes(operation)
    ]
    resource = RESOURCES.get(operation["resource"])
    shown_name = "" if resource and not resource.key else value_text(name)
    title = capitalised(operation["title"])
    return OperationTexts(action, ACTION_SIGNS[action], title, shown_name, fields)


def value_text(value: Any) -> str:
    """A value of a field as people read it; characters that control text are escaped."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return (
        (text if text.isprintable() else visible(text))
        if 0 < len(text) <= MAX_VALUE
        else _unusual(text)
    )


def _unusual(text: str) -> str:
    return excerpt(visible(text), MAX_VALUE) or '""'


UNITS = (
    (timedelta(days=1), "day", "days"),
    (timedelta(hours=1), "hour", "hours"),
    (timedelta(minutes=1), "minute", "minutes"),
)


class Age(NamedTuple):
    """The hosts that were read at one time, and how long before the report that was."""

    generated: str
    hosts: int
    before: timedelta

    def in_words(self) -> str:
        """Such as `2 hosts were read 2026-11-21 10:00 UTC, 3 hours before this report`."""
        verb = "was" if self.hosts == 1 else "were"
        long = f", {_in_words(self.before)} before this report" if self.before else ""
        return f"{plural(self.hosts, 'host', 'hosts')} {verb} read {shown(self.generated)}{long}"


def ages(report: Report) -> list[Age]:
    """The parts of a report, the oldest first; a report that was not merged has one."""
    hosts = Counter(record["generated"] for record in report["hosts"])
    made = datetime.fromisoformat(report["generated"])
    parts = [
        Age(generated, number, made - datetime.fromisoformat(generated))
        for generated, number in hosts.items()
    ]
    return sorted(parts, key=lambda part: part.before, reverse=True)


def shown(timestamp: str) -> str:
    """A moment to the minute, in UTC."""
    moment = datetime.fromisoformat(timestamp).astimezone(timezone.utc)
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _in_words(duration: timedelta) -> str:
    """The largest unit of a duration, rounded down: an hour and a half is one hour."""
    for unit, one, many in UNITS:
        if abs(duration) >= unit:
            return plural(int(duration / unit), one, many)
    return "less than a minute"


FEWEST = 3  # hosts share a change; of fewer each shows its own


class Shared(NamedTuple):
    """An operation, and the hosts on which a run would make exactly it."""

    operation: Difference
    hosts: Sequence[str]


def shared_operations(records: Iterable[HostRecord]) -> dict[str, Shared]:
    """The operations that several hosts have, by what they do; those of most hosts first."""
    operations: dict[str, Difference] = {}
    hosts: dict[str, list[str]] = {}
    for record in records:
        for operation in record["operations"]:
            key = signature(operation)
            operations.setdefault(key, operation)
            if record["host"] not in hosts.setdefault(key, []):
                hosts[key].append(record["host"])
    several = [key for key, names in hosts.items() if len(names) >= FEWEST]
    several.sort(key=lambda key: -len(hosts[key]))
    return {key: Shared(operations[key], hosts[key]) for key in several}


def signature(operation: Difference) -> str:
    """What an operation does, whatever host it is for: equal texts do the same."""
    return json.dumps(operation, sort_keys=True)


def by_hosts(lines: Mapping[str, Sequence[str]]) -> list[tuple[Sequence[str], list[str]]]:
    """Lines by host as lines by the hosts that have them, those of most hosts first."""
    hosts: dict[str, list[str]] = {}
    for host, own in lines.items():
        for line in dict.fromkeys(own):
            hosts.setdefault(line, []).append(host)
    sections: dict[tuple[str, ...], list[str]] = {}
    for line, names in hosts.items():
        sections.setdefault(tuple(names), []).append(line)
    return sorted(sections.items(), key=lambda section: -len(section[0]))


MAX_ROWS = 200  # of a list are shown; report.json has all
MAX_OPEN = 10  # rows do not push the hosts away, so that the part is open
MAX_LINKS = 30  # hosts that a row names

Link = tuple[str, str]  # the anchor of a host on the page, and its name


def overview(report: Report, shared: Mapping[str, Shared]) -> list[dict[str, Any]]:
    """The parts of the page between the totals and the hosts, as far as they have rows: each with a
    title, the titles of its columns, and rows of cells, which are texts or hosts."""
    present = {record["host"] for record in report["hosts"]}
    parts = [_ages(report), _previous(report, present), _ends(report), _accepted(report["hosts"])]
    parts.append(_conflicts(report))
    filled = [part for part in parts if part and part["rows"]]
    for part in filled:
        part["open"] = part.get("open") and len(part["rows"]) <= MAX_OPEN
        part["more"] = capitalised(left_out(len(part["rows"]), MAX_ROWS, "row", "rows"))
        part["rows"] = part["rows"][:MAX_ROWS]
    return [*filled, *([_shared(shared)] if shared else [])]


def anchor(host: str) -> str:
    """The anchor of a host, of letters that need no escape in an address; hosts have one each."""
    return "host-" + re.sub(
        r"[^A-Za-z0-9_.-]",
        lambda match: "".join(f"~{byte:02x}" for byte in match.group().encode("utf-8", "replace")),
        host,
    )


def links(hosts: Iterable[str]) -> dict[str, Any]:
    """A cell with the first of some hosts, and how many more there are."""
    every = list(hosts)
    named = [(anchor(host), host) for host in every[:MAX_LINKS]]
    return {"links": named, "more": left_out(len(every), MAX_LINKS)}


def _ages(report: Report) -> dict[str, Any]:
    parts = ages(report)
    rows = [[{"text": part.in_words()}] for part in (parts if len(parts) > 1 else ())]
    return {"title": "Parts of this report", "open": True, "columns": [], "rows": rows}


def _previous(report: Report, present: set[str]) -> dict[str, Any]:
    previous = report["previous"]
    if previous is None:
        return {}
    rows = [list(_change(item, present)) for item in previous["hosts"]]
    title = f"Since the report of {shown(previous['generated'])}"
    nothing = [[{"text": "No host stands otherwise."}]]
    columns = ["Host", "Status", "Reasons"] if rows else []
    return {"title": title, "open": True, "columns": columns, "rows": rows or nothing}


def _change(item: HostChange, present: set[str]) -> Iterator[dict[str, Any]]:
    before, now = (
        LABELS[status] if status else "not in the report"
        for status in (item["before"], item["now"])
    )
    yield links([item["host"]]) if item["host"] in present else {"text": item["host"]}
    yield {"text": now if now == before else f"{before} \u2192 {now}"}
    gone = [f"No longer: {reason}" for reason in item["gone"]]
    yield {"text": " ".join([*item["new"], *gone])}


def _ends(report: Report) -> dict[str, Any]:
    ends: dict[tuple[str, str, str], list[str]] = {}
    for record in report["hosts"]:
        for item in record["expiring"]:
            ends.setdefault((item["expires"], item["title"], item["key"]), []).append(
                record["host"]
            )
    rows = [
        [{"text": shown(expires)}, {"text": capitalised(title), "code": key}, links(hosts)]
        for (expires, title, key), hosts in sorted(ends.items())
    ]
    return {"title": "Ends within two weeks", "columns": ["At", "Entry", "Hosts"], "rows": rows}


def conflict_texts(report: Report) -> Iterator[tuple[str, str, list[str], list[str]]]:
    """Each conflict: its network, what it is, the hosts of the one side, and of the other."""
    for item in report["conflicts"]:
        what = "passed and blocked" if item["against"] else "protected by several accounts"
        yield item["network"], what, item["hosts"], item["against"]


def _conflicts(report: Report) -> dict[str, Any]:
    """What hosts say against each other."""
    rows = [
        [{"code": network}, {"text": what}, links(hosts), links(against)]
        for network, what, hosts, against in conflict_texts(report)
    ]
    columns = ["Network", "Conflict", "Passes, or protects", "Blocks"]
    return {"title": "Conflicts between hosts", "columns": columns, "rows": rows}


def _accepted(records: Iterable[HostRecord]) -> dict[str, Any]:
    """The accepted risks in force, each with all hosts that accept it so."""
    accepted: dict[tuple[str, str, str, str], list[str]] = {}
    for record in records:
        for item in record["accepted_risks"]:
            bound = ", ".join([*item["networks"], *item["entries"]]) or "all"
            until = shown(item["expires"]) if item["expires"] else "for ever"
            key = (item["code"], bound, until, item["reason"] or "none given")
            accepted.setdefault(key, []).append(record["host"])
    rows = [
        [{"code": code}, {"text": bound}, {"text": until}, {"text": reason}, links(hosts)]
        for (code, bound, until, reason), hosts in accepted.items()
    ]
    columns = ["Risk", "For", "Until", "Reason", "Hosts"]
    return {"title": "Accepted risks in force", "columns": columns, "rows": rows}


def _shared(shared: Mapping[str, Shared]) -> dict[str, Any]:
    """The changes that more than one host has; all of them, since hosts refer to them."""
    rows = []
    for position, (operation, hosts) in enumerate(shared.values()):
        cells = [{"operation": operation_texts(operation)}, links(hosts)]
        rows.append([{**cells[0], "id": f"change-{position}"}, cells[1]])
    columns = ["Run", "Object", "Fields", "Hosts"]
    return {"title": "Changes that several hosts share", "columns": columns, "rows": rows}


def as_others(shared: Mapping[str, Shared]) -> dict[str, Link]:
    """By operation that hosts share, where the page has it, and how many other hosts it is for."""
    return {
        key: (
            f"change-{position}",
            f"as on {plural(len(item.hosts) - 1, 'other host', 'other hosts')}",
        )
        for position, (key, item) in enumerate(shared.items())
    }


def group_names(records: Sequence[HostRecord]) -> list[tuple[str, int]]:
    """The groups of the inventory that some of the hosts are in, and how many."""
    numbers: dict[str, int] = {}
    for record in records:
        for name in record["groups"]:
            numbers[name] = numbers.get(name, 0) + 1
    return sorted((name, number) for name, number in numbers.items() if number < len(records))

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as Markdown, for a merge request or a chat; text of Cloudflare becomes no markup and
mentions nobody."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._text import (
    as_markdown,
    excerpt,
    first_few,
    left_out,
    markdown_row,
    plural,
    sentence,
    visible,
)

from .html import acknowledged_text, bars, lead, unmanaged_text
from .overview import FieldTexts, ages, by_hosts, conflict_texts, operation_texts, shown
from .record import (
    LABELS,
    STATUSES,
    Column,
    Difference,
    HostChange,
    HostRecord,
    Report,
    is_known,
    shown_as,
    unaccepted,
)
from .results import expected_lines
from .traffic import traffic_lines

MAX_CELL = 300  # characters
MAX_LINE = 600  # characters
MAX_LINES = 50  # of a host, or of hosts that have the same ones
MAX_CHANGES = 20  # hosts that stand otherwise than in the report before, and what ends soon
# GitHub takes 65,536 characters of a comment, of which some are left for who posts it.
LONGEST = 62_000  # bytes
LONGEST_TABLE = 30_000  # bytes of the table of all hosts
HEADING = 3  # lines of a section before what it says


def markdown_page(report: Report) -> str:
    """The report as text in GitHub's and GitLab's Markdown, short enough for a comment; it says
    what it leaves out."""
    lines = [*_head(report), *_table(report), *_previous(report), *_deadlines(report)]
    lines += _conflicts(report)
    size = sum(_size(line) for line in lines)
    sections = [list(_section(hosts, own)) for hosts, own in by_hosts(_details(report["hosts"]))]
    left = 0
    for section in sections:
        kept = list(_fitting(section, LONGEST - size))
        if len(kept) > HEADING:
            lines += kept
            size += sum(_size(line) for line in kept)
        left += len(section) - (len(kept) if len(kept) > HEADING else HEADING)
    if left:
        lines += ["", f"**Left out: {plural(left, 'line', 'lines')}, which report.html has.**"]
    return "\n".join(lines) + "\n"


def _head(report: Report) -> Iterator[str]:
    totals = report["totals"]
    yield from (f"# Protection of {plural(totals['hosts'], 'host', 'hosts')}", "")
    yield from (f"{lead(totals)} Read {shown(report['generated'])}.", "")
    yield markdown_row(LABELS[status] for status in STATUSES)
    yield "|" + "---:|" * len(STATUSES)
    yield from (markdown_row(str(totals["statuses"][status]) for status in STATUSES), "")
    yield from (f"- {item.family} addresses: {item.words}" for item in bars(totals["addresses"]))
    parts = ages(report)
    yield from (f"- {part.in_words()}" for part in (parts if len(parts) > 1 else ()))


def _table(report: Report) -> Iterator[str]:
    """A row for each host, the worst first, as far as they fit."""
    columns = dict(shown_as(Column))
    yield from ("", markdown_row(column.title for column in columns.values()))
    yield "|" + "".join("---:|" if column.is_number else "---|" for column in columns.values())
    hosts = report["hosts"]
    rows = list(
        _fitting([markdown_row(_cells(record, columns)) for record in hosts], LONGEST_TABLE)
    )
    yield from rows
    if more := hosts[len(rows) :]:
        counts = Counter(LABELS[record["status"]] for record in more)
        named = ", ".join(f"{number} {label}" for label, number in counts.items())
        yield from (
            "",
            f"And {plural(len(more), 'more host', 'more hosts')} in report.html: {named}.",
        )


def _fitting(lines: Iterable[str], most: int) -> Iterator[str]:
    """The first lines that have so many bytes together."""
    for line in lines:
        most -= _size(line)
        if most < 0:
            return
        yield line


def _size(line: str) -> int:
    return len(line.encode()) + 1


def _previous(report: Report) -> Iterator[str]:
    previous = report["previous"]
    if previous is None:
        return
    yield from ("", f"## Since the report of {shown(previous['generated'])}", "")
    yield from (f"- {_change(item)}" for item in previous["hosts"][:MAX_CHANGES])
    more = left_out(len(previous["hosts"]), MAX_CHANGES, "host", "hosts")
    if more or not previous["hosts"]:
        yield f"- {more} in report.html" if more else "No host stands otherwise."


def _change(item: HostChange) -> str:
    """How a host stands now and stood before, and one reason that is new, or gone."""
    statuses = (item["before"], item["now"])
    before, now = (LABELS[status] if status else "not in the report" for status in statuses)
    status = now if now == before else f"{before} → {now}"
    reason = as_markdown(excerpt(item["new"][0], MAX_CELL)) if item["new"] else ""
    gone = f"no longer: {as_markdown(excerpt(item['gone'][0], MAX_CELL))}" if item["gone"] else ""
    return f"{as_markdown(item['host'])}: {status}. {reason or gone}".rstrip()


def _deadlines(report: Report) -> Iterator[str]:
    ends = [
        (item["expires"], record["host"], item)
        for record in report["hosts"]
        for item in record["expiring"]
    ]
    if not ends:
        return
    yield from ("", "## Ends within two weeks", "")
    for expires, host, item in sorted(ends, key=lambda end: end[:2])[:MAX_CHANGES]:
        name = f"{as_markdown(item['title'])} {code(excerpt(item['key'], MAX_CELL))}"
        yield f"- {shown(expires)}: {name} of {as_markdown(host)}"
    if more := left_out(len(ends), MAX_CHANGES, "end", "ends"):
        yield f"- {more} in report.html"


def _conflicts(report: Report) -> Iterator[str]:
    conflicts = list(conflict_texts(report))
    if not conflicts:
        return
    yield from ("", "## Conflicts between hosts", "")
    for network, what, hosts, against in conflicts[:MAX_CHANGES]:
        others = f", against {as_markdown(first_few(against))}" if against else ""
        yield f"- {code(network)} is {what}: {as_markdown(first_few(hosts))}{others}"
    if more := left_out(len(conflicts), MAX_CHANGES, "conflict", "conflicts"):
        yield f"- {more} in report.html"


def _section(hosts: Sequence[str], lines: Sequence[str]) -> Iterator[str]:
    """What some hosts have in common, or one has alone."""
    count = f"{len(hosts)} hosts: " if len(hosts) > 1 else ""
    yield from ("", f"## {count}{as_markdown(first_few(hosts))}", "")
    yield from lines[:MAX_LINES]
    if more := left_out(len(lines), MAX_LINES, "difference", "differences"):
        yield f"- {more} in report.html"


def _cells(record: Mapping[str, Any], columns: Mapping[str, Column]) -> Iterator[str]:
    for key, column in columns.items():
        known = is_known(record) or not column.is_number  # what is not known is not zero
        yield as_markdown(excerpt(column.cell(record[key]), MAX_CELL)) if known else ""


def _details(records: Sequence[HostRecord]) -> dict[str, list[str]]:
    """The lines on each host that has any."""
    details = {record["host"]: list(_lines(record)) for record in records}
    return {host: lines for host, lines in details.items() if lines}


def _lines(record: HostRecord) -> Iterator[str]:
    for risk in record["risks"]:
        yield (
            f"- risk {code(risk['code'])}, {'accepted' if risk['accepted'] else 'refused'}:"
            f" {as_markdown(risk['message'])}"
        )
    for hole in unaccepted(record["unmanaged"]):
        yield f"- in no baseline: {as_markdown(unmanaged_text(hole))}"
    for item in record["acknowledged"]:
        yield f"- {as_markdown(acknowledged_text(item))}"
    for line in expected_lines([item for item in record["expectations"] if not item["met"]]):
        yield f"- expectation {as_markdown(line)}"
    for operation in record["operations"]:
        yield _operation(operation)
    for change in record["changes"] or ():
        yield f"- {as_markdown(excerpt(change['text'], MAX_LINE))}"
    for line in traffic_lines(record["traffic"]):
        yield f"- {as_markdown(excerpt(line, MAX_LINE))}"


def _operation(operation: Difference) -> str:
    texts = operation_texts(operation)
    name = f" {code(texts.name)}" if texts.name else ""
    fields = ", ".join(map(_field, texts.fields))
    return f"- `{texts.sign}` {as_markdown(texts.title)}{name}" + (f": {fields}" if fields else "")


def _field(field: FieldTexts) -> str:
    before = f"{code(field.before)} \u2192 " if field.before is not None else ""
    return f"{as_markdown(field.path)} {before}{code(field.after)}"


def code(data: str) -> str:
    """Text as code; whatever back quotes it has, it ends where it should, also in a cell of a
    table."""
    shown = visible(data).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") or not shown.strip() else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


MAX_HOSTS = 10  # are shown, the worst
MAX_SUMMARY_LINE = 100  # characters of a reason


def summary(report: Report, directory: str) -> list[str]:
    """How many hosts have which status, the hosts that are not in order, and where the report
    lies."""
    totals = report["totals"]
    counts = [
        f"{totals['statuses'][name]} {LABELS[name]}"
        for name in STATUSES
        if totals["statuses"][name]
    ]
    concerned = [record for record in report["hosts"] if record["status"] != "in_order"]
    lines = [f"{plural(totals['hosts'], 'host', 'hosts')}: {', '.join(counts) or 'none'}."]
    for record in concerned[:MAX_HOSTS]:
        reason = (
            visible(excerpt(record["reasons"][0], MAX_SUMMARY_LINE)) if record["reasons"] else ""
        )
        lines.append(f"{visible(record['host'])}: {LABELS[record['status']]}. {reason}".rstrip())
    more = left_out(len(concerned), MAX_HOSTS, "host", "hosts")
    return [*lines, *([sentence(more)] if more else []), f"{directory}/report.html"]

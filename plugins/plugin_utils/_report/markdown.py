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
from itertools import chain
from typing import Tuple

from ...module_utils._text import (
    as_markdown,
    excerpt,
    first_few,
    left_out,
    markdown_row,
    plural,
    sentence,
    visible,
)
from ...module_utils._timestamps import to_the_minute
from .._alike import hosts_by_text
from . import overview
from . import record as records
from .record import Column, Difference, HostRecord, Report

MAX_CELL = 300  # characters
MAX_LINES = 50  # of a host, or of hosts that have the same ones
MAX_CHANGES = 20  # hosts that stand otherwise than in the report before, and what ends soon
# GitHub takes 65,536 characters of a comment, of which some are left for who posts it.
LONGEST_PAGE = 62_000  # bytes
LONGEST_TABLE = 30_000  # bytes of the table of all hosts
LONGEST_END = 80  # bytes of the line that says what is left out
Cells = Tuple[str, ...]  # of a row, without the name of the host
HEADING = 3  # lines of a section before what it says
SHARED_OWNERS = "Hosts that are one account or one zone"


def markdown_page(report: Report) -> str:
    """The report as text in GitHub's and GitLab's Markdown, short enough for a comment; it says
    what it leaves out."""
    lines = [*_head(report), *_table(report)]
    size = sum(map(line_size, lines)) + LONGEST_END
    hidden = 0
    for section in _sections(report):
        shown = list(fitting(section, LONGEST_PAGE - size))
        if len(shown) <= HEADING:
            shown = []
        lines += shown
        size += sum(map(line_size, shown))
        hidden += len(section) - (len(shown) or HEADING)
    if hidden:
        lines += ["", f"**Left out: {plural(hidden, 'line', 'lines')}, which report.html has.**"]
    return "\n".join(lines) + "\n"


def _sections(report: Report) -> Iterator[list[str]]:
    """The lines of each section below the table; a section without content is left out."""
    sections = [_previous(report), _deadlines(report), _shared_owners(report)]
    details = {record["host"]: _lines_with_contacts(record) for record in report["hosts"]}
    for hosts, lines in overview.by_hosts(details):
        sections.append(_section(hosts, lines))
    return filter(None, map(list, sections))


def _head(report: Report) -> Iterator[str]:
    totals = report["totals"]
    yield f"# Protection of {plural(totals['hosts'], 'host', 'hosts')}"
    yield ""
    yield f"{overview.lead(totals)} Read {to_the_minute(report['generated'])}."
    yield ""
    yield markdown_row(records.LABELS[status] for status in records.STATUSES)
    yield "|" + "---:|" * len(records.STATUSES)
    yield markdown_row(f"{totals['statuses'][status]:,}" for status in records.STATUSES)
    yield ""
    for family_bar in overview.bars(totals["addresses"]):
        yield f"- {family_bar.family} addresses: {family_bar.words}"
    ages = [f"- {text}" for text in overview.ages(report)]
    yield from _first_lines(ages, "part", "parts")


def _table(report: Report) -> Iterator[str]:
    """A row for each host, or for all hosts with equal cells, worst first, as far as they fit; then
    what to do. Hosts that are in order and mitigate are only named, in one line.
    """
    columns = dict(records.shown_as(Column))
    concerned = [record for record in report["hosts"] if not _is_fine(record)]
    groups: dict[Cells, list[HostRecord]] = {}
    for record in concerned:
        cells = tuple(_cells(record, columns))[1:]  # without the name
        groups.setdefault(cells, []).append(record)
    if groups:
        yield ""
        yield markdown_row(column.title for column in columns.values())
        yield "|" + "".join(map(_alignment, columns.values()))
    rows = [*fitting(_rows_of_hosts(groups, report), LONGEST_TABLE)]
    yield from rows
    hidden = [*chain.from_iterable([*groups.values()][len(rows) :])]
    if hidden:
        yield ""
        yield _hidden_hosts(hidden)
    fine = [record for record in report["hosts"] if _is_fine(record)]
    if fine:
        yield ""
        yield f"In order: {_names(fine, report)}."
    yield from _remedies(report)


def _alignment(column: Column) -> str:
    return "---:|" if column.is_number else "---|"


def _rows_of_hosts(groups: Mapping[Cells, Sequence[HostRecord]], report: Report) -> Iterator[str]:
    """A row for the hosts with equal cells."""
    for cells, hosts in groups.items():
        yield markdown_row([_names(hosts, report), *cells])


def _hidden_hosts(hosts: Sequence[HostRecord]) -> str:
    """A text on the hosts that have no row: how many of each status there are."""
    counts = Counter(records.LABELS[record["status"]] for record in hosts)
    numbers = ", ".join(f"{number:,} {label}" for label, number in counts.items())
    return f"And {plural(len(hosts), 'more host', 'more hosts')} in report.html: {numbers}."


def _remedies(report: Report) -> Iterator[str]:
    """A line for each status that some host has, with what to do about it."""
    statuses = report["totals"]["statuses"]
    lines = [
        f"- To do if {records.LABELS[status]}: {remedy}"
        for status, remedy in overview.REMEDIES.items()
        if statuses[status]
    ]
    if lines:
        yield ""
        yield from lines


def _is_fine(record: HostRecord) -> bool:
    is_working = record["status"] == "in_order" and not records.is_idle(record)
    return is_working and not record["postures"]


def _names(hosts: Sequence[HostRecord], report: Report) -> str:
    """The names of the first of some hosts, each with its age if an earlier run read it."""
    names = []
    for record in hosts:
        name, age = as_markdown(record["host"]), overview.as_of(record, report)
        names.append(f"{name} ({age})" if age else name)
    return counted_names(names)


def counted_names(names: Sequence[str]) -> str:
    """The first of some names of hosts, and before several how many there are."""
    count = f"{len(names):,} hosts: " if len(names) > 1 else ""
    return count + first_few(names)


def fitting(lines: Iterable[str], most: int) -> Iterator[str]:
    """The first lines that together have at most `most` bytes."""
    for line in lines:
        most -= line_size(line)
        if most < 0:
            return
        yield line


def line_size(line: str) -> int:
    """The number of bytes of a line, including its line end."""
    return len(line.encode()) + 1


def _titled_lines(
    title: str, lines: Sequence[str], noun: str, nouns: str, most: int = MAX_CHANGES
) -> Iterator[str]:
    """A section with at most `most` lines, and a note on how many more there are; nothing if there
    are no lines.
    """
    if lines:
        yield from ("", f"## {title}", "", *_first_lines(lines, noun, nouns, most))


def _first_lines(
    lines: Sequence[str], noun: str, nouns: str, most: int = MAX_CHANGES
) -> Iterator[str]:
    yield from lines[:most]
    hidden = left_out(len(lines), most, noun, nouns)
    if hidden:
        yield f"- {hidden} in report.html"


def _previous(report: Report) -> Iterator[str]:
    previous = report["previous"]
    if previous:
        lines = [*chain.from_iterable(map(_change_lines, previous["hosts"]))]
        title = f"Since the report of {to_the_minute(previous['generated'])}"
        lines = lines or ["No host stands otherwise."]
        yield from _titled_lines(title, lines, "line", "lines", MAX_LINES)


def _change_lines(change: records.HostChange) -> Iterator[str]:
    """The status of a host now and in the earlier report, one reason that is new or gone, and the
    operations that a run would make now and would not have made then.
    """
    reason = ""
    if change["new"]:
        reason = as_markdown(excerpt(change["new"][0], MAX_CELL))
    elif change["gone"]:
        reason = f"no longer: {as_markdown(excerpt(change['gone'][0], MAX_CELL))}"
    host, status = as_markdown(change["host"]), overview.status_change(change)
    yield f"- {host}: {status}. {reason}".rstrip()
    for operation in change["differences"]:
        yield f"  {operation_line(operation)}"


def _deadlines(report: Report) -> Iterator[str]:
    lines = []
    for (expires, title, key), hosts in overview.deadlines(report["hosts"]):
        subject = f"{as_markdown(title)} {code(excerpt(key, MAX_CELL))}"
        names = as_markdown(first_few(hosts))
        lines.append(f"- {overview.until(expires, report)}: {subject} of {names}")
    return _titled_lines("Ends within two weeks", lines, "end", "ends")


def _shared_owners(report: Report) -> Iterator[str]:
    lines = [f"- {as_markdown(text)}" for text in report["shared_owners"]]
    return _titled_lines(SHARED_OWNERS, lines, "line", "lines")


def _section(hosts: Sequence[str], lines: Sequence[str]) -> Iterator[str]:
    """A section with the names of some hosts, and the lines that apply to all of them."""
    count = f"{len(hosts)} hosts: " if len(hosts) > 1 else ""
    title = f"{count}{as_markdown(first_few(hosts))}"
    return _titled_lines(title, lines, "difference", "differences", MAX_LINES)


def _cells(record: HostRecord, columns: Mapping[str, Column]) -> Iterator[str]:
    was_read = records.was_read(record)
    for column in columns.values():
        is_known = was_read or not column.is_number  # what is not known is not zero
        yield as_markdown(excerpt(column.cell(record), MAX_CELL)) if is_known else ""


def _lines_with_contacts(record: HostRecord) -> list[str]:
    """The lines about a host, after a line with its contacts; empty if there are no lines about
    it.
    """
    lines = list(_host_lines(record))
    contacts = [f"{name}: {as_markdown(text)}" for name, text in overview.contacts(record).items()]
    if lines and contacts:
        lines.insert(0, f"- {', '.join(contacts)}")
    return lines


def _host_lines(record: HostRecord) -> Iterator[str]:
    for risk in record["risks"]:
        verdict = "accepted" if risk["accepted"] else "refused"
        yield f"- risk {code(risk['code'])}, {verdict}: {as_markdown(risk['message'])}"
    for hole in records.unaccepted(record["unmanaged"]):
        yield f"- in no baseline: {as_markdown(records.unmanaged_text(hole))}"
    for line in records.accepted_lines(record["accepted_statuses"]):
        yield f"- {as_markdown(line)}"
    unmet = [expectation for expectation in record["expectations"] if not expectation["met"]]
    for line in records.expected_lines(unmet):
        yield f"- expectation {as_markdown(line)}"
    for line in records.left_out_lines(record["left_out"]):
        yield f"- {as_markdown(line)}"
    yield from map(operation_line, record["operations"])
    for obj in records.harmless(record["unmanaged"]):
        yield f"- in no baseline: {as_markdown(records.unmanaged_text(obj))}"
    for line in _other_lines(record):
        yield f"- {as_markdown(excerpt(line, records.MAX_CHARS))}"


def _other_lines(record: HostRecord) -> Iterator[str]:
    """The lines about a host that do not concern its plan."""
    yield from records.change_lines(record["changes"])
    if overview.has_losses(record["traffic"]) or not _is_fine(record):
        yield from overview.traffic_lines(record["traffic"])
    yield from overview.backtest_lines(record["backtest"])
    effectless = [finding for finding in record["ineffective"] if not finding["accepted"]]
    yield from records.ineffective_lines(effectless)
    yield from records.unused_lines(record["unused"])
    yield from record["unknown_hits"]
    yield from records.moved_lines(record["moved"])
    yield from record["unknown_moves"]
    yield from record["not_evaluated"] or ()


def operation_line(operation: Difference) -> str:
    """An operation in a line of Markdown, with its sign, its object and its fields."""
    return f"- {pieces_as_markdown(overview.operation_pieces(operation))}"


def pieces_as_markdown(pieces: Iterable[overview.Piece]) -> str:
    """Words and data in Markdown, which shows data as code."""
    return "".join(map(_piece_as_markdown, pieces))


def _piece_as_markdown(piece: overview.Piece) -> str:
    return code(piece.text) if isinstance(piece, overview.Code) else as_markdown(piece)


def code(data: str) -> str:
    """The text as code in Markdown, also in a cell of a table, and even if it contains back
    quotes.
    """
    shown = visible(data).replace("|", "\\|")
    longest_run = max(map(len, re.findall("`+", shown)), default=0)
    fence = "`" * (longest_run + 1)
    needs_pad = shown.startswith("`") or shown.endswith("`") or not shown.strip()
    pad = " " if needs_pad else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


MAX_HOSTS = 10  # are shown, the worst, each or those that share a line
MAX_SUMMARY_LINE = 100  # characters of a reason
MITIGATES_NOTHING = "It mitigates nothing."  # a host that matches its baseline


def summary(report: Report, directory: str) -> list[str]:
    """If attacks are mitigated, the number of hosts of each status, the hosts that are not in
    order or mitigate nothing, and where the report lies."""
    statuses = report["totals"]["statuses"]
    hosts_in_words = plural(report["totals"]["hosts"], "host", "hosts")
    counts = [
        f"{statuses[status]} {records.LABELS[status]}"
        for status in records.STATUSES
        if statuses[status]
    ]
    lines = [*_mitigation(report), f"{hosts_in_words}: {', '.join(counts) or 'none'}."]
    concerned = [record for record in report["hosts"] if not _is_fine(record)]
    texts = {_name_with_age(record, report): _status_line(record) for record in concerned}
    groups = hosts_by_text(texts)
    lines += (visible(group.line) for group in groups[:MAX_HOSTS])
    hidden = sum(len(group.hosts) for group in groups[MAX_HOSTS:])
    if hidden:
        lines.append(sentence(left_out(hidden, 0, "host", "hosts")))
    lines += map(visible, report["shared_owners"])
    return [*lines, f"{directory}/report.html"]


def _mitigation(report: Report) -> Iterator[str]:
    """A sentence on whether attacks are mitigated, and one on the hosts for which this is not
    known.
    """
    totals = report["totals"]
    unknown = totals["statuses"]["unknown"]
    mitigated = overview.protection(totals)
    if mitigated and unknown:
        verb = "is" if unknown == 1 else "are"
        hosts_in_words = plural(totals["hosts"], "host", "hosts")
        yield f"{mitigated} {unknown} of {hosts_in_words} {verb} unknown."
    elif mitigated:
        yield mitigated


def _name_with_age(record: HostRecord, report: Report) -> str:
    """The name of a host, with its age if an earlier run read it."""
    age = overview.as_of(record, report)
    return f"{record['host']} ({age})" if age else record["host"]


def _status_line(record: HostRecord) -> str:
    """The status of a host with its first reason."""
    reasons = list(record["reasons"])
    if records.is_idle(record):
        reasons.append(MITIGATES_NOTHING)
    status = records.with_postures(records.LABELS[record["status"]], record["postures"])
    reason = excerpt(reasons[0], MAX_SUMMARY_LINE) if reasons else ""
    return f"{status}. {reason}".rstrip()

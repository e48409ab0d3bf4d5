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
from .overview import (
    REMEDIES,
    FieldChange,
    ages,
    as_of,
    backtest_lines,
    bars,
    by_hosts,
    contacts,
    ends,
    has_losses,
    lead,
    operation_texts,
    protection,
    status_change,
    traffic_lines,
    until,
)
from .record import (
    LABELS,
    MAX_CHARS,
    STATUSES,
    Column,
    Difference,
    HostChange,
    HostRecord,
    Report,
    accepted_lines,
    change_lines,
    expected_lines,
    ineffective_lines,
    is_idle,
    shown_as,
    unaccepted,
    unmanaged_text,
    unused_lines,
    values_by_key,
    was_read,
    with_postures,
)

MAX_CELL = 300  # characters
MAX_LINES = 50  # of a host, or of hosts that have the same ones
MAX_CHANGES = 20  # hosts that stand otherwise than in the report before, and what ends soon
# GitHub takes 65,536 characters of a comment, of which some are left for who posts it.
LONGEST_PAGE = 62_000  # bytes
LONGEST_TABLE = 30_000  # bytes of the table of all hosts
LONGEST_END = 80  # bytes of the line that says what is left out
HEADING = 3  # lines of a section before what it says
SHARED_OWNERS = "Hosts that are one account or one zone"


def markdown_page(report: Report) -> str:
    """The report as text in GitHub's and GitLab's Markdown, short enough for a comment; it says
    what it leaves out."""
    lines = [*_head(report), *_table(report)]
    size = sum(map(_size, lines)) + LONGEST_END
    details = {record["host"]: _owned_lines(record) for record in report["hosts"]}
    sections = [_previous(report), _deadlines(report), _shared_owners(report)]
    sections += (_section(hosts, own) for hosts, own in by_hosts(details))
    left = 0
    for section in filter(None, map(list, sections)):
        kept = list(_fitting(section, LONGEST_PAGE - size))
        kept = kept if len(kept) > HEADING else []
        lines += kept
        size += sum(map(_size, kept))
        left += len(section) - (len(kept) or HEADING)
    if left:
        lines += ["", f"**Left out: {plural(left, 'line', 'lines')}, which report.html has.**"]
    return "\n".join(lines) + "\n"


def _head(report: Report) -> Iterator[str]:
    totals = report["totals"]
    yield from (f"# Protection of {plural(totals['hosts'], 'host', 'hosts')}", "")
    yield from (f"{lead(totals)} Read {to_the_minute(report['generated'])}.", "")
    yield markdown_row(LABELS[status] for status in STATUSES)
    yield "|" + "---:|" * len(STATUSES)
    yield from (markdown_row(f"{totals['statuses'][status]:,}" for status in STATUSES), "")
    yield from (f"- {item.family} addresses: {item.words}" for item in bars(totals["addresses"]))
    yield from _first_lines([f"- {text}" for text in ages(report)], "part", "parts")


def _table(report: Report) -> Iterator[str]:
    """A row for each host, or for hosts of which all is equal, the worst first, as far as they fit;
    then what to do. Hosts in order that mitigate are named in a line."""
    columns = dict(shown_as(Column))
    fine = [record for record in report["hosts"] if _is_fine(record)]
    others = [record for record in report["hosts"] if not _is_fine(record)]
    groups = values_by_key((tuple(_cells(record, columns))[1:], record) for record in others)
    if groups:
        yield from ("", markdown_row(column.title for column in columns.values()))
        yield "|" + "".join("---:|" if column.is_number else "---|" for column in columns.values())
    lines = (markdown_row([_named_hosts(hosts, report), *cells]) for cells, hosts in groups.items())
    rows = [*_fitting(lines, LONGEST_TABLE)]
    yield from rows
    if more := [record for hosts in [*groups.values()][len(rows) :] for record in hosts]:
        counts = Counter(LABELS[record["status"]] for record in more)
        named = ", ".join(f"{number:,} {label}" for label, number in counts.items())
        text = f"And {plural(len(more), 'more host', 'more hosts')} in report.html: {named}."
        yield from ("", text)
    if fine:
        yield from ("", f"In order: {_named_hosts(fine, report)}.")
    if known := [name for name in REMEDIES if report["totals"]["statuses"][name]]:
        yield from ("", *(f"- To do if {LABELS[name]}: {REMEDIES[name]}" for name in known))


def _is_fine(record: HostRecord) -> bool:
    return record["status"] == "in_order" and not is_idle(record) and not record["postures"]


def _named_hosts(hosts: Sequence[HostRecord], report: Report) -> str:
    """The first of some hosts, each with its age if an earlier run read it."""
    ages_of = [(as_markdown(record["host"]), as_of(record, report)) for record in hosts]
    count = f"{len(hosts):,} hosts: " if len(hosts) > 1 else ""
    return count + first_few(f"{name} ({age})" if age else name for name, age in ages_of)


def _fitting(lines: Iterable[str], most: int) -> Iterator[str]:
    """The first lines that have so many bytes together."""
    for line in lines:
        most -= _size(line)
        if most < 0:
            return
        yield line


def _size(line: str) -> int:
    return len(line.encode()) + 1


def _bounded_part(
    title: str, lines: Sequence[str], one: str, many: str, most: int = MAX_CHANGES
) -> Iterator[str]:
    """A part with its first lines, and how many more there are; nothing without lines."""
    if lines:
        yield from ("", f"## {title}", "", *_first_lines(lines, one, many, most))


def _first_lines(
    lines: Sequence[str], one: str, many: str, most: int = MAX_CHANGES
) -> Iterator[str]:
    yield from lines[:most]
    if more := left_out(len(lines), most, one, many):
        yield f"- {more} in report.html"


def _previous(report: Report) -> Iterator[str]:
    if previous := report["previous"]:
        lines = [line for item in previous["hosts"] for line in _change_lines(item)]
        title = f"Since the report of {to_the_minute(previous['generated'])}"
        lines = lines or ["No host stands otherwise."]
        yield from _bounded_part(title, lines, "line", "lines", MAX_LINES)


def _change_lines(item: HostChange) -> Iterator[str]:
    """The status of a host now and before, one reason that is new, or gone, and what a run would do
    that it would not have done then."""
    reason = as_markdown(excerpt(item["new"][0], MAX_CELL)) if item["new"] else ""
    gone = f"no longer: {as_markdown(excerpt(item['gone'][0], MAX_CELL))}" if item["gone"] else ""
    yield f"- {as_markdown(item['host'])}: {status_change(item)}. {reason or gone}".rstrip()
    yield from (f"  {_operation(operation)}" for operation in item["differences"])


def _deadlines(report: Report) -> Iterator[str]:
    lines = [
        f"- {until(expires, report)}: {as_markdown(title)} {code(excerpt(key, MAX_CELL))} of"
        f" {as_markdown(first_few(hosts))}"
        for (expires, title, key), hosts in ends(report["hosts"])
    ]
    return _bounded_part("Ends within two weeks", lines, "end", "ends")


def _shared_owners(report: Report) -> Iterator[str]:
    lines = [f"- {as_markdown(text)}" for text in report["shared_owners"]]
    return _bounded_part(SHARED_OWNERS, lines, "line", "lines")


def _section(hosts: Sequence[str], lines: Sequence[str]) -> Iterator[str]:
    """The lines that some hosts have in common, or one has alone."""
    count = f"{len(hosts)} hosts: " if len(hosts) > 1 else ""
    title = f"{count}{as_markdown(first_few(hosts))}"
    return _bounded_part(title, lines, "difference", "differences", MAX_LINES)


def _cells(record: HostRecord, columns: Mapping[str, Column]) -> Iterator[str]:
    for column in columns.values():
        known = was_read(record) or not column.is_number  # what is not known is not zero
        yield as_markdown(excerpt(column.cell(record), MAX_CELL)) if known else ""


def _owned_lines(record: HostRecord) -> list[str]:
    """The lines about a host, if there are any, behind whom they are for."""
    lines = list(_host_lines(record))
    about = [f"{name}: {as_markdown(text)}" for name, text in contacts(record).items()]
    return [*([f"- {', '.join(about)}"] if about and lines else []), *lines]


def _host_lines(record: HostRecord) -> Iterator[str]:
    for risk in record["risks"]:
        yield (
            f"- risk {code(risk['code'])}, {'accepted' if risk['accepted'] else 'refused'}:"
            f" {as_markdown(risk['message'])}"
        )
    for hole in unaccepted(record["unmanaged"]):
        yield f"- in no baseline: {as_markdown(unmanaged_text(hole))}"
    for line in accepted_lines(record["accepted_statuses"]):
        yield f"- {as_markdown(line)}"
    for line in expected_lines([item for item in record["expectations"] if not item["met"]]):
        yield f"- expectation {as_markdown(line)}"
    yield from map(_operation, record["operations"])
    traffic = None if _is_fine(record) and not has_losses(record["traffic"]) else record["traffic"]
    lines = [*change_lines(record["changes"]), *traffic_lines(traffic)]
    lines += backtest_lines(record["backtest"])
    lines += ineffective_lines([one for one in record["ineffective"] if not one["accepted"]])
    lines += [*unused_lines(record["unused"]), *record["unknown_hits"]]
    for line in (*lines, *(record["not_evaluated"] or ())):
        yield f"- {as_markdown(excerpt(line, MAX_CHARS))}"


def _operation(operation: Difference) -> str:
    texts = operation_texts(operation)
    name = f" {code(texts.name)}" if texts.name else ""
    fields = ", ".join(map(_field, texts.fields))
    return f"- `{texts.sign}` {as_markdown(texts.title)}{name}" + (f": {fields}" if fields else "")


def _field(field: FieldChange) -> str:
    before = f"{code(field.before)} \u2192 " if field.before is not None else ""
    return f"{as_markdown(field.path)} {before}{code(field.after)}"


def code(data: str) -> str:
    """Text as code; whatever back quotes it has, it ends where it should, also in a cell of a
    table."""
    shown = visible(data).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") or not shown.strip() else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


MAX_HOSTS = 10  # are shown, the worst, each or those that share a line
MAX_SUMMARY_LINE = 100  # characters of a reason
MITIGATES_NOTHING = "It mitigates nothing."  # a host that matches its baseline


def summary(report: Report, directory: str) -> list[str]:
    """If attacks are mitigated, the number of hosts of each status, the hosts that are not in
    order or mitigate nothing, and where the report lies."""
    statuses = report["totals"]["statuses"]
    hosts_in_words = plural(report["totals"]["hosts"], "host", "hosts")
    counts = [f"{statuses[name]} {LABELS[name]}" for name in STATUSES if statuses[name]]
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
    """A sentence on whether attacks are mitigated, and one on the hosts of which it says
    nothing."""
    totals = report["totals"]
    unknown = totals["statuses"]["unknown"]
    mitigated = protection(totals)
    if mitigated and unknown:
        verb = "is" if unknown == 1 else "are"
        hosts_in_words = plural(totals["hosts"], "host", "hosts")
        yield f"{mitigated} {unknown} of {hosts_in_words} {verb} unknown."
    elif mitigated:
        yield mitigated


def _name_with_age(record: HostRecord, report: Report) -> str:
    """The name of a host, with its age if an earlier run read it."""
    age = as_of(record, report)
    return f"{record['host']} ({age})" if age else record["host"]


def _status_line(record: HostRecord) -> str:
    """The status of a host with its first reason."""
    reasons = list(record["reasons"])
    if is_idle(record):
        reasons.append(MITIGATES_NOTHING)
    status = with_postures(LABELS[record["status"]], record["postures"])
    reason = excerpt(reasons[0], MAX_SUMMARY_LINE) if reasons else ""
    return f"{status}. {reason}".rstrip()

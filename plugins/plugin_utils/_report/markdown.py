# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as Markdown, for a merge request or a chat; text of the service becomes no markup and
mentions nobody."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._text import (
    capitalised,
    excerpt,
    left_out,
    plural,
    visible,
)

from .bars import bars
from .html import ACTION_SIGNS, acknowledged_text, lead, unmanaged_text, value_text
from .operations import FieldChange, field_changes
from .record import (
    LABELS,
    STATUSES,
    Column,
    Difference,
    HostRecord,
    Report,
    is_known,
    shown_as,
    unaccepted,
)
from .traffic_page import traffic_lines

MARKUP = re.compile(r"([\\`*_\[\]<>#|~&])")
MAX_CELL = 300  # characters
MAX_LINE = 600  # characters
MAX_OPERATIONS = 50  # of a host are listed


def markdown_page(report: Report) -> str:
    """The report as text in GitHub's and GitLab's Markdown."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    totals = report["totals"]
    moment = datetime.fromisoformat(report["generated"]).astimezone(timezone.utc)
    yield from (f"# Protection of {plural(totals['hosts'], 'host', 'hosts')}", "")
    yield from (f"{lead(totals)} Read {moment:%Y-%m-%d %H:%M} UTC.", "")
    yield _row(LABELS[status] for status in STATUSES)
    yield "|" + "---:|" * len(STATUSES)
    yield from (_row(str(totals["statuses"][status]) for status in STATUSES), "")
    yield from (f"- {item.family} addresses: {item.words}" for item in bars(totals["addresses"]))
    columns = dict(shown_as(Column))
    yield from ("", _row(column.title for column in columns.values()))
    yield "|" + "".join("---:|" if column.is_number else "---|" for column in columns.values())
    for record in report["hosts"]:
        yield _row(_cells(record, columns))
    for record in report["hosts"]:
        detailed = record["operations"] or record["risks"] or record["traffic"]
        if detailed or unaccepted(record["unmanaged"]) or record["acknowledged"]:
            yield from _details(record)


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cells(record: Mapping[str, Any], columns: Mapping[str, Column]) -> Iterator[str]:
    for key, column in columns.items():
        known = is_known(record) or not column.is_number  # what is not known is not zero
        yield text(excerpt(column.cell(record[key]), MAX_CELL)) if known else ""


def _details(record: HostRecord) -> Iterator[str]:
    yield from ("", f"## {text(record['host'])}", "")
    for risk in record["risks"]:
        yield (
            f"- risk {code(risk['code'])}, {'accepted' if risk['accepted'] else 'refused'}:"
            f" {text(risk['message'])}"
        )
    for hole in unaccepted(record["unmanaged"])[:MAX_OPERATIONS]:
        yield f"- in no baseline: {text(unmanaged_text(hole))}"
    for item in record["acknowledged"]:
        yield f"- {text(acknowledged_text(item))}"
    for operation in record["operations"][:MAX_OPERATIONS]:
        yield _operation(operation)
    more = left_out(len(record["operations"]), MAX_OPERATIONS, "difference", "differences")
    if more:
        yield f"- {more} in report.json"
    for line in traffic_lines(record["traffic"]):
        yield f"- {text(excerpt(line, MAX_LINE))}"


def _operation(operation: Difference) -> str:
    fields = [_field(change) for change in field_changes(operation)]
    what = f"{text(capitalised(operation['title']))} {code(operation['name'])}"
    return f"- `{ACTION_SIGNS[operation['action']]}` {what}" + (
        f": {', '.join(fields)}" if fields else ""
    )


def _field(change: FieldChange) -> str:
    before = f"{code(value_text(change.before))} → " if change.exists else ""
    return f"{text(change.path)} {before}{code(value_text(change.after))}"


def text(data: str) -> str:
    """Text that means itself: no markup, no mention, no line of its own."""
    return MARKUP.sub(r"\\\1", visible(data)).replace("@", "@<!-- -->")


def code(data: str) -> str:
    """Text as code; whatever back quotes it has, it ends where it should, also in a cell of a
    table."""
    shown = visible(data).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") or not shown.strip() else ""
    return f"{fence}{pad}{shown}{pad}{fence}"

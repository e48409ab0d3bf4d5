# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as Markdown, for a merge request or a chat; text of the service becomes no markup and
mentions nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._text import (
    capitalised,
    excerpt,
    plural,
    visible,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.bars import bars
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.html import (
    ACTION_SIGNS,
    lead,
    value_text,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.operations import flattened
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.statuses import (
    LABELS,
    STATUSES,
)

MARKUP = re.compile(r"([\\`*_\[\]<>#|~&])")
MAX_REASON = 300  # characters
MAX_OPERATIONS = 50  # of a host are listed

Record = Mapping[str, Any]


def markdown_page(report: Record) -> str:
    """The report as text in GitHub's and GitLab's Markdown."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Record) -> Iterator[str]:
    totals = report["totals"]
    moment = datetime.fromisoformat(report["generated"]).astimezone(timezone.utc)
    yield from (f"# Protection of {plural(totals['hosts'], 'host', 'hosts')}", "")
    yield from (f"{lead(totals)} Read {moment:%Y-%m-%d %H:%M} UTC.", "")
    yield "| " + " | ".join(LABELS[status] for status in STATUSES) + " |"
    yield "|" + "---:|" * len(STATUSES)
    yield from (
        "| " + " | ".join(str(totals["statuses"][status]) for status in STATUSES) + " |",
        "",
    )
    yield from (f"- {item.family} addresses: {item.words}" for item in bars(totals["addresses"]))
    yield from ("", "| host | status | why | differences | pending |", "|---|---|---|---:|---:|")
    for record in report["hosts"]:
        yield _row(record)
    for record in report["hosts"]:
        if record["operations"] or record["risks"]:
            yield from _details(record)


def _row(record: Record) -> str:
    why = text(excerpt(record["reasons"][0], MAX_REASON)) if record["reasons"] else ""
    cells = (
        text(record["host"]),
        LABELS[record["status"]],
        why,
        len(record["operations"]),
        len(record["pending"]),
    )
    return "| " + " | ".join(map(str, cells)) + " |"


def _details(record: Record) -> Iterator[str]:
    yield from ("", f"## {text(record['host'])}", "")
    for risk in record["risks"]:
        yield (
            f"- risk {code(risk['code'])}, {'accepted' if risk['accepted'] else 'refused'}:"
            f" {text(risk['message'])}"
        )
    for operation in record["operations"][:MAX_OPERATIONS]:
        yield _operation(operation)
    more = len(record["operations"]) - MAX_OPERATIONS
    if more > 0:
        yield f"- and {plural(more, 'more difference', 'more differences')} in report.json"


def _operation(operation: Record) -> str:
    before = dict(flattened(operation["before"]))
    fields = [
        f"{text(name)} "
        + (f"{code(value_text(before[name]))} → " if name in before else "")
        + code(value_text(value))
        for name, value in flattened(operation["fields"])
        if name in before or (value not in ("", None) and value != operation["key"])
    ]
    what = f"{text(capitalised(operation['title']))} {code(operation['name'])}"
    return f"- `{ACTION_SIGNS[operation['action']]}` {what}" + (
        f": {', '.join(fields)}" if fields else ""
    )


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

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan page as Markdown, for the comment of a merge request: what changes, what becomes of
traffic, and what a run refuses, the worst first, in words of plans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...module_utils._text import as_markdown, left_out
from .markdown import code, counted_names, fitting, line_size, pieces_as_markdown
from .plan_document import PlanDocument
from .plan_words import Line, Part, plan_lead, plan_parts

LONGEST_PLAN_PAGE = 60_000  # bytes
RESERVED = 300  # bytes for the title of each later part, its first line, and what it leaves out


def plan_page(document: PlanDocument) -> str:
    """The text of the page, at most LONGEST_PLAN_PAGE bytes; it mentions the number of lines left
    out.
    """
    head = [as_markdown(plan_lead(document)), "", f"Label: {document['label']}"]
    parts = [part for part in plan_parts(document) if part.lines]
    lines = [*head]
    for position, part in enumerate(parts):
        later = RESERVED * (len(parts) - position)
        room = LONGEST_PLAN_PAGE - sum(map(line_size, lines)) - later
        lines += ["", f"## {part.title}", "", *_lines_that_fit([*_list_items(part)], room)]
    return "\n".join(lines) + "\n"


def _lines_that_fit(lines: Sequence[str], room: int) -> Iterator[str]:
    """The first lines that fit into `room` bytes, and a line on how many are left out."""
    shown = [*fitting(lines, room)]
    yield from shown
    hidden = left_out(len(lines), len(shown), "line", "lines")
    if hidden:
        yield f"- {hidden}, in plan.json"


def _list_items(part: Part) -> Iterator[str]:
    """The lines of a part as items of a list, each with the names of its hosts."""
    for line in part.lines:
        text, names = _line_as_markdown(line), counted_names([*map(as_markdown, line.hosts)])
        if names and part.begins_with_hosts:
            text = f"{names}: {text}"
        elif names:
            text = f"{text} ({names})"
        yield f"- {text} {as_markdown(line.remark)}".rstrip()


def _line_as_markdown(line: Line) -> str:
    """The words of a line as Markdown, with its acceptances."""
    text = pieces_as_markdown(line.pieces)
    if not line.acceptances:
        return text
    return f"{text} If this is meant, accept it: {code(', '.join(line.acceptances))}"

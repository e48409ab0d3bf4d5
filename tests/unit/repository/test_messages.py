# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every message of the collection that tells its reader to do something is on a page, with cause and remedy."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.support.ansible_run import REPOSITORY
from tests.support.documents import read_page, rows

SOURCES = sorted(
    path
    for folder in ("module_utils", "plugin_utils", "inventory", "action")
    for path in (REPOSITORY / "plugins" / folder).rglob("*.py")
)
PAGES = ("docs/errors.md", "docs/messages.md")
VERBS = (
    "accept|add|ask|check|choose|correct|delete|give|grant|install|keep|leave|lower|make|manage|move|name|raise|remove|"
    "review|run|set|split|use|write"
)
# An imperative begins a sentence or a part of one.
IMPERATIVE = re.compile(rf"(?:^|[.;:] |, (?:or |and )?|\bthen )(?:{VERBS}) ", re.IGNORECASE)
LEFT_OUT = "..."
PLACE = re.compile(r"\{\w+(?::[^{}]*)?\}")  # of a value in a template
SHORTEST_PIECE = 12  # characters; shorter pieces between two values tell nothing
LONG_PIECE = 20  # characters; no two messages share so many


def text_of(node: ast.AST) -> str | None:
    """The text of a literal, `...` standing for its values; None for another node."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(value) or LEFT_OUT for value in node.values)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Message":
        return "".join(text_of(part) or LEFT_OUT for part in node.args)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "worded":
        return PLACE.sub(LEFT_OUT, text_of(node.args[0]) or "")
    return None


def literals(node: ast.AST) -> Iterator[str]:
    """The texts of a file, without docstrings."""
    body = getattr(node, "body", [])
    docstring = body[0] if isinstance(body, list) and body and isinstance(body[0], ast.Expr) else None
    for child in ast.iter_child_nodes(node):
        text = text_of(child)
        if child is docstring:
            continue
        if text is not None:
            yield text
        else:
            yield from literals(child)


def messages() -> list[str]:
    """The texts that tell somebody to do something."""
    return sorted(
        {
            text
            for path in SOURCES
            for text in literals(ast.parse(path.read_text(encoding="utf-8")))
            if IMPERATIVE.search(text) and "\n" not in text and len(text) > SHORTEST_PIECE
        }
    )


def pieces(message: str) -> list[str]:
    """What a message says in any case."""
    parts = [part.strip(" .;:") for part in message.split(LEFT_OUT)]
    return [part for part in parts if len(part) >= SHORTEST_PIECE] or parts


def lists(row: str, message: str) -> bool:
    """Whether a row of a page is about a message: it shows all of the message, or leaves out parts of it."""
    told, shown = pieces(message), pieces(row)
    long = [piece for piece in told if len(piece) >= LONG_PIECE]
    return all(piece in row for piece in told) or (
        max(map(len, shown)) >= LONG_PIECE
        and all(piece in message or any(part in piece for part in long) for piece in shown)
    )


LISTED = [row[0] for page in PAGES for row in rows(read_page(REPOSITORY / page), "message")]


@pytest.mark.parametrize("message", messages())
def test_a_message_that_asks_for_something_is_on_a_page(message: str) -> None:
    assert any(lists(row, message) for row in LISTED), message


def test_no_page_lists_a_message_that_nothing_says() -> None:
    texts = [text for path in SOURCES for text in literals(ast.parse(path.read_text(encoding="utf-8")))]
    listed = [row[0] for row in rows(read_page(REPOSITORY / "docs" / "messages.md"), "message")]
    stale = [row for row in listed if not any(lists(row, text) for text in texts)]
    assert not stale

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plainest comparison that is true of the same texts.

A wildcard or a regular expression may be nothing but a text that a field equals, begins with, ends
with or contains. Only what is exactly equal is written otherwise, with regard to case and to line
breaks: `.` of a regular expression matches no line break, and a wildcard that is not strict
matches letters of either case.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Sequence

from .._text import Unread
from .grammar import Comparison, parse, text_of
from .patterns import literal_of_pattern, wildcard_pieces

FORMS = {  # by whether the field begins, and whether it ends, with the text
    (True, True): "{field} eq {text}",
    (True, False): "starts_with ( {field} , {text} )",
    (False, True): "ends_with ( {field} , {text} )",
    (False, False): "{field} contains {text}",
}


@lru_cache(maxsize=4096)
def plainest(leaf: Comparison) -> Comparison:
    """The plainest comparison that is true of the same texts as `leaf`; `leaf` itself if there is
    none, or if that is not known."""
    if len(leaf.operands) != 1 or leaf.in_braces:
        return leaf
    form = ""
    try:
        if leaf.operator == "matches":
            form = _of_regular_expression(leaf)
        elif leaf.operator in ("wildcard", "strict wildcard"):
            form = _of_wildcard(leaf)
    except (Unread, UnicodeDecodeError):
        return leaf
    tree = parse(form) if form else leaf
    return tree if isinstance(tree, Comparison) and not tree.problem else leaf


def _of_regular_expression(leaf: Comparison) -> str:
    """The plainest form of a regular expression; empty if there is none."""
    literal = literal_of_pattern(leaf.operands[0])
    if literal is None:
        return ""
    return _written(leaf, literal.text, literal.is_start, literal.is_end)


def _of_wildcard(leaf: Comparison) -> str:
    """The plainest form of a wildcard; empty if there is none. Raises Unread or
    UnicodeDecodeError."""
    pattern = text_of(leaf.operands[0])
    pieces = [piece.decode("ascii") for piece in wildcard_pieces(pattern)]
    if leaf.operator == "strict wildcard" or not any(map(str.isalpha, "".join(pieces))):
        return _of_pieces(leaf, pieces)
    return f"{leaf.field} wildcard {_quoted(pattern.decode().lower())}"


def _of_pieces(leaf: Comparison, pieces: Sequence[str]) -> str:
    texts = [piece for piece in pieces if piece]
    if len(texts) != 1 or len(pieces) > 3:
        return ""
    return _written(leaf, texts[0], bool(pieces[0]), bool(pieces[-1]))


def _written(leaf: Comparison, text: str, is_start: bool, is_end: bool) -> str:
    return FORMS[is_start, is_end].format(field=leaf.field, text=_quoted(text))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

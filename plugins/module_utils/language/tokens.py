# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The words of an expression of the Rules language, split as the vendor's engine splits them.

The vendor describes the language in "Rules language"; where the description is silent, the public engine
(github.com/cloudflare/wirefilter) decides: white space is space, CR and LF only; a raw string knows no escapes; a quote
within the brackets of a regular expression does not end it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any, NamedTuple

from ..text import excerpt, visible

MATCHES = ("matches", "~")
WHITE_SPACE = " \r\n"
WORD, TEXT, RAW, REGEX, SIGN = "word", "text", "raw", "regex", "sign"
TOKEN = re.compile(
    r"""[ \r\n]*(?:
      (?P<raw>r(?P<fence>\#*)".*?"(?P=fence))
    | (?P<word>[A-Za-z0-9_.:/$*-]+)
    | (?P<text>"(?:\\.|[^"\\])*")
    | (?P<sign>==|!=|<=|>=|&&|\|\||\^\^|[!<>~&(){}\[\],])
    )""",
    re.VERBOSE | re.DOTALL,
)
AFTER_MATCHES = re.compile(  # a quote begins a regular expression there
    r"""[ \r\n]*(?:(?P<regex>"(?:\\.|\[(?:\\.|[^\]\\])*\]|[^"\\\[])*")|(?P<raw>r(?P<fence>\#*)".*?"(?P=fence)))""",
    re.DOTALL,
)
SPACES = re.compile(r"[ \r\n]*")
QUOTE = re.compile(r'r?#*"')
HARD_TO_END = re.compile(r"[\\\[]")
LONGEST_EXCERPT = 30


class Token(NamedTuple):
    """A word of an expression, the kind of it, and where it starts (counted from 0)."""

    kind: str
    text: str
    start: int


class Unread(ValueError):
    """An expression, or a part of it, that cannot be read; `start` is where, counted from 0.

    `malformed` says that the language has no such form, so that the service refuses it. Otherwise it may have one that
    is not known here.
    """

    def __init__(self, problem: str, start: int, malformed: bool = True) -> None:
        super().__init__(problem)
        self.problem = problem
        self.start = start
        self.malformed = malformed


def tokens_of(expression: str) -> list[Token]:
    """The words of an expression; raises Unread for a text without end and for a character outside of the language."""
    tokens: list[Token] = []
    pattern, position, length = TOKEN, 0, len(expression.rstrip(WHITE_SPACE))
    while position < length:
        match = pattern.match(expression, position)
        if not match:
            raise _unread_character(expression, position)
        kind = str(match.lastgroup)
        token = Token(kind, match[kind], match.start(kind))
        tokens.append(token)
        pattern, position = AFTER_MATCHES if token.text in MATCHES else TOKEN, match.end()
    return tokens


def _unread_character(expression: str, position: int) -> Unread:
    position = SPACES.match(expression, position).end()  # type: ignore[union-attr] # it matches nothing, too
    if QUOTE.match(expression, position):
        return Unread("the text that starts there has no end", position)
    character = expression[position]
    if character.isspace():
        name = unicodedata.name(character, f"U+{ord(character):04X}") if character != "\t" else "a tab"
        return Unread(f"{name} is no white space in expressions; write a space", position)
    return Unread(f"{quoted(character)} is not expected there", position)


def normalise_expression(value: Any) -> str:
    """Equal for expressions that differ in white space outside of text only.

    Where the end of a text is hard to tell (raw strings, escapes, brackets in a text), it is the expression itself.
    """
    return _normalised("" if value is None else str(value).strip(WHITE_SPACE))


@lru_cache(maxsize=4096)
def _normalised(expression: str) -> str:
    try:
        tokens = tokens_of(expression)
    except Unread:
        return expression
    if any(token.kind == RAW or (token.text[0] == '"' and HARD_TO_END.search(token.text)) for token in tokens):
        return expression
    return " ".join([token.text for token in tokens])


def quoted(text: str) -> str:
    """A part of an expression as messages show it."""
    return f"'{excerpt(visible(text))}'"


def place_of(expression: str, start: int) -> str:
    """Where something starts, as people say it: `column 5, at 'eq 080'`; with the line, where there are several."""
    line = expression.count("\n", 0, start) + 1
    column = start - expression.rfind("\n", 0, start)
    number = f"line {line}, column {column}" if "\n" in expression else f"column {column}"
    rest = visible(" ".join(expression[start : start + LONGEST_EXCERPT + 1].split()))
    if len(rest) > LONGEST_EXCERPT:
        rest = rest[: LONGEST_EXCERPT - 3] + "..."
    return f"{number}, at '{rest}'" if rest else f"{number}, at the end"

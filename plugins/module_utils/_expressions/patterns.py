# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Regular expressions and wildcards over bytes.

The engine takes the syntax of Rust's regex without Unicode, and never goes back in a text. A
pattern is translated for Python's `re`, which does go back, if both read it alike and `re` ends
soon; any other pattern is not known.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import comb
from typing import Callable, NamedTuple

from .._text import Unread, quoted
from .grammar import PATTERN, Token, text_of

MOST_REPEATED = 1000
MOST_NESTED = 50  # within each other
MOST_TRIES = 10**8
PATTERN_ESCAPE = r"""\\(?:[dDsSwWnrtfva]|x[0-9a-fA-F]{2}|[\[\]\\.+*?()|{}^$#&~/ !"%',:;=@_`-])"""
CLASS = rf"\[\^?(?:(?!&&|--|~~|\|\|)(?:{PATTERN_ESCAPE}|[^\[\]\\\x7f-\U0010ffff]))+\]"
PATTERN_PIECE = re.compile(
    r"(?P<repeat>(?:[*+?]|\{(?P<least>[0-9]{1,4})(?P<upto>,?)(?P<most>[0-9]{0,4})\})\??)"
    r"|(?P<open>\((?:\?[is]*(?:-[is]+)?:|(?!\?)))|(?P<close>\))|(?P<either>\|)"
    r"|(?P<edge>[$^]|\\[Azb](?!\{)|\\B(?!\{))"
    rf"|(?P<one>{PATTERN_ESCAPE}|{CLASS}|[^\[\]\\*+?{{}}()|^$\x7f-\U0010ffff])"
)
FLAGS = re.compile(r"(?:\(\?[is]+\))?")
WILDCARD = re.compile(rb"\\.?|\*+|[^\\*]+", re.DOTALL)
TRANSLATED = {"$": r"\Z", r"\z": r"\Z", r"\B": r"(?!\b)"}


class PatternGroup:
    """A group, or the whole pattern, as far as it is read."""

    def __init__(self) -> None:
        self.starts = [""]  # the first piece of each alternative
        self.has_choice = False  # by repetitions, or by groups in it
        self.last: bool | None = None  # whether what a repetition would repeat is distinct

    def is_distinct(self) -> bool:
        """Return whether a text matches it in one way at most: alternatives begin with
        different letters, and there is no other choice."""
        if self.has_choice:
            return False
        if len(self.starts) == 1:
            return True
        letters: set[str] = set()
        for start in self.starts:
            if len(start) == 1 and start != ".":
                letters.add(start.lower())
        return len(letters) == len(self.starts)


class _PatternReader:
    """Reads a pattern from left to right and translates it. `ways` is the number of ways in which a
    text may match, apart from those of its `endless` repetitions, which have no upper limit."""

    def __init__(self, pattern: str) -> None:
        self.groups = [PatternGroup()]
        self.ways, self.endless = 1, 0
        position = FLAGS.match(pattern).end()  # type: ignore[union-attr] # it matches nothing, too
        self.translated = pattern[:position]
        while position < len(pattern):
            piece = PATTERN_PIECE.match(pattern, position)
            if not piece or not self._take(piece):
                raise _odd_pattern(pattern, position)
            self.translated += TRANSLATED.get(piece[0], piece[0])
            position = piece.end()
        self.ways *= len(self.groups[0].starts)
        if len(self.groups) > 1:
            raise _odd_pattern(pattern, position)

    def _take(self, piece: re.Match[str]) -> bool:
        """Read a piece, and return whether it may stand there."""
        group, kind = self.groups[-1], piece.lastgroup
        if kind == "repeat":
            return self._take_repetition(piece, group)
        group.starts[-1] = group.starts[-1] or (piece[0] if kind == "one" else str(kind))
        group.last = True if kind == "one" else None
        if kind == "open":
            self.groups.append(PatternGroup())
        elif kind == "close":
            self._close(self.groups.pop())
        elif kind == "either":
            group.starts.append("")
        return 0 < len(self.groups) <= MOST_NESTED

    def _close(self, group: PatternGroup) -> None:
        self.ways *= len(group.starts)
        if self.groups:
            self.groups[-1].last = group.is_distinct()
            self.groups[-1].has_choice |= not group.is_distinct()

    def _take_repetition(self, piece: re.Match[str], group: PatternGroup) -> bool:
        """Read a repetition, and return whether it may stand there."""
        sign = piece[0][0]
        least = int(piece["least"] or sign == "+")
        endless = sign in "*+" or (piece["upto"] and not piece["most"])
        most = MOST_REPEATED if endless else int(piece["most"] or piece["least"] or 1)
        is_known = group.last is not None and least <= most <= MOST_REPEATED
        if not is_known or (most > 1 and not group.last):
            return False
        self.endless += 1 if endless else 0
        self.ways *= 1 if endless else most - least + 1
        group.has_choice = True
        group.last = None
        return True


def _odd_pattern(pattern: str, position: int) -> Unread:
    shown = pattern[position : position + 10]
    place = f"{quoted(shown)} in the" if shown else "the end of the"
    return Unread(f"{place} regular expression {quoted(pattern)} is not understood")


@lru_cache(maxsize=4096)
def regular_expression(token: Token) -> Callable[[bytes], bool]:
    """A test for a match of the regular expression that a token is; raises Unread, and so does
    the test for a text that is too long."""
    pattern = _pattern_of(token)
    reader = _PatternReader(pattern)
    try:
        search = re.compile(reader.translated.encode()).search
    except re.error:
        raise _odd_pattern(pattern, 0) from None
    steps = reader.endless + 1  # a match may begin anywhere

    def is_match(text: bytes) -> bool:
        if reader.ways * comb(len(text) + steps, steps) > MOST_TRIES:
            raise Unread(f"the text is long for the regular expression {quoted(pattern)}")
        return bool(search(text))

    return is_match


def _pattern_of(token: Token) -> str:
    """The pattern of a token; in quotes, only a quote outside of brackets loses its backslash."""
    if token.kind != PATTERN:
        return text_of(token).decode()
    pattern, in_brackets, characters = "", False, iter(token.text[1:-1])
    for character in characters:
        if character == "\\":
            escaped = next(characters, "")
            pattern += escaped if escaped == '"' and not in_brackets else character + escaped
            continue
        if character in "[]":
            in_brackets = character == "["
        pattern += character
    return pattern


class Literal(NamedTuple):
    """A text that a field contains; at its start, at its end, or at both if it is all of it."""

    text: str
    is_start: bool
    is_end: bool


ANYTHING = ((".", "*"), (".", "*?"))  # at an open end of a pattern, where it changes nothing


def literal_of_pattern(token: Token) -> Literal | None:
    """The text that a regular expression asks for; None if it asks for anything else."""
    pattern = _pattern_of(token)
    pieces = [*PATTERN_PIECE.finditer(pattern)]
    words = tuple(piece[0] for piece in pieces)
    if "".join(words) != pattern:
        return None
    is_start, is_end = words[:1] in (("^",), (r"\A",)), words[-1:] in (("$",), (r"\z",))
    first = 1 if is_start else 2 * (words[:2] in ANYTHING)
    behind = 1 if is_end else 2 * (words[-2:] in ANYTHING)
    letters = [_letter_of(piece) for piece in pieces[first : len(pieces) - behind]]
    if not letters or not all(letters):
        return None
    return Literal("".join(letters), is_start, is_end)


def _letter_of(piece: re.Match[str]) -> str:
    """The only letter that a piece of a pattern matches; empty if there is none."""
    text = piece[0]
    if piece.lastgroup != "one" or text == "." or (text[0] == "\\" and text[1].isalnum()):
        return ""
    return text[-1] if text[0] != "[" else ""


def wildcard_pieces(pattern: bytes) -> list[bytes]:
    """The texts between the stars of a wildcard; raises Unread."""
    pieces = [b""]
    for part in WILDCARD.findall(pattern):
        if part == b"*":
            pieces.append(b"")
        elif part[:1] == b"*":
            raise Unread(f"the wildcard {quoted(repr(pattern))} has two stars in a row")
        elif part[:1] == b"\\" and part[1:] not in (b"*", b"\\"):
            raise Unread(f"an escape in the wildcard {quoted(repr(pattern))} is not known")
        else:
            pieces[-1] += part[1:] if part[:1] == b"\\" else part
    return pieces


@lru_cache(maxsize=4096)
def wildcard(pattern: bytes, strict: bool) -> Callable[[bytes], bool]:
    """A test of a whole text for a pattern in which `*` stands for any bytes; unless it is
    strict, the case of letters makes no difference. Raises Unread."""
    pieces = wildcard_pieces(pattern)
    if not strict:
        pieces = [piece.lower() for piece in pieces]
    return lambda text: _consists_of_pieces(text if strict else text.lower(), pieces)


def _consists_of_pieces(text: bytes, pieces: list[bytes]) -> bool:
    """Return whether a text is these pieces with anything between them."""
    if len(pieces) == 1:
        return text == pieces[0]
    beginning, *middle, ending = pieces
    if not text.startswith(beginning):
        return False
    position = len(beginning)
    for piece in middle:
        start = text.find(piece, position)
        if start < 0:
            return False
        position = start + len(piece)
    return len(text) - len(ending) >= position and text.endswith(ending)

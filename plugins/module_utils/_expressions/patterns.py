# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Regular expressions and wildcards as the engine reads them, over bytes.

The engine takes the syntax of Rust's regex without Unicode, which differs from Python's: `$` is the
end of the text only, and nothing backtracks. So a pattern is read here, and moves sets of positions
in the text, each a number with a bit for each position. Syntax that is not read here is not
evaluated.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Callable, NamedTuple

from .grammar import PATTERN, Token, quoted
from .operands import Unevaluated, text_of

Positions = int  # the bit n is set if a match may go on at the position n
Node = Callable[["Text", Positions], Positions]

MOST_REPEATED = 1000
BYTES = frozenset(range(256))
DIGITS = frozenset(b"0123456789")
SPACES = frozenset(b"\t\n\v\f\r ")
LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
WORD_BYTES = LETTERS | DIGITS | frozenset(b"_")
CLASSES = {
    "d": DIGITS,
    "D": BYTES - DIGITS,
    "s": SPACES,
    "S": BYTES - SPACES,
    "w": WORD_BYTES,
    "W": BYTES - WORD_BYTES,
}
CONTROLS = {"n": 10, "r": 13, "t": 9, "f": 12, "v": 11, "a": 7}
ESCAPABLE = frozenset(r"\.+*?()|[]{}^$#&-~/ !\"%',:;<=>@_`")
COUNTS = re.compile(r"\{([0-9]{1,4})(,?)([0-9]{0,4})\}", re.ASCII)
HEXADECIMAL = re.compile(r"x([0-9a-fA-F]{2})", re.ASCII)
FLAGS = re.compile(r"\(\?([is]*)(?:-([is]+))?([:)])")


class Text:
    """A text that patterns are matched with; `end` is the position behind its last byte."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.end = 1 << len(text)
        self._masks: dict[frozenset[int], Positions] = {}

    def mask(self, members: frozenset[int]) -> Positions:
        """The positions before a byte that is one of these."""
        if members not in self._masks:
            places = (1 << index for index, byte in enumerate(self.text) if byte in members)
            self._masks[members] = sum(places)
        return self._masks[members]

    def boundaries(self) -> Positions:
        """The positions between a byte of a word and another one, or none."""
        words = self.mask(WORD_BYTES)
        return words ^ (words << 1)


class Flags(NamedTuple):
    """Whether case makes no difference, and whether `.` matches a line break too."""

    ignores_case: bool = False
    dot_is_all: bool = False


def _one_of(members: frozenset[int]) -> Node:
    return lambda text, positions: (positions & text.mask(members)) << 1


def _sequence(nodes: list[Node]) -> Node:
    def go(text: Text, positions: Positions) -> Positions:
        for node in nodes:
            if not positions:
                break
            positions = node(text, positions)
        return positions

    return go


def _choice(nodes: list[Node]) -> Node:
    def go(text: Text, positions: Positions) -> Positions:
        reached = 0
        for node in nodes:
            reached |= node(text, positions)
        return reached

    return go


def _repeated(node: Node, least: int, most: int | None) -> Node:
    def go(text: Text, positions: Positions) -> Positions:
        for _number in range(least):
            positions = node(text, positions)
        reached = newest = positions
        number = least
        while newest and (most is None or number < most):
            newest = node(text, newest) & ~reached
            reached |= newest
            number += 1
        return reached

    return go


ASSERTIONS: dict[str, Node] = {
    "^": lambda text, positions: positions & 1,
    "$": lambda text, positions: positions & text.end,
    "A": lambda text, positions: positions & 1,
    "z": lambda text, positions: positions & text.end,
    "b": lambda text, positions: positions & text.boundaries(),
    "B": lambda text, positions: positions & ~text.boundaries(),
}


class _Reader:
    """Reads a pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._position = 0

    def whole(self) -> Node:
        node = self._alternatives(Flags(), 0)
        if self._position < len(self._pattern):
            raise self._odd()
        return node

    def _odd(self) -> Unevaluated:
        rest = self._pattern[self._position : self._position + 10]
        what = f"{quoted(rest)} in the" if rest else "the end of the"
        return Unevaluated(f"{what} regular expression {quoted(self._pattern)} is not understood")

    def _next(self) -> str:
        return self._pattern[self._position : self._position + 1]

    def _take(self, text: str) -> bool:
        is_next = self._pattern.startswith(text, self._position)
        self._position += len(text) if is_next else 0
        return is_next

    def _alternatives(self, flags: Flags, depth: int) -> Node:
        if depth > 50:
            raise self._odd()
        parts: list[Node] = []
        branches: list[Node] = []
        while self._next() not in ("", ")"):
            if self._take("|"):
                branches.append(_sequence(parts))
                parts = []
                continue
            switched = FLAGS.match(self._pattern, self._position)
            if switched and switched[3] == ")":
                self._position = switched.end()
                flags = _switched(flags, switched)
                continue
            parts.append(self._quantified(self._atom(flags, depth)))
        branches.append(_sequence(parts))
        return branches[0] if len(branches) == 1 else _choice(branches)

    def _quantified(self, node: Node) -> Node:
        counts = COUNTS.match(self._pattern, self._position)
        if counts:
            self._position = counts.end()
            least = int(counts[1])
            most = None if counts[2] and not counts[3] else int(counts[3] or least)
            if max(least, most or 0) > MOST_REPEATED or (most is not None and most < least):
                raise self._odd()
        elif self._next() in ("*", "+", "?") and self._next():
            sign = self._next()
            self._position += 1
            least, most = (1 if sign == "+" else 0), (1 if sign == "?" else None)
        else:
            return node
        self._take("?")  # whether few or many are tried first makes no difference to a match
        if self._next() in ("*", "+", "?", "{") and self._next():
            raise self._odd()
        return _repeated(node, least, most)

    def _atom(self, flags: Flags, depth: int) -> Node:
        character = self._next()
        if character == "(":
            return self._group(flags, depth)
        if character == "[":
            return _one_of(_cased(self._class(), flags))
        if character in "*+?{}" or ord(character) > 126:
            raise self._odd()
        self._position += 1
        if character in "^$":
            return ASSERTIONS[character]
        if character == ".":
            return _one_of(BYTES if flags.dot_is_all else BYTES - {10})
        if character != "\\":
            return _one_of(_cased(frozenset([ord(character)]), flags))
        escaped = self._next()
        if escaped in ("A", "z", "b", "B") and escaped:
            self._position += 1
            if self._next() == "{":
                raise self._odd()
            return ASSERTIONS[escaped]
        return _one_of(_cased(self._escape(), flags))

    def _group(self, flags: Flags, depth: int) -> Node:
        head = FLAGS.match(self._pattern, self._position)
        if head:
            self._position = head.end()
            flags = _switched(flags, head)
        elif self._pattern.startswith("(?", self._position):
            raise self._odd()
        else:
            self._position += 1
        node = self._alternatives(flags, depth + 1)
        if not self._take(")"):
            raise self._odd()
        return node

    def _escape(self) -> frozenset[int]:
        """What stands behind a backslash: the bytes that it matches."""
        character = self._next()
        hexadecimal = HEXADECIMAL.match(self._pattern, self._position)
        if hexadecimal:
            self._position = hexadecimal.end()
            return frozenset([int(hexadecimal[1], 16)])
        known = {**CLASSES, **{name: frozenset([byte]) for name, byte in CONTROLS.items()}}
        if character in known:
            self._position += 1
            return known[character]
        if character not in ESCAPABLE or character in ("<", ">"):
            raise self._odd()
        self._position += 1
        return frozenset([ord(character)])

    def _class(self) -> frozenset[int]:
        self._position += 1
        negated = self._take("^")
        members: set[int] = set()
        empty = True
        while empty or self._next() != "]":
            if self._next() in ("", "]", "[") or self._is_set_operator():
                raise self._odd()
            empty = False
            first = self._member()
            if (
                self._next() == "-"
                and self._pattern[self._position + 1 : self._position + 2] != "]"
            ):
                self._position += 1
                first = self._range_to(first)
            members |= first
        self._position += 1
        return BYTES - members if negated else frozenset(members)

    def _is_set_operator(self) -> bool:
        return self._pattern[self._position : self._position + 2] in ("&&", "--", "~~")

    def _member(self) -> frozenset[int]:
        if self._take("\\"):
            return self._escape()
        character = self._next()
        if not character or ord(character) > 126:
            raise self._odd()
        self._position += 1
        return frozenset([ord(character)])

    def _range_to(self, first: frozenset[int]) -> frozenset[int]:
        if self._next() in ("", "[", "-"):
            raise self._odd()
        last = self._member()
        if len(first) != 1 or len(last) != 1 or min(first) > min(last):
            raise self._odd()
        return frozenset(range(min(first), min(last) + 1))


def _switched(flags: Flags, match: re.Match[str]) -> Flags:
    on, off = match[1], match[2] or ""
    return Flags(
        (flags.ignores_case or "i" in on) and "i" not in off,
        (flags.dot_is_all or "s" in on) and "s" not in off,
    )


def _cased(members: frozenset[int], flags: Flags) -> frozenset[int]:
    if not flags.ignores_case:
        return members
    return members | frozenset(byte ^ 32 for byte in members & LETTERS)


@lru_cache(maxsize=4096)
def regular_expression(token: Token) -> Callable[[bytes], bool]:
    """Whether a text holds a match of the regular expression that a token is; raises
    Unevaluated."""
    node = _Reader(_pattern_of(token)).whole()

    def is_match(value: bytes) -> bool:
        text = Text(value)
        return bool(node(text, (text.end << 1) - 1))

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


@lru_cache(maxsize=4096)
def wildcard(pattern: bytes, strict: bool) -> Callable[[bytes], bool]:
    """Whether a whole text matches a pattern in which `*` stands for any bytes; unless it is
    strict, the case of letters makes no difference. Raises Unevaluated."""
    pieces, index = [b""], 0
    while index < len(pattern):
        byte = pattern[index : index + 1]
        index += 1
        if byte == b"\\":
            byte = pattern[index : index + 1]
            index += 1
            if byte not in (b"*", b"\\"):
                raise Unevaluated(f"an escape in the wildcard {quoted(repr(pattern))} is not known")
        elif byte == b"*":
            if pattern[index : index + 1] == b"*":
                raise Unevaluated(f"the wildcard {quoted(repr(pattern))} has two stars in a row")
            pieces.append(b"")
            continue
        pieces[-1] += byte
    if not strict:
        pieces = [piece.lower() for piece in pieces]
    return lambda text: _fits(text if strict else text.lower(), pieces)


def _fits(text: bytes, pieces: list[bytes]) -> bool:
    """Whether a text is these pieces with anything between them."""
    if len(pieces) == 1:
        return text == pieces[0]
    first, *middle, last = pieces
    if not text.startswith(first):
        return False
    position = len(first)
    for piece in middle:
        start = text.find(piece, position)
        if start < 0:
            return False
        position = start + len(piece)
    return len(text) - len(last) >= position and text.endswith(last)

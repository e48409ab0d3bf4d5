# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which destinations a filter's expression matches: for all of their traffic, or for some of it.

Filters know the fields ip.src, ip.dst, tcp.srcport and tcp.dstport, and no functions (facts.md, section 2). Conditions
on anything but the destination are taken as met by some traffic and not by other; this errs on the side of `sometimes`.
"""

from __future__ import annotations

import re
from typing import Callable, Iterator, Mapping, NamedTuple

from ..text import excerpt
from .address_set import EVERYTHING, IPV6, Ranges, complement, intersection, range_of, union

TOKEN = re.compile(r"\s*(?:(\(|\)|\{|\}|==|!=|<=|>=|<|>|&&|\|\||\^\^|!)|([\w.:/$]+)|(\S))")
SYNONYMS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "&&": "and", "||": "or", "^^": "xor"}
SYNONYMS["!"] = "not"
HIGHEST_PORT = 65535
MAX_DIGITS = 40  # of a range of ports, leading zeros included; Python refuses to read thousands of digits
END = ""


class Undecided(ValueError):
    """The expression is not of the documented form; the text says why."""


class Matches(NamedTuple):
    """The destinations all of whose traffic matches, and those some of whose traffic may match."""

    always: Ranges
    sometimes: Ranges


ALL = Matches(EVERYTHING, EVERYTHING)
NOTHING = Matches([], [])


def negated(one: Matches) -> Matches:
    """not"""
    return Matches(complement(one.sometimes), complement(one.always))


def either(one: Matches, other: Matches) -> Matches:
    """or"""
    return Matches(union(one.always + other.always), union(one.sometimes + other.sometimes))


def both(one: Matches, other: Matches) -> Matches:
    """and"""
    return Matches(intersection(one.always, other.always), intersection(one.sometimes, other.sometimes))


def exclusive(one: Matches, other: Matches) -> Matches:
    """xor"""
    return either(both(one, negated(other)), both(negated(one), other))


def matched(expression: str) -> Matches:
    """The destinations that an expression matches; raises Undecided."""
    tokens = _Tokens(expression)
    try:
        matches = _binary(tokens, list(LOOSEST_FIRST))
    except RecursionError as exc:
        raise Undecided("it is nested too deeply") from exc
    if tokens.next != END:
        raise Undecided(f"'{tokens.next}' is not expected there")
    return matches


class _Tokens:
    """The words of an expression, the next one in sight."""

    def __init__(self, expression: str) -> None:
        self._words = self._read(expression)
        self.next = next(self._words, END)

    @staticmethod
    def _read(expression: str) -> Iterator[str]:
        for sign, word, odd in TOKEN.findall(expression):
            if odd:
                raise Undecided(f"'{odd}' is not expected there")
            yield SYNONYMS.get(sign, sign) or word

    def take(self, wanted: str | None = None) -> str:
        """The next word, which must be the wanted one."""
        word = self.next
        if word == END or wanted not in (None, word):
            raise Undecided("it ends too early" if word == END else f"'{word}' stands where '{wanted}' is expected")
        self.next = next(self._words, END)
        return word


LOOSEST_FIRST: Mapping[str, Callable[[Matches, Matches], Matches]] = {"or": either, "xor": exclusive, "and": both}


def _binary(tokens: _Tokens, operators: list[str]) -> Matches:
    if not operators:
        return _unary(tokens)
    operator, *tighter = operators
    matches = _binary(tokens, tighter)
    while tokens.next == operator:
        tokens.take()
        matches = LOOSEST_FIRST[operator](matches, _binary(tokens, tighter))
    return matches


def _unary(tokens: _Tokens) -> Matches:
    word = tokens.take()
    if word == "not":
        return negated(_unary(tokens))
    if word == "(":
        matches = _binary(tokens, list(LOOSEST_FIRST))
        tokens.take(")")
        return matches
    if word in ("true", "false"):
        return ALL if word == "true" else NOTHING
    if word not in FIELDS:
        raise Undecided(f"'{word}' is no field that filters know")
    return FIELDS[word](tokens.take(), _operands(tokens))


def _operands(tokens: _Tokens) -> list[str]:
    """The members of a set in braces, or the one value."""
    if tokens.next != "{":
        return [tokens.take()]
    tokens.take()
    members = []
    while tokens.next != "}":
        members.append(tokens.take())
    tokens.take()
    return members


def _addresses(operator: str, operands: list[str]) -> Ranges:
    if operator not in ("eq", "ne", "in"):
        raise Undecided(f"'{operator}' does not go with addresses")
    found = []
    for text in operands:
        first, dots, last = text.partition("..")
        start, end = range_of(first), range_of(last if dots else first)
        if start is None or end is None or (dots and "/" in text):
            raise Undecided(f"'{text}' is no network")
        if (start[0] >= IPV6) != (end[0] >= IPV6) or end[1] < start[0]:
            raise Undecided(f"'{text}' is no range of addresses")
        found.append((start[0], end[1]))
    return union(found)


def _destination(operator: str, operands: list[str]) -> Matches:
    held = _addresses(operator, operands)
    matches = Matches(held, held)
    return negated(matches) if operator == "ne" else matches


def _source(operator: str, operands: list[str]) -> Matches:
    """A packet's source and destination are of one family, so that another family's destinations cannot match."""
    held = _addresses(operator, operands)
    whole = [family for family in EVERYTHING if intersection([family], held)]
    matches = Matches([family for family in whole if intersection([family], held) == [family]], whole)
    return negated(matches) if operator == "ne" else matches


def _port(operator: str, operands: list[str]) -> Matches:
    held = union(_ports(operator, text) for text in operands)
    if operator == "ne":
        held = complement(held)
    held = intersection(held, [(0, HIGHEST_PORT)])
    if held == [(0, HIGHEST_PORT)]:
        return ALL
    return Matches([], EVERYTHING) if held else NOTHING


def _ports(operator: str, text: str) -> tuple[int, int]:
    first, dots, last = text.partition("..")
    last = last if dots else first
    if not (first.isdecimal() and last.isdecimal() and len(first + last) <= MAX_DIGITS and int(first) <= int(last)):
        raise Undecided(f"'{excerpt(text)}' is no port")
    ranges = {
        "eq": (int(first), int(last)),
        "ne": (int(first), int(last)),
        "in": (int(first), int(last)),
        "lt": (-1, int(first) - 1),
        "le": (-1, int(first)),
        "gt": (int(first) + 1, HIGHEST_PORT + 1),
        "ge": (int(first), HIGHEST_PORT + 1),
    }
    if operator not in ranges:
        raise Undecided(f"'{operator}' does not go with ports")
    return ranges[operator]


FIELDS: Mapping[str, Callable[[str, list[str]], Matches]] = {
    "ip.src": _source,
    "ip.dst": _destination,
    "tcp.srcport": _port,
    "tcp.dstport": _port,
}

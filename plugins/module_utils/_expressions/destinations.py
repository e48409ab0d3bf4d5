# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which destinations a filter's expression matches: for all of their traffic, or for some of it.

Filters know the fields ip.src, ip.dst, tcp.srcport and tcp.dstport, and no functions ("JSON
objects" in the vendor's documentation). Conditions on anything but the destination are taken as met
by some traffic and not by other; this errs on the side of `sometimes`.
"""

from __future__ import annotations

from typing import Callable, Mapping, NamedTuple

from .._values.address_set import EVERYTHING, IPV6, Range, Ranges, complement, intersection, union
from .fields import AddressRange, address_ranges, number_ranges, unknown_leaf
from .grammar import (
    Combination,
    Comparison,
    Constant,
    Negation,
    Tree,
    Unknown,
    Unread,
    parse,
    place_of,
)

HIGHEST_PORT = 65535
PORTS: Ranges = [(0, HIGHEST_PORT)]


class Undecided(ValueError):
    """The expression is not of the documented form; the text says why."""


class Matches(NamedTuple):
    """The destinations all of whose traffic matches, and those some of whose traffic may match."""

    always: Ranges
    sometimes: Ranges


ALL = Matches(EVERYTHING, EVERYTHING)
NOTHING = Matches([], [])
SOME = Matches([], EVERYTHING)


def negated(one: Matches) -> Matches:
    """not"""
    return Matches(complement(one.sometimes), complement(one.always))


def either(one: Matches, other: Matches) -> Matches:
    """or"""
    return Matches(union(one.always + other.always), union(one.sometimes + other.sometimes))


def both(one: Matches, other: Matches) -> Matches:
    """and"""
    return Matches(
        intersection(one.always, other.always), intersection(one.sometimes, other.sometimes)
    )


def exclusive(one: Matches, other: Matches) -> Matches:
    """xor"""
    return either(both(one, negated(other)), both(negated(one), other))


COMBINED: Mapping[str, Callable[[Matches, Matches], Matches]] = {
    "or": either,
    "xor": exclusive,
    "and": both,
}


def matched(expression: str) -> Matches:
    """The destinations that an expression matches; raises Undecided."""
    try:
        return _matches(parse(expression))
    except Unread as exc:
        raise Undecided(f"{exc.problem} ({place_of(expression, exc.start)})") from exc


def _matches(tree: Tree) -> Matches:
    if isinstance(tree, Negation):
        return negated(_matches(tree.part))
    if isinstance(tree, Combination):
        matches = _matches(tree.parts[0])
        for part in tree.parts[1:]:
            matches = COMBINED[tree.operator](matches, _matches(part))
        return matches
    if isinstance(tree, Constant):
        return ALL if tree.value else NOTHING
    if isinstance(tree, Unknown) or tree.field not in FIELDS:
        raise unknown_leaf(tree)
    return FIELDS[tree.field](tree)


def _destination(comparison: Comparison) -> Matches:
    addresses = addresses_of(comparison)
    return Matches(addresses, addresses)


def _source(comparison: Comparison) -> Matches:
    """A packet's source and destination are of one family, so that another family's destinations
    cannot match."""
    addresses = addresses_of(comparison)
    families = [family for family in EVERYTHING if intersection([family], addresses)]
    return Matches(
        [family for family in families if intersection([family], addresses) == [family]], families
    )


def _port(comparison: Comparison) -> Matches:
    numbers = intersection(numbers_of(comparison, 0, HIGHEST_PORT), PORTS)
    return ALL if numbers == PORTS else SOME if numbers else NOTHING


def addresses_of(comparison: Comparison) -> Ranges:
    """The addresses that meet a comparison; raises Unread."""
    addresses = union(map(_range, address_ranges(comparison)))
    return complement(addresses) if comparison.operator == "ne" else addresses


def _range(addresses: AddressRange) -> Range:
    version, first, last = addresses
    offset = IPV6 if version == 6 else 0
    return offset + first, offset + last


def numbers_of(comparison: Comparison, lowest: int, highest: int) -> Ranges:
    """The whole numbers from `lowest` to `highest` that meet a comparison; raises Unread."""
    ranges = number_ranges(comparison)
    first, last = ranges[0] if ranges else (highest, lowest)
    bounds: Mapping[str, Ranges] = {
        "ne": [(lowest, first - 1), (last + 1, highest)],
        "lt": [(lowest, first - 1)],
        "le": [(lowest, first)],
        "gt": [(first + 1, highest)],
        "ge": [(first, highest)],
    }
    clipped = [
        (max(low, lowest), min(high, highest))
        for low, high in bounds.get(comparison.operator, ranges)
    ]
    return union(item for item in clipped if item[0] <= item[1])


FIELDS: Mapping[str, Callable[[Comparison], Matches]] = {
    "ip.src": _source,
    "ip.dst": _destination,
    "tcp.srcport": _port,
    "tcp.dstport": _port,
}

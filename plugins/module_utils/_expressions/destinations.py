# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which destinations a filter's expression matches: for all of their traffic, or for some of it.

A condition on anything but the destination is taken as met by some traffic and not by other; this
errs on the side of `sometimes`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Callable, Mapping, NamedTuple

from .._values.address_set import EVERYTHING, Ranges, complement, intersection, union
from .fields import FIELDS, FilterField, unknown_leaf
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


@lru_cache(maxsize=4096)
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
    return _destinations(FIELDS[tree.field], tree)


def _destinations(field: FilterField, comparison: Comparison) -> Matches:
    """The destinations of packets that meet a comparison; of those of a part of the field's values
    all, if the whole part meets it."""
    values = field.values_of(comparison)
    if not field.parts:
        return Matches(values, values)
    always: Ranges = []
    sometimes: Ranges = []
    for part, destinations in field.parts:
        common = intersection([part], values)
        sometimes += destinations if common else []
        always += destinations if common == [part] else []
    return Matches(union(always), union(sometimes))

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether an expression matches every request or packet, where that can be proven.

Each comparison is true for some values of its field. The proof tries all values that make a
difference, one field after the other, and looks for a request that does not match. What is not
known of a comparison may be true or false, so it proves nothing by itself; but `x or not x` is
proven whatever x is.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Callable, Hashable, List, Mapping, NamedTuple, Union

from .._values.address_set import EVERYTHING, Ranges, complement, intersection, union
from .comparisons import number_ranges, numbers_of
from .fields import FIELDS, FilterField, unknown_leaf
from .grammar import (
    HARD_TO_END,
    QUOTED,
    Combination,
    Comparison,
    Constant,
    Negation,
    Tree,
    Unknown,
    Unread,
    leaves,
    parse,
    place_of,
)

MOST_STEPS = 1000  # an expression that takes more is not proven
OTHER = ""  # a text that no comparison names: texts have quotes around them
MISSING = "missing"  # a number that a request does not have; only `ne` is true for it
LEAST, GREATEST = -1, 10**18  # the lowest stands for every negative number


class Condition(NamedTuple):
    """A comparison: the variable that decides it, and for which of its values it is true."""

    variable: Hashable
    true_for: frozenset[Hashable]


class Node(NamedTuple):
    """not, and, or or xor of conditions."""

    operator: str
    parts: tuple[Formula, ...]


Formula = Union[bool, Condition, Node]
Decisive = Mapping[Hashable, List[Hashable]]  # by variable, the values that make a difference


def matches_every_request(expression: str) -> bool:
    """Whether every request of a zone, or every packet, is proven to match; False where nothing is
    proven."""
    try:
        tree = parse(expression)
    except Unread:
        return False
    comparisons = [leaf for leaf in leaves(tree) if isinstance(leaf, Comparison)]
    if any(isinstance(leaf, Unknown) for leaf in leaves(tree)):
        return False
    values = _values(comparisons)
    return _is_proven(_formula(tree, values), values)


def _is_proven(formula: Formula, values: Decisive) -> bool:
    """Whether a formula is true for all values of all of its variables."""
    pending: list[Formula] = [formula]
    seen: set[Formula] = set()
    while pending:
        formula = pending.pop()
        if formula is False or len(seen) > MOST_STEPS:
            return False
        if formula is True or formula in seen:
            continue
        seen.add(formula)
        variable = _first_condition(formula).variable
        conditions = {item for item in _conditions(formula) if item.variable == variable}
        distinct = {
            tuple(value in item.true_for for item in conditions): value
            for value in values[variable]
        }
        pending.extend(_assign(formula, variable, value) for value in distinct.values())
    return True


def _conditions(formula: Formula) -> list[Condition]:
    if isinstance(formula, Condition):
        return [formula]
    return (
        [item for part in formula.parts for item in _conditions(part)]
        if isinstance(formula, Node)
        else []
    )


def _first_condition(formula: Formula) -> Condition:
    """A condition of a formula that is no constant."""
    while isinstance(formula, Node):
        formula = formula.parts[0]
    if isinstance(formula, Condition):
        return formula
    raise TypeError("a constant has no condition")


def _assign(formula: Formula, variable: Hashable, value: Hashable) -> Formula:
    """The formula where a variable has a value."""
    if isinstance(formula, Condition):
        return value in formula.true_for if formula.variable == variable else formula
    if isinstance(formula, Node):
        return _simplified(
            formula.operator, [_assign(part, variable, value) for part in formula.parts]
        )
    return formula


def _simplified(operator: str, parts: list[Formula]) -> Formula:
    """A node without constants among its parts."""
    kept = [part for part in parts if not isinstance(part, bool)]
    constants = [part for part in parts if isinstance(part, bool)]
    if operator in ("and", "or"):
        decisive = operator == "or"
        if decisive in constants:
            return decisive
        return Node(operator, tuple(kept)) if len(kept) > 1 else kept[0] if kept else not decisive
    odd = sum([*constants, operator == "not"]) % 2 == 1  # not x is x xor true
    if not kept:
        return odd
    node = Node("xor", tuple(kept)) if len(kept) > 1 else kept[0]
    return Node("not", (node,)) if odd else node


def _formula(tree: Tree, values: Decisive) -> Formula:
    if isinstance(tree, Constant):
        return tree.value
    if isinstance(tree, Negation):
        return _simplified("not", [_formula(tree.part, values)])
    if isinstance(tree, Combination):
        return _simplified(tree.operator, [_formula(part, values) for part in tree.parts])
    if not isinstance(tree, Comparison):
        raise TypeError(f"{type(tree).__name__} proves nothing")
    kind, variable = _variable(tree)
    return Condition(variable, kind.true_for(tree, values[variable]))


def _values(comparisons: list[Comparison]) -> Decisive:
    values: dict[Hashable, dict[Hashable, None]] = {}
    for comparison in comparisons:
        kind, variable = _variable(comparison)
        values.setdefault(variable, {}).update(dict.fromkeys(kind.values(comparison)))
    return {variable: list(items) for variable, items in values.items()}


class Kind(NamedTuple):
    """A kind of comparison: the values that make a difference to it, and those of a list for which
    it is true."""

    values: Callable[[Comparison], list[Any]]
    true_for: Callable[[Comparison, list[Any]], frozenset[Hashable]]


def _variable(comparison: Comparison) -> tuple[Kind, Hashable]:
    """The kind of a comparison and what decides it: its field, or the comparison itself where no
    more is known."""
    field = comparison.field
    try:
        if field in FIELDS:
            FIELDS[field].values_of(comparison)
            return RANGES[field], (field, "range")
        if comparison.plain and comparison.operator:
            if comparison.operator in ("eq", "ne", "in") and all(
                map(_is_simple_text, comparison.operands)
            ):
                return WORDS, (field, "text")
            number_ranges(comparison)
            return NUMBERS, (field, "number")
    except Unread:
        pass  # it is decided by itself
    words = tuple(token.text for token in comparison.operands)
    return ITSELF, (field, comparison.operator, comparison.in_braces, words)


def _is_simple_text(token: Any) -> bool:
    """Whether two such texts are the same only where they are written alike."""
    return token.kind == QUOTED and not HARD_TO_END.search(token.text)


def _starts(ranges: Ranges, everything: Ranges) -> list[int]:
    """The first number of each part into which the ranges cut everything."""
    edges = [edge for first, last in ranges for edge in (first, last + 1)] + [
        first for first, last in everything
    ]
    return [edge for edge in edges if any(first <= edge <= last for first, last in everything)]


def _among(ranges: Ranges, values: list[Any]) -> frozenset[Hashable]:
    return frozenset(
        value for value in values if value != MISSING and intersection(ranges, [(value, value)])
    )


def _text_values(comparison: Comparison) -> list[str]:
    return [OTHER, *(token.text for token in comparison.operands)]


def _texts(comparison: Comparison, values: list[str]) -> frozenset[Hashable]:
    named = {token.text for token in comparison.operands}
    return frozenset(value for value in values if (value in named) is (comparison.operator != "ne"))


def _numbers(comparison: Comparison, values: list[Any]) -> frozenset[Hashable]:
    missing = frozenset([MISSING] if comparison.operator == "ne" else [])
    return _among(numbers_of(comparison, LEAST, GREATEST), values) | missing


def _ranges_of(field: FilterField) -> Kind:
    """The kind of the comparisons of a field whose values are ranges."""

    def starts(comparison: Comparison) -> list[Any]:
        return _starts(field.values_of(comparison), field.everything)

    def true_for(comparison: Comparison, values: list[Any]) -> frozenset[Hashable]:
        return _among(field.values_of(comparison), values)

    return Kind(starts, true_for)


RANGES = {name: _ranges_of(field) for name, field in FIELDS.items()}
NUMBERS = Kind(
    lambda comparison: [
        MISSING,
        *_starts(numbers_of(comparison, LEAST, GREATEST), [(LEAST, GREATEST)]),
    ],
    _numbers,
)
WORDS = Kind(_text_values, _texts)
ITSELF = Kind(lambda comparison: [False, True], lambda comparison, values: frozenset([True]))


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

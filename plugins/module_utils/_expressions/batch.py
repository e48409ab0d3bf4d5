# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which of many requests may match an expression, fast.

A comparison is decided once for all requests that have the same values in its fields. A set of
requests is a number with a bit for each of them.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence, Tuple

from .evaluation import leaf_decider
from .grammar import (
    WORD,
    Combination,
    Comparison,
    Constant,
    Negation,
    Tree,
    Unknown,
    Unread,
    parse,
    tokens_of,
)
from .literals import Value
from .operands import Fields
from .truth import NotKnown

Requests = int
Names = Tuple[str, ...]


class Split(NamedTuple):
    """Of some requests: those that match, and those of which that is not known."""

    matching: Requests
    open: Requests


class Group(NamedTuple):
    """Requests with the same values in some fields, and the fields of one of them."""

    fields: Fields
    members: Requests


class Batch:
    """Requests that meet the same expressions."""

    def __init__(self, requests: Sequence[Fields]) -> None:
        self._requests = requests
        self._all = (1 << len(requests)) - 1
        self._groups: dict[Names, list[Group]] = {}
        self._possible: dict[str, Requests] = {}

    def possible(self, expression: str) -> Requests:
        """The requests that match an expression, or may do so."""
        if expression not in self._possible:
            self._possible[expression] = self._possible_of(expression)
        return self._possible[expression]

    def _possible_of(self, expression: str) -> Requests:
        try:
            split = self._split(parse(expression), self._all)
        except Unread:
            return self._all
        return split.matching | split.open

    def _split(self, tree: Tree, concerned: Requests) -> Split:
        if isinstance(tree, Constant):
            return Split(concerned if tree.value else 0, 0)
        if isinstance(tree, Negation):
            part = self._split(tree.part, concerned)
            return Split(concerned & ~(part.matching | part.open), part.open)
        if isinstance(tree, Combination):
            return self._combined(tree, concerned)
        return self._decided(tree, concerned)

    def _combined(self, tree: Combination, concerned: Requests) -> Split:
        if tree.operator == "xor":
            odd = unknown = 0
            for part in tree.parts:
                split = self._split(part, concerned)
                odd, unknown = odd ^ split.matching, unknown | split.open
            return Split(odd & ~unknown, unknown)
        parts = sorted(tree.parts, key=self._cost)
        return (
            self._either(parts, concerned)
            if tree.operator == "or"
            else self._both(parts, concerned)
        )

    def _both(self, parts: Sequence[Tree], concerned: Requests) -> Split:
        matching, unknown = concerned, 0
        for part in parts:
            left = matching | unknown
            if not left:
                break
            split = self._split(part, left)
            unknown = (unknown | split.open) & (split.matching | split.open)
            matching &= split.matching
        return Split(matching, unknown)

    def _either(self, parts: Sequence[Tree], concerned: Requests) -> Split:
        matching = unknown = 0
        for part in parts:
            split = self._split(part, concerned & ~matching)
            matching |= split.matching
            unknown = (unknown | split.open) & ~matching
        return Split(matching, unknown)

    def _decided(self, leaf: Comparison | Unknown, concerned: Requests) -> Split:
        decide = leaf_decider(leaf)
        matching = unknown = 0
        for group in self._groups_by(_names(leaf)):
            if group.members & concerned:
                truth = decide(group.fields)
                if isinstance(truth, NotKnown):
                    unknown |= group.members
                elif truth:
                    matching |= group.members
        return Split(matching & concerned, unknown & concerned)

    def _groups_by(self, names: Names) -> Sequence[Group]:
        """The requests by their values of some fields."""
        if names not in self._groups:
            groups: dict[str, Group] = {}
            for index, fields in enumerate(self._requests):
                values = [_shown(fields.values.get(name)) for name in names]
                group = groups.get(repr(values), Group(fields, 0))
                groups[repr(values)] = Group(group.fields, group.members | 1 << index)
            self._groups[names] = list(groups.values())
        return self._groups[names]

    def _cost(self, tree: Tree) -> int:
        """About how many decisions a part takes."""
        if isinstance(tree, (Comparison, Unknown)):
            return len(self._groups_by(_names(tree)))
        if isinstance(tree, Negation):
            return self._cost(tree.part)
        return sum(map(self._cost, tree.parts)) if isinstance(tree, Combination) else 0


def _shown(value: Value) -> str:
    """Equal for equal values only."""
    return f"{type(value).__name__} {value!r}"


def _names(leaf: Comparison | Unknown) -> Names:
    """The fields of a comparison, and other words of its left side."""
    if isinstance(leaf, Comparison) and leaf.plain:
        return (leaf.field,)
    return tuple(token.text for token in tokens_of(leaf.field) if token.kind == WORD)

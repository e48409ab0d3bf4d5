# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The evaluation of expressions for many requests at once: those for which the left side of a
comparison has equal values are tested together."""

from __future__ import annotations

from typing import Iterator, NamedTuple, Sequence

from .._text import Unread
from .evaluation import ADDRESS_KINDS, halves
from .expression import Expression
from .grammar import Combination, Comparison, Constant, Negation, NotKnown, Tree
from .operands import Fields, FieldValue

Requests = int  # a bit for each request, by its place in a batch
HASHABLE = (bytes, int, bool, *ADDRESS_KINDS)  # equal values of one of these types are alike


class Matching(NamedTuple):
    """The requests that match something for certain, and those that match or may do so."""

    certain: Requests
    possible: Requests


NO_MATCHES = Matching(0, 0)


class SameValue(NamedTuple):
    """The requests, by their places in a batch, for which the left side of a comparison has the
    same value, or is not known."""

    value: FieldValue
    fields: Fields
    places: list[int]


class Sides(NamedTuple):
    """The groups of a batch by the left side of a comparison, and the group at each place."""

    groups: Sequence[SameValue]
    group_at: Sequence[SameValue]


class Batch:
    """Requests for which expressions are evaluated; those with equal values of the left side of a
    comparison are tested at once."""

    def __init__(self, requests: Sequence[Fields]) -> None:
        self.requests = requests
        self._all = (1 << len(requests)) - 1
        self._sides: dict[str, Sides] = {}
        self._matching: dict[str, Matching] = {}  # by the text, which is compared faster

    def matching(self, expression: Expression) -> Matching:
        """The requests that match an expression."""
        text = expression.text
        if text not in self._matching:
            if expression.problem:
                self._matching[text] = Matching(0, self._all)
            else:
                self._matching[text] = self._among(expression.tree, self._all)
        return self._matching[text]

    @staticmethod
    def places(requests: Requests) -> Iterator[int]:
        """The places of requests in their batch."""
        digits = bin(requests)[:1:-1]
        place = digits.find("1")
        while place >= 0:
            yield place
            place = digits.find("1", place + 1)

    def _among(self, tree: Tree, candidates: Requests) -> Matching:
        """The candidates that match a tree."""
        if isinstance(tree, Constant):
            return Matching(candidates, candidates) if tree.value else NO_MATCHES
        if isinstance(tree, Negation):
            negated = self._among(tree.part, candidates)
            return Matching(candidates & ~negated.possible, candidates & ~negated.certain)
        if not isinstance(tree, Combination):
            return self._compared(tree, candidates)
        parts = sorted(tree.parts, key=self._cost)
        if tree.operator == "and":
            return self._all_of(parts, candidates)
        if tree.operator == "or":
            return self._any_of(parts, candidates)
        return self._odd_of(parts, candidates)

    def _all_of(self, parts: Sequence[Tree], candidates: Requests) -> Matching:
        """The candidates that match all parts. Each part is evaluated only for those that may match
        the parts before it."""
        certain = possible = candidates
        for part in parts:
            matching = self._among(part, possible)
            certain &= matching.certain
            possible = matching.possible
        return Matching(certain, possible)

    def _any_of(self, parts: Sequence[Tree], candidates: Requests) -> Matching:
        """The candidates that match at least one part. Each part is evaluated only for those that
        no part before it matches for certain."""
        certain = possible = 0
        for part in parts:
            matching = self._among(part, candidates & ~certain)
            certain |= matching.certain
            possible |= matching.possible
        return Matching(certain, possible)

    def _odd_of(self, parts: Sequence[Tree], candidates: Requests) -> Matching:
        """The candidates that match an odd number of parts."""
        certain = possible = 0
        for part in parts:
            matching = self._among(part, candidates)
            was_certain, was_possible = certain, possible
            certain = was_certain & ~matching.possible | matching.certain & ~was_possible
            possible = was_possible & ~matching.certain | matching.possible & ~was_certain
        return Matching(certain, possible)

    def _compared(self, comparison: Comparison, candidates: Requests) -> Matching:
        """The candidates that meet a comparison."""
        sides = self._sides_of(comparison)
        if not candidates:
            return NO_MATCHES
        groups = sides.groups
        if candidates != self._all:
            candidate_groups = [sides.group_at[place] for place in self.places(candidates)]
            groups = list({id(group): group for group in candidate_groups}.values())
        test = halves(comparison).test
        matching: list[int] = []
        not_known: list[int] = []
        for group in groups:
            if isinstance(group.value, NotKnown):
                not_known += group.places
                continue
            try:
                if test(group.value, group.fields):
                    matching += group.places
            except Unread:
                not_known += group.places
        certain = self._bits(matching) & candidates
        possible = self._bits(not_known) & candidates
        return Matching(certain, certain | possible)

    def _bits(self, places: Sequence[int]) -> Requests:
        """The requests at these places."""
        if not places:
            return 0
        digits = bytearray(b"0") * len(self.requests)
        highest = len(self.requests) - 1
        for place in places:
            digits[highest - place] = ONE
        return int(digits, 2)

    def _sides_of(self, comparison: Comparison) -> Sides:
        """The groups of all requests by the left side of a comparison."""
        left_side, evaluate, _test_of_value = halves(comparison)
        if left_side not in self._sides:
            groups: dict[object, SameValue] = {}
            group_at = []
            for place, fields in enumerate(self.requests):
                value: FieldValue
                try:
                    value = evaluate(fields)
                except Unread as exc:
                    value = NotKnown(exc.reasons)
                identity = value if type(value) in HASHABLE else repr(value)
                group = groups.setdefault((type(value), identity), SameValue(value, fields, []))
                group.places.append(place)
                group_at.append(group)
            self._sides[left_side] = Sides(list(groups.values()), group_at)
        return self._sides[left_side]

    def _cost(self, tree: Tree) -> int:
        """The approximate number of tests that the evaluation of a part takes."""
        if isinstance(tree, Comparison):
            return len(self._sides_of(tree).groups)
        if isinstance(tree, Negation):
            return self._cost(tree.part)
        if isinstance(tree, Combination):
            return sum(map(self._cost, tree.parts))
        return 0


ONE = ord("1")

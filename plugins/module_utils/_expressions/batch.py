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

Requests = int  # a bit for each request
HASHABLE = (bytes, int, bool, *ADDRESS_KINDS)  # equal values of one of these types are alike


class SameValue(NamedTuple):
    """Requests, by their places in a batch, for which the left side of a comparison has a value, or
    is not known."""

    value: FieldValue
    fields: Fields
    members: list[int]


class Batch:
    """Requests that meet the same expressions, those with equal values of a left side at once."""

    def __init__(self, requests: Sequence[Fields]) -> None:
        self.requests = requests
        self._all = (1 << len(requests)) - 1
        self._groups: dict[str, tuple[Sequence[SameValue], Sequence[SameValue]]] = {}
        self._matching: dict[Expression, tuple[Requests, Requests]] = {}

    def matching(self, expression: Expression) -> tuple[Requests, Requests]:
        """The requests that match an expression, and those that match or may do so."""
        if expression not in self._matching:
            try:
                self._matching[expression] = self._split(expression.tree, self._all)
            except Unread:
                self._matching[expression] = 0, self._all
        return self._matching[expression]

    def _split(self, tree: Tree, concerned: Requests) -> tuple[Requests, Requests]:
        """Of some requests: those that match, and those that match or may do so."""
        if isinstance(tree, Constant):
            return (concerned, concerned) if tree.value else (0, 0)
        if isinstance(tree, Negation):
            sure, possible = self._split(tree.part, concerned)
            return concerned & ~possible, concerned & ~sure
        if not isinstance(tree, Combination):
            return self._decided(tree, concerned)
        sure = possible = concerned if tree.operator == "and" else 0
        for part in sorted(tree.parts, key=self._cost):
            if tree.operator == "and":
                one, other = self._split(part, possible)
                sure, possible = sure & one, other
            elif tree.operator == "or":
                one, other = self._split(part, concerned & ~sure)
                sure, possible = sure | one, possible | other
            else:
                one, other = self._split(part, concerned)
                sure, possible = (sure & ~other | one & ~possible, possible & ~one | other & ~sure)
        return sure, possible

    def _decided(self, leaf: Comparison, concerned: Requests) -> tuple[Requests, Requests]:
        groups, by_place = self._groups_by(leaf)
        if not concerned:
            return 0, 0
        if concerned != self._all:
            groups = list(
                {id(one): one for one in map(by_place.__getitem__, places(concerned))}.values()
            )
        test = halves(leaf).test
        matching: list[int] = []
        not_known: list[int] = []
        for value, fields, members in groups:
            try:
                if isinstance(value, NotKnown):
                    not_known += members
                elif test(value, fields):
                    matching += members
            except Unread:
                not_known += members
        sure = self._bits(matching) & concerned
        return sure, sure | self._bits(not_known) & concerned

    def _bits(self, members: Sequence[int]) -> Requests:
        if not members:
            return 0
        digits, last = bytearray(b"0") * len(self.requests), len(self.requests) - 1
        for place in members:
            digits[last - place] = ONE
        return int(digits, 2)

    def _groups_by(self, leaf: Comparison) -> tuple[Sequence[SameValue], Sequence[SameValue]]:
        """The groups by the left side of a comparison, and by the place of each request."""
        left, evaluate, _test_of_value = halves(leaf)
        if left not in self._groups:
            groups: dict[object, SameValue] = {}
            by_place = []
            for place, fields in enumerate(self.requests):
                value: FieldValue
                try:
                    value = evaluate(fields)
                except Unread as exc:
                    value = NotKnown(exc.reasons)
                key = (type(value), value if type(value) in HASHABLE else repr(value))
                group = groups.setdefault(key, SameValue(value, fields, []))
                group.members.append(place)
                by_place.append(group)
            self._groups[left] = list(groups.values()), by_place
        return self._groups[left]

    def _cost(self, tree: Tree) -> int:
        """About how many decisions a part takes."""
        if isinstance(tree, Comparison):
            return len(self._groups_by(tree)[0])
        if isinstance(tree, Negation):
            return self._cost(tree.part)
        return sum(map(self._cost, tree.parts)) if isinstance(tree, Combination) else 0


ONE = ord("1")


def places(requests: Requests) -> Iterator[int]:
    """The places of requests in their batch."""
    digits = bin(requests)[:1:-1]
    place = digits.find("1")
    while place >= 0:
        yield place
        place = digits.find("1", place + 1)

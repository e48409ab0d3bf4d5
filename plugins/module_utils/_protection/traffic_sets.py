# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sets of traffic, in three kinds: a single request or packet, a batch of past requests, and all
traffic.

A walk over rules asks for nothing but the traffic that an expression matches, and for unions,
intersections and differences of sets, so that it serves all three.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Callable, Generic, Hashable, Iterable, Mapping, NamedTuple, TypeVar

from .._expressions.batch import Batch
from .._expressions.evaluation import Truth, decider_of, truth_of_text
from .._expressions.expression import Expression
from .._expressions.grammar import Comparison, NotKnown
from .._expressions.operands import Fields
from .._expressions.solve import Diagrams, Set
from .._schema.lists import ListContents

TrafficSet = TypeVar("TrafficSet")


class TrafficSets(ABC, Generic[TrafficSet]):
    """Sets of traffic of one kind; the methods raise Unread if there are too many pieces."""

    nothing: TrafficSet
    everything: TrafficSet

    @abstractmethod
    def matching(self, expression: Expression) -> TrafficSet:
        """The traffic that matches an expression."""

    @abstractmethod
    def variable(self, name: Hashable) -> TrafficSet:
        """The traffic that meets a condition of which only the name is known."""

    @abstractmethod
    def intersection(self, one: TrafficSet, other: TrafficSet) -> TrafficSet:
        """The traffic that is in both sets."""

    @abstractmethod
    def union(self, sets: Iterable[TrafficSet]) -> TrafficSet:
        """The traffic that is in at least one of the sets."""

    @abstractmethod
    def without(self, one: TrafficSet, other: TrafficSet) -> TrafficSet:
        """The traffic that is in the set `one` and not in the set `other`."""


class Split(NamedTuple):
    """A set of requests as bit masks with a bit for each request: `sure` for those in the set,
    `possible` for those that are or may be in it."""

    sure: int
    possible: int


class _Requests(TrafficSets[Split]):
    """Sets of a fixed number of requests; it may not be known whether a request is in a set."""

    nothing = Split(0, 0)

    def __init__(self, number: int) -> None:
        bits = (1 << number) - 1
        self.everything = Split(bits, bits)

    def variable(self, name: Hashable) -> Split:
        return Split(0, self.everything.possible)

    def intersection(self, one: Split, other: Split) -> Split:
        return Split(one.sure & other.sure, one.possible & other.possible)

    def union(self, sets: Iterable[Split]) -> Split:
        sure = possible = 0
        for one in sets:
            sure, possible = sure | one.sure, possible | one.possible
        return Split(sure, possible)

    def without(self, one: Split, other: Split) -> Split:
        return Split(one.sure & ~other.possible, one.possible & ~other.sure)


EvaluateExpression = Callable[[Expression, Fields], Truth]


class SingleRequest(_Requests):
    """Sets of a single request or packet, given by its fields."""

    def __init__(self, fields: Fields, evaluate: EvaluateExpression = Expression.evaluate) -> None:
        super().__init__(1)
        self._fields, self._evaluate = fields, evaluate
        self._truths: dict[Expression, Truth] = {}

    def matching(self, expression: Expression) -> Split:
        if expression not in self._truths:
            self._truths[expression] = self._evaluate(expression, self._fields)
        truth = self._truths[expression]
        if isinstance(truth, NotKnown):
            return Split(0, 1)
        return self.everything if truth else self.nothing


class PastRequests(_Requests):
    """Sets of the requests of a batch, known by their places in it."""

    def __init__(self, batch: Batch) -> None:
        super().__init__(len(batch.requests))
        self._batch = batch

    def matching(self, expression: Expression) -> Split:
        return Split(*self._batch.matching(expression))


class AllTraffic(TrafficSets[Set]):
    """Sets of all requests or packets that can exist, with the contents of lists in one state. Two
    states that are compared share the `diagrams`."""

    nothing, everything = Diagrams.nothing, Diagrams.everything

    def __init__(self, diagrams: Diagrams, lists: ListContents) -> None:
        self.diagrams = diagrams
        self._lists = lists
        self._matching: dict[Expression, Set] = {}

    def matching(self, expression: Expression) -> Set:
        if expression not in self._matching:
            self._matching[expression] = self.diagrams.matching(expression, self._lists)
        return self._matching[expression]

    def variable(self, name: Hashable) -> Set:
        return self.diagrams.variable(name)

    def intersection(self, one: Set, other: Set) -> Set:
        return self.diagrams.combined("and", (one, other))

    def union(self, sets: Iterable[Set]) -> Set:
        return self.diagrams.combined("or", sets)

    def without(self, one: Set, other: Set) -> Set:
        return self.diagrams.without(one, other)


class PossibleCases(AllTraffic):
    """Sets of the cases that are possible for one request: `truths` says of each expression that
    may match it whether it surely does. An expression that may match is a variable, and one that
    is left out does not match."""

    def __init__(self, truths: Mapping[Expression, bool]) -> None:
        super().__init__(Diagrams(most=MOST_DIAGRAM_VARIABLES), {})
        self.diagrams.MOST_STEPS = MOST_STEPS_OF_A_REQUEST
        self._truths = truths

    def matching(self, expression: Expression) -> Set:
        is_sure = self._truths.get(expression)
        if is_sure is None:
            return self.nothing
        return self.everything if is_sure else self.variable(("matches", expression))


def diagrams_of(values: Mapping[str, Any], expressions: Iterable[Expression]) -> Diagrams:
    """Diagrams that can compare the traffic of all these expressions; `values` holds the fields
    that have the same value in all the traffic."""
    known = Fields(values)
    names = frozenset(values)

    def decide(leaf: Comparison) -> object:
        if not any(name in leaf.field for name in names):
            return None
        return decider_of(leaf)(known)

    diagrams = Diagrams(decide, most=MOST_DIAGRAM_VARIABLES, truth_of_text=truth_of_text)
    for expression in expressions:
        if not expression.problem:  # else it is a variable
            diagrams.name_texts(expression)
    return diagrams


MOST_DIAGRAM_VARIABLES = 100_000
MOST_STEPS_OF_A_REQUEST = 20_000  # of which there may be many

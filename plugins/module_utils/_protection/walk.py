# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The walk over the rules of a phase, which gives traffic its marks.

A step is what one rule does to the traffic that it matches. It marks this traffic, and may end the
walk for it. The walk asks for nothing but sets, so that it is the same for a single request, for
past requests and for all traffic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Container, Generic, Hashable, Iterable, Mapping, NamedTuple, Sequence, Tuple

from .._expressions.expression import Expression
from .._schema.resource import NO_ITEMS, Object
from .._values.address_set import Contents
from .traffic_changes import Source
from .traffic_sets import TrafficSet, TrafficSets

STOPPED, LOGGED, SKIPPED, UNKNOWN = "stopped", "logged", "skipped", "unknown"  # families of marks
COUNTED, CHECKED, EXEMPT, OVERRIDDEN = "counted", "checked", "exempt", "overridden"
DEPLOYED = "deployed"  # an exception behind the deployment of a ruleset has no effect
CHALLENGED_BEFORE = "challenged before"  # by a rate limit, so that none behind it blocks


class Mark(NamedTuple):
    """An effect of rules on traffic, such as stopping or logging it. Marks with the same `family`
    and `key` are equal, whatever rule gives them.

    `what` is the participle ("blocked"), `now` the predicate ("is blocked"). `obj` contains the
    values by which the strength of marks is compared.
    """

    family: str
    key: Hashable
    what: str
    now: str
    obj: Object = NO_ITEMS

    @property
    def identity(self) -> tuple[str, Hashable]:
        """A key that is equal for equal marks."""
        return self.family, self.key


class StepEffect(NamedTuple):
    """An effect of a step on the traffic that it matches: it gives a `mark` (None: no mark), except
    to traffic that has the mark `unless`. If it `ends`, the walk of the traffic ends; with a
    `doubt`, the end depends on that variable, or the mark if it does not end."""

    mark: Mark | None
    ends: bool = False
    unless: tuple[str, Hashable] | None = None
    doubt: Hashable = None


class Step(NamedTuple):
    """A rule as a walk meets it: it matches the traffic of `expression` that no expression of
    `unless` matches; `doubts` are variables that may narrow this further.

    `own` is equal for rules with the same effect on the same traffic; `content` is equal only if
    the expressions of `unless` and the contents of the `lists` that it refers to are equal, too.
    """

    expression: Expression
    unless: tuple[Expression, ...]
    doubts: tuple[Hashable, ...]
    effects: tuple[StepEffect, ...]
    source: Source
    own: Hashable
    content: Hashable
    lists: tuple[tuple[str, Contents | None], ...] = ()


def met_by(sets: TrafficSets[TrafficSet], step: Step, arriving: TrafficSet) -> TrafficSet:
    """The part of the `arriving` traffic that a step matches."""
    met = sets.intersection(arriving, sets.matching(step.expression))
    if met == sets.nothing:
        return met
    for expression in step.unless:
        met = sets.without(met, sets.matching(expression))
    for doubt in step.doubts:
        met = sets.intersection(met, sets.variable(doubt))
    return met


def ended_by(
    sets: TrafficSets[TrafficSet], steps: Iterable[Step], arriving: TrafficSet
) -> TrafficSet:
    """The part of the `arriving` traffic whose walk one of these steps certainly ends."""
    return sets.union(met_by(sets, step, arriving) for step in steps if ends_certainly(step))


def ends_certainly(step: Step) -> bool:
    """Return whether a step certainly ends the walk of the traffic that it matches."""
    return any(effect.ends and effect.doubt is None for effect in step.effects)


def stops(step: Step) -> bool:
    """Return whether a step blocks or challenges the traffic that it matches."""
    return any(effect.mark and effect.mark.family == STOPPED for effect in step.effects)


@dataclass(frozen=True)  # before Python 3.11, no NamedTuple is generic
class Marked(Generic[TrafficSet]):
    """A mark with the traffic that has it."""

    mark: Mark
    traffic: TrafficSet


Identity = Tuple[str, Hashable]  # of a mark


@dataclass(frozen=True)  # before Python 3.11, no NamedTuple is generic
class _Part(Generic[TrafficSet]):
    """The joint effect of consecutive steps: the traffic whose walk they end, and the traffic with
    each mark. `unless` contains, for a mark, the other mark that exempts traffic from it."""

    ended: TrafficSet
    marked: Mapping[Identity, TrafficSet]
    unless: Mapping[Identity, Identity]


class Walked(Generic[TrafficSet]):
    """The marks that traffic has after its walks through phases; `ended` is the traffic whose last
    walk a step ended."""

    def __init__(self, sets: TrafficSets[TrafficSet], arriving: TrafficSet) -> None:
        self.sets = sets
        self._arriving = arriving
        self.ended = sets.nothing
        self._marks: dict[Identity, Mark] = {}
        self._pieces: dict[Identity, list[TrafficSet]] = {}

    @property
    def passing(self) -> TrafficSet:
        """The traffic that no step stopped."""
        stopped = [marked.traffic for marked in self.marked(STOPPED)]
        return self.sets.without(self._arriving, self.sets.union(stopped))

    def has(self, family: str) -> bool:
        """Return whether a step gave a mark of this family."""
        return any(mark.family == family for mark in self._marks.values())

    def traffic(self, identity: Identity) -> TrafficSet:
        """The traffic that has the mark with this identity."""
        pieces = self._pieces.get(identity)
        return self.sets.union(pieces) if pieces else self.sets.nothing

    def marked(self, family: str) -> list[Marked[TrafficSet]]:
        """The marks of a family, each with the traffic that has it."""
        marks = [mark for mark in self._marks.values() if mark.family == family]
        return [Marked(mark, self.traffic(mark.identity)) for mark in marks]

    def walk(
        self, steps: Iterable[Step], skipping: TrafficSet, changed: Container[Hashable] = ()
    ) -> None:
        """Let the passing traffic, except the traffic that is `skipping` the phase, meet the steps
        of a phase.

        Steps between those whose content is in `changed` are joined separately: the walk of another
        state joins them in the same way, so that their sets are computed once.
        """
        inside = self.sets.without(self.passing, skipping)
        runs: list[list[_Part[TrafficSet]]] = [[]]
        for step in steps:
            is_changed = step.content in changed
            if is_changed:
                runs.append([])
            part = self._part(step, inside)
            if part is not None:
                runs[-1].append(part)
                if part.ended == inside:
                    break  # nothing gets to the steps behind it
            if is_changed:
                runs.append([])
        parts: list[_Part[TrafficSet]] = []
        for run in runs:
            parts += self._joined_in_pairs(run)
        parts = self._joined_in_pairs(parts)
        self.ended = self.sets.union(part.ended for part in parts)
        for part in parts:
            for identity, traffic in part.marked.items():
                self._pieces.setdefault(identity, []).append(traffic)

    def _part(self, step: Step, inside: TrafficSet) -> _Part[TrafficSet] | None:
        """The effect of a step on the traffic that arrives; None if the step matches none of it."""
        met = met_by(self.sets, step, inside)
        if met == self.sets.nothing:
            return None
        ended = self.sets.nothing
        marked: dict[Identity, TrafficSet] = {}
        unless: dict[Identity, Identity] = {}
        for effect in step.effects:
            if effect.ends:
                ended = self._in_doubt(effect, met)
            if effect.mark is not None:
                identity = effect.mark.identity
                self._marks.setdefault(identity, effect.mark)
                marked[identity] = met if effect.ends else self._in_doubt(effect, met)
                if effect.unless is not None:
                    unless[identity] = effect.unless
        return _Part(ended, marked, unless)

    def _in_doubt(self, effect: StepEffect, met: TrafficSet) -> TrafficSet:
        if effect.doubt is None:
            return met
        return self.sets.intersection(met, self.sets.variable(effect.doubt))

    def _joined_in_pairs(self, parts: Sequence[_Part[TrafficSet]]) -> list[_Part[TrafficSet]]:
        """The effects of consecutive steps as a list with one joint effect; empty if there are no
        steps."""
        joined = [*parts]
        while len(joined) > 1:
            pairs = zip(joined[::2], joined[1::2])
            last = joined[-1:] if len(joined) % 2 else []
            joined = [*(self._joined(*pair) for pair in pairs), *last]
        return joined

    def _joined(self, part: _Part[TrafficSet], behind: _Part[TrafficSet]) -> _Part[TrafficSet]:
        """The joint effect of `part` and the steps `behind`, which meet the traffic that `part`
        does not end."""
        sets = self.sets
        marked = dict(part.marked)
        for identity, traffic in behind.marked.items():
            former = part.marked.get(identity, sets.nothing)
            # Traffic that both mark counts once, so that ending marks need no difference.
            arriving = traffic if former == part.ended else sets.without(traffic, part.ended)
            exempting = behind.unless.get(identity)
            if exempting is not None and exempting in part.marked:
                arriving = sets.without(arriving, part.marked[exempting])
            marked[identity] = sets.union((former, arriving))
        ended = sets.union((part.ended, behind.ended))
        return _Part(ended, marked, {**part.unless, **behind.unless})

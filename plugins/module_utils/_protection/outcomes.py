# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The outcomes of traffic under the rules of a phase, and the rule that decides on each of it.

The vendor describes the actions in "Rules language: actions": a block and a challenge end the
evaluation, a skip does if it skips the remaining rules, and after a log it goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Hashable, Iterator, NamedTuple, Sequence

from .._schema.resource import ENFORCING
from .expectation import ALLOWED, BLOCKED, CHALLENGED, LOGGED, SKIPPED
from .traffic_changes import Source
from .traffic_sets import TrafficSet, TrafficSets
from .walk import Mark, Step, StepEffect, Walked, met_by
from .zone_rule import REST_OF_THE_LIST, ZoneRule

LOG, UNKNOWN_END = "log", "unknown"
MET = "met"  # the family of the marks that say which rule traffic meets


class Outcome(NamedTuple):
    """An outcome, and the name of the rule or other object that causes it; None if nothing does."""

    word: str
    by: str | None = None


def outcome_of(rule: ZoneRule) -> str:
    """The outcome of traffic that a rule matches. Empty if the evaluation goes on; `unknown` if the
    action, or a parameter of a skip, is not known."""
    if rule.action in ENFORCING:
        return BLOCKED if rule.action == "block" else CHALLENGED
    if REST_OF_THE_LIST in rule.skips and rule.action == "skip":
        return SKIPPED
    return UNKNOWN_END if rule.unknown else ""


@dataclass(frozen=True)  # before Python 3.11, no NamedTuple is generic
class OutcomeTraffic(Generic[TrafficSet]):
    """An outcome with the traffic that has it."""

    outcome: Outcome
    traffic: TrafficSet


@dataclass(frozen=True)
class RuleTraffic(Generic[TrafficSet]):
    """A rule with the traffic that reaches and matches it."""

    rule: ZoneRule
    traffic: TrafficSet


class WalkedRules(Generic[TrafficSet]):
    """The rules of a phase, and which part of the arriving traffic meets each rule; `passing` is
    the traffic whose evaluation no rule ends."""

    def __init__(
        self, sets: TrafficSets[TrafficSet], rules: Sequence[ZoneRule], arriving: TrafficSet
    ) -> None:
        self._sets, self._arriving = sets, arriving
        self._steps = [_step(rule, place) for place, rule in enumerate(rules)]
        walked = Walked(sets, arriving)
        walked.walk(self._steps, skipping=sets.nothing)
        self.passing = sets.without(arriving, walked.ended)
        self._rules = rules
        self._met: dict[Hashable, TrafficSet] = {}
        for marked in walked.marked(MET):
            if marked.traffic != sets.nothing:
                self._met[marked.mark.key] = marked.traffic

    @cached_property
    def met(self) -> list[RuleTraffic[TrafficSet]]:
        """The rules that some traffic meets, in their order, each with that traffic."""
        rules = enumerate(self._rules)
        return [RuleTraffic(rule, self._met[place]) for place, rule in rules if place in self._met]

    @cached_property
    def outcomes(self) -> list[OutcomeTraffic[TrafficSet]]:
        """Each outcome that some traffic has, with that traffic and the rule that caused it. If no
        rule stops or skips the traffic, it is allowed, and may also be logged."""
        found = [OutcomeTraffic(*ending) for ending in self._endings()]
        return [outcome for outcome in found if outcome.traffic != self._sets.nothing]

    @cached_property
    def ended(self) -> list[RuleTraffic[TrafficSet]]:
        """The rules that end the evaluation of some traffic, each with that traffic."""
        sets = self._sets
        ended = []
        for met in self.met:
            word, traffic = outcome_of(met.rule), met.traffic
            if word == UNKNOWN_END:
                in_doubt = sets.variable(_doubt_of_end(met.rule))
                traffic = sets.intersection(traffic, in_doubt)
            if word:
                ended.append(RuleTraffic(met.rule, traffic))
        return ended

    def _endings(self) -> Iterator[tuple[Outcome, TrafficSet]]:
        sets = self._sets
        for met in self.ended:
            yield Outcome(outcome_of(met.rule), met.rule.entry), met.traffic
        passing = self.passing
        logged: list[tuple[Outcome, TrafficSet]] = []
        for step, rule in zip(self._steps, self._rules):
            if rule.action == LOG and passing != sets.nothing:
                traffic = met_by(sets, step, passing)
                logged.append((Outcome(LOGGED, rule.entry), traffic))
                passing = sets.without(passing, met_by(sets, step, self._arriving))
        yield Outcome(ALLOWED), passing
        yield from logged


def _step(rule: ZoneRule, place: int) -> Step:
    """The step of a walk for a rule; it marks the traffic that meets the rule with `place`."""
    word = outcome_of(rule)
    doubt = _doubt_of_end(rule) if word == UNKNOWN_END else None
    effect = StepEffect(Mark(MET, place, "", ""), ends=bool(word), doubt=doubt)
    return Step(
        expression=rule.whole or rule.expression,
        unless=tuple(skip.expression for skip in rule.unless),
        doubts=tuple(("field", name, str(rule.obj.get(name))) for name in rule.conditions),
        effects=(effect,),
        source=Source("", rule.entry, rule.title),
        own=rule.key,
        content=rule.key,
    )


def _doubt_of_end(rule: ZoneRule) -> Hashable:
    """The name of the variable for whether a rule with an unknown action ends the evaluation."""
    return "ends", rule.action, *rule.unknown

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The backtest: what planned rules would have done to past requests, compared with the existing
rules.

Requests with the same fields are evaluated at once. A rule that may match a group or not does the
same to it before and after a plan, so that a rule which the plan leaves alone makes no difference.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Sequence, Tuple, TypedDict

from .._expressions.batch import Batch
from .._expressions.expression import Expression
from .._expressions.operands import Fields, readable_value
from .._expressions.solve import Set
from .._schema.resource import State
from .._text import Unread
from .._traffic.queries import FEWEST_SAMPLES, percentage, too_few
from .decide import rules_in_order
from .expectation import BLOCKED, CHALLENGED
from .modes import UNDECIDED
from .outcomes import UNKNOWN_END, WalkedRules, outcome_of
from .past_requests import Group, missing_fields
from .rules_in_force import contents_in, spelt_out, zone_values
from .traffic_sets import PossibleCases
from .zone_rule import ZoneRule

STOPPING = (BLOCKED, CHALLENGED)
NEWLY_BLOCKED, NEWLY_PASSED, SAME = "newly_blocked", "newly_passed", "same"
HARDER = (CHALLENGED, BLOCKED)
UNDECIDED_PASSING = "undecided_passing"  # counter of those requests that may pass today
NOTHING_KNOWN = ("all", "passing", "may_block")  # counters of requests that may do anything
MOST_EXAMPLES = 3
MOST_EXAMPLES_KEPT = 1000  # examples of a rule, while there may be more requests


class Share(TypedDict):
    """A number of requests, and its percentage of the requests that the existing rules let pass."""

    requests: int | None
    percent: float | None


class UndecidedShare(Share):
    """The requests whose outcome is not known, since the values of `fields` are not known; the
    percentage has those of them that may pass today."""

    fields: list[str]


class RuleBacktest(Share):
    """The requests that a planned rule would newly block or challenge, with the heaviest examples.
    The existing rules stop `already` requests as well; the rule may or may not stop `undecided`
    requests."""

    ref: str
    action: str
    already: int
    undecided: int
    examples: list[dict[str, Any]]


class BacktestRecord(TypedDict):
    """A backtest as results show it; `samples` is how many of the requests were seen."""

    since: str | None
    until: str | None
    known: bool
    unknown: list[str]
    requests: int | None
    samples: int | None
    newly_blocked: Share
    newly_passed: Share
    undecided: UndecidedShare
    rules: list[RuleBacktest]


class EndingRule(NamedTuple):
    """A rule that ends, or may end, the evaluation of a request; `end` is the outcome."""

    rule: ZoneRule
    end: str

    @property
    def doubts(self) -> Sequence[str]:
        """The names of the rule's conditions, actions and parameters that are not understood."""
        return [*self.rule.conditions, *(self.rule.unknown if self.end == UNKNOWN_END else ())]

    @property
    def identity(self) -> RuleIdentity:
        """A key of the rule and of all that decides its effect on requests; equal for an unchanged
        rule."""
        return self.rule.key, self.end, self.rule.expression, *self.doubts


RuleIdentity = Tuple[object, ...]
Truths = Mapping[Expression, bool]  # whether an expression that may match surely does
# Numbers of expressions; negative if it is not known whether they match.
SignedNumbers = Tuple[int, ...]


class World(NamedTuple):
    """A possible case, if some facts are not known: the rules that then end the evaluation of a
    request before a plan and after it; None if no rule ends it."""

    before: EndingRule | None
    after: EndingRule | None

    @property
    def kind(self) -> str:
        """The change of outcome in this case: newly blocked, newly passed, the same, or
        undecided."""
        before, after = self
        was = before.end if before else ""
        becomes = after.end if after else ""
        if before and after and before.identity == after.identity:
            return SAME
        if UNKNOWN_END in (was, becomes):
            return UNDECIDED
        if becomes in STOPPING and (was not in STOPPING or (was, becomes) == HARDER):
            return NEWLY_BLOCKED
        return NEWLY_PASSED if was in STOPPING and becomes not in STOPPING else SAME

    @property
    def may_newly_stop(self) -> bool:
        """Return whether the requests are newly stopped, or may be."""
        is_blocked_today = self.before is not None and self.before.end == BLOCKED
        return self.kind == NEWLY_BLOCKED or (self.kind == UNDECIDED and not is_blocked_today)

    @property
    def stopping_rule(self) -> EndingRule | None:
        """The rule that stops the requests after the plan; None if they are not stopped."""
        return self.after if self.after and self.after.end in STOPPING else None


class GroupOutcome(NamedTuple):
    """The outcome that a plan has for a group of requests: the rule that stops or may stop them
    (None: no rule), the `counters` to increase, the `kind` of change, and the `doubts` about it."""

    rule: EndingRule | None
    counters: Sequence[str]
    kind: str
    doubts: Sequence[str] = ()


@dataclass
class Tried:
    """The results of a planned rule that stops requests: the number of requests by kind of change,
    and the number by example. An example contains the values of the rule's `fields`."""

    ending_rule: EndingRule
    fields: Sequence[str]
    requests: Counter[str] = field(default_factory=Counter)
    examples: Counter[tuple[Any, ...]] = field(default_factory=Counter)

    def add(self, outcome: GroupOutcome, group: Group, request: Fields) -> None:
        """Count a group of requests with this outcome; if the plan changes or may change their
        outcome, keep `request` as an example."""
        self.requests[outcome.kind] += group.requests
        if outcome.kind == SAME:
            return
        example: list[Any] = [outcome.kind]
        for name in self.fields:
            if name in request.values:
                example.append((name, readable_value(request.values[name])))
        self.examples[tuple(example)] += group.requests

    def examples_of(self, kind: str) -> list[dict[str, Any]]:
        """The examples of this kind of change, each with its number of requests, the highest number
        first."""
        examples = []
        for (example_kind, *values), requests in self.examples.most_common():
            if example_kind == kind:
                examples.append({**dict(values), "requests": requests})
        return examples

    def forget_light_examples(self) -> None:
        """Drop the examples with the fewest requests if there are too many examples to keep."""
        if len(self.examples) > MOST_EXAMPLES_KEPT:
            heaviest = self.examples.most_common(MOST_EXAMPLES_KEPT)
            self.examples = Counter(dict(heaviest))

    @property
    def may_stop(self) -> int:
        """The number of requests that the rule would newly stop, or may newly stop."""
        return self.requests[NEWLY_BLOCKED] + self.requests[UNDECIDED]


class Backtest:
    """Counts past requests by how their outcome changes from the state `before` a plan to the state
    `after` it."""

    def __init__(self, before: State, after: State) -> None:
        self._zone = zone_values(after)
        self._before = _ending_rules(before)
        self._after = _ending_rules(after)
        expressions = [ending_rule.rule.expression for ending_rule in (*self._before, *self._after)]
        unique = dict.fromkeys(expressions)
        self._expressions = dict(enumerate(unique, 1))
        names: list[str] = []
        for expression in unique:
            names += expression.names
        self.fields = tuple(dict.fromkeys(names))
        self._outcomes: dict[SignedNumbers, GroupOutcome] = {}
        self.requests: Counter[str] = Counter()
        self.doubts: dict[str, None] = {}
        self._existing = {ending_rule.identity for ending_rule in self._before}
        stopping = [ending_rule for ending_rule in self._after if ending_rule.end in STOPPING]
        self._tried = {
            ending_rule.identity: Tried(ending_rule, ending_rule.rule.expression.names)
            for ending_rule in stopping
        }

    def add(self, groups: Sequence[Group]) -> None:
        """Evaluate these groups of requests, and count them."""
        requests = [Fields({**self._zone, **group.fields}) for group in groups]
        matches = self._matches(requests)
        for group, request, numbers in zip(groups, requests, matches):
            outcome = self._outcomes.get(numbers)
            if outcome is None:
                outcome = self._outcomes[numbers] = self._outcome(numbers, request)
            self._count(group, request, outcome)
        for tried in self._tried.values():
            tried.forget_light_examples()

    def _matches(self, requests: Sequence[Fields]) -> list[SignedNumbers]:
        """For each request, the numbers of the expressions that match it; negative if an expression
        only may match."""
        matches: list[list[int]] = [[] for _request in requests]
        batch = Batch(requests)
        for number, expression in self._expressions.items():
            sure, possible = batch.matching(expression)
            for index in Batch.places(sure):
                matches[index].append(number)
            for index in Batch.places(possible & ~sure):
                matches[index].append(-number)
        return [tuple(numbers) for numbers in matches]

    def add_unread(self, requests: int, doubt: str) -> None:
        """Count requests that could not be read, as undecided; `doubt` says in words which requests
        these are."""
        if requests:
            counters = [*NOTHING_KNOWN, UNDECIDED_PASSING, UNDECIDED]
            outcome = GroupOutcome(None, counters, UNDECIDED, [doubt])
            self._count(Group({}, requests, 0), Fields({}), outcome)

    def _count(self, group: Group, request: Fields, outcome: GroupOutcome) -> None:
        self.requests["samples"] += group.samples
        for name in outcome.counters:
            self.requests[name] += group.requests
        self.doubts.update(dict.fromkeys(outcome.doubts))
        if outcome.rule:
            self._tried[outcome.rule.identity].add(outcome, group, request)

    def _outcome(self, numbers: SignedNumbers, request: Fields) -> GroupOutcome:
        """The outcome for requests that match the expressions with these numbers; undecided if the
        possible cases differ."""
        truths = {self._expressions[abs(number)]: number > 0 for number in numbers}
        cases = PossibleCases(truths)
        sides = [_reached(ending, truths) for ending in (self._before, self._after)]
        try:
            before, after = (WalkedRules(cases, rules, cases.everything) for rules in sides)
            if sides[0] == sides[1]:
                after = before  # as for most requests
            worlds = [*_worlds(cases, before, after)]
        except Unread:
            return _open_requests(None, NOTHING_KNOWN, sides, truths, request)
        kinds = {world.kind for world in worlds}
        newly_stopping = [world for world in worlds if world.may_newly_stop]
        counters = ["all"]
        if any(not world.before or world.before.end != BLOCKED for world in worlds):
            counters.append("passing")
        if newly_stopping:
            counters.append("may_block")
        if len(kinds) == 1 and UNDECIDED not in kinds:
            (kind,) = kinds
            return GroupOutcome(worlds[0].stopping_rule, [*counters, kind], kind)
        rule = next(filter(None, (world.stopping_rule for world in newly_stopping)), None)
        met = [[reached.rule for reached in walked.met] for walked in (before, after)]
        return _open_requests(rule, counters, met, truths, request)

    def record(
        self, window: Sequence[str | None], reasons_unknown: Sequence[str]
    ) -> BacktestRecord:
        """The backtest as results show it; `window` contains the start and the end of its time.
        `reasons_unknown` are sentences; if it is empty, and there are too few requests, a sentence
        says so."""
        (since, until) = window
        reasons = list(reasons_unknown)
        requests, samples = self.requests["all"], self.requests["samples"]
        if samples < FEWEST_SAMPLES and not reasons:
            reasons.append(too_few(samples, "requests"))
        return BacktestRecord(
            since=since,
            until=until,
            known=not reasons,
            unknown=reasons,
            requests=requests or None,
            samples=samples if requests else None,
            newly_blocked=self._share(NEWLY_BLOCKED),
            newly_passed=self._share(NEWLY_PASSED),
            undecided=self._undecided(),
            rules=[self._rule(tried) for tried in self.tried],
        )

    @property
    def tried(self) -> list[Tried]:
        """The planned rules that are new or changed, or that stop or may stop further requests; the
        rule with the most such requests first."""
        concerned = [
            tried
            for identity, tried in self._tried.items()
            if tried.may_stop or identity not in self._existing
        ]
        return sorted(concerned, key=lambda tried: -tried.may_stop)

    def _share(self, kind: str) -> Share:
        number = self.requests[kind] if self.requests["all"] else None
        return Share(requests=number, percent=percentage(number or 0, self.requests["passing"]))

    def _undecided(self) -> UndecidedShare:
        share = Share(
            requests=self._share(UNDECIDED)["requests"],
            percent=percentage(self.requests[UNDECIDED_PASSING], self.requests["passing"]),
        )
        return UndecidedShare(**share, fields=list(self.doubts))

    @property
    def may_or_may_not_block(self) -> int:
        """The number of requests of which it is not known whether they would newly be stopped."""
        return self.requests["may_block"] - self.requests[NEWLY_BLOCKED]

    def _rule(self, tried: Tried) -> RuleBacktest:
        newly = tried.requests[NEWLY_BLOCKED]
        kind = NEWLY_BLOCKED if newly else UNDECIDED
        examples = tried.examples_of(kind)
        return RuleBacktest(
            ref=tried.ending_rule.rule.entry,
            action=tried.ending_rule.rule.action,
            requests=newly,
            percent=percentage(newly, self.requests["passing"]),
            already=tried.requests[SAME],
            undecided=tried.requests[UNDECIDED],
            examples=examples[:MOST_EXAMPLES],
        )


def _ending_rules(state: State) -> list[EndingRule]:
    """The active rules of a state that end, or may end, the evaluation of a request, in their
    order."""
    lists = contents_in(state)
    whole: Mapping[str, Any] = {"unless": (), "whole": None}  # its expression is without these
    rules = [spelt_out(rule, lists)._replace(**whole) for rule in rules_in_order(state)]
    return [EndingRule(rule, outcome_of(rule)) for rule in rules if outcome_of(rule)]


def _reached(side: Iterable[EndingRule], truths: Truths) -> list[ZoneRule]:
    """The rules of one side that match, or may match, a request."""
    return [ending.rule for ending in side if ending.rule.expression in truths]


def _worlds(
    cases: PossibleCases, before: WalkedRules[Set], after: WalkedRules[Set]
) -> Iterator[World]:
    """The worlds that are possible: a rule that may match a request, or end its evaluation, does so
    in both walks or in none."""
    afterwards = [*_endings_of(after)]
    if before is after:
        yield from (World(ending, ending) for ending, _traffic in afterwards)
        return
    same = {ending and ending.identity: (ending, traffic) for ending, traffic in afterwards}
    for ending, left in _endings_of(before):
        first = same.get(ending and ending.identity)  # most cases end at the same rule
        for candidate, traffic in chain([first] if first else [], afterwards):
            both = cases.intersection(left, traffic)
            if both != cases.nothing:
                yield World(ending, candidate)
                left = cases.without(left, both)
            if left == cases.nothing:
                break


def _endings_of(walked: WalkedRules[Set]) -> Iterator[tuple[EndingRule | None, Set]]:
    """The rules that end the evaluation in some cases, each with these cases; None with those in
    which no rule does."""
    for ended in walked.ended:
        yield EndingRule(ended.rule, outcome_of(ended.rule)), ended.traffic
    yield None, walked.passing


def _open_requests(
    rule: EndingRule | None,
    counters: Sequence[str],
    sides: Iterable[Iterable[ZoneRule]],
    truths: Truths,
    request: Fields,
) -> GroupOutcome:
    """The outcome of requests of which it is not known what becomes of them, with the doubts about
    the rules of both sides."""
    doubts: list[str] = []
    for uncertain in chain.from_iterable(sides):
        ending = EndingRule(uncertain, outcome_of(uncertain))
        if not truths[uncertain.expression] or ending.doubts:
            doubts += _doubts_about_effect(ending, request)
    names = [UNDECIDED_PASSING, UNDECIDED] if "passing" in counters else [UNDECIDED]
    return GroupOutcome(rule, [*counters, *names], UNDECIDED, list(dict.fromkeys(doubts)))


def _doubts_about_effect(ending_rule: EndingRule, request: Fields) -> list[str]:
    """The names of the missing fields, or other reasons, for which the effect of a rule on a
    request is not known."""
    return [*missing_fields(ending_rule.rule.expression, request), *ending_rule.doubts]

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

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from itertools import islice
from typing import Any, Iterator, Mapping, NamedTuple, Sequence, Tuple, TypedDict

from .._expressions.evaluation import Batch, decider, places
from .._expressions.fields import names_in
from .._expressions.grammar import NotKnown
from .._expressions.operands import Fields, FieldValue, Items, Pairs
from .._schema.resource import State
from .._text import plural
from .._timestamps import write_timestamp
from .._traffic.ask import Send, ask_requests
from .._traffic.queries import FEWEST_SAMPLES, PERMISSION, PERMISSION_OF_ZONE, percentage, too_few
from .decide import UNKNOWN_END, outcome_of, rules_in_order
from .expectation import BLOCKED, CHALLENGED
from .modes import UNDECIDED
from .past_requests import ANALYTICS, LOGPUSH, SOURCE, Group, Reader, Records, require_file
from .rules_in_force import ZoneRule, contents_in, spelt_out, zone_values

STOPPING = (BLOCKED, CHALLENGED)
NEWLY_BLOCKED, NEWLY_PASSED, SAME = "newly_blocked", "newly_passed", "same"
MOST_EXAMPLES = 3
MOST_EXAMPLES_KEPT = 1000  # examples of a rule, while there may be more requests
MOST_WORLDS = 500  # ways in which rules that may match do so
NOT_GIVEN = re.compile(r"the field (\S+) is not given")


class Share(TypedDict):
    """Requests, and their percentage of those that the existing rules let pass."""

    requests: int | None
    percent: float | None


class UndecidedShare(Share):
    """The same of requests for which it is not known; `fields` are those that nobody knows."""

    fields: list[str]


class RuleBacktest(Share):
    """The requests that a planned rule would newly block or challenge, with the heaviest examples;
    `already` are those that existing rules stop as well, `undecided` those that it may stop."""

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
    """A rule that may end the evaluation of a request."""

    rule: ZoneRule
    end: str

    @property
    def doubts(self) -> Sequence[str]:
        """Names of what narrows the rule, or of what it does, and that is not understood."""
        return [*self.rule.conditions, *(self.rule.unknown if self.end == UNKNOWN_END else ())]

    @property
    def variable(self) -> tuple[object, ...]:
        """The rule as far as it decides whether the evaluation ends with it."""
        return self.rule.expression, *self.doubts

    @property
    def own(self) -> tuple[object, ...]:
        """All that decides what the rule does to requests that meet it."""
        return self.rule.key, self.end, *self.variable


Met = Tuple[int, ...]  # numbers of expressions; negative if it is not known whether they match
# The rules that end the evaluation before and after.
World = Tuple["EndingRule | None", "EndingRule | None"]


# The outcome of a plan for requests: the rule that ends their evaluation, or may do so, the
# counters that they add to, of which the last one is its kind, and what is not known.
GroupOutcome = Tuple["EndingRule | None", Sequence[str], Sequence[str]]


@dataclass
class Tried:
    """The requests that a planned rule stops or may stop, by what it does; examples by values."""

    step: EndingRule
    fields: Sequence[str]
    requests: Counter[str] = field(default_factory=Counter)
    examples: Counter[tuple[Any, ...]] = field(default_factory=Counter)

    @property
    def may_stop(self) -> int:
        """The requests that it would newly stop, or may."""
        return self.requests[NEWLY_BLOCKED] + self.requests[UNDECIDED]


class Backtest:
    """The requests so far, by what the rules of two states do to them."""

    def __init__(self, before: State, after: State) -> None:
        self._zone = zone_values(after)
        self._sides = [_steps(state) for state in (before, after)]
        expressions = [step.rule.expression for side in self._sides for step in side]
        self._numbers = {text: at for at, text in enumerate(dict.fromkeys(expressions), 1)}
        self.fields = tuple(
            dict.fromkeys(name for text in self._numbers for name in names_in(text))
        )
        self._outcomes: dict[Met, GroupOutcome] = {}
        self.requests: Counter[str] = Counter()
        self._doubts: dict[str, None] = {}
        self._existing = {step.own for step in self._sides[0]}
        stopping = [step for step in self._sides[1] if step.end in STOPPING]
        self._tried = {step.own: Tried(step, names_in(step.rule.expression)) for step in stopping}

    def add(self, groups: Sequence[Group]) -> None:
        """Evaluate these groups."""
        requests = [Fields({**self._zone, **group.fields}) for group in groups]
        batch = Batch(requests)
        met: list[list[int]] = [[] for dummy in groups]
        for expression, number in self._numbers.items():
            sure, possible = batch.matching(expression)
            for index in places(sure):
                met[index].append(number)
            for index in places(possible & ~sure):
                met[index].append(-number)
        for group, known, numbers in zip(groups, requests, met):
            outcome = self._outcomes.get(tuple(numbers))
            if outcome is None:
                outcome = self._outcomes[tuple(numbers)] = self._outcome(numbers, known)
            self._count(group, known, outcome)
        for tried in self._tried.values():
            if len(tried.examples) > MOST_EXAMPLES_KEPT:
                tried.examples = Counter(dict(tried.examples.most_common(MOST_EXAMPLES_KEPT)))

    def add_unread(self, requests: int, doubt: str) -> None:
        """Add requests of which nothing is known."""
        if requests:
            outcome = None, ["all", "passing", "may_block", UNDECIDED], [doubt]
            self._count(Group({}, requests, 0), Fields({}), outcome)

    def _count(self, group: Group, known: Fields, outcome: GroupOutcome) -> None:
        step, counters, doubts = outcome
        kind = counters[-1]
        self.requests["samples"] += group.samples
        for name in counters:
            self.requests[name] += group.requests
        self._doubts.update(dict.fromkeys(doubts))
        if step:
            tried = self._tried[step.own]
            tried.requests[kind] += group.requests
            if kind != SAME:
                names = [name for name in tried.fields if name in known.values]
                values = [(name, _readable(known.values[name])) for name in names]
                tried.examples[(kind, *values)] += group.requests

    def _outcome(self, numbers: Sequence[int], known: Fields) -> GroupOutcome:
        """The outcome for requests that meet these expressions, in every world that is possible."""
        certain = {abs(number): number > 0 for number in numbers}
        sides = [[step for step in side if self._number(step) in certain] for side in self._sides]
        variables: dict[tuple[object, ...], EndingRule] = {}
        worlds = list(islice(self._worlds(sides, certain, {}, variables), MOST_WORLDS))
        kinds = {_kind(*world) for world in worlds}
        stopping = [
            after for before, after in worlds if _kind(before, after) in (NEWLY_BLOCKED, UNDECIDED)
        ]
        passes = any(not before or before.end != BLOCKED for before, _after in worlds)
        counters = ["all", *(["passing"] if passes else []), *(["may_block"] if stopping else [])]
        if len(worlds) < MOST_WORLDS and len(kinds) == 1 and UNDECIDED not in kinds:
            _before, after = worlds[0]
            is_stopped = after is not None and after.end in STOPPING
            return after if is_stopped else None, [*counters, *kinds], ()
        doubts = [doubt for step in variables.values() for doubt in _doubts_of(step, known)]
        step = next((one for one in stopping if one and one.end in STOPPING), None)
        return step, [*counters, UNDECIDED], doubts

    def _number(self, step: EndingRule) -> int:
        return self._numbers[step.rule.expression]

    def _worlds(
        self,
        sides: Sequence[Sequence[EndingRule]],
        certain: Mapping[int, bool],
        truths: Mapping[object, bool],
        variables: dict[tuple[object, ...], EndingRule],
    ) -> Iterator[World]:
        """The rules that end the evaluation before and after, if these variables are so."""
        ends: list[EndingRule | None] = []
        for side in sides:
            for step in side:
                is_certain = certain[self._number(step)] and not step.doubts
                truth = True if is_certain else truths.get(step.variable)
                if truth is None:
                    variables.setdefault(step.variable, step)
                    for either in (True, False):
                        more = {**truths, step.variable: either}
                        yield from self._worlds(sides, certain, more, variables)
                    return
                if truth:
                    ends.append(step)
                    break
            else:
                ends.append(None)
        yield ends[0], ends[1]

    def record(self, window: Sequence[str | None], unknown: Sequence[str]) -> BacktestRecord:
        """The backtest as results show it; `unknown` says why it is not known, unless there are too
        few requests."""
        of, is_seen = self.requests, bool(self.requests["all"])
        (since, until), reasons = window, list(unknown)
        if of["samples"] < FEWEST_SAMPLES and not reasons:
            reasons.append(too_few(of["samples"], "requests"))
        return BacktestRecord(
            since=since,
            until=until,
            known=not reasons,
            unknown=reasons,
            requests=of["all"] if is_seen else None,
            samples=of["samples"] if is_seen else None,
            newly_blocked=self._share(NEWLY_BLOCKED),
            newly_passed=self._share(NEWLY_PASSED),
            undecided=UndecidedShare(**self._share(UNDECIDED), fields=list(self._doubts)),
            rules=[self._rule(tried) for tried in self.tried],
        )

    @property
    def tried(self) -> list[Tried]:
        """The rules that are new or changed, or would newly stop something, or may."""
        concerned = [
            one for own, one in self._tried.items() if one.may_stop or own not in self._existing
        ]
        return sorted(concerned, key=lambda tried: -tried.may_stop)

    def _share(self, kind: str) -> Share:
        number = self.requests[kind] if self.requests["all"] else None
        return Share(requests=number, percent=percentage(number or 0, self.requests["passing"]))

    def _rule(self, tried: Tried) -> RuleBacktest:
        newly = tried.requests[NEWLY_BLOCKED]
        kind = NEWLY_BLOCKED if newly else UNDECIDED
        heaviest = [one for one in tried.examples.most_common() if one[0][0] == kind]
        return RuleBacktest(
            ref=tried.step.rule.entry,
            action=tried.step.rule.action,
            requests=newly,
            percent=percentage(newly, self.requests["passing"]),
            already=tried.requests[SAME],
            undecided=tried.requests[UNDECIDED],
            examples=[
                {**dict(values), "requests": number}
                for (_kind, *values), number in heaviest[:MOST_EXAMPLES]
            ],
        )


def _steps(state: State) -> list[EndingRule]:
    """The rules of a state that may end the evaluation, in their order."""
    lists = contents_in(state)
    rules = [spelt_out(rule, lists) for rule in rules_in_order(state)]
    return [EndingRule(rule, outcome_of(rule)) for rule in rules if outcome_of(rule)]


def _kind(before: EndingRule | None, after: EndingRule | None) -> str:
    """The kind of outcome for requests that end with these rules."""
    was, becomes = (step.end if step else "" for step in (before, after))
    if before and after and before.own == after.own:
        return SAME
    if UNKNOWN_END in (was, becomes):
        return UNDECIDED
    if becomes in STOPPING and (was not in STOPPING or (was, becomes) == (CHALLENGED, BLOCKED)):
        return NEWLY_BLOCKED
    return NEWLY_PASSED if was in STOPPING and becomes not in STOPPING else SAME


def _doubts_of(step: EndingRule, known: Fields) -> list[str]:
    """The names of fields, or else the reasons, for which it is not known what a rule does."""
    truth = decider(step.rule.expression)(known)
    reasons = truth.reasons if isinstance(truth, NotKnown) else ()
    matches = [NOT_GIVEN.match(reason) for reason in reasons]
    return [*(one[1] if one else text for one, text in zip(matches, reasons)), *step.doubts]


def _readable(value: FieldValue) -> Any:
    """A value of a field as results show it."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, Items):
        return ", ".join(str(_readable(item)) for item in value.values)
    if isinstance(value, Pairs):
        parts = (f"{_readable(name)}={_readable(item)}" for name, item in value.values.items())
        return "&".join(parts)
    return value if isinstance(value, int) else str(value)


ONLY_ZONES = "An account has no analytics of single requests; name a file with those of a zone."


def of_analytics(
    backtest: Backtest, send: Send, zone_id: str | None, now: datetime | None, hours: float
) -> BacktestRecord:
    """The backtest with the requests of some hours, as results show it."""
    if zone_id is None:
        return backtest.record((None, None), [ONLY_ZONES])
    reader = Reader(backtest.fields, ANALYTICS)
    until = now or datetime.now(timezone.utc)
    since = until - timedelta(hours=hours)
    listing = ask_requests(send, zone_id, reader.names, since, until)
    for part in reader.groups((row.values, row.packets, row.samples) for row in listing.rows):
        backtest.add(part)
    unknown = [text.replace(PERMISSION, PERMISSION_OF_ZONE) for text in listing.unknown]
    return backtest.record((write_timestamp(listing.page.since), write_timestamp(until)), unknown)


def of_file(backtest: Backtest, path: str) -> BacktestRecord:
    """The backtest with the requests of a file, as results show it; raises PlanError if the file
    cannot be opened."""
    require_file(path)
    reader = Reader(backtest.fields, LOGPUSH)
    records = Records(path, reader.names)
    for part in reader.groups(records):
        backtest.add(part)
    why, unclear = records.unread, plural(records.unclear, "line", "lines")
    backtest.add_unread(records.unclear, f"{SOURCE} in {unclear} of {path}")
    unknown = [f"The file {path} cannot be read to its end: {why}."] if why else []
    if backtest.requests["all"]:
        lines = plural(records.malformed, "line", "lines")
        backtest.add_unread(records.malformed, f"records in {lines} of {path}")
    elif not why:
        unknown.append(f"No line of the file {path} is the record of a request of a client.")
    return backtest.record(records.window, unknown)

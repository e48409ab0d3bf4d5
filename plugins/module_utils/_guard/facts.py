# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The facts on which the guard checks a plan: read and computed before, beside the states of the
plan."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, Sequence, Tuple, Union

from .._errors import ProtectionError
from .._plan.plan import Plan
from .._plan.rollout import Planned
from .._schema.resource import NO_ITEMS, Object, Resource
from .._text import first_few
from .finding import Entry, FinderAnswer, entries_of

if TYPE_CHECKING:  # loaded by the tasks that ask for it: Ansible compiles it in every run
    from .._protection.backtest import Backtest, BacktestRecord

PASSING_REQUESTS = "requests that pass today"
CollectionPlace = Tuple[str, str]  # the plural of a collection, and the name of its parent
ObjectsOrError = Union[Sequence[Object], ProtectionError]  # an error if it cannot be read


def place_of_collection(resource: Resource) -> CollectionPlace:
    """The place of a collection among the facts."""
    return resource.plural, resource.parent_name


class Backtested(NamedTuple):
    """A backtest after its last request, what results show of it, and the largest percentage of the
    requests that may be newly blocked."""

    backtest: Backtest
    backtest_record: BacktestRecord
    max_percent: float


class Facts(NamedTuple):
    """All that is known about a plan in addition to its states.

    `collections` determine whether an account or zone accepts the plan. `warnings` are sentences on
    what the plan changes in addition to its objects, or on what is not known of that. `expected`
    are the results of expectations. `ineffective` are objects of the task that cannot work, None
    for a task whose objects always can; `ineffective_afterwards` are those of the planned state,
    None if there is no report, or the plan has no operations. `measured` are the measurements of
    the rate limits of the task, None if it does not ask for them.
    """

    collections: Mapping[CollectionPlace, ObjectsOrError] = NO_ITEMS
    warnings: Sequence[str] = ()
    expected: Mapping[str, Any] = NO_ITEMS
    backtested: Backtested | None = None
    measured: Sequence[Mapping[str, object]] | None = None
    ineffective: Sequence[Mapping[str, object]] | None = None
    ineffective_afterwards: Sequence[Mapping[str, object]] | None = None

    @property
    def of_past_requests(self) -> Mapping[str, Any]:
        """The results on past requests: a backtest, and measured rate limits."""
        results: dict[str, Any] = {}
        if self.backtested:
            results["backtest"] = self.backtested.backtest_record
        if self.measured is not None:
            results["measured"] = self.measured
        return results

    def look_up(self, resource: Resource) -> Sequence[Object]:
        """The objects of a collection that was read; raises the error if reading it failed."""
        answer = self.collections[place_of_collection(resource)]
        if isinstance(answer, ProtectionError):
            raise answer
        return answer


def past_requests_finding(planned: Planned, facts: Facts) -> FinderAnswer:
    """The risk that a plan would stop too many of the past requests, or that nobody knows how many;
    None otherwise."""
    found = [backtest_finding(planned.plan, facts.backtested)] if facts.backtested else []
    found += _against_rules(planned)
    sentences: list[str] = []
    entries: list[Entry] = []
    for answer in found:
        if answer:
            sentences.append(answer[0])
            entries += answer[2]
    return (" ".join(sentences), [], entries) if sentences else None


def _against_rules(planned: Planned) -> Iterator[FinderAnswer]:
    """The verdicts that speak against rules which do not wait for all that: the task accepts it, or
    they cannot wait."""
    for operation in planned.plan.operations:
        resource, target = operation.resource, operation.target
        verdict = planned.verdicts.get(target)
        if resource.mode_field or not verdict or target in planned.against:
            continue
        if verdict.reason:
            title = resource.title_of(operation.planned or {})
            message = " ".join([verdict.message, *verdict.advice])
            yield f"{title}: {message}", [], entries_of([operation])


def backtest_finding(plan: Plan, backtested: Backtested) -> FinderAnswer:
    """The risk that more of the requests that pass today would be stopped than may be, or may be
    stopped, or that the result of the backtest is not known; None otherwise.
    """
    backtest, backtest_record, most = backtested
    reasons = list(backtest_record["unknown"])
    requests = backtest.requests
    most_requests = Fraction(str(most)) * requests["passing"] / 100
    if requests["may_block"] > most_requests:
        reasons += _too_many_stopped(backtest, backtest_record, most)
    if not reasons:
        return None
    from .._schema.custom_rules import CUSTOM_RULES  # loaded for rules

    stopping = [tried.ending_rule.rule for tried in backtest.tried if tried.may_stop]
    entries = [Entry(CUSTOM_RULES, rule.key, rule.entry) for rule in stopping]
    return " ".join(reasons), [], entries or entries_of(plan.operations)


def _too_many_stopped(
    backtest: Backtest, backtest_record: BacktestRecord, most: float
) -> list[str]:
    """Sentences on the requests that planned rules would stop or may stop; `most` is the percentage
    that the task allows.
    """
    from .._traffic.stopped import MAY_STOP, WOULD_STOP, StoppedLimits, StoppedTraffic

    doubts, requests = sentences_on_undecided(backtest), backtest.requests
    stopping = [rule for rule in backtest_record["rules"] if rule["requests"]]
    rules = first_few([f"{rule['ref']} {rule['percent']:g} %" for rule in stopping])
    by_rules = f": {rules}" if stopping else ""
    found = StoppedTraffic(requests["may_block"], requests["passing"], PASSING_REQUESTS)
    verb = MAY_STOP if doubts else WOULD_STOP
    return [f"The planned rules {found.beyond(StoppedLimits(most), verb)}{by_rules}.", *doubts]


def sentences_on_undecided(backtest: Backtest) -> list[str]:
    """A sentence on the requests of which a backtest does not know whether they would be stopped;
    none without such requests."""
    number = backtest.may_or_may_not_block
    if not number:
        return []
    from .._traffic.queries import percentage

    percent = percentage(number, backtest.requests["passing"]) or 0
    return [f"Of {percent:g} % it is not known, without {first_few(backtest.doubts)}."]

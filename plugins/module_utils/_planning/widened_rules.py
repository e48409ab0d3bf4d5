# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules that stop traffic already and would stop more, and rate limits that cannot log: past
requests speak for them before they are written. Not known counts as too much."""

from __future__ import annotations

from datetime import datetime
from typing import AbstractSet, Mapping, NamedTuple, Sequence

from .._api.client import Client
from .._expressions.expression import Expression
from .._expressions.solve import unmatched
from .._guard.facts import PASSING_REQUESTS, sentences_on_undecided
from .._plan.plan import POSITION, Operation, Plan
from .._plan.rollout import EvidenceLimits, Target, Verdict
from .._protection.backtest import Backtest, BacktestRecord
from .._protection.backtested import of_analytics
from .._protection.measured import Analytics, requests_over_limit
from .._protection.monitoring import UNDECIDING, ladder_of, raises_rule
from .._schema.rate_limits import RATE_LIMIT_RULES, limit_of
from .._schema.resource import ACTION, NO_ITEMS, ZONE_OPTION, Object, Resource, without
from .._traffic.stopped import MIGHT_HAVE_STOPPED, WOULD_HAVE_STOPPED, StoppedTraffic
from .verdicts import verdict_on
from .way import with_rulesets_after

ONLY_REQUESTS = (
    "No past packets tell which of them its new values match. Write them as a new rule, which logs"
    " first."
)
NO_TIME = "Cloudflare does not tell its time."
RATE_LIMIT, EXPRESSION, REQUESTS = "ratelimit", "expression", "requests"
LOOSER_IF_HIGHER, LOOSER_IF_LOWER = "requests_per_period", "mitigation_timeout"


def widens(operation: Operation) -> bool:
    """Return whether a rule that stops traffic may stop more of it after an operation."""
    existing, planned = operation.existing, operation.planned
    if operation.resource.mode_field or existing is None or planned is None:
        return False
    return may_stop_more(operation.resource, existing, planned, {*operation.fields})


def may_stop_more(
    resource: Resource, existing: Object, planned: Object, changed: AbstractSet[str]
) -> bool:
    """Return whether both of these rules stop traffic, and the planned one may stop more of it;
    they differ in the fields that are `changed`."""
    ladder = ladder_of(resource)
    if ladder is None or not ladder.is_at_last(existing) or not ladder.is_at_last(planned):
        return False
    names = changed - {POSITION, *UNDECIDING, *ladder.of_last_alone}
    return any(_stops_more(name, existing, planned) for name in names)


def _stops_more(name: str, existing: Object, planned: Object) -> bool:
    """Return whether a rule may stop more by the change of a field."""
    if name == ACTION:  # a block stops people whom a challenge lets pass
        return bool(planned[ACTION] == "block")
    if name == EXPRESSION:
        texts = (Expression.of_object(existing), Expression.of_object(planned))
        return bool(unmatched(*texts))
    if name == RATE_LIMIT:
        return not _is_looser(limit_of(existing), limit_of(planned))
    return True


def _is_looser(before: Object, after: Object) -> bool:
    """Return whether a limit counts as before, and stops a client later and for a shorter time."""
    numbers = (LOOSER_IF_HIGHER, LOOSER_IF_LOWER)
    if without(before, *numbers) != without(after, *numbers):
        return False
    more = _number(after, LOOSER_IF_HIGHER) >= _number(before, LOOSER_IF_HIGHER)
    return more and _number(after, LOOSER_IF_LOWER) <= _number(before, LOOSER_IF_LOWER)


def _number(limit: Object, name: str) -> int:
    number = limit.get(name)
    return number if isinstance(number, int) else 0


class StoppedMore(NamedTuple):
    """The requests that a rule would have stopped beyond what is stopped already, and the reasons
    why more of them may be. `undecided` are sentences on those of them that it might have let
    pass."""

    traffic: StoppedTraffic
    unknown: Sequence[str] = ()
    undecided: Sequence[str] = ()


NONE_STOPPED = StoppedTraffic(0, 0, REQUESTS)


def past_verdicts(
    operations: Sequence[Operation],
    plan: Plan,
    client: Client,
    now: datetime | None,
    limits: Mapping[Target, EvidenceLimits],
) -> dict[Target, Verdict]:
    """The verdicts of past requests on rules of a plan that these operations have stop more."""
    by_hours: dict[float, list[Operation]] = {}
    for operation in operations:
        by_hours.setdefault(limits[operation.target].hours, []).append(operation)
    verdicts: dict[Target, Verdict] = {}
    for hours, examined in by_hours.items():
        for target, stopped in _stopped_more(examined, plan, client, now, hours).items():
            verb = MIGHT_HAVE_STOPPED if stopped.undecided else WOULD_HAVE_STOPPED
            of_rule = limits[target]
            verdicts[target] = verdict_on(
                stopped.traffic, of_rule, stopped.unknown, stopped.undecided, verb
            )
    return verdicts


def _stopped_more(
    operations: Sequence[Operation], plan: Plan, client: Client, now: datetime | None, hours: float
) -> dict[Target, StoppedMore]:
    """The requests of the last hours that each of these operations would have stopped, with one
    query for all rules that a backtest evaluates."""
    zone_id = client.owner.get(ZONE_OPTION)
    stopped: dict[Target, StoppedMore] = {}
    backtests: dict[Target, Backtest] = {}
    for operation in operations:
        resource, target = operation.resource, operation.target
        if now is None:
            stopped[target] = StoppedMore(NONE_STOPPED, [NO_TIME])
        elif zone_id is None or resource.traffic != "request":
            stopped[target] = StoppedMore(NONE_STOPPED, [ONLY_REQUESTS])
        elif resource.plural == RATE_LIMIT_RULES.plural:
            analytics = Analytics(client.ask, zone_id, now, hours)
            stopped[target] = _over_limit(operation, plan, analytics)
        else:
            backtests[target] = _backtest_of(operation, plan)
    if backtests:
        records = of_analytics([*backtests.values()], client.ask, zone_id, now, hours)
        for (target, backtest), record in zip(backtests.items(), records):
            stopped[target] = _of_backtest(backtest, record)
    return stopped


def _backtest_of(operation: Operation, plan: Plan) -> Backtest:
    """The backtest of one operation of a plan, without the others."""
    alone = with_rulesets_after(plan._replace(operations=(operation,), order=NO_ITEMS))
    return Backtest(plan.before, alone.after())


def _of_backtest(backtest: Backtest, record: BacktestRecord) -> StoppedMore:
    number, passing = backtest.requests["may_block"], backtest.requests["passing"]
    stopped = StoppedTraffic(number, passing, PASSING_REQUESTS)
    return StoppedMore(stopped, record["unknown"], sentences_on_undecided(backtest))


def _over_limit(operation: Operation, plan: Plan, analytics: Analytics) -> StoppedMore:
    """The requests that a rate limit would have stopped, without those that it stops today; a block
    stops people whom a challenge lets pass."""
    is_new = raises_rule(operation) or operation.fields.get(ACTION) == "block"
    today = None if is_new else operation.existing
    over = requests_over_limit(operation.planned or {}, plan.before, analytics, today)
    return StoppedMore(StoppedTraffic(over.stopped, over.requests, REQUESTS), over.unknown)

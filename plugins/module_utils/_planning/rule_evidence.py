# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Evidence before an action: what a rule has logged speaks for giving it its action, or against it.
Not known counts as too much."""

from __future__ import annotations

from datetime import datetime
from typing import AbstractSet, Mapping, NamedTuple, Sequence, Tuple

from .._api.client import Client
from .._plan.plan import Operation, Plan
from .._plan.rollout import EvidenceLimits, Target, Verdict
from .._protection.monitoring import UNDECIDING, enabled_too_soon, ladder_of, raises_rule
from .._schema.rate_limits import RATE_LIMIT_RULES
from .._schema.resource import NO_ITEMS
from .._text import sentence
from .._traffic.logged import LoggedTraffic, read_logged
from .._traffic.stopped import StoppedTraffic
from .verdicts import verdict_on
from .widened_rules import past_verdicts, widens

TrafficAndHours = Tuple[str, float]  # which rules match, and which are examined
LoggedByHours = Mapping[TrafficAndHours, LoggedTraffic]
ASKED_FOR = (
    "It changes while it would get its action, so that its log says nothing of it; it logs with its"
    " new values first."
)
NO_ID = "Cloudflare shows no id of it, by which the analytics name it."
STOP = "stop"


class RuleEvidence(NamedTuple):
    """The evidence for rules, or against them: their logs, and the verdicts of past requests on
    rules that would stop more than today."""

    logged: LoggedByHours = NO_ITEMS
    by_past_requests: Mapping[Target, Verdict] = NO_ITEMS


class RuleQuestion(NamedTuple):
    """The question whether the log of rules speaks against giving them their actions, and past
    requests against having them stop more; rules that get that `at_once` need no answer. Those in
    `tested` cannot log. If the task `has_backtest`, that has a limit of its own, so that those
    rules are asked about by their own limits as well."""

    stages: Mapping[Target, EvidenceLimits]
    now: datetime | None
    at_once: AbstractSet[Target]
    tested: Mapping[Target, EvidenceLimits] = NO_ITEMS
    has_backtest: bool = False

    def _asked(self, plan: Plan) -> list[Operation]:
        """The operations that give a rule its action by stages."""
        return [
            operation
            for operation in plan.operations
            if operation.target in self.stages
            and operation.target not in self.at_once
            and raises_rule(operation)
        ]

    def asked_of_past_requests(self, plan: Plan) -> list[Operation]:
        """The operations of a plan on which past requests decide: they have a rule stop more than
        today, or switch on a rule that cannot log and that no backtest holds to its limit."""
        limits = self._limits
        return [
            operation
            for operation in plan.operations
            if operation.target in limits
            and operation.target not in self.at_once
            and (widens(operation) or self._is_new_without_log(operation))
        ]

    @property
    def _limits(self) -> dict[Target, EvidenceLimits]:
        """The limits of all rules that go through stages, whether they can log or not."""
        return {**self.tested, **self.stages}

    def _is_new_without_log(self, operation: Operation) -> bool:
        if operation.target not in self.tested or not raises_rule(operation):
            return False
        return self.has_backtest or not is_backtested(operation)

    def _without_traffic(self, operation: Operation) -> Verdict | None:
        """The verdict on a rule that needs no traffic to be judged; None for any other."""
        resource, existing = operation.resource, operation.existing
        ladder, limits = ladder_of(resource), self.stages[operation.target]
        reason = enabled_too_soon(resource, existing, self.now, limits.time)
        if ladder is None or existing is None or reason:
            return Verdict.unknown(sentence(f"it {reason}"), [], verb=STOP)
        if set(operation.fields) - {ladder.field, *ladder.of_last_alone, *UNDECIDING}:
            return Verdict.unknown(ASKED_FOR, [], restarts=True, verb=STOP)
        return None if existing.get("id") else Verdict.unknown(NO_ID, [], verb=STOP)

    def read(self, plan: Plan, client: Client) -> RuleEvidence:
        """The evidence on the rules of a plan."""
        asked = self.asked_of_past_requests(plan)
        by_past_requests = past_verdicts(asked, plan, client, self.now, self._limits)
        return RuleEvidence(self._read_logged(plan, client), by_past_requests)

    def _read_logged(self, plan: Plan, client: Client) -> dict[TrafficAndHours, LoggedTraffic]:
        """The traffic that can tell of the rules of a plan."""
        logged: dict[TrafficAndHours, LoggedTraffic] = {}
        for operation in self._asked(plan):
            resource, limits = operation.resource, self.stages[operation.target]
            if self.now is None or self._without_traffic(operation):
                continue
            key = (resource.traffic, limits.hours)
            if key not in logged:
                owner, since = client.owner[resource.owner], self.now - limits.time
                logged[key] = read_logged(client.ask, owner, resource.traffic, since, self.now)
        return logged

    def verdicts(self, plan: Plan, evidence: RuleEvidence) -> dict[Target, Verdict]:
        """The verdicts on all rules that get their action by a plan, or stop more by it."""
        verdicts = dict(evidence.by_past_requests)
        for operation in self._asked(plan):
            limits, verdict = self.stages[operation.target], self._without_traffic(operation)
            if verdict is None:
                identity, traffic = (operation.existing or {}).get("id"), operation.resource.traffic
                matched = evidence.logged[traffic, limits.hours]
                verdict = verdict_of(str(identity), traffic, matched, limits)
            verdicts[operation.target] = verdict
        return verdicts


def is_backtested(operation: Operation) -> bool:
    """Return whether a backtest tells what a rule stops that did not stop any before: it evaluates
    no rate limits."""
    return raises_rule(operation) and operation.resource.plural != RATE_LIMIT_RULES.plural


def verdict_of(
    identity: str, traffic: str, logged: LoggedTraffic, limits: EvidenceLimits
) -> Verdict:
    """The verdict on the rule with this id, which matches requests or packets."""
    matched = StoppedTraffic(logged.matched.get(identity, 0), logged.number, f"{traffic}s")
    return verdict_on(matched, limits, logged.unknown, _advice(logged.unknown))


def _advice(unknown: Sequence[str]) -> Sequence[str]:
    return [f"Besides, not all is known: {' '.join(unknown)}"] if unknown else []

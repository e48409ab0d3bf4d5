# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Evidence before an action: what a rule has logged speaks for giving it its action, or against it.
Not known counts as too much."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from typing import AbstractSet, Mapping, NamedTuple, Sequence, Tuple

from .._api.client import Client
from .._plan.plan import Operation, Plan
from .._plan.rollout import EvidenceLimits, Target, Verdict
from .._protection.monitoring import enabled_too_soon, ladder_of, raises_rule
from .._text import sentence
from .._traffic.logged import LoggedTraffic, read_logged
from .._traffic.queries import percentage
from .._traffic.stopped import WOULD_HAVE_STOPPED, StoppedLimits, StoppedTraffic

TrafficAndHours = Tuple[str, float]  # which rules match, and which are examined
LoggedByHours = Mapping[TrafficAndHours, LoggedTraffic]
ASKED_FOR = (
    "It changes while it would get its action, so that its log says nothing of it; it logs with its"
    " new values first."
)
NO_ID = "Cloudflare shows no id of it, by which the analytics name it."
STOP = "stop"
INERT = ("description",)  # which changes nothing of what a rule matches


class RuleQuestion(NamedTuple):
    """The question whether the log of rules speaks against giving them their actions; rules that
    get them `at_once` need no answer."""

    stages: Mapping[Target, EvidenceLimits]
    now: datetime | None
    at_once: AbstractSet[Target]

    def _asked(self, plan: Plan) -> list[Operation]:
        """The operations that give a rule its action by stages."""
        return [
            operation
            for operation in plan.operations
            if operation.target in self.stages
            and operation.target not in self.at_once
            and raises_rule(operation)
        ]

    def _without_traffic(self, operation: Operation) -> Verdict | None:
        """The verdict on a rule that needs no traffic to be judged; None for any other."""
        resource, existing = operation.resource, operation.existing
        ladder, limits = ladder_of(resource), self.stages[operation.target]
        reason = enabled_too_soon(resource, existing, self.now, limits.time)
        if ladder is None or existing is None or reason:
            return Verdict.unknown(sentence(f"it {reason}"), [], verb=STOP)
        if set(operation.fields) - {ladder.field, *ladder.of_last_alone, *INERT}:
            return Verdict.unknown(ASKED_FOR, [], restarts=True, verb=STOP)
        return None if existing.get("id") else Verdict.unknown(NO_ID, [], verb=STOP)

    def read(self, plan: Plan, client: Client) -> dict[TrafficAndHours, LoggedTraffic]:
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

    def verdicts(self, plan: Plan, logged: LoggedByHours) -> dict[Target, Verdict]:
        """The verdicts on all rules that get their action by a plan."""
        verdicts: dict[Target, Verdict] = {}
        for operation in self._asked(plan):
            limits, verdict = self.stages[operation.target], self._without_traffic(operation)
            if verdict is None:
                identity, traffic = (operation.existing or {}).get("id"), operation.resource.traffic
                matched = logged[traffic, limits.hours]
                verdict = verdict_of(str(identity), traffic, matched, limits)
            verdicts[operation.target] = verdict
        return verdicts


def verdict_of(
    identity: str, traffic: str, logged: LoggedTraffic, limits: EvidenceLimits
) -> Verdict:
    """The verdict on the rule with this id, which matches requests or packets."""
    matched, number = logged.matched.get(identity, 0), logged.number
    percent = percentage(matched, number)
    if matched * 100 > Fraction(str(limits.max_percent)) * number:
        found = StoppedTraffic(matched, number, f"{traffic}s", when=f"within {limits.hours:g} h")
        most = StoppedLimits(limits.max_percent, limits.max_packets)
        message = f"It {found.beyond(most, WOULD_HAVE_STOPPED)}."
        return Verdict("evidence", message, percent, matched, advice=_advice(logged.unknown))
    if logged.unknown:
        return Verdict.unknown(" ".join(logged.unknown), [], verb=STOP)
    return Verdict("", "", percent, matched)


def _advice(unknown: Sequence[str]) -> Sequence[str]:
    return [f"Besides, not all is known: {' '.join(unknown)}"] if unknown else []

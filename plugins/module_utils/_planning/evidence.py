# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Evidence before mitigation: past traffic speaks for enabling a rule or filter, or against it.

Network by network, so that a small one is not hidden by a large one. Not known counts as too much.
"""

from __future__ import annotations

from datetime import datetime
from typing import AbstractSet, NamedTuple, Sequence

from .._api.client import Client
from .._plan.plan import Operation, Plan
from .._plan.rollout import EvidenceLimits, Target, Verdict
from .._protection.coverage import Coverage, protected_since
from .._protection.coverage_losses import not_monitored_before
from .._protection.deciding import Decided, decided_by
from .._protection.monitoring import enabled_too_soon, enabling
from .._schema.account import COMPONENTS
from .._schema.resource import ACCOUNT_OPTION
from .._text import Unread, first_few, sentence
from .._traffic.ask import AccountTraffic, ask_traffic
from .._traffic.evidence import evidence_of
from .._traffic.queries import node_of
from .._values.address_set import difference, networks
from .judging import Doubt, judge
from .silences import silent

CHANGES = (
    "It changes while it would be enabled, so that the traffic so far says nothing of it; change it"
    " first, and enable it later."
)
SWITCHED_OFF = "TCP protection is off, so that nothing was monitored."
BROUGHT = (
    "The same plan brings it traffic to {} that nothing monitored; apply that first, and enable it"
    " later."
)
YOUNG = "It is not known that these networks are protected for {:g} h already: {}."


class Question(NamedTuple):
    """The question whether past traffic speaks against enabling the objects of a plan; objects that
    are enabled `at_once` need no answer.
    """

    limits: EvidenceLimits
    now: datetime | None
    at_once: AbstractSet[Target]

    def without_traffic(self, plan: Plan) -> dict[Target, Verdict]:
        """The verdicts on those objects that need no traffic to be judged."""
        verdicts: dict[Target, Verdict] = {}
        for operation in enabling(plan):
            if operation.target in self.at_once:
                continue
            resource, existing = operation.resource, operation.existing
            reason = enabled_too_soon(resource, existing, self.now, self.limits.time)
            if reason:
                verdicts[operation.target] = Verdict.unknown(sentence(f"it {reason}"), [])
            elif set(operation.fields) - {resource.mode_field}:
                verdicts[operation.target] = Verdict.unknown(CHANGES, [], restarts=True)
        return verdicts

    def open_operations(self, plan: Plan) -> list[Operation]:
        """The operations of a plan on which only the traffic can decide."""
        decided = self.at_once | self.without_traffic(plan).keys()
        return [operation for operation in enabling(plan) if operation.target not in decided]

    def verdicts(self, plan: Plan, traffic: AccountTraffic | None) -> dict[Target, Verdict]:
        """The verdicts on all objects that a plan enables; `traffic` is the traffic that was asked
        for.
        """
        verdicts = self.without_traffic(plan)
        operations = self.open_operations(plan)
        if operations and traffic:
            verdicts.update(verdicts_of(operations, plan, traffic, self.limits))
        return verdicts


def ask(client: Client, operations: Sequence[Operation], question: Question) -> AccountTraffic:
    """The traffic that the components of some operations saw."""
    now, limits = question.now, question.limits
    if now is None:
        raise ValueError("without Cloudflare's time nothing has monitored long enough")
    concerned = {operation.resource.component for operation in operations}
    components = [name for name in COMPONENTS if name in concerned]
    account_id = client.owner[ACCOUNT_OPTION]
    since = now - limits.time
    return ask_traffic(client.ask, account_id, components, since, now, by_hour=True)


def verdicts_of(
    operations: Sequence[Operation],
    plan: Plan,
    account_traffic: AccountTraffic,
    limits: EvidenceLimits,
) -> dict[Target, Verdict]:
    """The verdicts on the objects of these operations, by the traffic and by the coverage after the
    plan.
    """
    before, after = Coverage(plan.before), Coverage(plan.after())
    is_off = before.enabled is False
    verdicts: dict[Target, Verdict] = {}
    decided_traffic: list[tuple[Operation, Decided]] = []
    for operation in operations:
        decided = _decides_for(operation, after, is_off)
        if isinstance(decided, Verdict):
            verdicts[operation.target] = decided
        else:
            decided_traffic.append((operation, decided))
    spaces = {tuple(decided.space): decided.space for _operation, decided in decided_traffic}
    traffic = account_traffic.traffic(list(spaces.values()))
    settled = protected_since(before, account_traffic.since)
    for operation, decided in decided_traffic:
        young = difference(decided.space, settled)
        old = difference(decided.space, young)
        brought = not_monitored_before(before, after, operation.resource, operation.key, old)
        doubts: list[Doubt] = []
        if young:
            doubts.append((YOUNG.format(limits.hours, first_few(networks(young))), young))
        if brought:
            doubts.append((BROUGHT.format(first_few(networks(brought))), brought))
        component = str(operation.resource.component)
        evidence = evidence_of(traffic, component)
        hours = account_traffic.hourly_by_node.get(node_of(component).name)
        if hours:
            doubts += silent(hours, decided, evidence)
        verdicts[operation.target] = judge(decided, evidence, limits, doubts)
    return verdicts


def _decides_for(operation: Operation, coverage: Coverage, is_off: bool) -> Decided | Verdict:
    """The traffic for which an object decides, or a verdict if that is not known."""
    if is_off and COMPONENTS[str(operation.resource.component)].is_switched:
        return Verdict.unknown(SWITCHED_OFF, coverage.protected)
    try:
        return decided_by(coverage, operation.resource, operation.planned or {})
    except Unread as exc:
        return Verdict.unknown(sentence(f"what it matches is not known: {exc}"), coverage.protected)

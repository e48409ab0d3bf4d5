# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Gathers the evidence for what a task enables: it asks the analytics at most once a task.

The traffic comes together with what is left to read of the account, so that it takes no longer.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Sequence

from .._api.client import Client
from .._concurrency import concurrently
from .._coverage.coverage import Coverage
from .._plan.plan import Operation, Plan
from .._schema.account import COMPONENTS, OWNER
from .._schema.resource import Resource
from .._traffic.ask import Listings, ask_traffic
from .acceptance import Acceptance, accepting
from .enabling import Verdicts, enabling, key_of
from .evidence import EvidenceLimits
from .gate import Gate
from .risks.base import FoundRisk, entries_of
from .risks.traffic import drops_traffic


@dataclass
class EvidenceSource:
    """What the traffic says of the objects that the plans of one task enable.

    `verdicts` are those of the last plan, `against` those that kept something back.
    """

    gate: Gate
    accepted: Sequence[Acceptance]
    client: Client
    verdicts: Verdicts = field(default_factory=dict)
    against: Verdicts = field(default_factory=dict)
    _listings: Listings | None = field(default=None)

    @classmethod
    def begun(
        cls,
        limits: EvidenceLimits,
        now: datetime | None,
        accepted: Sequence[Acceptance],
        client: Client,
    ) -> EvidenceSource:
        """The source of a task that asks for this at Cloudflare's time, before anything is
        asked."""
        return cls(Gate(limits, now), accepted, client)

    def examine(self, plan: Plan, unread: Sequence[Resource]) -> Plan:
        """The plan from the whole state of its account, once its verdicts are known."""
        items = enabling(plan)
        verdicts = self.gate.unasked(items)
        asking = [item for item in items if key_of(item) not in verdicts]
        work: list[Resource | None] = [*unread]
        if asking and self._listings is None:
            work.append(None)
        results = list(concurrently(lambda resource: self._learn(resource, asking), work))
        if len(results) > len(unread):
            self._listings = results[-1]
        rest = {resource.plural: objects for resource, objects in zip(unread, results)}
        plan = replace(plan, before={**rest, **plan.before})
        if asking and self._listings:
            coverage = Coverage(plan.after())
            is_off = Coverage(plan.before).enabled is False
            verdicts.update(self.gate.verdicts(asking, coverage, self._listings, is_off))
        self.verdicts = verdicts
        return plan

    def _learn(self, resource: Resource | None, asking: Sequence[Operation]) -> Any:
        """The objects of a collection; or else the traffic."""
        if resource is not None:
            return self.client.read(resource)
        concerned = {item.resource.component for item in asking}
        components = [name for name in COMPONENTS if name in concerned]
        if self.gate.now is None:
            raise ValueError("without Cloudflare's time nothing has monitored long enough")
        since = self.gate.now - self.gate.limits.time
        account_id = self.client.owner[OWNER]
        return ask_traffic(self.client.ask, account_id, components, since, self.gate.now)

    def keep_back(self, plan: Plan) -> bool:
        """Add what the traffic speaks against in a plan, without what the task accepts, to
        `against`; whether there is any."""
        against = {}
        for item in enabling(plan):
            verdict = self.verdicts.get(key_of(item))
            if verdict and verdict.reason:
                risk = FoundRisk(drops_traffic.code, "", list(verdict.ranges), entries_of([item]))
                if not accepting(risk, self.accepted, self.gate.now):
                    against[key_of(item)] = verdict
        self.against = {**self.against, **against}
        return bool(against)

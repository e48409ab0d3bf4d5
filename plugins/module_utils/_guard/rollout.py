# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The staged rollout: a rule or filter goes from disabled to monitoring, learns of connections, and
is then enabled.

The vendor describes it on its page "Advanced TCP Protection: concepts".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, AbstractSet, Any, Callable, Iterable, Sequence

from .._api.client import Client
from .._concurrency import concurrently
from .._plan.desired import Desired
from .._plan.plan import Operation, Plan
from .._plan.reconcile import Adjust, as_desired
from .._schema.account import ENABLED, MONITORING, decided_with
from .._schema.resource import Key, Object, Resource, Values
from .._timestamps import started_before, write_timestamp
from .._values.address_set import networks
from .acceptance import accepting
from .risks.account import drops_traffic, monitoring_time, skips_monitoring
from .risks.base import (
    Finding,
    Verdict,
    VerdictKey,
    Verdicts,
    enabled_too_soon,
    enabling,
    entries_of,
    mode_of,
)
from .terms import Pending, Terms

if TYPE_CHECKING:  # loaded by the tasks that ask for it: Ansible compiles it in every run
    from .._traffic.ask import AccountTraffic

AVOIDED = (skips_monitoring.code, drops_traffic.code)  # the risks for which a rollout waits


@dataclass
class Rollout:
    """The rollout of one run, at Cloudflare's time `now`, None if it is not known.

    If the `terms` of the task ask for stages, a rule or filter monitors first, and longer if the
    traffic speaks against it, for tasks that ask for that as well. `local_time` keeps
    `not_before` out of the past. `verdicts` are what the traffic says of the objects that the last
    plan enables, `against` those that keep an object back, and `staged` the objects that are to be
    enabled later. Those that are enabled `at_once` wait for nothing.
    """

    client: Client
    now: datetime | None
    terms: Terms
    local_time: datetime | None = None
    verdicts: dict[VerdictKey, Verdict] = field(default_factory=dict)
    against: dict[VerdictKey, Verdict] = field(default_factory=dict)
    staged: set[VerdictKey] = field(default_factory=set)
    at_once: AbstractSet[VerdictKey] = frozenset()
    _listings: AccountTraffic | None = None

    @property
    def monitoring(self) -> timedelta:
        """The time for which a rule or filter monitors before it is enabled."""
        least, evidence = monitoring_time(self.terms.limits), self.terms.evidence
        return max(least, evidence.time) if evidence else least

    def plan(self, make: Callable[[Adjust], Plan]) -> Plan:
        """The plan; if it may change who is protected, it starts from the state of all that decides
        on that, and enables nothing against the traffic."""
        plan = make(self._adjusting({}))
        if not changes_protection(plan):
            return plan
        changed = plan.resources.values()
        together = {one.plural: one for item in changed for one in decided_with(item)}
        unread = [one for name, one in together.items() if name not in plan.before]
        plan = self._examined(plan, unread)
        if not self.terms.is_staged or not self._keep_back(plan):
            return plan
        return make(self._adjusting(self.against))._replace(before=plan.before)

    def _examined(self, plan: Plan, unread: Sequence[Resource]) -> Plan:
        """The plan from the whole state of its account, once its verdicts are known."""
        work: list[Callable[[], Any]] = [partial(self.client.read, item) for item in unread]
        asking: Sequence[Operation] = ()
        limits = self.terms.evidence
        if limits:
            from . import evidence  # loaded by the tasks that ask for it

            verdicts = evidence.verdicts_without_traffic(plan, limits, self.now)
            self.verdicts = {key: verdicts[key] for key in verdicts if key not in self.at_once}
            known = self.at_once | verdicts.keys()
            asking = [item for item in enabling(plan) if item.target not in known]
            if asking and self._listings is None:
                work.append(partial(evidence.ask, self.client, asking, limits, self.now))
        results = list(concurrently(lambda call: call(), work))
        if len(results) > len(unread):
            self._listings = results[-1]
        rest = {resource.plural: objects for resource, objects in zip(unread, results)}
        plan = plan._replace(before={**rest, **plan.before}) if rest else plan
        if asking and limits and self._listings:
            self.verdicts.update(evidence.verdicts_of(asking, plan, self._listings, limits))
        return plan

    def _keep_back(self, plan: Plan) -> bool:
        """Add the objects that a plan enables against the traffic, and that the task does not
        accept, to `against`; true if there are any."""
        against = {}
        for item in enabling(plan):
            verdict = self.verdicts.get(item.target)
            if verdict and verdict.reason:
                entries = entries_of([item])
                finding = Finding(drops_traffic.code, verdict.message, verdict.ranges, entries)
                if not accepting(finding, self.terms.accepted, self.now):
                    against[item.target] = verdict
        self.against = {**self.against, **against}
        return bool(against)

    def _adjusting(self, against: Verdicts) -> Adjust:
        """Makes desired values those of this stage: without a mode if the existing one stays."""

        def adjust(resource: Resource, existing: Object | None, values: Values) -> Values:
            mode = resource.mode_field
            if not mode or values.get(mode) != ENABLED:
                return values
            identity = (resource.plural, resource.key_of(values))
            if identity in self.at_once:
                return values
            is_early = enabled_too_soon(resource, existing, self.now, self.monitoring)
            if not is_early and identity not in against:
                return values
            self.staged.add(identity)
            if mode_of(resource, existing) == MONITORING:
                return {name: value for name, value in values.items() if name != mode}
            return {**values, mode: MONITORING}

        return adjust if self.terms.is_staged else as_desired

    def avoided(self, plan: Plan, desired: Iterable[Desired]) -> Sequence[str]:
        """The codes of the risks that the plan avoids by waiting."""
        return AVOIDED if self.pending(plan, desired) else ()

    def pending(self, plan: Plan, desired: Iterable[Desired]) -> list[Pending]:
        """The objects that the task wants enabled, and that the plan leaves at an earlier stage."""
        if not self.terms.is_staged:
            return []
        changed = {item.target for item in plan.operations}
        after = plan.after()
        pending: list[Pending] = []
        for item in desired:
            resource, mode = item.resource, item.resource.mode_field
            if not mode:
                continue
            objects = {resource.key_of(obj): obj for obj in after[resource.plural]}
            for key, values in item.objects.items():
                is_left = key in objects and mode_of(resource, objects[key]) != ENABLED
                if is_left and values.get(mode) == ENABLED:
                    is_changed = (resource.plural, key) in changed
                    pending.append(self._pending(resource, key, objects[key], is_changed))
        return pending

    def _pending(self, resource: Resource, key: Key, obj: Object, is_changed: bool) -> Pending:
        """An object that the traffic keeps back, or that has not monitored long enough."""
        verdict, not_before = self.against.get((resource.plural, key)), None
        if verdict and not verdict.restarts:
            sentences = ["monitors, and is not enabled yet.", verdict.message, *verdict.advice]
            message = " ".join(sentences)
        else:
            since = self.now if is_changed else started_before(self.now, obj.get("modified_on"))
            end = since + self.monitoring if since else None
            if end and self.local_time and end < self.local_time:
                end = None  # Cloudflare's clock is behind, so that nobody knows when it gets there
            not_before = write_timestamp(end) if end else None
            until = f"after {not_before}" if end else "that finds out since when"
            verdict = Verdict("time")
            message = f"monitors, and is enabled by the first run {until}."
        label = resource.label_of(obj)
        return Pending(
            resource=resource.name,
            key=label,
            mode=ENABLED,
            reason=verdict.reason,
            not_before=not_before,
            would_drop_percent=verdict.percent,
            would_drop_packets=verdict.packets,
            networks=networks(list(verdict.ranges)),
            advice=list(verdict.advice),
            message=f"{resource.title} {label} {message}",
        )


def changes_protection(plan: Plan) -> bool:
    """Tell if a plan may change who is protected, or how."""
    return any(
        item.action != "update" or not item.resource.inert.issuperset(item.fields)
        for item in plan.operations
    )

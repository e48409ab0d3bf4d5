# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The staged rollout: a rule or filter goes from disabled to monitoring, learns of connections, and
is then enabled. Pure functions.

The vendor describes it on its page "Advanced TCP Protection: concepts".
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, AbstractSet, Callable, Iterable, NamedTuple, Sequence

from .._context import Context
from .._guard.acceptance import accepting
from .._guard.finding import Finding, entries_of
from .._guard.risks.account import DROPS_TRAFFIC, SKIPS_MONITORING, monitoring_time
from .._guard.terms import Pending, Terms
from .._plan.desired import Desired
from .._plan.plan import Operation, Plan
from .._plan.reconcile import Adjust, as_desired
from .._plan.rollout import Planned, Target, Verdict, Verdicts
from .._protection.monitoring import enabled_too_soon, enabling, mode_of
from .._schema.account import ENABLED, MONITORING
from .._schema.resource import NO_ITEMS, Key, Object, Resource, Values
from .._timestamps import started_before, write_timestamp
from .._values.address_set import networks

if TYPE_CHECKING:  # loaded by the tasks that ask for it: Ansible compiles it in every run
    from .evidence import Question

AVOIDED = (SKIPS_MONITORING.code, DROPS_TRAFFIC.code)  # the risks for which a rollout waits


class Rollout(NamedTuple):
    """The rollout that a task asks for, at Cloudflare's time `now`, None if it is not known.

    If the `terms` of the task ask for stages, a rule or filter monitors first; if they ask for
    evidence, it monitors longer while the traffic speaks against it. Objects that are enabled
    `at_once` do not wait. `local_time` keeps `not_before` out of the past.
    """

    terms: Terms
    now: datetime | None
    local_time: datetime | None = None
    at_once: AbstractSet[Target] = frozenset()

    @property
    def monitoring(self) -> timedelta:
        """The time for which a rule or filter monitors before it is enabled."""
        least, evidence = monitoring_time(self.terms.limits), self.terms.evidence
        return max(least, evidence.time) if evidence else least

    @property
    def question(self) -> Question | None:
        """The question to the past traffic; None for a task that does not ask for evidence."""
        if not self.terms.evidence:
            return None
        from .evidence import Question  # loaded by the tasks that ask for it

        return Question(self.terms.evidence, self.now, self.at_once)

    def staged(self, make: Callable[[Adjust], Plan], against: Verdicts = NO_ITEMS) -> Planned:
        """The plan that `make` returns, in which an object stays at an earlier stage if it is too
        early to enable it, or if a verdict in `against` speaks against it.
        """
        if not self.terms.is_staged:
            return Planned(make(as_desired))
        staged: set[Target] = set()

        def adjust(resource: Resource, existing: Object | None, values: Values) -> Values:
            if not self._waits(resource, existing, values, against):
                return values
            key = resource.key_of(values)
            staged.add((resource.plural, key))
            return _at_earlier_stage(resource, existing, values)

        plan = make(adjust)
        return Planned(plan, frozenset(staged), against=against)

    def _waits(
        self, resource: Resource, existing: Object | None, values: Values, against: Verdicts
    ) -> bool:
        """Return whether these values would enable an object that must wait."""
        mode = resource.mode_field
        if not mode or values.get(mode) != ENABLED:
            return False
        target = (resource.plural, resource.key_of(values))
        if target in self.at_once:
            return False
        is_early = enabled_too_soon(resource, existing, self.now, self.monitoring)
        return bool(is_early) or target in against

    def refused(self, plan: Plan, verdicts: Verdicts) -> dict[Target, Verdict]:
        """The verdicts that speak against enabling objects of a plan, except for those that the
        task accepts.
        """
        refused: dict[Target, Verdict] = {}
        for operation in enabling(plan) if self.terms.is_staged else ():
            verdict = verdicts.get(operation.target)
            if verdict and verdict.reason and not self._accepts(operation, verdict):
                refused[operation.target] = verdict
        return refused

    def _accepts(self, operation: Operation, verdict: Verdict) -> bool:
        """Return whether the task accepts that an operation drops traffic."""
        entries = entries_of([operation])
        finding = Finding(DROPS_TRAFFIC.code, verdict.message, verdict.ranges, entries)
        return bool(accepting(finding, self.terms.accepted, self.now))

    def avoided(self, planned: Planned, task_desired: Iterable[Desired]) -> Sequence[str]:
        """The codes of the risks that the plan avoids by waiting."""
        return AVOIDED if self.pending(planned, task_desired) else ()

    def pending(self, planned: Planned, task_desired: Iterable[Desired]) -> list[Pending]:
        """The objects that the task wants enabled, and that the plan leaves at an earlier stage."""
        pending: list[Pending] = []
        left_alone = {operation.target for operation in planned.left_alone}
        after = planned.plan.after() if self.terms.is_staged else {}
        for desired in task_desired:
            resource, mode = desired.resource, desired.resource.mode_field
            if not mode or resource.plural not in after:
                continue
            objects = {resource.key_of(obj): obj for obj in after[resource.plural]}
            for key, values in desired.objects.items():
                if (resource.plural, key) in left_alone:
                    continue
                is_enabled = key in objects and mode_of(resource, objects[key]) == ENABLED
                if key in objects and not is_enabled and values.get(mode) == ENABLED:
                    pending.append(self._pending(planned, resource, key, objects[key]))
        return pending

    def _pending(self, planned: Planned, resource: Resource, key: Key, obj: Object) -> Pending:
        """A pending object, which waits because of the traffic, or because it has not monitored
        long enough.
        """
        target = (resource.plural, key)
        verdict, not_before = planned.against.get(target), None
        if verdict and not verdict.restarts:
            sentences = ["monitors, and is not enabled yet.", verdict.message, *verdict.advice]
            message = " ".join(sentences)
        else:
            end = self._end_of_monitoring(planned.plan, target, obj)
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

    def _end_of_monitoring(self, plan: Plan, target: Target, obj: Object) -> datetime | None:
        """The time at which an object has monitored long enough; None if it is not known."""
        is_changed = any(operation.target == target for operation in plan.operations)
        since = self.now if is_changed else started_before(self.now, obj.get("modified_on"))
        end = since + self.monitoring if since else None
        is_past = end is not None and self.local_time is not None and end < self.local_time
        # If Cloudflare's clock is behind, nobody knows when it gets there.
        return None if is_past else end


def brought_at_once(context: Context, desired: Sequence[Desired]) -> frozenset[Target]:
    """The objects that come from a posture; they are enabled without a staged rollout."""
    if not context.postures.entries:
        return frozenset()
    at_once: set[Target] = set()
    for described in desired:
        for key, entry in described.entries.items():
            if context.brings(entry.path):
                at_once.add((described.resource.plural, key))
    return frozenset(at_once)


def _at_earlier_stage(resource: Resource, existing: Object | None, values: Values) -> Values:
    """The desired values with the mode monitoring; without a mode if the object monitors
    already.
    """
    mode = str(resource.mode_field)
    if mode_of(resource, existing) == MONITORING:
        return {name: value for name, value in values.items() if name != mode}
    return {**values, mode: MONITORING}


def changes_protection(plan: Plan) -> bool:
    """Return whether a plan may change who is protected, or how."""
    for operation in plan.operations:
        is_inert = operation.resource.inert.issuperset(operation.fields)
        if operation.action != "update" or not is_inert:
            return True
    return False

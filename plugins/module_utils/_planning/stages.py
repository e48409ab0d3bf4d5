# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The staged rollout: a rule or filter goes from disabled to monitoring, learns of connections, and
is then enabled; a rule of requests or packets logs first, and then gets its action. Pure functions.

The vendor describes it on its page "Advanced TCP Protection: concepts".
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, AbstractSet, Callable, Iterable, Mapping, NamedTuple, Sequence

from .._context import Context
from .._guard.acceptance import accepting
from .._guard.finding import Finding, entries_of
from .._guard.risks.account import DROPS_TRAFFIC, SKIPS_MONITORING, monitoring_time
from .._guard.terms import BacktestTerms, Pending, Terms
from .._plan.desired import Desired
from .._plan.plan import Operation, Plan
from .._plan.reconcile import Adjust, as_desired
from .._plan.rollout import EvidenceLimits, Planned, Target, Verdict, Verdicts
from .._protection.monitoring import UNDECIDING, Ladder, enabled_too_soon, ladder_of, raises_rule
from .._schema.resource import NO_ITEMS, Object, Resource, Values, without
from .._timestamps import started_before, write_timestamp
from .._values.address_set import networks

if TYPE_CHECKING:  # loaded by the tasks that ask for it: Ansible compiles it in every run
    from .evidence import Question
    from .rule_evidence import RuleQuestion

AVOIDED = (SKIPS_MONITORING.code, DROPS_TRAFFIC.code)  # the risks for which a rollout waits


class Rollout(NamedTuple):
    """The rollout that a task asks for, at Cloudflare's time `now`, None if it is not known.

    If the `terms` of the task ask for stages, a rule or filter monitors first; if they ask for
    evidence, it monitors longer while the traffic speaks against it. Objects that are enabled
    `at_once` do not wait. `local_time` keeps `not_before` out of the past.

    Rules that ask for it themselves log first, and `stages` are the evidence that they need; those
    in `tested` cannot log in this zone, so that past requests speak for them before they are
    written.
    """

    terms: Terms
    now: datetime | None
    local_time: datetime | None = None
    at_once: AbstractSet[Target] = frozenset()
    stages: Mapping[Target, EvidenceLimits] = NO_ITEMS
    tested: Mapping[Target, EvidenceLimits] = NO_ITEMS

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

    @property
    def rule_question(self) -> RuleQuestion | None:
        """The question to what rules have logged, and to past requests; None for a task without
        such rules."""
        if not self._has_stages:
            return None
        from .rule_evidence import RuleQuestion  # loaded by the tasks that ask for it

        has_backtest = self.terms.backtest is not None
        return RuleQuestion(self.stages, self.now, self.at_once, self.tested, has_backtest)

    @property
    def _has_stages(self) -> bool:
        """Return whether rules ask for stages themselves."""
        return bool(self.stages or self.tested)

    def backtest_of(self, plan: Plan) -> BacktestTerms | None:
        """The terms of the backtest of a plan: those of the task, or those of its rules that
        cannot log; None if there are none."""
        if self.terms.backtest or not self.tested:
            return self.terms.backtest
        from .rule_evidence import is_backtested  # loaded by the tasks with such rules

        targets = [item.target for item in plan.operations if is_backtested(item)]
        limits = [self.tested[target] for target in targets if target in self.tested]
        if not limits:
            return None
        hours = max(item.hours for item in limits)
        return BacktestTerms(hours, min(item.max_percent for item in limits), None)

    def _is_staged(self, resource: Resource, target: Target) -> bool:
        """Return whether an object goes through stages."""
        return self.terms.is_staged if resource.mode_field else target in self.stages

    def _time_of(self, target: Target) -> timedelta:
        """The time for which an object stays at its earlier stage."""
        return self.stages[target].time if target in self.stages else self.monitoring

    def staged(self, make: Callable[[Adjust], Plan], against: Verdicts = NO_ITEMS) -> Planned:
        """The plan that `make` returns, in which an object stays at an earlier stage if it is too
        early to enable it, or if a verdict in `against` speaks against it.
        """
        if not self.terms.is_staged and not self._has_stages:
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
        """Return whether these values would enable an object that must wait, or have it stop
        more."""
        target = (resource.plural, resource.key_of(values))
        if target in against:
            return True
        if target in self.at_once or not self._is_staged(resource, target):
            return False
        ladder = ladder_of(resource)
        if ladder is None or not _raises(ladder, existing, values):
            return False
        return bool(enabled_too_soon(resource, existing, self.now, self._time_of(target)))

    def refused(self, plan: Plan, verdicts: Verdicts) -> dict[Target, Verdict]:
        """The verdicts that speak against enabling objects of a plan, or having them stop more,
        except for those that the task accepts.
        """
        refused: dict[Target, Verdict] = {}
        for operation in plan.operations:
            is_of_guard = operation.target in self.tested and raises_rule(operation)
            verdict = None if is_of_guard else verdicts.get(operation.target)
            if verdict and verdict.reason and not self._accepts(operation, verdict):
                refused[operation.target] = verdict
        return refused

    def _accepts(self, operation: Operation, verdict: Verdict) -> bool:
        """Return whether the task accepts that an operation drops, or blocks, traffic."""
        entries = entries_of([operation])
        risk = DROPS_TRAFFIC
        if not operation.resource.mode_field:
            from .._guard.risks.rules import BLOCKS_TRAFFIC as risk  # loaded for rules
        finding = Finding(risk.code, verdict.message, verdict.ranges, entries)
        return bool(accepting(finding, self.terms.accepted, self.now))

    def avoided(self, planned: Planned, task_desired: Iterable[Desired]) -> Sequence[str]:
        """The codes of the risks that the plan avoids by waiting."""
        return AVOIDED if self.pending(planned, task_desired) else ()

    def pending(self, planned: Planned, task_desired: Iterable[Desired]) -> list[Pending]:
        """The objects that the task wants enabled, and that the plan leaves at an earlier stage."""
        pending: list[Pending] = []
        left_alone = {operation.target for operation in planned.left_alone}
        after = planned.plan.after() if self.terms.is_staged or self._has_stages else {}
        for desired in task_desired:
            resource, ladder = desired.resource, ladder_of(desired.resource)
            may_wait = self.terms.is_staged if resource.mode_field else bool(self.stages)
            if ladder is None or resource.plural not in after or not (may_wait or planned.against):
                continue
            objects = {resource.key_of(obj): obj for obj in after[resource.plural]}
            for key, values in desired.objects.items():
                target = (resource.plural, key)
                if target in left_alone or key not in objects:
                    continue
                is_staged = self._is_staged(resource, target)
                is_open = is_staged and _is_open(ladder, objects[key], values)
                if is_open or target in planned.against:
                    final = str({**objects[key], **values}[ladder.field])
                    pending.append(self._pending(planned, resource, objects[key], final))
        return pending

    def _pending(self, planned: Planned, resource: Resource, obj: Object, final: str) -> Pending:
        """A pending object, which gets its `final` mode or action later: because of the traffic, or
        because it has not monitored long enough.
        """
        target, ladder = (resource.plural, resource.key_of(obj)), ladder_of(resource)
        if ladder is None:
            raise ValueError(f"{resource.name} has no stages")
        verdict, not_before = planned.against.get(target), None
        if verdict and not verdict.restarts:
            beginning = f"{ladder.monitors}, and {ladder.is_not_raised}."
            if ladder.is_at_last(obj):
                beginning = "goes on as it is, and does not get its new values yet."
            sentences = [beginning, verdict.message, *verdict.advice]
            message = " ".join(sentences)
        else:
            end = self._end_of_monitoring(planned.plan, target, obj.get(ladder.changed_at))
            not_before = write_timestamp(end) if end else None
            until = f"after {not_before}" if end else "that finds out since when"
            verdict = Verdict("time")
            message = f"{ladder.monitors}, and {ladder.is_raised} by the first run {until}."
        return Pending(
            resource=resource.name,
            key=resource.label_of(obj),
            mode=final,
            reason=verdict.reason,
            not_before=not_before,
            would_drop_percent=verdict.percent,
            would_drop_packets=verdict.packets,
            networks=networks(list(verdict.ranges)),
            advice=list(verdict.advice),
            message=f"{resource.title_of(obj)} {message}",
        )

    def _end_of_monitoring(self, plan: Plan, target: Target, changed_at: object) -> datetime | None:
        """The time at which an object has monitored long enough; None if it is not known."""
        is_changed = any(operation.target == target for operation in plan.operations)
        since = self.now if is_changed else started_before(self.now, changed_at)
        end = since + self._time_of(target) if since else None
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


def stages_of(desired: Iterable[Desired]) -> dict[Target, EvidenceLimits]:
    """The evidence that rules need which ask for stages themselves."""
    stages: dict[Target, EvidenceLimits] = {}
    for described in desired:
        for key, limits in described.stages.items():
            stages[described.resource.plural, key] = limits
    return stages


def _raises(ladder: Ladder, existing: Object | None, values: Values) -> bool:
    """Return whether the values of a task would have an object stop traffic."""
    return ladder.field in values and ladder.is_at_last({**(existing or {}), **values})


def _is_open(ladder: Ladder, obj: Object, values: Values) -> bool:
    """Return whether the task wants an object at the last stage that is not there."""
    return not ladder.is_at_last(obj) and _raises(ladder, obj, values)


def _at_earlier_stage(resource: Resource, existing: Object | None, values: Values) -> Values:
    """The desired values with the earlier stage, and without what goes with the last one alone;
    without a stage if the object is at the earlier one already. An object that is at the last one
    stays as it is.
    """
    ladder = ladder_of(resource)
    if ladder is None:
        return values
    if ladder.is_at_last(existing):
        names = [*resource.key, *UNDECIDING]
        return {name: values[name] for name in names if name in values}
    remaining = without(values, ladder.field, *ladder.of_last_alone)
    if ladder.is_at_earlier(existing):
        return remaining
    return {**remaining, ladder.field: ladder.earlier}


def changes_protection(plan: Plan) -> bool:
    """Return whether a plan may change who is protected, or how."""
    for operation in plan.operations:
        is_inert = operation.resource.inert.issuperset(operation.fields)
        if operation.action != "update" or not is_inert:
            return True
    return False

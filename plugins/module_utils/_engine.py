# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way of the data through a module whose options are checked: read, plan, guard, apply,
result."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping

from ._api.client import Client
from ._apply.executor import dry_run
from ._apply.recovery import Applied, BrokenOff, apply_with_recovery
from ._errors import PlanError, ProtectionError, ServiceError
from ._guard.approval import Approval
from ._guard.check import Checked, changes_protection, check_plan
from ._guard.feasibility import check_feasibility
from ._guard.rollout import StagedRollout
from ._guard.surroundings import warnings_of_surroundings, with_surroundings
from ._plan import fingerprint
from ._plan.plan import Plan
from ._plan.reconcile import as_desired, make_plan
from ._read import read_nested, read_state, with_references
from ._result import (
    Diff,
    add_orders,
    expired_records,
    expiry_warnings,
    failure_of,
    make_diff,
    operation_records,
    plan_details,
    plan_warnings,
    protection_results,
    refused_risks,
    standing_warnings,
    weaker_results,
)
from ._schema.account import decided_with
from ._schema.resource import State
from ._specs.task import Task
from ._text import joined

if TYPE_CHECKING:  # loaded by the tasks that ask for it: Ansible compiles it in every run
    from ._guard.evidence import EvidenceSource

Warn = Callable[[str], None]


def perform(task: Task, client: Client, check_mode: bool, warn: Warn) -> dict[str, Any]:
    """The result of a module; in check mode the same, predicted without a write.

    Raises ProtectionError.
    """
    existing = read_all(client, task)
    if not task.spec.writes:
        result = task.spec.result(task.options, task.desired, existing)
        return {"changed": False, **client.owner, **result, **task.spec.look(task.options, client)}
    run = Run.begun(task, client, warn)
    with _nothing_changed():
        plan = run.plan(existing)
        plan_id = run.plan_id(plan)
        checked = run.check(plan, plan_id, task.approval)
    run.warn_before(checked)
    try:
        checked, applied = run.predict(checked) if check_mode else run.apply(checked)
    except ProtectionError as exc:
        raise exc.extended(plan_id=plan_id) from exc
    return run.result(plan_id, checked, applied)


def read_all(client: Client, task: Task) -> State:
    """The state of all that a task reads: collections first, and then those inside of their
    objects."""
    state = read_state(client, task.reads)
    state = {**state, **read_state(client, task.inner(state))}
    return with_references(state, task.context.references)


@contextmanager
def _nothing_changed() -> Iterator[None]:
    """A plan that is refused here changes nothing, and its message says so."""
    try:
        yield
    except PlanError as exc:
        raise exc.extended("Nothing was changed.") from exc


@dataclass(frozen=True)
class Run:
    """One run of a module that writes, at Cloudflare's time; with `rollout`, modes are raised in
    stages, and with `evidence`, not against what the traffic says."""

    task: Task
    client: Client
    warn: Warn
    rollout: StagedRollout | None
    evidence: EvidenceSource | None

    @classmethod
    def begun(cls, task: Task, client: Client, warn: Warn) -> Run:
        """The run of a task whose first answers have told Cloudflare's time."""
        now, local_time = client.now, datetime.now(timezone.utc)
        rollout = StagedRollout(now, task.monitoring, local_time) if task.is_staged else None
        evidence = None
        if task.evidence:
            from ._guard.evidence import EvidenceSource

            evidence = EvidenceSource.begun(task.evidence, now, task.accepted, client)
        return cls(task.at(now), client, warn, rollout, evidence)

    def plan(self, existing: State) -> Plan:
        """The plan, with what else decides about it."""
        task, plan = self.task, self._plan(existing)
        judged = task.spec.judged_lists(task.options, task.desired, existing)
        if not plan.operations and not task.expectations and not judged:
            return plan
        return with_surroundings(plan, task.context, judged, self.client)

    def _plan(self, existing: State) -> Plan:
        """The plan; where it may change who is protected, it starts from the state of all that
        decides on it."""
        plan = self._plan_in_stages(existing, self.rollout)
        if not changes_protection(plan):
            return plan
        decisive = decided_with(self.task.reads[0])
        unread = [resource for resource in decisive if resource.plural not in existing]
        if self.evidence:
            return self._plan_by_evidence(existing, self.evidence.examine(plan, unread))
        if not unread:
            return plan
        return replace(plan, before={**read_state(self.client, unread), **existing})

    def _plan_in_stages(self, existing: State, rollout: StagedRollout | None) -> Plan:
        adjust = rollout.adjust if rollout else as_desired
        nested = read_nested(self.client, self.task.desired, existing)
        inner = self.task.inner(existing)
        return make_plan(existing, self.task.desired, adjust, nested, inner)

    def _plan_by_evidence(self, existing: State, plan: Plan) -> Plan:
        """The plan, in stages without what the traffic speaks against."""
        if not self.evidence or not self.rollout or not self.evidence.keep_back(plan):
            return plan
        return replace(self._plan_in_stages(existing, self._rollout), before=plan.before)

    @property
    def _rollout(self) -> StagedRollout | None:
        """The rollout, with what the traffic speaks against so far."""
        if not self.rollout or not self.evidence:
            return self.rollout
        return replace(self.rollout, against=self.evidence.against)

    def plan_id(self, plan: Plan) -> str:
        """The id of a plan for the account or zone of this run."""
        return fingerprint.plan_id(self.client.owner, plan)

    def check(self, plan: Plan, plan_id: str, approval: Approval) -> Checked:
        """The plan with its accepted risks; raises PlanError with the plan in its details."""
        feasibility = check_feasibility(plan, self.client.read)
        verdicts = self.evidence.verdicts if self.evidence else {}
        task, now = self.task, self.client.now
        checked = check_plan(plan, task.limits, task.accepted, now, verdicts)
        expected = self._expected(plan.before, plan.after())
        unmet = self._unmet(expected, plan)
        refusals = [refused_risks(checked), unmet, approval.refusal(plan, plan_id)]
        refusals += [one.refused for one in feasibility]
        message = joined(" ", filter(None, refusals))
        if message:
            details = {**plan_details(checked), "plan_id": plan_id}
            raise PlanError(message, {**details, **expected})
        unknown = filter(None, (one.unknown for one in feasibility))
        return replace(checked, unknown=[*unknown, *warnings_of_surroundings(plan)])

    def warn_before(self, checked: Checked) -> None:
        """Say what a checked plan does that is accepted, and what of the task probably is a
        mistake."""
        warnings = [*plan_warnings(checked), *expiry_warnings(self.task.desired, checked.plan)]
        standing = self.task.context.standing(self.task.codes)
        for text in [*warnings, *standing_warnings(checked, standing)]:
            self.warn(text)

    def predict(self, checked: Checked) -> tuple[Checked, Applied[Checked]]:
        """What the run would apply; if the task asks for it, Cloudflare validates the plan
        first."""
        if self.task.is_validated:
            try:
                dry_run(checked.plan, self.client)
            except ServiceError as exc:
                raise exc.extended(**plan_details(checked)) from exc
        return checked, Applied(checked.plan.operations, checked.plan.after())

    def apply(self, checked: Checked) -> tuple[Checked, Applied[Checked]]:
        """Apply a plan; returns it with the risks of a second plan, which is made from the state
        read anew."""
        approval = self.task.approval.while_applying(checked.plan)

        def plan_again() -> Checked:
            return self._check_again(checked, approval)

        try:
            applied = apply_with_recovery(checked.plan, plan_again, self.client, self.warn)
        except BrokenOff as exc:
            raise failure_of(exc) from exc.cause
        more = applied.again.risks if applied.again else ()
        risks = [*checked.risks, *(risk for risk in more if risk not in checked.risks)]
        return replace(checked, risks=risks), applied

    def _check_again(self, first: Checked, approval: Approval) -> Checked:
        """A second plan, of what is left; warnings of the first one are not repeated."""
        left = self.plan(read_all(self.client, self.task))
        checked = self.check(left, self.plan_id(left), approval)
        first_warnings = plan_warnings(first)
        for text in plan_warnings(checked):
            if text not in first_warnings:
                self.warn(text)
        return checked

    def result(self, plan_id: str, checked: Checked, applied: Applied[Checked]) -> dict[str, Any]:
        """What the module returns."""
        task, plan = self.task, checked.plan
        result: dict[str, Any] = {
            "changed": bool(applied.operations),
            "operations": operation_records(applied.operations),
            "plan_id": plan_id,
        }
        expired = expired_records(task.desired)
        if expired:
            result["expired"] = expired
        result.update(protection_results(checked, self._diff(plan, applied), applied.state))
        pending = self._rollout.pending(plan, task.desired) if self._rollout else []
        if pending:
            result["pending"] = pending[0] if task.spec.one_object else list(pending)
        before, after = self._before(plan, applied), {**plan.after(), **applied.state}
        result.update(weaker_results(before, after))
        result.update(self._expected({**plan.before, **before}, after))
        owner = self.client.owner if task.spec.returns_owner else {}
        return {**result, **owner, **task.spec.result(task.options, task.desired, after)}

    def _expected(self, before: State, after: State) -> dict[str, Any]:
        if not self.task.expectations:
            return {}
        from ._protection.expected import expectation_results

        return expectation_results(self.task.expectations, before, after)

    def _unmet(self, expected: Mapping[str, Any], plan: Plan) -> str:
        if not self.task.expectations:
            return ""
        from ._protection.expected import unmet_expectations

        return unmet_expectations(self.task.expectations, expected, plan)

    def _diff(self, plan: Plan, applied: Applied[Checked]) -> Diff:
        before = self._before(plan, applied)
        return add_orders(make_diff(applied.operations), self.task.reads, before, applied.state)

    def _before(self, plan: Plan, applied: Applied[Checked]) -> State:
        return plan.before if applied.before is None else applied.before

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps of a module once its options are a desired state: read, plan, guard, apply, result."""

from __future__ import annotations

from typing import TYPE_CHECKING, AbstractSet, Any, NamedTuple, Sequence

from ._api.client import Client
from ._apply.executor import BrokenOff, dry_run
from ._apply.meanwhile import Meanwhile
from ._apply.recovery import Applied, apply_with_recovery
from ._concurrency import concurrently
from ._errors import PlanError, ProtectionError, ServiceError
from ._guard.check import Checked
from ._guard.guard import Guard
from ._plan.plan import Plan, unread_nested
from ._plan.reconcile import make_plan
from ._result import (
    add_orders,
    expired_records,
    expiry_warnings,
    failure_of,
    ineffective_warnings,
    make_diff,
    operation_records,
    plan_details,
    plan_warnings,
    protection_results,
    standing_warnings,
    with_options,
)
from ._schema.resource import ACCOUNT_OPTION, Object, Resource, State
from ._specs.task import Task
from ._text import Warn

if TYPE_CHECKING:
    from ._protection.ineffective import IneffectiveRecord


def perform(task: Task, client: Client, check_mode: bool, warn: Warn) -> dict[str, Any]:
    """The result of a module; in check mode the same, predicted without a write.

    Raises ProtectionError.
    """
    existing = read_all(client, task)
    if not task.spec.writes:
        result = task.spec.result(task.options, task.desired, existing)
        beside = task.spec.look(task.options, client, result, task.context)
        return {"changed": False, **client.owner, **result, **beside}
    guard = Guard.begun(task.terms, client, task.context)
    run = Run(task.at(client.now), client, warn, guard)
    try:
        checked = run.check(existing)
    except PlanError as exc:
        raise exc.extended("Nothing was changed.") from exc
    run.warn_before(checked)
    try:
        checked, applied = run.predict(checked) if check_mode else run.apply(checked)
    except ProtectionError as exc:
        raise exc.extended(plan_id=checked.plan_id) from exc
    return run.result(checked, applied)


def read_all(client: Client, task: Task) -> State:
    """The state of all that a task reads: collections first, and then those inside of their
    objects.

    Rules are read before the rulesets, so that none executes one that was made in between.
    """
    state = read_state(client, [one for one in task.reads if not one.holds])
    state = {**state, **read_state(client, [one for one in task.reads if one.holds])}
    return {**state, **read_state(client, task.inner(state))}


def read_state(client: Client, resources: Sequence[Resource]) -> State:
    """A complete listing of each collection, read concurrently."""
    names = [resource.plural for resource in resources]
    return dict(zip(names, concurrently(client.read, resources)))


MOST_SECOND_PLANS = 8  # as long as others go on to write


class Run(NamedTuple):
    """One run of a module that writes, at Cloudflare's time."""

    task: Task
    client: Client
    warn: Warn
    guard: Guard

    def check(self, existing: State, begun: Plan | None = None) -> Checked:
        """A plan with its accepted risks, or the rest of one that was begun; raises PlanError with
        the plan in its details."""
        plan = self._plan(existing)
        checked = self.guard.check(plan, begun)._replace(ineffective=self._ineffective(plan))
        if checked.refusal:
            raise PlanError(checked.refusal, self._details(checked))
        return checked

    def _details(self, checked: Checked) -> dict[str, Any]:
        plan, reports = checked.plan, self.task.context.reports
        details = {
            **({**self._shown(plan.after()), **self._pending(plan)} if reports else {}),
            **plan_details(checked),
            **checked.shown_ineffective,
            **self.guard.compared(plan, plan.before, plan.after()),
        }
        return with_options(details, self.task.desired) if reports else details

    def _ineffective(self, plan: Plan) -> Sequence[IneffectiveRecord] | None:
        task, is_report = self.task, self.task.context.reports
        if not is_report and not any(item.resource.key for item in task.desired):
            return None
        from ._protection.ineffective import ineffective_in  # loaded for collections

        state = plan.before if is_report else {**plan.before, **plan.after()}
        return ineffective_in(state, task.desired, is_report, self.client.read)

    def _pending(self, plan: Plan) -> dict[str, Any]:
        pending = self.guard.rollout.pending(plan, self.task.desired)
        one = self.task.spec.one_object
        return {"pending": pending[0] if one else pending} if pending else {}

    def _shown(self, state: State) -> dict[str, Any]:
        """The owner and its objects in a state, and those of them that the task does not name."""
        task = self.task
        shown: dict[str, Any] = {**(self.client.owner if task.spec.returns_owner else {})}
        shown.update(task.spec.result(task.options, task.desired, state))
        if task.spec.lists_unmanaged:
            from ._protection.unmanaged import all_unmanaged  # loaded by modules of whole lists

            of_lists = task.context.reports and ACCOUNT_OPTION in self.client.owner
            is_host = task.context.is_role
            shown["unmanaged"] = all_unmanaged(task.desired, state, is_host, of_lists)
        return shown

    def _plan(self, existing: State) -> Plan:
        task = self.task
        nested = self._read_nested(existing)
        inner = task.inner(existing)
        judged: AbstractSet[str] = frozenset()
        if task.spec.lists_unmanaged:
            from ._protection.unmanaged import judged_lists

            judged = judged_lists(task.desired, existing)
        return self.guard.plan(
            lambda desired, adjust: make_plan(existing, desired, adjust, nested, inner),
            task.spec.settled(task.desired, existing),
            judged,
        )

    def _read_nested(self, existing: State) -> State:
        """By collection: the nested objects that a task names and that no existing object has."""
        nested: dict[str, Sequence[Object]] = {}
        for item in (one for one in self.task.desired if one.resource.nested):
            resource = item.resource
            ids = unread_nested(resource, item.objects.values(), existing[resource.plural])
            objects = concurrently(self.client.read, [resource.nested_object(one) for one in ids])
            if ids:
                nested[resource.plural] = [obj for (obj,) in objects]
        return nested

    def warn_before(self, checked: Checked) -> None:
        """Warn of accepted risks, and of what probably is a mistake in the task."""
        context = self.task.context
        warnings = [*plan_warnings(checked), *expiry_warnings(self.task.own(), checked.plan)]
        standing = self.task.codes if context.is_role else ()
        unmet = [item for item in checked.unmet if not context.brings(item.option)]
        checked = checked._replace(unmet=unmet)
        if unmet:
            waiting = self.guard.rollout.avoided(checked.plan, self.task.desired)
            warnings += standing_warnings(checked, standing, waiting)
        for text in warnings:
            self.warn(text)

    def predict(self, checked: Checked) -> tuple[Checked, Applied]:
        """The plan that the run would apply; if the task asks for it, Cloudflare validates the plan
        first."""
        if self.task.options.get("validate"):
            try:
                dry_run(checked.plan, self.client)
            except ServiceError as exc:
                raise exc.extended(**self._details(checked)) from exc
        self._warn_of_ineffective(checked)
        return checked, Applied(checked.plan.operations, checked.plan.after())

    def _warn_of_ineffective(self, checked: Checked) -> None:
        records = () if self.task.context.reports else checked.ineffective
        for text in ineffective_warnings(records or ()):
            self.warn(text)

    def apply(self, checked: Checked) -> tuple[Checked, Applied]:
        """Apply a plan; returns it with the risks of a second plan, which is made from the state
        read anew."""
        again: list[Checked] = []
        if checked.plan.operations:
            self._warn_of_ineffective(checked)

        def plan_again() -> Plan:
            again.append(self._check_again(checked))
            return again[-1].plan

        try:
            applied = apply_with_recovery(checked.plan, plan_again, self.client, self.warn)
            applied, second = self._settled(checked.plan, applied)
        except BrokenOff as exc:
            raise failure_of(exc) from exc.cause
        more = [risk for one in (*again[-1:], *second) for risk in one.risks]
        risks = [*checked.risks, *(risk for risk in more if risk not in checked.risks)]
        return checked._replace(risks=risks), applied

    def _settled(self, plan: Plan, applied: Applied) -> tuple[Applied, list[Checked]]:
        """The state once all is settled that others wrote while the plan was applied, and the
        second plans for that. Raises BrokenOff."""
        seconds: list[Checked] = []
        meanwhile = Meanwhile(self.client, self.warn, plan, applied)
        for _round in range(MOST_SECOND_PLANS):
            second = meanwhile.second_plan(self._with_own)
            if not second.operations:
                break
            checked = self.guard.check_second(second, self.task.desired)
            if checked.refusal:
                cause = PlanError(checked.refusal, plan_details(checked))
                raise BrokenOff(cause, meanwhile.applied.operations, second.operations, ())
            seconds.append(checked)
            meanwhile.apply(second)
        else:
            self.warn(
                f"Others went on to write, so that this run stops after {MOST_SECOND_PLANS} second"
                " plans. A change of theirs may be lost; run again once nobody else writes."
            )
        return meanwhile.applied, seconds

    def _with_own(self, existing: State) -> State:
        """The state that the task makes of another one."""
        return self._plan(existing).after()

    def _check_again(self, first: Checked) -> Checked:
        """A second plan, of what is left; warnings of the first one are not repeated."""
        checked = self.check(read_all(self.client, self.task), first.plan)
        first_warnings = plan_warnings(first)
        for text in plan_warnings(checked):
            if text not in first_warnings:
                self.warn(text)
        return checked

    def result(self, checked: Checked, applied: Applied) -> dict[str, Any]:
        """The result of the module."""
        task, plan = self.task, checked.plan
        before = {**plan.before, **(applied.before or {})}
        after = {**plan.after(), **applied.state}
        diff = add_orders(
            make_diff(applied.operations), [*task.reads, *task.inner(before)], before, applied.state
        )
        expired = expired_records(task.own())
        result = {
            "changed": bool(applied.operations),
            "operations": operation_records(applied.operations),
            "plan_id": checked.plan_id,
            **({"expired": expired} if expired else {}),
            **({"put_back": operation_records(applied.put_back)} if applied.put_back else {}),
            **protection_results(checked, diff, applied.state),
            **self._pending(plan),
            **checked.shown_ineffective,
            **self.guard.compared(plan, before, after),
            **self.guard.expected(before, after),
            **checked.backtest,
            **self._shown(after),
        }
        return with_options(result, task.desired) if task.context.reports else result

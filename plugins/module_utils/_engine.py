# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs a module, however it was started: its options become a desired state, and the steps follow:
read, plan, guard, apply, result. No result and no failure has secrets in it."""

from __future__ import annotations

import gc
import os
from typing import Any, Callable, Mapping, NamedTuple, Sequence

from ._api.client import Client
from ._api.connect import client_of_owner, connected
from ._api.lock import Waiting, locked_owners
from ._apply.executor import BrokenOff
from ._apply.recovery import Applied, apply_with_recovery, predicted, settle
from ._context import TASK, Context
from ._errors import OptionError, Place, PlanError, ProtectionError, ServiceError
from ._guard.check import Checked
from ._guard.guard import Guard
from ._output import Output, readable_failure
from ._plan.plan import Plan, unread_nested
from ._result import (
    add_orders,
    expired_records,
    make_diff,
    operation_records,
    plan_details,
    progress_in_failures,
    protection_results,
    with_options,
)
from ._schema.resource import Object, State
from ._specs.base import ModuleSpec
from ._specs.task import Task, parse_task
from ._text import Screen, Warn
from ._warnings import expiry_warnings, ineffective_warnings, plan_warnings, standing_warnings

RARE_COLLECTION = (50_000, 200, 20)


def run(
    spec: ModuleSpec,
    options: Mapping[str, Any],
    check_mode: bool,
    verbose: bool,
    warn: Callable[[str], None],
    screen: Screen | None = None,
    context: Context = TASK,
    place: Place = lambda _option: "",
) -> dict[str, Any]:
    """The result of a module; a failure has `failed` and `msg`. Secrets are in neither, nor in
    warnings.

    Every message passes here, so that text of Cloudflare cannot control the terminal that shows
    it.
    """
    gc.set_threshold(
        *RARE_COLLECTION
    )  # a search for garbage, since a run keeps to its end what it makes
    output = Output(options, context.names)

    def warn_readably(message: str) -> None:
        text = output.message(message)
        warn(f"{context.host}: {text}" if context.host else text)

    try:
        task = parse_task(spec, options, os.environ, warn_readably, context)
        for text in (*task.warnings, *(() if context.is_role else task.unchecked)):
            warn_readably(text)
        readable = screen and screen._replace(show=lambda text: screen.show(output.message(text)))
        with connected(task.settings, warn_readably, readable) as client:
            say = readable.show if readable else warn_readably
            waiting = Waiting(client.wait, say, context.host)
            result = _performed(task, client, check_mode, verbose, warn_readably, waiting)
    except OptionError as exc:
        return output.failure(exc.placed(place))
    except ProtectionError as exc:
        return output.failure(exc)
    return output.details(result)


def _performed(
    task: Task, client: Client, check_mode: bool, verbose: bool, warn: Warn, waiting: Waiting
) -> dict[str, Any]:
    """The result of a task; raises ProtectionError.

    A run that writes locks its owners, from its first read to its last answer.

    A verbose result tells how many calls were made, and a verbose failure all of its diff and
    coverage.
    """
    try:
        client = client_of_owner(client, task.settings)
        written = {} if check_mode else task.written(client.owner)
        with locked_owners(task.settings.address, written, waiting):
            result = perform(task, client, check_mode, warn)
    except ProtectionError as exc:
        if verbose:
            raise exc.extended(calls=client.calls) from exc
        if task.context.reports:
            raise
        raise exc.extended(**readable_failure(exc.details)) from exc
    return {**result, "calls": client.calls} if verbose else result


def perform(task: Task, client: Client, check_mode: bool, warn: Warn) -> dict[str, Any]:
    """The result of a module; in check mode the same, predicted without a write.

    Raises ProtectionError.
    """
    existing = read_all(client, task)
    if not task.spec.writes:
        result = task.spec.result(task.options, task.desired, existing)
        beside = task.spec.look(task.options, client, result, task.context)
        return {"changed": False, **client.owner, **result, **beside}
    task = task.at(client.now)
    unmanaged = task.spec.lists_unmanaged
    guard = Guard.begun(task.terms, client, task.context, task.desired, unmanaged)
    run = Run(task, client, warn, guard)
    try:
        checked = run.check(existing)
    except PlanError as exc:
        raise exc.unchanged(task.context.is_role) from exc
    run.warn_before(checked)
    try:
        if check_mode:
            return run.result(*run.predict(checked))
        return run.result_of_writing(*run.apply(checked))
    except ProtectionError as exc:
        raise exc.extended(plan_id=checked.plan_id) from exc


def read_all(client: Client, task: Task) -> State:
    """The state of all that a task reads: collections first, and then those inside of their
    objects.

    Rules are read before the rulesets, so that none executes one that was made in between.
    """
    state = client.read_state([one for one in task.reads if not one.holds_rules])
    state = {**state, **client.read_state([one for one in task.reads if one.holds_rules])}
    return {**state, **client.read_state(task.contents_in(state))}


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
        checked = self.guard.check(plan, begun)
        if checked.refusal:
            error = PlanError(checked.refusal, self._details(checked))
            error.lacks_acceptances = checked.lacks_acceptances
            raise error
        return checked

    def _details(self, checked: Checked) -> dict[str, Any]:
        plan, reports = checked.plan, self.task.context.reports
        details = {
            **({**self._shown(plan.after()), **self._pending(plan)} if reports else {}),
            **plan_details(checked),
            **checked.shown_ineffective,
            **self.guard.findings.compared(plan, plan.before, plan.after()),
        }
        return with_options(details, self.task.desired) if reports else details

    def _pending(self, plan: Plan) -> dict[str, Any]:
        pending = self.guard.rollout.pending(plan, self.task.desired)
        one = self.task.spec.one_object
        return {"pending": pending[0] if one else pending} if pending else {}

    def _shown(self, state: State) -> dict[str, Any]:
        """The owner and its objects in a state, and those of them that the task does not name."""
        task = self.task
        owner = self.client.owner if task.spec.returns_owner else {}
        result = task.spec.result(task.options, task.desired, state)
        return {**owner, **result, **self.guard.unmanaged(state)}

    def _plan(self, existing: State) -> Plan:
        task = self.task
        nested, inner = self._read_nested(existing), task.contents_in(existing)
        desired = task.spec.settled(task.desired, existing)
        return self.guard.plan(existing, desired, nested, inner)

    def _read_nested(self, existing: State) -> State:
        """By collection: the nested objects that a task names and that no existing object has."""
        nested: dict[str, Sequence[Object]] = {}
        for item in (one for one in self.task.desired if one.resource.nested):
            resource = item.resource
            ids = unread_nested(resource, item.objects.values(), existing[resource.plural])
            objects = self.client.read_each([resource.nested_object(one) for one in ids])
            if ids:
                nested[resource.plural] = [obj for (obj,) in objects]
        return nested

    def warn_before(self, checked: Checked) -> None:
        """Warn of accepted risks, and of what probably is a mistake in the task."""
        context = self.task.context
        warnings = [
            *plan_warnings(checked),
            *expiry_warnings(self.task.without_posture_ends(), checked.plan),
        ]
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
        is_validated = bool(self.task.options.get("validate"))
        try:
            applied = predicted(checked.plan, self.client, is_validated)
        except ServiceError as exc:
            raise exc.extended(**self._details(checked)) from exc
        self._warn_of_ineffective(checked)
        return checked, applied

    def _warn_of_ineffective(self, checked: Checked) -> None:
        records = () if self.task.context.reports else checked.ineffective
        for text in ineffective_warnings(records or ()):
            self.warn(text)

    def apply(self, checked: Checked) -> tuple[Checked, Applied]:
        """Apply a plan; returns it with the risks of a second plan, which is made from the state
        read anew."""
        plan, client, warn = checked.plan, self.client, self.warn
        again: list[Checked] = []
        seconds: list[Checked] = []
        if plan.operations:
            self._warn_of_ineffective(checked)

        def plan_again() -> Plan:
            again.append(self._check_again(checked))
            return again[-1].plan

        def check_second(second: Plan) -> None:
            seconds.append(self.guard.check_second(second))
            if seconds[-1].refusal:
                raise PlanError(seconds[-1].refusal, plan_details(seconds[-1]))

        with progress_in_failures():
            applied = apply_with_recovery(plan, plan_again, client, warn)
            applied = settle(plan, applied, self._with_own, check_second, client, warn)
        more = [risk for one in (*again[-1:], *seconds) for risk in one.risks]
        risks = [*checked.risks, *(risk for risk in more if risk not in checked.risks)]
        return checked._replace(risks=risks), applied

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

    def result_of_writing(self, checked: Checked, applied: Applied) -> dict[str, Any]:
        """The result of the module after its plan was applied; raises ProtectionError that says so,
        and nothing else."""
        if not applied.operations:
            return self.result(checked, applied)
        with progress_in_failures():
            try:
                return self.result(checked, applied)
            except Exception as exc:
                raise BrokenOff(exc, applied.operations, (), ()) from exc

    def result(self, checked: Checked, applied: Applied) -> dict[str, Any]:
        """The result of the module."""
        task, plan = self.task, checked.plan
        before = {**plan.before, **(applied.before or {})}
        after = {**plan.after(), **applied.state}
        diff = add_orders(
            make_diff(applied.operations),
            [*task.reads, *task.contents_in(before)],
            before,
            applied.state,
        )
        expired = expired_records(task.without_posture_ends())
        result = {
            "changed": bool(applied.operations),
            "operations": operation_records(applied.operations),
            "plan_id": checked.plan_id,
            **({"expired": expired} if expired else {}),
            **({"put_back": operation_records(applied.put_back)} if applied.put_back else {}),
            **protection_results(checked, diff, applied.state),
            **self._pending(plan),
            **checked.shown_ineffective,
            **self.guard.findings.compared(plan, before, after),
            **self.guard.findings.expected(before, after),
            **checked.backtest,
            **self._shown(after),
        }
        return with_options(result, task.desired) if task.context.reports else result

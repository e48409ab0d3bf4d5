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
from ._apply.recovery import Applied, apply_to_end, predicted, renewed
from ._context import EXISTING, NOW, TASK, Context
from ._errors import OptionError, OptionPlace, PlanError, ProtectionError, ServiceError
from ._guard.checked import Checked
from ._guard.finding import Finding
from ._guard.guard import Guard
from ._output import Output, readable_failure
from ._plan.plan import Plan
from ._planning.existing import read_existing
from ._planning.preparation import Preparation, Prepared
from ._result import failure_of, plan_details
from ._run_results import RunResults
from ._schema.resource import OWNERS, State
from ._specs.base import ModuleSpec
from ._specs.task import Task, parse_task
from ._text import Screen, Warn
from ._timestamps import write_timestamp
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
    place: OptionPlace = lambda _option: "",
) -> dict[str, Any]:
    """The result of a module; a failure has `failed` and `msg`. Neither contains secrets, nor do
    warnings.

    All messages pass here, so that text of Cloudflare cannot control the terminal that shows it.
    """
    gc.set_threshold(
        *RARE_COLLECTION
    )  # a search for garbage, since a run keeps to its end what it makes
    output = Output(options, context.names)

    def warn_readably(message: str) -> None:
        text = output.message(message)
        warn(context.host.labelled(text))

    try:
        task = parse_task(spec, options, os.environ, warn_readably, context)
        for text in (*task.warnings, *(() if context.is_role else task.unchecked)):
            warn_readably(text)
        readable = screen and screen._replace(show=lambda text: screen.show(output.message(text)))
        with connected(task.settings, warn_readably, readable) as client:
            say = readable.show if readable else warn_readably
            waiting = Waiting(client.wait, say, context.host.name)
            show = readable.show if readable else _show_nothing
            result = _performed(task, client, check_mode, verbose, warn_readably, show, waiting)
    except OptionError as exc:
        return output.failure(exc.placed(place))
    except ProtectionError as exc:
        return output.failure(exc)
    return output.details(result)


def _show_nothing(_text: str) -> None:
    """Show nothing: a module in a process of its own has no screen."""


def _performed(
    task: Task,
    client: Client,
    check_mode: bool,
    verbose: bool,
    warn: Warn,
    show: Warn,
    waiting: Waiting,
) -> dict[str, Any]:
    """The result of a task; raises ProtectionError.

    A run that writes locks its owners, from its first read to its last answer.

    A verbose result has the number of calls, and a verbose failure all of its diff and coverage.
    """
    try:
        client = client_of_owner(client, task.settings)
        written = {} if check_mode else task.written(client.owner)
        with locked_owners(task.settings.address, written, waiting):
            result = perform(task, client, check_mode, warn, show)
    except ProtectionError as exc:
        if verbose:
            raise exc.extended(calls=client.calls) from exc
        if task.context.reports:
            raise
        raise exc.extended(**readable_failure(exc.details)) from exc
    return {**result, "calls": client.calls} if verbose else result


def perform(task: Task, client: Client, check_mode: bool, warn: Warn, show: Warn) -> dict[str, Any]:
    """The result of a module; in check mode the same, predicted without a write.

    Raises ProtectionError.
    """
    # 1. Read.
    existing, task = read_existing(client, task)
    if not task.spec.writes:
        _warn_of_account(task, client, warn)
        return _read_result(task, client, existing)
    run = Run.of_task(task.at(client.now), client, warn, show)
    try:
        # 2. Plan.
        prepared = run.preparation.prepared(existing)
        # 3. Guard.
        checked = run.checked(prepared)
    except PlanError as exc:
        raise exc.unchanged(task.context.is_role) from exc
    run.warn_of(checked)
    try:
        # 4. Apply, and 5. the result.
        if check_mode:
            applied = run.predict(checked)
            read = run.read_for_role(existing) if applied.operations else {}
            return {**run.result(checked, applied), **read}
        checked, applied = run.apply(prepared, checked)
        return run.result_of_writing(checked, applied)
    except ProtectionError as exc:
        raise exc.extended(plan_id=checked.plan_id) from exc


def _warn_of_account(task: Task, client: Client, warn: Warn) -> None:
    """Warn if a reading of an account and a zone does not show that they belong together; raises
    OptionError if they do not."""
    if task.context.is_role and {*OWNERS} == {resource.owner for resource in task.reads}:
        from ._planning.zone import doubt_on_account  # loaded for zones

        doubt = doubt_on_account(client, task.context)
        if doubt:
            warn(doubt)


def _read_result(task: Task, client: Client, existing: State) -> dict[str, Any]:
    """The result of a module that only reads."""
    spec, options = task.spec, task.options
    result = spec.result(options, task.desired, existing)
    observations = spec.look(options, client, result, task.context)
    return {"changed": False, **client.owner, **task.shown_products, **result, **observations}


class Run(NamedTuple):
    """One run of a module that writes, at Cloudflare's time."""

    task: Task
    client: Client
    warn: Warn
    show: Warn
    preparation: Preparation
    guard: Guard
    results: RunResults

    @classmethod
    def of_task(cls, task: Task, client: Client, warn: Warn, show: Warn) -> Run:
        """The run of a task whose first answers have told Cloudflare's time."""
        preparation = Preparation.of_task(task, client)
        guard = Guard(task.terms, client.owner, client.now)
        results = RunResults(task, client.owner, preparation.rollout)
        return cls(task, client, warn, show, preparation, guard, results)

    def checked(self, prepared: Prepared, begun: Plan | None = None) -> Checked:
        """The checked plan with its accepted risks, or the rest of the plan `begun`; raises
        PlanError with the plan in its details."""
        checked = self.guard.check(prepared.planned, prepared.facts, begun)
        if checked.refusal:
            error = PlanError(checked.refusal, self.results.of_failure(checked))
            error.lacks_acceptances = checked.lacks_acceptances
            error.refuses_risks = bool(checked.refused)
            raise error
        return checked

    def warn_of(self, checked: Checked) -> None:
        """Warn of accepted risks, and of what probably is a mistake in the task."""
        context = self.task.context
        warnings = [
            *plan_warnings(checked),
            *expiry_warnings(self.task.without_posture_ends(), checked.plan),
        ]
        standing = self.task.codes if context.is_role else ()
        unmet = [item for item in checked.unmet if not context.brings(item.option)]
        if unmet:
            avoided = self.preparation.rollout.avoided(checked.planned, self.task.desired)
            warnings += standing_warnings(checked._replace(unmet=unmet), standing, avoided)
        for text in warnings:
            self.warn(text)

    def predict(self, checked: Checked) -> Applied:
        """The outcome of a plan in check mode; if the task asks for it, Cloudflare validates the
        plan first."""
        is_validated = bool(self.task.options.get("validate"))
        try:
            applied = predicted(checked.plan, self.client, is_validated, self.warn)
        except ServiceError as exc:
            raise exc.extended(**self.results.of_failure(checked)) from exc
        self._warn_of_ineffective(checked)
        self._say_traffic_changes(checked)
        return applied

    def _warn_of_ineffective(self, checked: Checked) -> None:
        records = () if self.task.context.reports else checked.ineffective
        for text in ineffective_warnings(records or ()):
            self.warn(text)

    def _say_traffic_changes(self, checked: Checked) -> None:
        """Show what becomes of traffic, before the diff; a role shows it with its other lines."""
        context = self.task.context
        if context.is_role:
            return
        for text in self._traffic_lines(checked):
            self.show(context.host.labelled(text))

    def _traffic_lines(self, checked: Checked) -> list[str]:
        """Sentences on what becomes of traffic; none of a plan that changes nothing."""
        operations = checked.plan.operations
        if checked.traffic is None or not operations or self.task.context.reports:
            return []
        kinds = {operation.resource.traffic for operation in operations}
        return checked.traffic.sentences("packet" if kinds == {"packet"} else "request")

    def apply(self, prepared: Prepared, checked: Checked) -> tuple[Checked, Applied]:
        """The checked plan, with the risks of later plans of the run, and its outcome. Raises
        ProtectionError, after the first write with `done`, `left` and `unknown`."""
        if checked.plan.operations:
            self._warn_of_ineffective(checked)
            self._say_traffic_changes(checked)
        later = PlansAfterFirst(self, prepared, checked)
        plan = renewed(checked.plan, later.plan_again, self.client, self.warn)
        outcome = apply_to_end(plan, checked.plan, later, self.client, self.warn)
        if isinstance(outcome, BrokenOff):
            raise failure_of(outcome) from outcome.cause
        findings = list(checked.risks)
        findings += [finding for finding in later.findings if finding not in findings]
        return checked._replace(risks=findings), outcome

    def result_of_writing(self, checked: Checked, applied: Applied) -> dict[str, Any]:
        """The result of the module after its plan was applied; raises ProtectionError, and nothing
        else, which reports that."""
        if not applied.operations:
            return self.result(checked, applied)
        try:
            return self.result(checked, applied)
        except Exception as exc:
            raise failure_of(BrokenOff(exc, applied.operations, (), ())) from exc

    def read_for_role(self, existing: State) -> dict[str, Any]:
        """The state that a prediction has read, and the time of the reading, of which a role makes
        its snapshot; empty for other callers."""
        context, now = self.task.context, self.client.now
        if not context.is_role or context.reports:
            return {}
        read_at = write_timestamp(now) if now else None
        read = {**self.client.owner, **self.task.shown_products, **existing, NOW: read_at}
        return {EXISTING: read}

    def result(self, checked: Checked, applied: Applied) -> dict[str, Any]:
        """The result of the module."""
        return self.results.of_run(checked, applied)


class PlansAfterFirst:
    """The plans that a run makes after its first one: of what is left after a lost answer, and on
    what others wrote meanwhile."""

    def __init__(self, run: Run, prepared: Prepared, checked: Checked) -> None:
        self._run, self._prepared, self._first = run, prepared, checked
        self._again: Checked | None = None
        self._second_plans: list[Checked] = []

    @property
    def findings(self) -> Sequence[Finding]:
        """The accepted risks of the plans that were applied."""
        plans = [*([self._again] if self._again else []), *self._second_plans]
        return [finding for checked in plans for finding in checked.risks]

    def plan_again(self) -> Plan:
        """The plan for what is left, after reading and checking again; warnings of the first plan
        are not repeated."""
        run = self._run
        existing = read_existing(run.client, run.task).state
        begun = self._first.plan
        prepared = run.preparation.prepared(existing, self._prepared.traffic, begun)
        checked = self._again = run.checked(prepared, begun)
        first_warnings = plan_warnings(self._first)
        for text in plan_warnings(checked):
            if text not in first_warnings:
                run.warn(text)
        return checked.plan

    def state_after(self, existing: State) -> State:
        """The state that the task makes of an existing one; reads nothing."""
        return self._run.preparation.state_after(existing, self._first.plan)

    def check_second(self, second: Plan) -> None:
        """Check a second plan like the first one, except for the approval; raises PlanError."""
        prepared = self._run.preparation.prepared_second(self._prepared.planned, second)
        guard = self._run.guard.of_second_plans
        checked = guard.check(prepared.planned, prepared.facts)
        self._second_plans.append(checked)
        if checked.refusal:
            raise PlanError(checked.refusal, plan_details(checked))

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way of the data through a module: options, desired state, read, plan, guard, apply,
result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any, Callable, Mapping, NamedTuple, Sequence

from ._api.client import Client
from ._api.connect import client_of_owner, connected
from ._api.settings import Settings
from ._apply.executor import dry_run
from ._apply.recovery import Applied, BrokenOff, apply_with_recovery
from ._concurrency import concurrently
from ._errors import OptionProblems, PlanError, ProtectionError, ServiceError
from ._guard.acceptance import Acceptance, parse_acceptances
from ._guard.approval import Approval, parse_approval
from ._guard.check import Checked, changes_protection, check_plan
from ._guard.quota import check_quota
from ._guard.risks.base import Limits
from ._guard.risks.monitoring import monitoring_time
from ._guard.risks.registry import BY_OWNER, codes_of, parse_limits
from ._guard.rollout import StagedRollout
from ._messages import joined
from ._plan.desired import Desired
from ._plan.fingerprint import plan_id
from ._plan.plan import Plan
from ._plan.reconcile import as_desired, make_plan
from ._plan.validate import examine
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
    readable_failure,
    refused_risks,
    standing_warnings,
)
from ._schema.account import decided_with
from ._schema.resource import Resource, State
from ._screen import Screen
from ._specs.base import ModuleSpec

Warn = Callable[[str], None]


class Parsed(NamedTuple):
    """The options of a module, read: the desired state, the limits, what is accepted and approved,
    what to read.

    `warnings` are of values that the service may refuse.
    """

    desired: Sequence[Desired]
    limits: Limits
    accepted: Sequence[Acceptance]
    approval: Approval
    reads: Sequence[Resource]
    warnings: Sequence[str]


def perform(
    spec: ModuleSpec,
    options: Mapping[str, Any],
    settings: Settings,
    check_mode: bool,
    warn: Warn,
    verbose: bool = False,
    screen: Screen | None = None,
    by_role: bool = False,
) -> dict[str, Any]:
    """The result of a module; raises ProtectionError. Errors in the options are found before any
    request.

    A verbose result tells how many calls were made, and a verbose failure all of its diff and
    coverage. `screen` shows what cannot wait until the end; a module that is packed has none. A
    task `by_role` is warned of acceptances that stay in a variable and meet nothing.
    """
    parsed = parse_options(spec, options)
    for warning in parsed.warnings:
        warn(warning)
    with connected(settings, warn, screen) as client:
        try:
            client = client_of_owner(client, settings)
            state = read_state(client, parsed.reads)
            if spec.writes:
                parsed = parsed._replace(desired=[item.at(client.now) for item in parsed.desired])
                local_time = datetime.now(timezone.utc)
                staged = bool(options.get("staged_rollout"))
                rollout = (
                    StagedRollout(client.now, monitoring_time(parsed.limits), local_time)
                    if staged
                    else None
                )
                result = Run(spec, options, parsed, client, rollout, by_role).execute(
                    state, check_mode, warn
                )
            else:
                seen = spec.look(options, client)
                result = {"changed": False, **spec.result(options, parsed.desired, state), **seen}
        except ProtectionError as exc:
            if verbose:
                raise exc.extended(calls=client.calls) from exc
            raise exc.shortened(readable_failure(exc.details)) from exc
        return {**result, "calls": client.calls} if verbose else result


def parse_options(spec: ModuleSpec, options: Mapping[str, Any]) -> Parsed:
    """What the options say, those of credentials and connection aside; raises OptionError with all
    that is wrong."""
    problems = OptionProblems()
    with problems.collected():
        limits = parse_limits(options)
    with problems.collected():
        accepted = parse_acceptances("accept_risks", options.get("accept_risks") or ())
    with problems.collected():
        approval = parse_approval(options)
    with problems.collected():
        desired = spec.desired(options)
    with problems.collected():
        reads = spec.reads(options)
    problems.raise_any()
    return Parsed(desired, limits, accepted, approval, reads, examine(desired))


def read_state(client: Client, resources: Sequence[Resource]) -> State:
    """A complete listing of each collection, read concurrently."""
    return dict(
        zip([resource.plural for resource in resources], concurrently(client.read, resources))
    )


@dataclass(frozen=True)
class Run:
    """One run of a module that writes; with `rollout`, modes are raised in stages."""

    spec: ModuleSpec
    options: Mapping[str, Any]
    parsed: Parsed
    client: Client
    rollout: StagedRollout | None
    by_role: bool = False

    def plan(self, existing: State) -> Plan:
        """The plan; where it may change who is protected, it starts from the state of all that
        decides on it."""
        plan = make_plan(
            existing, self.parsed.desired, self.rollout.adjust if self.rollout else as_desired
        )
        if not changes_protection(plan):
            return plan
        unread = [
            resource
            for resource in decided_with(self.parsed.reads[0])
            if resource.plural not in existing
        ]
        return (
            replace(plan, before={**read_state(self.client, unread), **existing})
            if unread
            else plan
        )

    def identity(self, plan: Plan) -> str:
        """The id of a plan for the account or zone of this run."""
        return plan_id(self.client.owner, plan)

    def check(self, plan: Plan, identity: str, approval: Approval) -> Checked:
        """The plan, which has this id, with its accepted risks; raises PlanError with the plan in
        its details."""
        quota = check_quota(plan, self.client.read)
        accepted = self.parsed.accepted
        checked = check_plan(plan, self.parsed.limits, accepted, self.client.now)
        reasons = (refused_risks(checked), approval.refusal(plan, identity), quota.exceeded)
        message = joined(" ", filter(None, reasons))
        if message:
            raise PlanError(message, {**plan_details(checked), "plan_id": identity})
        return replace(checked, unknown=quota.unknown)

    def apply(self, checked: Checked, warn: Warn) -> tuple[Checked, Applied[Checked]]:
        """Apply a plan; returns it with the risks of a second plan, which is made from the state
        read anew."""
        approval = self.parsed.approval.while_applying(checked.plan)

        def plan_again() -> Checked:
            left = self.plan(read_state(self.client, self.parsed.reads))
            again = self.check(left, self.identity(left), approval)
            for text in plan_warnings(again):
                if text not in plan_warnings(checked):
                    warn(text)
            return again

        try:
            applied = apply_with_recovery(checked.plan, plan_again, self.client, warn)
        except BrokenOff as exc:
            raise failure_of(exc) from exc.cause
        more = (
            [risk for risk in applied.again.risks if risk not in checked.risks]
            if applied.again
            else []
        )
        return replace(checked, risks=[*checked.risks, *more]), applied

    def predict(self, checked: Checked) -> tuple[Checked, Applied[Checked]]:
        """What the run would apply; where the task asks for it, the service validates the plan
        first."""
        if self.options.get("validate"):
            try:
                dry_run(checked.plan, self.client)
            except ServiceError as exc:
                raise exc.extended(**plan_details(checked)) from exc
        return checked, Applied(checked.plan.operations, checked.plan.after())

    def execute(self, existing: State, check_mode: bool, warn: Warn) -> dict[str, Any]:
        """The result; in check mode the same, predicted without a write."""
        try:
            plan = self.plan(existing)
            identity = self.identity(plan)
            checked = self.check(plan, identity, self.parsed.approval)
        except PlanError as exc:
            raise exc.extended("Nothing was changed.") from exc
        standing = (
            standing_warnings(checked, codes_of(BY_OWNER[self.spec.owner])) if self.by_role else []
        )
        for text in [
            *plan_warnings(checked),
            *expiry_warnings(self.parsed.desired, plan),
            *standing,
        ]:
            warn(text)
        expired = expired_records(self.parsed.desired)
        try:
            checked, applied = self.predict(checked) if check_mode else self.apply(checked, warn)
        except ProtectionError as exc:
            raise exc.extended(plan_id=identity) from exc
        pending = self.rollout.pending(plan, self.parsed.desired) if self.rollout else []
        return {
            "changed": bool(applied.operations),
            "operations": operation_records(applied.operations),
            "plan_id": identity,
            **({"expired": expired} if expired else {}),
            **protection_results(checked, self._diff(plan, applied), applied.state),
            **({"pending": self.spec.pending(pending)} if pending else {}),
            **self.spec.result(self.options, self.parsed.desired, applied.state),
        }

    def _diff(self, plan: Plan, applied: Applied[Checked]) -> Diff:
        before = plan.before if applied.before is None else applied.before
        return add_orders(make_diff(applied.operations), self.parsed.reads, before, applied.state)

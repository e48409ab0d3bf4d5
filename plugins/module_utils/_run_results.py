# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of a run that writes, and the details of its failure."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

from ._apply.recovery import Applied
from ._context import LACKING, OF_FLEET, OWNING_ACCOUNT, STAYING
from ._guard.checked import Checked
from ._guard.comparison import expected_results, unmanaged_results, weaker_results
from ._plan.plan import Plan
from ._planning.stages import Rollout
from ._result import (
    add_orders,
    expired_records,
    make_diff,
    operation_records,
    plan_details,
    protection_results,
    with_options,
)
from ._schema.resource import ACCOUNT_OPTION, ZONE_OPTION, State
from ._specs.base import LEFT_ALONE
from ._specs.task import Task


class RunResults(NamedTuple):
    """The results of one run, for its task and its account or zone."""

    task: Task
    owner: Mapping[str, str]
    rollout: Rollout

    def of_run(self, checked: Checked, applied: Applied) -> dict[str, Any]:
        """The result of a run that applied a plan, or predicts it."""
        task, plan = self.task, checked.plan
        before = {**plan.before, **(applied.before or {})}
        after = {**plan.after(), **applied.state}
        resources = [*task.reads, *task.contents_in(before)]
        diff = add_orders(make_diff(applied.operations), resources, before, applied.state)
        result: dict[str, Any] = {
            "changed": bool(applied.operations),
            "operations": operation_records(applied.operations),
            "plan_id": checked.plan_id,
        }
        if task.terms.only_time:
            result[LEFT_ALONE] = operation_records(checked.planned.left_alone)
        expired = expired_records(task.without_posture_ends())
        if expired:
            result["expired"] = expired
        if applied.put_back:
            result["put_back"] = operation_records(applied.put_back)
        result.update(protection_results(checked, diff, applied.state))
        result.update(self._pending(checked))
        result.update(self._of_turn(checked))
        result.update(checked.shown_ineffective)
        result.update(checked.shown_traffic)
        result.update(self._weaker(checked, before, after))
        expecting = task.terms.expectations
        whole_before, whole_after = map(task.with_missing, (before, after))
        result.update(expected_results(expecting, whole_before, whole_after, plan.contents))
        result.update(checked.past_requests)
        result.update(self._owner_and_objects(after))
        result.update(self._not_served(plan.before))
        result.update(task.shown_products)
        return self._with_options(result)

    def of_failure(self, checked: Checked) -> dict[str, Any]:
        """The plan as the details of a failure that comes before its first write."""
        plan = checked.plan
        details: dict[str, Any] = {}
        if self.task.context.reports:
            details = {**self._owner_and_objects(plan.after()), **self._pending(checked)}
            details.update(self._of_turn(checked))
        details.update(plan_details(checked))
        details.update(checked.shown_ineffective)
        details.update(checked.shown_traffic)
        details.update(self._weaker(checked, plan.before, plan.after()))
        details.update(self._not_served(plan.before))
        details.update(self._of_fleet(checked))
        details.update(self._lacking(plan))
        details.update(self.task.shown_products)
        return self._with_options(details)

    def _with_options(self, result: dict[str, Any]) -> dict[str, Any]:
        """The result; in a report, with the options by which the task names objects."""
        if not self.task.context.reports:
            return result
        return with_options(result, self.task.desired, self.task.terms.expectations)

    def _pending(self, checked: Checked) -> dict[str, Any]:
        """The objects that the rollout enables later; one object if the module is for one only."""
        pending = self.rollout.pending(checked.planned, self.task.desired)
        if not pending:
            return {}
        return {"pending": pending[0] if self.task.spec.one_object else pending}

    def _of_turn(self, checked: Checked) -> dict[str, Any]:
        """The result on the turns of a host of a fleet; empty for any other host."""
        fleet, planned = self.task.context.fleet, checked.planned
        if not fleet.is_ordered:
            return {}
        from ._planning.turns import result_of_turn, staying_in  # loaded for fleets

        if self.task.context.reports:
            staying = staying_in(planned.kept, fleet.users)
            return {STAYING: staying, **self._of_fleet(checked)}
        result = result_of_turn(planned, self.owner, fleet)
        if planned.kept:
            result["left"] = operation_records(planned.kept)
        return {**result, **self._of_fleet(checked)}

    def _lacking(self, plan: Plan) -> dict[str, Any]:
        """The lists that a role would have to make first, in its result."""
        context = self.task.context
        if not context.is_role or context.reports or ZONE_OPTION not in self.owner:
            return {}
        from ._guard.list_plans import lacking_lists  # loads all kinds of rules

        records = lacking_lists(plan)
        return {LACKING: records} if records else {}

    def _of_fleet(self, checked: Checked) -> dict[str, Any]:
        """The facts that other hosts take from the plan; empty outside of a fleet."""
        if not self.task.context.fleet.is_ordered:
            return {}
        from ._planning.turns import facts_of  # loaded for fleets

        return {OF_FLEET: facts_of(checked, self.owner)}

    def _weaker(self, checked: Checked, before: State, after: State) -> dict[str, Any]:
        if checked.traffic is None:  # a task without rules
            return {}
        return weaker_results(checked.plan, before, after, checked.traffic, self.task.context)

    def _not_served(self, before: State) -> Mapping[str, Any]:
        if not self.task.context.is_role or ZONE_OPTION not in self.owner:
            return {}
        from ._planning.zone import not_served  # loaded for zones

        return not_served(before)

    def _owner_and_objects(self, state: State) -> dict[str, Any]:
        """The owner and its objects in a state, and the objects that the task does not name."""
        task = self.task
        owner = self.owner if task.spec.returns_owner else {}
        result = task.spec.result(task.options, task.desired, state)
        return {**owner, **result, **self._unmanaged(state)}

    def _unmanaged(self, state: State) -> dict[str, Any]:
        if not self.task.spec.lists_unmanaged:
            return {}
        context = self.task.context
        result = unmanaged_results(self.task.desired, state, context.is_role, context.reports)
        if not context.is_role or ACCOUNT_OPTION in self.owner:
            return result
        return {**result, **self._owning_account(result["unmanaged"], state)}

    def _owning_account(
        self, unmanaged: Sequence[Mapping[str, Any]], state: State
    ) -> dict[str, Any]:
        """The id of the account of a zone, of which other hosts may describe unmanaged objects."""
        from ._planning.zone import account_in  # loaded for zones
        from ._schema.registry import BY_NAME

        owners = {BY_NAME[record["resource"]].owner for record in unmanaged}
        return {OWNING_ACCOUNT: account_in(state)} if ACCOUNT_OPTION in owners else {}

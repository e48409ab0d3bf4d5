# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guard of a run: it has the plan made, reads what its risks depend on, and finds these risks
and all else for which the plan is refused."""

from __future__ import annotations

from datetime import datetime, timezone
from functools import partial
from typing import TYPE_CHECKING, AbstractSet, Any, Mapping, NamedTuple, Sequence

from .._api.client import Client
from .._context import Context
from .._plan.desired import Desired
from .._plan.plan import Plan
from .._plan.reconcile import make_plan
from .._schema.resource import ACCOUNT_OPTION, Resource, State
from .._text import joined
from .check import CHECKS, Checked, backtested, check_feasibility, check_plan
from .rollout import Rollout
from .terms import Terms, approval_refusal, plan_id

if TYPE_CHECKING:
    from .._protection.ineffective import IneffectiveRecord


class Guard(NamedTuple):
    """The guard of one run, from Cloudflare's first answers on."""

    terms: Terms
    context: Context
    client: Client
    rollout: Rollout
    desired: Sequence[Desired]
    lists_unmanaged: bool

    @classmethod
    def begun(
        cls,
        terms: Terms,
        client: Client,
        context: Context,
        desired: Sequence[Desired],
        lists_unmanaged: bool,
    ) -> Guard:
        """The guard of a task whose first answers have told Cloudflare's time."""
        rollout = Rollout(client, client.now, terms, datetime.now(timezone.utc))
        return cls(terms, context, client, rollout, desired, lists_unmanaged)

    def plan(
        self, existing: State, desired: Sequence[Desired], nested: State, inner: Sequence[Resource]
    ) -> Plan:
        """The plan for the stages of this run, with the collections on which its risks depend;
        `desired` is settled by the existing state. See make_plan."""
        lists: AbstractSet[str] = frozenset()
        if self.lists_unmanaged:
            from .._protection.unmanaged import judged_lists

            lists = judged_lists(self.desired, existing)
        self.rollout.at_once = {
            (item.resource.plural, key)
            for item in (desired if self.context.posture else ())
            for key, one in item.entries.items()
            if self.context.brings(one.path)
        }
        make = partial(make_plan, existing, nested=nested, inner=inner)
        by_stage = partial(make, desired)
        if self.context.is_role:
            from .._protection.desired_protection import plan_as_described  # loaded for roles

            by_stage = partial(plan_as_described, make, desired)
        return self._completed(self.rollout.plan(by_stage), desired, lists)

    def _completed(
        self, plan: Plan, desired: Sequence[Desired], lists: AbstractSet[str] = frozenset()
    ) -> Plan:
        """The plan with the collections on which its risks depend."""
        if not self.terms.of_rules:
            return plan
        from .needs import Asked, completed  # loaded for plans of rules

        expects = bool(self.terms.expectations)
        decides = bool(plan.operations or expects or lists or self.context.reports)
        evaluates = expects or bool(self.terms.backtest and plan.operations)
        named = {item.resource.plural: item.entries.keys() for item in desired}
        return completed(plan, Asked(self.client, self.context, lists, evaluates, decides, named))

    def check_second(self, plan: Plan) -> Checked:
        """A second plan, on what others wrote meanwhile, checked as the first one, which alone is
        approved."""
        terms = self.terms._replace(approved=None)
        return self._replace(terms=terms)._checked(self._completed(plan, self.desired))

    def check(self, plan: Plan, begun: Plan | None = None) -> Checked:
        """The plan with its risks, all for which it is refused, and objects that cannot work; it
        may be the rest of a plan that was begun."""
        return self._checked(plan, begun)._replace(ineffective=self._ineffective(plan))

    def _checked(self, plan: Plan, begun: Plan | None = None) -> Checked:
        checks, warnings = CHECKS, []
        if self.terms.of_rules:
            from .rule_plans import checks_of, warnings_of_rules

            checks, warnings = [*CHECKS, *checks_of(plan)], warnings_of_rules(plan)
        infeasible, unknown = check_feasibility(plan, self.client.read, checks)
        verdicts, terms = self.rollout.verdicts, self.terms
        backtest, risk = backtested(plan, self.client, terms)
        checked = check_plan(plan, terms, self.client.now, verdicts, self.rollout.staged, risk)
        identity = plan_id(self.client.owner, plan)
        expected = self.expected(plan.before, plan.after())
        refusals = [*infeasible, self._unmet(expected, plan)]
        refusals += [approval_refusal(terms.approved, plan, identity, begun), checked.refused_risks]
        return checked._replace(
            unknown=[*unknown, *warnings],
            expected=expected,
            backtest=backtest,
            plan_id=identity,
            refusal=joined(" ", filter(None, refusals)),
        )

    def _ineffective(self, plan: Plan) -> Sequence[IneffectiveRecord] | None:
        is_report = self.context.reports
        if not is_report and not any(item.resource.key for item in self.desired):
            return None
        from .._protection.ineffective import ineffective_in  # loaded for collections

        state = plan.before if is_report else {**plan.before, **plan.after()}
        return ineffective_in(state, self.desired, is_report, self.client.read)

    def unmanaged(self, state: State) -> dict[str, Any]:
        """The result on objects of a state that the task does not name, if its module lists
        them."""
        if not self.lists_unmanaged:
            return {}
        from .._protection.unmanaged import all_unmanaged  # loaded by modules of whole lists

        of_lists = self.context.reports and ACCOUNT_OPTION in self.client.owner
        is_host = self.context.is_role
        return {"unmanaged": all_unmanaged(self.desired, state, is_host, of_lists)}

    def compared(self, plan: Plan, before: State, after: State) -> dict[str, Any]:
        """The result on what protects less before a plan than after it, and, for the report of a
        role, on what is not known."""
        if not self.terms.of_rules:
            return {}
        from .._protection.unmanaged import weaker_records
        from .needs import unread_of

        unread = unread_of(plan) if self.context.is_role else ()
        results = {"weaker": weaker_records(before, after), "unread": unread}
        return {name: result for name, result in results.items() if result}

    def expected(self, before: State, after: State) -> dict[str, Any]:
        """The results of what the task expects of a state, compared with an earlier one."""
        if not self.terms.expectations:
            return {}
        from .._protection.expected import expectation_results  # loaded if a task asks for it

        return expectation_results(self.terms.expectations, before, after)

    def _unmet(self, expected: Mapping[str, Any], plan: Plan) -> str:
        if not expected:
            return ""
        from .._protection.expected import unmet_expectations

        return unmet_expectations(self.terms.expectations, expected, plan)

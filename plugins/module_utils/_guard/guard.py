# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guard of a run: it has the plan made, reads what its risks depend on, and finds these risks
and all else for which the plan is refused."""

from __future__ import annotations

from datetime import datetime, timezone
from functools import partial
from typing import AbstractSet, Any, Mapping, NamedTuple, Sequence

from .._api.client import Client
from .._context import Context
from .._plan.desired import Desired
from .._plan.plan import Plan
from .._plan.reconcile import make_plan
from .._schema.resource import ACCOUNT_OPTION, Resource, State
from .approval import approval_refusal, plan_id
from .check import CHECKS, Checked, check_feasibility, check_plan
from .findings import Findings, backtested
from .rollout import Rollout
from .terms import Terms


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

    @property
    def findings(self) -> Findings:
        """The findings on these terms."""
        return Findings(self.terms, self.context, self.client, self.desired)

    def plan(
        self, existing: State, desired: Sequence[Desired], nested: State, inner: Sequence[Resource]
    ) -> Plan:
        """The plan for the stages of this run, with the collections on which its risks depend;
        `desired` is settled by the existing state. See make_plan."""
        lists: AbstractSet[str] = frozenset()
        if self.lists_unmanaged:
            from .._protection.all_unmanaged import judged_lists

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
        return self.findings.completed(self.rollout.plan(by_stage), desired, lists)

    def check_second(self, plan: Plan) -> Checked:
        """A second plan, on what others wrote meanwhile, checked as the first one, which alone is
        approved."""
        terms = self.terms._replace(approved=None)
        return self._replace(terms=terms)._checked(self.findings.completed(plan, self.desired))

    def check(self, plan: Plan, begun: Plan | None = None) -> Checked:
        """The plan with its risks, all for which it is refused, and objects that cannot work; it
        may be the rest of a plan that was begun."""
        return self._checked(plan, begun)._replace(ineffective=self.findings.ineffective(plan))

    def _checked(self, plan: Plan, begun: Plan | None = None) -> Checked:
        checks, warnings = CHECKS, []
        if self.terms.of_rules:
            from .rule_plans import checks_of, warnings_of_rules

            checks, warnings = [*CHECKS, *checks_of(plan)], warnings_of_rules(plan)
        infeasible, unknown = check_feasibility(plan, self.client.read, checks)
        verdicts, terms = self.rollout.verdicts, self.terms
        backtest: Mapping[str, Any] = {}
        risk = None
        if terms.backtest and plan.operations:
            backtest, risk = backtested(plan, self.client, *terms.backtest)
        checked = check_plan(plan, terms, self.client.now, verdicts, self.rollout.staged, risk)
        identity = plan_id(self.client.owner, plan)
        expected = self.findings.expected(plan.before, plan.after())
        refusals = [*infeasible, self.findings.unmet(expected, plan)]
        refusals += [approval_refusal(terms.approved, plan, identity, begun), checked.refused_risks]
        return checked._replace(
            unknown=[*unknown, *warnings], expected=expected, backtest=backtest, plan_id=identity
        ).refused_for(refusals)

    def unmanaged(self, state: State) -> dict[str, Any]:
        """The result on objects of a state that the task does not name, if its module lists
        them."""
        if not self.lists_unmanaged:
            return {}
        from .._protection.all_unmanaged import all_unmanaged

        of_lists = self.context.reports and ACCOUNT_OPTION in self.client.owner
        is_host = self.context.is_role
        return {"unmanaged": all_unmanaged(self.desired, state, is_host, of_lists)}

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
from .._context import TASK, Context
from .._plan.desired import Desired
from .._plan.fingerprint import plan_id
from .._plan.plan import Plan
from .._plan.reconcile import Make
from .._schema.resource import State
from .._text import joined
from .check import CHECKS, Checked, backtested, check_feasibility, check_plan
from .rollout import Rollout
from .terms import Terms, approval_refusal


class Guard(NamedTuple):
    """The guard of one run, from Cloudflare's first answers on."""

    terms: Terms
    context: Context
    client: Client
    rollout: Rollout

    @classmethod
    def begun(cls, terms: Terms, client: Client, context: Context = TASK) -> Guard:
        """The guard of a task whose first answers have told Cloudflare's time."""
        rollout = Rollout(client, client.now, terms, datetime.now(timezone.utc))
        return cls(terms, context, client, rollout)

    def plan(self, make: Make, desired: Sequence[Desired], lists: AbstractSet[str]) -> Plan:
        """The plan that `make` returns for the stages of this run, with the collections on which
        its risks depend; `lists` are names of lists to check."""
        self.rollout.at_once = {
            (item.resource.plural, key)
            for item in (desired if self.context.posture else ())
            for key, one in item.entries.items()
            if self.context.brings(one.path)
        }
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

    def check_second(self, plan: Plan, desired: Sequence[Desired]) -> Checked:
        """A second plan, on what others wrote meanwhile, checked as the first one, which alone is
        approved."""
        terms = self.terms._replace(approved=None)
        return self._replace(terms=terms).check(self._completed(plan, desired))

    def check(self, plan: Plan, begun: Plan | None = None) -> Checked:
        """The plan with its risks, and all for which it is refused; it may be the rest of a plan
        that was begun."""
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

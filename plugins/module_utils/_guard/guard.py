# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guard of a run: it checks a plan on the terms of the task, for its risks and for all else for
which the plan is refused. It makes, reads and changes nothing."""

from __future__ import annotations

from datetime import datetime
from typing import Mapping, NamedTuple, Sequence

from .._plan.plan import Check, Plan
from .._plan.rollout import Planned
from .approval import approval_refusal, plan_id
from .check import check_plan
from .checked import Checked
from .comparison import unmet_refusal
from .facts import Facts, past_requests_finding
from .feasibility import CHECKS, check_feasibility
from .finders.base import PlanTraffic
from .terms import Terms


class Guard(NamedTuple):
    """Checks the plans of a task on these `terms`, for its account or zone, at Cloudflare's
    time.
    """

    terms: Terms
    owner: Mapping[str, str]
    now: datetime | None

    @property
    def of_second_plans(self) -> Guard:
        """The guard of second plans, about objects that other writers changed meanwhile; these
        plans need no approval.
        """
        return self._replace(terms=self.terms._replace(approved=None))

    def check(self, planned: Planned, facts: Facts, begun: Plan | None = None) -> Checked:
        """The plan with its risks and all reasons to refuse it; with a plan that was `begun`,
        `planned` may be the rest of that plan.
        """
        plan, terms = planned.plan, self.terms
        finding, traffic = past_requests_finding(planned, facts), self._traffic(plan)
        checked = check_plan(planned, terms, self.now, finding, traffic)
        infeasible, unknown = check_feasibility(plan, facts.look_up, self._checks(plan))
        to_approve = plan if begun else planned.whole_plan
        identity = plan_id(self.owner, planned.whole_plan)
        refusals = [
            *infeasible,
            unmet_refusal(terms, facts.expected, plan),
            approval_refusal(terms.approved, to_approve, identity, begun),
            checked.refused_risks,
        ]
        checked = checked._replace(
            unknown=[*unknown, *facts.warnings],
            expected=facts.expected,
            past_requests=facts.of_past_requests,
            ineffective=facts.ineffective,
            ineffective_afterwards=facts.ineffective_afterwards,
            plan_id=identity,
        )
        return checked.refused_for(refusals)

    def _traffic(self, plan: Plan) -> PlanTraffic | None:
        """The traffic that a plan treats differently; None for a task without rules."""
        if not self.terms.of_rules:
            return None
        from .traffic import plan_traffic  # loads all kinds of rules

        return plan_traffic(plan)

    def _checks(self, plan: Plan) -> Sequence[Check]:
        """The checks for reasons why the account or zone would reject a plan."""
        if not self.terms.of_rules:
            return CHECKS
        from .rule_plans import checks_of  # loads all kinds of rules

        return [*CHECKS, *checks_of(plan)]

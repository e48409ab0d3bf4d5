# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guard: it finds the risks of a plan, and refuses a plan with a risk that the task does not accept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Sequence

from ..coverage.coverage import Coverage
from ..coverage.summary import compare_coverage, diff_facts
from ..errors import PlanError
from ..plan.plan import Plan
from ..result import Diff, add_to_diff, make_diff, operation_records
from ..schema.account import ACCOUNT
from ..schema.resource import State
from ..text import first_few
from .limits import Limits
from .risks import Change, Risk, find_risks


def changes_protection(plan: Plan) -> bool:
    """Whether a plan may change who is protected, or how."""
    return any(item.action != "update" or not item.resource.inert.issuperset(item.fields) for item in plan.operations)


@dataclass(frozen=True)
class Checked:
    """A plan that the guard lets pass, with its accepted risks, and the coverage before and after it."""

    plan: Plan
    before: Coverage
    after: Coverage
    risks: Sequence[Risk]

    @property
    def warnings(self) -> list[str]:
        """The accepted risks, and what of the protection is not understood."""
        undecided = first_few(self.after.undecided) if self._knows_account else ""
        return [f"Accepted {risk.code}: {risk.message}" for risk in self.risks] + ([undecided] if undecided else [])

    @property
    def _knows_account(self) -> bool:
        return all(resource.plural in self.before.state for resource in ACCOUNT)

    def results(self, diff: Diff, state: State) -> dict[str, Any]:
        """The results on protection: diff and accepted risks; and coverage, where the whole account was read."""
        risks = {"risks": [risk.record() for risk in self.risks]} if self.risks else {}
        if not self._knows_account:
            return {"diff": diff, **risks}
        after = Coverage({**self.before.state, **state}) if self.plan.operations else self.before
        return {
            "diff": add_to_diff(diff, "coverage", diff_facts(self.before, after), diff_facts(after, self.before)),
            "coverage": compare_coverage(self.before, after),
            **risks,
        }


def check_plan(plan: Plan, limits: Limits, now: datetime | None) -> Checked:
    """The plan with its risks; raises PlanError for a risk that is not accepted, with the plan in its details.

    `now` is the service's time, None where it is not known.
    """
    before = Coverage(plan.before)
    after = Coverage(plan.after()) if plan.operations else before
    risks = find_risks(Change(plan, before, after, now), limits)
    refused = [risk for risk in risks if risk.code not in limits.accept_risks]
    if refused:
        raise _refusal(Checked(plan, before, after, refused))
    return Checked(plan, before, after, risks)


def _refusal(checked: Checked) -> PlanError:
    reasons = " ".join(f"{risk.code}: {risk.message}" for risk in checked.risks)
    codes = ", ".join(risk.code for risk in checked.risks)
    return PlanError(
        f"The plan carries risks that accept_risks does not list. {reasons} If this is meant, add "
        f"accept_risks: [{codes}].",
        {
            "operations": operation_records(checked.plan.operations),
            **checked.results(make_diff(checked.plan.operations), checked.plan.after()),
        },
    )

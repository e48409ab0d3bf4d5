# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guard: it finds the risks of a plan, and refuses a plan with a risk that the task does not
accept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Sequence

from .._coverage.coverage import Coverage
from .._coverage.results import compare_coverage, diff_facts
from .._errors import PlanError
from .._messages import Message, Option, joined
from .._plan.plan import Plan
from .._result import Diff, add_to_diff, make_diff, operation_records
from .._schema.account import ACCOUNT
from .._schema.resource import State
from .._text import capitalised, first_few, sentence
from .acceptance import Acceptance, acceptance_to_copy, accepting
from .limits import Limits
from .risk import Change, Risk
from .risks import find_risks

ACCEPT_RISKS = Option("accept_risks")


def changes_protection(plan: Plan) -> bool:
    """Whether a plan may change who is protected, or how."""
    return any(
        item.action != "update" or not item.resource.inert.issuperset(item.fields)
        for item in plan.operations
    )


@dataclass(frozen=True)
class Checked:
    """A plan that the guard lets pass, with its accepted risks, and the coverage before and after
    it.

    `expired` says which acceptances no longer count; `unmet` are those for everything that met
    nothing. `unknown` says why it is not known whether the owner takes the plan; empty where it is.
    """

    plan: Plan
    before: Coverage
    after: Coverage
    risks: Sequence[Risk]
    expired: Sequence[str] = ()
    unmet: Sequence[Acceptance] = ()
    unknown: str = ""

    @property
    def warnings(self) -> list[str]:
        """The accepted risks, acceptances that expired, and what of the protection is not
        understood."""
        undecided = first_few(self.after.undecided) if self._knows_account else ""
        accepted: list[str] = [
            Message(f"Accepted {risk.code}: ", risk.message)
            + (f" Reason: {risk.reason}" if risk.reason else "")
            for risk in self.risks
        ]
        expired = [sentence(text) for text in self.expired]
        return accepted + expired + self._unusual() + list(filter(None, (undecided, self.unknown)))

    def _unusual(self) -> list[str]:
        """What the plan creates or changes, and is probably a mistake."""
        odd = [
            (item, item.resource.unusual(item.planned))
            for item in self.plan.operations
            if item.planned
        ]
        named = [f"{item.resource.title} {item.label} {reason}" for item, reason in odd if reason]
        return [f"Is this meant? {capitalised(first_few(named))}."] if named else []

    def standing(self, codes: Sequence[str]) -> list[str]:
        """Warnings of acceptances that stay, such as in an inventory: they accept what nobody has
        seen yet.

        `codes` are the risks that such a plan can have; a list of a role also accepts risks of
        other plans.
        """
        return [
            Message(
                item.option,
                f": {item.code} meets nothing in this plan, and would let any such risk through"
                " later; remove it, or accept the risk with a dictionary that has networks, entries"
                " or expires.",
            )
            for item in self.unmet
            if item.code in codes
        ]

    @property
    def _knows_account(self) -> bool:
        return all(resource.plural in self.before.state for resource in ACCOUNT)

    def results(self, diff: Diff, state: State) -> dict[str, Any]:
        """The results on protection: diff and accepted risks; and coverage, where the whole account
        was read."""
        risks = {"risks": [risk.record() for risk in self.risks]} if self.risks else {}
        if not self._knows_account:
            return {"diff": diff, **risks}
        after = Coverage({**self.before.state, **state}) if self.plan.operations else self.before
        return {
            "diff": add_to_diff(
                diff, "coverage", diff_facts(self.before, after), diff_facts(after, self.before)
            ),
            "coverage": compare_coverage(self.before, after),
            **risks,
        }

    def shown(self) -> dict[str, Any]:
        """The plan as the details of its refusal."""
        return {
            "operations": operation_records(self.plan.operations),
            **self.results(make_diff(self.plan.operations), self.plan.after()),
        }


def check_plan(
    plan: Plan, limits: Limits, accepted: Sequence[Acceptance], now: datetime | None
) -> Checked:
    """The plan with its risks; raises PlanError for a risk that is not accepted, with the plan in
    its details.

    `now` is the service's time, None where it is not known.
    """
    before = Coverage(plan.before)
    after = Coverage(plan.after()) if plan.operations else before
    risks = find_risks(Change(plan, before, after, now), limits)
    acceptances = {risk.code: accepting(risk, accepted, now) for risk in risks}
    expired = list(filter(None, (item.expired(now) for item in accepted)))
    refused = [risk for risk in risks if not acceptances[risk.code]]
    if refused:
        raise _refusal(Checked(plan, before, after, refused), expired)
    with_reasons = [replace(risk, reason=_reason(acceptances[risk.code])) for risk in risks]
    unmet = tuple(item for item in accepted if item.is_unbound and item.code not in acceptances)
    return Checked(plan, before, after, with_reasons, tuple(expired), unmet)


def _reason(acceptances: Sequence[Acceptance]) -> str | None:
    return "; ".join(dict.fromkeys(item.reason for item in acceptances if item.reason)) or None


def _refusal(checked: Checked, expired: Sequence[str]) -> PlanError:
    reasons = [Message(f"{risk.code}: ", risk.message) for risk in checked.risks]
    to_copy = ", ".join(acceptance_to_copy(risk) for risk in checked.risks)
    sentences: list[str] = [
        "The plan has risks that the task does not accept.",
        *reasons,
        *map(sentence, expired),
        Message("If this is meant, add ", ACCEPT_RISKS, f": [{to_copy}]."),
    ]
    return PlanError(joined(" ", sentences), checked.shown())

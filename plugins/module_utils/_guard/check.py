# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guard: it finds the risks of a plan, and which of them the task accepts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple, Sequence

from .._plan.plan import Plan
from .._protection.coverage import Coverage
from .._schema.account import ACCOUNT
from .acceptance import Acceptance, accepting
from .risks.base import Change, FoundRisk, Limits, Verdicts
from .risks.registry import find_risks


class Feasibility(NamedTuple):
    """Why an account or zone would not take a plan, and why that is not known; both empty if it
    would."""

    refused: str = ""
    unknown: str = ""


@dataclass(frozen=True)
class Checked:
    """A plan with its risks, and the coverage before and after it.

    `risks` are those that the task accepts, `refused` all others. `expired` are acceptances that no
    longer count at `now`, Cloudflare's time; `unmet` are those for everything that met nothing.
    `unknown` says why it is not known whether the owner takes the plan, a sentence each.
    """

    plan: Plan
    before: Coverage
    after: Coverage
    now: datetime | None = None
    risks: Sequence[FoundRisk] = ()
    refused: Sequence[FoundRisk] = ()
    expired: Sequence[Acceptance] = ()
    unmet: Sequence[Acceptance] = ()
    unknown: Sequence[str] = ()

    @property
    def knows_account(self) -> bool:
        """Whether all that decides on the protection of an account was read."""
        return all(resource.plural in self.before.state for resource in ACCOUNT)


def changes_protection(plan: Plan) -> bool:
    """Whether a plan may change who is protected, or how."""
    return any(
        item.action != "update" or not item.resource.inert.issuperset(item.fields)
        for item in plan.operations
    )


def check_plan(
    plan: Plan,
    limits: Limits,
    accepted: Sequence[Acceptance],
    now: datetime | None,
    verdicts: Verdicts | None = None,
) -> Checked:
    """The plan with its risks; `now` is Cloudflare's time, None where it is not known.

    `verdicts` are what the traffic says of the objects that the plan enables.
    """
    before = Coverage(plan.before)
    after = Coverage(plan.after()) if plan.operations else before
    change = Change(plan, before, after, now, verdicts or {})
    risks = find_risks(change, limits) if plan.operations else []
    acceptances = {item.code: accepting(item, accepted, now) for item in risks}
    return Checked(
        plan,
        before,
        after,
        now,
        risks=[
            replace(item, reason=_reason(acceptances[item.code]))
            for item in risks
            if acceptances[item.code]
        ],
        refused=[item for item in risks if not acceptances[item.code]],
        expired=[item for item in accepted if item.has_expired(now)],
        unmet=[item for item in accepted if item.is_unbound and item.code not in acceptances],
    )


def _reason(acceptances: Sequence[Acceptance]) -> str | None:
    return "; ".join(dict.fromkeys(item.reason for item in acceptances if item.reason)) or None

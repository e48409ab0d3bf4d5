# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan held against what a task accepts: the risks that stop it, and its coverage as results show it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from .address_space import Ranges, counted, difference, networks
from .component import in_order
from .coverage import Coverage
from .declaration import State
from .errors import PlanError, listed
from .limits import Limits
from .outcome import described, diff
from .plan import Plan
from .resources import ACCOUNT
from .risks import Change, find_risks

INERT = frozenset(["comment", "rate_sensitivity", "burst_sensitivity", "mitigation_type"])


def concerns_protection(plan: Plan) -> bool:
    """Whether a plan may change who is protected, or how."""
    return any(item.action != "update" or not INERT.issuperset(item.fields) for item in plan.operations)


class Judgement:
    """A plan, what it does to the protection, and the risks it carries, all of them accepted.

    Raises PlanError for a risk that is not; its details are the risks, the plan and its coverage.
    """

    def __init__(self, plan: Plan, limits: Limits, now: datetime | None) -> None:
        self._in_order = not plan.operations
        self.before = Coverage(plan.before)
        self.after = self.before if self._in_order else Coverage(plan.after())
        self.risks = find_risks(Change(plan, self.before, self.after, now), limits)
        refused = [risk for risk in self.risks if risk.code not in limits.accept_risks]
        if refused:
            raise PlanError(
                "The plan carries what the task does not accept. {} If this is meant, add accept_risks: [{}].".format(
                    " ".join(f"{risk.code}: {risk.message}" for risk in refused),
                    ", ".join(risk.code for risk in refused),
                ),
                {
                    "operations": described(plan.operations),
                    **self.shown(diff(plan.operations), plan.after()),
                    "risks": [risk.described() for risk in refused],
                },
            )

    @property
    def warnings(self) -> list[str]:
        """What was accepted, and what of the protection is not understood."""
        undecided = listed(self.after.undecided) if self._complete else ""
        return [f"Accepted {risk.code}: {risk.message}" for risk in self.risks] + ([undecided] if undecided else [])

    @property
    def _complete(self) -> bool:
        return all(resource.plural in self.before.state for resource in ACCOUNT)

    def shown(self, shown_diff: dict[str, Any], state: State) -> dict[str, Any]:
        """The results that say what became of the protection: diff, and, where known, coverage and accepted risks."""
        risks = {"risks": [risk.described() for risk in self.risks]} if self.risks else {}
        if not self._complete:
            return {"diff": shown_diff, **risks}
        after = self.before if self._in_order else Coverage({**self.before.state, **state})
        return {
            "diff": with_coverage(shown_diff, self.before, after),
            "coverage": compared(self.before, after),
            **risks,
        }


def compared(before: Coverage, after: Coverage) -> dict[str, Any]:
    """The result `coverage` of a module that writes; the modes of each prefix stand in `after` alone."""
    return {
        "before": {name: value for name, value in before.summary().items() if name != "prefixes"},
        "after": after.summary(),
        "newly_unprotected": networks(difference(before.protected, after.protected)),
        "newly_protected": networks(difference(after.protected, before.protected)),
        "newly_bypassing": networks(difference(after.bypassing, before.bypassing)),
    }


def with_coverage(shown: dict[str, Any], before: Coverage, after: Coverage) -> dict[str, Any]:
    """A diff together with what differs in the coverage."""
    sides = {"before": _facts(before, after), "after": _facts(after, before)}
    differing = [name for name, fact in sides["before"].items() if fact != sides["after"][name]]
    return {
        side: dict(shown[side], coverage={name: facts[name] for name in differing}) if differing else shown[side]
        for side, facts in sides.items()
    }


def _facts(one: Coverage, other: Coverage) -> dict[str, Any]:
    """What a diff says of a coverage; of its addresses those that the other one has not."""
    return {
        "effective": not one.reasons,
        "protected": _only(one.protected, other.protected),
        "bypassing": _only(one.bypassing, other.bypassing),
        **{
            f"{item.title}": {" or ".join(in_order(modes)): counted(ranges) for ranges, modes in one.pieces[item.kind]}
            for item in one.components
        },
    }


def _only(one: Ranges, other: Ranges) -> list[str]:
    return networks(difference(one, other))

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The check of a plan on the terms of a task: its risks, and which of them the task accepts."""

from __future__ import annotations

from datetime import datetime
from typing import Sequence

from .._plan.plan import Operation
from .._plan.rollout import Planned
from .._protection.coverage import Coverage
from .._protection.worse import worse
from .._schema.account import ENABLED
from .._schema.resource import Object
from .acceptance import Acceptance, accepting
from .checked import Checked
from .finders.base import Change, PlanTraffic
from .finders.registry import find_risks
from .finding import FinderAnswer, Finding
from .terms import Terms


def check_plan(
    planned: Planned,
    terms: Terms,
    now: datetime | None,
    backtest: FinderAnswer = None,
    traffic: PlanTraffic | None = None,
) -> Checked:
    """The plan with its risks; `now` is Cloudflare's time, None if it is not known. `backtest` is
    the risk that a backtest finds, `traffic` what the plan treats differently."""
    plan = planned.plan
    before = Coverage(plan.before)
    after = Coverage(plan.after()) if plan.operations else before
    of_rollout = planned.verdicts, planned.staged
    change = Change(plan, before, after, worse, now, *of_rollout, backtest, traffic)
    findings = find_risks(change, terms.limits, terms.risks) if plan.operations else []
    accepted: list[Finding] = []
    refused: list[Finding] = []
    for finding in findings:
        acceptances = accepting(finding, terms.accepted, now)
        if acceptances:
            accepted.append(finding._replace(reason=_reason(acceptances)))
        else:
            refused.append(finding)
    codes = {finding.code for finding in findings}
    unmet = [item for item in terms.accepted if item.is_unbound and item.code not in codes]
    return Checked(
        planned,
        before,
        after,
        now,
        risks=accepted,
        refused=refused,
        expired=[item for item in terms.accepted if item.has_expired(now)],
        unmet=unmet,
        described=_coverage_once_enabled(planned),
        traffic=traffic and traffic.changes,
    )


def _reason(acceptances: Sequence[Acceptance]) -> str | None:
    reasons = [acceptance.reason for acceptance in acceptances if acceptance.reason]
    return "; ".join(dict.fromkeys(reasons)) or None


def _coverage_once_enabled(planned: Planned) -> Coverage | None:
    """The coverage after all objects are enabled that the plan leaves at an earlier stage for now;
    None if there are no such objects.
    """
    enabled: dict[Operation, Object] = {}
    for operation in planned.plan.operations:
        mode = operation.resource.mode_field
        if mode in operation.fields and operation.target in planned.staged:
            enabled[operation] = {**(operation.planned or {}), str(mode): ENABLED}
    return Coverage(planned.plan.after(enabled)) if enabled else None

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether an owner takes a plan: the quota of a zone, by its plan, and those of other lists."""

from __future__ import annotations

from ..._errors import ServiceError
from ..._plan.plan import Plan
from ..._schema.directory import ZONE
from ..._schema.quotas import LIMITED, QUOTAS, Quota, features, quota_of
from ..._schema.resource import Object, ReadCollection
from ..._text import Message, first_few
from ..checked import Feasibility


def check_quota(plan: Plan, read: ReadCollection) -> Feasibility:
    """Whether the owner takes a plan; `read` is called only where some zones would not."""
    too_many = _too_many(plan)
    if too_many:
        return Feasibility(too_many)
    if not may_exceed_quota(plan):
        return Feasibility()
    try:
        exceeded = exceeded_quota(plan, *read(ZONE))
    except ServiceError as exc:
        return Feasibility(unknown=Message("The quota of the zone is not checked: ", exc.message))
    if exceeded is None:
        return Feasibility(unknown="The quota of the zone's plan is not known.")
    return Feasibility(exceeded)


def _too_many(plan: Plan) -> str:
    """Why an owner would not take a plan that makes a list longer than its quota; one that is
    longer already has a larger quota."""
    resources = {item.resource.plural: item.resource for item in plan.operations}
    for resource in (item for item in resources.values() if item.quota):
        before, after = (len(state[resource.plural]) for state in (plan.before, plan.after()))
        if before <= resource.quota < after:
            return (
                f"The {resource.owner.partition('_')[0]} takes {resource.quota} {resource.titles},"
                f" and {after} would be there. Remove what is too much."
            )
    return ""


def may_exceed_quota(plan: Plan) -> bool:
    """Whether there are zones that would not take this plan, so that the quota of its zone
    matters."""
    return any(_exceeded(plan, quota) for quota in QUOTAS.values())


def exceeded_quota(plan: Plan, zone: Object) -> str | None:
    """Why a zone would not take this plan; empty where it would, None where its quota is
    unknown."""
    quota = quota_of(zone)
    if quota is None:
        return None
    reasons = "; ".join(_exceeded(plan, quota))
    to_do = "Remove what is too much, or choose another plan for the zone."
    return f"The zone has the plan {quota.title}: {reasons}. {to_do}" if reasons else ""


def _exceeded(plan: Plan, quota: Quota) -> list[str]:
    """What a plan brings into a zone beyond its quota; a zone that holds more already has a larger
    quota."""
    changed = [item for item in plan.operations if item.resource is LIMITED and item.planned]
    if not changed:
        return []
    before, after = (len(state[LIMITED.plural]) for state in (plan.before, plan.after()))
    crosses = before <= quota.rules < after
    reasons = (
        [f"it takes {quota.rules} {LIMITED.title}s, and {after} would be there"] if crosses else []
    )
    had = frozenset().union(*map(features, plan.before[LIMITED.plural]))
    for feature in sorted(quota.withheld - had):
        concerned = [item.label for item in changed if feature in features(item.planned or {})]
        reasons += (
            [f"it has not {feature}, which is in {first_few(concerned)}"] if concerned else []
        )
    return reasons

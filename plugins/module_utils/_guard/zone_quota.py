# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of a zone, and the rules and fields that it does not have."""

from __future__ import annotations

from typing import Iterator, Sequence

from .._errors import ProtectionError, reading
from .._plan.plan import Operation, Plan
from .._remembered import remembered
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.custom_rulesets import EXECUTED_RULESETS
from .._schema.neighbours import ZONE
from .._schema.quotas import (
    LIMITED_COLLECTIONS,
    QUOTAS,
    Quota,
    fields_of_plans,
    plans_of_field,
    quota_of,
)
from .._schema.registry import evaluated_as
from .._schema.resource import Object, ReadCollection, State
from .._schema.rulesets import deployed
from .._schema.zone import plan_of
from .._text import Unread, first_few


def check_quota(plan: Plan, read: ReadCollection) -> str:
    """The reason why a zone would reject a plan that exceeds its quota; empty if there is none.
    `read` is called only if some zones would reject the plan.
    """
    if not is_beyond_some_quota(plan):
        return ""
    with reading("The quota of the zone is not checked: "):
        (zone,) = plan.before.get(ZONE.plural) or read(ZONE)
    quota = quota_of(zone)
    if quota is None:
        raise Unread("The quota of the zone's plan is not known.")
    reasons = "; ".join(_exceeded(plan, quota))
    to_do = "Leave out what the plan does not have, or choose another plan for the zone."
    return f"The zone has the plan {quota.title}: {reasons}. {to_do}" if reasons else ""


@remembered(32)  # before the plan of the zone is read, and in the check
def is_beyond_some_quota(plan: Plan) -> bool:
    """Return whether a plan exceeds the quota of some zones."""
    return any(_exceeded(plan, quota) for quota in QUOTAS.values())


def _exceeded(plan: Plan, quota: Quota) -> list[str]:
    """Clauses on how a plan exceeds the quota of a zone; empty if it does not. A zone that already
    has more must have a larger quota.
    """
    reasons: list[str] = []
    for collection in LIMITED_COLLECTIONS:
        most = quota.rules.get(collection)
        changed = [
            operation
            for operation in plan.operations
            if operation.planned and evaluated_as(operation.resource).plural == collection
        ]
        if not changed or collection not in plan.before:
            continue
        before = _number_of_rules(plan.before, collection)
        after = _number_of_rules(plan.after(), collection)
        if most is not None and before <= most < after:
            resource = evaluated_as(changed[0].resource)
            titles = resource.titles if most > 1 else resource.title
            reasons.append(f"it takes {most} {titles}, and {after} would be there")
        reasons += _lacking_features(changed, plan.before[collection], quota)
    return reasons


def _lacking_features(
    changed: Sequence[Operation], existing: Sequence[Object], quota: Quota
) -> Iterator[str]:
    """A clause for each feature that changed rules need and the quota does not include, unless an
    existing rule has it.
    """
    had: set[str] = set()
    resource = evaluated_as(changed[0].resource)
    for rule in existing:
        had.update(quota.lacks(resource, rule))
    labels: dict[str, list[str]] = {}
    for operation in changed:
        for feature in quota.lacks(resource, operation.planned or {}) - had:
            labels.setdefault(feature, []).append(operation.label)
    for feature in sorted(labels):
        yield f"it does not have {feature}, which is in {first_few(labels[feature])}"


def doubtful_fields(plan: Plan, read: ReadCollection) -> str:
    """A warning about fields that the zone's plan does not have, or whose plan is not known; empty
    if there are none. `read` is called only if a changed rule reads such a field."""
    labels = new_fields_of_plans(plan)
    if not labels:
        return ""
    try:
        (zone,) = plan.before.get(ZONE.plural) or read(ZONE)
    except ProtectionError:
        zone = {}
    known = plan_of(zone)
    rows = {name: plans_of_field(name) for name in sorted(labels)}
    clauses = [
        f"{name}, which is in {first_few(labels[name])}, requires {row.requires}"
        for name, row in rows.items()
        if known not in row.plans
    ]
    if not clauses:
        return ""
    quota = quota_of(zone)
    title = f"The zone has the plan {quota.title}" if quota else "The zone's plan is not known"
    to_do = "Without it, Cloudflare may refuse the rule, or no request matches it."
    return f"{title}: {'; '.join(clauses)}. {to_do}"


def new_fields_of_plans(plan: Plan) -> dict[str, list[str]]:
    """By the fields that not every plan has and no existing rule of the same collection reads, the
    changed rules that read them."""
    labels: dict[str, list[str]] = {}
    for operation in plan.operations:
        collection = evaluated_as(operation.resource).plural
        if not operation.planned or collection not in LIMITED_COLLECTIONS:
            continue
        had: set[str] = set()
        for rule in plan.before.get(collection, ()):
            had.update(fields_of_plans(rule))
        for name in sorted(fields_of_plans(operation.planned) - had):
            labels.setdefault(name, []).append(operation.label)
    return labels


def _number_of_rules(state: State, plural: str) -> int:
    """The number of rules in a collection, including rules of the rulesets that custom rules
    execute.
    """
    number = len(state[plural])
    if plural != CUSTOM_RULES.plural:
        return number
    executed = {deployed(rule) for rule in state[plural]}
    for ruleset in state.get(EXECUTED_RULESETS, ()):
        if str(ruleset["id"]) in executed:
            number += len(ruleset.get("rules") or ())
    return number

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checks of plans for rules and overrides: what may keep their owner from taking them, and what
stands around them."""

from __future__ import annotations

from typing import Iterator, Sequence

from .._errors import ProtectionError, reading
from .._plan.plan import Check, Operation, Plan, differences
from .._protection.losses import idle_among
from .._protection.overrides import override_losses
from .._protection.zone_rule import in_order_of
from .._remembered import remembered
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.custom_rulesets import EXECUTED_RULESETS
from .._schema.ddos_overrides import L7_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT
from .._schema.managed_rules import MANAGED_RULES
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
from .._schema.resource import CONTENTS, Object, ReadCollection, Resource, State
from .._schema.rulesets import deployed
from .._schema.zone import plan_of
from .._text import Message, Unread, first_few
from .list_plans import checks_of_lists, resources_of_list_checks


def check_quota(plan: Plan, read: ReadCollection) -> str:
    """The reason why a zone would reject a plan that exceeds its quota; empty if there is none.
    `read` is called only if some zones would reject the plan.
    """
    if not _is_beyond_some_quota(plan):
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
def _is_beyond_some_quota(plan: Plan) -> bool:
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
    labels = _new_fields_of_plans(plan)
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


def _new_fields_of_plans(plan: Plan) -> dict[str, list[str]]:
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


def refusal_of_unlisted_names(plan: Plan, read: ReadCollection) -> str:
    """The reason why a plan is refused that uses names which the catalogue does not list; empty if
    it lists all. `read` is called only if the plan uses a new name.
    """
    reasons = [_check_names(plan, resource, read) for resource in plan.resources.values()]
    return " ".join(filter(None, reasons))


def _naming(plan: Plan, resource: Resource) -> list[Operation]:
    """The operations of a plan that name objects of a catalogue."""
    catalogue = resource.catalogue
    if not catalogue:
        return []
    return [
        operation
        for operation in plan.operations
        if operation.resource.plural == resource.plural and catalogue.has_names(operation.fields)
    ]


def _check_names(plan: Plan, resource: Resource, read: ReadCollection) -> str:
    catalogue = resource.catalogue
    if not catalogue:
        return ""
    naming = _naming(plan, resource)
    if not naming:
        return ""
    not_known = f"Whether all that the {resource.titles} name exists is not known: "
    entries = resource.catalogue_object()
    if entries.plural in plan.unread:
        reason, *_further = plan.unread[entries.plural].values()
        raise Unread(Message(not_known, reason))
    clauses: list[str] = []
    try:
        with reading(not_known):
            (listed,) = plan.before.get(entries.plural) or read(entries)
        for operation in naming:
            faults_before = catalogue.faults(operation.existing or {}, listed)
            faults = catalogue.faults(operation.planned or {}, listed)
            new_faults = [fault for fault in faults if fault not in faults_before]
            clauses += [f"{operation.title} {fault}" for fault in new_faults]
    except Unread:
        raise
    except ValueError as exc:
        raise Unread(f"{not_known}{exc}.") from exc
    if not clauses:
        return ""
    return f"The {'; '.join(clauses)}. Correct them."


def idle_exceptions(plan: Plan) -> str:
    """A warning of changed exceptions from managed rules that have no effect; empty if there are
    none.
    """
    keys = {operation.key for operation in plan.operations if operation.resource is MANAGED_RULES}
    if not keys:
        return ""
    rules = in_order_of(MANAGED_RULES)(plan.after()[MANAGED_RULES.plural])
    idle = [rule.title for rule in idle_among(rules) if rule.key in keys]
    if not idle:
        return ""
    subject, skipping = f"exceptions {first_few(idle)} do", "they skip"
    if len(idle) == 1:
        subject, skipping = f"exception {idle[0]} does", "it skips"
    return f"The {subject} nothing, since no rule behind executes what {skipping}."


def hidden_overrides(plan: Plan) -> str:
    """A warning of a plan that hides overrides of the account, or makes them apply again, unless
    the risk weakens_ddos_rules reports that; empty for any other plan.
    """
    before, after = plan.before, plan.after()
    had = bool(before.get(L7_OVERRIDES.plural))
    has = bool(after.get(L7_OVERRIDES.plural))
    overrides = before.get(L7_OVERRIDES_OF_ACCOUNT.plural, ())
    if had is has or not overrides or override_losses(L7_OVERRIDES, before, after):
        return ""
    event, effect = "gets its first", "hidden"
    if had:
        event, effect = "loses its last", "in force"
    labels = first_few(map(L7_OVERRIDES_OF_ACCOUNT.label_of, overrides))
    outcome = f"those of its account are {effect} in the zone: {labels}."
    return f"The zone {event} HTTP DDoS override. From then on, {outcome}"


def _lost_with_duplicates(plan: Plan) -> Iterator[str]:
    """A warning for each deleted ruleset that has an older duplicate, on the rules that the
    remaining ruleset lacks or has in another form.
    """
    after = plan.after()
    for operation in plan.operations:
        if operation.action != "delete" or not operation.existing:
            continue
        lost = _lost_rules(operation, operation.existing, after)
        older_keys = map(operation.resource.key_of, after[operation.resource.plural])
        if lost and operation.key in older_keys:
            yield (
                f"Cloudflare holds the {operation.title} more than once. The younger one, with the"
                f" id {operation.identity}, is deleted; the older one does not have these rules of"
                f" it, or has other values: {first_few(lost)}."
            )


def _lost_rules(deletion: Operation, ruleset: Object, after: State) -> list[str]:
    """The refs of the rules in a deleted ruleset that no remaining ruleset of the same name has in
    the same form.
    """
    contents = ruleset.get(CONTENTS)
    if not contents or not deletion.resource.contents:
        return []
    rules = deletion.resource.contents(ruleset)
    staying = {rules.key_of(rule): rule for rule in after.get(rules.plural, ())}
    lost = []
    for rule in contents:
        values = rules.declared_values(rule)
        if differences(rules.fields, staying.get(rules.key_of(rule)), values):
            lost.append(str(rule.get("ref")))
    return lost


def warnings_of_rules(plan: Plan) -> list[str]:
    """Warnings of a plan that changes more than its objects, or may do so."""
    of_rules = [*filter(None, (hidden_overrides(plan), idle_exceptions(plan)))]
    return [*of_rules, *_lost_with_duplicates(plan), *plan.doubts]


def resources_of_checks(plan: Plan) -> list[Resource]:
    """The collections that the checks look up and that are not in the state of the plan."""
    needs_zone = _is_beyond_some_quota(plan) or _new_fields_of_plans(plan)
    resources = [ZONE] if needs_zone else []
    for resource in plan.resources.values():
        if resource.catalogue and _naming(plan, resource):
            resources.append(resource.catalogue_object())
    resources += resources_of_list_checks(plan)
    read = {plural for plural, objects in plan.before.items() if objects}
    known = read | plan.unread.keys()
    return [resource for resource in resources if resource.plural not in known]


def checks_of(plan: Plan) -> Sequence[Check]:
    """The checks for a plan that concern rules, lists or overrides."""
    return (check_quota, refusal_of_unlisted_names, *checks_of_lists(plan))

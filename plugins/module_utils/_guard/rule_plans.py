# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checks of plans for rules and overrides: what may keep their owner from taking them, and what
stands around them."""

from __future__ import annotations

from typing import Iterator, Sequence

from .._errors import reading
from .._plan.plan import Check, Operation, Plan, differences
from .._protection.losses import idle_among
from .._protection.overrides import override_losses
from .._protection.rules_in_force import in_order_of
from .._remembered import remembered
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.custom_rulesets import EXECUTED_RULESETS
from .._schema.ddos_overrides import L7_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT
from .._schema.managed_rules import MANAGED_RULES
from .._schema.neighbours import ZONE
from .._schema.quotas import QUOTAS, Quota, quota_of
from .._schema.registry import evaluated_as
from .._schema.resource import CONTENTS, ReadCollection, Resource, State
from .._schema.rulesets import deployed
from .._text import Message, Unread, first_few
from .list_plans import checks_of_lists, resources_of_list_checks


def check_quota(plan: Plan, read: ReadCollection) -> str:
    """Check that a zone takes a plan; `read` is called only if some zones would not."""
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
    """Return whether some zones would not take a plan."""
    return any(_exceeded(plan, quota) for quota in QUOTAS.values())


def _exceeded(plan: Plan, quota: Quota) -> list[str]:
    """The parts of a plan beyond the quota of a zone; a zone that holds more already has a larger
    quota."""
    reasons = []
    evaluated = {name: evaluated_as(one).plural for name, one in plan.resources.items()}
    for collection, most in quota.rules.items():
        if collection not in evaluated.values() or collection not in plan.before:
            continue
        planned = [item for item in plan.operations if item.planned]
        changed = [item for item in planned if evaluated[item.resource.plural] == collection]
        if not changed:
            continue
        before, after = (
            _number_of_rules(state, collection) for state in (plan.before, plan.after())
        )
        if before <= most < after:
            resource = evaluated_as(changed[0].resource)
            titles = resource.titles if most > 1 else resource.title
            reasons.append(f"it takes {most} {titles}, and {after} would be there")
        had = frozenset().union(*map(quota.lacks, plan.before[collection]))
        needs = {item.label: quota.lacks(item.planned or {}) - had for item in changed}
        for feature in sorted(frozenset().union(*needs.values())):
            named = [label for label, lacking in needs.items() if feature in lacking]
            if named:
                reasons.append(f"it does not have {feature}, which is in {first_few(named)}")
    return reasons


def _number_of_rules(state: State, plural: str) -> int:
    """The number of rules; those of the rulesets that custom rules execute count as well."""
    rulesets = state.get(EXECUTED_RULESETS, ()) if plural == CUSTOM_RULES.plural else ()
    executed = {*map(deployed, state[plural])}
    inner = sum(len(obj.get("rules") or ()) for obj in rulesets if str(obj["id"]) in executed)
    return len(state[plural]) + inner


def check_catalogue(plan: Plan, read: ReadCollection) -> str:
    """Check that all that a plan names exists; `read` is called only if it names something anew."""
    every = plan.resources.values()
    return " ".join(filter(None, (_check_names(plan, one, read) for one in every)))


def _naming(plan: Plan, resource: Resource) -> list[Operation]:
    """The operations of a plan that name objects of a catalogue."""
    catalogue = resource.catalogue
    if not catalogue:
        return []
    operations = [item for item in plan.operations if item.resource.plural == resource.plural]
    return [operation for operation in operations if catalogue.has_names(operation.fields)]


def _check_names(plan: Plan, resource: Resource, read: ReadCollection) -> str:
    catalogue = resource.catalogue
    if not catalogue:
        return ""
    naming = _naming(plan, resource)
    if not naming:
        return ""
    not_known = f"Whether all that the {resource.titles} name exists is not known: "
    named = resource.catalogue_object()
    if named.plural in plan.unread:
        raise Unread(Message(not_known, next(iter(plan.unread[named.plural].values()))))
    try:
        with reading(not_known):
            (listed,) = plan.before.get(named.plural) or read(named)
        clauses = [
            f"{item.title} {clause}"
            for item in naming
            for known in [catalogue.faults(item.existing or {}, listed)]
            for clause in catalogue.faults(item.planned or {}, listed)
            if clause not in known
        ]
    except Unread:
        raise
    except ValueError as exc:
        raise Unread(f"{not_known}{exc}.") from exc
    return f"The {'; '.join(clauses)}. Correct them." if clauses else ""


def idle_exceptions(plan: Plan) -> str:
    """A warning of exceptions from managed rules that the plan changes and that do nothing."""
    changed = [item for item in plan.operations if item.resource is MANAGED_RULES]
    if not changed:
        return ""
    rules = in_order_of(MANAGED_RULES)(plan.after()[MANAGED_RULES.plural])
    keys = {item.key for item in changed}
    idle = [rule.title for rule in idle_among(rules) if rule.key in keys]
    ones = f"exception {idle[0]} does" if len(idle) == 1 else f"exceptions {first_few(idle)} do"
    why = f"no rule behind executes what {'it skips' if len(idle) == 1 else 'they skip'}"
    return f"The {ones} nothing, since {why}." if idle else ""


def hidden_overrides(plan: Plan) -> str:
    """A warning for a plan that hides overrides of an account, or has them applied, without the
    risk weakens_ddos_rules; empty for any other."""
    states = (plan.before, plan.after())
    had, has = (bool(state.get(L7_OVERRIDES.plural)) for state in states)
    overrides = plan.before.get(L7_OVERRIDES_OF_ACCOUNT.plural, ())
    if had is has or not overrides or override_losses(L7_OVERRIDES, *states):
        return ""
    moment, what = ("loses its last", "in force") if had else ("gets its first", "hidden")
    labels = first_few(map(L7_OVERRIDES_OF_ACCOUNT.label_of, overrides))
    outcome = f"those of its account are {what} in the zone: {labels}."
    return f"The zone {moment} HTTP DDoS override. From then on, {outcome}"


def _lost_with_duplicates(plan: Plan) -> Iterator[str]:
    """Warnings of rules that go with a ruleset of which there is an older one, and that this one
    has not, or has otherwise."""
    after = plan.after()
    for item in plan.operations:
        contents = (item.existing or {}).get(CONTENTS) if item.action == "delete" else None
        if not contents or not item.resource.contents:
            continue
        rules = item.resource.contents(item.existing or {})
        stays = {rules.key_of(rule): rule for rule in after.get(rules.plural, ())}
        lost = [
            str(rule.get("ref"))
            for rule in contents
            if differences(rules.fields, stays.get(rules.key_of(rule)), rules.declared_values(rule))
        ]
        if lost and item.key in map(item.resource.key_of, after[item.resource.plural]):
            yield (
                f"Cloudflare holds the {item.title} more than once. The younger one, with the id"
                f" {(item.existing or {}).get('id')}, is deleted; the older one does not have these"
                f" rules of it, or has other values: {first_few(lost)}."
            )


def warnings_of_rules(plan: Plan) -> list[str]:
    """Warnings of a plan that changes more than its objects, or may, since not all is known."""
    of_rules = [*filter(None, (hidden_overrides(plan), idle_exceptions(plan)))]
    return [*of_rules, *_lost_with_duplicates(plan), *plan.doubts]


def resources_of_checks(plan: Plan) -> list[Resource]:
    """The collections that these checks look up, and that the state of a plan does not have."""
    resources = [ZONE] if _is_beyond_some_quota(plan) else []
    for resource in plan.resources.values():
        if resource.catalogue and _naming(plan, resource):
            resources.append(resource.catalogue_object())
    resources += resources_of_list_checks(plan)
    known = {plural for plural, objects in plan.before.items() if objects} | plan.unread.keys()
    return [resource for resource in resources if resource.plural not in known]


def checks_of(plan: Plan) -> Sequence[Check]:
    """The checks of a plan that are of rules, lists or overrides."""
    return (check_quota, check_catalogue, *checks_of_lists(plan))

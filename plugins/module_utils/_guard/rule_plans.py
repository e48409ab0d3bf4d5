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
from .._protection.zone_rule import in_order_of
from .._schema.ddos_overrides import L7_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT
from .._schema.managed_rules import MANAGED_RULES
from .._schema.neighbours import ZONE
from .._schema.resource import CONTENTS, Object, ReadCollection, Resource, State
from .._text import Message, Unread, first_few
from .list_plans import checks_of_lists
from .list_quota import resources_of_list_checks
from .zone_quota import check_quota, is_beyond_some_quota, new_fields_of_plans


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
    needs_zone = is_beyond_some_quota(plan) or new_fields_of_plans(plan)
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

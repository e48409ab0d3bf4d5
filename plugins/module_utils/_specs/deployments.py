# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules that deploy custom rulesets: which of them a plan keeps, changes and removes, once the
existing state is known."""

from __future__ import annotations

import glob
from dataclasses import replace
from typing import AbstractSet, Mapping, Sequence

from .._errors import PlanError
from .._plan.desired import Desired, DesiredObject, Presence
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.custom_rulesets import CUSTOM_RULESETS, deploying_rules
from .._schema.resource import ZONE_OPTION, Key, Object, State, Values
from .._schema.rulesets import deployed
from .._text import first_few
from .base import SectionName

RULESETS_OF_ZONE = CUSTOM_RULESETS[ZONE_OPTION]
COPIED_FIELDS = ("ref", "action", "action_parameters")  # of a deployment that exists

IdsByRuleset = Mapping[Key, Sequence[str]]


def converged_rulesets(desired: Sequence[Desired], state: State) -> Sequence[Desired]:
    """The desired rulesets, their rules and their deployments, with the ids of existing rulesets in
    place of names; raises PlanError.
    """
    rulesets, *rules_of_rulesets, deployments = desired
    ids: dict[Key, list[str]] = {}
    resource = rulesets.resource
    for ruleset in resource.our_objects_in(state):
        ids_of_name = ids.setdefault(resource.key_of(ruleset), [])
        ids_of_name.append(str(ruleset.get("id")))  # Cloudflare may have a name twice
    left_out = _omitted_keys(rulesets, ids.keys())
    converged = [rulesets]
    for rules in rules_of_rulesets:
        if (rules.resource.parent_name,) in left_out:
            rules = replace(rules, entries={}, exclusive=False)
        converged.append(rules)
    existing_rules = state[deployments.resource.plural]
    for key in sorted((rulesets.objects.keys() & ids.keys()) - left_out):
        _check_duplicates(str(key[0]), ids[key], existing_rules)
    converged.append(_deployments_by_ids(deployments, existing_rules, ids, left_out))
    return converged


def _omitted_keys(rulesets: Desired, existing: AbstractSet[Key]) -> AbstractSet[Key]:
    """The keys of rulesets that do not exist after the plan, so that they have neither rules nor
    deployments: they are deleted or, if they expired, not created.
    """
    left_out = {key for key in existing if rulesets.drops(key)}
    if rulesets.absent:
        left_out.update(rulesets.objects)
    may_have_expired = rulesets.undecided - existing
    return left_out | rulesets.expired | may_have_expired


def _check_duplicates(name: str, ids: Sequence[str], rules: Sequence[Object]) -> None:
    """Raise PlanError if a rule executes a duplicate. Of the rulesets with this name, which have
    these ids, all but the oldest are duplicates. A duplicate that no rule executes is deleted by
    the plan.
    """
    younger_ids = ids[1:]
    executing = [str(rule.get("ref")) for rule in rules if deployed(rule) in younger_ids]
    if executing:
        raise PlanError(
            f"Cloudflare holds custom ruleset {name} more than once (ids {', '.join(ids)}), and a"
            f" rule executes one that is not the oldest: {first_few(executing)}. Delete all but one"
            " of them, or give them other names."
        )


def _deployments_by_ids(
    deployments: Desired, existing: Sequence[Object], ids: IdsByRuleset, left_out: AbstractSet[Key]
) -> Desired:
    """The desired deployments, with the refs of existing ones and the ids of the rulesets, without
    those of rulesets that are left out. Raises PlanError."""
    resource = deployments.resource
    rules_by_id: dict[str, list[Object]] = {}
    for rule in existing:
        rules_by_id.setdefault(deployed(rule), []).append(rule)
    entries: dict[Key, DesiredObject] = {}
    undeployed = set(left_out)
    for deployment in deployments.entries.values():
        values = deployment.values
        placeholder = deployed(values)  # which stands for the id of a ruleset made meanwhile
        ruleset: Key = (placeholder[1:-1],)
        if deployment.presence is Presence.ABSENT:
            undeployed.add(ruleset)
        if ruleset in undeployed:
            continue
        ids_of_ruleset = (*ids.get(ruleset, ()), placeholder)
        executing = _rules_with(ids_of_ruleset, rules_by_id)
        existing_deployment = _deployment(resource.label_of(values), values, executing, existing)
        if existing_deployment:
            values = {**values, **{name: existing_deployment[name] for name in COPIED_FIELDS}}
        key = resource.key_of(existing_deployment or deployment.values)
        entries[key] = deployment._replace(values=values)
    for ruleset in filter(undeployed.__contains__, ids):  # in the order that exists
        for rule in _rules_with(ids[ruleset], rules_by_id):
            removed = DesiredObject({"ref": rule.get("ref")}, presence=Presence.ABSENT)
            entries[resource.key_of(rule)] = removed
    return replace(deployments, entries=entries)


def _rules_with(ids: Sequence[str], rules_by_id: Mapping[str, Sequence[Object]]) -> list[Object]:
    """The rules that execute the rulesets with these ids."""
    rules: list[Object] = []
    for identity in ids:
        rules += rules_by_id.get(identity, ())
    return rules


def _deployment(
    ref: str, values: Values, executing: Sequence[Object], existing: Sequence[Object]
) -> Object | None:
    """The existing rule that executes a ruleset, None if no rule does. Raises PlanError if several
    rules do, or if another rule already has the ref of a new deployment.
    """
    name = deployed(values)[1:-1]
    if len(executing) > 1:
        refs = first_few(str(rule.get("ref")) for rule in executing)
        raise PlanError(
            f"The ruleset {name} is executed by more than one rule ({refs}). Keep one of them, or"
            " leave out deploy."
        )
    if executing:
        return executing[0]
    if any(rule.get("ref") == ref for rule in existing):
        raise PlanError(
            f"The rule {ref} is there, and does not execute the ruleset {name}. Give its deployment"
            " another ref, in deploy."
        )
    return None


def beside_deployments(desired: Sequence[Desired], state: State) -> list[Desired]:
    """The desired state, in which an exclusive list of custom rules does not delete the rules that
    deploy rulesets of the host; raises PlanError for a rule that is both a custom rule and a
    deployment."""
    desired_deployments: set[Key] = set()
    deploying: set[Key] = set()
    for collection in desired:
        if collection.resource is CUSTOM_RULES and collection.section == SectionName.RULESETS:
            desired_deployments.update(collection.objects)
        if collection.resource is RULESETS_OF_ZONE:
            rulesets = collection.among(RULESETS_OF_ZONE.our_objects_in(state))
            deploying.update(deploying_rules(rulesets, state))
    deploying |= desired_deployments
    result: list[Desired] = []
    for collection in desired:
        if collection.section == SectionName.CUSTOM_RULES and deploying:
            collection = _custom_rules_beside(collection, desired_deployments, deploying)
        result.append(collection)
    return result


def _custom_rules_beside(
    desired: Desired, desired_deployments: AbstractSet[Key], deploying: AbstractSet[Key]
) -> Desired:
    """The desired custom rules without those that deploy rulesets. An entry that has nothing but
    the ref of a deployment remains: it gives the deployment its position.
    """
    task_rules = set()
    for key, values in desired.objects.items():
        has_fields = not values.keys() <= {*CUSTOM_RULES.key}
        if desired.absent or key not in desired_deployments or has_fields:
            task_rules.add(key)
    for key in desired.objects:
        if key in task_rules and key in desired_deployments:
            raise PlanError(
                f"The custom rule {key[0]} is described, and deploys a ruleset. Give the deployment"
                " another ref, in deploy."
            )
    patterns = sorted(glob.escape(str(key[0])) for key in deploying - task_rules)
    return replace(desired.only(task_rules), ignore=(*desired.ignore, *patterns))

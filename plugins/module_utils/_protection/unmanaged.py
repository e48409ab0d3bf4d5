# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The objects of a host that its desired state does not name, over all its collections, and whether
they take protection away."""

from __future__ import annotations

from dataclasses import replace
from typing import AbstractSet, Iterator, Mapping, NamedTuple, Sequence

from .._expressions.grammar import expression_of
from .._plan.desired import Desired, DesiredObject
from .._schema.lists import LISTS
from .._schema.overrides import L7_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT
from .._schema.resource import ACCOUNT_OPTION, NO_ITEMS, ZONE_OPTION, Object, State, id_of_new
from .._schema.rulesets import deployed
from .._schema.zone import (
    CUSTOM_RULES,
    CUSTOM_RULES_OF_ACCOUNT,
    CUSTOM_RULESETS,
    ENTERPRISE_ZONES,
    ENTRY_POINTS,
    EXECUTED_RULESETS,
    deploying_rules,
    own_rulesets,
    whole_rulesets,
)
from .holes import rules_of_rulesets, unmanaged_records, unnamed_rulesets
from .losses import lists_of_others, objects_among, other_objects, unmanaged_items, unmanaged_lists


class CollectionKinds(NamedTuple):
    """A desired state by the kinds of its collections: those whose objects stand by themselves,
    lists and their items, rulesets and their rules, and the rules that deploy these."""

    alone: Sequence[Desired]
    lists: Sequence[Desired]
    rulesets: Sequence[Desired]
    deployments: Sequence[Desired]


def kinds_of(desired: Sequence[Desired]) -> CollectionKinds:
    """The desired state by kinds."""
    kinds: dict[str, list[Desired]] = {name: [] for name in CollectionKinds._fields}
    parts = {item.part for item in desired if item.resource in CUSTOM_RULESETS.values()}
    for item in desired:
        around = item.resource.parent or item.resource
        if around is LISTS:
            kind = "lists"
        elif around in CUSTOM_RULESETS.values():
            kind = "rulesets"
        elif item.part in parts and item.resource in ENTRY_POINTS.values():
            kind = "deployments"
        else:
            kind = "alone"
        kinds[kind].append(item)
    return CollectionKinds(**kinds)


def all_unmanaged(
    desired: Sequence[Desired], state: State, is_host: bool, of_lists: bool = False
) -> list[Mapping[str, object]]:
    """A record of each object that the desired state does not name; of a host also those of whole
    rulesets, and of lists if it names some or the state has them `of_lists`."""
    kinds = kinds_of(desired)
    deploying = {
        key: NO_ITEMS
        for item in kinds.rulesets[:1]
        if item.resource.owner == ZONE_OPTION
        for key in deploying_rules(item.among(own_rulesets(state, ZONE_OPTION)), state)
    }
    alone = [
        item.with_values({**deploying, **item.objects}) if item.resource is CUSTOM_RULES else item
        for item in kinds.alone
    ]
    records: list[Mapping[str, object]] = [*unmanaged_records(alone, state)] if alone else []
    records += rules_of_rulesets(kinds.rulesets, state)
    if is_host and kinds.rulesets:
        records += _beside_rulesets(kinds, state)
    described = of_lists and LISTS.plural in state if not kinds.lists else not kinds.lists[0].absent
    if is_host and described:
        records += unmanaged_lists(kinds.lists, state)
    return records


def judged_lists(desired: Sequence[Desired], state: State) -> AbstractSet[str]:
    """The names of lists, and of the overrides of an account, that the state must be completed for,
    since objects that nobody names may weaken what refers to them."""
    kinds = kinds_of(desired)
    names: set[str] = set()
    if kinds.lists and not kinds.lists[0].absent:
        names |= {LISTS.label_of(obj) for obj in lists_of_others(kinds.lists, state)}
        names |= {item.resource.within for item in kinds.lists if unmanaged_items(item, state)}
    for item in kinds.alone:
        existing = {*map(item.resource.key_of, state[item.resource.plural])}
        if item.resource is L7_OVERRIDES and not existing & {*item.objects}:
            names.add(L7_OVERRIDES_OF_ACCOUNT.plural)
    return names


def _beside_rulesets(kinds: CollectionKinds, state: State) -> Iterator[Mapping[str, object]]:
    """The rulesets that a host does not name, and the rules of the entry point beside those that
    deploy its rulesets."""
    rulesets, owner = kinds.rulesets[0], kinds.rulesets[0].resource.owner
    own = own_rulesets(state, owner)
    named = objects_among(rulesets.resource, own, rulesets.objects)
    others = other_objects(rulesets.resource, own, rulesets.objects)
    yield from unnamed_rulesets(rulesets.resource, ENTRY_POINTS[owner], others, state)
    yield from _rules_beside(kinds, named, others, state)


def _rules_beside(
    kinds: CollectionKinds, named: Sequence[Object], others: Sequence[Object], state: State
) -> Iterator[Mapping[str, object]]:
    """The rules of the entry point that take something from the named rulesets, or concern all
    plain traffic; if the host names rules of it, only the deployments of these rulesets that do
    more than execute them."""
    (deployments,) = kinds.deployments
    entry_point, owner = deployments.resource, deployments.resource.owner
    rules = state[entry_point.plural]
    executed = {(entry_point.name, entry_point.label_of(rule)): deployed(rule) for rule in rules}
    ours, theirs = map(_ids, (named, others))
    names_rules = any(item.resource is entry_point for item in kinds.alone)
    described = {
        entry_point.key_of(rule): rule
        for rule in rules
        if deployed(rule) in ours and [*rule["action_parameters"]] == ["id"]
    }
    every = [*state.get(EXECUTED_RULESETS, ()), *whole_rulesets(state, owner)]
    whole: State = {**state, EXECUTED_RULESETS: every}
    if owner == ACCOUNT_OPTION:  # judged as a zone of the plan Enterprise meets them
        in_zone = [*map(_in_enterprise, rules)]
        whole = {**whole, CUSTOM_RULES.plural: in_zone, CUSTOM_RULES_OF_ACCOUNT.plural: ()}
    entries = {key: DesiredObject(rule) for key, rule in described.items()}
    beside = replace(deployments, resource=CUSTOM_RULES, entries=entries)
    for record in unmanaged_records([beside], whole):
        is_own = record["resource"] == CUSTOM_RULES.name
        target = (entry_point.name if is_own else record["resource"], record["key"])
        identity = executed.get(target, "")
        is_judged = identity in theirs and record["weakens"] is not False
        is_elsewhere = names_rules and identity not in ours
        if record["reason"] and not is_judged and not is_elsewhere:
            yield {**record, "resource": target[0]}


def _ids(rulesets: Sequence[Object]) -> set[str]:
    """The ids by which rules may execute rulesets, also those that are not yet made."""
    return {str(one) for obj in rulesets for one in (obj.get("id"), id_of_new(str(obj["name"])))}


def _in_enterprise(rule: Object) -> Object:
    expression = expression_of(rule).replace(ENTERPRISE_ZONES, "true")
    return {**rule, "expression": expression}

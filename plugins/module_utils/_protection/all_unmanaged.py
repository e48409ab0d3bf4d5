# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All objects that exist beside those that a host names: those that stand by themselves, and lists
and rulesets with what they hold."""

from __future__ import annotations

from dataclasses import replace
from typing import AbstractSet, Any, Iterator, Mapping, NamedTuple, Sequence

from .._expressions.expression import Expression
from .._plan.desired import Desired, DesiredObject
from .._schema.custom_rules import CUSTOM_RULES, CUSTOM_RULES_OF_ACCOUNT, ENTRY_POINTS
from .._schema.custom_rulesets import (
    CUSTOM_RULESETS,
    EXECUTED_RULESETS,
    deploying_rules,
    whole_rulesets,
)
from .._schema.ddos_overrides import L7_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT
from .._schema.lists import LISTS, contents_of, items_of
from .._schema.resource import (
    ACCOUNT_OPTION,
    NO_ITEMS,
    ZONE_OPTION,
    Object,
    Resource,
    State,
    id_of_new,
)
from .._schema.rulesets import deployed
from .._values.address_set import EVERYTHING, networks
from .losses import NOTHING, Referring, objects_among, other_objects, rule_losses
from .rules_in_force import in_enterprise, lists_named_in, rules_in_force
from .unmanaged import UnmanagedRecord, unmanaged_record, unmanaged_records

MOST_JUDGED = 100  # items of a list one by one; more are checked together


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
        for key in deploying_rules(item.among(item.resource.our_objects_in(state)), state)
    }
    alone = [
        item.with_values({**deploying, **item.objects}) if item.resource is CUSTOM_RULES else item
        for item in kinds.alone
    ]
    records: list[Mapping[str, object]] = [*unmanaged_records(alone, state)] if alone else []
    records += rules_of_rulesets(kinds.rulesets, state)
    if is_host and kinds.rulesets:
        records += _beside_rulesets(kinds, state)
    described = kinds.lists or (of_lists and LISTS.plural in state)
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
        names |= {item.resource.parent_name for item in kinds.lists if unmanaged_items(item, state)}
    for item in kinds.alone:
        existing = {*map(item.resource.key_of, state[item.resource.plural])}
        if item.resource is L7_OVERRIDES and not existing & {*item.objects}:
            names.add(L7_OVERRIDES_OF_ACCOUNT.plural)
    return names


def _beside_rulesets(kinds: CollectionKinds, state: State) -> Iterator[Mapping[str, object]]:
    """The rulesets that a host does not name, and the rules of the entry point beside those that
    deploy its rulesets."""
    rulesets, owner = kinds.rulesets[0], kinds.rulesets[0].resource.owner
    own = rulesets.resource.our_objects_in(state)
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
    expression = in_enterprise(Expression.of_object(rule))
    return {**rule, "expression": expression.text}


def rules_of_rulesets(desired: Sequence[Desired], state: State) -> list[Mapping[str, Any]]:
    """The rules of rulesets that the task does not name, each judged in its ruleset alone."""
    return [
        {
            **record,
            "resource": item.resource.name,
            "key": f"{item.resource.parent_name} {record['key']}",
        }
        for item in desired
        if item.resource.parent and not item.absent
        for record in unmanaged_records(
            [replace(item, resource=CUSTOM_RULES)],
            {CUSTOM_RULES.plural: state[item.resource.plural]},
        )
    ]


def unnamed_rulesets(
    resource: Resource, entry_point: Resource, others: Sequence[Object], state: State
) -> Iterator[UnmanagedRecord]:
    """The rulesets that the task does not name, each judged by what its deployment takes away."""
    becomes = rules_in_force(state)
    for obj in others:
        rest = [rule for rule in state[entry_point.plural] if deployed(rule) != obj.get("id")]
        was = rules_in_force({**state, entry_point.plural: rest})
        loss = next(rule_losses(CUSTOM_RULES, was, becomes), None)
        yield unmanaged_record(resource, obj, loss)


def unmanaged_items(desired: Desired, state: State) -> list[Object]:
    """The items of a list that the desired ones do not name."""
    resource = desired.resource
    if resource.parent is not LISTS:
        return []
    return other_objects(resource, state.get(resource.plural) or (), desired.objects)


def lists_of_others(desired: Sequence[Desired], state: State) -> list[Object]:
    """The lists of a state that a task does not name."""
    named = {key for item in desired if item.resource is LISTS for key in item.objects}
    return other_objects(LISTS, LISTS.our_objects_in(state), named)


def unmanaged_lists(desired: Sequence[Desired], state: State) -> list[UnmanagedRecord]:
    """The lists that a task does not name, and the items of its lists that it does not name and
    that weaken rules, or may; in the order of the state."""
    referring = Referring(state)
    inner = {item.resource.parent_name: item for item in desired if item.resource.parent is LISTS}
    others = {LISTS.label_of(obj) for obj in lists_of_others(desired, state)}
    records: list[UnmanagedRecord] = []
    for obj in state[LISTS.plural]:
        name = LISTS.label_of(obj)
        if name in inner:
            records += _records_of_items(referring, obj, inner[name], state)
        elif name in others:
            loss = referring.loss(obj, NOTHING, referring.contents.get(name, NOTHING))
            records.append(unmanaged_record(LISTS, obj, loss))
    return records


def _records_of_items(
    referring: Referring, obj: Object, desired: Desired, state: State
) -> Iterator[UnmanagedRecord]:
    resource, items = desired.resource, unmanaged_items(desired, state)
    described = contents_of(
        objects_among(resource, state.get(resource.plural) or (), desired.objects)
    )
    together = referring.loss(obj, NOTHING, contents_of(items).without(described))
    for item in items if together else ():
        loss = together and together._replace(certain=False)
        if len(items) <= MOST_JUDGED:
            loss = referring.loss(obj, NOTHING, contents_of([item]).without(described))
        if loss:
            yield unmanaged_record(resource, item, loss)


def lists_not_read(state: State) -> list[dict[str, Any]]:
    """The lists by which rules of a zone alone may let requests pass, as objects that no baseline
    names: those of an account that is not the host's may hold everything."""
    if not (names := lists_named_in(state)):
        return []
    lists = {LISTS.plural: [{"name": name, "kind": "ip"} for name in names]}
    everything = [{"ip": network} for network in networks(EVERYTHING)]
    items = {items_of(name).plural: everything for name in names}
    why = "may hold everything, since the host is a zone without its account; then it"
    return [
        {**item, "weakens": None, "reason": f"{why} {item['reason']}"}
        for item in unmanaged_lists([], {**state, **lists, **items})
        if item["reason"]
    ]

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
from .._expressions.lists import FIELDS_OF_LISTS
from .._plan.desired import Desired, DesiredObject
from .._schema.custom_rules import CUSTOM_RULES, CUSTOM_RULES_OF_ACCOUNT, ENTRY_POINTS
from .._schema.custom_rulesets import (
    CUSTOM_RULESETS,
    EXECUTED_RULESETS,
    deploying_rules,
    whole_rulesets,
)
from .._schema.ddos_overrides import L7_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT
from .._schema.lists import LIST_KIND, LISTS, contents_of, items_of
from .._schema.neighbours import ZONE
from .._schema.registry import BY_PLURAL
from .._schema.resource import (
    ACCOUNT_OPTION,
    NO_ITEMS,
    ZONE_OPTION,
    Key,
    Object,
    Resource,
    State,
    id_of_new,
)
from .._schema.rulesets import deployed
from .._schema.zone import why_not_served
from .._values.address_set import EVERYTHING, networks
from .described_traffic import opening_sources
from .difference import traffic_difference
from .holes import holes, opened_in_words
from .losses import NO_CONTENTS, Referring, objects_among, other_objects
from .modes import Loss, loss_by
from .ordinary_traffic import OWNER_NAMES, destination_names, plain_traffic
from .rules_in_force import in_enterprise, lists_named_in
from .unmanaged import UnmanagedInResult, unmanaged_record, unmanaged_records, without_unnamed_rules

MAY_HOLD_EVERYTHING = "may hold everything, since its items could not be read"
MOST_SINGLE_ITEMS = 100  # items of a list one by one; more are checked together


class CollectionKinds(NamedTuple):
    """The collections of a desired state by kind. `alone`: objects that belong to no list or
    ruleset; `lists`: lists and their items; `rulesets`: custom rulesets and their rules;
    `deployments`: the rules that execute these rulesets."""

    alone: Sequence[Desired]
    lists: Sequence[Desired]
    rulesets: Sequence[Desired]
    deployments: Sequence[Desired]


def kinds_of(desired: Sequence[Desired]) -> CollectionKinds:
    """The collections of a desired state, sorted into their kinds."""
    kinds: dict[str, list[Desired]] = {name: [] for name in CollectionKinds._fields}
    rulesets = CUSTOM_RULESETS.values()
    sections_with_rulesets = {wanted.section for wanted in desired if wanted.resource in rulesets}
    for wanted in desired:
        outermost = wanted.resource.parent or wanted.resource
        if outermost is LISTS:
            kind = "lists"
        elif outermost in rulesets:
            kind = "rulesets"
        elif wanted.section in sections_with_rulesets and wanted.resource in ENTRY_POINTS.values():
            kind = "deployments"
        else:
            kind = "alone"
        kinds[kind].append(wanted)
    return CollectionKinds(**kinds)


def all_unmanaged(
    desired: Sequence[Desired], state: State, is_host: bool, of_lists: bool = False
) -> list[Mapping[str, object]]:
    """A record of each existing object that the desired state does not name. Unnamed rulesets and
    lists are included for a host alone: rulesets and lists if it names some, and, if `of_lists` is
    set, the lists that weaken its rules."""
    kinds = kinds_of(desired)
    alone = _with_deploying_rules(kinds, state)
    records: list[Mapping[str, object]] = []
    if alone:
        records += unmanaged_records(alone, state)
    records += rules_of_rulesets(kinds.rulesets, state)
    if is_host and kinds.rulesets:
        # Rules of a zone may have met the same rule of its account.
        records_by_rulesets = _beside_rulesets(kinds, state)
        records += [record for record in records_by_rulesets if record not in records]
    if is_host and (kinds.lists or of_lists):
        of_task = _with_rules_of_task([*alone, *kinds.deployments], state)
        of_state = unmanaged_lists(kinds.lists, state, of_task)
        records += [record for record in of_state if kinds.lists or record["reason"]]
        records += lists_not_read(of_task)
    return records


def unmanaged_of_host(
    desired: Sequence[Desired], state: State, of_lists: bool
) -> list[Mapping[str, object]]:
    """A record of each existing object that a host does not name. What would only decide about a
    zone that Cloudflare does not serve takes no protection away."""
    records = all_unmanaged(desired, state, True, of_lists)
    if not any(map(why_not_served, state.get(ZONE.plural, ()))):
        return records
    of_account = [wanted for wanted in desired if wanted.resource.owner != ZONE_OPTION]
    in_account = {name: state[name] for name in state if not _is_of_zone(name)}
    counted = all_unmanaged(of_account, in_account, True, of_lists)
    nothing = {"weakens": False, "reason": ""}
    return [record if record in counted else {**record, **nothing} for record in records]


def _is_of_zone(plural: str) -> bool:
    return plural == ZONE.plural or (plural in BY_PLURAL and BY_PLURAL[plural].owner == ZONE_OPTION)


def _with_rules_of_task(desired: Sequence[Desired], state: State) -> State:
    """The state, with the rules that the task names in place of all rules."""
    keys: dict[str, AbstractSet[Key]] = {}
    for wanted in desired:
        plural = wanted.resource.plural
        keys[plural] = {*keys.get(plural, ()), *wanted.objects}
    return without_unnamed_rules(keys, state)


def _with_deploying_rules(kinds: CollectionKinds, state: State) -> list[Desired]:
    """The desired collections of kind `alone`. To the custom rules of a zone, the rules that
    execute the rulesets of the zone are added as if the task named them."""
    deploying: dict[Key, Mapping[str, Any]] = {}
    for rulesets in kinds.rulesets[:1]:
        if rulesets.resource.owner == ZONE_OPTION:
            of_task = rulesets.among(rulesets.resource.our_objects_in(state))
            deploying.update(dict.fromkeys(deploying_rules(of_task, state), NO_ITEMS))
    alone = []
    for wanted in kinds.alone:
        if wanted.resource is CUSTOM_RULES:
            wanted = wanted.with_values({**deploying, **wanted.objects})
        alone.append(wanted)
    return alone


def judged_lists(desired: Sequence[Desired], state: State) -> AbstractSet[str]:
    """The names of collections that must be read in full, since objects that the task does not name
    may weaken the rules that refer to them: lists, and the overrides of the account."""
    kinds = kinds_of(desired)
    names: set[str] = set()
    if kinds.lists and not kinds.lists[0].absent:
        names |= {LISTS.label_of(obj) for obj in lists_of_others(kinds.lists, state)}
        for wanted in kinds.lists:
            if unmanaged_items(wanted, state):
                names.add(wanted.resource.parent_name)
    for wanted in kinds.alone:
        if wanted.resource is L7_OVERRIDES:
            existing_keys = map(L7_OVERRIDES.key_of, state[L7_OVERRIDES.plural])
            if not any(key in wanted.objects for key in existing_keys):
                names.add(L7_OVERRIDES_OF_ACCOUNT.plural)
    return names


def _beside_rulesets(kinds: CollectionKinds, state: State) -> Iterator[Mapping[str, object]]:
    """A record of each ruleset that a host does not name, and of each rule of the entry point that
    weakens the rulesets that it names, or concerns all plain traffic."""
    rulesets = kinds.rulesets[0]
    resource = rulesets.resource
    entry_point = ENTRY_POINTS[resource.owner]
    existing = resource.our_objects_in(state)
    described = objects_among(resource, existing, rulesets.objects)
    unnamed = other_objects(resource, existing, rulesets.objects)
    yield from unnamed_rulesets(resource, entry_point, unnamed, state)
    yield from _rules_beside(kinds, described, unnamed, state)


def _rules_beside(
    kinds: CollectionKinds,
    described_rulesets: Sequence[Object],
    unnamed: Sequence[Object],
    state: State,
) -> Iterator[Mapping[str, object]]:
    """A record of each rule of the entry point that weakens the described rulesets or concerns all
    plain traffic. If the host names rules of the entry point, only the rules that execute these
    rulesets, and do more than that, are checked."""
    (deployments,) = kinds.deployments
    entry_point = deployments.resource
    rules = state[entry_point.plural]
    described_ids, unnamed_ids = _ids(described_rulesets), _ids(unnamed)
    names_rules = any(wanted.resource is entry_point for wanted in kinds.alone)
    described: dict[Key, DesiredObject] = {}
    for rule in rules:
        executes_alone = deployed(rule) and [*rule["action_parameters"]] == ["id"]
        if executes_alone and deployed(rule) in described_ids:
            described[entry_point.key_of(rule)] = DesiredObject(rule)
    executed = {entry_point.label_of(rule): deployed(rule) for rule in rules}
    in_zone = replace(deployments, resource=CUSTOM_RULES, entries=described)
    for record in unmanaged_records([in_zone], _with_rulesets(entry_point, state)):
        resource_name = record["resource"]
        identity = ""
        if resource_name == CUSTOM_RULES.name:
            resource_name = entry_point.name
        if resource_name == entry_point.name:
            identity = executed.get(record["key"], "")
        is_of_unnamed = identity in unnamed_ids and record["weakens"] is not False
        is_elsewhere = names_rules and identity not in described_ids
        if record["reason"] and not is_of_unnamed and not is_elsewhere:
            yield {**record, "resource": resource_name}


def _with_rulesets(entry_point: Resource, state: State) -> State:
    """The state, with the rulesets that the rules of `entry_point` may execute. Rules of an account
    become custom rules of a zone, limited to requests to Enterprise zones."""
    executed = [*state.get(EXECUTED_RULESETS, ()), *whole_rulesets(state, entry_point.owner)]
    whole: State = {**state, EXECUTED_RULESETS: executed}
    if entry_point.owner != ACCOUNT_OPTION:
        return whole
    in_zone = [*map(_in_enterprise, state[entry_point.plural])]
    return {**whole, CUSTOM_RULES.plural: in_zone, CUSTOM_RULES_OF_ACCOUNT.plural: ()}


def _ids(rulesets: Sequence[Object]) -> set[str]:
    """The ids by which rules may execute these rulesets; a ruleset that does not exist yet has the
    id that a plan gives it."""
    ids: set[str] = set()
    for ruleset in rulesets:
        ids.add(str(ruleset.get("id")))
        ids.add(id_of_new(str(ruleset["name"])))
    return ids


def _in_enterprise(rule: Object) -> Object:
    expression = in_enterprise(Expression.of_object(rule))
    return {**rule, "expression": expression.text}


def rules_of_rulesets(desired: Sequence[Desired], state: State) -> list[Mapping[str, Any]]:
    """A record of each rule that the task does not name in a ruleset that it names. The rule is
    compared with the rules of its ruleset alone."""
    records: list[Mapping[str, Any]] = []
    for wanted in desired:
        resource = wanted.resource
        if not resource.parent or wanted.absent:
            continue
        as_custom_rules = replace(wanted, resource=CUSTOM_RULES)
        rules: State = {CUSTOM_RULES.plural: state[resource.plural]}
        for record in unmanaged_records([as_custom_rules], rules):
            key = f"{resource.parent_name} {record['key']}"
            records.append({**record, "resource": resource.name, "key": key})
    return records


def unnamed_rulesets(
    resource: Resource, entry_point: Resource, unnamed: Sequence[Object], state: State
) -> Iterator[UnmanagedInResult]:
    """A record of each ruleset in `unnamed`. It says which protection the zone or account loses by
    the rules that execute the ruleset."""
    for ruleset in unnamed:
        not_deploying = [
            rule for rule in state[entry_point.plural] if deployed(rule) != ruleset.get("id")
        ]
        without = {**state, entry_point.plural: not_deploying}
        losses = [hole.loss for hole in holes(without, state, {CUSTOM_RULES.traffic})]
        worst = max(losses, key=lambda loss: loss.certain, default=None)
        yield unmanaged_record(resource, ruleset, worst)


def unmanaged_items(desired: Desired, state: State) -> list[Object]:
    """The existing items of a list that the desired list does not name; empty if `desired` is not
    about items of a list."""
    resource = desired.resource
    if resource.parent is not LISTS:
        return []
    return other_objects(resource, state.get(resource.plural) or (), desired.objects)


def lists_of_others(desired: Sequence[Desired], state: State) -> list[Object]:
    """The lists of a state that a task does not name."""
    keys: set[Key] = set()
    for wanted in desired:
        if wanted.resource is LISTS:
            keys.update(wanted.objects)
    return other_objects(LISTS, LISTS.our_objects_in(state), keys)


def unmanaged_lists(
    desired: Sequence[Desired], state: State, of_task: State
) -> list[UnmanagedInResult]:
    """A record of each list that the task does not name. It weakens rules of the task if it holds
    all plain traffic: what else is in it is for those to say whose list it is. `of_task` is the
    state with the rules of the task alone. Of the lists that the task names, a record of each
    unnamed item that weakens rules, or may weaken them. In the order of the state."""
    existing = state.get(LISTS.plural)
    if not existing:
        return []
    referring, referring_of_task = Referring(state), Referring(of_task)
    items_by_list: dict[str, Desired] = {}
    for wanted in desired:
        if wanted.resource.parent is LISTS:
            items_by_list[wanted.resource.parent_name] = wanted
    unnamed = {LISTS.label_of(obj) for obj in lists_of_others(desired, state)}
    records: list[UnmanagedInResult] = []
    for obj in existing:
        name = LISTS.label_of(obj)
        if name in items_by_list:
            records += _records_of_items(referring, obj, items_by_list[name], state)
        elif name in unnamed:
            loss = _loss_by_list(referring_of_task, obj, of_task)
            records.append(unmanaged_record(LISTS, obj, loss))
    return records


def _records_of_items(
    referring: Referring, list_object: Object, desired: Desired, state: State
) -> Iterator[UnmanagedInResult]:
    resource = desired.resource
    existing = state.get(resource.plural) or ()
    described = objects_among(resource, existing, desired.objects)
    unnamed = unmanaged_items(desired, state)
    loss_of_all = _loss_by_items(referring, list_object, described, unnamed, state)
    if not loss_of_all:
        return
    for entry in unnamed:
        loss: Loss | None = loss_of_all._replace(certain=False)
        if len(unnamed) <= MOST_SINGLE_ITEMS:
            loss = _loss_by_items(referring, list_object, described, [entry], state)
        if loss:
            yield unmanaged_record(resource, entry, loss)


def _loss_by_items(
    referring: Referring,
    list_object: Object,
    described: Sequence[Object],
    added: Sequence[Object],
    state: State,
) -> Loss | None:
    """The loss if items are `added` to a list that contains the items `described`: traffic passes
    by the rules that refer to the list, or may pass by those that are not known. None if there is
    none."""
    loss = _loss_by_known_rules(referring, list_object, described, added, state)
    contents = contents_of(added).without(contents_of(described))
    return loss or referring.loss_by_unknown_rules(list_object, contents)


def _loss_by_known_rules(
    referring: Referring,
    list_object: Object,
    described: Sequence[Object],
    added: Sequence[Object],
    state: State,
) -> Loss | None:
    """The loss by the rules of the state if items are `added`, as in `_loss_by_items`."""
    contents = contents_of(added).without(contents_of(described))
    if not contents.size:
        return None
    plural = items_of(LISTS.label_of(list_object)).plural
    without, with_items = ({**state, plural: items} for items in (described, [*described, *added]))
    changes = traffic_difference(without, with_items)
    if not [*opening_sources(changes)]:
        return None
    by_known_rules = referring.loss_by_known_rules(list_object, NO_CONTENTS, contents)
    return by_known_rules or loss_by(LISTS, list_object, *opened_in_words(changes))


def _loss_by_list(referring: Referring, list_object: Object, state: State) -> Loss | None:
    """The loss by the rules of the state that refer to a list, if the list holds all plain
    traffic; None if it does not."""
    items = state.get(items_of(LISTS.label_of(list_object)).plural) or ()
    loss = _loss_by_known_rules(referring, list_object, (), items, state)
    if loss and _holds_all_traffic(list_object, items, state):
        return loss
    return None


def _holds_all_traffic(list_object: Object, items: Sequence[Object], state: State) -> bool:
    """Return whether all plain traffic of a kind has its addresses, or its host, in a list."""
    name = LISTS.label_of(list_object)
    contents = {name: contents_of(items)}
    for field in FIELDS_OF_LISTS.get(list_object.get("kind") or LIST_KIND, ()):
        expression = Expression.of(f"{field} in ${name}").with_lists(contents)
        for traffic in OWNER_NAMES:
            if plain_traffic(expression, traffic, True, destination_names(traffic, state)):
                return True
    return False


def lists_not_read(state: State) -> list[UnmanagedInResult]:
    """A record of each list of which the items are not known, if rules of the state would be
    weaker if it contained every address."""
    existing = state.get(LISTS.plural)
    labels = None if existing is None else {*map(LISTS.label_of, existing)}
    everything = [{"ip": network} for network in networks(EVERYTHING)]
    records: list[UnmanagedInResult] = []
    for name in lists_named_in(state):
        is_known = items_of(name).plural in state or (labels is not None and name not in labels)
        if is_known:
            continue
        with_items: State = {**state, items_of(name).plural: everything}
        list_object = {"name": name, "kind": LIST_KIND}
        referring = Referring(with_items)
        loss = _loss_by_known_rules(referring, list_object, (), everything, with_items)
        if loss:
            reason = f"{MAY_HOLD_EVERYTHING}; then it {loss.reason}"
            records.append(
                unmanaged_record(LISTS, list_object, loss._replace(reason=reason, certain=False))
            )
    return records

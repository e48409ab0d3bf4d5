# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects that exist beside those that a task names, over all collections of a host, and whether
they take protection away; and objects that protect less than described.

An object that no task names is checked as if it were the only one beside the named ones.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import AbstractSet, Any, Iterator, Mapping, NamedTuple, Sequence, TypedDict

from .._expressions.grammar import expression_of
from .._plan.desired import Desired, DesiredObject
from .._schema.account import ALLOWLIST, COMPONENTS, ENABLED, PREFIXES, STATUS
from .._schema.lists import LISTS, contents_of
from .._schema.managed_rules import L7_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT
from .._schema.registry import (
    BY_PLURAL,
    DDOS_OVERRIDES,
    DECIDING,
    EVALUATION,
    MANAGED,
    ZoneRule,
    contents_in,
    executed_rulesets,
    listed,
    rules_in_force,
    spelt_out,
)
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
from .._schema.zone import (
    CUSTOM_RULES,
    CUSTOM_RULES_OF_ACCOUNT,
    CUSTOM_RULESETS,
    ENTERPRISE_ZONES,
    ENTRY_POINTS,
    EXECUTED_RULESETS,
    deploying_rules,
    whole_rulesets,
)
from .._text import first_few
from .._values.address_set import range_of
from .coverage import Coverage, has_flag, worse
from .losses import (
    NOTHING,
    Referring,
    later_rules,
    objects_among,
    other_objects,
    phase_skip_loss,
    rule_losses,
    skipped_in_words,
)
from .modes import UNDECIDED, UNMITIGATED, Loss, loss_by, union_of_modes
from .ordinary_traffic import (
    OWNER_NAMES,
    depends_on_owner,
    owner_names_in,
    rules_matching_all_traffic,
    width,
)
from .overrides import in_force, losses_by_others, unlike_described

MOST_JUDGED = 100  # items of a list one by one; more are checked together
CHANGED_ON = ("modified_on", "last_updated", "created_on")
ON = {STATUS.plural: [{"enabled": True}]}
LEVELS = [item.resource for item in MANAGED if item.resource.level_field]
COMPARED = (*(one for one, _read in EVALUATION), LISTS, *LEVELS, *DDOS_OVERRIDES)


class UnmanagedRecord(TypedDict):
    """An object that exists and that the task does not name.

    `weakens` says whether it takes protection away from what the task describes: None if it may.
    `reason` is a sentence without its subject; an object that takes none away has one if all plain
    traffic matches it. `since` is when the object last changed, None if Cloudflare does not say.
    """

    resource: str
    key: str
    weakens: bool | None
    reason: str
    since: str | None


def unmanaged_record(
    resource: Resource, obj: Object, loss: Loss | None, else_: str = ""
) -> UnmanagedRecord:
    """The record of an object; `else_` is its reason if it takes no protection away."""
    return UnmanagedRecord(
        resource=resource.name,
        key=resource.label_of(obj),
        weakens=(loss.certain or None) if loss else False,
        reason=loss.reason if loss else else_,
        since=next((str(obj[name]) for name in CHANGED_ON if obj.get(name)), None),
    )


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
        for key in deploying_rules(item.among(item.resource.own_in(state)), state)
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
    own = rulesets.resource.own_in(state)
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


def weaker_records(before: State, after: State) -> list[dict[str, Any]]:
    """The rules, lists, levels and overrides that protect less before a plan than after it."""
    if before == after:
        return []
    losses = worse(Coverage(after), Coverage(before), *COMPARED)
    return [unlike_described(loss, after, before).record() for loss in losses]


def unmanaged_records(desired: Sequence[Desired], state: State) -> list[UnmanagedRecord]:
    """The objects of a state that the desired state does not name, in the order of the state."""
    named = {item.resource.plural: item.objects.keys() for item in desired}
    described = {
        name: objects_among(BY_PLURAL[name], objects, named.get(name, ()))
        for name, objects in state.items()
        if objects is not None and name in BY_PLURAL and BY_PLURAL[name].key
    }
    described.update(executed_rulesets(state))
    losses = dict(_losses_by_rules(described, state))
    by_overrides = (losses_by_others(one, described, state) for one in DDOS_OVERRIDES)
    losses.update(((one.resource.plural, one.key), one) for one in chain(*by_overrides))
    wide = dict(_wide_rules(described, state))
    names_prefixes = bool(named.get(PREFIXES.plural))
    existing = {} if names_prefixes else {PREFIXES.plural: state.get(PREFIXES.plural) or ()}
    account = Coverage({**described, **existing, **ON})  # with just what the task names, and on
    records = [*_rules_in_front(desired, described, state)]
    for whose, obj in _objects_in_force(desired, state):
        key = (whose.plural, whose.key_of(obj))
        is_named = key[1] in named.get(whose.plural, ())
        if not is_named and (whose.plural in named or key in losses or key in wide):
            loss = losses.get(key) or _loss_of_account(account, names_prefixes, whose, obj)
            records.append(unmanaged_record(whose, obj, loss, wide.get(key, "")))
    return records


def rules_of_rulesets(desired: Sequence[Desired], state: State) -> list[Mapping[str, Any]]:
    """The rules of rulesets that the task does not name, each judged in its ruleset alone."""
    return [
        {**record, "resource": item.resource.name, "key": f"{item.resource.within} {record['key']}"}
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


def _losses_by_rules(described: State, state: State) -> Iterator[tuple[tuple[str, Key], Loss]]:
    """The losses by rules beside described ones, the certain ones at last, by the objects by which
    they are there."""
    for resource, _read in EVALUATION:
        was, becomes = (rules_in_force(one, resource) for one in (described, state))
        rules = {rule.key: rule for rule in becomes}
        losses = rule_losses(resource, was, becomes, state)
        for loss in sorted(losses, key=lambda loss: loss.certain):
            rule = rules[loss.key]
            yield _target(resource, rule), _by_inner(rule, loss)


def _by_inner(rule: ZoneRule, loss: Loss) -> Loss:
    """A loss as that of the rule of a list by which a rule of another ruleset is there."""
    return loss._replace(reason=_inner_reason(rule, loss.reason))


def _inner_reason(rule: ZoneRule, reason: str) -> str:
    return f"executes the rule {rule.title}, which {reason}" if rule.via else reason


def _objects_in_force(
    desired: Sequence[Desired], state: State
) -> Iterator[tuple[Resource, Object]]:
    """The custom rules of its account that a zone meets, each once, and the objects of a task's
    collections, or those of the account in their place."""
    if CUSTOM_RULES in (item.resource for item in desired):
        of_account = [rule for rule in rules_in_force(state) if rule.of_account]
        by_target = {_target(CUSTOM_RULES, one): listed(CUSTOM_RULES, one) for one in of_account}
        yield from by_target.values()
    for whose, objects in (in_force(item.resource, state) for item in desired):
        yield from ((whose, obj) for obj in objects if whose.key)


def _target(resource: Resource, rule: ZoneRule) -> tuple[str, Key]:
    whose, obj = listed(resource, rule)
    return whose.plural, whose.key_of(obj)


def _rules_in_front(
    desired: Sequence[Desired], described: State, state: State
) -> Iterator[UnmanagedRecord]:
    """The rules of phases that the task does not write, and that skip rules which it names."""
    named = [item.resource for item in desired]
    for resource, _read in EVALUATION:
        if resource not in named and any(item.phase for item in named):
            later = [one for one in later_rules(resource, described) if one[0] in named]
            for rule in rules_in_force(state, resource):
                loss = phase_skip_loss(resource, rule, later)
                if loss:
                    yield unmanaged_record(*listed(resource, rule), _by_inner(rule, loss))


def _wide_rules(described: State, state: State) -> Iterator[tuple[tuple[str, Key], str]]:
    """The rules beside described ones that all plain traffic matches and meets, and what they do to
    it."""
    contents = contents_in(state)
    for resource, _read in DECIDING:
        named = {rule.key for rule in rules_in_force(described, resource)}
        _own, _field, what = OWNER_NAMES[resource.traffic]
        is_known = owner_names_in(resource, state) is not None
        unknown = "" if is_known else f"may match everything, since {what} not known"
        rules = [spelt_out(rule, contents) for rule in rules_in_force(state, resource)]
        if named.issuperset(rule.key for rule in rules):
            continue
        for index, rule in enumerate(rules):
            key = _target(resource, rule)
            if rule.key not in named and width(resource, rule, state):
                beside = [*(one for one in rules[:index] if one.key in named), rule]
                for one, what, _others in rules_matching_all_traffic(resource, beside, state):
                    if one is rule and _matters(rule, rules[index + 1 :]):
                        yield key, _wide(rule, what)
            elif rule.key not in named and unknown and depends_on_owner(resource, rule):
                yield key, unknown
        for rule, what, others in rules_matching_all_traffic(resource, rules, state):
            behind = rules[rules.index(rule) + 1 :]
            if others and rule.key not in named and _matters(rule, behind):
                more = f", together with {first_few(one.title for one in others)}"
                yield _target(resource, rule), _wide(rule, what) + more


def _matters(rule: ZoneRule, behind: Sequence[ZoneRule]) -> bool:
    """True unless a rule skips nothing behind it, such as one that skips its own ruleset alone."""
    is_followed = any(one.active for one in behind)
    return rule.enforces or (is_followed and bool(rule.skips or rule.unknown))


def _wide(rule: ZoneRule, what: str) -> str:
    """The effect of a rule on such traffic, as that of the rule of the list."""
    effect = f"{'blocks' if rule.action == 'block' else 'challenges'} {what}"
    if rule.lets_pass:
        effect = f"lets {what} skip {skipped_in_words(rule.skips) or 'what it skips'}"
    return _inner_reason(rule, effect)


# With the flag of an entry that counts: what it may do if it is malformed, and what it does.
OF_ENTRIES = {
    PREFIXES.plural: ("excluded", "exclude protected addresses", "excludes {}"),
    ALLOWLIST.plural: ("enabled", "let sources pass", "lets {} pass as sources"),
}


def _loss_of_account(
    account: Coverage, names_prefixes: bool, resource: Resource, obj: Object
) -> Loss | None:
    """The loss by one more object in an account as a task describes it."""
    described = account.state.get(resource.plural) or ()
    more = Coverage({**account.state, resource.plural: [*described, obj]})
    if resource.component:
        return _loss_by_decider(account, more, resource, obj)
    flag, may, does = OF_ENTRIES.get(resource.plural, ("", "", ""))
    if not flag or not has_flag(obj, flag):
        return None
    if range_of(obj.get("prefix")) is None:
        reason = f"is malformed, and may {may}"
        is_loss = resource is ALLOWLIST or account.protected
        return loss_by(resource, obj, reason, certain=False) if is_loss else None
    losses = worse(account, more, resource) if resource is ALLOWLIST or names_prefixes else ()
    return next((loss_by(resource, obj, does.format(loss.reason)) for loss in losses), None)


def _loss_by_decider(
    was: Coverage, becomes: Coverage, resource: Resource, obj: Object
) -> Loss | None:
    """The loss by one more rule or filter."""
    kind = str(resource.component)
    title = COMPONENTS[kind].title
    before, after = (
        union_of_modes(modes for _ranges, modes in one.by_kind[kind].pieces(was.protected))
        for one in (was, becomes)
    )
    if UNDECIDED in after - before:
        reason = f"is not understood, so that {title} may mitigate less"
        return loss_by(resource, obj, reason, certain=False) if ENABLED in before else None
    losses = list(worse(was, becomes, resource))
    lost = [loss.reason for loss in losses if loss.how == UNMITIGATED]
    if lost:
        mode = f"is {obj.get(resource.mode_field or '')}"
        less = f"so that {title} mitigates less for {first_few(lost)}"
        return loss_by(resource, obj, f"{mode}, {less}")
    lower = [f"{label}: {loss.reason}" for loss in losses for _key, label in loss.others]
    reason = f"is less sensitive than the rule {first_few(lower)}"
    return loss_by(resource, obj, reason) if lower else None


def unmanaged_items(desired: Desired, state: State) -> list[Object]:
    """The items of a list that the desired ones do not name."""
    resource = desired.resource
    if resource.parent is not LISTS:
        return []
    return other_objects(resource, state.get(resource.plural) or (), desired.objects)


def lists_of_others(desired: Sequence[Desired], state: State) -> list[Object]:
    """The lists of a state that a task does not name."""
    named = {key for item in desired if item.resource is LISTS for key in item.objects}
    return other_objects(LISTS, LISTS.own_in(state), named)


def unmanaged_lists(desired: Sequence[Desired], state: State) -> list[UnmanagedRecord]:
    """The lists that a task does not name, and the items of its lists that it does not name and
    that weaken rules, or may; in the order of the state."""
    referring = Referring(state)
    inner = {item.resource.within: item for item in desired if item.resource.parent is LISTS}
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

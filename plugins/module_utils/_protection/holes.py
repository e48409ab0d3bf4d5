# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects that exist beside those that a task names and take protection away, and objects that
protect less than described.

An object that no task names is checked as if it were the only one beside the named ones.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any, Iterator, Mapping, Sequence

from .._plan.desired import Desired
from .._schema.account import ALLOWLIST, COMPONENTS, ENABLED, PREFIXES, STATUS
from .._schema.lists import LISTS
from .._schema.registry import (
    BY_PLURAL,
    DDOS_OVERRIDES,
    DECIDING,
    EVALUATION,
    IN_ORDER,
    MANAGED,
    ZoneRule,
    contents_in,
    executed_rulesets,
    listed,
    rules_in_force,
    spelt_out,
)
from .._schema.resource import Key, Object, Resource, State
from .._schema.rulesets import deployed
from .._schema.zone import CUSTOM_RULES
from .._text import first_few
from .._values.address_set import range_of
from .coverage import Coverage, has_flag
from .loss import UNMITIGATED, Loss, UnmanagedRecord, loss_by, unmanaged_record
from .losses import later_rules, objects_among, phase_skip_loss, rule_losses, skipped_in_words
from .modes import UNDECIDED, union_of_modes
from .ordinary_traffic import (
    OWNER_NAMES,
    depends_on_owner,
    owner_names_in,
    rules_matching_all_traffic,
    width,
)
from .overrides import in_force, losses_by_others, unlike_described
from .worse import worse

ON = {STATUS.plural: [{"enabled": True}]}


LEVELS = [item.resource for item in MANAGED if item.resource.level_field]
COMPARED = (*(one for one, _read in EVALUATION), LISTS, *LEVELS, *DDOS_OVERRIDES)


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
    for key, (whose, obj) in dict(_objects_of_account(desired, state)).items():
        if key in losses or key in wide:
            records.append(unmanaged_record(whose, obj, losses.get(key), wide.get(key, "")))
    for whose, objects in (in_force(item.resource, state) for item in desired):
        for obj in objects if whose.key else ():
            key = (whose.plural, whose.key_of(obj))
            is_named = key[1] in named.get(whose.plural, ())
            if not is_named and (whose.plural in named or key in losses):
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
    losses: list[tuple[tuple[str, Key], Loss]] = []
    for resource, _read in EVALUATION:
        was, becomes = (rules_in_force(one, resource) for one in (described, state))
        rules = {rule.key: rule for rule in becomes}
        for loss in rule_losses(resource, was, becomes, state):
            rule = rules[loss.key]
            losses.append((_target(resource, rule), _by_inner(rule, loss)))
    return iter(sorted(losses, key=lambda item: item[1].certain))


def _by_inner(rule: ZoneRule, loss: Loss) -> Loss:
    """A loss as that of the rule of a list by which a rule of another ruleset is there."""
    return loss._replace(reason=_inner_reason(rule, loss.reason))


def _inner_reason(rule: ZoneRule, reason: str) -> str:
    return f"executes the rule {rule.title}, which {reason}" if rule.via else reason


def _objects_of_account(
    desired: Sequence[Desired], state: State
) -> Iterator[tuple[tuple[str, Key], tuple[Resource, Object]]]:
    for resource in (item.resource for item in desired if item.resource.plural in IN_ORDER):
        for rule in rules_in_force(state, resource):
            if rule.of_account:
                yield _target(resource, rule), listed(resource, rule)


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
    return _inner_reason(rule, _effect_in_words(rule, what))


def _effect_in_words(rule: ZoneRule, what: str) -> str:
    if rule.lets_pass:
        return f"lets {what} skip {skipped_in_words(rule.skips) or 'what it skips'}"
    return f"{'blocks' if rule.action == 'block' else 'challenges'} {what}"


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

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects that exist beside those that a task names, and whether they take protection away; and
objects that protect less than described.

An object that no task names is checked as if it were the only one beside the named ones.
"""

from __future__ import annotations

from itertools import chain
from typing import Iterator, Sequence, TypedDict

from .._plan.desired import Desired
from .._schema.account import ALLOWLIST, COMPONENTS, ENABLED, PREFIXES, STATUS
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.registry import BY_PLURAL, DDOS_OVERRIDES, DECIDING, EVALUATION
from .._schema.resource import Key, Object, Resource, State
from .._text import first_few
from .._values.address_set import range_of
from .coverage import Coverage, account_losses, has_flag
from .losses import later_rules, objects_among, phase_skip_loss, rule_losses, skipped_in_words
from .modes import UNDECIDED, UNMITIGATED, Loss, loss_by, union_of_modes
from .ordinary_traffic import (
    OWNER_NAMES,
    depends_on_owner,
    owner_names_in,
    rules_matching_all_traffic,
    width,
)
from .overrides import in_force, losses_by_others
from .rules_in_force import (
    ZoneRule,
    contents_in,
    executed_rulesets,
    listed,
    rules_in_force,
    spelt_out,
)

CHANGED_ON = ("modified_on", "last_updated", "created_on")
ON = {STATUS.plural: [{"enabled": True}]}


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


def _losses_by_rules(described: State, state: State) -> Iterator[tuple[tuple[str, Key], Loss]]:
    """The losses by rules beside described ones, the certain ones at last, by the objects by which
    they are there."""
    for resource in EVALUATION:
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
    for resource in EVALUATION:
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
    for resource in DECIDING:
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
    losses = (
        account_losses(resource, account, more) if resource is ALLOWLIST or names_prefixes else ()
    )
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
    losses = list(account_losses(resource, was, becomes))
    lost = [loss.reason for loss in losses if loss.how == UNMITIGATED]
    if lost:
        mode = f"is {obj.get(resource.mode_field or '')}"
        less = f"so that {title} mitigates less for {first_few(lost)}"
        return loss_by(resource, obj, f"{mode}, {less}")
    lower = [f"{label}: {loss.reason}" for loss in losses for _key, label in loss.others]
    reason = f"is less sensitive than the rule {first_few(lower)}"
    return loss_by(resource, obj, reason) if lower else None

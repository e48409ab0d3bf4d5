# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects that exist beside those that a task names and take protection away, and objects that
protect less than described.

An object that no task names is checked as if it were the only one beside the named ones.
"""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

from .._plan.desired import Desired
from .._schema.account import ALLOWLIST, COMPONENTS, ENABLED, PREFIXES, STATUS
from .._schema.managed_rules import deployed
from .._schema.registry import (
    BY_PLURAL,
    DECIDING,
    EVALUATION,
    IN_ORDER,
    ZoneRule,
    contents_in,
    executed_rulesets,
    listed,
    rules_in_force,
    spelt_out,
)
from .._schema.resource import Key, Object, Resource, State
from .._schema.zone import CUSTOM_RULES
from .._text import first_few
from .._values.address_set import range_of
from .coverage import AccountLosses, Coverage, has_flag
from .losses import (
    Loss,
    UnmanagedRecord,
    WeakerRecord,
    later_rules,
    lowered,
    objects_among,
    phase_skip_loss,
    rule_losses,
    skipped_in_words,
    unmanaged_record,
    weaker_lists,
    weaker_record,
)
from .modes import UNDECIDED, counted_networks, union_of_modes
from .ordinary_traffic import OWNER_NAMES, depends_on_owner, rules_matching_all_traffic, width
from .overrides import in_force, losses_by_overrides, weaker_overrides

ON = {STATUS.plural: [{"enabled": True}]}


def weaker_records(before: State, after: State) -> list[WeakerRecord]:
    """The rules, lists and overrides that protect less before a plan than after it."""
    if before == after:
        return []
    losses = _losses_by_rules(after, before, later=after)
    records = [weaker_record(resource, rule.entry, loss) for resource, rule, loss in losses]
    records += weaker_lists(before, after)
    levels = lowered(after, before)
    records += [weaker_record(resource, resource.name, loss) for resource, loss in levels]
    records += weaker_overrides(before, after)
    return records


def unmanaged_records(desired: Sequence[Desired], state: State) -> list[UnmanagedRecord]:
    """The objects of a state that the desired state does not name, in the order of the state."""
    named = {item.resource.plural: item.objects.keys() for item in desired}
    described = {
        name: objects_among(BY_PLURAL[name], objects, named.get(name, ()))
        for name, objects in state.items()
        if objects is not None and name in BY_PLURAL and BY_PLURAL[name].key
    }
    described.update(executed_rulesets(state))
    by_rules = _losses_by_rules(described, state, later=state)
    losses = {
        _target(resource, rule): _by_inner(rule, loss)
        for resource, rule, loss in sorted(by_rules, key=lambda item: item[2].certain)
    }
    losses.update(losses_by_overrides(described, state))
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
            [item._replace(resource=CUSTOM_RULES)],
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
        losses = [loss for _rule, loss in rule_losses(CUSTOM_RULES, was, becomes)]
        yield unmanaged_record(resource, obj, next(iter(losses), None))


def _losses_by_rules(
    described: State, state: State, later: State
) -> Iterator[tuple[Resource, ZoneRule, Loss]]:
    for resource, _read in EVALUATION:
        was, becomes = (rules_in_force(one, resource) for one in (described, state))
        for rule, loss in rule_losses(resource, was, becomes, later_rules(resource, later)):
            yield resource, rule, loss


def _by_inner(rule: ZoneRule, loss: Loss) -> Loss:
    """A loss as that of the rule of a list by which a rule of another ruleset is there."""
    what = f"executes the rule {rule.title}, which {loss.reason}"
    return loss._replace(reason=what) if rule.via else loss


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
                loss = phase_skip_loss(rule, later)
                if loss:
                    yield unmanaged_record(*listed(resource, rule), _by_inner(rule, loss))


def _wide_rules(described: State, state: State) -> Iterator[tuple[tuple[str, Key], str]]:
    """The rules beside described ones that all plain traffic matches and meets, and what they do to
    it."""
    contents = contents_in(state)
    for resource, _read in DECIDING:
        named = {rule.key for rule in rules_in_force(described, resource)}
        own, _field, what = OWNER_NAMES[resource.traffic]
        unknown = "" if own.plural in state else f"may match everything, since {what} not known"
        rules = [spelt_out(rule, contents) for rule in rules_in_force(state, resource)]
        for index, rule in enumerate(rules):
            key = _target(resource, rule)
            if rule.key not in named and width(resource, rule, state):
                beside = [*(one for one in rules[:index] if one.key in named), rule]
                for one in rules_matching_all_traffic(resource, beside, state):
                    if one.rule is rule and _matters(rule, rules[index + 1 :]):
                        yield key, _wide(rule, one.what)
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
    return _by_inner(rule, Loss(True, _effect_in_words(rule, what))).reason


def _effect_in_words(rule: ZoneRule, what: str) -> str:
    if rule.lets_pass:
        return f"lets {what} skip {skipped_in_words(rule.skips) or 'what it skips'}"
    return f"{'blocks' if rule.action == 'block' else 'challenges'} {what}"


def _loss_of_account(
    account: Coverage, names_prefixes: bool, resource: Resource, obj: Object
) -> Loss | None:
    """The protection that one more object takes from an account as a task describes it."""
    described = account.state.get(resource.plural) or ()
    losses = AccountLosses(account, Coverage({**account.state, resource.plural: [*described, obj]}))
    if resource is PREFIXES and has_flag(obj, "excluded"):
        is_malformed = range_of(obj.get("prefix")) is None
        return _loss_by_prefix(losses, obj) if names_prefixes or is_malformed else None
    if resource is ALLOWLIST and has_flag(obj, "enabled"):
        return _loss_by_source(losses, obj)
    return _loss_by_decider(losses, resource, obj) if resource.component else None


def _loss_by_prefix(losses: AccountLosses, prefix: Object) -> Loss | None:
    if range_of(prefix.get("prefix")) is None and losses.was.protected:
        return Loss(False, "is malformed, and may exclude protected addresses")
    reason = f"excludes {counted_networks(losses.unprotected)}"
    return Loss(True, reason) if losses.unprotected else None


def _loss_by_source(losses: AccountLosses, entry: Object) -> Loss | None:
    if range_of(entry.get("prefix")) is None:
        return Loss(False, "is malformed, and may let sources pass")
    reason = f"lets {counted_networks(losses.passing)} pass as sources"
    return Loss(True, reason) if losses.passing else None


def _loss_by_decider(losses: AccountLosses, resource: Resource, obj: Object) -> Loss | None:
    """The mitigation that a rule or filter takes from addresses."""
    kind = str(resource.component)
    title, space = COMPONENTS[kind].title, losses.was.protected
    was, becomes = (
        union_of_modes(modes for _ranges, modes in one.by_kind[kind].pieces(space))
        for one in (losses.was, losses.becomes)
    )
    if UNDECIDED in becomes - was:
        reason = f"is not understood, so that {title} may mitigate less"
        return Loss(False, reason) if ENABLED in was else None
    lost = [part.in_words for part in losses.unmitigated(kind)]
    mode = str(obj.get(resource.mode_field or ""))
    reason = f"is {mode}, so that {title} mitigates less for {first_few(lost)}"
    if lost:
        return Loss(True, reason)
    lower = [f"{item.was.label}: {', '.join(item.levels)}" for item in losses.lowered(kind)]
    return Loss(True, f"is less sensitive than the rule {first_few(lower)}") if lower else None

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects that exist beside those that a task names, and whether they take protection away; and
objects that protect less than described.

An object that no task names is checked as if it were the only one beside the named ones.
"""

from __future__ import annotations

from typing import (
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
    TypedDict,
)

from .._plan.desired import Desired
from .._plan.rollout import Target
from .._schema.account import ALLOWLIST, COMPONENTS, ENABLED, PREFIXES, STATUS
from .._schema.custom_rules import CUSTOM_RULES, CUSTOM_RULES_OF_ACCOUNT
from .._schema.registry import BY_PLURAL, DDOS_OVERRIDES, DECIDING, EVALUATION
from .._schema.resource import Key, Object, Resource, State
from .._schema.zone import SKIP_OF_LEVEL
from .._text import first_few
from .._values.address_set import Ranges, range_of
from .coverage import Coverage, has_flag
from .coverage_losses import account_losses
from .holes import Hole, holes
from .losses import objects_among, skipped_in_words
from .modes import UNDECIDED, UNMITIGATED, Loss, Modes, loss_by, union_of_modes
from .ordinary_traffic import (
    OWNER_NAMES,
    depends_on_owner,
    owner_names_in,
    rules_matching_all_traffic,
    width,
)
from .overrides import losses_by_others, overrides_in_force
from .rules_in_force import contents_in, executed_rulesets, listed, rules_in_force, spelt_out
from .zone_rule import ZoneRule

CHANGED_ON = ("modified_on", "last_updated", "created_on")
ON = {STATUS.plural: [{"enabled": True}]}


class UnmanagedInResult(TypedDict):
    """An object that exists and that the task does not name.

    `weakens` says whether it takes protection away from the objects that the task describes; None
    if it may. `reason` is a sentence without its subject; if `weakens` is false, there is a reason
    only if all plain traffic matches the object. `since` is when the object last changed, None if
    Cloudflare does not say.
    """

    resource: str
    key: str
    weakens: bool | None
    reason: str
    since: str | None


def unmanaged_record(
    resource: Resource, obj: Object, loss: Loss | None, reason_without_loss: str = ""
) -> UnmanagedInResult:
    """The record of an object; `loss` is the protection that it takes away (None: none), and
    `reason_without_loss` is the reason in that case."""
    weakens = False if loss is None else (loss.certain or None)
    changes = [str(obj[name]) for name in CHANGED_ON if obj.get(name)]
    return UnmanagedInResult(
        resource=resource.name,
        key=resource.label_of(obj),
        weakens=weakens,
        reason=loss.reason if loss else reason_without_loss,
        since=changes[0] if changes else None,
    )


def unmanaged_records(desired: Sequence[Desired], state: State) -> list[UnmanagedInResult]:
    """A record of each existing object that the desired state does not name; rules of earlier
    phases come first, then the order of the state."""
    keys_of_task = {wanted.resource.plural: wanted.objects.keys() for wanted in desired}
    described = _objects_of_task(keys_of_task, state)
    of_task = [wanted.resource for wanted in desired]
    holes_of_task = _holes_of_task(of_task, keys_of_task, state)
    losses = _losses_by_object(holes_of_task, described, state)
    wide = dict(_wide_rules(described, state))
    names_prefixes = bool(keys_of_task.get(PREFIXES.plural))
    account_state: State = {**described, **ON}  # with just what the task names, and on
    if not names_prefixes:
        account_state = {**account_state, PREFIXES.plural: state.get(PREFIXES.plural) or ()}
    account = Coverage(account_state)
    records = [*_rules_in_front(of_task, holes_of_task)]
    for resource, obj in _objects_in_force(desired, state):
        target = resource.plural, resource.key_of(obj)
        if target[1] in keys_of_task.get(resource.plural, ()):
            continue
        if resource.plural in keys_of_task or target in losses or target in wide:
            loss = losses.get(target) or _loss_of_account(account, names_prefixes, resource, obj)
            records.append(unmanaged_record(resource, obj, loss, wide.get(target, "")))
    return records


def _objects_of_task(keys_of_task: Mapping[str, Collection[Key]], state: State) -> State:
    """The state, reduced to the objects whose keys the task names."""
    described: dict[str, Sequence[Object]] = {}
    for plural, objects in state.items():
        resource = BY_PLURAL.get(plural)
        if objects is not None and resource is not None and resource.key:
            described[plural] = objects_among(resource, objects, keys_of_task.get(plural, ()))
    described.update(executed_rulesets(state))
    return described


def without_unnamed_rules(keys_of_task: Mapping[str, Collection[Key]], state: State) -> State:
    """The state, with the rules whose keys the task names in place of all rules. Rules of other
    phases stay, except those that may decide about traffic before the rules of the task."""
    reduced: dict[str, Sequence[Object]] = {}
    for resource in (*EVALUATION, CUSTOM_RULES_OF_ACCOUNT):
        plural = resource.plural
        decides = resource in DECIDING or resource is CUSTOM_RULES_OF_ACCOUNT
        if state.get(plural) is not None and (decides or plural in keys_of_task):
            reduced[plural] = objects_among(resource, state[plural], keys_of_task.get(plural, ()))
    return {**state, **reduced}


def _holes_of_task(
    of_task: Sequence[Resource], keys_of_task: Mapping[str, Collection[Key]], state: State
) -> list[Hole]:
    """The rules that weaken those of the task, or let requests skip its level of the zone; the
    certain ones come last."""
    traffic = {resource.traffic for resource in of_task if resource in EVALUATION}
    has_level = any(resource.levels for resource in of_task)
    kinds = traffic | {CUSTOM_RULES.traffic} if has_level else traffic
    found = holes(without_unnamed_rules(keys_of_task, state), state, kinds)
    concerning = [hole for hole in found if traffic or SKIP_OF_LEVEL in hole.rule.skips]
    return sorted(concerning, key=lambda hole: hole.loss.certain)


def _losses_by_object(
    holes_of_task: Iterable[Hole], described: State, state: State
) -> dict[Target, Loss]:
    """The losses that rules and overrides beside the described ones cause, by object."""
    losses: dict[Target, Loss] = {}
    for hole in holes_of_task:
        target = _target(hole.resource, hole.rule)
        losses[target] = _loss_by_executing_rule(hole.rule, hole.loss)
    for resource in DDOS_OVERRIDES:
        for loss in losses_by_others(resource, described, state):
            losses[loss.resource.plural, loss.key] = loss
    return losses


def _loss_by_executing_rule(rule: ZoneRule, loss: Loss) -> Loss:
    """The loss by a rule; if another rule executes its ruleset, the reason becomes a clause about
    that rule."""
    return loss._replace(reason=_reason_by_executing_rule(rule, loss.reason))


def _reason_by_executing_rule(rule: ZoneRule, reason: str) -> str:
    """The reason, as a clause about the rule that executes the ruleset of `rule`; unchanged if no
    rule does."""
    return f"executes the rule {rule.title}, which {reason}" if rule.via else reason


def _objects_in_force(
    desired: Sequence[Desired], state: State
) -> Iterator[tuple[Resource, Object]]:
    """The objects of the task's collections, or those of the account that are in force in their
    place. If the task is about custom rules, the account's rules that the zone meets come first."""
    if any(wanted.resource is CUSTOM_RULES for wanted in desired):
        of_account = [rule for rule in rules_in_force(state) if rule.of_account]
        by_target = {_target(CUSTOM_RULES, rule): listed(CUSTOM_RULES, rule) for rule in of_account}
        yield from by_target.values()
    for wanted in desired:
        resource, objects = overrides_in_force(wanted.resource, state)
        if resource.key:
            for obj in objects:
                yield resource, obj


def _target(resource: Resource, rule: ZoneRule) -> Target:
    """The collection and the key of the object that is shown for a rule."""
    resource_of_object, obj = listed(resource, rule)
    return resource_of_object.plural, resource_of_object.key_of(obj)


def _rules_in_front(
    of_task: Sequence[Resource], holes_of_task: Iterable[Hole]
) -> Iterator[UnmanagedInResult]:
    """A record of each rule of a phase that the task does not write, if it weakens rules that the
    task names."""
    by_target: dict[Target, UnmanagedInResult] = {}
    for resource, rule, loss in holes_of_task:
        if resource not in of_task:
            loss = _loss_by_executing_rule(rule, loss)
            record = unmanaged_record(*listed(resource, rule), loss)
            by_target[_target(resource, rule)] = record
    yield from by_target.values()


def _wide_rules(described: State, state: State) -> Iterator[tuple[Target, str]]:
    """The rules beside the described ones that all plain traffic reaches and matches, each with a
    clause on its effect."""
    contents = contents_in(state)
    for resource in DECIDING:
        described_keys = {rule.key for rule in rules_in_force(described, resource)}
        rules = [spelt_out(rule, contents) for rule in rules_in_force(state, resource)]
        if described_keys.issuperset(rule.key for rule in rules):
            continue
        yield from _wide_alone(resource, rules, described_keys, state)
        yield from _wide_together(resource, rules, described_keys, state)


def _wide_alone(
    resource: Resource, rules: Sequence[ZoneRule], described_keys: Container[Key], state: State
) -> Iterator[tuple[Target, str]]:
    """The rules that all plain traffic reaches and matches if each is alone beside the described
    rules, with a clause on the effect of each."""
    may_be_wide = ""
    if owner_names_in(resource.traffic, state) is None:
        owner = OWNER_NAMES[resource.traffic]
        may_be_wide = f"may match everything, since {owner.words} not known"
    for place, rule in enumerate(rules):
        if rule.key in described_keys:
            continue
        if width(resource, rule, state):
            described_before = [before for before in rules[:place] if before.key in described_keys]
            for wide in rules_matching_all_traffic(resource, [*described_before, rule], state):
                if wide.rule is rule and _matters(rule, rules[place + 1 :]):
                    yield _target(resource, rule), _effect_on(wide.traffic, rule)
        elif may_be_wide and depends_on_owner(resource, rule):
            yield _target(resource, rule), may_be_wide


def _wide_together(
    resource: Resource, rules: Sequence[ZoneRule], described_keys: Container[Key], state: State
) -> Iterator[tuple[Target, str]]:
    """The rules that all plain traffic matches only together with others, with a clause on the
    effect of each."""
    for wide in rules_matching_all_traffic(resource, rules, state):
        rule = wide.rule
        behind = rules[rules.index(rule) + 1 :]
        if wide.helpers and rule.key not in described_keys and _matters(rule, behind):
            helpers = first_few(helper.title for helper in wide.helpers)
            effect = _effect_on(wide.traffic, rule)
            yield _target(resource, rule), f"{effect}, together with {helpers}"


def _matters(rule: ZoneRule, behind: Sequence[ZoneRule]) -> bool:
    """Return whether a rule stops traffic, or may skip something in the rules `behind` it."""
    is_followed = any(later.active for later in behind)
    return rule.enforces or (is_followed and bool(rule.skips or rule.unknown))


def _effect_on(traffic: str, rule: ZoneRule) -> str:
    """A clause on the effect of a rule on this traffic; if another rule executes its ruleset, the
    clause is about that rule."""
    if rule.lets_pass:
        skipped = skipped_in_words(rule.skips) or "what it skips"
        return _reason_by_executing_rule(rule, f"lets {traffic} skip {skipped}")
    verb = "blocks" if rule.action == "block" else "challenges"
    return _reason_by_executing_rule(rule, f"{verb} {traffic}")


class EntryEffect(NamedTuple):
    """The effect of entries of a collection: the flag that turns it on, what a malformed entry may
    do, and what an entry does, in words."""

    flag: str
    may: str
    does: str


EFFECTS_OF_ENTRIES = {
    PREFIXES.plural: EntryEffect("excluded", "exclude protected addresses", "excludes {}"),
    ALLOWLIST.plural: EntryEffect("enabled", "let sources pass", "lets {} pass as sources"),
}


def _loss_of_account(
    account: Coverage, names_prefixes: bool, resource: Resource, obj: Object
) -> Loss | None:
    """The loss if `obj` is added to an account as the task describes it; None if there is none."""
    described = account.state.get(resource.plural) or ()
    with_object = Coverage({**account.state, resource.plural: [*described, obj]})
    if resource.component:
        return _loss_by_decider(account, with_object, resource, obj)
    effect = EFFECTS_OF_ENTRIES.get(resource.plural)
    if effect is None or not has_flag(obj, effect.flag):
        return None
    if range_of(obj.get("prefix")) is None:
        if resource is not ALLOWLIST and not account.protected:
            return None
        return loss_by(resource, obj, f"is malformed, and may {effect.may}", certain=False)
    if resource is ALLOWLIST or names_prefixes:
        for loss in account_losses(resource, account, with_object):
            return loss_by(resource, obj, effect.does.format(loss.reason))
    return None


def _loss_by_decider(
    was: Coverage, becomes: Coverage, resource: Resource, obj: Object
) -> Loss | None:
    """The loss if the rule or filter `obj` is added, from `was` to `becomes`; None if there is
    none."""
    kind = str(resource.component)
    title = COMPONENTS[kind].title
    modes_before = _modes_in_space(was, kind, was.protected)
    modes_after = _modes_in_space(becomes, kind, was.protected)
    if UNDECIDED in modes_after - modes_before:
        reason = f"is not understood, so that {title} may mitigate less"
        return loss_by(resource, obj, reason, certain=False) if ENABLED in modes_before else None
    losses = list(account_losses(resource, was, becomes))
    unmitigated = [loss.reason for loss in losses if loss.how == UNMITIGATED]
    if unmitigated:
        mode = obj.get(resource.mode_field or "")
        less = f"so that {title} mitigates less for {first_few(unmitigated)}"
        return loss_by(resource, obj, f"is {mode}, {less}")
    less_sensitive: list[str] = []
    for loss in losses:
        less_sensitive += [f"{label}: {loss.reason}" for _key, label in loss.deciding_before]
    if not less_sensitive:
        return None
    reason = f"is less sensitive than the rule {first_few(less_sensitive)}"
    return loss_by(resource, obj, reason)


def _modes_in_space(coverage: Coverage, kind: str, space: Ranges) -> Modes:
    """All modes of a component that some traffic to `space` may meet."""
    pieces = coverage.by_kind[kind].pieces(space)
    return union_of_modes(modes for _ranges, modes in pieces)

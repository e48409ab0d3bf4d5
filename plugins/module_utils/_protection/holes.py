# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects that exist beside those that a task names and take protection away, and objects that
protect less than described.

An object that no task names is checked as if it were the only one beside the named ones. A list is
checked by the rules that are known: those of the Network Firewall, and those of a zone where the
task names it. If more rules refer to a list than are known, its items may let traffic pass.
"""

from __future__ import annotations

from typing import Container, Iterator, Mapping, NamedTuple, Sequence, TypedDict

from .._api.neighbours import managed_lists
from .._expressions.grammar import lists_in
from .._plan.desired import Desired
from .._schema.account import ALLOWLIST, COMPONENTS, ENABLED, PREFIXES, STATUS
from .._schema.lists import LISTS, items_of, uses_of
from .._schema.registry import (
    DDOS_OVERRIDES,
    DECIDING,
    EVALUATION,
    MANAGED,
    ZoneRule,
    contents_in,
    rules_in_force,
    spelt_out,
)
from .._schema.resource import Key, Object, Resource, State
from .._schema.zone import CUSTOM_RULES, CUSTOM_RULES_OF_ACCOUNT, CUSTOM_RULESETS
from .._text import first_few, plural
from .._values.address_set import Ranges, difference, range_of, union
from .coverage import AccountLosses, Coverage, has_flag
from .losses import Loss, later_rules, leaves_out, lowered, phase_skip_loss, rule_losses, skip_loss
from .modes import UNDECIDED, counted_networks, union_of_modes
from .overrides import (
    GONE,
    NOT_UNDERSTOOD,
    Held,
    Weakening,
    in_force,
    managed_rules,
    not_understood,
    unlike_described,
    weakenings,
    weakenings_between,
)
from .plain import OWN_NAMES, depends_on_owner, met_by_plain, width

CHANGED_ON = ("modified_on", "last_updated", "created_on")
MOST_JUDGED = 100  # items of a list one by one; more are checked together
ON = {STATUS.plural: [{"enabled": True}]}


class WeakerRecord(TypedDict):
    """A rule, list or override that protects less before a plan than after it; `certain` is false
    if it may.

    `reason` is a sentence without its subject.
    """

    resource: str
    key: str
    certain: bool
    reason: str


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


def weaker_records(before: State, after: State) -> list[WeakerRecord]:
    """The rules, lists and overrides that protect less before a plan than after it."""
    if before == after:
        return []
    losses = _losses_by_rules(after, before, later=after)
    records = [_weaker_record(resource, rule.entry, loss) for resource, rule, loss in losses]
    records += [_weaker_record(LISTS, name, loss) for name, loss in _list_losses(before, after)]
    levels = lowered(after, before)
    records += [_weaker_record(resource, resource.name, loss) for resource, loss in levels]
    for resource in DDOS_OVERRIDES:
        for item in weakenings_between(resource, after, before):
            loss = Loss(item.certain, unlike_described(item, resource, after, before))
            records.append(_weaker_record(item.resource, item.label, loss))
        described = {resource.key_of(obj): obj for obj in after.get(resource.plural) or ()}
        records += [
            _weaker_record(resource, resource.label_of(obj), Loss(False, NOT_UNDERSTOOD))
            for obj in before.get(resource.plural) or ()
            if not_understood(obj) and not not_understood(described.get(resource.key_of(obj), obj))
        ]
    return records


def _weaker_record(resource: Resource, key: str, loss: Loss) -> WeakerRecord:
    return WeakerRecord(resource=resource.name, key=key, certain=loss.certain, reason=loss.reason)


def unmanaged_records(desired: Sequence[Desired], state: State) -> list[UnmanagedRecord]:
    """The objects of a state that the desired state does not name, in the order of the state."""
    named = {item.resource.plural: item.objects.keys() for item in desired}
    described = {
        resource.plural: _among(resource, state[resource.plural], named.get(resource.plural, ()))
        for resource in (item.resource for item in MANAGED)
        if resource.key and state.get(resource.plural) is not None
    }
    described[CUSTOM_RULESETS] = [*state.get(CUSTOM_RULESETS, ())]
    by_rules = _losses_by_rules(described, state, later=state)
    losses = {
        _target(resource, rule): _by_inner(rule, loss)
        for resource, rule, loss in sorted(by_rules, key=lambda item: item[2].certain)
    }
    losses.update(_losses_by_overrides(described, state))
    wide = dict(_wide_rules(described, state))
    names_prefixes = bool(named.get(PREFIXES.plural))
    existing = {} if names_prefixes else {PREFIXES.plural: state.get(PREFIXES.plural) or ()}
    account = Coverage({**described, **existing, **ON})  # with just what the task names, and on
    of_account = _objects_of_account(state) if CUSTOM_RULES.plural in named else {}
    return [
        *_rules_in_front(desired, described, state),
        *(
            _unmanaged_record(*whose_object, losses.get(key), wide.get(key, ""))
            for key, whose_object in of_account.items()
            if key in losses or key in wide
        ),
        *(
            _unmanaged_record(
                whose,
                obj,
                losses.get((whose.plural, key))
                or _loss_of_account(account, names_prefixes, whose, obj),
                wide.get((whose.plural, key), ""),
            )
            for whose, objects in (in_force(item.resource, state) for item in desired)
            for key, obj in ((whose.key_of(obj), obj) for obj in objects if whose.key)
            if key not in named.get(whose.plural, ())
            and (whose.plural in named or (whose.plural, key) in losses)
        ),
    ]


def _unmanaged_record(
    resource: Resource, obj: Object, loss: Loss | None, else_: str = ""
) -> UnmanagedRecord:
    return UnmanagedRecord(
        resource=resource.name,
        key=resource.label_of(obj),
        weakens=(loss.certain or None) if loss else False,
        reason=loss.reason if loss else else_,
        since=next((str(obj[name]) for name in CHANGED_ON if obj.get(name)), None),
    )


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


def _listed(resource: Resource, rule: ZoneRule) -> tuple[Resource, Object]:
    """The object of a state by which a rule is there; one of an account is there by itself."""
    if rule.of_account:
        return CUSTOM_RULES_OF_ACCOUNT, {**rule.obj, "ref": rule.entry}
    return resource, {**rule.obj, "ref": rule.via[0]} if rule.via else rule.obj


def _objects_of_account(state: State) -> Mapping[tuple[str, Key], tuple[Resource, Object]]:
    of_account = [rule for rule in rules_in_force(state) if rule.of_account]
    return {_target(CUSTOM_RULES, rule): _listed(CUSTOM_RULES, rule) for rule in of_account}


def _target(resource: Resource, rule: ZoneRule) -> tuple[str, Key]:
    whose, obj = _listed(resource, rule)
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
                    yield _unmanaged_record(*_listed(resource, rule), _by_inner(rule, loss))


def _wide_rules(described: State, state: State) -> Iterator[tuple[tuple[str, Key], str]]:
    """The rules beside described ones that all plain traffic matches and meets, and what they do to
    it."""
    contents = contents_in(state)
    for resource, _read in DECIDING:
        named = {rule.key for rule in rules_in_force(described, resource)}
        own, _field, what = OWN_NAMES[resource.traffic]
        unknown = "" if own.plural in state else f"may match everything, since {what} not known"
        rules = [spelt_out(rule, contents) for rule in rules_in_force(state, resource)]
        for index, rule in enumerate(rules):
            key = _target(resource, rule)
            if rule.key not in named and width(resource, rule, state):
                beside = [*(one for one in rules[:index] if one.key in named), rule]
                followed = any(one.active for one in rules[index + 1 :])
                for one in met_by_plain(resource, beside, state):
                    if one.rule is rule and (rule.enforces or followed):
                        yield key, _wide(rule, one.what)
            elif rule.key not in named and unknown and depends_on_owner(resource, rule):
                yield key, unknown
        for rule, what, others in met_by_plain(resource, rules, state):
            followed = any(one.active for one in rules[rules.index(rule) + 1 :])
            if others and rule.key not in named and (rule.enforces or followed):
                more = f", together with {first_few(one.title for one in others)}"
                yield _target(resource, rule), _wide(rule, what) + more


def _wide(rule: ZoneRule, what: str) -> str:
    """The effect of a rule on such traffic, as that of the rule of the list."""
    return _by_inner(rule, Loss(True, _effect_in_words(rule, what))).reason


def _effect_in_words(rule: ZoneRule, what: str) -> str:
    if rule.lets_pass:
        return f"lets {what} skip {first_few(sorted(rule.skips)) or 'what it skips'}"
    return f"{'blocks' if rule.action == 'block' else 'challenges'} {what}"


def _losses_by_overrides(described: State, state: State) -> Iterator[tuple[tuple[str, Key], Loss]]:
    for resource in DDOS_OVERRIDES:
        named = described.get(resource.plural) or ()
        keys = {*map(resource.key_of, named)}
        managed = managed_rules(resource, state)
        current = in_force(resource, state)
        hidden = in_force(resource, {**state, resource.plural: named})
        for obj in current.overrides:
            key = resource.key_of(obj)
            if key in keys:
                continue
            both = current._replace(overrides=_among(resource, current.overrides, {*keys, key}))
            worse = weakenings(Held(resource, named), both, managed)
            if not worse and hidden.resource is not current.resource:
                worse = weakenings(hidden, both, managed)
            if worse:
                yield (
                    (current.resource.plural, key),
                    Loss(worse[0].certain, _reason_of(worse[0], key)),
                )
            elif not_understood(obj):
                yield (current.resource.plural, key), Loss(False, NOT_UNDERSTOOD)


def _reason_of(item: Weakening, key: Key) -> str:
    """The reason for which one more override lets more pass; it may hide those of an account."""
    hides = f"hides the {item.resource.title} {item.label}, which "
    return item.reason if item.level != GONE else f"{hides}{item.reason}"


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


class _Reference(NamedTuple):
    """A rule that refers to a list, as it is written, and the rules behind it."""

    resource: Resource
    rule: ZoneRule
    behind: Sequence[ZoneRule]


def _names_itself(rule: ZoneRule, name: str) -> bool:
    """True if a rule refers to a list, and not only the rule that executes its ruleset."""
    is_inner = rule.via or rule.of_account
    return not is_inner or name in lists_in(str(rule.obj.get("expression")))


class _Referring:
    """The rules of a state that refer to its lists."""

    def __init__(self, state: State) -> None:
        self.contents = contents_in(state)
        self._references: dict[str, list[_Reference]] = {}
        for resource, _read in EVALUATION:
            rules = rules_in_force(state, resource)
            spelt_out = [self._with(rule) for rule in rules]
            for index, rule in enumerate(rules):
                for name in lists_in(rule.expression):
                    reference = _Reference(resource, rule, spelt_out[index + 1 :])
                    self._references.setdefault(name, []).append(reference)

    def _with(self, rule: ZoneRule, **lists: Ranges) -> ZoneRule:
        return spelt_out(rule, {**self.contents, **lists})

    def loss(self, obj: Object, lacks: Ranges, has: Ranges) -> Loss | None:
        """The protection that is lost if a list has some addresses and lacks others."""
        if not lacks and not has:
            return None
        name = LISTS.label_of(obj)
        known = self._references.get(name, [])
        losses = list(filter(None, (self._loss(item, name, lacks, has) for item in known)))
        more = uses_of(obj) - sum(_names_itself(item.rule, name) for item in known)
        if has and more > 0:
            ones = plural(more, "rule that is not known refers", "rules that are not known refer")
            reason = f"may let traffic pass, since {ones} to the list"
            losses.append(Loss(False, reason))
        return max(losses, key=lambda item: item.certain, default=None)

    def _loss(self, item: _Reference, name: str, lacks: Ranges, has: Ranges) -> Loss | None:
        resource, by = item.resource, f"the {item.resource.title} {item.rule.title}"
        was, becomes = (self._with(item.rule, **{name: ranges}) for ranges in (lacks, has))
        if item.rule.lets_pass:
            more = f"({becomes.expression}) and not ({was.expression})"
            loss = skip_loss(resource, item.rule._replace(expression=more), item.behind)
            return loss._replace(reason=f"{loss.reason}, by {by}") if loss else None
        fewer = leaves_out(becomes.expression, was.expression) if item.rule.enforces else False
        if fewer is False:
            return None
        verb = "makes" if fewer else "may make"
        return Loss(bool(fewer), f"{verb} {by} stop fewer {resource.traffic}s")


def unmanaged_items(desired: Desired, state: State) -> list[Object]:
    """The items of a list that the desired ones do not name."""
    resource = desired.resource
    if resource.parent is not LISTS:
        return []
    return _others(resource, state.get(resource.plural) or (), desired.objects)


def lists_of_others(desired: Sequence[Desired], state: State) -> list[Object]:
    """The lists of a state that a task does not name."""
    named = {key for item in desired if item.resource is LISTS for key in item.objects}
    return _others(LISTS, managed_lists(state), named)


def unmanaged_lists(desired: Sequence[Desired], state: State) -> list[UnmanagedRecord]:
    """The lists that a task does not name, and the items of its lists that it does not name and
    that weaken rules, or may; in the order of the state."""
    referring = _Referring(state)
    inner = {item.resource.within: item for item in desired if item.resource.parent is LISTS}
    others = {LISTS.label_of(obj) for obj in lists_of_others(desired, state)}
    records: list[UnmanagedRecord] = []
    for obj in state[LISTS.plural]:
        name = LISTS.label_of(obj)
        if name in inner:
            records += _records_of_items(referring, obj, inner[name], state)
        elif name in others:
            loss = referring.loss(obj, [], referring.contents.get(name) or [])
            records.append(_unmanaged_record(LISTS, obj, loss))
    return records


def _records_of_items(
    referring: _Referring, obj: Object, desired: Desired, state: State
) -> Iterator[UnmanagedRecord]:
    resource, items = desired.resource, unmanaged_items(desired, state)
    described = _ranges_of_items(
        _among(resource, state.get(resource.plural) or (), desired.objects)
    )
    together = referring.loss(obj, [], difference(_ranges_of_items(items), described))
    for item in items if together else ():
        loss = together and together._replace(certain=False)
        if len(items) <= MOST_JUDGED:
            loss = referring.loss(obj, [], difference(_ranges_of_items([item]), described))
        if loss:
            yield _unmanaged_record(resource, item, loss)


def _list_losses(before: State, after: State) -> Iterator[tuple[str, Loss]]:
    """The lists with items that make rules let more pass before a plan than after it, or stop
    less."""
    referring = _Referring(before)
    for obj in before.get(LISTS.plural, ()):
        name = LISTS.label_of(obj)
        resource = items_of(name)
        if resource.plural not in before or resource.plural not in after:
            continue
        existing, described = before[resource.plural], after[resource.plural]
        lacking = _others(resource, described, {*map(resource.key_of, existing)})
        more = _others(resource, existing, {*map(resource.key_of, described)})
        lacks = difference(_ranges_of_items(lacking), _ranges_of_items(existing))
        has = difference(_ranges_of_items(more), _ranges_of_items(described))
        for items, verb, loss in (
            (lacking, "lacks", referring.loss(obj, lacks, [])),
            (more, "has", referring.loss(obj, [], has)),
        ):
            if loss:
                shown = first_few(str(item["ip"]) for item in items)
                reason = f"{verb} {shown}, otherwise than described, and {loss.reason}"
                yield name, loss._replace(reason=reason)


def _among(resource: Resource, objects: Sequence[Object], keys: Container[Key]) -> list[Object]:
    """The objects whose keys are among these."""
    return [obj for obj in objects if resource.key_of(obj) in keys]


def _others(resource: Resource, objects: Sequence[Object], keys: Container[Key]) -> list[Object]:
    """The objects whose keys are not among these."""
    return [obj for obj in objects if resource.key_of(obj) not in keys]


def _ranges_of_items(items: Sequence[Object]) -> Ranges:
    return union(filter(None, (range_of(item.get("ip")) for item in items)))

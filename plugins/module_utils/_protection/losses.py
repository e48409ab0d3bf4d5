# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The protection that one state has and another lacks, by its rules and by the items of lists to
which they refer.

Risks compare the state before a plan with the state after it, reports the described state with the
existing one, and holes a state with the same state and one more object. A list is checked by the
rules that are known. If more rules refer to it, its items may let traffic pass.
"""

from __future__ import annotations

from typing import Container, Iterable, Iterator, NamedTuple, Sequence, Tuple, TypedDict

from .._expressions.grammar import lists_in, normalise_expression
from .._expressions.solve import matches_every_request
from .._plan.desired import Desired
from .._schema.lists import LISTS, items_of, managed_lists, uses_of
from .._schema.managed_rules import EXECUTE
from .._schema.rate_limits import limit_of
from .._schema.registry import (
    EVALUATION,
    MANAGED,
    REST_OF_THE_LIST,
    UNREAD,
    ZoneRule,
    contents_in,
    phase_of,
    rules_in_force,
    spelt_out,
)
from .._schema.resource import Key, Object, Resource, State
from .._text import first_few, plural
from .._values.address_set import Ranges, difference, range_of, union
from .ordinary_traffic import plain_traffic

Later = Sequence[Tuple[Resource, Sequence[ZoneRule]]]
REMOVED, TURNED_OFF, TURNED, NARROWED = "removed", "disabled", "turned", "narrowed"
LOOSENED, ENABLED = "loosened", "enabled"
SOFTENED = "softened"  # a challenge in place of a block
CHANGED_ON = ("modified_on", "last_updated", "created_on")


class Loss(NamedTuple):
    """Protection that an object takes from a state; `certain` is false if that is not proven.

    `reason` is a sentence without its subject; `how` says what becomes of a rule that stops
    traffic.
    """

    certain: bool
    reason: str
    how: str = ""


def later_rules(resource: Resource, state: State) -> Later:
    """The known rules of other phases, which those of an entry point may skip."""
    others = [one for one, _read in EVALUATION if one.phase and one is not resource]
    known = [one for one in others if state.get(one.plural) is not None]
    return [(one, rules_in_force(state, one)) for one in known]


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


def weaker_record(resource: Resource, key: str, loss: Loss) -> WeakerRecord:
    """The record of an object that protects less."""
    return WeakerRecord(resource=resource.name, key=key, certain=loss.certain, reason=loss.reason)


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


def rule_losses(
    resource: Resource, was: Sequence[ZoneRule], becomes: Sequence[ZoneRule], later: Later = ()
) -> Iterator[tuple[ZoneRule, Loss]]:
    """The rules by which a list stops less traffic, or lets more pass, than another one.

    Each rule that only the second list has is checked as if it were the only one, with the `later`
    rules that it may skip.
    """
    if was == becomes:
        return
    first, second = ({rule.key: rule for rule in rules} for rules in (was, becomes))
    for rule in was:
        other = second.get(rule.key)
        loss = rule_loss(resource, rule, other)
        if not loss and other and rule.lets_pass and other.lets_pass:
            loss = _passing_more(resource, rule, other, overtaken(rule.key, was, becomes))
        if loss:
            yield rule, loss
    for index, rule in enumerate(becomes):
        if rule.key not in first:
            behind = [first[item.key] for item in becomes[index:] if item.key in first]
            loss = skip_loss(resource, rule, behind, later) or _doubt(resource, rule)
            if loss:
                yield rule, loss


SKIPPED_IN_WORDS = {"phase": "the rest of the custom rules of the zone"}


def skipped_in_words(names: Iterable[str]) -> str:
    """The first of what a rule skips, for sentences."""
    return first_few(SKIPPED_IN_WORDS.get(name, name) for name in sorted(names))


def _doubt(resource: Resource, rule: ZoneRule) -> Loss | None:
    """The loss that may be by a rule that is not understood, and does not stop traffic itself."""
    if not rule.active or not rule.doubts or rule.enforces or matches_nothing(rule.expression):
        return None
    why = f"{first_few(rule.doubts)} {'is' if len(rule.doubts) == 1 else 'are'} not understood"
    why = f"{first_few(rule.unknown)} could not be read" if UNREAD in rule.obj else why
    return Loss(False, f"may let {resource.traffic}s pass, since {why}")


def overtaken(key: Key, was: Sequence[ZoneRule], becomes: Sequence[ZoneRule]) -> list[ZoneRule]:
    """The rules that a rule stands behind in the first list, and before in the second one."""
    places = [rule.key for rule in becomes]
    behind = frozenset(places[places.index(key) :])
    keys = [rule.key for rule in was]
    return [rule for rule in was[: keys.index(key)] if rule.key in behind]


def rule_loss(resource: Resource, was: ZoneRule, becomes: ZoneRule | None) -> Loss | None:
    """The loss by a rule that stopped traffic, or that lets traffic pass and did not."""
    if becomes is None:
        return Loss(True, "does not exist", REMOVED) if was.enforces else None
    turned = f"has the action {becomes.action}, and the baseline says {was.action}"
    if was.enforces and becomes.enforces:
        fewer = leaves_out(becomes.expression, was.expression)
        more = [name for name in becomes.conditions if name not in was.conditions]
        if more and not fewer:
            why = f"since it has {first_few(f'the field {name}' for name in more)}"
            reason = f"may match fewer {resource.traffic}s than described, {why}"
            return Loss(False, reason, NARROWED)
        loosened = resource.semantics.loosened(was.obj, becomes.obj)
        if loosened and not fewer:
            return Loss(loosened.certain, loosened.reason, LOOSENED)
        if was.action == "block" != becomes.action and not fewer:
            return Loss(True, turned, SOFTENED)
        what = f"fewer {resource.traffic}s than described"
        return _loss(fewer, "matches", "match", what, NARROWED)
    if _effect(becomes) >= _effect(was):
        return None
    if not was.active:
        return Loss(True, "lets requests pass, and the baseline does not", ENABLED)
    if not becomes.active:
        return Loss(True, "is off, and the baseline turns it on", TURNED_OFF)
    return Loss(True, turned, TURNED)


def _effect(rule: ZoneRule) -> int:
    """1 for a rule that blocks or challenges, -1 for one that lets requests skip others, 0 for one
    that does neither."""
    return 1 if rule.enforces else -1 if rule.lets_pass else 0


def _passing_more(
    resource: Resource, was: ZoneRule, becomes: ZoneRule, passed: Sequence[ZoneRule]
) -> Loss | None:
    """The loss by a rule that lets more traffic pass than it did; it moved before `passed`."""
    more = _newly_skipped(was, becomes)
    if more:
        return Loss(True, f"skips more than described ({skipped_in_words(more)})")
    wider = leaves_out(was.expression, becomes.expression)
    what = f"more {resource.traffic}s pass than described"
    return _loss(wider, "lets", "let", what) or _list_skip_loss(resource, becomes, passed)


def _is_of_deployments(name: str) -> bool:
    """True for a part of a skip that names what rules behind it deploy."""
    return name.partition(" ")[0] in ("rulesets", "rules")


def idle_among(rules: Sequence[ZoneRule]) -> Iterator[ZoneRule]:
    """The rules of a list that take requests past nothing but deployments behind them, and none of
    these is there."""
    for index, rule in enumerate(rules):
        behind = rules[index + 1 :]
        if _skips_deployments_alone(rule) and not any(
            one.enforces and rule.takes_past(one) for one in behind
        ):
            yield rule


def _skips_deployments_alone(rule: ZoneRule) -> bool:
    others = rule.skips - {REST_OF_THE_LIST}
    return rule.lets_pass and not rule.unknown and all(map(_is_of_deployments, others))


def _newly_skipped(was: ZoneRule, becomes: ZoneRule) -> list[str]:
    """The names of what a rule skips that another one does not skip, nor something of which it is
    a part."""

    def is_part(name: str) -> bool:
        wholes = {REST_OF_THE_LIST, f"rulesets {name.split()[1]}"} if " " in name else set()
        return _is_of_deployments(name) and not wholes.isdisjoint(was.skips)

    return sorted(name for name in becomes.skips - was.skips if not is_part(name))


def skip_loss(
    resource: Resource, rule: ZoneRule, behind: Sequence[ZoneRule], later: Later = ()
) -> Loss | None:
    """The loss by a rule for those behind it, for `later` ones, and for what is not known."""
    of_rules = phase_skip_loss(rule, later) or _list_skip_loss(resource, rule, behind)
    known = {phase_of(other) for other, _rules in later}
    others = sorted(rule.skips - {REST_OF_THE_LIST, *known})
    if EXECUTE in resource.enforcing:  # a deployment stands behind it, or it skips nothing
        others = [name for name in others if not _is_of_deployments(name)]
    if not rule.lets_pass or not others or matches_nothing(rule.expression):
        return of_rules
    every = plain_traffic(rule.expression, resource.traffic, lets_pass=True)
    if of_rules and of_rules.certain and not every:
        return of_rules
    what = f"{skipped_in_words(others)} for {every or f'{resource.traffic}s'}"
    return _loss(bool(every) or None, "skips", "skip", what)


def phase_skip_loss(rule: ZoneRule, later: Later) -> Loss | None:
    """The loss by a rule for those of later phases that it skips, as far as they are known."""
    losses = (
        _loss_of_skipped(resource, rule, [_with_counted(item) for item in rules])
        for resource, rules in later
        if rule.lets_pass and phase_of(resource) in rule.skips
    )
    return max(filter(None, losses), key=lambda loss: loss.certain, default=None)


def _with_counted(rule: ZoneRule) -> ZoneRule:
    """A rule that also matches the requests that its rate limit counts."""
    counted = limit_of(rule.obj).get("counting_expression")
    return rule._replace(expression=f"({rule.expression}) or ({counted})") if counted else rule


def _list_skip_loss(resource: Resource, rule: ZoneRule, behind: Sequence[ZoneRule]) -> Loss | None:
    """The loss by a rule for those behind it in the list."""
    passed = [item for item in behind if rule.takes_past(item)]
    return _loss_of_skipped(resource, rule, passed)


def _loss_of_skipped(resource: Resource, rule: ZoneRule, behind: Sequence[ZoneRule]) -> Loss | None:
    met = [item for item in behind if item.enforces and not _are_apart(rule, item)]
    certain = [item for item in met if _covers(rule, item) or _covers(item, rule)]
    if not met:
        return None
    stopping = certain or met
    titles = resource.titles if len(stopping) > 1 else resource.title
    stopped = f"{titles} {first_few(item.title for item in stopping)} would stop"
    return _loss(bool(certain) or None, "lets", "let", f"{resource.traffic}s pass that {stopped}")


def _loss(
    certain: bool | None, verb: str, infinitive: str, what: str, how: str = ""
) -> Loss | None:
    """The loss of something if it is certain, or (None) may be, with the verb of its sentence."""
    if certain is False:
        return None
    return Loss(bool(certain), f"{verb if certain else f'may {infinitive}'} {what}", how)


def leaves_out(expression: str, other: str) -> bool | None:
    """True if an expression leaves out requests that another one matches; None if nothing is
    proven."""
    if normalise_expression(expression) == normalise_expression(other):
        return False
    if matches_every_request(f"not ({other}) or ({expression})"):
        return False
    is_part = matches_every_request(f"not ({expression}) or ({other})")
    return True if is_part or matches_nothing(f"({expression}) and ({other})") else None


def _covers(one: ZoneRule, other: ZoneRule) -> bool:
    """True if it is proven that a rule matches every request that another one matches."""
    return leaves_out(one.expression, other.expression) is False


def _are_apart(one: ZoneRule, other: ZoneRule) -> bool:
    """True if it is proven that no request matches both rules."""
    return matches_nothing(f"({one.expression}) and ({other.expression})")


def matches_nothing(expression: str) -> bool:
    """True if it is proven that no request matches an expression."""
    return matches_every_request(f"not ({expression})")


def lowered(was: State, becomes: State) -> Iterator[tuple[Resource, Loss]]:
    """The levels that are lower than in another state; one that is not known may be lower."""
    for resource in (item.resource for item in MANAGED if item.resource.level_field):
        field = resource.field(str(resource.level_field))
        ranks = {word: rank for rank, word in enumerate(field.value.option["choices"])}
        both = zip(*(state.get(resource.plural) or () for state in (was, becomes)))
        for level, other in ([str(obj.get(field.name)) for obj in pair] for pair in both):
            certain = ranks.keys() >= {level, other}
            doubt = "" if certain else ", of which one is not known here"
            if level != other and (not certain or ranks[other] < ranks[level]):
                yield resource, Loss(certain, f"is {other} instead of {level}{doubt}")


MOST_JUDGED = 100  # items of a list one by one; more are checked together


class _Reference(NamedTuple):
    """A rule that refers to a list, as it is written, and the rules behind it."""

    resource: Resource
    rule: ZoneRule
    behind: Sequence[ZoneRule]


def _names_itself(rule: ZoneRule, name: str) -> bool:
    """True if a rule refers to a list, and not only the rule that executes its ruleset."""
    is_inner = rule.via or rule.of_account
    return not is_inner or name in lists_in(str(rule.obj.get("expression")))


class Referring:
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
    return other_objects(resource, state.get(resource.plural) or (), desired.objects)


def lists_of_others(desired: Sequence[Desired], state: State) -> list[Object]:
    """The lists of a state that a task does not name."""
    named = {key for item in desired if item.resource is LISTS for key in item.objects}
    return other_objects(LISTS, managed_lists(state), named)


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
            loss = referring.loss(obj, [], referring.contents.get(name) or [])
            records.append(unmanaged_record(LISTS, obj, loss))
    return records


def _records_of_items(
    referring: Referring, obj: Object, desired: Desired, state: State
) -> Iterator[UnmanagedRecord]:
    resource, items = desired.resource, unmanaged_items(desired, state)
    described = ranges_of_items(
        objects_among(resource, state.get(resource.plural) or (), desired.objects)
    )
    together = referring.loss(obj, [], difference(ranges_of_items(items), described))
    for item in items if together else ():
        loss = together and together._replace(certain=False)
        if len(items) <= MOST_JUDGED:
            loss = referring.loss(obj, [], difference(ranges_of_items([item]), described))
        if loss:
            yield unmanaged_record(resource, item, loss)


def weaker_lists(before: State, after: State) -> Iterator[WeakerRecord]:
    """The lists with items that make rules let more pass before a plan than after it, or stop
    less."""
    referring = Referring(before)
    for obj in before.get(LISTS.plural, ()):
        name = LISTS.label_of(obj)
        resource = items_of(name)
        if resource.plural not in before or resource.plural not in after:
            continue
        existing, described = before[resource.plural], after[resource.plural]
        lacking = other_objects(resource, described, {*map(resource.key_of, existing)})
        more = other_objects(resource, existing, {*map(resource.key_of, described)})
        lacks = difference(ranges_of_items(lacking), ranges_of_items(existing))
        has = difference(ranges_of_items(more), ranges_of_items(described))
        for items, verb, loss in (
            (lacking, "lacks", referring.loss(obj, lacks, [])),
            (more, "has", referring.loss(obj, [], has)),
        ):
            if loss:
                shown = first_few(str(item["ip"]) for item in items)
                reason = f"{verb} {shown}, otherwise than described, and {loss.reason}"
                yield weaker_record(LISTS, name, loss._replace(reason=reason))


def objects_among(
    resource: Resource, objects: Sequence[Object], keys: Container[Key]
) -> list[Object]:
    """The objects whose keys are among these."""
    return [obj for obj in objects if resource.key_of(obj) in keys]


def other_objects(
    resource: Resource, objects: Sequence[Object], keys: Container[Key]
) -> list[Object]:
    """The objects whose keys are not among these."""
    return [obj for obj in objects if resource.key_of(obj) not in keys]


def ranges_of_items(items: Sequence[Object]) -> Ranges:
    return union(filter(None, (range_of(item.get("ip")) for item in items)))

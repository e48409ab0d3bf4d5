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

from typing import Any, Container, Iterable, Iterator, NamedTuple, Sequence, Tuple

from .._expressions.expression import Expression
from .._expressions.solve import matches_every_request
from .._schema.custom_rules import CUSTOM_RULES, CUSTOM_RULES_OF_ACCOUNT
from .._schema.lists import LISTS, contents_of, items_in, uses_of
from .._schema.rate_limits import limit_of
from .._schema.registry import DDOS_OVERRIDES, EVALUATION
from .._schema.resource import NO_ITEMS, Field, Key, Object, Resource, State
from .._schema.rulesets import EXECUTE, phase_of
from .._text import first_few, plural
from .._values.address_set import Contents
from .looser_rules import loosened, only_logs
from .modes import Loss, loss_by
from .ordinary_traffic import plain_traffic
from .overrides import override_doubts, override_losses
from .rules_in_force import (
    REASON_OF_UNREAD,
    SUFFIX_OF_ACCOUNT,
    beyond,
    contents_in,
    rules_in_force,
    spelt_out,
)
from .zone_rule import REST_OF_THE_LIST, ZoneRule

Later = Sequence[Tuple[Resource, Sequence[ZoneRule]]]
REMOVED, TURNED_OFF, TURNED, NARROWED = "removed", "disabled", "turned", "narrowed"
LOOSENED, ENABLED = "loosened", "enabled"
DOES_NOT_EXIST = "does not exist"
SOFTENED = "softened"  # a challenge in place of a block


def losses_beside_account(resource: Resource, was: State, becomes: State) -> Iterator[Loss]:
    """The protection that is lost from the state `was` to the state `becomes` by one resource:
    lists, a field with levels, overrides, or rules."""
    if resource is LISTS:
        yield from list_losses(was, becomes)
    elif resource.levels:
        yield from level_losses(resource, was, becomes)
    elif resource in DDOS_OVERRIDES:
        yield from override_losses(resource, was, becomes)
        yield from override_doubts(resource, was, becomes)
    else:
        before, after = (rules_in_force(state, resource) for state in (was, becomes))
        by_key = {rule.key: rule for rule in before}
        for loss in rule_losses(resource, before, after, was):
            rule = by_key.get(loss.key)
            if loss.how == REMOVED and rule and rule.of_ruleset:
                loss = loss._replace(reason=_reason_of_missing(rule, becomes))
            yield loss


def _reason_of_missing(rule: ZoneRule, state: State) -> str:
    """The reason why a state lacks a rule of an executed ruleset: its deployment, or the rule."""
    whose, ref = CUSTOM_RULES, str(rule.key[-1])
    if rule.of_account:
        whose, ref = CUSTOM_RULES_OF_ACCOUNT, ref[: -len(SUFFIX_OF_ACCOUNT)]
    for obj in state.get(whose.plural) or ():
        if whose.label_of(obj) == ref:
            is_off = whose.semantics.protects_nobody(obj)
            return f"is off, since the {whose.title} {ref} is off" if is_off else DOES_NOT_EXIST
    return "is off, since no rule deploys its ruleset"


def later_rules(resource: Resource, state: State) -> Later:
    """The rules of the other phases, which rules of `resource` may skip; phases whose rules are not
    known are left out."""
    others = [one for one in EVALUATION if one.phase and one is not resource]
    known = [one for one in others if state.get(one.plural) is not None]
    return [(one, rules_in_force(state, one)) for one in known]


def rule_losses(
    resource: Resource,
    was: Sequence[ZoneRule],
    becomes: Sequence[ZoneRule],
    state: State = NO_ITEMS,
) -> Iterator[Loss]:
    """The losses from the rules `was` to the rules `becomes` of one list: rules that stop less
    traffic or let more pass.

    Each rule that only `becomes` contains is checked as if it were the only new one. `state`
    contains the rules of later phases, which it may skip.
    """
    if was == becomes:
        return
    later = later_rules(resource, state)
    first, second = ({rule.key: rule for rule in rules} for rules in (was, becomes))
    for rule in was:
        other = second.get(rule.key)
        loss = rule_loss(resource, rule, other)
        loss = None if loss and rule.enforces and _is_never_met(rule, was) else loss
        if not loss and other and rule.lets_pass and other.lets_pass:
            loss = _passing_more(resource, rule, other, overtaken(rule.key, was, becomes))
        if loss:
            yield loss
    for index, rule in enumerate(becomes):
        if rule.key not in first:
            behind = [first[item.key] for item in becomes[index:] if item.key in first]
            loss = skip_loss(resource, rule, behind, later) or _by_doubt(resource, rule)
            if loss:
                yield loss


def _is_never_met(rule: ZoneRule, rules: Sequence[ZoneRule]) -> bool:
    """Return whether it is proven that rules before this rule make every request skip it."""
    skips = [
        one
        for one in rules[: rules.index(rule)]
        if one.lets_pass and not one.doubts and one.takes_past(rule, wholly=True)
    ]
    return bool(skips) and matches_nothing(beyond(rule, skips))


def _loss(
    resource: Resource, rule: ZoneRule, reason: str, how: str = "", certain: bool = True
) -> Loss:
    return Loss(resource, rule.key, rule.entry, reason, certain, how)


def _likely(certain: bool, infinitive: str) -> str:
    """The verb, in the third person, of a certain statement; `may ...` if it is not certain."""
    third = infinitive + ("es" if infinitive.endswith("ch") else "s")
    return third if certain else f"may {infinitive}"


REST_OF_THE_PHASE = "phase"  # beside the rest of the list, of which it is more than in a ruleset
SKIPPED_IN_WORDS = {REST_OF_THE_PHASE: "the rest of the custom rules of the zone"}


def skipped_in_words(names: Iterable[str]) -> str:
    """The first few of the names that a rule skips, in words for a sentence."""
    return first_few(SKIPPED_IN_WORDS.get(name, name) for name in sorted(names))


def _by_doubt(resource: Resource, rule: ZoneRule) -> Loss | None:
    """The possible loss by an active rule that is not fully understood and may let traffic pass;
    None if there is no doubt, or the rule itself stops traffic."""
    if not rule.active or not rule.doubts or rule.enforces or matches_nothing(rule.expression):
        return None
    why = f"{first_few(rule.doubts)} {'is' if len(rule.doubts) == 1 else 'are'} not understood"
    why = f"{first_few(rule.unknown)} could not be read" if REASON_OF_UNREAD in rule.obj else why
    return _loss(resource, rule, f"may let {resource.traffic}s pass, since {why}", certain=False)


def overtaken(key: Key, was: Sequence[ZoneRule], becomes: Sequence[ZoneRule]) -> list[ZoneRule]:
    """The rules that stand before the rule `key` in `was`, and behind it in `becomes`."""
    places = [rule.key for rule in becomes]
    behind = frozenset(places[places.index(key) :])
    keys = [rule.key for rule in was]
    return [rule for rule in was[: keys.index(key)] if rule.key in behind]


def rule_loss(resource: Resource, was: ZoneRule, becomes: ZoneRule | None) -> Loss | None:
    """The protection that is lost if the rule `was` becomes `becomes` (None: is removed): the rule
    stops less traffic, or lets traffic pass that it did not let pass before. None if nothing is
    lost."""
    if only_logs(resource, was.obj):
        was = was._replace(stops=False)
    if becomes is None:
        return _loss(resource, was, DOES_NOT_EXIST, REMOVED) if was.enforces else None
    if was.enforces and becomes.enforces:
        return _stopping_less(resource, was, becomes)
    if _strictness(becomes) >= _strictness(was):
        return None
    if not was.active:
        return _loss(resource, was, "lets requests pass, and the baseline does not", ENABLED)
    if not becomes.active:
        return _loss(resource, was, "is off, and the baseline turns it on", TURNED_OFF)
    return _loss(resource, was, _turned(was, becomes), TURNED)


def _strictness(rule: ZoneRule) -> int:
    """A number to compare effects of rules: 1 for blocking or challenging, -1 for letting traffic
    skip something, 0 for neither."""
    return 1 if rule.enforces else -1 if rule.lets_pass else 0


def _turned(was: ZoneRule, becomes: ZoneRule) -> str:
    return f"has the action {becomes.action}, and the baseline says {was.action}"


def _stopping_less(resource: Resource, was: ZoneRule, becomes: ZoneRule) -> Loss | None:
    """The loss by a rule that stops traffic both as `was` and as `becomes`, but less traffic, or
    less strictly; None if there is none."""
    fewer = leaves_out(becomes.expression, was.expression)
    what = f"fewer {resource.traffic}s than described"
    more = [name for name in becomes.conditions if name not in was.conditions]
    if more and not fewer:
        why = f"since it has {first_few(f'the field {name}' for name in more)}"
        return _loss(resource, was, f"may match {what}, {why}", NARROWED, False)
    looser = None if fewer else loosened(resource, was.obj, becomes.obj)
    if looser:
        reason, is_certain = looser
        return _loss(resource, was, reason, LOOSENED, is_certain)
    turned = [_turned(was, becomes)] if was.action == "block" != becomes.action else []
    if fewer is False:
        return _loss(resource, was, turned[0], SOFTENED) if turned else None
    reason = " and ".join([f"{_likely(bool(fewer), 'match')} {what}", *turned])
    return _loss(resource, was, reason, NARROWED, bool(fewer))


def _passing_more(
    resource: Resource, was: ZoneRule, becomes: ZoneRule, passed: Sequence[ZoneRule]
) -> Loss | None:
    """The loss by a rule that lets more traffic pass as `becomes` than as `was`; None if it does
    not. `passed` are the rules that it moved in front of."""
    more = _skipped_anew(was, becomes)
    if more:
        reason = f"skips more than described ({skipped_in_words(more)})"
        return _loss(resource, was, reason)
    doubts = [name for name in becomes.unknown if name not in was.unknown]
    if doubts:
        reason = f"may skip more than described ({first_few(doubts)})"
        return _loss(resource, was, reason, certain=False)
    wider = leaves_out(was.expression, becomes.expression)
    if wider is False:
        return _list_skip_loss(resource, becomes, passed)
    what = f"more {resource.traffic}s pass than described"
    return _loss(resource, was, f"{_likely(bool(wider), 'let')} {what}", certain=bool(wider))


def _is_of_deployments(name: str) -> bool:
    """Return whether a name in a skip means a ruleset, or rules of a ruleset, that later rules
    execute."""
    return name.partition(" ")[0] in ("rulesets", "rules")


def idle_among(rules: Sequence[ZoneRule]) -> Iterator[ZoneRule]:
    """The rules that skip only rulesets or their rules, although no rule behind them executes these
    rulesets."""
    for index, rule in enumerate(rules):
        behind = rules[index + 1 :]
        if skips_deployments_alone(rule) and not any(
            one.enforces and rule.takes_past(one) for one in behind
        ):
            yield rule


def skips_deployments_alone(rule: ZoneRule) -> bool:
    """Return whether a rule skips only rulesets, or rules of rulesets, that later rules execute."""
    others = rule.skips - {REST_OF_THE_LIST}
    return rule.lets_pass and not rule.unknown and all(map(_is_of_deployments, others))


def _skipped_anew(was: ZoneRule, becomes: ZoneRule) -> list[str]:
    """The names that `becomes` skips and `was` does not, neither by name nor as a part of something
    else."""

    def is_part(name: str) -> bool:
        wholes = {REST_OF_THE_LIST, f"rulesets {name.split()[1]}"} if " " in name else set()
        return _is_of_deployments(name) and not wholes.isdisjoint(was.skips)

    return sorted(name for name in becomes.skips - was.skips if not is_part(name))


def skip_loss(
    resource: Resource, rule: ZoneRule, behind: Sequence[ZoneRule], later: Later = ()
) -> Loss | None:
    """The loss because a rule skips rules `behind` it, rules of `later` phases, or something that
    is not known; None if there is none."""
    if not rule.lets_pass:
        return None
    of_rules = phase_skip_loss(resource, rule, later) or _list_skip_loss(resource, rule, behind)
    known = {phase_of(other) for other, _rules in later}
    others = sorted(rule.skips - {REST_OF_THE_LIST, REST_OF_THE_PHASE, *known})
    if EXECUTE in resource.enforcing:  # a deployment stands behind it, or it skips nothing
        others = [name for name in others if not _is_of_deployments(name)]
    if not others or matches_nothing(rule.expression):
        return of_rules
    every = plain_traffic(rule.expression, resource.traffic, lets_pass=True)
    if of_rules and of_rules.certain and not every:
        return of_rules
    what = f"{skipped_in_words(others)} for {every or f'{resource.traffic}s'}"
    return _loss(resource, rule, f"{_likely(bool(every), 'skip')} {what}", certain=bool(every))


def phase_skip_loss(resource: Resource, rule: ZoneRule, later: Later) -> Loss | None:
    """The loss because a rule skips known rules of later phases; None if there is none."""
    losses = [
        _loss_of_skipped(resource, rule, other, [_with_counted(item) for item in rules])
        for other, rules in later
        if rule.lets_pass and phase_of(other) in rule.skips
    ]
    return max(filter(None, losses), key=lambda loss: loss.certain, default=None)


def _with_counted(rule: ZoneRule) -> ZoneRule:
    """The rule, with an expression that also matches the requests that its rate limit counts."""
    counted = Expression.of_object(limit_of(rule.obj), "counting_expression")
    return rule._replace(expression=rule.expression.or_(counted)) if counted.text else rule


def _list_skip_loss(resource: Resource, rule: ZoneRule, behind: Sequence[ZoneRule]) -> Loss | None:
    """The loss because a rule skips rules `behind` it in its list; None if there is none."""
    passed = [item for item in behind if rule.takes_past(item)]
    return _loss_of_skipped(resource, rule, resource, passed)


def _loss_of_skipped(
    resource: Resource, rule: ZoneRule, whose: Resource, skipped: Sequence[ZoneRule]
) -> Loss | None:
    met = [item for item in skipped if item.enforces and not _are_apart(rule, item)]
    certain = [item for item in met if _covers(rule, item) or _covers(item, rule)]
    if not met:
        return None
    stopping = certain or met
    titles = whose.titles if len(stopping) > 1 else whose.title
    stopped = f"{titles} {first_few(item.title for item in stopping)} would stop"
    lets = f"{_likely(bool(certain), 'let')} {whose.traffic}s pass that {stopped}"
    return _loss(resource, rule, lets, certain=bool(certain))


def leaves_out(expression: Expression, other: Expression) -> bool | None:
    """Return whether `expression` does not match some request that `other` matches; None if neither
    is proven."""
    if expression == other:
        return False
    if matches_every_request(other.not_().or_(expression)):
        return False
    is_part = matches_every_request(expression.not_().or_(other))
    if is_part or matches_nothing(expression.and_(other)):
        return True
    return None


def _covers(one: ZoneRule, other: ZoneRule) -> bool:
    """Return whether it is proven that the rule `one` matches every request that the rule `other`
    matches."""
    return leaves_out(one.expression, other.expression) is False


def _are_apart(one: ZoneRule, other: ZoneRule) -> bool:
    """Return whether it is proven that no request matches both rules."""
    return matches_nothing(one.expression.and_(other.expression))


def matches_nothing(expression: Expression) -> bool:
    """Return whether it is proven that no request matches an expression."""
    return matches_every_request(expression.not_())


def level_losses(resource: Resource, was: State, becomes: State) -> Iterator[Loss]:
    """The losses by fields with levels, such as the security level of a zone, whose level is lower
    in `becomes` than in `was`; a loss is not certain if a level is not known."""
    before = was.get(resource.plural) or ()
    after = becomes.get(resource.plural) or ()
    for former, obj in zip(before, after):
        for field in resource.levels:
            loss = _level_loss(resource, field, former, obj)
            if loss:
                yield loss


def _level_loss(resource: Resource, field: Field, former: Object, obj: Object) -> Loss | None:
    level_before, level = former.get(field.name), obj.get(field.name)
    rank_before, rank = _rank_of(field, level_before), _rank_of(field, level)
    doubt = ""
    if rank_before is None or rank is None:
        doubt = ", of which one is not known here"
        may_be_lower = level != level_before
    else:
        may_be_lower = rank < rank_before
    if not may_be_lower:
        return None
    verb = f"has the {field.name}" if resource.is_whole else "is"
    reason = f"{verb} {_word(level)} instead of {_word(level_before)}{doubt}"
    certain = not doubt
    return Loss(resource, (), resource.name, reason, certain, how=field.name)


def _word(level: Any) -> str:
    """A level as people write it."""
    return str(level).lower() if isinstance(level, bool) else str(level)


def _rank_of(field: Field, level: Any) -> int | None:
    """The rank of a level among the levels of a field; None if the level is not known."""
    return None if level is None else field.ranks.get(field.value.normalise(level))


NO_CONTENTS = Contents()


class _Reference(NamedTuple):
    """A rule that refers to a list, as the rule is written, and the rules behind it."""

    resource: Resource
    rule: ZoneRule
    behind: Sequence[ZoneRule]


def _names_itself(rule: ZoneRule, name: str) -> bool:
    """Return whether a rule refers to a list in its own expression, not only by the rule that
    executes its ruleset."""
    is_inner = rule.via or rule.of_account
    return not is_inner or name in Expression.of_object(rule.obj).lists


class Referring:
    """The rules of a state that refer to its lists."""

    def __init__(self, state: State) -> None:
        self.contents = contents_in(state)
        self._references: dict[str, list[_Reference]] = {}
        for resource in EVALUATION:
            rules = rules_in_force(state, resource)
            spelt_out = [self._with(rule) for rule in rules]
            for index, rule in enumerate(rules):
                for name in rule.expression.lists:
                    reference = _Reference(resource, rule, spelt_out[index + 1 :])
                    self._references.setdefault(name, []).append(reference)

    def _with(self, rule: ZoneRule, **lists: Contents) -> ZoneRule:
        return spelt_out(rule, {**self.contents, **lists})

    def concerns(self, obj: Object) -> bool:
        """Return whether a rule refers to the list `obj`, or may refer to it."""
        return LISTS.label_of(obj) in self._references or uses_of(obj) > 0

    def loss(self, obj: Object, lacks: Contents, has: Contents) -> Loss | None:
        """The loss if the list `obj` loses the contents `lacks` and gains the contents `has`; None
        if there is none."""
        by_known_rules = self.loss_by_known_rules(obj, lacks, has)
        return by_known_rules or self.loss_by_unknown_rules(obj, has)

    def loss_by_known_rules(self, obj: Object, lacks: Contents, has: Contents) -> Loss | None:
        """The loss by the rules of the state if the contents of a list change, as in `loss`."""
        if not lacks.size and not has.size:
            return None
        name = LISTS.label_of(obj)
        references = self._references.get(name, [])
        losses = [self._loss(reference, name, lacks, has) for reference in references]
        worst = max(filter(None, losses), key=lambda loss: loss.certain, default=None)
        return worst and loss_by(LISTS, obj, worst.reason, worst.certain)

    def loss_by_unknown_rules(self, obj: Object, has: Contents) -> Loss | None:
        """The possible loss if a list gains the contents `has`, by rules that refer to it and are
        not part of the state; None if there are none."""
        name = LISTS.label_of(obj)
        references = self._references.get(name, [])
        known_uses = sum(_names_itself(reference.rule, name) for reference in references)
        unknown_uses = uses_of(obj) - known_uses
        if not has.size or unknown_uses <= 0:
            return None
        rules = plural(
            unknown_uses, "rule that is not known refers", "rules that are not known refer"
        )
        reason = f"may let traffic pass, since {rules} to the list"
        return loss_by(LISTS, obj, reason, certain=False)

    def _loss(self, item: _Reference, name: str, lacks: Contents, has: Contents) -> Loss | None:
        resource, rule = item.resource, item.rule
        by = f"the {resource.title} {rule.title}"
        was, becomes = (self._with(rule, **{name: contents}) for contents in (lacks, has))
        if rule.lets_pass:
            more = becomes.expression.without(was.expression)
            loss = skip_loss(resource, rule._replace(expression=more), item.behind)
            return loss and loss._replace(reason=f"{loss.reason}, by {by}")
        fewer = leaves_out(becomes.expression, was.expression) if rule.enforces else False
        if fewer is False:
            return None
        what = f"{_likely(bool(fewer), 'make')} {by} stop fewer {resource.traffic}s"
        return _loss(resource, rule, what, certain=bool(fewer))


def list_losses(was: State, becomes: State) -> Iterator[Loss]:
    """The losses by lists whose items differ between the states `was` and `becomes`, so that rules
    stop less traffic or let more pass."""
    referring = Referring(becomes)
    for obj in becomes.get(LISTS.plural, ()):
        resource = items_in(obj)
        both = was.get(resource.plural), becomes.get(resource.plural)
        if None in both or both[0] is both[1] or not referring.concerns(obj):
            continue
        former, items = was[resource.plural], becomes[resource.plural]
        lacking = other_objects(resource, former, {*map(resource.key_of, items)})
        more = other_objects(resource, items, {*map(resource.key_of, former)})
        lacks = contents_of(lacking).without(contents_of(items))
        has = contents_of(more).without(contents_of(former))
        for concerned, verb, loss in (
            (lacking, "lacks", referring.loss(obj, lacks, NO_CONTENTS)),
            (more, "has", referring.loss(obj, NO_CONTENTS, has)),
        ):
            if loss:
                shown = first_few(str(item.get(resource.key[0])) for item in concerned)
                reason = f"{verb} {shown}, otherwise than described, and {loss.reason}"
                yield loss._replace(reason=reason)


def objects_among(
    resource: Resource, objects: Sequence[Object], keys: Container[Key]
) -> list[Object]:
    """The objects whose key is in `keys`."""
    return [obj for obj in objects if resource.key_of(obj) in keys]


def other_objects(
    resource: Resource, objects: Sequence[Object], keys: Container[Key]
) -> list[Object]:
    """The objects whose key is not in `keys`."""
    return [obj for obj in objects if resource.key_of(obj) not in keys]

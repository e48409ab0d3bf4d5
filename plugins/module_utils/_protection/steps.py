# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules and overrides of a state as steps of a walk: the marks that each gives, and which of
two marks of a family is the stronger one."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Hashable, Iterable, Iterator, Mapping, Sequence

from .._expressions.expression import Expression
from .._schema.custom_rules import CUSTOM_RULES, CUSTOM_RULES_OF_ACCOUNT
from .._schema.custom_rulesets import EXECUTED_RULESETS
from .._schema.lists import ListContents, contents_of, items_of
from .._schema.managed_rules import MANAGED_RULES
from .._schema.rate_limits import RATE_LIMIT_RULES, SCORE, limit_of
from .._schema.registry import EVALUATION
from .._schema.resource import ENFORCING, NO_ITEMS, Object, Resource, State, Values, fields_in
from .._schema.rulesets import OVERRIDES, PARAMETERS, deployed, phase_of
from .._values.address_set import Contents
from .looser_rules import deploys_less, limits_less, other_parameters
from .overrides import CHALLENGED, weaker_levels
from .rules_in_force import listed, rules_in_force
from .traffic_changes import PASSES, PASSING, Source
from .walk import (
    CHALLENGED_BEFORE,
    CHECKED,
    COUNTED,
    DEPLOYED,
    EXEMPT,
    LOGGED,
    OVERRIDDEN,
    SKIPPED,
    STOPPED,
    UNKNOWN,
    Identity,
    Mark,
    Step,
    StepEffect,
)
from .zone_rule import REST_OF_THE_LIST, ZoneRule

BLOCK, LOG = "block", "log"
LOGS = Mark(LOGGED, LOG, PASSING, "is logged")
BLOCKS = Mark(STOPPED, BLOCK, "blocked", "is blocked")
OF_STOPPED_ACTIONS: Mapping[str, int] = {LOG: 0, BLOCK: 2}  # any other is a challenge


def stopping_mark(action: str) -> Mark:
    """The mark of traffic that is blocked or challenged."""
    if action == BLOCK:
        return BLOCKS
    return Mark(STOPPED, action, f"challenged ({action})", f"is challenged ({action})")


def as_text(value: Any) -> str:
    """A text that is equal for equal values."""
    return json.dumps(value, sort_keys=True, default=str)


class StateSteps:
    """Turns the rules of one state into steps of a walk."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._executed = {str(obj.get("id")) for obj in state.get(EXECUTED_RULESETS) or ()}
        phases = [resource for resource in EVALUATION if resource.phase]
        self._phases = {phase_of(one) for one in phases if one.plural in state}
        self._contents: dict[str, Contents | None] = {}

    def of(self, resource: Resource) -> list[Step]:
        """The steps of the active rules of a resource, in the order in which traffic meets them."""
        rules = [rule for rule in rules_in_force(self._state, resource) if rule.active]
        return [self._step(resource, rule) for rule in rules]

    def has(self, resource: Resource) -> bool:
        """Return whether the state contains the rules of a resource."""
        return any(plural in self._state for plural in self._collections_of(resource))

    @staticmethod
    def _collections_of(resource: Resource) -> list[str]:
        """The names of the collections whose rules belong to the phase of a resource."""
        of_account = [CUSTOM_RULES_OF_ACCOUNT.plural] if resource is CUSTOM_RULES else []
        return [resource.plural, *of_account]

    @property
    def lists(self) -> ListContents:
        """The contents of the lists that the steps made so far refer to, as far as the state
        contains them."""
        return {name: known for name, known in self._contents.items() if known is not None}

    def _step(self, resource: Resource, rule: ZoneRule) -> Step:
        expression = rule.whole or rule.expression
        unless = tuple(one.expression for one in rule.unless)
        effects = tuple(self._effects(resource, rule))
        doubts = tuple(_doubt(rule, name) for name in rule.conditions)
        contents = self.contents_named(expression.without(*unless))
        own = (expression, doubts, tuple(map(_identity, effects)))
        return Step(
            expression=expression,
            unless=unless,
            doubts=doubts,
            effects=effects,
            source=source_of(resource, rule),
            own=own,
            content=(own, unless, hashable(contents)) if unless or contents else own,
            lists=contents,
        )

    def contents_named(self, expression: Expression) -> tuple[tuple[str, Contents | None], ...]:
        """The lists to which an expression refers, with their contents as far as the state contains
        them."""
        return tuple((name, self._contents_of(name)) for name in expression.lists)

    def _contents_of(self, name: str) -> Contents | None:
        if name not in self._contents:
            items = self._state.get(items_of(name).plural)
            self._contents[name] = None if items is None else contents_of(items)
        return self._contents[name]

    def _effects(self, resource: Resource, rule: ZoneRule) -> Iterator[StepEffect]:
        """The effects of a rule on the traffic that it matches."""
        if resource is RATE_LIMIT_RULES and rule.action in (*ENFORCING, LOG):
            yield from _effects_of_limit(rule, source_of(resource, rule))
            return
        identity = deployed(rule.obj) if resource is MANAGED_RULES else ""
        if identity:
            yield StepEffect(_managed_ruleset_mark(identity, rule.obj), unless=(EXEMPT, identity))
            yield StepEffect(Mark(DEPLOYED, identity, "", ""))
        elif rule.action in ENFORCING:
            yield StepEffect(stopping_mark(rule.action), ends=True)
        elif rule.action == LOG:
            yield StepEffect(LOGS)
        elif rule.lets_pass:
            yield from self._skips(resource, rule)
        else:
            name = (rule.action, *rule.unknown, as_text(rule.obj.get(PARAMETERS)))
            yield StepEffect(_unknown_mark(rule, name), ends=True, doubt=("ends", *name))

    def _skips(self, resource: Resource, rule: ZoneRule) -> Iterator[StepEffect]:
        for name in rule.unknown:
            parameters = as_text(rule.obj.get(PARAMETERS))
            yield StepEffect(_unknown_mark(rule, (name, parameters)))
            yield StepEffect(_unknown_skip(rule, name, parameters))
        for name in sorted(rule.skips - {REST_OF_THE_LIST, "phase"}):
            mark = self._skipping_mark(resource, name)
            if mark:
                yield StepEffect(mark, unless=_deployment_before(resource, name))
        if REST_OF_THE_LIST in rule.skips:
            yield StepEffect(None, ends=True)

    def _skipping_mark(self, resource: Resource, name: str) -> Mark | None:
        """The mark of traffic that skips what `name` names; None if the rules in force already take
        the skip into account."""
        kind, _space, identity = name.partition(" ")
        ruleset, _space, _rule = identity.partition(" ")
        if kind in ("rulesets", "rules") and ruleset in self._executed:
            return None
        if resource is MANAGED_RULES and kind == "rulesets":
            return Mark(EXEMPT, identity, "", "")
        is_worded = identity and kind in WORDS_OF_SKIPPED  # firewall rules name products alone
        skipped = f"the {WORDS_OF_SKIPPED[kind]} {identity}" if is_worded else f"the product {name}"
        what, now = f"checked by {skipped}", f"skips {skipped}"
        return Mark(SKIPPED, name, what, now)


CHALLENGES_FIRST = Mark(CHALLENGED_BEFORE, "", "", "")


@dataclass(frozen=True)
class Exceeding:
    """The variable for requests that exceed a rate limit, which `title` names: variables of equal
    limits are equal."""

    limit: Hashable
    title: str = field(compare=False)

    def __str__(self) -> str:
        """The condition in words for users."""
        return f"the rate of the {self.title}"


def _effects_of_limit(rule: ZoneRule, source: Source) -> Iterator[StepEffect]:
    """The effects of a rate limit. A challenge ends the phase for requests that exceed the limit,
    so that a limit behind it does not block them; which requests exceed it is not known."""
    counting = _counting_mark(rule.obj)
    if rule.action == BLOCK:
        yield StepEffect(counting, unless=CHALLENGES_FIRST.identity)
        return
    if rule.action != LOG:
        yield StepEffect(CHALLENGES_FIRST, doubt=Exceeding(counting.key, source.title))
    yield StepEffect(counting)


def hashable(lists: Iterable[tuple[str, Contents | None]]) -> Hashable:
    """The contents of lists in a form that can be hashed and compared."""
    return tuple(
        (name, contents and (tuple(contents.ranges), contents.numbers, contents.hostnames))
        for name, contents in lists
    )


def _deployment_before(resource: Resource, name: str) -> Identity | None:
    """The mark of traffic that already met the ruleset, of which an exception names rules; None if
    `name` is not that of an exception of single rules."""
    kind, _space, identity = name.partition(" ")
    if resource is not MANAGED_RULES or kind != "rules":
        return None
    return DEPLOYED, identity.partition(" ")[0]


WORDS_OF_SKIPPED = {
    "phases": "phase",
    "rulesets": "ruleset",
    "rules": "rules of the ruleset",
    "products": "product",
}


def _identity(effect: StepEffect) -> Hashable:
    mark = effect.mark and effect.mark.identity
    return mark, effect.ends, effect.doubt


def _doubt(rule: ZoneRule, name: str) -> Hashable:
    """The name of the variable for whether a field that is not understood narrows a rule."""
    part: Any = rule.obj
    for step in name.split("."):
        part = fields_in(part).get(step)
    return "field", name, as_text(part)


def source_of(resource: Resource, rule: ZoneRule) -> Source:
    """The object that results name for a rule: the rule that is shown for it, or, in an executed
    ruleset, the rule itself."""
    if rule.of_ruleset:
        return Source("custom_ruleset_rule", rule.entry, f"rule {rule.entry}")
    whose, obj = listed(resource, rule)
    key = whose.label_of(obj)
    return Source(whose.name, key, f"{whose.title} {key}")


def _unknown_mark(rule: ZoneRule, name: Hashable) -> Mark:
    doubt = ", ".join(rule.unknown) or f"the action {rule.action}"
    return Mark(UNKNOWN, name, f"given {doubt}", f"is given {doubt}")


def _unknown_skip(rule: ZoneRule, name: str, parameters: str) -> Mark:
    """The mark of traffic that may skip something by a part of a rule that is not understood."""
    skipped = f"all that {name if rule.obj.get(PARAMETERS) else 'the rule'} means"
    return Mark(SKIPPED, f"{name} {parameters}", f"checked by {skipped}", f"skips {skipped}")


def _counting_mark(rule: Object) -> Mark:
    limit = limit_of(rule)
    # Each rule counts by itself, so that its expression is part of what it counts.
    known = {name: rule.get(name) for name in ("action", "expression", "ratelimit")}
    most, unit = limit.get("requests_per_period"), "requests"
    if most is None:
        most, unit = limit.get(SCORE), "of score"
    words = f"({rule.get('action')}, {most} {unit} in {limit.get('period')} s)"
    what, now = f"counted by a rate limit {words}", f"is counted by a rate limit {words}"
    return Mark(COUNTED, as_text(known), what, now, rule)


def _managed_ruleset_mark(ruleset_id: str, execute_rule: Object) -> Mark:
    parameters = fields_in(execute_rule.get(PARAMETERS))
    overrides = parameters.get(OVERRIDES)
    words = f"the managed ruleset {ruleset_id}"
    with_overrides = f"{words} with overrides" if overrides else words
    what, now = f"checked by {with_overrides}", f"is checked by {with_overrides}"
    key = as_text([ruleset_id, overrides, other_parameters(parameters)])
    return Mark(CHECKED, key, what, now, execute_rule)


def differing_parts(mark: Mark, other: Mark) -> list[str]:
    """The names of the parts by which two rate limits, or two deployments of a managed ruleset,
    differ, such as `mitigation_timeout`."""
    sides = [_parts_of(mark), _parts_of(other)]
    names = sorted({*sides[0], *sides[1]})
    return [name for name in names if sides[0].get(name) != sides[1].get(name)]


def _parts_of(mark: Mark) -> Values:
    """The parts of a rate limit, or of the parameters of a deployment, and of its overrides."""
    if mark.family == COUNTED:
        return {**limit_of(mark.obj), "expression": mark.obj.get("expression")}
    if mark.family != CHECKED:
        return NO_ITEMS
    parameters = fields_in(mark.obj.get(PARAMETERS))
    overrides = fields_in(parameters.get(OVERRIDES))
    named = {f"{OVERRIDES}.{name}": value for name, value in overrides.items()}
    return {**other_parameters(parameters), **named}


WITHOUT_MARK: Mapping[str, tuple[str, str]] = {  # what and now of traffic without a mark
    STOPPED: (PASSING, PASSES),
    COUNTED: ("counted by no rate limit", "is counted by no rate limit"),
    UNKNOWN: (PASSING, PASSES),
}


def is_as_strong(was: Mark, becomes: Mark) -> bool | None:
    """Return whether traffic with the mark `becomes` is treated at least as strictly as with the
    mark `was`; None if that is not known."""
    if was.identity == becomes.identity:
        return True
    if was.family == STOPPED:
        return was.key != BLOCK or becomes.key == BLOCK
    if was.family == COUNTED:
        return _limits_as_much(was.obj, becomes.obj)
    if was.family == CHECKED:
        if deployed(was.obj) != deployed(becomes.obj):
            return False
        looser = deploys_less(was.obj, becomes.obj)
        return looser is None or (False if looser[1] else None)
    if was.family == OVERRIDDEN:
        levels = (was.obj["level"], becomes.obj["level"])
        return not any(weaker_levels(*levels, was.obj["action"]))
    return False


def is_softer(was: Mark, becomes: Mark) -> bool:
    """Return whether the mark `becomes` challenges traffic that the mark `was` blocks, and is not
    weaker in another way."""
    if was.family == STOPPED:
        return was.key == BLOCK and becomes.family == STOPPED
    if was.family == OVERRIDDEN:
        levels = (was.obj["level"], becomes.obj["level"])
        return [*weaker_levels(*levels, was.obj["action"])] == [CHALLENGED]
    if was.family != COUNTED or not becomes.obj:
        return False
    former, action = was.obj.get("action"), str(becomes.obj.get("action"))
    if former != BLOCK or OF_STOPPED_ACTIONS.get(action, 1) != 1:
        return False
    return limits_less(was.obj, becomes.obj) is None


def _limits_as_much(was: Object, becomes: Object) -> bool | None:
    before, after = (OF_STOPPED_ACTIONS.get(str(one.get("action")), 1) for one in (was, becomes))
    if after < before:
        return False
    looser = limits_less(was, becomes)
    return looser is None or (False if looser[1] else None)


RULES_BY_KIND: Mapping[str, Sequence[Resource]] = {  # by the kind of traffic that meets them
    kind: [resource for resource in EVALUATION if resource.traffic == kind]
    for kind in ("request", "packet")
}

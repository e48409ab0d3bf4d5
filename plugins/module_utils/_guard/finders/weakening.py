# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk that a good part of the rules stops nothing any more of the traffic that each decides
about."""

from __future__ import annotations

from typing import Iterable, Iterator, NamedTuple, Sequence

from ..._protection.losses import matches_nothing
from ..._protection.rules_in_force import rules_in_force
from ..._protection.steps import StateSteps
from ..._protection.ways import ComparedWay
from ..._protection.weakened_rules import decides_about_traffic, rules_without_effect
from ..._protection.zone_rule import ZoneRule
from ..._schema.resource import Key, Resource, State
from ..._schema.rulesets import phase_of
from ..._text import Unread, first_few, plural, sentence
from ..finding import Entry, FinderAnswer
from .base import Change

FEWEST_WEAKENED = 3
MOST_LOOKED_AT = 50  # rules of which it is looked at whether traffic meets them


class WeakenedRule(NamedTuple):
    """A rule that no longer stops any traffic, and what becomes of the rule."""

    rule: ZoneRule
    outcome: str


def weakening(change: Change, resources: Iterable[Resource], most: float) -> FinderAnswer:
    """The risk that more than `most` percent of the rules of a resource no longer stop any
    traffic.
    """
    reasons: list[str] = []
    entries: list[Entry] = []
    steps = StateSteps(change.before.state)
    for resource in filter(steps.has, resources):
        way = _way_through(resource, change.traffic.ways if change.traffic else ())
        weakened = _weakened_rules(resource, way, change) if way else []
        if not weakened or way is None:
            continue
        number = len(weakened)
        whole = number + _others_that_decide(resource, way, change, weakened)
        is_mass = number >= FEWEST_WEAKENED or number == whole
        if is_mass and number * 100 > whole * most:
            labels = first_few(f"{rule.title} {outcome}" for rule, outcome in weakened)
            share = f"{number} of {_enforcing_rules(resource, whole)}"
            clause = f"{share} would no longer do so ({labels})"
            reasons.append(f"{clause}, which is more than {most} %")
            entries += [Entry(resource, rule.key, rule.entry) for rule, _outcome in weakened]
    return (sentence("; ".join(reasons)), [], entries) if reasons else None


def _way_through(resource: Resource, ways: Sequence[ComparedWay]) -> ComparedWay | None:
    """The compared way of traffic on which the rules of a resource are; None if no such way
    changes.
    """
    for compared in ways:
        if phase_of(resource) in compared.way.former:
            return compared
    return None


def _enforcing_rules(resource: Resource, number: int) -> str:
    """A number of rules as text, such as `3 custom rules that block or challenge`."""
    does, do = "blocks or challenges", "block or challenge"
    if resource.traffic == "packet":  # which are not challenged
        does, do = "blocks", "block"
    return plural(number, f"{resource.title} that {does}", f"{resource.titles} that {do}")


def _active_rules(resource: Resource, state: State) -> list[ZoneRule]:
    """The active rules of a resource, in the order in which traffic meets them."""
    return [rule for rule in rules_in_force(state, resource) if rule.active]


def _weakened_rules(resource: Resource, way: ComparedWay, change: Change) -> list[WeakenedRule]:
    """The rules of a resource that no longer stop any of the traffic that they decide about. If the
    traffic cannot be compared: the rules that no longer block or challenge.
    """
    rules = _active_rules(resource, change.before.state)
    after = rules_in_force(change.after.state, resource)
    try:
        lost_rules = rules_without_effect(way).get(phase_of(resource), ())
    except Unread:
        return [*_compared_one_by_one(rules, after)]
    planned = {rule.key: rule for rule in after}
    weakened: list[WeakenedRule] = []
    for place, routing in lost_rules:
        rule = rules[place]
        outcome = _outcome(rule, planned.get(rule.key))
        weakened.append(
            WeakenedRule(rule, f"{outcome} with {routing} routing" if routing else outcome)
        )
    return weakened


def _compared_one_by_one(
    rules: Iterable[ZoneRule], after: Sequence[ZoneRule]
) -> Iterator[WeakenedRule]:
    """The rules that blocked or challenged and no longer do, unless another rule with the same
    expression does.
    """
    planned = {rule.key: rule for rule in after}
    enforced = {rule.expression for rule in after if rule.enforces}
    for rule in rules:
        becomes = planned.get(rule.key)
        enforces_still = becomes is not None and becomes.enforces
        if rule.enforces and not enforces_still and rule.expression not in enforced:
            yield WeakenedRule(rule, _outcome(rule, becomes))


def _outcome(rule: ZoneRule, becomes: ZoneRule | None) -> str:
    """A clause on what becomes of a rule that no longer stops anything; `becomes` is the rule
    afterwards, None if it is removed.
    """
    if becomes is None:
        return "removed"
    if not becomes.active:
        return "disabled"
    if not becomes.enforces:
        return f"turned into {becomes.action}"
    if becomes.expression == rule.expression:
        return "not met any more"
    if matches_nothing(becomes.expression):
        return "matching nothing"
    return "matching other traffic"


def _others_that_decide(
    resource: Resource, way: ComparedWay, change: Change, weakened: Sequence[WeakenedRule]
) -> int:
    """The number of rules that block or challenge and are not `weakened`. Rules that decide about
    no traffic before and after do not count, unless there are too many rules to examine.
    """
    weakened_keys = {rule.key for rule, _outcome in weakened}
    rules = _active_rules(resource, change.before.state)
    others = {rule.key for rule in rules if rule.enforces and rule.key not in weakened_keys}
    if len(others) > MOST_LOOKED_AT:
        return len(others)
    deciding: set[Key] = set()
    for is_latter, state in enumerate((change.before.state, change.after.state)):
        for place, rule in enumerate(_active_rules(resource, state)):
            is_other = rule.enforces and rule.key in others - deciding
            if is_other and decides_about_traffic(way, bool(is_latter), phase_of(resource), place):
                deciding.add(rule.key)
    return len(deciding)

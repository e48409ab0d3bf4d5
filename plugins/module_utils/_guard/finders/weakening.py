# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk that a good part of the rules stops nothing any more of the traffic that each decides
about. If the routing of an account decides which packets meet a rule, the rules are counted for
each kind of it."""

from __future__ import annotations

from typing import Collection, Iterable, Iterator, Mapping, NamedTuple, Sequence

from ..._protection.losses import matches_nothing
from ..._protection.rules_in_force import rules_in_force
from ..._protection.steps import StateSteps
from ..._protection.ways import ComparedWay
from ..._protection.weakened_rules import (
    ANY_ROUTING,
    deciding_routings,
    kinds_of_routing,
    rules_without_effect,
)
from ..._protection.zone_rule import ZoneRule
from ..._schema.resource import Key, Resource, State
from ..._schema.rulesets import phase_of
from ..._text import Unread, first_few, plural, sentence
from ..finding import Entry, FinderAnswer
from .base import Change

FEWEST_WEAKENED = 3
MOST_LOOKED_AT = 50  # rules of which it is looked at whether traffic meets them


class WeakenedRule(NamedTuple):
    """A rule that no longer stops any traffic in these kinds of routing, and what becomes of it."""

    rule: ZoneRule
    outcome: str
    routings: Collection[str] = (ANY_ROUTING,)

    def is_lost_in(self, routing: str) -> bool:
        """Return whether the rule no longer stops any traffic in this kind of routing."""
        return routing in self.routings or ANY_ROUTING in self.routings


class WeakenedShare(NamedTuple):
    """The rules that no longer stop any traffic, and the number of all rules that decide."""

    rules: Sequence[WeakenedRule]
    whole: int

    def exceeds(self, most: float) -> bool:
        """Return whether these are more than `most` percent, and either some or all rules."""
        number = len(self.rules)
        is_mass = number >= FEWEST_WEAKENED or number == self.whole
        return is_mass and number * 100 > self.whole * most


def weakening(change: Change, resources: Iterable[Resource], most: float) -> FinderAnswer:
    """The risk that more than `most` percent of the rules of a resource no longer stop any
    traffic.
    """
    reasons: list[str] = []
    entries: dict[tuple[str, Key], Entry] = {}
    steps = StateSteps(change.before.state)
    for resource in filter(steps.has, resources):
        way = _way_through(resource, change.traffic.ways if change.traffic else ())
        shares = _shares_by_routing(resource, way, change) if way else {}
        for routing, share in shares.items():
            if share.exceeds(most):
                clause = _clause_on_share(resource, share, routing)
                reasons.append(f"{clause}, which is more than {most} %")
                for rule in (weakened.rule for weakened in share.rules):
                    entries[resource.plural, rule.key] = Entry(resource, rule.key, rule.entry)
    return (sentence("; ".join(reasons)), [], [*entries.values()]) if reasons else None


def _shares_by_routing(
    resource: Resource, way: ComparedWay, change: Change
) -> dict[str, WeakenedShare]:
    """The weakened rules of a resource for each kind of routing; under ANY_ROUTING if they are the
    same in all kinds."""
    weakened = _weakened_rules(resource, way, change)
    if not weakened:
        return {}
    routings = kinds_of_routing(way)
    deciding = _routings_of_deciding_rules(resource, way, change, weakened)
    shares: dict[str, WeakenedShare] = {}
    for routing in routings:
        lost = [rule for rule in weakened if rule.is_lost_in(routing)]
        lost_keys = {weakened_rule.rule.key for weakened_rule in lost}
        deciding_keys = {key for key, kinds in deciding.items() if routing in kinds}
        shares[routing] = WeakenedShare(lost, len(lost) + len(deciding_keys - lost_keys))
    if all(share == shares[routings[0]] for share in shares.values()):
        return {ANY_ROUTING: shares[routings[0]]}
    return shares


def _clause_on_share(resource: Resource, share: WeakenedShare, routing: str) -> str:
    """A clause on the weakened rules of a resource."""
    labels = first_few(f"{weakened.rule.title} {weakened.outcome}" for weakened in share.rules)
    condition = f" with {routing} routing" if routing else ""
    enforcing = _enforcing_rules(resource, share.whole)
    return f"{len(share.rules)} of {enforcing} would no longer do so{condition} ({labels})"


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
    for place, routings in lost_rules:
        rule = rules[place]
        outcome = _outcome(rule, planned.get(rule.key))
        weakened.append(WeakenedRule(rule, outcome, routings))
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


def _routings_of_deciding_rules(
    resource: Resource, way: ComparedWay, change: Change, weakened: Sequence[WeakenedRule]
) -> Mapping[Key, Collection[str]]:
    """The kinds of routing in which each rule that blocks or challenges decides about traffic,
    before or after the plan, by the keys of the rules; all kinds if there are too many rules to
    examine. Rules that are `weakened` in all kinds are left out.
    """
    routings = kinds_of_routing(way)
    rules = _active_rules(resource, change.before.state)
    deciding: dict[Key, set[str]] = {rule.key: set() for rule in rules if rule.enforces}
    for weakened_rule in weakened:
        if all(map(weakened_rule.is_lost_in, routings)):
            deciding.pop(weakened_rule.rule.key, None)
    if len(deciding) > MOST_LOOKED_AT:
        return dict.fromkeys(deciding, routings)
    for is_latter, state in enumerate((change.before.state, change.after.state)):
        for place, rule in enumerate(_active_rules(resource, state)):
            decided = deciding.get(rule.key)
            if rule.enforces and decided is not None and len(decided) < len(routings):
                decided.update(deciding_routings(way, bool(is_latter), phase_of(resource), place))
    return deciding

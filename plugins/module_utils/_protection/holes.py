# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules beside described ones by which traffic passes that the described rules stop.

A rule is a hole if it makes that difference in the state as it is, and also by itself: a skip
behind a rule that blocks the same requests lets nothing pass, and a log rule is not blamed for the
skip behind it.
"""

from __future__ import annotations

from typing import AbstractSet, Iterable, Iterator, NamedTuple

from .._plan.rollout import Target
from .._schema.custom_rules import CUSTOM_RULES_OF_ACCOUNT
from .._schema.rate_limits import RATE_LIMIT_RULES, limit_of
from .._schema.registry import EVALUATION
from .._schema.resource import Resource, State
from .described_traffic import MAY_PASS, opening_sources
from .difference import traffic_difference
from .losses import objects_among, rule_losses
from .modes import Loss
from .rules_in_force import SUFFIX_OF_ACCOUNT, listed, rules_in_force
from .steps import BLOCK, source_of
from .traffic_changes import Source, TrafficChanges
from .zone_rule import ZoneRule

MOST_ALONE = 50  # objects of which each is compared by itself


class Hole(NamedTuple):
    """A rule that no task names, in the list of `resource`, and the protection that it takes
    away."""

    resource: Resource
    rule: ZoneRule
    loss: Loss


def holes(described: State, existing: State, traffic: AbstractSet[str]) -> Iterator[Hole]:
    """The rules of an `existing` state that weaken those of a `described` one, which has a part of
    its rules. Only rules for these kinds of traffic, `request` or `packet`, are looked at."""
    resources = [resource for resource in EVALUATION if resource.traffic in traffic]
    beside = [*_rules_that_may_weaken(resources, described, existing)]
    if not beside:
        return
    worded = _losses_by_rule(resources, described, existing)
    comparison = _Comparison(described, existing, beside)
    for resource, rule in beside:
        loss = worded.get((resource.plural, rule.key))
        if not (loss and _is_beyond_walks(rule, described)):
            loss = comparison.loss(resource, rule, loss)
        if loss:
            yield Hole(resource, rule, loss)


def _rules_that_may_weaken(
    resources: Iterable[Resource], described: State, existing: State
) -> Iterator[tuple[Resource, ZoneRule]]:
    """The active rules that only the existing state has, without those that block or log."""
    for resource in resources:
        keys = {rule.key for rule in rules_in_force(described, resource)}
        for rule in rules_in_force(existing, resource):
            is_softer = rule.enforces and rule.action != BLOCK
            may_weaken = rule.lets_pass or is_softer or rule.doubts
            if rule.active and may_weaken and rule.key not in keys:
                yield resource, rule


def _losses_by_rule(
    resources: Iterable[Resource], described: State, existing: State
) -> dict[Target, Loss]:
    """The losses that rules beside the described ones would cause without other rules in front of
    them, by the collection and key of the rule."""
    losses: dict[Target, Loss] = {}
    for resource in resources:
        described_rules = rules_in_force(described, resource)
        existing_rules = rules_in_force(existing, resource)
        for loss in rule_losses(resource, described_rules, existing_rules, described):
            losses[resource.plural, loss.key] = loss
    return losses


def _is_beyond_walks(rule: ZoneRule, described: State) -> bool:
    """Return whether a walk does not show what a rule may let pass: a rule of a known action with a
    field that is not understood, or a skip of limits that count requests which they do not
    limit."""
    if rule.conditions and not rule.unknown:
        return True
    limits = map(limit_of, described.get(RATE_LIMIT_RULES.plural) or ())
    return rule.lets_pass and any(limit.get("counting_expression") for limit in limits)


class _Comparison:
    """The traffic of a described state, of an existing one, and of the described one with one
    object more."""

    def __init__(
        self, described: State, existing: State, beside: Iterable[tuple[Resource, ZoneRule]]
    ) -> None:
        self._described, self._existing = described, existing
        self._together = traffic_difference(described, existing)
        opening = {*opening_sources(self._together)}
        objects = {
            _object_of(resource, rule, existing)
            for resource, rule in beside
            if source_of(resource, rule) in opening
        }
        self._opening, self._compares_each = opening, len(objects) <= MOST_ALONE
        self._alone: dict[Target | None, TrafficChanges] = {}

    def loss(self, resource: Resource, rule: ZoneRule, worded: Loss | None) -> Loss | None:
        """The loss by a rule, in the words of `worded` if it is given; None if no traffic passes by
        the rule."""
        source = source_of(resource, rule)
        if source not in self._opening:
            return None
        changes = self._changes_by(_object_of(resource, rule, self._existing))
        if source not in {*opening_sources(changes)}:
            return None
        if worded:
            return worded
        reason, certain = opened_in_words(_by_object(changes, source))
        return Loss(resource, rule.key, rule.entry, reason, certain)

    def _changes_by(self, target: Target | None) -> TrafficChanges:
        """The changes of traffic from the described state to the one that has this object, too."""
        if target is None or not self._compares_each:
            return self._together
        if target not in self._alone:
            state = _with_object(self._described, self._existing, target)
            self._alone[target] = traffic_difference(self._described, state)
        return self._alone[target]


def opened_in_words(changes: TrafficChanges) -> tuple[str, bool]:
    """A predicate on the traffic that passes after these changes, and whether that is certain."""
    if changes.passes:
        worst = max(changes.passes, key=lambda change: change.certain)
        return worst.predicate, worst.certain
    reasons = [f", since {reason}" for reason in changes.unknown]
    return f"{MAY_PASS}{''.join(reasons[:1])}", False


def _by_object(changes: TrafficChanges, source: Source) -> TrafficChanges:
    """The part of these changes that is due to one object."""
    return TrafficChanges(
        [change for change in changes.passes if source in change.sources],
        [change for change in changes.stopped if source in change.sources],
        [part for part in changes.not_compared if source in part.sources],
    )


def _object_of(resource: Resource, rule: ZoneRule, state: State) -> Target | None:
    """The object by which a rule is in force: the rule itself, or the rule that executes its
    ruleset. None if it is not part of the state."""
    if not rule.of_account:
        collection, obj = listed(resource, rule)
        return collection.plural, collection.key_of(obj)
    label = str(rule.key[-1])[: -len(SUFFIX_OF_ACCOUNT)]
    collection = CUSTOM_RULES_OF_ACCOUNT
    for obj in state.get(collection.plural) or ():
        if collection.label_of(obj) == label:
            return collection.plural, collection.key_of(obj)
    return None


def _with_object(described: State, existing: State, target: Target) -> State:
    """The described state with one more object of the existing state, in its place there."""
    plural, key = target
    (resource,) = [
        resource for resource in (*EVALUATION, CUSTOM_RULES_OF_ACCOUNT) if resource.plural == plural
    ]
    keys = {key, *map(resource.key_of, described.get(plural) or ())}
    return {**described, plural: objects_among(resource, existing[plural], keys)}

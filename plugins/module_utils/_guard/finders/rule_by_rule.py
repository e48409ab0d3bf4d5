# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of one resource that let more traffic pass than before, compared rule by rule, if no
other rule makes up for that.
"""

from __future__ import annotations

from typing import Iterator, Mapping, Sequence

from ..._protection.losses import (
    ENABLED,
    NARROWED,
    REMOVED,
    SOFTENED,
    TURNED,
    TURNED_OFF,
    idle_among,
    matches_nothing,
    rule_loss,
    rule_losses,
    skips_deployments_alone,
)
from ..._protection.modes import Loss
from ..._protection.zone_rule import ZoneRule
from ..._schema.resource import Key, Resource
from ..._text import capitalised, first_few
from ..finding import Entry, FinderAnswer
from .base import Change
from .changed_rules import Rules, rules_with_changes

OUTCOMES = {
    ENABLED: "enabled",
    REMOVED: "removed",
    TURNED_OFF: "disabled",
    TURNED: "turned into {}",
    SOFTENED: "turned into {}",
    NARROWED: "matching no request",
}


def losses_of(change: Change, resource: Resource) -> FinderAnswer:
    """The risk that rules of this resource let more traffic pass, and no other rule makes up for
    that.
    """
    reasons: list[str] = []
    entries: list[Entry] = []
    for rules in rules_with_changes(change, [resource]):
        existing = {rule.key: rule for rule in rules.before}
        planned = {rule.key: rule for rule in rules.after}
        idle_keys = {rule.key for rule in idle_among(rules.after)}
        for loss, rule in _losses_with_rules(rules, existing, planned):
            is_idle = rule.key in idle_keys
            if rule.enforces:
                is_idle = matches_nothing(rule.expression)
            if loss.how == SOFTENED or is_idle or _is_made_up_for(rules, rule):
                continue
            outcome = _outcome_of_loss(loss, resource, planned.get(rule.key))
            reasons.append(f"{resource.title} {rule.title} {outcome}")
            entries.append(Entry(resource, rule.key, rule.entry))
    if not reasons:
        return None
    message = f"{capitalised(first_few(reasons))}: more {resource.traffic}s may pass than now."
    return message, [], entries


def _outcome_of_loss(loss: Loss, resource: Resource, planned: ZoneRule | None) -> str:
    """A clause on what becomes of a rule that lets more traffic pass; `planned` is the rule
    afterwards, None if it is removed.
    """
    if loss.how == NARROWED:
        verb = "matches" if loss.certain else "may match"
        return f"{verb} fewer {resource.traffic}s"
    action = planned.action if planned else ""
    outcome = OUTCOMES.get(loss.how, loss.reason)
    return outcome.replace("{}", action)


def _losses_with_rules(
    rules: Rules, existing: Mapping[Key, ZoneRule], planned: Mapping[Key, ZoneRule]
) -> Iterator[tuple[Loss, ZoneRule]]:
    """The losses, each with the rule that causes it. A rule that becomes an exception counts as
    new, for its effect on the rules behind it.
    """
    resource = rules.resource
    turned = _turned_into_exceptions(existing, planned)
    for loss in rule_losses(resource, rules.before, rules.after):
        key = loss.key
        if key not in turned or existing[key].enforces:
            yield loss, existing.get(key) or planned[key]
    if not turned:
        return
    before = [rule for rule in rules.before if rule.key not in turned]
    for loss in rule_losses(resource, before, rules.after):
        if loss.key in turned:
            yield loss, planned[loss.key]


def _turned_into_exceptions(
    existing: Mapping[Key, ZoneRule], planned: Mapping[Key, ZoneRule]
) -> set[Key]:
    turned = set()
    for key, rule in planned.items():
        was = existing.get(key)
        if was is not None and rule.lets_pass and not was.lets_pass:
            turned.add(key)
    return turned


def _is_made_up_for(rules: Rules, rule: ZoneRule) -> bool:
    """Return whether another rule stops all traffic that a rule stopped, with no further exception
    in front of it. If the rule is an exception: whether rules that are not skipped by the exception
    stop all traffic that the skipped rules stopped.
    """
    passed: set[Key] = set()
    lost = [rule]
    if rule.lets_pass:
        place = [planned.key for planned in rules.after].index(rule.key)
        exception = rules.after[place]
        passed = {planned.key for planned in rules.after[place:] if exception.takes_past(planned)}
        lost = [
            existing for existing in rules.before if existing.key in passed and existing.enforces
        ]
        if not lost or not skips_deployments_alone(exception):
            return False
    enforcing = [
        planned for planned in rules.after if planned.enforces and planned.key not in passed
    ]
    return all(_is_replaced(rules, lost_rule, enforcing) for lost_rule in lost)


def _is_replaced(rules: Rules, lost: ZoneRule, enforcing: Sequence[ZoneRule]) -> bool:
    """Return whether one of the `enforcing` rules stops all traffic that the rule `lost` stopped,
    with no further exception in front of it.
    """
    if not lost.enforces:
        return False
    exceptions_before = _exceptions(rules.before, lost)
    for substitute in enforcing:
        if rule_loss(rules.resource, lost, substitute):
            continue
        if _exceptions(rules.after, substitute) <= exceptions_before:
            return True
    return False


def _exceptions(rules: Sequence[ZoneRule], rule: ZoneRule) -> set[Key]:
    """The keys of the exceptions in front of a rule by which traffic skips the rule."""
    earlier = rules[: rules.index(rule)]
    return {exception.key for exception in earlier if exception.takes_past(rule)}

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of rules that requests or packets meet in an order: those of a zone and of an account's
Network Firewall, and overrides of managed DDoS rules.

That every request or packet matches an expression is proven, or it is none of these risks. The
vendor describes the actions on its pages "Actions" (Firewall Rules) and "Custom rules: available
skip options".
"""

from __future__ import annotations

from itertools import chain
from typing import AbstractSet, Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence

from ..._protection.losses import (
    ENABLED,
    NARROWED,
    REMOVED,
    SOFTENED,
    TURNED,
    TURNED_OFF,
    idle_among,
    matches_nothing,
    overtaken,
    rule_loss,
    rule_losses,
    skips_deployments_alone,
)
from ..._protection.modes import Loss
from ..._protection.ordinary_traffic import WideRule, rules_matching_all_traffic, width
from ..._protection.overrides import DOUBTED, GONE
from ..._protection.rules_in_force import ZoneRule, contents_in, rules_in_force, spelt_out
from ..._protection.traffic_changes import TrafficChange, TrafficChanges
from ..._protection.walk import COUNTED, STOPPED, UNKNOWN
from ..._schema.ddos_overrides import L4_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT
from ..._schema.managed_rules import MANAGED_RULES
from ..._schema.rate_limits import RATE_LIMIT_RULES
from ..._schema.registry import BY_NAME, DDOS_OVERRIDES, DECIDING, evaluated_as
from ..._schema.resource import Key, Resource, State
from ..._text import capitalised, first_few, sentence
from ..._values.address_set import EVERYTHING, Range, networks, union
from ..finding import Entry, FinderAnswer, entries_of
from ..risks.declaration import Limits
from ..risks.rules import (
    BLOCKS_EVERYTHING,
    BLOCKS_TRAFFIC,
    DECIDING_ON_PACKETS,
    DECIDING_ON_REQUESTS,
    MAX_WEAKENED,
    MAY_PASS_TRAFFIC,
    PASSES_TRAFFIC,
    SKIPS_EVERYTHING,
    WEAKENS_DDOS_RULES,
    WEAKENS_MANAGED_RULES,
    WEAKENS_NETWORK_FIREWALL,
    WEAKENS_RATE_LIMITS,
    WEAKENS_ZONE,
)
from .base import Change, by_risk, finds
from .overriding import blocking_overrides
from .weakening import weakening

BLOCK = "block"  # the strictest of the actions that enforce


class Rules(NamedTuple):
    """The rules of one resource before and after a plan, in the order in which traffic meets them,
    with the addresses of lists filled in; `same` are the keys of rules whose text does not change.
    """

    resource: Resource
    before: Sequence[ZoneRule]
    after: Sequence[ZoneRule]
    same: AbstractSet[Key]


def _rules_with_changes(change: Change, resources: Iterable[Resource]) -> Iterator[Rules]:
    """The rules of each of these resources that a plan changes, directly or by the contents of
    lists.
    """
    before, after = change.before.state, change.after.state
    changed = {evaluated_as(resource).plural for resource in change.plan.resources.values()}
    lists_before, lists_after = contents_in(before), contents_in(after)
    if lists_before != lists_after:
        changed.update(before)
    for resource in resources:
        if resource.plural in changed:
            rules_before = rules_in_force(before, resource)
            rules_after = rules_in_force(after, resource)
            yield Rules(
                resource,
                before=[spelt_out(rule, lists_before) for rule in rules_before],
                after=[spelt_out(rule, lists_after) for rule in rules_after],
                same=_keys_with_same_text(rules_before, rules_after),
            )


def _keys_with_same_text(before: Iterable[ZoneRule], after: Iterable[ZoneRule]) -> frozenset[Key]:
    texts_before = {(rule.key, rule.expression) for rule in before}
    return frozenset(rule.key for rule in after if (rule.key, rule.expression) in texts_before)


@finds(WEAKENS_ZONE)
def weakens_zone(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that a large part of the rules that block or challenge requests no longer do so."""
    return weakening(change, DECIDING_ON_REQUESTS, limits[MAX_WEAKENED])


@finds(WEAKENS_NETWORK_FIREWALL)
def weakens_network_firewall(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that a large part of the rules that block packets no longer do so."""
    return weakening(change, DECIDING_ON_PACKETS, limits[MAX_WEAKENED])


OUTCOMES = {
    ENABLED: "enabled",
    REMOVED: "removed",
    TURNED_OFF: "disabled",
    TURNED: "turned into {}",
    SOFTENED: "turned into {}",
    NARROWED: "matching no request",
}


@finds(SKIPS_EVERYTHING)
def skips_everything(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that a rule newly makes all plain traffic skip later rules or products."""
    traffic = _traffic_of(change)
    if traffic is not None and traffic.known and not traffic.passes:
        return None  # other rules skipped as much, or nothing stands behind

    def grown(was: ZoneRule, becomes: ZoneRule, overtaken_rules: Sequence[ZoneRule]) -> str:
        if not becomes.skips <= was.skips:
            return "skips more"
        return "moved to an earlier place" if overtaken_rules else ""

    return _concerning_everything(change, enforces=False, grown=grown)


@finds(BLOCKS_EVERYTHING)
def blocks_everything(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that a rule newly blocks or challenges all plain traffic, or that overrides newly
    set all managed rules, or all of a category, to block for all plain traffic.
    """
    by_overrides = blocking_overrides(change)
    if by_overrides is not None:
        return by_overrides
    traffic = _traffic_of(change)
    if traffic is not None and traffic.known and not traffic.stopped:
        return None  # other rules stop it today

    def grown(was: ZoneRule, becomes: ZoneRule, overtaken_rules: Sequence[ZoneRule]) -> str:
        if becomes.action == BLOCK != was.action:
            return f"turned from {was.action} into block"
        passes = any(rule.lets_pass and rule.terminates for rule in overtaken_rules)
        return "moved before a rule that lets requests pass" if passes else ""

    return _concerning_everything(change, enforces=True, grown=grown)


# Says why a rule does more than before; takes it before and after, and the active rules that it
# moves before.
Grown = Callable[[ZoneRule, ZoneRule, Sequence[ZoneRule]], str]


def _concerning_everything(change: Change, enforces: bool, grown: Grown) -> FinderAnswer:
    """The risk of rules that all plain traffic matches and reaches, and that newly do so or do
    more; `grown` returns why a rule that already did so before does more.
    """
    reasons: dict[str, list[str]] = {}
    entries: list[Entry] = []
    for rules in _rules_with_changes(change, DECIDING):
        resource = rules.resource
        comparison = WideRules.compared(rules, change.after.state, enforces)
        for wide in comparison.after:
            reason = comparison.reason(wide, grown)
            if not reason:
                continue
            outcome = _outcome_of(wide.rule) if enforces else "skip what it skips"
            clause = f"{resource.title} {wide.rule.title} ({reason})"
            if wide.helpers:
                helpers = first_few(helper.title for helper in wide.helpers)
                clause += f" together with {helpers}"
            matches = f"{wide.traffic} matches, and would {outcome}"
            reasons.setdefault(matches, []).append(clause)
            entries.append(Entry(resource, wide.rule.key, wide.rule.entry))
    clauses = [f"{first_few(labels)}: {outcome}" for outcome, labels in reasons.items()]
    return (sentence("; ".join(clauses)), [], entries) if clauses else None


def _outcome_of(rule: ZoneRule) -> str:
    return f"be {'blocked' if rule.action == BLOCK else 'challenged'} by it"


class WideRules(NamedTuple):
    """The rules of one resource that all plain traffic matches and reaches, either those that
    enforce or those that do not: `after` a plan, and `before` it by their keys.
    """

    rules: Rules
    state: State
    after: Sequence[WideRule]
    before: Mapping[Key, WideRule]
    shared_before: Sequence[str]

    @classmethod
    def compared(cls, rules: Rules, state: State, enforces: bool) -> WideRules:
        """The wide rules before and after a plan, both found with the names and lists of `state`;
        `enforces` selects rules that enforce, or those that do not.
        """
        resource = rules.resource
        all_after = rules_matching_all_traffic(resource, rules.after, state)
        after = [wide for wide in all_after if wide.rule.enforces is enforces]
        before = rules_matching_all_traffic(resource, rules.before, state) if after else []
        by_key: dict[Key, WideRule] = {}
        shared: list[str] = []
        for wide in before:
            rule = wide.rule
            if rule.enforces is enforces:
                by_key[rule.key] = wide
            if wide.helpers:
                shared.append(wide.traffic)
        return cls(rules, state, after, by_key, shared)

    def reason(self, wide: WideRule, grown: Grown) -> str:
        """The reason why a rule does more to all plain traffic than before; empty if it does
        not.
        """
        rule, helpers = wide.rule, wide.helpers
        rules_before = self.rules.before
        existing = {rule_before.key: rule_before for rule_before in rules_before}
        was = existing.get(rule.key)
        wide_before = self.before.get(rule.key)
        if was and wide_before is not None:
            is_unchanged = rule == was and not helpers
            if not is_unchanged or not wide_before.helpers:
                return self._reason_of_wider(was, rule, grown)
        changed = [helper for helper in helpers if helper != existing.get(helper.key)]
        decides_as_before = _decides_as(was, rule)
        if decides_as_before and (changed or _stops_no_more(rule, rules_before)):
            return ""
        if helpers and wide.traffic in self.shared_before:
            return ""
        is_same = rule.key in self.rules.same
        return _new(was, rule, is_same)

    def _reason_of_wider(self, was: ZoneRule, rule: ZoneRule, grown: Grown) -> str:
        """The reason why a rule that was already wide before does more now; empty if it does not.
        `was` and `rule` are the rule before and after.
        """
        active_before = [existing for existing in self.rules.before if existing.active]
        active_after = [planned for planned in self.rules.after if planned.active]
        passed = overtaken(rule.key, active_before, active_after)
        reason = grown(was, rule, passed) or _freed(was, rule)
        if reason:
            return reason
        newly_matched = rule.expression.without(was.expression)
        difference = rule._replace(expression=newly_matched)
        if width(self.rules.resource, difference, self.state):
            return _widened(rule.key in self.rules.same)
        return ""


def _decides_as(was: ZoneRule | None, rule: ZoneRule) -> bool:
    """True if the rule `was`, which becomes `rule`, changes at most in its texts; False if `was` is
    None (the rule is new).
    """
    if was is None:
        return False
    return was._replace(title=rule.title, entry=rule.entry, obj=rule.obj) == rule


def _stops_no_more(rule: ZoneRule, before: Sequence[ZoneRule]) -> bool:
    """Return whether a rule stops nothing new: every rule in front of it that ends the evaluation
    stops traffic as strictly. `before` are the existing rules, which include this one.
    """
    if not rule.enforces:
        return False
    place = [rule_before.key for rule_before in before].index(rule.key)
    for earlier in before[:place]:
        stops_as_much = earlier.enforces and earlier.action in (BLOCK, rule.action)
        if earlier.terminates and not stops_as_much:
            return False
    return True


def _new(was: ZoneRule | None, becomes: ZoneRule, is_same: bool) -> str:
    """The reason why a rule newly affects plain traffic; `was` and `becomes` are the rule before
    and after, `is_same` says that its text is the same.
    """
    if was is None:
        return "new"
    if not was.active:
        return "enabled"
    if was.action != becomes.action:
        return f"turned from {was.action} into {becomes.action}"
    if was.expression != becomes.expression:
        return _widened(is_same)
    return "no longer behind a rule that ends the evaluation"


def _freed(was: ZoneRule, becomes: ZoneRule) -> str:
    """A clause on the conditions that the rule `was` has and `becomes` lacks; empty if there are
    none.
    """
    fields = [f"the field {name}" for name in was.conditions if name not in becomes.conditions]
    return f"no longer limited by {first_few(fields)}" if fields else ""


def _widened(is_same: bool) -> str:
    return "widened by a list" if is_same else "widened"


@finds(BLOCKS_TRAFFIC)
def blocks_traffic(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that requests which pass today are blocked or challenged."""
    return change.backtest


@finds(PASSES_TRAFFIC)
def passes_traffic(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that traffic passes which is blocked or challenged today."""
    traffic = _traffic_of(change)
    if limits[MAY_PASS_TRAFFIC] or traffic is None:
        return None
    passing = [passed for passed in traffic.passes if passed.family in (STOPPED, UNKNOWN)]
    return _passing(change, passing, traffic.unknown)


@finds(WEAKENS_DDOS_RULES)
def weakens_ddos_rules(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that managed DDoS rules let a larger part of an attack pass."""
    reasons: list[str] = []
    entries: list[Entry] = []
    ranges: list[Range] = []
    for resource in DDOS_OVERRIDES:
        losses = [loss for loss in change.losses(resource) if loss.how != DOUBTED]
        for loss in losses:
            reasons.append(_clause(loss))
            overrides = _overrides_changed(change, loss)
            entries += [override for override in overrides if override not in entries]
            if resource is L4_OVERRIDES:
                ranges += loss.ranges
    if not reasons:
        return None
    message = f"{capitalised(first_few(reasons))}: an attack may pass that is stopped now."
    return message, union(ranges), entries


def _overrides_changed(change: Change, loss: Loss) -> list[Entry]:
    """The changed overrides that cause a loss; if it is not known which ones do, all that
    change.
    """
    operations = change.plan.operations
    changed = {operation.key for operation in operations}
    deciding = loss.deciding_before
    if loss.key in changed:
        deciding = [(loss.key, loss.label)]
    entries = [Entry(loss.resource, key, label) for key, label in deciding if key in changed]
    return entries or entries_of(operations)


def _clause(loss: Loss) -> str:
    subject = f"{loss.resource.title} {loss.label} {loss.reason}"
    if loss.resource is L7_OVERRIDES_OF_ACCOUNT:
        return (
            f"{subject}, {'hidden by' if loss.how == GONE else 'in force without'} one of the zone"
        )
    if loss.resource is not L4_OVERRIDES or not loss.ranges:
        return subject
    ranges = list(loss.ranges)
    if ranges == EVERYTHING:
        return f"{subject} and all destinations"
    return f"{subject} and {first_few(networks(ranges))}"


@finds(WEAKENS_RATE_LIMITS)
def weakens_rate_limits(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that rate limits let more requests pass."""
    traffic = _traffic_of(change)
    if traffic is None or not traffic.known:
        return _losses_of(change, RATE_LIMIT_RULES)
    passing = [passed for passed in traffic.passes if passed.family == COUNTED]
    strict = [passed for passed in passing if not passed.is_softer]
    if not strict:
        return None
    skipped = [passed for passed in strict if not _names(passed, RATE_LIMIT_RULES)]
    return _losses_of(change, RATE_LIMIT_RULES) or _passing(change, skipped)


def _names(passed: TrafficChange, resource: Resource) -> bool:
    """Return whether a rule of this resource is among the reasons why traffic passes."""
    return any(source.resource == resource.name for source in passed.sources)


@finds(WEAKENS_MANAGED_RULES)
def weakens_managed_rules(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that managed rules stop fewer requests."""
    traffic = _traffic_of(change)
    is_known = traffic is not None and traffic.known and not _has_exceptions(change)
    if is_known and traffic is not None and not traffic.passes:
        return None
    return _losses_of(change, MANAGED_RULES)


def _traffic_of(change: Change) -> TrafficChanges | None:
    """The traffic that a plan treats differently; None for a task without rules."""
    return change.traffic.changes if change.traffic else None


def _has_exceptions(change: Change) -> bool:
    """Return whether there are exceptions from managed rules, before a plan or after it."""
    rules = chain.from_iterable(
        rules_in_force(side.state, MANAGED_RULES) for side in (change.before, change.after)
    )
    return any(rule.lets_pass for rule in rules)


def _passing(
    change: Change, passing: Sequence[TrafficChange], unknown: Iterable[str] = ()
) -> FinderAnswer:
    """The risk that some traffic passes, or that this is not known, for the reasons in `unknown`;
    None if there is neither.
    """
    reasons = [passed.sentence for passed in passing]
    reasons += [f"it is not known whether more passes ({reason})" for reason in unknown]
    if not reasons:
        return None
    sources = dict.fromkeys(chain.from_iterable(passed.sources for passed in passing))
    entries = [Entry(BY_NAME[one.resource], (one.key,), one.key) for one in sources]
    return f"{capitalised(first_few(reasons))}.", [], entries or entries_of(change.plan.operations)


def _losses_of(change: Change, resource: Resource) -> FinderAnswer:
    """The risk that rules of this resource let more traffic pass, and no other rule makes up for
    that.
    """
    reasons: list[str] = []
    entries: list[Entry] = []
    for rules in _rules_with_changes(change, [resource]):
        existing = {rule.key: rule for rule in rules.before}
        planned = {rule.key: rule for rule in rules.after}
        idle_keys = {rule.key for rule in idle_among(rules.after)}
        for loss, rule in _losses_by_rule(rules, existing, planned):
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


def _losses_by_rule(
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


RULE_FINDERS = by_risk(
    weakens_zone,
    skips_everything,
    blocks_everything,
    passes_traffic,
    weakens_network_firewall,
    weakens_ddos_rules,
    blocks_traffic,
    weakens_rate_limits,
    weakens_managed_rules,
)

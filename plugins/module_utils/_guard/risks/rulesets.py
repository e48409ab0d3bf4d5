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

from typing import AbstractSet, Callable, Iterator, Mapping, NamedTuple, Sequence

from ..._expressions.grammar import normalise_expression
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
from ..._protection.ordinary_traffic import rules_matching_all_traffic, width
from ..._protection.overrides import DOUBTED, GONE
from ..._protection.rules_in_force import ZoneRule, contents_in, rules_in_force, spelt_out
from ..._schema.custom_rules import CUSTOM_RULES
from ..._schema.ddos_overrides import L4_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT
from ..._schema.managed_rules import MANAGED_RULES
from ..._schema.rate_limits import RATE_LIMIT_RULES
from ..._schema.registry import DDOS_OVERRIDES, DECIDING, EVALUATION, evaluated_as
from ..._schema.resource import ACCOUNT_OWNER, ZONE_OWNER, Key, Resource
from ..._text import capitalised, first_few, plural, sentence
from ..._values.address_set import EVERYTHING, Range, networks, union
from .base import DELETION_RISKS, Change, Entry, Found, Limit, Limits, Risk, entries_of, risk

FEWEST_WEAKENED = 3
BLOCK = "block"  # the strictest of the actions that enforce
MAX_WEAKENED = Limit(
    "max_weakened_percent",
    30,
    100,
    (
        "The percentage of the rules that block or challenge above which it is a risk that they no"
        " longer do so.",
    ),
)


class Rules(NamedTuple):
    """The rules of one kind before and after a plan, in the order in which requests meet them, with
    the addresses of the lists that they refer to; `same` are those whose text does not change."""

    resource: Resource
    before: Sequence[ZoneRule]
    after: Sequence[ZoneRule]
    same: AbstractSet[Key]


def _deciding(change: Change, owner: str = "") -> Iterator[Rules]:
    """Those of the changed rules that decide by themselves, of an owner if one is named."""
    deciding = [resource for resource in DECIDING if owner in ("", resource.owner)]
    return (rules for rules in _changed_rules(change) if rules.resource in deciding)


def _changed_rules(change: Change) -> Iterator[Rules]:
    """The rules that a plan changes, or lists to which they refer."""
    states = (change.before.state, change.after.state)
    changed = {evaluated_as(one).plural for one in change.plan.resources.values()}
    lists = [contents_in(state) for state in states]
    if lists[0] != lists[1]:
        changed.update(states[0])
    for resource in EVALUATION:
        if resource.plural in changed:
            written = [rules_in_force(state, resource) for state in states]
            before, after = (
                [spelt_out(rule, contents) for rule in rules]
                for rules, contents in zip(written, lists)
            )
            texts = [{(rule.key, rule.expression) for rule in rules} for rules in written]
            same = frozenset(key for key, _expression in texts[0] & texts[1])
            yield Rules(resource, before, after, same)


@risk(
    "The plan would take enforcement from more than O(limits.max_weakened_percent) of the rules"
    " that block or challenge, and from at least three or all of them, by removing or disabling"
    " them or turning them into log or skip.",
    MAX_WEAKENED,
)
def weakens_zone(change: Change, limits: Limits) -> Found:
    """A good part of what blocks or challenges would do so no longer, or all of it."""
    return _weakening(change, limits, ZONE_OWNER.option)


@risk(
    "The plan would take enforcement from more than O(limits.max_weakened_percent) of the Network"
    " Firewall rules that block, and from at least three or all of them, by removing or disabling"
    " them or turning them into log or skip.",
    MAX_WEAKENED,
)
def weakens_network_firewall(change: Change, limits: Limits) -> Found:
    """A good part of what blocks packets would do so no longer, or all of it."""
    return _weakening(change, limits, ACCOUNT_OWNER.option)


def _weakening(change: Change, limits: Limits, owner: str) -> Found:
    most = limits[MAX_WEAKENED]
    reasons: list[str] = []
    entries: list[Entry] = []
    for rules in _deciding(change, owner):
        enforcing = [rule for rule in rules.before if rule.enforces]
        weakened = list(_weakened(rules.resource, enforcing, rules.after))
        if weakened:
            enforcing = [rule for rule in enforcing if not matches_nothing(rule.expression)]
        is_mass = len(weakened) >= FEWEST_WEAKENED or len(weakened) == len(enforcing)
        if not (weakened and is_mass and len(weakened) * 100 > len(enforcing) * most):
            continue
        title, titles = rules.resource.title, rules.resource.titles
        does, do = ("blocks or challenges", "block or challenge")
        if rules.resource.traffic == "packet":  # which are not challenged
            does, do = "blocks", "block"
        all_of_them = plural(len(enforcing), f"{title} that {does}", f"{titles} that {do}")
        named = first_few(f"{rule.title} {outcome}" for rule, outcome in weakened)
        clause = f"{len(weakened)} of {all_of_them} would no longer do so ({named})"
        reasons.append(f"{clause}, which is more than {most} %")
        entries += [Entry(rules.resource, rule.key, rule.entry) for rule, outcome in weakened]
    return (sentence("; ".join(reasons)), [], entries) if reasons else None


def _weakened(
    resource: Resource, enforcing: Sequence[ZoneRule], after: Sequence[ZoneRule]
) -> Iterator[tuple[ZoneRule, str]]:
    """The rules that enforce before and not after, each with what becomes of it.

    A rule is not weakened if another one, such as its successor with another key, enforces the same
    expression, or if no request matched it.
    """
    by_key = {rule.key: rule for rule in after}
    enforced = {normalise_expression(rule.expression) for rule in after if rule.enforces}
    for rule in enforcing:
        planned = by_key.get(rule.key)
        loss = rule_loss(resource, rule, planned)
        if not loss or normalise_expression(rule.expression) in enforced:
            continue
        is_idle = planned is not None and matches_nothing(planned.expression)
        if (loss.how not in (NARROWED, SOFTENED) or is_idle) and not matches_nothing(
            rule.expression
        ):
            yield rule, OUTCOMES[loss.how].format(planned.action if planned else "")


OUTCOMES = {
    ENABLED: "enabled",
    REMOVED: "removed",
    TURNED_OFF: "disabled",
    TURNED: "turned into {}",
    SOFTENED: "turned into {}",
    NARROWED: "matching no request",
}


@risk(
    "The plan would add, enable, widen or move to an earlier place a rule that skips, allows or"
    " bypasses, and that all plain traffic of a kind matches, such as every packet."
)
def skips_everything(change: Change, limits: Limits) -> Found:
    """A rule would take all plain traffic past what it skips."""

    def grown(was: ZoneRule, becomes: ZoneRule, passed: Sequence[ZoneRule]) -> str:
        if not becomes.skips <= was.skips:
            return "skips more"
        return "moved to an earlier place" if passed else ""

    return _concerning_everything(change, False, grown)


@risk(
    "The plan would add, enable or widen a rule that blocks or challenges, and that all plain"
    " traffic of a kind matches, such as every packet."
)
def blocks_everything(change: Change, limits: Limits) -> Found:
    """A rule would block or challenge all plain traffic."""

    def grown(was: ZoneRule, becomes: ZoneRule, passed: Sequence[ZoneRule]) -> str:
        if becomes.action == BLOCK != was.action:
            return f"turned from {was.action} into block"
        passes_one = any(rule.lets_pass and rule.terminates for rule in passed)
        return "moved before a rule that lets requests pass" if passes_one else ""

    return _concerning_everything(change, True, grown)


def _concerning_everything(
    change: Change, enforces: bool, grown: Callable[[ZoneRule, ZoneRule, Sequence[ZoneRule]], str]
) -> Found:
    """The risk of rules that all plain traffic matches and meets; `grown` says why one that did so
    before does more.

    `grown` takes the rule before and after, and the active rules that it moves before.
    """
    reasons: dict[str, list[str]] = {}
    entries: list[Entry] = []
    for rules in _deciding(change):
        state, resource = change.after.state, rules.resource
        met = rules_matching_all_traffic(resource, rules.after, state)
        after = [one for one in met if one[0].enforces is enforces]
        beforehand = rules_matching_all_traffic(resource, rules.before, state) if after else []
        before = {one.key: others for one, _what, others in beforehand if one.enforces is enforces}
        shared = [what for _rule, what, others in beforehand if others]
        existing = {rule.key: rule for rule in rules.before}
        active = [[one for one in side if one.active] for side in (rules.before, rules.after)]
        for rule, what, others in after:
            was, is_same = existing.get(rule.key), rule.key in rules.same
            if was and rule.key in before and (others or rule != was or not before[rule.key]):
                passed = overtaken(rule.key, *active)
                more = f"({rule.expression}) and not ({was.expression})"
                is_wider = width(resource, rule._replace(expression=more), state)
                reason = grown(was, rule, passed) or _freed(was, rule)
                reason = reason or (_widened(is_same) if is_wider else "")
            else:
                changed = [one for one in others if one != existing.get(one.key)]
                is_kept = _decides_as(was, rule) and (changed or _stops_no_more(rule, rules.before))
                is_known = is_kept or (others and what in shared)
                reason = "" if is_known else _new(was, rule, is_same)
            if reason:
                stopped = f"be {'blocked' if rule.action == BLOCK else 'challenged'} by it"
                outcome = stopped if enforces else "skip what it skips"
                beside = f" together with {first_few(one.title for one in others)}"
                clause = f"{resource.title} {rule.title} ({reason}){beside if others else ''}"
                reasons.setdefault(f"{what} matches, and would {outcome}", []).append(clause)
                entries.append(Entry(resource, rule.key, rule.entry))
    clauses = [f"{first_few(rules)}: {what}" for what, rules in reasons.items()]
    return (sentence("; ".join(clauses)), [], entries) if clauses else None


def _decides_as(was: ZoneRule | None, rule: ZoneRule) -> bool:
    """True if a plan changes nothing but the words of a rule."""
    if was is None:
        return False
    return was._replace(title=rule.title, entry=rule.entry, obj=rule.obj) == rule


def _stops_no_more(rule: ZoneRule, before: Sequence[ZoneRule]) -> bool:
    """True if a rule stands behind others that stop as much, and none that lets traffic pass."""
    front = before[: [one.key for one in before].index(rule.key)]
    stopping = [one for one in front if one.enforces and one.action in (BLOCK, rule.action)]
    return rule.enforces and all(one in stopping for one in front if one.terminates)


def _new(was: ZoneRule | None, becomes: ZoneRule, is_same: bool) -> str:
    """The reason for which a rule does to plain traffic what it did not before; `is_same` says that
    its text is the same."""
    if was is None:
        return "new"
    if not was.active:
        return "enabled"
    if was.action != becomes.action:
        return f"turned from {was.action} into {becomes.action}"
    if normalise_expression(was.expression) != normalise_expression(becomes.expression):
        return _widened(is_same)
    return "no longer behind a rule that ends the evaluation"


def _freed(was: ZoneRule, becomes: ZoneRule) -> str:
    """The conditions that a rule no longer has."""
    fields = [f"the field {name}" for name in was.conditions if name not in becomes.conditions]
    return f"no longer limited by {first_few(fields)}" if fields else ""


def _widened(is_same: bool) -> str:
    return "widened by a list" if is_same else "widened"


@risk(
    "The plan would newly block or challenge more of the past requests than O(backtest) allows, or"
    " it is not known how many. Undecided requests count as blocked."
)
def blocks_traffic(change: Change, limits: Limits) -> Found:
    """Requests that pass today would be blocked or challenged."""
    return change.backtest


ZONE_RULE_RISKS = (weakens_zone, skips_everything, blocks_everything)
NETWORK_FIREWALL_RISKS = (weakens_network_firewall, skips_everything, blocks_everything)


@risk(
    "The plan would set an override of managed DDoS rules to log, C(eoff) or a lower sensitivity"
    " than before, or to a challenge where it blocked, or for more traffic, or would have one that"
    " blocks or challenges decide no longer. A zone that has none has those of its account."
)
def weakens_ddos_rules(change: Change, limits: Limits) -> Found:
    """Managed DDoS rules would let more of an attack pass."""
    reasons: list[str] = []
    entries: list[Entry] = []
    ranges: list[Range] = []
    every = entries_of(change.plan.operations)
    changed = {item.key for item in change.plan.operations}
    for resource in DDOS_OVERRIDES:
        for loss in (one for one in change.losses(resource) if one.how != DOUBTED):
            reasons.append(_clause(loss))
            named = [(loss.key, loss.label)] if loss.key in changed else loss.others
            of_item = [Entry(resource, *one) for one in named if one[0] in changed]
            entries += [one for one in of_item or every if one not in entries]
            ranges += loss.ranges if resource is L4_OVERRIDES else []
    if not reasons:
        return None
    message = f"{capitalised(first_few(reasons))}: an attack may pass that is stopped now."
    return message, union(ranges), entries


def _clause(item: Loss) -> str:
    where = ""
    if item.resource is L7_OVERRIDES_OF_ACCOUNT:
        where = f", {'hidden by' if item.how == GONE else 'in force without'} one of the zone"
    if item.resource is L4_OVERRIDES and item.ranges:
        ranges = list(item.ranges)
        shown = first_few(networks(ranges))
        where = f" and {'all destinations' if ranges == EVERYTHING else shown}"
    return f"{item.resource.title} {item.label} {item.reason}{where}"


@risk(
    "The plan would remove, disable or narrow a rate limiting rule, turn it into log, or loosen it:"
    " more requests, a shorter period for the same number, a shorter timeout, or another way to"
    " count."
)
def weakens_rate_limits(change: Change, limits: Limits) -> Found:
    """Rate limits would let more requests pass."""
    return _losses_of(change, RATE_LIMIT_RULES)


@risk(
    "The plan would have managed rules stop fewer requests: by removing, disabling or narrowing"
    " what deploys them, by an override to a weaker action or off, or by an exception in front of"
    " them."
)
def weakens_managed_rules(change: Change, limits: Limits) -> Found:
    """Managed rules would stop fewer requests."""
    return _losses_of(change, MANAGED_RULES)


def _losses_of(change: Change, resource: Resource) -> Found:
    """The risk of rules that let more pass, if no other rule makes up for it."""
    reasons: list[str] = []
    entries: list[Entry] = []
    for rules in (item for item in _changed_rules(change) if item.resource is resource):
        existing, planned = (
            {rule.key: rule for rule in side} for side in (rules.before, rules.after)
        )
        idle = {rule.key for rule in idle_among(rules.after)}
        for loss, rule in _losses_by_rule(rules, existing, planned):
            is_idle = matches_nothing(rule.expression) if rule.enforces else rule.key in idle
            if loss.how == SOFTENED or is_idle or _is_made_up_for(rules, rule):
                continue
            narrowed = f"{'matches' if loss.certain else 'may match'} fewer {resource.traffic}s"
            outcome = {**OUTCOMES, NARROWED: narrowed}.get(loss.how, loss.reason)
            action = planned[rule.key].action if rule.key in planned else ""
            reasons.append(f"{resource.title} {rule.title} {outcome.replace('{}', action)}")
            entries.append(Entry(resource, rule.key, rule.entry))
    if not reasons:
        return None
    message = f"{capitalised(first_few(reasons))}: more {resource.traffic}s may pass than now."
    return message, [], entries


def _losses_by_rule(
    rules: Rules, existing: Mapping[Key, ZoneRule], planned: Mapping[Key, ZoneRule]
) -> Iterator[tuple[Loss, ZoneRule]]:
    """The losses, each with the rule by which it is one; a rule that becomes an exception is as a
    new one for what stands behind it."""
    turned = {
        key
        for key in planned.keys() & existing.keys()
        if planned[key].lets_pass and not existing[key].lets_pass
    }
    for loss in rule_losses(rules.resource, rules.before, rules.after):
        if loss.key not in turned or existing[loss.key].enforces:
            yield loss, existing.get(loss.key) or planned[loss.key]
    others = [rule for rule in rules.before if rule.key not in turned]
    for loss in rule_losses(rules.resource, others, rules.after) if turned else ():
        if loss.key in turned:
            yield loss, planned[loss.key]


def _is_made_up_for(rules: Rules, rule: ZoneRule) -> bool:
    """Return whether another rule stops all that a rule stopped, with no exception in front of it
    that did not stand in front of that rule; of an exception, whether rules that it takes nothing
    past make up for all that it does."""
    passed: set[Key] = set()
    lost = [rule]
    if rule.lets_pass:
        (at,) = (index for index, one in enumerate(rules.after) if one.key == rule.key)
        passed = {one.key for one in rules.after[at:] if rules.after[at].takes_past(one)}
        lost = [one for one in rules.before if one.key in passed and one.enforces]
        if not lost or not skips_deployments_alone(rules.after[at]):
            return False

    def exceptions(side: Sequence[ZoneRule], at: ZoneRule) -> set[Key]:
        return {one.key for one in side[: side.index(at)] if one.takes_past(at)}

    others = [one for one in rules.after if one.enforces and one.key not in passed]
    return all(
        one.enforces
        and any(
            not rule_loss(rules.resource, one, other)
            and exceptions(rules.after, other) <= exceptions(rules.before, one)
            for other in others
        )
        for one in lost
    )


RULESET_RISKS: Mapping[str, tuple[Risk, ...]] = {  # by the traffic that meets its rules
    "request": (*DELETION_RISKS, *ZONE_RULE_RISKS),
    "packet": (*DELETION_RISKS, *NETWORK_FIREWALL_RISKS),
    "": (*DELETION_RISKS, weakens_ddos_rules),
}
RISKS_OF_PHASES: Mapping[str, tuple[Risk, ...]] = {
    CUSTOM_RULES.phase: (*RULESET_RISKS["request"], blocks_traffic),
    # Of rules that do not decide by themselves.
    RATE_LIMIT_RULES.phase: (*DELETION_RISKS, weakens_rate_limits),
    MANAGED_RULES.phase: (*DELETION_RISKS, weakens_managed_rules),
}


def risks_of_rules(resource: Resource) -> tuple[Risk, ...]:
    """The risks of plans for the rules of a resource."""
    return RISKS_OF_PHASES.get(resource.phase) or RULESET_RISKS[resource.traffic]

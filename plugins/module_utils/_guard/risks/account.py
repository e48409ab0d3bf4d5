# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of a plan for who is protected, and for what is mitigated.

The vendor warns of them on its page "Advanced TCP Protection: concepts". The finders know no
module: the same change carries the same risks through whatever module it comes.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import chain
from typing import Callable, Iterator, Mapping, Sequence

from ..._expressions.grammar import expression_of
from ..._expressions.solve import matched
from ..._plan.plan import Operation
from ..._protection.coverage import has_flag
from ..._protection.modes import (
    LESS,
    LESS_SENSITIVE,
    UNDECIDED,
    UNMITIGATED,
    Component,
    counted_networks,
    ranges_of_losses,
    rule_of,
)
from ..._schema.account import ALLOWLIST, ENABLED, MONITORING, PREFIXES, SHARING, STATUS, rules_of
from ..._schema.resource import Resource
from ..._text import Advice, Message, Option, Unread, first_few, sentence
from ..._values.address_set import Ranges, intersection, networks, overlaps, union, widest
from .base import (
    DELETION_RISKS,
    Change,
    Found,
    Limit,
    Limits,
    Risk,
    enabled_too_soon,
    enabling,
    entries_of,
    entry_of,
    mode_of,
    risk,
)

WORKING = (ENABLED, MONITORING, UNDECIDED)


@risk("The plan would leave addresses outside protection that were inside it.")
def unprotects_addresses(change: Change, limits: Limits) -> Found:
    """Addresses leave the protection."""
    lost = ranges_of_losses(change.losses(PREFIXES))
    if not lost:
        return None
    operations = [item for item in change.plan.operations if _takes_out(item, lost)]
    message = (
        f"{counted_networks(lost)} would no longer be protected. {SHARING.format(PREFIXES.titles)}."
    )
    return message, lost, entries_of(operations)


def _takes_out(item: Operation, lost: Ranges) -> bool:
    """True if an operation takes some of these addresses out of protection."""
    if item.resource is not PREFIXES or not overlaps(item.address, lost):
        return False
    was_excluded = has_flag(item.existing or {}, "excluded")
    return not was_excluded and (item.planned is None or has_flag(item.planned, "excluded"))


@risk(
    "The plan would leave addresses, or a part of their traffic, that a component mitigates with"
    " less than that."
)
def stops_mitigation(change: Change, limits: Limits) -> Found:
    """A component would mitigate less of the traffic to addresses; what disables it altogether is
    not this risk."""
    lost: dict[str, Ranges] = {}
    reasons = []
    for item in _components_that_may_stop(change):
        parts = [one for one in change.losses(rules_of(item.kind)) if one.how == UNMITIGATED]
        lost[item.kind] = ranges_of_losses(parts)
        stops = f"{item.title} would no longer mitigate attacks on"
        reasons += [f"{stops} {part.reason}" for part in parts]
    if not reasons:
        return None
    operations = [item for item in change.plan.operations if _lowers(item, lost)]
    ranges = union(chain(*lost.values()))
    return sentence("; ".join(reasons)), ranges, entries_of(operations)


def _components_that_may_stop(change: Change) -> Iterator[Component]:
    """The components that a plan changes, and that work before and after it."""
    before, after = change.before, change.after
    is_off = before.enabled is False or after.enabled is False
    changed = {item.resource.component for item in change.plan.operations}
    for was, becomes in zip(before.components, after.components):
        is_idle = is_off and was.is_switched
        if was.kind in changed and not is_idle and not _last_of(was, becomes):
            yield was


def _lowers(item: Operation, lost: Mapping[str, Ranges]) -> bool:
    """True if an operation on a rule or filter leaves some of these addresses, by component, with
    less: it ends a mitigation, or decides instead of what mitigated."""
    ranges = lost.get(item.resource.component or "")
    was_enabled = item.existing is None or mode_of(item.resource, item.existing) == ENABLED
    if not ranges or not was_enabled or mode_of(item.resource, item.planned) == ENABLED:
        return False
    obj = item.existing or item.fields
    return obj.get("expression") is None or _may_match(expression_of(obj), ranges)


def _may_match(expression: str, ranges: Ranges) -> bool:
    try:
        return bool(intersection(matched(expression).sometimes, ranges))
    except Unread:
        return True


@risk(
    "The plan would turn the protection off, or take the last working rule from a component, or the"
    " last protected prefix from the account."
)
def disables_protection(change: Change, limits: Limits) -> Found:
    """The switch, a component or the last prefix goes."""
    before, after, operations = change.before, change.after, change.plan.operations
    reasons = []
    shared = []
    concerned: list[Operation] = []
    if change.losses(STATUS):
        reasons.append("TCP protection would be switched off")
        shared.append("status")
        concerned += [item for item in operations if item.resource is STATUS]
    if before.protected and not after.protected:
        reasons.append("no address would be protected any more")
        shared.append(PREFIXES.titles)
        concerned += [item for item in operations if _takes_out(item, before.protected)]
    for was, becomes in zip(before.components, after.components):
        was_off = was.is_switched and before.enabled is False
        lost = None if was_off else _last_of(was, becomes)
        if lost:
            reasons.append(f"{was.title} would have no working {lost} left")
            of_component = [item for item in operations if item.resource.component == was.kind]
            concerned += [item for item in of_component if _stops_working(item)] or of_component
    if not reasons:
        return None
    sentences = [sentence("; ".join(reasons))]
    sentences += [f"{SHARING.format(' and the '.join(shared))}."] if shared else []
    return " ".join(sentences), before.protected, entries_of(concerned)


def _stops_working(item: Operation) -> bool:
    """True if a rule or filter works before an operation and not after it."""
    was, becomes = (mode_of(item.resource, obj) for obj in (item.existing, item.planned))
    return was in WORKING and becomes not in WORKING


def _last_of(was: Component, becomes: Component) -> str | None:
    """The kind of object that makes a component work and of which none would be left; None if the
    component goes on working."""
    left = _working(becomes)
    return next((what for what, there in _working(was).items() if there and not left[what]), None)


def _working(item: Component) -> dict[str, bool]:
    """The kinds of objects of a component, each with whether one of them works; a mode that is not
    understood may be one that works."""
    rules = [rule for rule in item.rules if rule.mode in WORKING]
    filters = [filter_ for filter_ in item.filters if filter_.own_mode in WORKING]
    return {
        item.what_decides: bool(rules) or bool(filters),
        "rule": bool(rules),
        "global rule": any(rule.everywhere for rule in rules),
    }


@risk(
    "The plan would lower the rate, burst or profile sensitivity of a rule that is enabled, or that"
    " monitors on its way there, or the security level of a zone."
)
def lowers_sensitivity(change: Change, limits: Limits) -> Found:
    """A rule mitigates later than it did, or than another one in its place."""
    reasons: list[str] = []
    concerned: list[Operation] = []
    level = _lower_level(change)
    for item in change.before.components:
        rules = [one for one in change.plan.operations if one.resource is rules_of(item.kind)]
        for lower in change.losses(rules_of(item.kind)) if rules else ():
            keys = (lower.key, *(key for key, _label in lower.others))
            places = ((one, rule_of(one.existing or one.fields, item.kind).key) for one in rules)
            by = [one for one, place in places if place in keys]
            is_staged = any(one.target in change.staged for one in by)
            if lower.how == LESS_SENSITIVE or (lower.how in LESS and is_staged):
                reasons.append(f"{item.title}: {lower.label} ({lower.reason})")
                concerned += by
    if not reasons:
        return level
    message = f"Attacks would be mitigated later by {first_few(reasons)}."
    entries = entries_of(dict.fromkeys(concerned))
    if level:
        of_level, _ranges, more = level
        return f"{message} {of_level}", [], [*entries, *more]
    return message, [], entries


def _lower_level(change: Change) -> Found:
    """A level is lower than it was; one that is not known may be."""
    resources = change.plan.resources
    levels = [resource for resource in resources.values() if resource.level_field]
    losses = change.losses(*levels)
    reasons = [f"the {loss.resource.title} {loss.reason}" for loss in losses]
    message = f"Fewer visitors would be challenged if {first_few(reasons)}."
    return (message, [], [entry_of(one.resource, {}) for one in losses]) if losses else None


def _shortest(version: int, default: int, bits: int) -> Limit:
    sentences = (
        f"The shortest IPv{version} prefix length in the allowlist that is not a risk.",
        "Adjacent networks count as one.",
    )
    return Limit(f"min_allowlist_prefix_length_ipv{version}", default, bits, sentences)


SHORTEST = {4: _shortest(4, 24, 32), 6: _shortest(6, 48, 128)}
MOST_ENTRIES = Limit(
    "max_allowlist_entries",
    200,
    10**6,
    ("The number of active entries of the allowlist above which another entry is a risk.",),
)


@risk(
    "The plan would let the active entries of the allowlist grow beyond"
    " O(limits.min_allowlist_prefix_length_ipv4), O(limits.min_allowlist_prefix_length_ipv6) or"
    " O(limits.max_allowlist_entries).",
    *SHORTEST.values(),
    MOST_ENTRIES,
)
def broad_allowlist(change: Change, limits: Limits) -> Found:
    """More sources pass than an allowlist is meant for."""
    before, after = change.before.bypassing, change.after.bypassing
    shortest = {version: limits[limit] for version, limit in SHORTEST.items()}
    broad = union(
        network
        for version, length, network in widest(after)
        if length < shortest[version] and intersection([network], before) != [network]
    )
    active_before, active = change.before.active_sources, change.after.active_sources
    most = limits[MOST_ENTRIES]
    crowded = len(active) > max(most, len(active_before))
    if not broad and not crowded:
        return None
    reasons = [f"it would let {first_few(networks(broad))} pass as sources"] if broad else []
    reasons += [f"it would have {len(active)} active entries"] if crowded else []
    message = (
        f"The allowlist is for few sources, and a source can be forged: {' and '.join(reasons)}. Up"
        f" to {most} entries are usual, and networks up to /{shortest[4]} (IPv4) and"
        f" /{shortest[6]} (IPv6). {SHARING.format(ALLOWLIST.titles)}."
    )
    known = {ALLOWLIST.key_of(entry) for entry in active_before}
    new = [entry for entry in active if ALLOWLIST.key_of(entry) not in known]
    concerned = [entry for entry in new if crowded or overlaps(entry.get("prefix"), broad)]
    return message, broad, [entry_of(ALLOWLIST, entry) for entry in concerned]


@risk("The plan would allow as a source what is one of the account's own protected prefixes.")
def allowlists_own_prefix(change: Change, limits: Limits) -> Found:
    """A network of the account's own stands where sources belong."""
    own = intersection(ranges_of_losses(change.losses(ALLOWLIST)), change.after.inside)
    if not own:
        return None
    active = change.after.active_sources
    concerned = [entry for entry in active if overlaps(entry.get("prefix"), own)]
    message = (
        f"{first_few(networks(own))} would be allowed as a source, but is in a protected prefix of"
        " the account; to take it out of protection, give it an excluded prefix."
        f" {SHARING.format(ALLOWLIST.titles)}."
    )
    return message, own, [entry_of(ALLOWLIST, entry) for entry in concerned]


MIN_MONITORING = Limit(
    "min_monitoring_hours",
    4.0,
    24 * 365,
    (
        "The hours that a rule or filter must monitor before it is enabled.",
        "The hours count from the last change of the rule or filter, by the clock of Cloudflare.",
    ),
)


def monitoring_time(limits: Limits) -> timedelta:
    """The time that a rule or filter monitors before it is enabled."""
    return timedelta(hours=limits[MIN_MONITORING])


@risk(
    "The plan would enable a rule or filter that is new, was disabled, or has not monitored for"
    " O(limits.min_monitoring_hours).",
    MIN_MONITORING,
)
def skips_monitoring(change: Change, limits: Limits) -> Found:
    """A rule or filter drops traffic before it has learned of it."""
    reasons = []
    enabled = []
    for item in enabling(change.plan):
        reason = enabled_too_soon(item.resource, item.existing, change.now, monitoring_time(limits))
        if reason:
            reasons.append(f"{item.title} {reason}")
            enabled.append(item)
    if not reasons:
        return None
    message = Message(
        f"{first_few(reasons)}. A rule or filter enabled without monitoring for"
        f" {limits[MIN_MONITORING]:g} hours drops traffic that it has not learned of",
        Advice("; set monitoring first, or let ", Option("staged_rollout"), ": true do it"),
        ".",
    )
    return message, [], entries_of(enabled)


@risk(
    "The plan would enable a rule or filter that would have dropped more of the traffic to a"
    " network than C(rollout_evidence) allows, or of which that is not known."
)
def drops_traffic(change: Change, limits: Limits) -> Found:
    """A rule or filter drops traffic that passes today."""
    verdicts = {item: change.verdicts.get(item.target) for item in enabling(change.plan)}
    against = {item: verdict for item, verdict in verdicts.items() if verdict and verdict.reason}
    if not against:
        return None
    reasons = [
        f"{item.title}: {' '.join([verdict.message, *verdict.advice])}"
        for item, verdict in against.items()
    ]
    ranges = union(network for verdict in against.values() for network in verdict.ranges)
    return Message(first_few(reasons)), ranges, entries_of(list(against))


def _has_modes(resource: Resource) -> bool:
    return bool(resource.mode_field)


# The risks of an account, each with the collections whose plans can have it.
CONCERNED: Mapping[Risk, Callable[[Resource], bool]] = {
    unprotects_addresses: lambda one: one is PREFIXES,
    stops_mitigation: _has_modes,
    disables_protection: lambda one: one is not ALLOWLIST,
    lowers_sensitivity: lambda one: _has_modes(one) and one is rules_of(str(one.component)),
    skips_monitoring: _has_modes,
    drops_traffic: _has_modes,
    broad_allowlist: lambda one: one is ALLOWLIST,
    allowlists_own_prefix: lambda one: one is ALLOWLIST,
    **dict.fromkeys(DELETION_RISKS, lambda one: one is not STATUS),
}
ACCOUNT_RISKS = (*CONCERNED,)


def risks_of_account(*resources: Resource) -> Sequence[Risk]:
    """The risks that plans for some collections of an account can have."""
    return [risk for risk, concerns in CONCERNED.items() if any(map(concerns, resources))]

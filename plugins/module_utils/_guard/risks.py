# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of a plan, found in its state before and after: those of an account, and of any list.

The vendor warns of them on its pages "Advanced TCP Protection: concepts" and "Troubleshooting". The
finders know no
module: the same change carries the same risks through whatever module it comes.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Callable, Mapping, Sequence

from .._coverage.coverage import Coverage, has_flag
from .._coverage.modes import UNDECIDED, Component
from .._messages import Message, Option
from .._plan.plan import Operation
from .._schema.account import ALLOWLIST, ENABLED, MONITORING, PREFIXES
from .._schema.resource import Object, Resource
from .._text import first_few, sentence
from .._timestamps import started_before
from .._values.address_set import (
    Ranges,
    counted,
    difference,
    intersection,
    networks,
    range_of,
    union,
    widest,
)
from .limits import Limits
from .risk import Change, Risk
from .zone_risks import blocks_everything, skips_everything, weakens_zone

WORKING = (ENABLED, MONITORING, UNDECIDED)
FEWEST_MASS_DELETION = 5


def unprotects_addresses(change: Change, limits: Limits) -> Risk | None:
    """Addresses leave the protection."""
    lost = difference(change.before.protected, change.after.protected)
    if not lost:
        return None
    entries = [
        item.entry
        for item in change.plan.operations
        if item.resource is PREFIXES and _overlaps(item.address, lost)
    ]
    sharing = [
        f"; {item.title} shares the prefixes"
        for item in change.before.components
        if not item.is_switched
    ]
    message = (
        f"{counted(lost)} ({first_few(networks(lost))}) would no longer be"
        f" protected{''.join(sharing)}."
    )
    return Risk("unprotects_addresses", message, lost, entries)


def disables_protection(change: Change, limits: Limits) -> Risk | None:
    """The switch, a component or the last prefix goes."""
    before, after = change.before, change.after
    reasons = []
    if before.enabled and after.enabled is False:
        reasons.append("TCP protection would be switched off")
    if before.protected and not after.protected:
        reasons.append("no address would be protected any more")
    for was, becomes in zip(before.components, after.components):
        lost = _last_of(was, becomes)
        reasons += [f"{was.title} would have no working {lost} left"] if lost else []
    if not reasons:
        return None
    entries = [
        item.entry
        for item in change.plan.operations
        if item.action != "create" and item.resource is not ALLOWLIST
    ]
    return Risk("disables_protection", sentence("; ".join(reasons)), before.protected, entries)


def _last_of(was: Component, becomes: Component) -> str | None:
    """What that makes a component work would be gone with its last one; None where the component
    goes on working."""
    left = _working(becomes)
    return next((what for what, there in _working(was).items() if there and not left[what]), None)


def _working(item: Component) -> dict[str, bool]:
    """What of a component works, by its name in sentences; a mode that is not understood may be one
    that works."""
    rules = [rule for rule in item.rules if rule.mode in WORKING]
    return {
        item.what_decides: bool(rules) or any(filter_.mode in WORKING for filter_ in item.filters),
        "rule": bool(rules),
        "global rule": any(rule.everywhere for rule in rules),
    }


def stops_mitigation(change: Change, limits: Limits) -> Risk | None:
    """A component that mitigates attacks on addresses would do less; what disables it altogether is
    not this risk."""
    before, after = change.before, change.after
    is_off = before.enabled is False or after.enabled is False
    still_protected = intersection(before.protected, after.protected)
    lost_by_component: dict[str, Ranges] = {}
    reasons = []
    for was, becomes in zip(before.components, after.components):
        idle = is_off and was.is_switched
        lost = (
            []
            if idle or _last_of(was, becomes)
            else _no_longer_mitigated(was, becomes, still_protected)
        )
        if lost:
            lost_by_component[was.kind] = lost
            reasons.append(
                f"{was.title} would no longer mitigate attacks on {counted(lost)}"
                f" ({first_few(networks(lost))})"
            )
    if not reasons:
        return None
    entries = [
        item.entry
        for item in change.plan.operations
        if item.resource.component in lost_by_component
        and (item.action != "update" or item.resource.mode_field in item.fields)
    ]
    lost = union(item for ranges in lost_by_component.values() for item in ranges)
    return Risk("stops_mitigation", sentence("; ".join(reasons)), lost, entries)


def _no_longer_mitigated(was: Component, becomes: Component, space: Ranges) -> Ranges:
    """Addresses whose ordinary traffic is mitigated before and not after, or of whose traffic
    nothing is any more."""
    return union(
        [
            *difference(was.mitigated(space), becomes.mitigated(space)),
            *difference(was.partly_mitigated(space), becomes.partly_mitigated(space)),
        ]
    )


def skips_monitoring(change: Change, limits: Limits) -> Risk | None:
    """A rule or filter drops traffic before it has learned of it."""
    reasons = []
    entries = []
    for item in change.plan.operations:
        mode_field = item.resource.mode_field
        if not mode_field or (item.planned or {}).get(mode_field) != ENABLED:
            continue
        reason = enabled_too_soon(item.resource, item.existing, change.now, limits.monitoring)
        if reason:
            reasons.append(f"{item.resource.title} {item.label} {reason}")
            entries.append(item.entry)
    if not reasons:
        return None
    message = Message(
        f"{first_few(reasons)}. A rule or filter enabled without monitoring for"
        f" {limits.min_monitoring_hours:g} hours drops traffic that it has not learned of; set"
        " monitoring first, or let ",
        Option("staged_rollout"),
        ": true do it.",
    )
    return Risk("skips_monitoring", message, [], entries)


def enabled_too_soon(
    resource: Resource, existing: Object | None, now: datetime | None, monitoring: timedelta
) -> str:
    """Why an object must not be enabled yet; an empty text where it may be."""
    mode = str((existing or {}).get(resource.mode_field or "")).casefold()
    if existing is None:
        return "would be new and enabled at once"
    if mode == ENABLED:
        return ""
    if mode != MONITORING:
        return f"would go from {mode} straight to enabled"
    if not monitoring:
        return ""
    since = started_before(now, existing.get("modified_on"))
    if since is None or now is None:
        return "has monitored for an unknown time"
    return f"has monitored since {since.isoformat()} only" if now - since < monitoring else ""


def broad_allowlist(change: Change, limits: Limits) -> Risk | None:
    """More sources pass than an allowlist is meant for."""
    before, after = change.before.bypassing, change.after.bypassing
    shortest = {
        4: limits.min_allowlist_prefix_length_ipv4,
        6: limits.min_allowlist_prefix_length_ipv6,
    }
    broad = union(
        network
        for version, length, network in widest(after)
        if length < shortest[version] and intersection([network], before) != [network]
    )
    active_before, active = (_active(coverage) for coverage in (change.before, change.after))
    crowded = len(active) > max(limits.max_allowlist_entries, len(active_before))
    if not broad and not crowded:
        return None
    reasons = [f"it would let {first_few(networks(broad))} pass as sources"] if broad else []
    reasons += [f"it would have {len(active)} active entries"] if crowded else []
    message = (
        f"The allowlist is for few sources, and a source can be forged: {' and '.join(reasons)}. Up"
        f" to {limits.max_allowlist_entries} entries are usual, and networks up to /{shortest[4]}"
        f" (IPv4) and /{shortest[6]} (IPv6)."
    )
    known = {str(entry.get("prefix")) for entry in active_before}
    entries = [
        str(entry.get("prefix"))
        for entry in active
        if crowded or _overlaps(entry.get("prefix"), broad)
    ]
    return Risk(
        "broad_allowlist", message, broad, [entry for entry in entries if entry not in known]
    )


def allowlists_own_prefix(change: Change, limits: Limits) -> Risk | None:
    """A network of the account's own stands where sources belong."""
    own = intersection(
        difference(change.after.bypassing, change.before.bypassing), change.after.inside
    )
    if not own:
        return None
    entries = [
        str(entry.get("prefix"))
        for entry in _active(change.after)
        if _overlaps(entry.get("prefix"), own)
    ]
    message = (
        f"{first_few(networks(own))} would be allowed as a source, but is in a protected prefix of"
        " the account; to take it out of protection, give it an excluded prefix."
    )
    return Risk("allowlists_own_prefix", message, own, entries)


def mass_deletion(change: Change, limits: Limits) -> Risk | None:
    """A good part of a list goes at once."""
    return _deletion(
        "mass_deletion",
        change,
        lambda gone, before, left: (
            len(gone) >= FEWEST_MASS_DELETION
            and len(gone) * 100 > before * limits.max_deletions_percent
        ),
        "{plural}: {gone} of {total} would be deleted, which is more than "
        + f"{limits.max_deletions_percent} %",
    )


def empties_list(change: Change, limits: Limits) -> Risk | None:
    """Nothing is left of a list, and not because the task names what goes."""
    return _deletion(
        "empties_list",
        change,
        lambda gone, before, left: not left and not all(item.named for item in gone),
        "{plural}: none of {total} would be left",
    )


def _deletion(
    code: str, change: Change, trips: Callable[[Sequence[Operation], int, int], bool], text: str
) -> Risk | None:
    doomed: dict[str, list[Operation]] = {}
    for item in change.plan.operations:
        if item.action == "delete":
            doomed.setdefault(item.resource.plural, []).append(item)
    before, after = change.before.state, change.after.state
    tripped = {
        plural: items
        for plural, items in doomed.items()
        if trips(items, len(before[plural]), len(after[plural]))
    }
    if not tripped:
        return None
    reasons = [
        text.format(gone=len(items), total=len(before[plural]), plural=plural.replace("_", " "))
        for plural, items in tripped.items()
    ]
    gone = [item for items in tripped.values() for item in items]
    ranges = union(filter(None, (range_of(item.address) for item in gone)))
    return Risk(code, sentence("; ".join(reasons)), ranges, [item.entry for item in gone])


def _active(coverage: Coverage) -> list[Object]:
    return [
        entry for entry in coverage.state.get(ALLOWLIST.plural) or [] if has_flag(entry, "enabled")
    ]


def _overlaps(address: object, ranges: Ranges) -> bool:
    network = range_of(address)
    return network is not None and bool(intersection([network], ranges))


FINDERS: Mapping[str, Callable[[Change, Limits], Risk | None]] = {
    finder.__name__: finder
    for finder in (
        unprotects_addresses,
        stops_mitigation,
        disables_protection,
        skips_monitoring,
        broad_allowlist,
        allowlists_own_prefix,
        mass_deletion,
        empties_list,
        weakens_zone,
        skips_everything,
        blocks_everything,
    )
}


def find_risks(change: Change, limits: Limits) -> list[Risk]:
    """Every risk that a plan carries, accepted or not, in the order of the codes."""
    return [risk for risk in (finder(change, limits) for finder in FINDERS.values()) if risk]

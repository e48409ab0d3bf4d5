# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the service's manual warns of, found in a plan: its state before, its state after (facts.md, section 2).

The finders know no module: the same change meets the same guard through whatever module it comes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Callable, Mapping, Sequence

from .address_space import Ranges, count, counted, difference, intersection, networks, range_of, union, widest
from .clock import read_timestamp
from .component import ENABLED, MONITORING, UNDECIDED, Component
from .coverage import Coverage, says
from .declaration import Object
from .errors import listed
from .limits import Limits
from .plan import Operation, Plan
from .resources import ALLOWLIST, FILTERS, RULES

MODAL = frozenset(resource.plural for resource in (*RULES, *FILTERS))

WORKING = (ENABLED, MONITORING, UNDECIDED)
FEWEST_MASS_DELETION = 5


@dataclass(frozen=True)
class Change:
    """A plan with what it does to the coverage; `now` is the service's time, None where it does not say."""

    plan: Plan
    before: Coverage
    after: Coverage
    now: datetime | None = None


@dataclass(frozen=True)
class Risk:
    """One of the codes, with a sentence on it, the networks concerned and the keys of the objects."""

    code: str
    message: str
    ranges: Ranges
    entries: Sequence[str]

    def described(self) -> dict[str, Any]:
        """The risk as results show it."""
        return {
            "code": self.code,
            "message": self.message,
            "networks": networks(self.ranges),
            "addresses": count(self.ranges),
            "entries": list(self.entries),
        }


def unprotects_addresses(change: Change, limits: Limits) -> Risk | None:
    """Addresses leave the protection."""
    lost = difference(change.before.protected, change.after.protected)
    if not lost:
        return None
    entries = [
        item.label
        for item in change.plan.operations
        if item.resource.name == "prefix" and _touches(item.live or item.fields, lost)
    ]
    message = f"{counted(lost)} ({listed(networks(lost))}) would no longer be protected."
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
        lost = next((what for what, there in _working(was).items() if there and not _working(becomes)[what]), None)
        reasons += [f"{was.title} would have no working {lost} left"] if lost else []
    if not reasons:
        return None
    entries = [
        item.label
        for item in change.plan.operations
        if item.action != "create" and item.resource.plural != ALLOWLIST.plural
    ]
    return Risk("disables_protection", sentence("; ".join(reasons)), before.protected, entries)


def _working(item: Component) -> dict[str, bool]:
    """What of a component works, by its name in sentences; a mode that is not understood may be one that works."""
    rules = [rule for rule in item.rules if rule.mode in WORKING]
    return {
        "rule or filter": bool(rules) or any(held.mode in WORKING for held in item.filters),
        "rule": bool(rules),
        "global rule": any(rule.everywhere for rule in rules),
    }


def skips_monitoring(change: Change, limits: Limits) -> Risk | None:
    """A rule or filter drops traffic before it has learned of it."""
    reasons = []
    entries = []
    for item in change.plan.operations:
        if item.resource.plural not in MODAL or (item.foreseen or {}).get("mode") != ENABLED:
            continue
        reason = too_soon(item.live, change.now, limits.monitoring)
        if reason:
            reasons.append(f"{item.resource.title} {item.label} {reason}")
            entries.append(item.label)
    if not reasons:
        return None
    message = (
        f"{listed(reasons)}. A rule or filter that is enabled without monitoring for {limits.min_monitoring:g} hours "
        "drops connections that it has not learned of; set monitoring first, or let ladder: true do it."
    )
    return Risk("skips_monitoring", message, [], entries)


def too_soon(live: Object | None, now: datetime | None, monitoring: timedelta) -> str:
    """Why an object is not to be enabled yet; an empty text where it may be."""
    mode = str((live or {}).get("mode")).casefold()
    if live is None:
        return "would be new and enabled at once"
    if mode == ENABLED:
        return ""
    if mode != MONITORING:
        return f"would go from {mode} straight to enabled"
    since = read_timestamp(live.get("modified_on"))
    if not monitoring:
        return ""
    if since is None or now is None:
        return "has monitored for an unknown time"
    return f"has monitored since {since.isoformat()} only" if now - since < monitoring else ""


def broad_allowlist(change: Change, limits: Limits) -> Risk | None:
    """More sources pass than an allowlist is meant for."""
    before, after = change.before.bypassing, change.after.bypassing
    shortest = {4: limits.widest_allowlist_ipv4, 6: limits.widest_allowlist_ipv6}
    broad = union(
        found
        for version, length, found in widest(after)
        if length < shortest[version] and intersection([found], before) != [found]
    )
    held, holds = (_active(coverage) for coverage in (change.before, change.after))
    crowded = len(holds) > max(limits.max_allowlist_entries, len(held))
    if not broad and not crowded:
        return None
    reasons = [f"it would let {listed(networks(broad))} pass as sources"] if broad else []
    reasons += [f"it would have {len(holds)} active entries"] if crowded else []
    message = (
        f"The allowlist is for few sources, and a source can be forged: {' and '.join(reasons)}. Up to "
        f"{limits.max_allowlist_entries} entries are usual, and networks up to /{limits.widest_allowlist_ipv4} (IPv4) "
        f"and /{limits.widest_allowlist_ipv6} (IPv6)."
    )
    known = {str(entry.get("prefix")) for entry in held}
    entries = [str(entry.get("prefix")) for entry in holds if crowded or _touches(entry, broad)]
    return Risk("broad_allowlist", message, broad, [entry for entry in entries if entry not in known])


def allowlists_own_prefix(change: Change, limits: Limits) -> Risk | None:
    """A network of the account's own stands where sources belong."""
    own = intersection(difference(change.after.bypassing, change.before.bypassing), change.after.inside)
    if not own:
        return None
    entries = [str(entry.get("prefix")) for entry in _active(change.after) if _touches(entry, own)]
    message = (
        f"{listed(networks(own))} would be allowed as a source, but is in a protected prefix of the account; to take "
        "it out of protection, give it an excluded prefix."
    )
    return Risk("allowlists_own_prefix", message, own, entries)


def mass_deletion(change: Change, limits: Limits) -> Risk | None:
    """A good part of a list goes at once."""
    return _deletion(
        "mass_deletion",
        change,
        lambda gone, held, left: gone >= FEWEST_MASS_DELETION and gone * 100 > held * limits.max_deletions,
        "{plural}: {gone} of {held} would be deleted, which is more than " + f"{limits.max_deletions} %",
    )


def empties_list(change: Change, limits: Limits) -> Risk | None:
    """Nothing is left of a list."""
    return _deletion(
        "empties_list", change, lambda gone, held, left: not left, "{plural}: none of {held} would be left"
    )


def _deletion(code: str, change: Change, trips: Callable[[int, int, int], bool], text: str) -> Risk | None:
    doomed: dict[str, list[Operation]] = {}
    for item in change.plan.operations:
        if item.action == "delete":
            doomed.setdefault(item.resource.plural, []).append(item)
    before, after = change.before.state, change.after.state
    found = {
        plural: items for plural, items in doomed.items() if trips(len(items), len(before[plural]), len(after[plural]))
    }
    if not found:
        return None
    reasons = [
        text.format(gone=len(items), held=len(before[plural]), plural=plural.replace("_", " "))
        for plural, items in found.items()
    ]
    gone = [item for items in found.values() for item in items]
    ranges = union(filter(None, (range_of((item.live or {}).get("prefix")) for item in gone)))
    return Risk(code, sentence("; ".join(reasons)), ranges, [item.label for item in gone])


def sentence(text: str) -> str:
    """A text with a capital at its beginning and a full stop at its end."""
    return text[:1].upper() + text[1:] + "."


def _active(coverage: Coverage) -> list[Object]:
    return [entry for entry in coverage.state.get(ALLOWLIST.plural) or [] if says(entry, "enabled")]


def _touches(entry: Object, ranges: Ranges) -> bool:
    found = range_of(entry.get("prefix"))
    return found is not None and bool(intersection([found], ranges))


FINDERS: Mapping[str, Callable[[Change, Limits], Risk | None]] = {
    finder.__name__: finder
    for finder in (
        unprotects_addresses,
        disables_protection,
        skips_monitoring,
        broad_allowlist,
        allowlists_own_prefix,
        mass_deletion,
        empties_list,
    )
}


def find_risks(change: Change, limits: Limits) -> list[Risk]:
    """Every risk that a plan carries, accepted or not, in the order of the codes."""
    return [found for found in (finder(change, limits) for finder in FINDERS.values()) if found]

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of the allowlist, whose sources pass all components."""

from __future__ import annotations

from typing import Mapping

from ..._protection.modes import ranges_of_losses
from ..._schema.account import ALLOWLIST, SHARING
from ..._text import first_few
from ..._values.address_set import Ranges, intersection, networks, overlaps, union, widest
from .base import Change, FinderAnswer, Limit, Limits, any_of, entry_of, risk


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
    any_of(ALLOWLIST),
    *SHORTEST.values(),
    MOST_ENTRIES,
)
def broad_allowlist(change: Change, limits: Limits) -> FinderAnswer:
    """More sources pass than an allowlist is meant for."""
    shortest = {version: limits[limit] for version, limit in SHORTEST.items()}
    broad = _newly_broad(change, shortest)
    active_before, active = change.before.active_sources, change.after.active_sources
    most = limits[MOST_ENTRIES]
    is_crowded = len(active) > max(most, len(active_before))
    reasons = []
    if broad:
        reasons.append(f"it would let {first_few(networks(broad))} pass as sources")
    if is_crowded:
        reasons.append(f"it would have {len(active)} active entries")
    if not reasons:
        return None
    message = (
        f"The allowlist is for few sources, and a source can be forged: {' and '.join(reasons)}. Up"
        f" to {most} entries are usual, and networks up to /{shortest[4]} (IPv4) and"
        f" /{shortest[6]} (IPv6). {SHARING.format(ALLOWLIST.titles)}."
    )
    keys_before = {ALLOWLIST.key_of(source) for source in active_before}
    entries = []
    for source in active:
        is_concerned = is_crowded or overlaps(source.get("prefix"), broad)
        if is_concerned and ALLOWLIST.key_of(source) not in keys_before:
            entries.append(entry_of(ALLOWLIST, source))
    return message, broad, entries


def _newly_broad(change: Change, shortest: Mapping[int, float]) -> Ranges:
    """The networks of the allowlist that are wider than these prefix lengths, and that were not on
    it before."""
    before = change.before.bypassing
    broad: Ranges = []
    for version, length, network in widest(change.after.bypassing):
        was_allowed = intersection([network], before) == [network]
        if length < shortest[version] and not was_allowed:
            broad.append(network)
    return union(broad)


@risk(
    "The plan would allow as a source what is one of the account's own protected prefixes.",
    any_of(ALLOWLIST),
)
def allowlists_own_prefix(change: Change, limits: Limits) -> FinderAnswer:
    """A network of the account's own stands where sources belong."""
    allowed = ranges_of_losses(change.losses(ALLOWLIST))
    protected = intersection(allowed, change.after.inside)
    if not protected:
        return None
    entries = []
    for source in change.after.active_sources:
        if overlaps(source.get("prefix"), protected):
            entries.append(entry_of(ALLOWLIST, source))
    message = (
        f"{first_few(networks(protected))} would be allowed as a source, but is in a protected"
        " prefix of the account; to take it out of protection, give it an excluded prefix."
        f" {SHARING.format(ALLOWLIST.titles)}."
    )
    return message, protected, entries

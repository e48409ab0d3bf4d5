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
from ..._values.address_set import Ranges, intersection, network_ranges, networks, overlaps, union
from ..finding import FinderAnswer, entry_of
from ..risks.account import ALLOWLISTS_OWN_PREFIX, BROAD_ALLOWLIST, MOST_ENTRIES, SHORTEST
from ..risks.declaration import Limits
from .base import Change, finds


@finds(BROAD_ALLOWLIST)
def broad_allowlist(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that an allowlist lets more sources pass than it is meant for."""
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
    """The networks that are new on the allowlist and wider than the shortest prefix length allowed;
    `shortest` has this length for each IP version.
    """
    before = change.before.bypassing
    broad: Ranges = []
    for version, length, network in network_ranges(change.after.bypassing):
        was_allowed = intersection([network], before) == [network]
        if length < shortest[version] and not was_allowed:
            broad.append(network)
    return union(broad)


@finds(ALLOWLISTS_OWN_PREFIX)
def allowlists_own_prefix(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that the allowlist contains a network that the account itself protects."""
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

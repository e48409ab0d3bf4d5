# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of an allowlist: what it lets pass meets no rule.

The vendor warns of them on its page "Troubleshooting" of Advanced TCP Protection.
"""

from __future__ import annotations

from ..._coverage.coverage import Coverage, has_flag
from ..._schema.account import ALLOWLIST, SHARING
from ..._schema.resource import Object
from ..._text import first_few
from ..._values.address_set import difference, intersection, networks, overlaps, union, widest
from .base import Change, Finding, Limit, Limits, entry_of, risk


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
    " O(min_allowlist_prefix_length_ipv4), O(min_allowlist_prefix_length_ipv6) or"
    " O(max_allowlist_entries).",
    *SHORTEST.values(),
    MOST_ENTRIES,
)
def broad_allowlist(change: Change, limits: Limits) -> Finding | None:
    """More sources pass than an allowlist is meant for."""
    before, after = change.before.bypassing, change.after.bypassing
    shortest = {version: limits[limit] for version, limit in SHORTEST.items()}
    broad = union(
        network
        for version, length, network in widest(after)
        if length < shortest[version] and intersection([network], before) != [network]
    )
    active_before, active = (_active(coverage) for coverage in (change.before, change.after))
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
    return Finding(message, broad, [entry_of(ALLOWLIST, entry) for entry in concerned])


@risk("The plan would allow as a source what is one of the account's own protected prefixes.")
def allowlists_own_prefix(change: Change, limits: Limits) -> Finding | None:
    """A network of the account's own stands where sources belong."""
    own = intersection(
        difference(change.after.bypassing, change.before.bypassing), change.after.inside
    )
    if not own:
        return None
    concerned = [entry for entry in _active(change.after) if overlaps(entry.get("prefix"), own)]
    message = (
        f"{first_few(networks(own))} would be allowed as a source, but is in a protected prefix of"
        " the account; to take it out of protection, give it an excluded prefix."
        f" {SHARING.format(ALLOWLIST.titles)}."
    )
    return Finding(message, own, [entry_of(ALLOWLIST, entry) for entry in concerned])


def _active(coverage: Coverage) -> list[Object]:
    return [
        entry for entry in coverage.state.get(ALLOWLIST.plural) or [] if has_flag(entry, "enabled")
    ]


ALLOWLIST_RISKS = (broad_allowlist, allowlists_own_prefix)

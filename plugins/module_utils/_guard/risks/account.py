# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of plans for an account's protection: who is protected, what is mitigated, who passes.

The vendor warns of them on its page "Advanced TCP Protection: concepts".
"""

from __future__ import annotations

from datetime import timedelta
from typing import Sequence

from ..._schema.account import ALLOWLIST, PREFIXES, STATUS, rules_of_component
from ..._schema.resource import Resource
from .declaration import Limit, Limits, Risk, any_of, concerning, has_modes
from .deletions import DELETION_RISKS


def _has_rule_modes(resource: Resource) -> bool:
    """Return whether the objects of a resource are the rules of a component."""
    return has_modes(resource) and resource is rules_of_component(str(resource.component))


def _switches(resource: Resource) -> bool:
    """Return whether objects of a resource decide whether there is any protection."""
    return resource in (STATUS, PREFIXES) or has_modes(resource)


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
MIN_MONITORING = Limit(
    "min_monitoring_hours",
    4.0,
    24 * 365,
    (
        "The hours that a rule or filter must monitor before it is enabled.",
        "The hours count from the last change of the rule or filter, by the clock of Cloudflare.",
    ),
)


UNPROTECTS_ADDRESSES = Risk(
    "unprotects_addresses",
    "The plan would leave addresses outside protection that were inside it.",
    any_of(PREFIXES),
)
STOPS_MITIGATION = Risk(
    "stops_mitigation",
    "The plan would leave addresses, or a part of their traffic, that a component mitigates with"
    " less than that.",
    has_modes,
)
DISABLES_PROTECTION = Risk(
    "disables_protection",
    "The plan would turn the protection off, or take the last working rule from a component, or the"
    " last protected prefix from the account.",
    _switches,
)
LOWERS_SENSITIVITY = Risk(
    "lowers_sensitivity",
    "The plan would lower the rate, burst or profile sensitivity of a rule that is enabled, or that"
    " monitors on its way there, or a level of protection, such as the security level of a zone.",
    _has_rule_modes,
)
SKIPS_MONITORING = Risk(
    "skips_monitoring",
    "The plan would enable a rule or filter that is new, was disabled, or has not monitored for"
    " O(limits.min_monitoring_hours).",
    has_modes,
    (MIN_MONITORING,),
)
DROPS_TRAFFIC = Risk(
    "drops_traffic",
    "The plan would enable a rule or filter that would have dropped more of the traffic to a"
    " network than C(rollout_evidence) allows, or of which that is not known.",
    has_modes,
)
BROAD_ALLOWLIST = Risk(
    "broad_allowlist",
    "The plan would let the active entries of the allowlist grow beyond"
    " O(limits.min_allowlist_prefix_length_ipv4), O(limits.min_allowlist_prefix_length_ipv6) or"
    " O(limits.max_allowlist_entries).",
    any_of(ALLOWLIST),
    (*SHORTEST.values(), MOST_ENTRIES),
)
ALLOWLISTS_OWN_PREFIX = Risk(
    "allowlists_own_prefix",
    "The plan would allow as a source what is one of the account's own protected prefixes.",
    any_of(ALLOWLIST),
)
ACCOUNT_RISKS = (
    UNPROTECTS_ADDRESSES,
    STOPS_MITIGATION,
    DISABLES_PROTECTION,
    LOWERS_SENSITIVITY,
    SKIPS_MONITORING,
    DROPS_TRAFFIC,
    BROAD_ALLOWLIST,
    ALLOWLISTS_OWN_PREFIX,
    *DELETION_RISKS,
)


def monitoring_time(limits: Limits) -> timedelta:
    """The time for which a rule or filter must monitor before it is enabled."""
    return timedelta(hours=limits[MIN_MONITORING])


def risks_of_account(*resources: Resource) -> Sequence[Risk]:
    """The risks that plans for some collections of an account can have."""
    return concerning(ACCOUNT_RISKS, resources)

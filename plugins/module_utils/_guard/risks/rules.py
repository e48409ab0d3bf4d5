# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of plans for rules that requests or packets meet in an order: those of a zone and of an
account's Network Firewall, and overrides of managed DDoS rules.

The vendor describes the actions on its pages "Actions" (Firewall Rules) and "Custom rules:
available skip options".
"""

from __future__ import annotations

from ..._schema.custom_rules import CUSTOM_RULES
from ..._schema.managed_rules import MANAGED_RULES
from ..._schema.rate_limits import RATE_LIMIT_RULES
from ..._schema.registry import DDOS_OVERRIDES, DECIDING
from ..._schema.resource import Resource
from .declaration import Limit, Risk, any_of, concerning
from .deletions import DELETION_RISKS

WEAKENS = (
    "The plan would have more than O(limits.max_weakened_percent) of the {rules}, and at least"
    " three or all of them, stop nothing any more of the traffic that each decides about, and that"
    " no other rule stops: by removing, disabling or narrowing them, turning them into log or skip,"
    " or by a skip in front of them."
)
DECIDING_ON_REQUESTS = tuple(rules for rules in DECIDING if rules.traffic == "request")
DECIDING_ON_PACKETS = tuple(rules for rules in DECIDING if rules.traffic == "packet")


MAX_WEAKENED = Limit(
    "max_weakened_percent",
    30,
    100,
    (
        "The percentage of the rules that block or challenge above which it is a risk that they no"
        " longer do so.",
    ),
)
MAY_PASS_TRAFFIC = Limit(
    "passes_traffic",
    True,
    1,
    (
        "Whether a plan may let traffic pass that is blocked or challenged today. If it is false,"
        " such a plan is a risk.",
    ),
)

WEAKENS_ZONE = Risk(
    "weakens_zone",
    WEAKENS.format(rules="rules that block or challenge"),
    any_of(*DECIDING_ON_REQUESTS),
    (MAX_WEAKENED,),
)
WEAKENS_NETWORK_FIREWALL = Risk(
    "weakens_network_firewall",
    WEAKENS.format(rules="Network Firewall rules that block"),
    any_of(*DECIDING_ON_PACKETS),
    (MAX_WEAKENED,),
)
SKIPS_EVERYTHING = Risk(
    "skips_everything",
    "The plan would add, enable, widen or move to an earlier place a rule that skips, allows or"
    " bypasses, and that all plain traffic of a kind matches, such as every packet.",
    any_of(*DECIDING),
)
BLOCKS_EVERYTHING = Risk(
    "blocks_everything",
    "The plan would add, enable or widen a rule that blocks or challenges, and that all plain"
    " traffic of a kind matches, such as every packet, or would set all managed rules, or those of"
    " a category, to block for it.",
    any_of(*DECIDING, MANAGED_RULES, *DDOS_OVERRIDES),
)
BLOCKS_TRAFFIC = Risk(
    "blocks_traffic",
    "The plan would newly block or challenge more of the past requests than O(backtest) allows, or"
    " it is not known how many. Undecided requests count as blocked. A rule that is C(staged) takes"
    " its own limit.",
    any_of(CUSTOM_RULES, RATE_LIMIT_RULES),
)
PASSES_TRAFFIC = Risk(
    "passes_traffic",
    "The plan would let traffic pass, or only challenge it, that is stopped today, or skip what may"
    " stop it, and O(limits.passes_traffic) is false. It is this risk as well if that is not"
    " known.",
    any_of(*DECIDING),
    (MAY_PASS_TRAFFIC,),
)
WEAKENS_DDOS_RULES = Risk(
    "weakens_ddos_rules",
    "The plan would set an override of managed DDoS rules to log, C(eoff) or a lower sensitivity"
    " than before, or to a challenge where it blocked, or for more traffic, or would have one that"
    " blocks or challenges decide no longer. A zone that has none has those of its account.",
    any_of(*DDOS_OVERRIDES),
)
WEAKENS_RATE_LIMITS = Risk(
    "weakens_rate_limits",
    "The plan would remove, disable or narrow a rate limiting rule, turn it into log, or loosen it:"
    " more requests, a shorter period for the same number, a shorter timeout, or another way to"
    " count. Or it would have a rule skip rate limits.",
    any_of(RATE_LIMIT_RULES, *DECIDING_ON_REQUESTS),
)
WEAKENS_MANAGED_RULES = Risk(
    "weakens_managed_rules",
    "The plan would have managed rules stop fewer requests: by removing, disabling or narrowing"
    " what deploys them, by an override to a weaker action or off, or by an exception in front of"
    " them, or a rule that skips them.",
    any_of(MANAGED_RULES, *DECIDING_ON_REQUESTS),
)
RULE_RISKS = (
    *DELETION_RISKS,
    WEAKENS_ZONE,
    SKIPS_EVERYTHING,
    BLOCKS_EVERYTHING,
    PASSES_TRAFFIC,
    WEAKENS_NETWORK_FIREWALL,
    WEAKENS_DDOS_RULES,
    BLOCKS_TRAFFIC,
    WEAKENS_RATE_LIMITS,
    WEAKENS_MANAGED_RULES,
)


def risks_of_rules(resource: Resource) -> tuple[Risk, ...]:
    """The risks of plans for the rules of a resource."""
    return concerning(RULE_RISKS, [resource])

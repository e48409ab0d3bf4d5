# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The phases that have an entry point in an account or a zone: whose permission it takes, and which rules it refuses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from . import firewall_checks, managed_checks, override_checks, rate_checks, rule_checks
from .accounts import Account, Item
from .answers import NOT_ENTITLED, refusal
from .credentials import Area
from .zones import Zone

Check = Callable[[Item, Item | None, str], None]  # of a body, the rule that it replaces, and a pointer
OF_PLAN = {"free": 5, "pro": 20, "business": 100, "enterprise": 1000}  # custom rules, by the plan of the zone
RATES_OF_PLAN = {"free": 1, "pro": 2, "business": 5, "enterprise": 100}


# Fields by the plans whose zones have them, by "Fields reference" of each.
FIELDS_OF_PLANS: Mapping[str, tuple[str, ...]] = {
    r"cf\.waf\.score(?:\.(?:rce|sqli|xss))?": ("enterprise",),
    r"cf\.waf\.score\.class": ("business", "enterprise"),
    r"cf\.bot_management\.(?:score|ja3_hash|ja4|static_resource|corporate_proxy|detection_ids)": ("enterprise",),
}
TEXT_IN_QUOTES = re.compile(r'"(?:\\.|[^"\\])*"')


def entitled(check: Check, owner: Account | Zone) -> Check:
    """A check that also refuses new expressions with fields that the plan of a zone does not have."""
    plan = getattr(owner, "plan", "")

    def checked(body: Item, existing: Item | None, pointer: str) -> None:
        check(body, existing, pointer)
        expression = TEXT_IN_QUOTES.sub('""', body["expression"])
        if plan not in OF_PLAN or (existing and existing["expression"] == body["expression"]):
            return
        for field, plans in FIELDS_OF_PLANS.items():
            if plan not in plans and re.search(rf"(?<![\w.]){field}(?![\w.])", expression):
                raise refusal(
                    403, NOT_ENTITLED, "not entitled to use a field of the expression", f"{pointer}/expression"
                )

    return checked


@dataclass(frozen=True)
class Phase:
    """What the service does with the rules of one phase; `check` makes the check of an owner."""

    name: str
    area: Area
    check: Callable[[Account | Zone], Check]
    most: Callable[[Account | Zone], int]
    managed: Item | None = None
    most_custom: int = 0  # how many custom rulesets an owner may have


def most_custom_rules(owner: Account | Zone) -> int:
    return OF_PLAN.get(getattr(owner, "plan", ""), 10**6) - sum(len(each["rules"]) for each in owner.custom_rulesets)


def check_of_custom_rules(owner: Account | Zone) -> Check:
    ids = [each["id"] for each in owner.custom_rulesets]
    return entitled(rule_checks.of_entry_point(ids, isinstance(owner, Account)), owner)


def of_overrides(name: Area, overridden: override_checks.Overridden) -> Phase:
    return Phase(
        name,
        name,
        lambda owner: override_checks.of(overridden, getattr(owner, "advanced", True)),
        lambda owner: override_checks.MOST_RULES,
        overridden.managed,
    )


DDOS_L4, DDOS_L7 = of_overrides("ddos_l4", override_checks.L4), of_overrides("ddos_l7", override_checks.L7)
NETWORK_FIREWALL = Phase(
    "magic_transit",
    "network_firewall",
    lambda owner: firewall_checks.of(getattr(owner, "advanced", True)),
    lambda owner: getattr(owner, "most_network_firewall_rules", 0),
)
BESIDE_NETWORK_FIREWALL = [  # which are read alone: the service takes no rule for them
    Phase(name, "network_firewall", lambda owner: lambda body, existing, pointer: None, lambda owner: 0)
    for name in ("magic_transit_managed", "magic_transit_ids_managed", "magic_transit_ratelimit")
]
CUSTOM_RULES = Phase(
    rule_checks.PHASE, "waf", check_of_custom_rules, most_custom_rules, most_custom=rule_checks.MOST_RULESETS
)
MANAGED_RULES = Phase(
    "http_request_firewall_managed", "waf", lambda owner: entitled(managed_checks.check, owner), lambda owner: 10**6
)
CUSTOM_RULES_OF_ACCOUNT = replace(CUSTOM_RULES, area="account_waf")
RATE_LIMITS = Phase(
    "http_ratelimit",
    "waf",
    lambda owner: entitled(rate_checks.of(getattr(owner, "plan", "")), owner),
    lambda owner: RATES_OF_PLAN.get(getattr(owner, "plan", ""), 10**6),
)

OF_ACCOUNT = (NETWORK_FIREWALL, *BESIDE_NETWORK_FIREWALL, DDOS_L4, DDOS_L7, CUSTOM_RULES_OF_ACCOUNT)
PHASES: Mapping[str, Mapping[str, Phase]] = {  # by the option that names the owner, and by name
    "account_id": {phase.name: phase for phase in OF_ACCOUNT},
    "zone_id": {phase.name: phase for phase in (CUSTOM_RULES, RATE_LIMITS, MANAGED_RULES, DDOS_L7)},
}

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks that there are, by what a plan is about, and the options that follow from them."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from ..._errors import OptionError, OptionProblems
from ..._schema.resource import ACCOUNT_OPTION as ACCOUNT
from ..._schema.resource import ZONE_OPTION as ZONE
from ..._schema.resource import OptionSpec
from ..._text import Option
from .account import ALLOWLIST_RISKS, MONITORING_RISKS, PROTECTION_RISKS, TRAFFIC_RISKS
from .base import Change, Finding, Limit, Limits, Risk
from .lists import DELETION_RISKS, REFERENCED_LIST_RISKS
from .rulesets import NETWORK_FIREWALL_RISKS, OVERRIDE_RISKS, ZONE_RULE_RISKS

ACCOUNT_RISKS: tuple[Risk, ...] = (
    *PROTECTION_RISKS,
    *MONITORING_RISKS,
    *TRAFFIC_RISKS,
    *ALLOWLIST_RISKS,
    *DELETION_RISKS,
    *REFERENCED_LIST_RISKS,
)
RULESET_RISKS: Mapping[str, tuple[Risk, ...]] = {  # by the traffic that meets its rules
    "request": (*DELETION_RISKS, *ZONE_RULE_RISKS),
    "packet": (*DELETION_RISKS, *NETWORK_FIREWALL_RISKS),
    "": (*DELETION_RISKS, *OVERRIDE_RISKS),
}
RISKS: tuple[Risk, ...] = tuple(
    dict.fromkeys([*ACCOUNT_RISKS, *ZONE_RULE_RISKS, *NETWORK_FIREWALL_RISKS, *OVERRIDE_RISKS])
)
BY_OWNER: Mapping[str, tuple[Risk, ...]] = {ACCOUNT: ACCOUNT_RISKS, ZONE: RULESET_RISKS["request"]}


def codes_of(risks: Sequence[Risk]) -> tuple[str, ...]:
    """The codes of risks."""
    return tuple(item.code for item in risks)


def limits_of(risks: Sequence[Risk]) -> tuple[Limit, ...]:
    """The limits of risks, each once, in their order."""
    return tuple(dict.fromkeys(limit for item in risks for limit in item.limits))


CODES = codes_of(RISKS)
LIMITS = limits_of(RISKS)


def risk_options(risks: Sequence[Risk]) -> OptionSpec:
    """The argument spec of a module whose plans can have these risks; accept_risks takes codes and
    dictionaries."""
    spec: OptionSpec = {"accept_risks": {"type": "list", "elements": "raw", "default": []}}
    return {**spec, **{limit.name: limit.option for limit in limits_of(risks)}}


def parse_limits(options: Mapping[str, Any]) -> Limits:
    """The limits that a module's options set; raises OptionError for one out of range."""
    chosen: dict[str, float] = {}
    problems = OptionProblems()
    for limit in LIMITS:
        value = options.get(limit.name)
        if value is None:
            continue
        with problems.collected():
            if not 0 <= value <= limit.highest:
                raise OptionError(
                    Option(limit.name), f"{value} is not between 0 and {limit.highest}"
                )
            chosen[limit.name] = value
    problems.raise_any()
    return Limits(chosen)


def find_risks(change: Change, limits: Limits) -> list[Finding]:
    """Every risk that a plan carries, accepted or not, in the order of the codes."""
    risks = [item.in_change(change, limits) for item in RISKS]
    return [item for item in risks if item]

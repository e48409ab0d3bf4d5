# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of an account's Network Firewall, which the vendor describes in "Cloudflare Network
Firewall" (formerly Magic Firewall): the first rule that matches a packet decides, and an allowed
packet still meets the DDoS protection.
"""

from __future__ import annotations

from typing import AbstractSet, Any

from .._expressions.examination import PACKET_EXPRESSION
from .._expressions.expression import Expression
from .._values.kinds import mapping
from .neighbours import MAGIC_FIREWALL
from .products import NETWORK_FIREWALL
from .resource import ACCOUNT_OPTION, Values
from .rulesets import (
    LOGGING,
    RULE_SEMANTICS,
    accept_all,
    entry_point,
    fields_of_rules,
    fit_action,
    lacking,
)

CURRENT = {"ruleset": "current"}  # what a skip skips: the remaining rules


def _fit_packet_rule(
    rule: Values, existing: Values, task_fields: AbstractSet[str]
) -> dict[str, Any]:
    """A rule with the parameters that fit its action."""
    fitted = fit_action(rule, existing, task_fields)
    if fitted.get("action") != "skip" or "action_parameters" in task_fields:
        return fitted
    return {**fitted, "action_parameters": fitted.get("action_parameters") or CURRENT}


def _invalid_packet_rule(rule: Values) -> str:
    """The reason why Cloudflare would refuse a rule; empty if it would not."""
    action = rule.get("action")
    parameters = rule.get("action_parameters")
    if action == "skip" and not parameters:
        return "skips nothing: its action_parameters are empty; leave them out"
    if action != "skip" and parameters:
        return f"has the action {action}, and only skip says what is skipped"
    return lacking(rule, "action", "expression")


NETWORK_FIREWALL_RULES = entry_point(
    name="network_firewall_rule",
    title="Network Firewall rule",
    owner=ACCOUNT_OPTION,
    phase="magic_transit",
    traffic="packet",
    product=NETWORK_FIREWALL,
    permission=MAGIC_FIREWALL,
    quota=200,
    fields=fields_of_rules(
        ("block", "skip", "log"),
        PACKET_EXPRESSION,
        mapping({"ruleset": {"type": "str", "choices": ["current"]}}, accept_all),
        LOGGING,
    ),
    semantics=RULE_SEMANTICS._replace(
        normalise=_fit_packet_rule,
        invalid_reason=_invalid_packet_rule,
        unusual=lambda rule: Expression.of_object(rule).doubts(of_packets=True),
    ),
)

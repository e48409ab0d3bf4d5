# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How rules are evaluated: in which order, and what each of them does."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.rules_in_force import IN_ORDER
from ansible_collections.edgeops.protection.plugins.module_utils._protection.zone_rule import ZoneRule
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import EVALUATION, RULESETS

SKIP = {
    "action": "skip",
    "expression": "true",
    "action_parameters": {"ruleset": "current"},
    "logging": {"enabled": False},
}
BLOCK = {"action": "block", "expression": "true"}


def in_order(plural: str, rules: list[dict[str, Any]]) -> list[ZoneRule]:
    return IN_ORDER[plural](rules)


def firewall_rule(number: int, action: Any, **fields: Any) -> dict[str, Any]:
    return {"id": str(number) * 32, "action": action, "filter": {"id": "a" * 32, "expression": "ssl"}, **fields}


def test_firewall_rules_are_met_by_priority_then_by_action_then_as_listed() -> None:
    rules = [
        firewall_rule(1, "block"),
        firewall_rule(2, "odd", priority=2),
        firewall_rule(3, "log"),
        firewall_rule(4, "block", priority=2),
        firewall_rule(5, "allow", priority=2.0),
        firewall_rule(6, "allow", priority="1"),
        firewall_rule(7, "block", priority=2),
        firewall_rule(8, "js_challenge", priority=0),
    ]
    assert [rule.entry[0] for rule in in_order("firewall_rules", rules)] == list("85472361")


@pytest.mark.parametrize(
    ("rule", "enforces", "lets_pass", "terminates"),
    [
        (firewall_rule(1, "block"), True, False, True),
        (firewall_rule(1, "managed_challenge", paused=False), True, False, True),
        (firewall_rule(1, "allow"), False, True, True),
        (firewall_rule(1, "bypass", products=["waf"]), False, True, False),
        (firewall_rule(1, "log"), False, False, False),
        (firewall_rule(1, "odd"), False, False, False),
        (firewall_rule(1, None, filter=None), False, False, False),
        (firewall_rule(1, "block", paused=True), False, False, False),
        (firewall_rule(1, "block", paused="unknown"), False, False, False),
        (firewall_rule(1, "allow", filter={"id": "a", "expression": "ssl", "paused": True}), False, False, False),
        (firewall_rule(1, "block", filter={"id": "a", "deleted": True}), False, False, False),
    ],
)
def test_a_firewall_rule_enforces_lets_pass_or_terminates(
    rule: dict[str, Any], enforces: bool, lets_pass: bool, terminates: bool
) -> None:
    (evaluated,) = in_order("firewall_rules", [rule])
    assert (evaluated.enforces, evaluated.lets_pass, evaluated.terminates) == (enforces, lets_pass, terminates)


@pytest.mark.parametrize(
    ("rule", "enforces", "lets_pass", "terminates"),
    [
        (BLOCK, True, False, True),
        ({**BLOCK, "action": "js_challenge", "enabled": None}, True, False, True),
        ({**BLOCK, "enabled": False}, False, False, False),
        (SKIP, False, True, True),
        ({**SKIP, "action_parameters": {"phase": "current"}}, False, True, True),
        ({**SKIP, "action_parameters": {"products": ["waf"], "phases": ["http_ratelimit"]}}, False, True, False),
        ({**SKIP, "action_parameters": {"unknown": "current"}}, False, True, False),
        ({**SKIP, "action": "log"}, False, False, False),
    ],
)
def test_a_custom_rule_enforces_lets_pass_or_terminates(
    rule: dict[str, Any], enforces: bool, lets_pass: bool, terminates: bool
) -> None:
    (evaluated,) = in_order("custom_rules", [{"ref": "r", **rule}])
    assert (evaluated.enforces, evaluated.lets_pass, evaluated.terminates) == (enforces, lets_pass, terminates)


def test_a_rule_is_named_by_its_key_and_its_description() -> None:
    rules = [firewall_rule(1, "block", description="scrapers"), firewall_rule(2, "block", description="")]
    assert [rule.title for rule in in_order("firewall_rules", rules)] == ["1" * 32 + " (scrapers)", "2" * 32]


@pytest.mark.parametrize(
    ("rule", "enforces", "lets_pass"),
    [(BLOCK, True, False), (SKIP, False, True), ({**BLOCK, "action": "log"}, False, False)],
)
def test_a_network_firewall_rule_blocks_or_lets_pass(rule: dict[str, Any], enforces: bool, lets_pass: bool) -> None:
    (evaluated,) = in_order("network_firewall_rules", [{"ref": "r", **rule}])
    assert (evaluated.enforces, evaluated.lets_pass, evaluated.terminates) == (
        enforces,
        lets_pass,
        enforces or lets_pass,
    )


def test_packets_meet_the_network_firewall_and_requests_all_other_rules() -> None:
    assert {resource.plural: resource.traffic for resource in EVALUATION} == {
        "firewall_rules": "request",
        "custom_rules": "request",
        "rate_limit_rules": "request",
        "managed_rules": "request",
        "network_firewall_rules": "packet",
    }
    assert all(resource.document.field == "rules" for resource in RULESETS)

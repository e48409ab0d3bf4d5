# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What rules of a zone take from others, and what they lack."""

from __future__ import annotations

from typing import Any, Dict

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.holes import judge_rules, weaker_records
from ansible_collections.edgeops.protection.plugins.module_utils._schema.network_firewall import NETWORK_FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES, FIREWALL_RULES

Rule = Dict[str, Any]
HOST = 'http.host eq "a"'


def rule(ref: str, action: str, expression: str, **others: Any) -> Rule:
    return {"ref": ref, "action": action, "expression": expression, "enabled": True, **others}


def skip(expression: str, ref: str = "pass", **parameters: Any) -> Rule:
    return rule(ref, "skip", expression, action_parameters=parameters or {"ruleset": "current"})


LOGIN = rule("login", "block", HOST)
FORM = rule("form", "managed_challenge", "ip.src in {192.0.2.0/24}")
SKIPS: list[tuple[list[Rule], bool | None, str]] = [
    ([skip("true"), LOGIN, FORM], True, "lets requests pass that custom rules login, form would stop"),
    ([skip(HOST), LOGIN], True, "lets requests pass that custom rule login would stop"),
    ([skip("ip.src in {192.0.2.0/25}"), LOGIN], None, "may let requests pass that custom rule login would stop"),
    ([skip('http.host matches "a{2}"'), LOGIN], None, "may let requests pass that custom rule login would stop"),
    ([skip('http.host eq "b"'), LOGIN], False, ""),
    ([LOGIN, skip("true")], False, ""),
    ([skip("true")], False, ""),
    ([skip("false"), LOGIN], False, ""),
    ([LOGIN, skip("false", products=["waf"])], False, ""),
    ([{**skip("true"), "enabled": False}, LOGIN], False, ""),
    ([rule("pass", "log", "true"), LOGIN], False, ""),
    ([rule("pass", "block", "true"), LOGIN], False, ""),
    ([LOGIN, skip("true", products=["waf"])], True, "skips products waf for every request"),
    ([LOGIN, skip(HOST, products=["waf"])], None, "may skip products waf for requests"),
    (
        [skip(HOST, products=["waf"], ruleset="current"), LOGIN],
        True,
        "lets requests pass that custom rule login would stop",
    ),
    ([skip("true"), {**LOGIN, "enabled": False}], False, ""),
]


@pytest.mark.parametrize(("rules", "weakens", "reason"), SKIPS)
def test_a_rule_that_nobody_names(rules: list[Rule], weakens: bool | None, reason: str) -> None:
    names = {CUSTOM_RULES.plural: frozenset([("login",), ("form",)])}
    verdicts = judge_rules({CUSTOM_RULES.plural: rules}, names)
    assert verdicts == {(CUSTOM_RULES.plural, ("pass",)): (weakens, reason)}


def test_a_rule_of_the_network_firewall_is_about_packets() -> None:
    plural = NETWORK_FIREWALL_RULES.plural
    telnet = rule("telnet", "block", "tcp.dstport eq 23")
    verdicts = judge_rules({plural: [skip("true"), telnet]}, {plural: frozenset([("telnet",)])})
    assert verdicts[plural, ("pass",)].reason == "lets packets pass that Network Firewall rule telnet would stop"


def test_firewall_rules_count_in_the_order_of_their_evaluation() -> None:
    def firewall(number: int, action: str, priority: int) -> Rule:
        condition = {"expression": "true", "paused": False}
        return {"id": f"{number:032x}", "action": action, "priority": priority, "paused": False, "filter": condition}

    for priority, weakens in ((1, True), (9, False)):
        rules = [firewall(1, "block", 5), firewall(2, "allow", priority)]
        keys = [FIREWALL_RULES.key_of(item) for item in rules]
        verdicts = judge_rules({FIREWALL_RULES.plural: rules}, {FIREWALL_RULES.plural: frozenset(keys[:1])})
        assert [verdict.weakens for verdict in verdicts.values()] == [weakens]


CHANGES: list[tuple[list[Rule], list[Rule], list[tuple[bool, str]]]] = [
    ([LOGIN], [LOGIN], []),
    ([rule("login", "block", "false")], [LOGIN], [(True, "matches fewer requests than described")]),
    ([rule("login", "block", HOST + " and ssl")], [LOGIN], [(True, "matches fewer requests than described")]),
    ([rule("login", "block", 'http.host eq "b"')], [LOGIN], [(True, "matches fewer requests than described")]),
    ([rule("login", "block", "ssl")], [LOGIN], [(False, "may match fewer requests than described")]),
    ([rule("login", "block", HOST + " or ssl")], [LOGIN], []),
    ([rule("login", "block", 'http.host in {"a"}')], [LOGIN], []),
    ([rule("login", "log", "false")], [LOGIN], []),
    ([skip("true")], [skip(HOST)], [(True, "lets more requests pass than described")]),
    ([skip("ssl")], [skip(HOST)], [(False, "may let more requests pass than described")]),
    ([skip(HOST + " and ssl")], [skip(HOST)], []),
    ([skip(HOST, ruleset="current", products=["waf"])], [skip(HOST)], [(True, "skips more than described (products waf)")]),
    ([skip(HOST), LOGIN], [LOGIN, skip(HOST)], [(True, "lets requests pass that custom rule login would stop")]),
    ([LOGIN, skip(HOST)], [skip(HOST), LOGIN], []),
    ([skip('http.host eq "b"'), LOGIN], [LOGIN, skip('http.host eq "b"')], []),
    ([], [LOGIN], []),
    ([skip(HOST), LOGIN], [LOGIN], [(True, "lets requests pass that custom rule login would stop")]),
    ([LOGIN, skip(HOST)], [LOGIN], []),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "lacks"), CHANGES)
def test_a_rule_enforces_less_before_a_plan(before: list[Rule], after: list[Rule], lacks: list[Any]) -> None:
    records = weaker_records({CUSTOM_RULES.plural: before}, {CUSTOM_RULES.plural: after})
    assert [(item["certain"], item["reason"]) for item in records] == lacks
    assert {item["resource"] for item in records} <= {"custom_rule"}

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.batch import Batch
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import Fields
from ansible_collections.edgeops.protection.plugins.module_utils._protection.decide import (
    decide_request,
    decide_requests,
    never_decides,
    rules_in_order,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.modes import UNDECIDED
from ansible_collections.edgeops.protection.plugins.module_utils._protection.outcomes import Outcome
from ansible_collections.edgeops.protection.plugins.module_utils._protection.zone_rule import in_order_of
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.network_firewall import NETWORK_FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Field
from ansible_collections.edgeops.protection.plugins.module_utils._values.kinds import TEXT

Rule = Dict[str, Any]
HERE = Fields({"http.host": b"a"})
MATCH, OTHER, OPEN = 'http.host eq "a"', 'http.host eq "b"', "ssl"


def rule(ref: str, action: str, expression: str = MATCH, **others: Any) -> Rule:
    return {"ref": ref, "action": action, "expression": expression, "enabled": True, **others}


def skip(ref: str, expression: str = MATCH, **parameters: Any) -> Rule:
    return rule(ref, "skip", expression, action_parameters=parameters or {"ruleset": "current"})


@pytest.mark.parametrize(
    ("rules", "outcomes", "skips"),
    [
        ([], [Outcome("allowed")], []),
        ([rule("a", "block"), rule("b", "log")], [Outcome("blocked", "a")], []),
        ([rule("a", "block", OTHER), rule("b", "js_challenge")], [Outcome("challenged", "b")], []),
        ([rule("a", "block", enabled=False)], [Outcome("allowed")], []),
        ([rule("a", "log"), rule("b", "log")], [Outcome("logged", "a")], []),
        ([rule("a", "log"), rule("b", "block")], [Outcome("blocked", "b")], []),
        ([skip("a"), rule("b", "block")], [Outcome("skipped", "a")], []),
        ([skip("a", phase="current"), rule("b", "block")], [Outcome("skipped", "a")], ["phase"]),
        ([skip("a", products=["waf"]), rule("b", "block")], [Outcome("blocked", "b")], ["products waf"]),
        ([skip("a", OPEN, products=["waf"])], [Outcome("allowed")], ["perhaps products waf"]),
        ([rule("a", "block", OPEN), rule("b", "block")], [Outcome("blocked", "a"), Outcome("blocked", "b")], []),
        ([rule("a", "log", OPEN)], [Outcome("allowed"), Outcome("logged", "a")], []),
        ([rule("a", "log", OPEN), rule("b", "log")], [Outcome("logged", "a"), Outcome("logged", "b")], []),
        ([rule("a", "block", exposed_credential_check={"username_expression": "x"})], [Outcome("blocked", "a"), Outcome("allowed")], []),
        ([rule("a", "block", id="x", version="1", categories=["x"], last_updated="x")], [Outcome("blocked", "a")], []),
        ([rule("a", "execute")], [Outcome("unknown", "a"), Outcome("allowed")], []),
        ([skip("a", engines=["x"]), rule("b", "block")], [Outcome("unknown", "a"), Outcome("blocked", "b")],
         ["perhaps the action parameter engines"]),
        ([skip("a", phase="next"), rule("b", "block")], [Outcome("unknown", "a"), Outcome("blocked", "b")], ["perhaps the action parameter phase"]),
        ([skip("a", ruleset="current", engines=["x"]), rule("b", "block")], [Outcome("skipped", "a")], ["perhaps the action parameter engines"]),
        ([skip("a", OTHER, engines=["x"]), rule("b", "block")], [Outcome("blocked", "b")], []),
    ],
)  # fmt: skip
def test_rules_decide_in_their_order(rules: list[Rule], outcomes: list[Outcome], skips: list[str]) -> None:
    decided = decide_request(rules_in_order({"custom_rules": rules}), HERE)
    assert (decided.outcomes, decided.skips) == (outcomes, skips)
    assert bool(decided.reasons) is (len(outcomes) > 1)


def test_a_field_that_is_declared_may_narrow_what_a_rule_matches() -> None:
    check = Field("exposed_credential_check", TEXT)
    checked = rule("a", "block", exposed_credential_check={"username_expression": "x"})
    for resource in (CUSTOM_RULES, NETWORK_FIREWALL_RULES):
        in_order = in_order_of(replace(resource, fields=(*resource.fields, check)))
        assert decide_request(in_order([checked]), HERE).word == UNDECIDED
        assert decide_request(in_order([rule("a", "block")]), HERE).word == "blocked"


def test_reasons_name_the_rule_and_the_field() -> None:
    rules = [rule("a", "block", OPEN), rule("b", "execute"), skip("c", engines=["x"])]
    decided = decide_request(rules_in_order({"custom_rules": rules}), HERE)
    assert decided.reasons == [
        "rule a: the field ssl is not given",
        "rule b: the action execute is not known",
        "rule c: the action parameter engines is not known",
    ]


def test_many_requests_are_decided_like_each_of_them() -> None:
    rules = rules_in_order(
        {"custom_rules": [rule("a", "block", OTHER), rule("b", "log", OPEN), rule("c", "block", "")]}
    )
    requests = [HERE, Fields({"http.host": b"b"}), Fields({"ssl": True}), Fields({"ssl": False})]
    decided = decide_requests(rules, Batch(requests))
    assert decided == [decide_request(rules, fields) for fields in requests]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("office", ""),
        ("trace", ""),
        ("offices", "there is no rule offices (did you mean office?)"),
        ("x", "there is no rule x"),
        ("old", "the rule old is disabled"),
        ("waf", "the rule waf neither ends the evaluation nor logs"),
    ],
)
def test_a_rule_that_never_decides_is_known(name: str, reason: str) -> None:
    rules = [rule("office", "block"), rule("trace", "log"), rule("old", "block", enabled=False)]
    state = {"custom_rules": [*rules, skip("waf", products=["waf"])]}
    assert never_decides(state, CUSTOM_RULES, name) == reason
    assert never_decides({}, CUSTOM_RULES, "x") == "there is no rule x"

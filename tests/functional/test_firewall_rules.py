# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Firewall rules that share a filter: changes are merged, contradictions refused, every rule concerned shown. Products."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import export_state

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import FILTER_1, FILTER_2, RULE_1, RULE_2, RULE_3, RULE_4, SHARED
from tests.support.module_run import ZONE, Modules


@pytest.fixture(autouse=True)
def seeded(service: LocalService) -> None:
    service.zone(ZONE).seed(**SHARED)


def expressions(rules: Any) -> dict[str, str]:
    return {key: rule["filter"]["expression"] for key, rule in rules.items()}


def test_the_changes_of_two_rules_reach_their_filter_together(service: LocalService, modules: Modules) -> None:
    rules = [{"id": RULE_1, "filter": {"expression": "true"}}, {"id": RULE_2, "filter": {"paused": True}}]
    result = modules.done("firewall_rules", rules=rules, accept_risks=["weakens_zone"])
    stored = service.zone(ZONE).find(service.zone(ZONE).filters, FILTER_1)
    assert stored == {"id": FILTER_1, "expression": "true", "paused": True, "description": "", "ref": "bots"}
    assert [item["fields"] for item in result["operations"]] == [
        {"filter": {"expression": "true"}},
        {"filter": {"paused": True}},
    ]
    assert [rule["filter"] for rule in result["rules"]] == [stored, stored]
    assert len(result["warnings"]) == 1  # of the risk


@pytest.mark.parametrize("check", [True, False])
def test_the_diff_and_the_result_show_every_rule_that_a_filter_concerns(check: bool, modules: Modules) -> None:
    rules = [{"id": RULE_1, "filter": {"expression": "not ssl"}}, {"id": RULE_2}]
    result = modules.done("firewall_rules", check=check, rules=rules)
    for side, expression in (("before", "cf.client.bot"), ("after", "not ssl")):
        shown = expressions(result["diff"][side]["firewall_rules"])
        assert shown == dict.fromkeys((RULE_1, RULE_2, RULE_4), expression)
    assert [rule["filter"]["expression"] for rule in result["rules"]] == ["not ssl", "not ssl"]
    assert [item["key"] for item in result["operations"]] == [RULE_1]


def test_a_change_reaches_the_filter_across_batches(service: LocalService, modules: Modules) -> None:
    service.reset()
    ids = [f"{number:032x}" for number in range(1, 31)]
    shared = {"id": FILTER_1, "expression": "cf.client.bot"}
    service.zone(ZONE).seed(rules=[{"id": key, "action": "log", "filter": shared} for key in ids])
    rules: list[dict[str, Any]] = [{"id": key, "paused": True} for key in ids]
    rules[0]["filter"], rules[29]["filter"] = {"expression": "true"}, {"paused": True}
    assert modules.lawful("firewall_rules", rules=rules)["rules"] == service.zone(ZONE).rules


CONTRADICTIONS: list[tuple[list[dict[str, Any]], int, str]] = [
    (
        [{"id": RULE_1, "filter": {"paused": False}}, {"id": RULE_2, "filter": {"paused": True}}],
        1,
        f"rules[1].filter.paused: it contradicts rules[0].filter.paused; both entries are about the filter {FILTER_1}. "
        "Keep one of them. Nothing was changed.",
    ),
    (
        [{"id": RULE_3, "filter": {"id": FILTER_1, "expression": "a"}}, {"id": RULE_2, "filter": {"expression": "b"}}],
        1,
        "rules[1].filter.expression: it contradicts rules[0].filter.expression",
    ),
    (
        [
            {"id": RULE_1, "filter": {"id": FILTER_2, "ref": "a"}},
            {"id": RULE_2, "filter": {"id": FILTER_2, "ref": "b"}},
        ],
        0,
        "rules[1].filter.ref: it contradicts rules[0].filter.ref",
    ),
]


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(("rules", "calls", "message"), CONTRADICTIONS)
def test_two_values_for_one_filter_are_refused(
    rules: list[dict[str, Any]], calls: int, message: str, check: bool, service: LocalService, modules: Modules
) -> None:
    assert message in modules.failed("firewall_rules", check=check, rules=rules)["msg"]
    assert len(service.calls) == calls


def test_values_that_are_written_differently_and_are_equal_contradict_nothing(modules: Modules) -> None:
    rules = [
        {"id": RULE_1, "filter": {"expression": "cf.client.bot and  ssl"}},
        {"id": RULE_2, "filter": {"expression": "cf.client.bot and ssl"}},
    ]
    modules.lawful("firewall_rules", rules=rules)


@pytest.mark.parametrize("check", [True, False])
def test_products_for_a_rule_that_does_not_bypass_are_refused_whether_the_task_names_its_action_or_not(
    check: bool, service: LocalService, modules: Modules
) -> None:
    result = modules.failed("firewall_rules", check=check, rules=[{"id": RULE_2, "products": ["waf"]}])
    assert f"The firewall rule {RULE_2} has the action challenge, and only a rule with action bypass" in result["msg"]
    named = modules.failed(
        "firewall_rules", check=check, rules=[{"id": RULE_2, "action": "block", "products": ["waf"]}]
    )
    assert "rules[0].products: only a rule with action bypass has products" in named["msg"]
    assert service.writes == []


def test_a_deleted_filter_is_not_sent_back_as_such(service: LocalService, modules: Modules) -> None:
    """What the service sets is not the task's to send."""
    service.reset()
    zone = service.zone(ZONE).seed(rules=[{"action": "block", "filter": {"expression": "ip.src eq 192.0.2.1"}}])
    zone.rules[0]["filter"]["deleted"] = True
    service.switch(checked_against_contract=False)
    rule = {"id": zone.rules[0]["id"], "description": "its filter is gone"}
    result = modules.run("firewall_rules", rules=[rule])
    assert [call.method for call in service.writes] == ["PUT"], result
    assert "deleted" not in service.writes[0].body["filter"], service.writes[0].body


@pytest.mark.parametrize(
    ("of_filter", "claimed"),
    [({"deleted": True}, True), ({"deleted": False, "expression": "ssl"}, False), ({"expression": "ssl"}, False)],
)
def test_a_rule_whose_filter_is_deleted_cannot_work(
    of_filter: dict[str, Any], claimed: bool, service: LocalService, modules: Modules
) -> None:
    service.reset()
    service.switch(checked_against_contract=False)
    zone = service.zone(ZONE).seed(rules=[{"action": "block", "filter": {"expression": "ssl"}}])
    rule = zone.rules[0]
    rule["filter"] = {"id": rule["filter"]["id"], **of_filter}
    result = modules.done("firewall_rules", check=True, rules=[{"id": rule["id"], "action": "block"}])
    reasons = [finding["reason"] for finding in result["ineffective"]]
    assert reasons == (["its filter is deleted, so that it matches no request"] if claimed else [])


@pytest.mark.parametrize("paused", [True, False])
def test_the_export_of_a_filter_without_an_expression_says_whether_it_is_paused(paused: bool) -> None:
    rule = {"id": RULE_1, "action": "block", "paused": False, "filter": {"id": RULE_2, "paused": paused}}
    exported = export_state({"firewall_rules": [rule]}).variables["baseline_firewall_rules"]
    assert exported[0]["filter"] == {"id": RULE_2, "paused": paused}
    deleted = {**rule, "filter": {"id": RULE_2, "deleted": True}}
    assert "filter" not in export_state({"firewall_rules": [deleted]}).variables["baseline_firewall_rules"][0]

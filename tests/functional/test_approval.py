# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Apply what was approved: a task with the id of a plan applies that plan, and writes nothing where it is another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import CASES, CUSTOM, FIREWALL, RULE_1, Case
from tests.support.module_run import ACCOUNT, WRITING, ZONE, Modules
from tests.support.sampled_rows import sample
from tests.support.service_state import collections_of, seed

ANOTHER = "0" * 64
CHANGING = [case for case in CASES if case.operations]


@pytest.fixture(autouse=True)
def empty_account(service: LocalService) -> None:
    service.account(ACCOUNT)


def refused(result: dict[str, Any], predicted: dict[str, Any]) -> None:
    """The result is a refusal that shows the plan."""
    assert "Nothing was changed." in result["msg"]
    assert (result["operations"], result["plan_id"]) == (predicted["operations"], predicted["plan_id"])
    said = [{name: risk[name] for name in risk if name != "message"} for risk in predicted.get("risks", ())]
    assert result.get("risks", []) == said


@pytest.mark.parametrize("case", sample(CHANGING, 3), ids=lambda case: case.name)
def test_the_approved_plan_is_applied_and_any_other_is_not(case: Case, service: LocalService, modules: Modules) -> None:
    seed(service, case.module, case.existing)
    before = collections_of(service)
    predicted = modules.done(case.module, check=True, **case.options)
    for expected in (ANOTHER, ""):
        for check in (True, False):
            result = modules.failed(case.module, check, expected_plan=expected, **case.options)
            assert "The plan is not the approved one" in result["msg"]
            refused(result, predicted)
    assert (service.writes, collections_of(service)) == ([], before)
    approved = {**case.options, "expected_plan": predicted["plan_id"]}
    assert modules.done(case.module, check=True, **approved)["operations"] == predicted["operations"]
    assert modules.done(case.module, **approved)["operations"] == predicted["operations"]
    assert modules.done(case.module, **approved)["changed"] is False


def test_every_module_that_writes_refuses_another_plan() -> None:
    assert {case.module for case in CHANGING} == {*WRITING}


def test_an_approved_rule_does_not_mean_another_list(service: LocalService, modules: Modules) -> None:
    """Lists that no changed rule names do not count."""
    lists = [{"name": name, "items": [{"ip": "192.0.2.1"}]} for name in ("offices", "shops")]
    account = service.account(ACCOUNT).seed(lists=lists)
    rule = {"ref": "office", "action": "skip", "expression": "ip.src in $offices", "position": "first"}
    options: dict[str, Any] = {"rules": [rule]}
    predicted = modules.done("network_firewall_rules", check=True, **options)
    items = {item["name"]: item["items"] for item in account.ip_lists.lists}
    items["shops"].append(account.ip_lists.item({"ip": "11.0.0.0/8"}))
    assert modules.done("network_firewall_rules", check=True, **options)["plan_id"] == predicted["plan_id"]
    items["offices"].append(account.ip_lists.item({"ip": "11.0.0.0/8"}))
    refusal = modules.failed("network_firewall_rules", expected_plan=predicted["plan_id"], **options)
    assert "The plan is not the approved one" in refusal["msg"]
    items["offices"].pop()
    assert modules.done("network_firewall_rules", expected_plan=predicted["plan_id"], **options)["changed"]


ADMIN: dict[str, Any] = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
SKIPPED: dict[str, Any] = {**ADMIN, "action": "skip", "action_parameters": {"ruleset": "current"}}


@pytest.mark.parametrize("owner", [{}, {"zone_id": None, "account_id": ACCOUNT}], ids=["zone", "account"])
def test_an_approved_deployment_does_not_mean_another_ruleset(
    owner: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    """A ruleset that no changed rule deploys does not count."""
    store: Any = service.account(ACCOUNT) if owner else service.zone(ZONE)
    rulesets = [
        {"id": digit * 32, "name": name, "kind": "custom", "phase": "http_request_firewall_custom", "rules": [ADMIN]}
        for digit, name in (("5", "team"), ("6", "shop"))
    ]
    store.seed(custom_rulesets=rulesets)
    team, shop = store.custom_rulesets
    deploy = {"expression": 'cf.zone.plan eq "ENT"' if owner else "true"}
    options: dict[str, Any] = {"name": "team", "deploy": deploy, **owner}
    predicted = modules.done("custom_ruleset", check=True, **options)
    assert [operation["resource"] for operation in predicted["operations"]] == ["custom_rule"] or owner
    admin = team["rules"][0]
    shop["rules"] = [{**shop["rules"][0], **SKIPPED}]
    assert modules.done("custom_ruleset", check=True, **options)["plan_id"] == predicted["plan_id"]
    team["rules"] = [{**admin, **SKIPPED}]
    refusal = modules.failed("custom_ruleset", expected_plan=predicted["plan_id"], **options)
    assert "The plan is not the approved one" in refusal["msg"]
    team["rules"] = [{**admin, "last_updated": "2026-11-28T12:00:00Z", "version": "7"}]
    assert modules.done("custom_ruleset", expected_plan=predicted["plan_id"], **options)["changed"]


def test_an_approved_deployment_does_not_mean_other_lists_of_its_ruleset(
    service: LocalService, modules: Modules
) -> None:
    account = service.account(ACCOUNT).seed(lists=[{"name": "offices", "items": [{"ip": "192.0.2.1"}]}])
    rule = {**SKIPPED, "expression": "ip.src in $offices"}
    ruleset = {
        "id": "5" * 32,
        "name": "team",
        "kind": "custom",
        "phase": "http_request_firewall_custom",
        "rules": [rule],
    }
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rulesets=[ruleset])
    options: dict[str, Any] = {"name": "team", "deploy": {"expression": "true"}}
    predicted = modules.done("custom_ruleset", check=True, **options)
    account.ip_lists.lists[0]["items"].append(account.ip_lists.item({"ip": "11.0.0.0/8"}))
    refusal = modules.failed("custom_ruleset", expected_plan=predicted["plan_id"], **options)
    assert "The plan is not the approved one" in refusal["msg"]


def test_a_plan_of_another_account_is_not_the_approved_one(service: LocalService, modules: Modules) -> None:
    options: dict[str, Any] = {"prefix": "198.51.100.7"}
    approved = modules.done("allowlist_entry", check=True, **options)["plan_id"]
    service.account("f" * 32)
    other = modules.failed("allowlist_entry", account_id="f" * 32, expected_plan=approved, **options)
    assert other["plan_id"] not in ("", approved)
    assert service.writes == []


def test_credentials_and_spelling_make_no_other_plan(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(allowlist=[{"prefix": "198.51.100.7/32", "comment": "old"}])
    token = service.add_token("another-token")
    calls: list[dict[str, Any]] = [
        {"prefix": "198.51.100.7"},
        {"prefix": "198.51.100.7/32", "state": "present", "enabled": True, "retries": 1},
        {"prefix": " 198.51.100.7 ", "api_token": token, "account_id": ACCOUNT.upper()},
        {"prefix": "198.51.100.7", "base_url": service.base_url + "/"},
    ]
    ids = {modules.done("allowlist_entry", check=True, comment="new", **options)["plan_id"] for options in calls}
    assert len(ids) == 1


def test_a_zone_by_its_name_has_the_plan_of_the_zone_by_its_id(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(name="one.example", **CUSTOM)
    rules = [{"ref": "login", "action": "block"}]
    by_name = modules.done("custom_rules", check=True, zone_id=None, zone_name="one.example", rules=rules)
    assert by_name["plan_id"] == modules.done("custom_rules", check=True, rules=rules)["plan_id"]


def test_an_unapproved_plan_with_a_risk_says_both(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(enabled=True)
    result = modules.failed("tcp_protection_status", enabled=False, expected_plan=ANOTHER)
    assert "disables_protection" in result["msg"]
    assert "The plan is not the approved one" in result["msg"]
    assert [risk["code"] for risk in result["risks"]] == ["disables_protection"]


@pytest.mark.parametrize("fault", ["lost_after", "lost_before", "truncated"])
def test_operations_left_after_a_lost_answer_are_approved_too(
    fault: str, service: LocalService, modules: Modules, waits: list[float]
) -> None:
    options: dict[str, Any] = {"entries": [{"prefix": f"10.0.0.{number}"} for number in range(3)]}
    approved = modules.done("allowlist", check=True, **options)["plan_id"]
    service.misbehave(fault, method="POST", times=1)
    done = modules.done("allowlist", expected_plan=approved, **options)
    assert (done["plan_id"], len(done["operations"])) == (approved, 3)
    assert modules.done("allowlist", expected_plan=approved, **options)["changed"] is False


def test_a_part_of_an_approved_operation_is_approved_too(
    service: LocalService, modules: Modules, waits: list[float]
) -> None:
    service.zone(ZONE).seed(**FIREWALL)
    options: dict[str, Any] = {
        "rules": [{"id": RULE_1, "action": "block", "filter": {"expression": "ip.src eq 10.9.9.9"}}],
        "accept_risks": ["weakens_zone"],
    }
    approved = modules.done("firewall_rules", check=True, **options)["plan_id"]
    service.misbehave("lost_before", method="PUT", path="/filters/", times=1)
    modules.done("firewall_rules", expected_plan=approved, **options)
    assert service.zone(ZONE).rules[0]["filter"]["expression"] == "ip.src eq 10.9.9.9"


def seeds_entry(service: LocalService) -> Callable[[], object]:
    return lambda: service.account(ACCOUNT).seed(allowlist=[{"prefix": "10.0.0.1", "comment": "theirs"}])


def test_operations_of_somebody_else_are_not_approved(service: LocalService, modules: Modules) -> None:
    options: dict[str, Any] = {"prefix": "10.0.0.1", "comment": "ours"}
    approved = modules.done("allowlist_entry", check=True, **options)["plan_id"]
    service.switch(refuse_duplicates=True)
    service.misbehave("meanwhile", method="POST", times=1, action=seeds_entry(service))
    result = modules.failed("allowlist_entry", expected_plan=approved, **options)
    assert "What is left is not a part of the plan that expected_plan approves" in result["msg"]
    assert result["plan_id"] == approved
    assert [len(result[part]) for part in ("done", "left", "unknown")] == [0, 1, 0]
    assert service.account(ACCOUNT).allowlist[0]["comment"] == "theirs"


def test_a_failure_while_writing_names_the_plan(service: LocalService, modules: Modules) -> None:
    options: dict[str, Any] = {"prefix": "198.51.100.7"}
    approved = modules.done("allowlist_entry", check=True, **options)["plan_id"]
    service.misbehave("status", method="POST", status=403)
    assert modules.failed("allowlist_entry", **options)["plan_id"] == approved


def test_a_plan_that_the_service_does_not_validate_is_shown(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(**CUSTOM)
    options: dict[str, Any] = {"rules": [{"ref": "login", "action": "block"}], "validate": True}
    predicted = modules.done("custom_rules", check=True, **options)
    service.misbehave("status", method="PUT", status=400, errors=[{"code": 20127, "message": "no"}])
    failed = modules.failed("custom_rules", check=True, **options)
    assert (failed["operations"], failed["plan_id"]) == (predicted["operations"], predicted["plan_id"])

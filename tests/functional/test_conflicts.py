# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A lost answer, and somebody else who is faster: the module reads again, and the result tells the truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._apply import executor

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import FIREWALL, RULE_1, RULE_2
from tests.support.misbehaviour import answer_together
from tests.support.module_run import ACCOUNT, OTHERS, ZONE, Modules, warnings_of

LOST = ["lost_after", "status_after", "truncated", "cut_body", "empty"]
CREATES: list[tuple[str, dict[str, Any]]] = [
    ("allowlist", {"entries": [{"prefix": "10.0.0.1"}, {"prefix": "10.0.0.2"}]}),
    ("protected_prefixes", {"prefixes": [{"prefix": f"10.{number // 250}.{number % 250}.0/24"} for number in range(601)]}),
    ("protection_rule", {"kind": "syn_flood", "scope": "global"}),
    ("protection_filter", {"kind": "out_of_state_tcp", "expression": "tcp.dstport eq 80"}),
]  # fmt: skip


@pytest.fixture(autouse=True)
def seeded(service: LocalService) -> None:
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "198.51.100.0/24"}], allowlist=[{"prefix": "192.0.2.1"}])
    service.zone(ZONE).seed(**FIREWALL)


def keys(operations: list[dict[str, Any]]) -> list[str]:
    return [f"{item['action']} {item['key']}" for item in operations]


@pytest.mark.parametrize("fault", LOST)
@pytest.mark.parametrize(("module", "options"), CREATES, ids=lambda value: str(value)[:40])
def test_a_create_whose_answer_is_lost_is_neither_repeated_nor_reported_as_failed(
    fault: str, module: str, options: dict[str, Any], service: LocalService, modules: Modules, waits: list[float]
) -> None:
    predicted = modules.done(module, check=True, **options)
    service.misbehave(fault, method="POST", times=1)
    done = modules.done(module, **options)
    assert sorted(keys(done["operations"])) == sorted(keys(predicted["operations"]))
    assert done["diff"] == predicted["diff"]
    posted = [entry for call in service.writes for entry in (call.body if isinstance(call.body, list) else [call.body])]
    assert len(posted) == len(predicted["operations"])
    assert modules.done(module, **options)["changed"] is False


def test_a_filter_that_cannot_be_brought_into_line_is_tried_once_more(
    service: LocalService, modules: Modules, waits: list[float]
) -> None:
    service.misbehave("truncated", method="PUT", path="/filters/", times=1)
    options: dict[str, Any] = {"rules": [{"id": RULE_1, "filter": {"expression": "not ssl"}}]}
    assert modules.done("firewall_rules", **options)["changed"] is True
    assert modules.done("firewall_rules", **options)["changed"] is False


def create(service: LocalService, **entry: Any) -> Callable[[], object]:
    return lambda: service.account(ACCOUNT).seed(allowlist=[entry])


def create_prefix(service: LocalService, prefix: str) -> Callable[[], object]:
    return lambda: service.account(ACCOUNT).seed(prefixes=[{"prefix": prefix}])


def remove(service: LocalService) -> Callable[[], object]:
    return service.account(ACCOUNT).allowlist.clear


def test_an_equal_entry_made_meanwhile_is_taken_as_it_is(service: LocalService, modules: Modules) -> None:
    service.switch(refuse_duplicates=True)
    service.misbehave("meanwhile", method="POST", times=1, action=create(service, prefix="10.0.0.1"))
    result = modules.done("allowlist_entry", prefix="10.0.0.1")
    assert (result["changed"], result["operations"]) == (False, [])
    assert result["entry"]["id"]


def test_another_entry_made_meanwhile_is_updated_to_match(service: LocalService, modules: Modules) -> None:
    service.switch(refuse_duplicates=True)
    service.misbehave("meanwhile", method="POST", times=1, action=create(service, prefix="10.0.0.1", comment="theirs"))
    result = modules.done("allowlist_entry", prefix="10.0.0.1", comment="ours")
    assert keys(result["operations"]) == ["update 10.0.0.1"]
    assert result["diff"]["before"]["allowlist"]["10.0.0.1"]["comment"] == "theirs"


@pytest.mark.parametrize(
    ("message", "again"),
    [
        ("prefix 10.0.0.0/24 already exists", True),
        ("protection.api.already_exists", True),
        ("Duplicate of existing prefix", True),
        ("prefix 10.0.0.0/24 exists only in part", False),
        ("the list has one prefix twice", False),
    ],
)
def test_a_bulk_call_that_comes_too_late_is_planned_again(
    message: str, again: bool, service: LocalService, modules: Modules
) -> None:
    service.misbehave("meanwhile", method="POST", times=1, action=create_prefix(service, "10.0.0.0/24"))
    service.misbehave("status", method="POST", times=1, status=400, errors=[{"code": 10400, "message": message}])
    options: dict[str, Any] = {"prefixes": [{"prefix": "10.0.0.0/24"}, {"prefix": "10.0.1.0/24"}]}
    result = modules.run("protected_prefixes", **options)
    assert result.get("failed", False) is not again
    assert keys(result["operations"] if again else result["left"]) == (
        ["create 10.0.1.0/24"] if again else ["create 10.0.0.0/24", "create 10.0.1.0/24"]
    )
    assert [call.method for call in service.calls].count("POST") == 1 + again
    told = "Cloudflare has 10.0.0.0/24 all the same, as the module has read. The module read again and planned 10.0.1.0/24 again."
    assert (told in warnings_of(result)) is again


def test_removing_an_entry_that_is_gone_changes_nothing(service: LocalService, modules: Modules) -> None:
    service.misbehave("meanwhile", method="DELETE", times=1, action=remove(service))
    result = modules.done("allowlist_entry", prefix="192.0.2.1", state="absent", accept_risks=["empties_list"])
    assert (result["changed"], result["operations"], result["entry"]) == (False, [], None)


def test_a_changed_object_that_is_gone_is_made_anew(service: LocalService, modules: Modules) -> None:
    service.misbehave("meanwhile", method="PATCH", times=1, action=remove(service))
    result = modules.done("allowlist_entry", prefix="192.0.2.1", comment="new")
    assert keys(result["operations"]) == ["create 192.0.2.1/32"]


def test_a_firewall_rule_that_is_gone_meanwhile_is_named(service: LocalService, modules: Modules) -> None:
    service.misbehave("meanwhile", method="PUT", times=1, action=lambda: service.zone(ZONE).rules.pop(0))
    result = modules.failed("firewall_rules", rules=[{"id": RULE_1, "action": "block"}])
    assert f"no firewall rule with the id {RULE_1}" in result["msg"]
    assert "Nothing was changed" not in result["msg"]
    assert [keys(result[part]) for part in ("done", "left", "unknown")] == [[], [f"update {RULE_1}"], []]


def test_one_more_look_is_all_there_is(service: LocalService, modules: Modules) -> None:
    answer_together(service, "POST", 3)  # after one that fails, others would not begin
    service.misbehave("lost_before", method="POST")
    entries = [{"prefix": f"10.0.0.{number}"} for number in range(3)]
    result = modules.failed("allowlist", entries=entries)
    assert [call.method for call in service.calls] == 2 * [*["GET"] * (1 + OTHERS), *["POST"] * 3]
    assert keys(result["unknown"]) == ["create 10.0.0.0/32", "create 10.0.0.1/32", "create 10.0.0.2/32"]
    assert "Run the task again" in result["msg"]


def test_when_not_even_a_look_is_possible_the_result_says_what_is_not_known(
    service: LocalService, modules: Modules, waits: list[float]
) -> None:
    entries = [{"prefix": f"10.0.0.{number}"} for number in range(3)]
    answer_together(service, "POST", 3)
    service.misbehave("lost_after", method="POST", skip=1, times=1)
    service.misbehave("status", method="GET", skip=1 + OTHERS, status=503)
    result = modules.failed("allowlist", entries=entries)
    assert [len(result[part]) for part in ("done", "unknown", "left", "operations")] == [2, 1, 0, 3]
    service.faults.clear()
    assert modules.done("allowlist", entries=entries)["changed"] is False


REFUSALS = [(200, "HTTP 200"), (400, "HTTP 400"), (409, "HTTP 409"), (500, "HTTP 500")]


@pytest.mark.parametrize(("status", "text"), REFUSALS)
@pytest.mark.parametrize(
    ("method", "module", "options"),
    [
        ("POST", "allowlist_entry", {"prefix": "10.0.0.1"}),
        ("POST", "protected_prefixes", {"prefixes": [{"prefix": "10.0.0.0/24"}, {"prefix": "10.0.1.0/24"}]}),
        ("PATCH", "allowlist_entry", {"prefix": "192.0.2.1", "comment": "new"}),
        ("PUT", "firewall_rules", {"rules": [{"id": RULE_1, "action": "block"}]}),
        ("PUT", "custom_rules", {"rules": [{"ref": "new", "action": "log", "expression": "true"}]}),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_refused_change_that_came_about_is_done_with_a_warning(
    method: str,
    module: str,
    options: dict[str, Any],
    status: int,
    text: str,
    service: LocalService,
    modules: Modules,
    waits: list[float],
) -> None:
    predicted = modules.done(module, check=True, **options)
    errors = [{"code": 1234, "message": "it exists already"}]
    service.misbehave("status_after", method=method, status=status, errors=errors, times=1 + (status == 500) * 9)
    result = modules.done(module, **options)
    done = status in (200, 500)  # a refusal with a status of its own says that nothing was done
    assert result["operations"] == (predicted["operations"] if done else [])
    assert f"was answered with {text}: [1234] it exists already" in warnings_of(result)
    assert f"Cloudflare has {predicted['operations'][0]['key']}" in warnings_of(result)
    assert " again" not in warnings_of(result)
    assert warnings_of(result).count("[1234]") == 1
    service.faults.clear()
    assert "warnings" not in modules.done(module, **options)


def test_a_refusal_that_comes_twice_is_said_once(service: LocalService, modules: Modules) -> None:
    service.misbehave("success_false_200", method="POST")
    result = modules.failed("allowlist_entry", prefix="10.0.0.1")
    assert "HTTP 200" in result["msg"]
    assert "warnings" not in result


@pytest.mark.parametrize("existing", [None, [{"ref": "a", "action": "log", "expression": "true"}]])
def test_a_list_that_is_another_version_right_before_the_write_is_planned_again(
    existing: list[dict[str, Any]] | None, service: LocalService, modules: Modules, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "MAX_AGE", 0)  # as if the plan took some time
    zone = service.zone(ZONE).seed(custom_rules=existing)
    theirs = [{"ref": "theirs", "action": "log", "expression": "not ssl"}]
    service.misbehave(
        "meanwhile", method="GET", skip=1, times=1, action=lambda: zone.seed(custom_rules=theirs) and None
    )
    version = int(zone.entry_point["version"]) if zone.entry_point else 0
    options: dict[str, Any] = {"rules": [{"ref": "b", "action": "block", "expression": "not ssl"}]}
    result = modules.done("custom_rules", **options)
    assert [call.method for call in service.calls] == ["GET", "GET", "GET", "POST"]
    assert [rule["ref"] for rule in zone.custom_rules] == [*(["a"] if existing else []), "theirs", "b"]
    unmanaged = [item["key"] for item in result["unmanaged"]]
    assert unmanaged == [*(["a"] if existing else []), "theirs"]
    assert result["diff"]["before"]["custom_rules_order"] == unmanaged
    assert warnings_of(result) == (
        f"The plan is made for version {version} of the custom rules, and another writer has made version {version + 1}. "
        "The module reads and plans again."
    )
    assert modules.done("custom_rules", **options)["changed"] is False


def test_a_second_plan_with_a_risk_writes_nothing(
    service: LocalService, modules: Modules, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "MAX_AGE", 0)
    zone = service.zone(ZONE).seed(
        custom_rules=[{"ref": "a", "action": "block", "expression": "not ssl", "enabled": False}]
    )

    def meanwhile() -> None:
        zone.custom_rules[0]["enabled"] = True
        zone.seed(custom_rules=[])

    service.misbehave("meanwhile", method="GET", skip=1, times=1, action=meanwhile)
    result = modules.failed("custom_rules", rules=[{"ref": "a"}], state="absent")
    assert [risk["code"] for risk in result["risks"]] == ["weakens_zone"]
    assert result["msg"].endswith("Nothing was changed.")
    assert service.writes == []


def test_a_plan_that_meets_another_version_with_409_is_made_again(service: LocalService, modules: Modules) -> None:
    zone = service.zone(ZONE).seed(custom_rules=[])
    theirs = [{"ref": "theirs", "action": "log", "expression": "not ssl"}]
    service.misbehave("meanwhile", method="PUT", times=1, action=lambda: zone.seed(custom_rules=theirs) and None)
    service.misbehave("status", method="PUT", times=1, status=409)
    result = modules.done("custom_rules", rules=[{"ref": "b", "action": "log", "expression": "true"}])
    assert [rule["ref"] for rule in zone.custom_rules] == ["theirs", "b"]
    assert "The module read again and planned b again." in warnings_of(result)


@pytest.mark.parametrize("existing", [None, [{"ref": "a", "action": "log", "expression": "ssl"}]])
def test_the_modules_own_versions_are_nothing_to_warn_of(
    existing: list[dict[str, Any]] | None, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(custom_rules=existing)
    for enabled in (True, False):
        rules = [{"ref": "b", "action": "log", "expression": "true", "enabled": enabled}]
        assert "warnings" not in modules.done("custom_rules", rules=rules)


@pytest.mark.parametrize("version", [None, "", "two", "²", "9" * 40])
def test_a_version_that_is_no_number_says_nothing(version: Any, service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(custom_rules=[{"ref": "a", "action": "log", "expression": "true"}])
    service.switch(checked_against_contract=False)
    entry_point = service.zone(ZONE).entry_point
    assert entry_point is not None

    def meanwhile() -> None:
        entry_point["version"] = "7"

    entry_point["version"] = version
    service.misbehave("meanwhile", method="PATCH", times=1, action=meanwhile)
    assert "warnings" not in modules.done("custom_rules", rules=[{"ref": "a", "enabled": False}])


@pytest.mark.parametrize("desired", [{"paused": True}, {"expression": "ours"}])
def test_what_another_writer_changes_in_a_filter_stays_unless_the_task_names_it(
    desired: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    stored = service.zone(ZONE).rules[1]["filter"]
    service.misbehave(
        "meanwhile", method="PUT", path="/rules/", times=1, action=lambda: stored.update(expression="theirs")
    )
    modules.done("firewall_rules", rules=[{"id": RULE_2, "filter": desired}])
    assert stored == {**stored, "expression": "theirs", **desired}


def test_the_risks_of_a_second_plan_are_refused_or_accepted_with_a_warning(
    service: LocalService, modules: Modules
) -> None:
    account = service.account(ACCOUNT).seed(prefixes=[{"prefix": "10.0.0.0/24", "excluded": True}])
    task: dict[str, Any] = {"prefixes": [{"prefix": "10.0.0.0/24"}], "state": "absent"}
    accepted = {**task, "accept_risks": ["unprotects_addresses"]}
    assert "risks" not in modules.done("protected_prefixes", check=True, **accepted)

    def run(options: dict[str, Any]) -> dict[str, Any]:
        account.prefixes[-1]["excluded"] = True
        theirs = {"excluded": False}
        service.misbehave("meanwhile", method="DELETE", times=1, action=lambda: account.prefixes[-1].update(theirs))
        service.misbehave("status", method="DELETE", times=1, status=409)
        return modules.run("protected_prefixes", **options)

    refused = run(task)
    assert refused["failed"] and "unprotects_addresses" in refused["msg"]
    assert len(account.prefixes) == 2
    result = run(accepted)
    assert [risk["code"] for risk in result["risks"]] == ["unprotects_addresses"]
    assert "Accepted unprotects_addresses" in warnings_of(result)


def test_a_rule_whose_filter_alone_is_refused_counts_as_unknown_and_not_as_left(
    service: LocalService, modules: Modules
) -> None:
    service.misbehave("status", method="PUT", path="/filters/", status=400)
    rules = [{"id": RULE_1, "action": "block", "filter": {"expression": "not ssl"}}]
    result = modules.failed("firewall_rules", rules=rules)
    assert service.zone(ZONE).rules[0]["action"] == "block"
    assert [len(result[part]) for part in ("done", "unknown", "left")] == [0, 0, 1]
    assert result["left"][0]["fields"] == {"filter": {"expression": "not ssl"}}

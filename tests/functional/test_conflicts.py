# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A lost answer, and somebody else who is faster: settled by reading again, with a result that tells the truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import FIREWALL, RULE_1, RULE_2
from tests.support.module_run import ACCOUNT, OTHERS, ZONE, Modules

LOST = ["lost_after", "status_after", "truncated", "cut_body", "empty"]
CREATES: list[tuple[str, dict[str, Any]]] = [
    ("allowlist_entry", {"prefix": "10.0.0.1"}),
    ("allowlist", {"entries": [{"prefix": "10.0.0.1"}, {"prefix": "10.0.0.2"}]}),
    ("protected_prefixes", {"prefixes": [{"prefix": f"10.0.{number}.0/24"} for number in range(200)]}),
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


@pytest.mark.parametrize("fault", [*LOST, "lost_before"])
def test_a_batch_of_firewall_rules_whose_answer_is_lost_is_done_all_the_same(
    fault: str, service: LocalService, modules: Modules, waits: list[float]
) -> None:
    options = {"rules": [{"id": RULE_1, "action": "block"}, {"id": RULE_2, "filter": {"expression": "false"}}]}
    predicted = modules.done("firewall_rules", check=True, **options)
    service.misbehave(fault, method="PUT", times=1)
    done = modules.done("firewall_rules", **options)
    assert (done["operations"], done["diff"]) == (predicted["operations"], predicted["diff"])
    assert modules.done("firewall_rules", **options)["changed"] is False


def test_a_filter_that_cannot_be_brought_into_line_is_tried_once_more(
    service: LocalService, modules: Modules, waits: list[float]
) -> None:
    service.misbehave("truncated", method="PUT", path="/filters/", times=1)
    options = {"rules": [{"id": RULE_1, "filter": {"expression": "false"}}]}
    assert modules.done("firewall_rules", **options)["changed"] is True
    assert modules.done("firewall_rules", **options)["changed"] is False


def create(service: LocalService, **entry: Any) -> Callable[[], None]:
    return lambda: service.account(ACCOUNT).seed(allowlist=[entry]) and None


def remove(service: LocalService) -> Callable[[], None]:
    return service.account(ACCOUNT).allowlist.clear


def test_who_finds_the_entry_made_meanwhile_takes_it_as_it_is(service: LocalService, modules: Modules) -> None:
    service.switch(refuse_duplicates=True)
    service.misbehave("meanwhile", method="POST", times=1, action=create(service, prefix="10.0.0.1"))
    result = modules.done("allowlist_entry", prefix="10.0.0.1")
    assert (result["changed"], result["operations"]) == (False, [])
    assert result["entry"]["id"]


def test_who_finds_another_entry_made_meanwhile_brings_it_into_line(service: LocalService, modules: Modules) -> None:
    service.switch(refuse_duplicates=True)
    service.misbehave("meanwhile", method="POST", times=1, action=create(service, prefix="10.0.0.1", comment="theirs"))
    result = modules.done("allowlist_entry", prefix="10.0.0.1", comment="ours")
    assert keys(result["operations"]) == ["update 10.0.0.1"]
    assert result["diff"]["before"]["allowlist"]["10.0.0.1"]["comment"] == "theirs"


def test_who_removes_what_is_gone_meanwhile_changes_nothing(service: LocalService, modules: Modules) -> None:
    service.misbehave("meanwhile", method="DELETE", times=1, action=remove(service))
    result = modules.done("allowlist_entry", prefix="192.0.2.1", state="absent", accept_risks=["empties_list"])
    assert (result["changed"], result["operations"], result["entry"]) == (False, [], None)


def test_who_changes_what_is_gone_meanwhile_makes_it_anew(service: LocalService, modules: Modules) -> None:
    service.misbehave("meanwhile", method="PATCH", times=1, action=remove(service))
    result = modules.done("allowlist_entry", prefix="192.0.2.1", comment="new")
    assert keys(result["operations"]) == ["create 192.0.2.1/32"]


def test_a_firewall_rule_that_is_gone_meanwhile_is_named(service: LocalService, modules: Modules) -> None:
    service.misbehave("meanwhile", method="PUT", times=1, action=lambda: service.zone(ZONE).rules.pop(0))
    result = modules.failed("firewall_rules", rules=[{"id": RULE_1, "paused": True}])
    assert f"no firewall rule with the id {RULE_1}" in result["msg"]
    assert "Nothing was changed" not in result["msg"]
    assert [keys(result[part]) for part in ("done", "left", "unknown")] == [[], [f"update {RULE_1}"], []]


def test_one_more_look_is_all_there_is(service: LocalService, modules: Modules) -> None:
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
    service.misbehave("lost_after", method="POST", skip=1, times=1)
    service.misbehave("status", method="GET", skip=1 + OTHERS, status=503)
    result = modules.failed("allowlist", entries=entries)
    assert [len(result[part]) for part in ("done", "unknown", "left", "operations")] == [2, 1, 0, 3]
    service.faults.clear()
    assert modules.done("allowlist", entries=entries)["changed"] is False

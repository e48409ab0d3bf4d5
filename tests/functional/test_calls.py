# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How many calls a module makes, in which order, and with what in them."""

from __future__ import annotations

import ipaddress
from itertools import groupby
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._concurrency import MAX_CONCURRENT_CALLS

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import DNS, FILTER_1, FILTER_2, FIREWALL, RULE_1, RULE_2, WHOLE
from tests.support.misbehaviour import answer_together
from tests.support.module_run import ACCOUNT, OTHERS, ZONE, Modules, run_main

REST = [
    ("GET", path)
    for path in (
        "/syn_protection/rules", "/tcp_flow_protection/rules", "/syn_protection/filters",
        "/tcp_flow_protection/filters", "/allowlist", "/tcp_protection_status",
    )
]  # fmt: skip


def networks(count: int) -> list[dict[str, str]]:
    first = int(ipaddress.ip_address("10.0.0.0"))
    return [{"prefix": f"{ipaddress.ip_address(first + index)}/32"} for index in range(count)]


def rule_id(number: int) -> str:
    return f"{number:032x}"


def test_601_prefixes_take_three_bulk_calls_and_a_listing_before_and_after(
    service: LocalService, modules: Modules
) -> None:
    result = modules.done("protected_prefixes", prefixes=networks(601))
    calls = [(call.method, call.path.rpartition("/configs")[2]) for call in service.calls]
    assert calls[0] == ("GET", "/prefixes")
    assert sorted(calls[1:7]) == sorted(REST)
    assert calls[7][1].endswith("/addressing/prefixes")
    assert calls[8:] == [*3 * [("POST", "/prefixes/bulk")], ("GET", "/prefixes")]
    assert [len(call.body) for call in service.writes] == [300, 300, 1]
    assert len(result["prefixes"]) == len(service.account(ACCOUNT).prefixes) == 601
    assert all(entry["id"] for entry in result["prefixes"])


def test_the_rest_of_the_account_is_read_only_for_a_change_that_concerns_its_protection(
    service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(**WHOLE)
    for options in ({"prefix": "192.0.2.0/24", "comment": "old"}, {"prefix": "192.0.2.0/24", "comment": "new"}):
        assert "coverage" not in modules.done("protected_prefixes", prefixes=[options])
    assert [call.method for call in service.calls] == ["GET", "GET", "PATCH"]
    assert "coverage" in modules.done("protected_prefixes", prefixes=[{"prefix": "203.0.113.0/24"}])
    assert [call.method for call in service.calls[3:]] == ["GET"] * (2 + OTHERS) + ["POST", "GET"]


DNS_PATH = "/advanced_dns_protection/configs/dns_protection/rules"
NAMING_DNS = [
    ("account_protection", {"dns_rules": []}),
    ("protection_info", {"gather_subset": ["dns_rules"]}),
    ("protection_info", {"gather_subset": ["dns_rules"], "covers": ["192.0.2.1"]}),
    ("dns_protection_rule", {"scope": "global"}),
]
NOT_NAMING_DNS: list[tuple[str, dict[str, Any]]] = [
    ("account_protection", {"enabled": True}),
    ("protected_prefixes", {"prefixes": [{"prefix": "203.0.113.0/24"}]}),
    ("protection_rule", {"kind": "syn_flood", "scope": "datacenter", "name": "lax"}),
    ("protection_info", {}),
    ("protection_info", {"covers": ["192.0.2.1"]}),
]


@pytest.mark.parametrize(("module", "options"), NOT_NAMING_DNS, ids=str)
def test_dns_rules_are_not_read_if_the_task_does_not_name_them(
    module: str, options: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(**WHOLE, **DNS, dns_entitled=False)
    result = modules.done(module, **options)
    assert not [call for call in service.calls if DNS_PATH in call.path]
    assert "dns" not in str(result.get("coverage")).casefold()


@pytest.mark.parametrize(("module", "options"), NAMING_DNS, ids=str)
def test_dns_rules_are_read_once_or_their_lack_is_told(
    module: str, options: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(**WHOLE, **DNS)
    modules.done(module, **options)
    assert len([call for call in service.calls if DNS_PATH in call.path and call.method == "GET"]) == 1
    service.account(ACCOUNT).seed(dns_entitled=False)
    message = modules.failed(module, **options)["msg"]
    assert message.endswith("The account has no Advanced DNS Protection; it comes with Magic Transit.")
    service.account(ACCOUNT).seed(dns_entitled=True)
    service.add_token("nobodys-token", protection="none")
    assert "DDoS Protection Read (account)" in modules.failed(module, **options, api_token="nobodys-token")["msg"]
    assert service.writes == []


def test_40_firewall_rules_take_two_batches_and_one_listing(service: LocalService, modules: Modules) -> None:
    rules = [
        {"id": rule_id(number), "action": "log", "filter": {"expression": "cf.client.bot"}} for number in range(40)
    ]
    service.zone(ZONE).seed(rules=rules)
    modules.done("firewall_rules", rules=[{"id": rule["id"], "action": "block"} for rule in rules])
    assert [call.method for call in service.calls] == ["GET", "PUT", "PUT"]
    assert [len(call.body) for call in service.writes] == [25, 15]
    assert {rule["action"] for rule in service.zone(ZONE).rules} == {"block"}


def test_a_batch_that_leaves_one_rule_over_sends_it_to_its_own_path(service: LocalService, modules: Modules) -> None:
    rules = [{"id": rule_id(number), "action": "log", "filter": {"expression": "true"}} for number in range(26)]
    service.zone(ZONE).seed(rules=rules)
    modules.done("firewall_rules", rules=[{"id": rule["id"], "paused": True} for rule in rules])
    assert [call.path.rpartition("/firewall/rules")[2] for call in service.writes] == ["", "/" + rule_id(25)]


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("protected_prefixes", {"prefixes": networks(301)}),
        ("allowlist", {"entries": networks(3)}),
        ("account_protection", {"enabled": True, "prefixes": networks(2), "allowlist": [{"prefix": "192.0.2.1"}]}),
        ("protection_info", {}),
    ],
)
def test_all_calls_of_a_module_share_few_connections_and_name_their_sender(
    module: str, options: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    modules.done(module, **options)
    assert len(service.calls) > 2
    assert len({call.connection for call in service.calls}) <= MAX_CONCURRENT_CALLS
    assert {call.headers["User-Agent"] for call in service.calls} == {"edgeops.protection/1.0.0"}


def test_a_change_sends_the_changed_fields_only(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "192.0.2.0/24", "comment": "a", "excluded": True}])
    modules.done("protected_prefixes", prefixes=[{"prefix": "192.0.2.0/24", "comment": "b", "excluded": True}])
    assert [(call.method, call.body) for call in service.writes] == [("PATCH", {"comment": "b"})]


def test_a_replacement_sends_the_existing_rule_with_the_changes_over_it(
    service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(**FIREWALL)
    modules.done("firewall_rules", rules=[{"id": RULE_1, "action": "block"}])
    (call,) = service.writes
    assert call.body == {
        "id": RULE_1,
        "action": "block",
        "description": "login",
        "ref": "login",
        "priority": 5,
        "paused": False,
        "filter": {
            "id": FILTER_1,
            "expression": "ip.src in {192.0.2.0/24}",
            "paused": False,
            "description": "office",
            "ref": "office",
        },
    }


UNUSED = {"id": "d" * 32, "expression": "ssl", "paused": False, "description": ""}
USED = {"id": FILTER_2, "expression": "true", "paused": False, "description": ""}


@pytest.mark.parametrize(
    ("its_filter", "reads"),
    [(USED, 1), (UNUSED, 2)],
    ids=["the listing shows it with another rule", "no rule has it yet"],
)
def test_another_filter_of_a_rule_is_predicted(
    its_filter: dict[str, Any], reads: int, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(**FIREWALL, filters=[UNUSED])
    accepted = ["skips_everything", "blocks_everything"]
    options: dict[str, Any] = {"rules": [{"id": RULE_1, "filter": {"id": its_filter["id"]}}], "accept_risks": accepted}
    checked = modules.done("firewall_rules", check=True, **options)
    assert [call.method for call in service.calls] == ["GET"] * reads
    done = modules.done("firewall_rules", **options)
    assert checked["rules"][0]["filter"] == done["rules"][0]["filter"] == its_filter
    assert checked["operations"] == done["operations"]
    assert modules.done("firewall_rules", **options)["changed"] is False


def test_a_filter_that_two_rules_share_is_brought_into_line_once(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(**FIREWALL)
    shared = {"id": FILTER_1, "expression": "ip.src in {203.0.113.0/24}"}
    options: dict[str, Any] = {"rules": [{"id": RULE_1, "filter": shared}, {"id": RULE_2, "filter": shared}]}
    modules.done("firewall_rules", accept_risks=["weakens_zone"], **options)
    assert [call.path.rpartition(ZONE)[2] for call in service.writes] == ["/firewall/rules", f"/filters/{FILTER_1}"]
    assert modules.done("firewall_rules", **options)["changed"] is False


def test_a_verbose_result_tells_how_many_calls_were_made(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(enabled=True)
    options: dict[str, Any] = {"base_url": service.base_url, "api_token": service.token, "account_id": ACCOUNT}
    assert run_main("protection_info", options, verbose=True)["calls"] == len(service.calls) == 7
    service.misbehave("status", status=403)
    assert run_main("tcp_protection_status", {**options, "enabled": True}, verbose=True)["calls"] == 1
    service.faults.clear()
    service.misbehave("lost_before", times=2)
    failed = run_main("tcp_protection_status", {**options, "enabled": True, "retries": 1}, verbose=True)
    assert (failed["failed"], failed["calls"]) == (True, 2)
    assert "calls" not in modules.done("protection_info")


@pytest.mark.parametrize(
    ("module", "options", "method", "before", "together", "rounds"),
    [
        ("protection_info", {}, "GET", 1, OTHERS, 1),
        ("account_protection", {"enabled": True}, "GET", 1, OTHERS, 1),
        ("allowlist", {"entries": [{"prefix": f"10.0.{2 * number}.1"} for number in range(80)]}, "GET", 1, OTHERS, 1),
        ("allowlist", {"entries": [{"prefix": f"10.0.{2 * number}.1"} for number in range(80)]}, "POST", 0, 8, 10),
        ("firewall_rules_info", {}, "GET", 1, 8, 1),
    ],
)
def test_independent_calls_are_under_way_at_the_same_time(
    module: str, options: dict[str, Any], method: str, before: int, together: int, rounds: int,
    service: LocalService, modules: Modules,
) -> None:  # fmt: skip
    service.account(ACCOUNT).seed(enabled=True)
    rules = [{"id": rule_id(number), "action": "log", "filter": {"expression": "true"}} for number in range(900)]
    service.zone(ZONE).seed(rules=rules)
    met = answer_together(service, method, together, skip=before, times=together * rounds)
    modules.done(module, **options)
    assert len(met) == together * rounds


def test_no_more_than_eight_calls_are_under_way_and_none_across_adding_changing_and_deleting(
    service: LocalService, modules: Modules
) -> None:
    existing = [{"prefix": f"10.0.{2 * number}.1", "comment": "old"} for number in range(30)]
    service.account(ACCOUNT).seed(allowlist=existing)
    desired = [{**entry, "comment": "new"} for entry in existing[:20]] + [
        {"prefix": f"10.1.{2 * number}.1"} for number in range(20)
    ]
    service.switch(latency=0.01)
    modules.done("allowlist", entries=desired, purge=True, limits={"max_deletions_percent": 50})
    assert [method for method, _calls in groupby(call.method for call in service.writes)] == ["POST", "PATCH", "DELETE"]
    assert 1 < len({call.connection for call in service.writes}) <= MAX_CONCURRENT_CALLS

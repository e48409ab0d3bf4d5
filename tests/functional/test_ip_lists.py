# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists of addresses: operations that take their time or fail, writers beside us, and pages that are cut."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import export_state

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE, Modules

OFFICES: Any = {"name": "offices", "items": [{"ip": f"198.51.100.{number}"} for number in range(1, 8)]}
NEW: Any = {"name": "offices", "items": [{"ip": "192.0.2.1", "comment": "gate"}]}
ITEMS = r"/items$"
FILTER = "f" * 32
FIREWALL_RULE: Any = {
    "id": "a" * 32,
    "action": "block",
    "filter": {"id": FILTER, "expression": "ip.src in {192.0.2.1}"},
}


@pytest.fixture(autouse=True)
def offices(service: LocalService) -> None:
    service.account(ACCOUNT).seed(lists=[OFFICES])


def addresses(service: LocalService) -> list[str]:
    return [item["ip"] for item in service.account(ACCOUNT).ip_lists.list_named("offices")["items"]]


def somebody_else(service: LocalService, seconds: float) -> None:
    """Another writer's operation, which is under way for so long."""
    lists = service.account(ACCOUNT).ip_lists
    target = lists.list_named("offices")
    lists.begin(lambda: lists.append(target, [{"ip": "203.0.113.99"}]), seconds)


def test_the_module_waits_for_its_operation(service: LocalService, modules: Modules) -> None:
    service.misbehave("slow_operation", seconds=0.8, times=1)
    done = modules.done("ip_list", **NEW)
    assert "192.0.2.1" in addresses(service)
    assert done["list"]["num_items"] == len(done["items"]) == 8
    assert all(item["id"] for item in done["items"])


def test_an_operation_of_others_is_waited_for(service: LocalService, modules: Modules) -> None:
    somebody_else(service, 0.8)
    modules.done("ip_list", **NEW)
    assert {"192.0.2.1", "203.0.113.99"} <= set(addresses(service))


def test_waiting_for_others_ends_with_max_wait(service: LocalService, modules: Modules) -> None:
    somebody_else(service, 600)
    failed = modules.failed("ip_list", max_wait=0.5, **NEW)
    assert "another operation is under way in the account; max_wait leaves no time" in failed["msg"]
    assert [item["key"] for item in failed["left"]] == ["offices 192.0.2.1"]
    assert failed["unknown"] == []


def test_waiting_for_the_own_operation_ends_with_max_wait(service: LocalService, modules: Modules) -> None:
    service.misbehave("slow_operation", seconds=600, times=1)
    failed = modules.failed("ip_list", max_wait=0.5, **NEW)
    assert "the operation is still under way, and Cloudflare goes on with it" in failed["msg"]
    assert [item["key"] for item in failed["unknown"]] == ["offices 192.0.2.1"]
    service.clock.advance(seconds=600)
    assert modules.done("ip_list", **NEW)["changed"] is False


@pytest.mark.parametrize(
    "lost",
    [
        {"kind": "lost_after", "path": ITEMS, "method": "POST", "times": 1},
        {"kind": "status", "status": 500, "path": "/bulk_"},
    ],
)
def test_an_operation_that_may_be_under_way_is_unknown(service: LocalService, modules: Modules, lost: Any) -> None:
    service.misbehave("slow_operation", seconds=600, times=1)
    service.misbehave(**lost)
    failed = modules.failed("ip_list", max_wait=0.5, retries=0, **NEW)
    assert ([item["key"] for item in failed["unknown"]], failed["left"]) == (["offices 192.0.2.1"], [])
    service.faults.clear()
    service.clock.advance(seconds=600)
    assert modules.done("ip_list", **NEW)["changed"] is False


def test_a_failed_operation_is_tried_once_more(service: LocalService, modules: Modules) -> None:
    service.misbehave("failed_operation", error="disk full", times=1)
    done = modules.done("ip_list", **NEW)
    assert "192.0.2.1" in addresses(service)
    assert "Cloudflare says that it failed: disk full. The module read again and planned" in str(done["warnings"])


def test_an_operation_that_fails_again_is_told_with_what_was_done(service: LocalService, modules: Modules) -> None:
    service.misbehave("failed_operation", error="disk full", skip=1)
    desired: Any = {"name": "offices", "purge": True, "items": [*NEW["items"], *OFFICES["items"][1:]]}
    failed = modules.failed("ip_list", **desired)
    assert "says that it failed: disk full" in failed["msg"]
    assert [item["key"] for item in failed["done"]] == ["offices 192.0.2.1"]
    assert [item["key"] for item in failed["left"]] == ["offices 198.51.100.1"]


@pytest.mark.parametrize("cap", [1, 3, 7])
def test_items_are_read_in_full_by_cursor(service: LocalService, modules: Modules, cap: int) -> None:
    service.misbehave("page_cap", cap=cap)
    assert modules.done("ip_list", check=True, name="offices", items=OFFICES["items"], purge=True)["changed"] is False
    reads = [call.query.get("cursor") for call in service.calls if call.path.endswith("/items")]
    assert len(reads) == -(-7 // cap)


@pytest.mark.parametrize(
    ("fault", "settings", "text"),
    [
        ("same_page", {}, "the cursor of the next page has come before"),
        ("status", {"status": 500, "skip": 2}, "a part is not taken for the whole"),
        ("member", {"members": {"result_info": '{"cursors": {"after": 7}}'}}, "the listing has 2 of 7 objects"),
        ("no_result_info", {}, "the listing has 2 of 7 objects"),
    ],
)
def test_a_part_of_the_items_is_not_taken_for_the_whole(
    service: LocalService, modules: Modules, waits: list[float], fault: str, settings: dict[str, Any], text: str
) -> None:
    service.misbehave("page_cap", path=ITEMS, cap=2)
    service.misbehave(fault, method="GET", path=ITEMS, **settings)
    assert text in modules.failed("ip_list", **NEW)["msg"]
    assert service.writes == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("redirect", "The list hosts exists and is of the kind redirect, which redirects requests, and protects"),
        ("hostname", "The list hosts exists with the kind hostname, and not ip, which cannot change"),
    ],
)
def test_a_list_of_another_kind_is_left_alone(kind: str, text: str, service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(lists=[{"name": "hosts", "kind": kind}])
    for options in ({"state": "present"}, {"state": "absent"}, {"state": "absent", "items": [{"ip": "192.0.2.1"}]}):
        assert text in modules.failed("ip_list", check=True, name="hosts", **options)["msg"]
        assert text in modules.failed("ip_list", name="hosts", **options)["msg"]
    assert service.writes == []


KINDS: list[tuple[str, list[Any], list[Any], list[Any]]] = [
    ("asn", [64500, "64501", "AS64502"], [64500, 64501, 64502], ["AS64500", "64501", 64502]),
    (
        "hostname",
        ["Shop.example.com", "*.example.net"],
        ["shop.example.com", "*.example.net"],
        ["shop.example.com", "*.EXAMPLE.net"],
    ),
]


@pytest.mark.parametrize(("kind", "values", "sent", "alike"), KINDS)
def test_items_of_each_kind(kind: str, values: list[Any], sent: list[Any], alike: list[Any], modules: Modules) -> None:
    def items(some: list[Any]) -> list[dict[str, Any]]:
        return [{kind: value, "comment": "one"} for value in some]

    options: dict[str, Any] = {"name": "several", "kind": kind, "purge": True}
    predicted = modules.done("ip_list", check=True, items=items(values), **options)
    done = modules.done("ip_list", items=items(values), **options)
    assert predicted["operations"] == done["operations"]
    assert {item[kind] for item in done["items"]} == {*sent}
    assert modules.done("ip_list", items=items(alike), **options)["changed"] is False
    fewer = modules.done("ip_list", items=items(values[:1]), **options)
    assert [item["action"] for item in fewer["operations"]] == ["delete"] * (len(values) - 1)
    gone = modules.done("ip_list", name="several", kind=kind, items=items(alike[:1]), state="absent")
    assert [item["key"] for item in gone["operations"]] == [f"several {sent[0]}"]


def test_what_options_cannot_say_of_an_item_is_left_alone(service: LocalService, modules: Modules) -> None:
    wide = {"url_hostname": "*.example.net", "exclude_exact_hostname": False}
    seed = {"name": "hosts", "kind": "hostname", "items": [{"hostname": wide}, {"hostname": "a.example.net"}]}
    service.account(ACCOUNT).seed(lists=[seed])
    items = [{"hostname": "b.example.net"}]
    done = modules.done("ip_list", name="hosts", kind="hostname", items=items, purge=True)
    assert [item["hostname"] for item in done["items"]] == ["*.example.net", "b.example.net"]
    failed = modules.failed("ip_list", name="hosts", kind="hostname", items=[{"hostname": "*.example.net"}])
    assert "exists and stands for example.net as well (exclude_exact_hostname)" in failed["msg"]


def test_empty_objects_of_other_kinds_are_no_part_of_an_item(service: LocalService, modules: Modules) -> None:
    empty = {"ip": "192.0.2.1", "hostname": {}, "redirect": {}}
    lists = service.account(ACCOUNT).ip_lists
    lists.list_named("offices")["items"].append({**empty, **lists.item({"ip": "192.0.2.1", "comment": "gate"})})
    done = modules.done("ip_list", **NEW)
    assert (done["changed"], "hostname" in done["items"][-1]) == (False, False)


def test_many_items_go_in_few_calls(service: LocalService, modules: Modules) -> None:
    items = [{"ip": f"10.{number >> 8}.{number & 255}.0/24"} for number in range(1500)]
    modules.done("ip_list", name="many", items=items)
    sizes = [len(call.body) for call in service.writes if call.path.endswith("/items")]
    assert sizes == [1000, 500]
    after_the_last = [call.method for call in service.calls if call.path.endswith("/items")]
    assert after_the_last == ["POST", "POST", "GET", "GET", "GET"]


MANY: Any = {"name": "many", "items": [{"ip": f"10.{number >> 8}.{number & 255}.0/24"} for number in range(2500)]}


def test_a_failure_between_parts_says_which_items_are_in(service: LocalService, modules: Modules) -> None:
    service.misbehave("status", method="POST", path=ITEMS, status=400, skip=1, times=1)
    failed = modules.failed("ip_list", **MANY)
    held = {item["ip"] for item in service.account(ACCOUNT).ip_lists.list_named("many")["items"]}
    assert {item["key"] for item in failed["done"]} == {"many", *(f"many {ip}" for ip in held)}
    assert (len(held), len(failed["left"]), failed["unknown"]) == (1000, 1500, [])
    again = modules.done("ip_list", **MANY)
    assert again["operations"] == failed["left"]


def test_items_that_cannot_be_read_again_are_done(service: LocalService, modules: Modules, waits: list[float]) -> None:
    service.misbehave("status", method="GET", path=ITEMS, status=403, skip=1)
    failed = modules.failed("ip_list", **NEW)
    assert "192.0.2.1" in addresses(service)
    assert [item["key"] for item in failed["done"]] == ["offices 192.0.2.1"]
    assert (failed["left"], failed["unknown"]) == ([], [])


def test_more_items_than_the_account_may_have(service: LocalService, modules: Modules) -> None:
    service.misbehave("entry", method="GET", path=r"/lists$", fields={"num_items": "10000"})
    modules.done("ip_list", check=True, **NEW)
    service.account(ACCOUNT).type = "standard"
    failed = modules.failed("ip_list", check=True, **NEW)
    assert "would have 10001 items, where at most 10000 may be, since it is of the type standard" in failed["msg"]
    token = service.add_token("no-account", account_settings="none")
    done = modules.done("ip_list", check=True, api_token=token, **NEW)
    assert "unless it is an Enterprise account, which is not known: " in str(done["warnings"])


def test_an_approved_plan_is_of_one_list(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(lists=[{**OFFICES, "name": "shops"}])
    plans = [modules.done("ip_list", check=True, **{**NEW, "name": name})["plan_id"] for name in ("offices", "shops")]
    assert plans[0] != plans[1]
    failed = modules.failed("ip_list", expected_plan=plans[1], **NEW)
    assert failed["plan_id"] == plans[0]
    assert modules.done("ip_list", expected_plan=plans[0], **NEW)["changed"] is True


BLOCK: Any = {"ref": "everybody", "action": "block", "expression": "ip.src in $all"}
EVERYBODY = [f"{octet}.0.0.0/8" for octet in range(256)]  # lists take no wider networks
ALL: Any = {"name": "all", "items": [{"ip": ip} for ip in EVERYBODY]}


def expecting(source: str, outcome: str) -> dict[str, Any]:
    request = {"source": source, "method": "GET", "host": "shop.example", "path": "/"}
    return {"description": source, "request": request, "expect": outcome}


def test_a_rule_for_a_list_that_is_everything_blocks_everything(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(lists=[ALL])
    service.zone(ZONE).seed(account_id=ACCOUNT)
    failed = modules.failed("custom_rules", check=True, rules=[BLOCK])
    assert [risk["code"] for risk in failed["risks"]] == ["blocks_everything"]
    some = {**BLOCK, "expression": "ip.src in $offices"}
    assert modules.done("custom_rules", check=True, rules=[some])["changed"] is True


@pytest.mark.parametrize(("was", "codes"), [(["192.0.2.1"], ["skips_everything"]), (EVERYBODY, [])])
def test_a_rule_that_changes_with_its_list_is_compared_with_both_as_they_are(
    was: list[str], codes: list[str], service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(lists=[{"name": "all", "items": [{"ip": ip} for ip in was]}])
    skip = {
        "ref": "pass",
        "action": "skip",
        "expression": "ip.src in $all",
        "action_parameters": {"ruleset": "current"},
    }
    admin = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=[skip, admin])
    changed: Any = {"ip_lists": [{**ALL, "purge": True}], "custom_rules": [{**skip, "description": "all"}]}
    result = modules.run("host", check=True, **changed)
    assert [risk["code"] for risk in result.get("risks", ())] == codes
    if codes:
        assert "Custom rule pass (widened by a list)" in result["msg"]


def test_expectations_know_the_lists_of_the_account_and_planned_ones(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT)
    rules = [{**BLOCK, "expression": "ip.src in $offices or ip.src in $new"}]
    expected = [
        expecting("198.51.100.3", "blocked"),
        expecting("203.0.113.5", "blocked"),
        expecting("192.0.2.9", "allowed"),
    ]
    failed = modules.failed("custom_rules", rules=rules, expectations=expected)
    assert "the content of the list $new is not known" in failed["msg"]
    new = {"name": "new", "items": [{"ip": "203.0.113.0/24"}]}
    done = modules.done("host", custom_rules=rules, ip_lists=[new], expectations=expected)
    assert [item["met"] for item in done["expectations"]] == [True, True, True]


def test_a_token_that_may_not_read_lists_is_warned(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT)
    token = service.add_token("no-lists", lists="none")
    done = modules.done(
        "custom_rules", check=True, api_token=token, rules=[{**BLOCK, "expression": "ip.src in $offices"}]
    )
    assert "The items of the lists offices are not known: " in str(done["warnings"])
    rules = [{**BLOCK, "expression": "ip.src in {192.0.2.1}"}]
    assert "warnings" not in modules.done("custom_rules", check=True, api_token=token, rules=rules)


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("module", ["custom_rules", "network_firewall_rules", "firewall_rules"])
def test_a_rule_for_a_list_that_the_account_lacks_is_refused(
    module: str, check: bool, service: LocalService, modules: Modules
) -> None:
    filtered = {"id": FIREWALL_RULE["id"], "filter": {"id": FILTER, "expression": "ip.src in $offces"}}
    rule = filtered if module == "firewall_rules" else {**BLOCK, "expression": "ip.src in $offces"}
    service.zone(ZONE).seed(account_id=ACCOUNT, rules=[FIREWALL_RULE])
    failed = modules.failed(module, check=check, rules=[rule])
    assert "names the list $offces, which the account does not have (did you mean offices?)" in failed["msg"]
    assert service.writes == []


def test_a_rule_may_name_a_list_of_the_same_run_or_of_another_kind_or_one_that_it_names_already(
    service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(lists=[{"name": "names", "kind": "hostname", "items": []}])
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=[{**BLOCK, "expression": "ip.src in $gone"}])
    named = "ip.src in $new or http.host in $names or ip.src in $gone"
    modules.done("host", custom_rules=[{**BLOCK, "expression": named}], ip_lists=[{**NEW, "name": "new"}])


def test_packets_of_the_network_firewall_meet_lists(modules: Modules) -> None:
    rule = {"ref": "offices", "action": "block", "expression": "ip.src in $offices"}
    packet = {"destination": "203.0.113.53", "source": "198.51.100.3"}
    expected = {"description": "offices", "packet": packet, "expect": "blocked"}
    done = modules.done("network_firewall_rules", rules=[rule], expectations=[expected])
    assert done["expectations"][0]["met"] is True


def test_a_list_comes_before_the_rules_that_name_it_and_goes_after_them(
    service: LocalService, modules: Modules
) -> None:
    """Both in one plan, of which the deletion is no risk: no rule refers to the list any more."""
    service.zone(ZONE).seed(account_id=ACCOUNT)
    rules = [{**BLOCK, "expression": "ip.src in $new"}]
    both: Any = {"ip_lists": [{**NEW, "name": "new"}], "custom_rules": rules}
    risks = ["weakens_zone", "empties_list"]
    neither: Any = {"ip_lists": [{"name": "offices"}], "custom_rules": [], "purge": True, "accept_risks": risks}
    created = ["create ip_list new", "create ip_list_item new 192.0.2.1", "create custom_rule everybody"]
    deleted = ["delete custom_rule everybody", "delete ip_list new"]
    for options, operations in ((both, created), (neither, deleted)):
        done = modules.lawful("host", **options)
        assert [f"{item['action']} {item['resource']} {item['key']}" for item in done["operations"]] == operations
    assert [call.method for call in service.writes] == ["POST", "POST", "PUT", "DELETE", "DELETE"]  # the rules amid


KINDS_OF_LISTS: Any = [
    {"name": "offices", "items": [{"ip": "198.51.100.3"}]},
    {"name": "six", "items": [{"ip": "2001:db8::1"}, {"ip": "192.0.2.1"}]},
    {"name": "systems", "kind": "asn", "items": [{"asn": 64500}]},
    {"name": "hosts", "kind": "hostname", "items": [{"hostname": "*.example.net"}, {"hostname": "shop.example.com"}]},
    {"name": "moved", "kind": "redirect"},
]
WRONG = [
    ("ip.src.asnum in $offices", "looks for ip.src.asnum in $offices, a list of addresses; compare it with ip.src or"),
    ("ip.src in $systems", "looks for ip.src in $systems, a list of autonomous systems; compare it with ip.src.asnum"),
    (
        "http.user_agent in $hosts",
        "looks for http.user_agent in $hosts, a list of hostnames; compare it with http.host",
    ),
    ("lower(http.user_agent) in $hosts or ip.src in $offices", "looks for lower ( http.user_agent ) in $hosts"),
    ("ip.src in $moved", "looks for ip.src in $moved, a list of redirect; no rule can refer to such a list"),
]


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(("expression", "text"), WRONG)
def test_a_field_of_another_kind_than_the_list_is_refused(
    expression: str, text: str, check: bool, service: LocalService, modules: Modules
) -> None:
    account = service.account(ACCOUNT)
    account.ip_lists.lists.clear()
    account.seed(lists=KINDS_OF_LISTS)
    service.zone(ZONE).seed(account_id=ACCOUNT)
    rule = {**BLOCK, "expression": expression}
    assert text in modules.failed("custom_rules", check=check, rules=[rule])["msg"]
    assert service.writes == []


def test_expectations_and_the_fields_of_each_kind(service: LocalService, modules: Modules) -> None:
    account = service.account(ACCOUNT)
    account.ip_lists.lists.clear()
    account.seed(lists=KINDS_OF_LISTS)
    service.zone(ZONE).seed(account_id=ACCOUNT)
    rule = {**BLOCK, "expression": "ip.src.asnum in $systems or http.host in $hosts and not ip.src in $offices"}
    requests: list[tuple[dict[str, Any], str]] = [
        ({"asn": 64500}, "blocked"),
        ({"asn": 64501}, "allowed"),
        ({"asn": 64501, "host": "a.b.example.net"}, "blocked"),
        ({"asn": 64501, "host": "example.net"}, "allowed"),
        ({"asn": 64501, "host": "shop.example.com", "source": "192.0.2.9"}, "blocked"),
        ({"asn": 64501, "host": "shop.example.com", "source": "198.51.100.3"}, "allowed"),
    ]
    expected = [
        {
            "description": str(number),
            "request": {"host": "example.org", "source": "192.0.2.9", **request},
            "expect": end,
        }
        for number, (request, end) in enumerate(requests)
    ]
    done = modules.done("custom_rules", rules=[rule], expectations=expected)
    assert [item["actual"] for item in done["expectations"]] == [end for _request, end in requests]


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("ip", ["0.0.0.0/0", "10.0.0.0/7", "::/0", "2000::/11"])
def test_a_network_that_lists_do_not_take_leaves_no_empty_list(
    ip: str, check: bool, service: LocalService, modules: Modules
) -> None:
    failed = modules.failed("ip_list", check=check, name="new", items=[{"ip": "192.0.2.1"}, {"ip": ip}])
    assert f"items[1].ip: {ip} is wider than /" in failed["msg"]
    assert service.calls == []
    modules.done("ip_list", check=check, name="offices", items=[{"ip": ip}], state="absent")


@pytest.mark.parametrize("check", [True, False])
def test_lists_of_the_network_firewall_hold_ipv4_alone(check: bool, service: LocalService, modules: Modules) -> None:
    account = service.account(ACCOUNT)
    account.ip_lists.lists.clear()
    account.seed(lists=KINDS_OF_LISTS)
    rules = [{"ref": "own", "action": "block", "expression": "ip.src in $six or ip.src in $offices"}]
    failed = modules.failed("network_firewall_rules", check=check, rules=rules)
    assert "hold IPv4 addresses alone, and six would hold 2001:db8::1." in failed["msg"]
    other = [{**rules[0], "expression": "ip.src in $systems"}]
    failed = modules.failed("network_firewall_rules", check=check, rules=other)
    assert "hold IPv4 addresses alone, and systems is a list of autonomous systems." in failed["msg"]
    assert "looks for ip.src in $systems, a list of autonomous systems" in failed["msg"]
    account.seed(network_firewall_rules=[{**rules[0], "expression": "ip.src in $offices"}])
    both = [{"ip": "192.0.2.9"}, {"ip": "2001:db8::2"}]
    failed = modules.failed("ip_list", check=check, name="offices", items=both)
    assert "hold IPv4 addresses alone, and offices would hold 2001:db8::2." in failed["msg"]
    modules.done("ip_list", check=check, name="offices", items=both[:1])
    account.ip_lists.list_named("offices")["items"].append(account.ip_lists.item({"ip": "2001:db8::3"}))
    modules.done("ip_list", check=check, name="offices", items=[{"ip": "192.0.2.10"}])  # which is there already


def test_an_export_describes_lists_of_each_kind_and_leaves_out_what_no_option_says(
    service: LocalService, modules: Modules
) -> None:
    account = service.account(ACCOUNT)
    account.ip_lists.lists.clear()
    wide = {"hostname": {"url_hostname": "*.example.org", "exclude_exact_hostname": False}}
    account.seed(lists=[*KINDS_OF_LISTS[2:4], {"name": "wide", "kind": "hostname", "items": [wide]}])
    read = modules.done("protection_info", gather_subset=["ip_lists"])
    export = export_state({"ip_lists": read["ip_lists"]})
    described = {one["name"]: one["items"] for one in export.variables["baseline_ip_lists"]}
    assert described == {
        "systems": [{"asn": 64500, "comment": ""}],
        "hosts": [{"hostname": "*.example.net", "comment": ""}, {"hostname": "shop.example.com", "comment": ""}],
        "wide": [],
    }
    assert "Parts of the list wide" in str(export.notes)
    again: Any = {"ip_lists": [{**one, "purge": True} for one in export.variables["baseline_ip_lists"]]}
    assert modules.done("host", **again)["changed"] is False


@pytest.mark.parametrize("is_counted_late", [False, True])
def test_a_list_to_which_a_rule_refers_is_not_deleted_whatever_is_accepted(
    is_counted_late: bool, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(
        account_id=ACCOUNT, custom_rules=[{**BLOCK, "expression": "ip.src in $offices", "enabled": False}]
    )
    if is_counted_late:
        service.account(ACCOUNT).ip_lists.list_named("offices")["num_referencing_filters"] = -1
    risks = ["removes_referenced_list", "empties_list"]
    message = modules.failed("ip_list", name="offices", state="absent", accept_risks=risks)["msg"]
    if is_counted_late:
        assert "[10031] the list is in use by 1 filters and cannot be deleted" in message
        assert "Rules name this list, also disabled ones and those of other zones." in message
    else:
        assert "Cloudflare deletes no list that rules refer to: offices (1 rule refers to it)." in message
        assert "add accept_risks" not in message and not service.writes
    assert [one["name"] for one in service.account(ACCOUNT).ip_lists.lists] == ["offices"]

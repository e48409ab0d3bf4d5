# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Advanced TCP Protection: what each operation does."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.fake_service import LocalService

from .conftest import ACCOUNT, Client

RULE = {
    "scope": "region",
    "name": "WEUR",
    "mode": "monitoring",
    "rate_sensitivity": "low",
    "burst_sensitivity": "high",
}
LISTS: dict[str, dict[str, Any]] = {
    "/prefixes": {"prefix": "192.0.2.7/24", "comment": "edge", "excluded": True},
    "/allowlist": {"prefix": "2001:DB8::1", "comment": "", "enabled": False},
    "/syn_protection/rules": {**RULE, "mitigation_type": "retransmit"},
    "/syn_protection/filters": {"expression": "ip.dst in {192.0.2.0/24}", "mode": "monitoring"},
    "/tcp_flow_protection/rules": RULE,
    "/tcp_flow_protection/filters": {"expression": "tcp.dstport eq 443", "mode": "disabled"},
}
CHANGES: dict[str, dict[str, Any]] = {
    "/prefixes": {"comment": "core"},
    "/allowlist": {"enabled": True},
    "/syn_protection/rules": {"mode": "enabled"},
    "/syn_protection/filters": {"mode": "enabled"},
    "/tcp_flow_protection/rules": {"rate_sensitivity": "high"},
    "/tcp_flow_protection/filters": {"expression": "tcp.dstport eq 80"},
}
every_list = pytest.mark.parametrize("path", LISTS)


def test_the_status_is_read_and_changed(protection: Client, account: Any) -> None:
    assert protection.result("GET", "/tcp_protection_status") == {"enabled": False}
    assert protection.result("PATCH", "/tcp_protection_status", {"enabled": True}) == {"enabled": True}
    assert account.enabled is True
    assert protection.result("PATCH", "/tcp_protection_status", {"enabled": False}) == {"enabled": False}


@every_list
def test_an_item_is_created_as_sent(protection: Client, path: str) -> None:
    created = protection.result("POST", path, LISTS[path])
    assert {name: created[name] for name in LISTS[path]} == LISTS[path]
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", created["id"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00", created["created_on"])
    assert created["modified_on"] == created["created_on"]
    assert protection.result("GET", path) == [created]
    assert protection.result("GET", f"{path}/{created['id']}") == created


@every_list
def test_a_change_keeps_the_rest_and_moves_modified_on(protection: Client, service: LocalService, path: str) -> None:
    created = protection.result("POST", path, LISTS[path])
    service.clock.advance(hours=4)
    changed = protection.result("PATCH", f"{path}/{created['id']}", CHANGES[path])
    assert changed == {**created, **CHANGES[path], "modified_on": changed["modified_on"]}
    assert changed["modified_on"] > created["modified_on"]
    assert protection.result("GET", path) == [changed]


@every_list
def test_deleting_answers_without_a_result(protection: Client, path: str) -> None:
    kept, gone = (protection.result("POST", path, LISTS[path]) for dummy in range(2))
    answer = protection("DELETE", f"{path}/{gone['id']}")
    assert (answer.status_code, answer.json()) == (200, {"success": True, "errors": [], "messages": []})
    assert protection.result("GET", path) == [kept]
    assert protection.refused("GET", f"{path}/{gone['id']}")["status"] == 404


@every_list
def test_a_delete_of_the_collection_takes_everything(protection: Client, path: str) -> None:
    for dummy in range(3):
        protection.result("POST", path, LISTS[path])
    protection.result("DELETE", path)
    assert protection.result("GET", path) == []


@every_list
def test_missing_objects_are_not_found(protection: Client, path: str) -> None:
    for method, body in (("GET", None), ("PATCH", CHANGES[path]), ("DELETE", None)):
        refused = protection.refused(method, f"{path}/31c70c65-9f81-4669-94ed-1e1e041e7b06", body)
        assert refused["status"] == 404 and "31c70c65" in refused["message"]


@pytest.mark.parametrize(
    ("path", "field", "value"),
    [
        ("/prefixes", "prefix", "192.0.2.0/24"),
        ("/allowlist", "prefix", "192.0.2.0/24"),
        ("/syn_protection/rules", "scope", "global"),
        ("/syn_protection/rules", "name", "EEUR"),
        ("/tcp_flow_protection/rules", "name", "EEUR"),
        ("/tcp_flow_protection/rules", "mitigation_type", "challenge"),
    ],
)
def test_immutable_fields_cannot_be_changed(protection: Client, path: str, field: str, value: str) -> None:
    created = protection.result("POST", path, LISTS[path])
    refused = protection.refused("PATCH", f"{path}/{created['id']}", {**CHANGES[path], field: value})
    assert (refused["status"], refused["pointer"]) == (400, f"/{field}")
    assert protection.result("GET", path) == [created]


def test_only_syn_flood_rules_have_a_mitigation_type(protection: Client) -> None:
    assert protection.result("POST", "/syn_protection/rules", RULE)["mitigation_type"] == "challenge"
    assert "mitigation_type" not in protection.result("POST", "/tcp_flow_protection/rules", RULE)
    refused = protection.refused("POST", "/tcp_flow_protection/rules", {**RULE, "mitigation_type": "challenge"})
    assert refused["pointer"] == "/mitigation_type"


@pytest.mark.parametrize("field", ["scope", "mode", "rate_sensitivity", "burst_sensitivity", "mitigation_type"])
def test_values_outside_the_enumerations_are_refused(protection: Client, field: str) -> None:
    assert protection.refused("POST", "/syn_protection/rules", {**RULE, field: "very_high"})["pointer"] == f"/{field}"


def test_an_expression_has_a_longest_length(protection: Client) -> None:
    body = {"mode": "monitoring", "expression": "x" * 8193}
    assert protection.refused("POST", "/syn_protection/filters", body)["pointer"] == "/expression"


def test_filters_are_listed_by_mode(protection: Client) -> None:
    for mode in ("enabled", "monitoring", "enabled"):
        protection.result("POST", "/syn_protection/filters", {"expression": "ip.src eq 192.0.2.1", "mode": mode})
    assert len(protection.result("GET", "/syn_protection/filters", params={"mode": "enabled"})) == 2


def prefixes(count: int) -> list[dict[str, Any]]:
    return [{"prefix": f"10.{n // 256}.{n % 256}.0/24", "comment": "", "excluded": False} for n in range(count)]


def test_a_bulk_add_takes_300_and_does_not_keep_their_order(protection: Client, account: Any) -> None:
    sent = prefixes(300)
    added = protection.result("POST", "/prefixes/bulk", sent)
    assert [item["prefix"] for item in added] == [item["prefix"] for item in reversed(sent)]
    assert len(account.prefixes) == 300


def test_a_bulk_add_of_301_is_refused_whole(protection: Client, account: Any) -> None:
    refused = protection.refused("POST", "/prefixes/bulk", prefixes(301))
    assert refused["status"] == 400 and "300 items at most, 301 were sent" in refused["message"]
    assert account.prefixes == []


def test_a_bulk_add_is_one_transaction(protection: Client, account: Any, service: LocalService) -> None:
    service.switch(refuse_duplicates=True)
    account.seed(prefixes=[{"prefix": "10.0.1.0/24"}])
    refused = protection.refused("POST", "/prefixes/bulk", prefixes(3))
    assert (refused["status"], refused["pointer"]) == (409, "/1")
    assert [item["prefix"] for item in account.prefixes] == ["10.0.1.0/24"]


@every_list
def test_duplicates_are_accepted_unless_switched_off(protection: Client, service: LocalService, path: str) -> None:
    first, second = (protection.result("POST", path, LISTS[path]) for dummy in range(2))
    assert first["id"] != second["id"]
    service.switch(refuse_duplicates=True)
    assert protection.refused("POST", path, LISTS[path])["status"] == 409


def test_duplicates_are_equal_networks_or_equal_scopes(protection: Client, service: LocalService) -> None:
    service.switch(refuse_duplicates=True)
    protection.result("POST", "/allowlist", LISTS["/allowlist"])
    same = {**LISTS["/allowlist"], "prefix": "2001:db8:0::1/128"}
    assert protection.refused("POST", "/allowlist", same)["status"] == 409
    protection.result("POST", "/syn_protection/rules", RULE)
    assert protection.refused("POST", "/syn_protection/rules", {**RULE, "name": "weur"})["status"] == 409
    assert protection.result("POST", "/syn_protection/rules", {**RULE, "scope": "datacenter"})


def test_an_account_that_is_not_entitled_gets_nothing(protection: Client, account: Any) -> None:
    account.seed(entitled=False)
    for method, path in (("GET", "/tcp_protection_status"), ("GET", "/prefixes"), ("DELETE", "/allowlist")):
        refused = protection.refused(method, path)
        assert (refused["status"], refused["code"]) == (403, 8888)


def test_an_account_without_dns_protection_has_tcp_protection(
    protection: Client, account: Any, service: LocalService
) -> None:
    account.seed(dns_entitled=False)
    assert protection.result("GET", "/prefixes") == []
    protection.root = f"{service.base_url}/accounts/{ACCOUNT}/magic/advanced_dns_protection/configs"
    refused = protection.refused("GET", "/dns_protection/rules")
    assert (refused["status"], refused["code"]) == (403, 8888)
    account.seed(dns_entitled=True)
    assert protection.result("GET", "/dns_protection/rules") == []


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/accounts/ffffffffffffffffffffffffffffffff/magic/advanced_tcp_protection/configs/prefixes", 404, 7003),
        (f"/accounts/{ACCOUNT}/magic/advanced_tcp_protection/configs/nothing", 404, 7003),
        ("/zones/ffffffffffffffffffffffffffffffff/firewall/rules", 404, 7003),
        ("/nothing", 404, 7003),
        (f"/accounts/{ACCOUNT}/magic/advanced_tcp_protection/configs/prefixes/bulk", 405, 10405),
    ],
)
def test_unknown_paths_have_no_route(
    protection: Client, service: LocalService, path: str, status: int, code: int
) -> None:
    protection.root = service.base_url
    refused = protection.refused("PUT" if status == 405 else "GET", path)
    assert (refused["status"], refused["code"]) == (status, code)
    assert path in refused["message"]


def test_methods_that_are_not_described_are_not_allowed(protection: Client) -> None:
    assert protection.refused("PUT", "/prefixes", [])["code"] == 10405
    assert protection.refused("OPTIONS", "/prefixes")["code"] == 10405
    assert protection("HEAD", "/prefixes").status_code == 405

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Accounts that lack a product: that is a fact about the host, and no failure of it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.service_time import ReadFailed
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import (
    Part,
    connection_options,
    host_part,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import (
    export_state,
    exported_resources,
    notes_on_unread,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.host_state import HostState, read_host

from tests.fake_service import LocalService
from tests.support.baseline_runs import restored, snapshot
from tests.support.host_parts import host, lawful_part, run_module
from tests.support.module_run import ACCOUNT, ZONE
from tests.support.reported_host import assessed, predicted

BLOCK = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
UDP = {"ref": "udp", "action": "block", "expression": 'ip.proto eq "udp" and udp.dstport in {53}'}
OF_ROLE = [{"kind": "syn_flood", "scope": "global"}, {"kind": "out_of_state_tcp", "scope": "global"}]
WAF_ALONE = {"entitled": False, "dns_entitled": False, "firewall_entitled": False}
FIREWALL_ALONE = {"entitled": False, "dns_entitled": False}
WITHOUT_DNS = {"dns_entitled": False}
LACKING, THERE, UNKNOWN = "not entitled", "entitled", "not known"
HERE: dict[str, Any] = {"baseline_custom_rules": [BLOCK], "baseline_rules": OF_ROLE}
WAYS: list[tuple[dict[str, Any], dict[str, Any], dict[str, str]]] = [
    (WAF_ALONE, HERE, {"tcp_protection": LACKING, "dns_protection": UNKNOWN, "network_firewall": UNKNOWN}),
    (
        WAF_ALONE,
        {**HERE, "baseline_network_firewall_rules": [], "baseline_dns_rules": [], "baseline_enabled": False},
        {"tcp_protection": LACKING, "dns_protection": LACKING, "network_firewall": LACKING},
    ),
    (
        WAF_ALONE,
        {
            **HERE,
            "baseline_prefixes": [{"prefix": "192.0.2.0/24", "expires": "2020-01-01"}],
            "baseline_dns_rules": [{"scope": "global", "mode": "disabled"}],
            "baseline_network_firewall_rules": [{**UDP, "enabled": False}],
            "baseline_purge": ["prefixes", "network_firewall_rules", "dns_rules"],
        },
        {"tcp_protection": LACKING, "dns_protection": LACKING, "network_firewall": LACKING},
    ),
    (
        FIREWALL_ALONE,
        {**HERE, "baseline_network_firewall_rules": [UDP]},
        {"tcp_protection": LACKING, "dns_protection": UNKNOWN, "network_firewall": THERE},
    ),
    (
        WITHOUT_DNS,
        {**HERE, "baseline_dns_rules": [], "baseline_prefixes": [{"prefix": "192.0.2.0/24"}]},
        {"tcp_protection": THERE, "dns_protection": LACKING, "network_firewall": UNKNOWN},
    ),
]


def variables_of(service: LocalService, **variables: Any) -> dict[str, Any]:
    values = {**host(service), **variables}
    return {name: value for name, value in values.items() if value is not None}


def part(service: LocalService, **variables: Any) -> Part:
    return host_part("lima", variables_of(service, **variables))


def account(service: LocalService, lacks: dict[str, Any]) -> None:
    service.account(ACCOUNT).seed(**lacks, prefixes=[{"prefix": "192.0.2.0/24"}], enabled=True)
    service.zone(ZONE).seed(account_id=ACCOUNT, name="shop.example", plan="free")


@pytest.mark.parametrize(("lacks", "variables", "products"), WAYS)
def test_a_host_without_a_product_is_a_host_like_any_other(
    lacks: dict[str, Any], variables: dict[str, Any], products: dict[str, str], service: LocalService
) -> None:
    account(service, lacks)
    result = lawful_part(part(service, **variables))
    assert result["products"] == products
    assert ("coverage" in result) is (products["tcp_protection"] == THERE)
    record = predicted(service, **{"baseline_prefixes": None, **variables})
    assert (record["products"], record["operations"]) == (products, [])
    if lacks.get("entitled") is False:
        assert assessed(record) == ("in_order", [])


NAMED: list[tuple[dict[str, Any], str, str]] = [
    ({"baseline_prefixes": [{"prefix": "192.0.2.0/24"}]}, "baseline_prefixes[0]", "Advanced TCP Protection"),
    ({"baseline_enabled": True}, "baseline_enabled", "Advanced TCP Protection"),
    ({"baseline_rules": [{**OF_ROLE[0], "mode": "enabled"}]}, "baseline_rules[0]", "Advanced TCP Protection"),
    ({"baseline_allowlist": [{"prefix": "192.0.2.7"}]}, "baseline_allowlist[0]", "Advanced TCP Protection"),
    ({"baseline_dns_rules": [{"scope": "global"}]}, "baseline_dns_rules[0]", "Advanced DNS Protection"),
    ({"baseline_network_firewall_rules": [UDP]}, "baseline_network_firewall_rules[0]", "Network Firewall"),
]


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(("variables", "option", "product"), NAMED)
def test_naming_something_of_a_product_that_the_account_lacks_is_an_error(
    variables: dict[str, Any], option: str, product: str, check: bool, service: LocalService
) -> None:
    account(service, WAF_ALONE)
    result = run_module(part(service, **HERE | variables), check)
    assert result["failed"] and service.writes == []
    assert result["msg"].startswith(f"{option}: The account has no {product}; ")


def test_all_that_is_named_of_missing_products_is_told_at_once(service: LocalService) -> None:
    account(service, WAF_ALONE)
    prefixes = [{"prefix": "192.0.2.0/24"}, {"prefix": "198.51.100.0/24"}]
    named = {"baseline_prefixes": prefixes, "baseline_network_firewall_rules": [UDP]}
    message = run_module(part(service, **HERE, **named), True)["msg"]
    assert message.startswith("2 errors: ") and "The same goes for 1 more." in message


REFUSED = [
    {"status": 403, "errors": [{"code": 10000, "message": "Authentication error"}]},
    {"status": 403, "errors": []},
]


@pytest.mark.parametrize("fault", REFUSED)
def test_any_other_refusal_is_a_failure(fault: dict[str, Any], service: LocalService) -> None:
    account(service, {})
    service.misbehave("status", path="/advanced_tcp_protection/", **fault)
    assert run_module(part(service, **HERE), True)["failed"]
    assert assessed(predicted(service, **HERE, baseline_prefixes=None))[0] == "unknown"


def test_a_product_of_which_a_part_was_read_is_not_missing(service: LocalService) -> None:
    account(service, {})
    errors = [{"code": 8888, "message": "not entitled"}]
    service.misbehave("status", path="/allowlist$", status=403, errors=errors)
    assert run_module(part(service, **HERE), True)["failed"]


@pytest.mark.parametrize("lacks", [WAF_ALONE, FIREWALL_ALONE, WITHOUT_DNS])
def test_a_snapshot_without_a_product_is_restored(lacks: dict[str, Any], service: LocalService) -> None:
    account(service, lacks)
    text = snapshot(service, **HERE, baseline_dns_rules=[])
    assert ("status:" in text.partition("baseline_snapshot")[2]) is lacks.get("entitled", True)
    run_module(part(service, **HERE, baseline_dns_rules=[]), False)
    assert restored(service, text) == ("", [])
    assert service.zone(ZONE).custom_rules == []


def test_a_restore_of_a_product_that_the_account_no_longer_has_is_refused(service: LocalService) -> None:
    account(service, {})
    text = snapshot(service, **HERE)
    service.account(ACCOUNT).seed(**WAF_ALONE)
    reason, _differences = restored(service, text)
    assert "cannot be brought back: The account has no Advanced TCP Protection" in reason


def test_a_report_on_announced_networks_asks_nothing_of_an_account_without_tcp_protection(
    service: LocalService,
) -> None:
    account(service, WAF_ALONE)
    service.account(ACCOUNT).seed(onboarded=[{"cidr": "198.51.100.0/24"}])
    wanted: dict[str, Any] = {
        "baseline_prefixes": None,
        "baseline_network_firewall_rules": [],
        "report_announced": True,
    }
    service.zone(ZONE).seed(custom_rules=[BLOCK])
    record = predicted(service, **HERE, **wanted)
    assert assessed(record) == ("in_order", [])
    assert (record["announced"], record["not_evaluated"]) == (None, None)


EXPECTED = [
    ({"packet": {"destination": "192.0.2.7", "protocol": "tcp"}, "expect": "mitigated"}, False),
    ({"packet": {"destination": "192.0.2.7", "protocol": "tcp"}, "expect": "unprotected"}, True),
]


@pytest.mark.parametrize(("expectation", "met"), EXPECTED)
def test_a_packet_to_an_account_without_tcp_protection_meets_no_protection(
    expectation: dict[str, Any], met: bool, service: LocalService
) -> None:
    account(service, WAF_ALONE)
    result = run_module(part(service, **HERE, baseline_expectations=[expectation]), True)
    (outcome,) = result["expectations"]
    assert outcome["met"] is met, outcome


def exported(service: LocalService, skip: list[str] | None = None, **variables: Any) -> HostState:
    options = connection_options(part(service, **variables))
    resources = exported_resources("lima", {**options, "skip": skip or []})
    return read_host(resources, options, run_module, in_part=True)


SEEN: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "all of it": ({}, {}, []),
    "WAF alone": (WAF_ALONE, {}, ["Advanced TCP Protection", "Advanced DNS Protection", "Network Firewall"]),
    "no permission for the account": ({}, {"protection": "none"}, ["The prefixes are not known"]),
    "none for the Network Firewall": ({}, {"network_firewall": "none"}, ["The Network Firewall rules are not known"]),
}


@pytest.mark.parametrize("case", SEEN)
def test_an_export_has_all_that_the_token_may_read_and_says_of_the_rest_why_not(
    case: str, service: LocalService
) -> None:
    lacks, grants, sentences = SEEN[case]
    account(service, lacks)
    service.account(ACCOUNT).seed(lists=[{"name": "office", "items": [{"ip": "198.51.100.0/24"}]}])
    service.zone(ZONE).seed(custom_rules=[BLOCK])
    service.add_token("narrow-token", **grants)
    token: dict[str, Any] = {"edge_api_token": "narrow-token"} if grants else {}
    state = exported(service, **token)
    variables = export_state(state.objects).variables
    assert {"baseline_custom_rules", "baseline_ip_lists", "baseline_security_level"} <= variables.keys()
    notes = notes_on_unread(state)
    assert all(any(sentence in note for note in notes) for sentence in sentences)
    assert bool(notes) is bool(sentences) and "(ray" not in "".join(notes)
    result = run_module(part(service, **variables), True)
    assert not result.get("failed") and result["operations"] == [], result


def test_an_export_leaves_out_what_it_is_to_skip(service: LocalService) -> None:
    account(service, {})
    state = exported(service, ["ip_lists", "security_level", "custom_rulesets"])
    variables = export_state(state.objects).variables
    assert not {"baseline_ip_lists", "baseline_security_level", "baseline_custom_rulesets"} & variables.keys()


@pytest.mark.parametrize("status", [401, 500])
def test_an_export_fails_if_its_token_is_wrong_or_cloudflare_does_not_answer(
    status: int, service: LocalService
) -> None:
    account(service, {})
    service.misbehave("status", path="/settings/security_level$", status=status)
    with pytest.raises(ReadFailed):
        exported(service)


def test_an_export_of_a_token_that_may_read_nothing_fails(service: LocalService) -> None:
    account(service, {})
    service.misbehave("status", status=403, errors=[])
    with pytest.raises(ReadFailed):
        exported(service)

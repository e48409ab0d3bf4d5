# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Expectations of requests and packets: what results say of them, and that no plan is written that leaves one unmet."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY
from tests.support.documents import read_page
from tests.support.module_run import ACCOUNT, ZONE, Modules

SHOP = {
    "action": "skip",
    "expression": 'starts_with(http.request.uri.path, "/cart")',
    "action_parameters": {"ruleset": "current"},
}
ADMIN = {"action": "block", "expression": 'http.request.uri.path eq "/admin"'}
CUSTOMER = {
    "description": "customers reach the shop",
    "request": {"source": "198.51.100.9", "method": "GET", "host": "shop.example", "path": "/cart", "country": "DE"},
    "expect": "allowed",
}
CLOSED = {
    "description": "the admin path is closed",
    "request": {"path": "/admin"},
    "expect": "blocked",
    "rule": "admin",
}
RESOLVER = {
    "description": "the resolver is mitigated",
    "packet": {"destination": "203.0.113.53", "destination_port": 53, "source": "192.0.2.1", "data_center": "FRA"},
    "expect": "mitigated",
}
RULES = [{"kind": kind, "scope": "global", "mode": "enabled"} for kind in ("syn_flood", "out_of_state_tcp")]
DNS = [{"scope": "global", "mode": "enabled"}]
PREFIXES = [{"prefix": "203.0.113.0/24"}]
ACCEPTED = ["skips_monitoring", "broad_allowlist", "stops_mitigation", "disables_protection", "unprotects_addresses"]


def met(result: dict[str, Any]) -> list[tuple[Any, Any, Any]]:
    return [(item["actual"], item["rule"], item["met"]) for item in result["expectations"]]


@pytest.fixture(autouse=True)
def owners(service: LocalService) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT)


@pytest.mark.parametrize("check", [True, False])
def test_expectations_that_are_met_are_results(service: LocalService, modules: Modules, check: bool) -> None:
    rules = [{"ref": "shop", **SHOP}, {"ref": "admin", **ADMIN}]
    result = modules.done("custom_rules", check, rules=rules, expectations=[{**CUSTOMER, "rule": "shop"}, CLOSED])
    assert met(result) == [("skipped", "shop", True), ("blocked", "admin", True)]
    assert result["expectations"][1] == {
        "description": "the admin path is closed", "expected": "blocked", "actual": "blocked", "rule": "admin", "met": True,
        "reasons": [], "skips": [], "example": None, "before": {"actual": "allowed", "rule": None, "met": False, "example": None},
    }  # fmt: skip
    assert bool(service.writes) is not check


@pytest.mark.parametrize("check", [True, False])
def test_plans_that_leave_one_unmet_are_refused(service: LocalService, modules: Modules, check: bool) -> None:
    modules.done("custom_rules", rules=[{"ref": "shop", **SHOP}])
    before = len(service.writes)
    rules = [{"ref": "geo", "action": "block", "expression": 'ip.src.country in {"DE" "FR"}', "position": "first"}]
    risks = ["blocks_everything", "weakens_zone", "skips_everything"]
    result = modules.failed("custom_rules", check, rules=rules, expectations=[CUSTOMER, CLOSED], accept_risks=risks)
    assert result["msg"] == (
        "After the plan, 2 expectations are not met, or not decided."
        " (1) expectations[0], customers reach the shop: expected allowed, but blocked by geo; before the plan it is skipped"
        " by shop (the plan creates custom rule geo)."
        " (2) expectations[1], the admin path is closed: expected blocked by the rule admin, and unmet:"
        " there is no rule admin."
        " Change the plan or the expectation; it cannot be accepted. Nothing was changed."
    )
    assert met(result) == [("blocked", "geo", False), ("undecided", None, False)]
    assert result["operations"]
    assert len(service.writes) == before


def test_an_undecided_expectation_is_refused_although_nothing_changes(modules: Modules) -> None:
    result = modules.failed("custom_rules", rules=[], expectations=[CLOSED])
    assert "expected blocked by the rule admin, but allowed, as it is already: there is no rule admin." in result["msg"]


OFFICE_ALONE = {
    "description": "the admin path is for the office",
    "every": 'http.request.uri.path eq "/admin" and not ip.src in $office',
    "expect": "blocked",
}


@pytest.mark.parametrize("check", [True, False])
def test_all_requests_are_proven_or_refuted(service: LocalService, modules: Modules, check: bool) -> None:
    """The list is one that no rule names; the networks of a rule are compared with its items."""
    service.account(ACCOUNT).seed(lists=[{"name": "office", "items": [{"ip": "192.0.2.0/24"}]}])
    skip = {"ref": "office", "action": "skip", "action_parameters": {"ruleset": "current"}}
    for network, is_met in (("192.0.2.0/25", True), ("192.0.2.0/23", False)):
        rules = [{**skip, "expression": f"ip.src in {{{network}}}"}, {"ref": "admin", **ADMIN}]
        options: dict[str, Any] = {"rules": rules, "expectations": [OFFICE_ALONE], "purge": True}
        run = modules.done if is_met else modules.failed
        result = run("custom_rules", check, accept_risks=["weakens_zone", "skips_everything"], **options)
        (record,) = result["expectations"]
        assert record["met"] is is_met
        if not is_met:
            assert (record["actual"], record["rule"]) == ("skipped", "office")
            assert "expected blocked, but skipped by office: GET https://" in result["msg"]
            assert "/admin from 192.0.3." in result["msg"]
            single = {"request": record["example"], "expect": "skipped", "rule": "office"}
            assert modules.done("custom_rules", True, **{**options, "expectations": [single]})


def test_all_packets_are_proven_or_refuted(modules: Modules) -> None:
    rules = [{"ref": "telnet", "action": "block", "expression": "tcp.dstport in {23}"}]
    for port, is_met in ((23, True), (24, False)):
        every = {"every": f"tcp.dstport in {{23 {port}}}", "traffic": "packets", "expect": "blocked"}
        run = modules.done if is_met else modules.failed
        (record,) = run("network_firewall_rules", True, rules=rules, expectations=[every])["expectations"]
        assert record["met"] is is_met
    assert record["example"]["destination_port"] == 24


def test_packets_are_checked_on_the_planned_account(modules: Modules) -> None:
    options: dict[str, Any] = {
        "enabled": True,
        "prefixes": PREFIXES,
        "rules": RULES,
        "dns_rules": DNS,
        "accept_risks": ACCEPTED,
    }
    result = modules.done("account_protection", expectations=[RESOLVER], **options)
    assert met(result) == [("mitigated", "rule global", True)]
    allowlist = [{"prefix": "192.0.2.0/24"}]
    refused = modules.failed("account_protection", expectations=[RESOLVER], allowlist=allowlist, accept_risks=ACCEPTED)
    assert "expected mitigated, but SYN flood protection bypassed by allowlist entry 192.0.2.0/24" in refused["msg"]
    expect = {"syn_flood": "bypassed", "out_of_state_tcp": "bypassed"}
    bypassed = {**RESOLVER, "expect": expect}
    result = modules.done("account_protection", expectations=[bypassed], allowlist=allowlist, accept_risks=ACCEPTED)
    assert met(result) == [("bypassed", "allowlist entry 192.0.2.0/24", True)]


def test_wrong_expectations_are_errors_before_any_request(service: LocalService, modules: Modules) -> None:
    expectations = [
        {"request": {"path": "/a/../b", "verb": "GET"}, "expect": "open"},
        {"packet": {"destination": "192.0.2.1"}, "expect": "mitigate"},
        {"expect": "allowed"},
    ]
    message = modules.failed("custom_rules", rules=[], expectations=expectations)["msg"]
    for problem in (
        "expectations[0].request.path: '/a/../b' is no path as rules see it after URL normalization",
        "expectations[0].expect: 'open' is none of allowed, skipped, logged, challenged, blocked",
        "expectations[0].request.verb: there is no such field; the fields are source, method,",
        "expectations[1].expect: 'mitigate' is none of mitigated, monitored",
        "expectations[2]: it takes either a request or a packet, or the expression of every one",
    ):
        assert problem in message
    assert not service.calls


def test_expectations_that_another_module_checks_are_warned_of(modules: Modules) -> None:
    result = modules.done("custom_rules", rules=[], expectations=[RESOLVER])
    assert "expectations" not in result
    assert "expectations[0]: account_protection checks expectations of a packet, not this module" in str(
        result["warnings"]
    )


def test_the_expectation_of_the_first_hour_is_met_once_the_rules_of_the_page_mitigate(
    service: LocalService, modules: Modules
) -> None:
    files = {
        name: yaml.safe_load(text) for name, text in read_page(REPOSITORY / "docs" / "first_hour.md").files.items()
    }
    denver = files["inventory/hosts.yml"]["accounts"]["hosts"]["denver"]
    described = {name.removeprefix("baseline_"): value for name, value in denver.items() if name != "edge_account_id"}
    expected = {"expectations": files["expected.yml"]["baseline_expectations"], **described}
    account = {"account_id": denver["edge_account_id"], "accept_risks": ["skips_monitoring"]}
    service.account(denver["edge_account_id"])
    monitors = [{**rule, "mode": "monitoring"} for rule in described["rules"]]
    assert "expected mitigated" in modules.failed("host", **{**account, **expected, "rules": monitors})["msg"]
    (result,) = modules.done("host", **account, **expected)["expectations"]
    assert result["met"] is True

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whoever takes protection away by hand is found, whether the baseline purges or not; and nobody is blamed who does
not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.unmanaged import parse_accepted
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import (
    AcceptedNow,
    host_record,
    report_of,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.files import html_page, metrics
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.markdown import markdown_page
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import HostRecord
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import host_results

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE, Modules
from tests.support.report_schema import validate_report

NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)
KINDS = ("syn_flood", "out_of_state_tcp")
ENABLED = {"scope": "global", "name": "global", "mode": "enabled"}
LISTS = ("prefixes", "allowlist", "rules", "filters", "dns_rules")
BASELINE: Mapping[str, Any] = {
    "enabled": True,
    "prefixes": [{"prefix": "192.0.2.0/24", "comment": "office"}],
    "allowlist": [{"prefix": "203.0.113.9"}],
    "rules": [{"kind": kind, **ENABLED} for kind in KINDS],
    "filters": [],
    "dns_rules": [ENABLED],
}
SYN, ALL = "SYN flood protection", "256 IPv4 addresses (192.0.2.0/24)"

# What somebody makes by hand: its list, the object, and what the report says of it; an empty text for nothing.
BY_HAND: list[tuple[str, Mapping[str, Any], str]] = [
    ("prefixes", {"prefix": "192.0.2.128/25", "excluded": True}, "excludes 128 IPv4 addresses (192.0.2.128/25)"),
    ("prefixes", {"prefix": "198.51.100.0/24", "excluded": True}, ""),
    ("allowlist", {"prefix": "0.0.0.0/1"}, "pass as sources"),
    ("syn_flood.rules", {"scope": "region", "name": "WEUR", "mode": "disabled"}, f"is disabled, so that {SYN} mitigates less for {ALL}: in region WEUR"),
    ("out_of_state_tcp.rules", {"scope": "datacenter", "name": "LAX", "mode": "disabled"}, "is disabled, so that out-of-state TCP protection"),
    ("syn_flood.filters", {"expression": "tcp.dstport eq 443", "mode": "disabled"}, f"is disabled, so that {SYN} mitigates less for {ALL}: to port 443"),
    ("out_of_state_tcp.filters", {"expression": "ip.dst in {192.0.2.0/24}", "mode": "monitoring"}, "is monitoring, so that"),
    ("syn_flood.filters", {"expression": "ip.dst in $servers", "mode": "disabled"}, "is not understood, so that SYN flood protection may mitigate less"),
    ("dns_rules", {"scope": "region", "name": "WEUR", "mode": "disabled"}, f"is disabled, so that DNS protection mitigates less for {ALL}: in region WEUR"),
    ("dns_rules", {"scope": "region", "name": "WEUR", "mode": "enabled", "rate_sensitivity": "low"},
     "is less sensitive than the rule global: rate sensitivity low instead of medium"),
    ("syn_flood.rules", {"scope": "region", "name": "WEUR", "mode": "enabled", "burst_sensitivity": "low"},
     "is less sensitive than the rule global: burst sensitivity low instead of medium"),
    ("syn_flood.rules", {"scope": "region", "name": "WEUR", "mode": "enabled", "burst_sensitivity": "high"}, ""),
]  # fmt: skip


def seeded(service: LocalService, where: str, obj: Mapping[str, Any]) -> None:
    """The account of the baseline, and one more object."""
    state: dict[str, Any] = {
        "enabled": True,
        "prefixes": [*BASELINE["prefixes"]],
        "allowlist": [*BASELINE["allowlist"]],
        "dns_rules": [ENABLED],
        **{kind: {"rules": [ENABLED], "filters": []} for kind in KINDS},
    }
    kind, _dot, part = where.partition(".")
    (state[kind][part] if part else state[where]).append(obj)
    service.account(ACCOUNT).seed(**state)


def record_of(module: str, result: dict[str, Any], accepted: Any = ()) -> HostRecord:
    accepted_now = AcceptedNow(parse_accepted(list(accepted), "lima"), NOW)
    record = host_record(host_results("lima", {}, {module: result}), NOW.isoformat(), accepted_now)
    validate_report(report_of([record], NOW.isoformat()))
    return record


@pytest.mark.parametrize(("where", "obj", "reason"), BY_HAND)
def test_an_account_is_weakened_by_what_no_baseline_names(
    where: str, obj: Mapping[str, Any], reason: str, service: LocalService, modules: Modules
) -> None:
    seeded(service, where, obj)
    record = record_of("account_protection", modules.done("account_protection", check=True, **BASELINE))
    (unmanaged,) = record["unmanaged"]
    assert (record["status"], bool(record["reasons"])) == (("weakened", True) if reason else ("in_order", False))
    assert unmanaged["weakens"] is (False if not reason else None if " may" in reason else True)
    assert unmanaged["since"]
    if reason:
        assert reason in unmanaged["reason"]
        sentence = f"The {unmanaged['title']} {unmanaged['key']} {unmanaged['reason']}, and no baseline names it."
        assert record["reasons"] == [sentence]


REGION = {"scope": "region", "name": "WEUR"}
HTTPS = {"expression": "tcp.dstport eq 443"}
# An object of a baseline with a staged rollout as it exists, if it does, and what the report says of it.
STAGED: list[tuple[str, Mapping[str, Any], Sequence[Mapping[str, Any]], str, str]] = [
    ("rules", REGION, [{**REGION, "mode": "disabled"}], "weakened", "mitigates more of the traffic to 256 IPv4 addresses (192.0.2.0/24): in region"),
    ("rules", REGION, [{**REGION, "mode": "monitoring"}], "pending", ""),
    ("rules", REGION, [], "drift", ""),  # the global rule mitigates there
    ("rules", {**REGION, "rate_sensitivity": "high"}, [], "weakened", "is less sensitive than the baseline says"),
    ("filters", HTTPS, [{**HTTPS, "mode": "disabled"}], "weakened", "mitigates more of the traffic to 256 IPv4 addresses (192.0.2.0/24): to port 443"),
    ("filters", HTTPS, [{**HTTPS, "mode": "monitoring"}], "pending", ""),
]  # fmt: skip


@pytest.mark.parametrize(("where", "entry", "existing", "status", "reason"), STAGED)
def test_what_protects_less_than_described_weakens_though_it_is_enabled_in_stages(
    where: str,
    entry: Mapping[str, Any],
    existing: Sequence[Mapping[str, Any]],
    status: str,
    reason: str,
    service: LocalService,
    modules: Modules,
) -> None:
    seeded(service, "allowlist", {"prefix": "203.0.113.7", "enabled": False})
    service.account(ACCOUNT).seed(syn_flood={where: list(existing)})
    described = {**BASELINE, where: [*BASELINE[where], {"kind": "syn_flood", **entry, "mode": "enabled"}]}
    codes = ["stops_mitigation", "lowers_sensitivity"]
    result = modules.done("account_protection", check=True, **described, staged_rollout=True, accept_risks=codes)
    record = record_of("account_protection", result)
    assert (record["status"], bool(record["pending"])) == (status, True)
    assert reason in record["reasons"][0]


@pytest.mark.parametrize(("where", "obj", "reason"), [row for row in BY_HAND if " may" not in row[2]])
def test_a_purge_tells_the_same_as_a_difference(
    where: str, obj: Mapping[str, Any], reason: str, service: LocalService, modules: Modules
) -> None:
    seeded(service, where, obj)
    result = modules.run("account_protection", check=True, **BASELINE, purge=list(LISTS))
    accepted = [risk["code"] for risk in result.get("risks", ())]
    result = modules.done("account_protection", check=True, **BASELINE, purge=list(LISTS), accept_risks=accepted)
    record = record_of("account_protection", result)
    assert record["unmanaged"] == []
    assert record["status"] == ("weakened" if reason else "drift")


BLOCK = {"ref": "login", "action": "block", "expression": 'http.host eq "a"', "enabled": True}
OTHER = {"ref": "form", "action": "managed_challenge", "expression": "ip.src in {192.0.2.0/24}"}
OFFICE = {
    "ref": "office",
    "action": "skip",
    "expression": "ip.src eq 203.0.113.9",
    "action_parameters": {"ruleset": "current"},
}
RULES: Sequence[dict[str, Any]] = [OFFICE, BLOCK, OTHER]


def skip(expression: str, **others: Any) -> dict[str, Any]:
    return {
        "ref": "hack",
        "action": "skip",
        "expression": expression,
        "action_parameters": {"ruleset": "current"},
        **others,
    }


# The rules of the zone after somebody's change, and what the report says of it; an empty text for nothing.
ZONES: list[tuple[str, Sequence[Mapping[str, Any]], str]] = [
    ("skips everything first", [skip("true"), *RULES], "hack lets requests pass that custom rules login, form would stop, and no"),
    ("skips what a rule blocks", [skip('http.host eq "a"'), *RULES], "hack lets requests pass that custom rule login would stop"),
    ("skips in a way that is not known", [*RULES, skip("ssl", action_parameters={"engines": ["a"]})], "hack may let requests pass"),
    ("challenges what a rule blocks", [{**skip('http.host eq "a"'), "action": "managed_challenge"}, *RULES],
     "hack leaves requests challenged (managed_challenge) that are blocked under the baseline: every request to host a from any address but"),
    ("skips what a rule before it blocks", [*RULES, skip('http.host eq "a"', action_parameters={"products": ["waf"]})], ""),
    ("a block is off", [OFFICE, {**BLOCK, "enabled": False}, OTHER], "login is off, and the baseline turns it on."),
    ("a block is gone", [OFFICE, OTHER], "login does not exist."),
    ("a block may be narrowed", [OFFICE, {**BLOCK, "expression": "cf.client.bot"}, OTHER], "login may match fewer requests"),
]  # fmt: skip


def zone_record(modules: Modules, rules: Sequence[dict[str, Any]] = (), **options: Any) -> HostRecord:
    return record_of("custom_rules", modules.done("custom_rules", check=True, rules=list(rules or RULES), **options))


@pytest.mark.parametrize(("existing", "reason"), [row[1:] for row in ZONES], ids=[row[0] for row in ZONES])
def test_a_zone_is_weakened_by_a_change_by_hand(
    existing: Sequence[dict[str, Any]], reason: str, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(custom_rules=list(existing))
    record = zone_record(modules)
    assert record["status"] == ("weakened" if reason else "in_order")
    assert reason in " ".join(record["reasons"])
    assert {item["key"] for item in record["unmanaged"]} <= {"hack", "more"}


@pytest.mark.parametrize(
    ("expression", "blocked"),
    [
        ("ip.src in {0.0.0.0/0}", "every request from 0.0.0.0/0"),
        ('http.request.uri.path wildcard "/*"', "every GET request over HTTPS"),
        ('http.host eq "shop.example"', "every GET request to https://shop.example/..."),
    ],
)
def test_a_block_of_all_plain_traffic_by_hand_is_a_difference_that_the_pages_tell(
    expression: str, blocked: str, service: LocalService, modules: Modules
) -> None:
    wide = {**BLOCK, "ref": "panic", "expression": expression}
    service.zone(ZONE).seed(custom_rules=[*RULES, wide], name="shop.example")
    record = zone_record(modules)
    reason = f"The custom rule panic blocks {blocked}, and no baseline names it."
    assert (record["status"], record["reasons"]) == ("drift", [reason])
    (unmanaged,) = record["unmanaged"]
    assert (unmanaged["weakens"], unmanaged["reason"]) == (False, f"blocks {blocked}")
    assert "Custom rule panic: blocks every" in markdown_page(report_of([record], NOW.isoformat()))


def test_a_block_of_all_plain_traffic_is_accepted_as_any_other_object(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(custom_rules=[*RULES, {**BLOCK, "ref": "panic", "expression": "ssl"}])
    result = modules.done("custom_rules", check=True, rules=list(RULES))
    accepted = {"resource": "custom_rule", "keys": ["panic"], "reason": "an attack, INC-7"}
    record = record_of("custom_rules", result, [accepted])
    assert (record["status"], record["unmanaged"][0]["accepted"]) == ("in_order", "an attack, INC-7")


@pytest.mark.parametrize(
    ("existing", "status", "reason"),
    [
        ([BLOCK, OFFICE, OTHER], "drift", ""),
        ([OFFICE, BLOCK, OTHER], "weakened", "office may let requests pass that custom rule login would stop."),
        ([{**OFFICE, "expression": "ip.src in {0.0.0.0/0 ::/0}"}, BLOCK, OTHER], "weakened", "office lets more requests pass"),
        ([skip("true"), BLOCK, OTHER, OFFICE], "weakened", "hack lets requests pass that custom rules login, form would stop."),
    ],
)  # fmt: skip
def test_the_order_of_an_exact_list_counts(
    existing: Sequence[dict[str, Any]], status: str, reason: str, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(custom_rules=list(existing))
    record = zone_record(modules, [BLOCK, OTHER, OFFICE], purge=True)
    assert record["status"] == status, record["reasons"]
    assert reason in " ".join(record["reasons"])


def test_a_firewall_rule_that_no_baseline_names_weakens(service: LocalService, modules: Modules) -> None:
    block, allow = "79141684506f886b51651495564cf76d", "f2d427378e7542acb295380d352e2ebd"
    rules = [
        {"id": block, "action": "block", "priority": 5, "filter": {"expression": 'http.host eq "a"'}},
        {"id": allow, "action": "allow", "priority": 1, "filter": {"expression": "true"}},
    ]
    service.zone(ZONE).seed(rules=rules)
    result = modules.done("firewall_rules", check=True, rules=[{"id": block, "action": "block"}])
    record = record_of("firewall_rules", result)
    assert record["status"] == "weakened"
    assert record["reasons"][0].startswith(f"The firewall rule {allow} lets requests pass that firewall rule {block}")


@pytest.mark.parametrize(
    ("accepted", "status"),
    [
        ({"resource": "allowlist_entry", "keys": ["*/1"]}, "in_order"),
        ({"resource": "allowlist_entry", "keys": ["0.0.0.0/*"]}, "weakened"),  # an address, and the entry is wider
        ({"resource": "allowlist_entry", "keys": ["0.0.0.0/1"], "expires": "2026-11-21"}, "in_order"),
        ({"resource": "allowlist_entry", "keys": ["0.0.0.0/1"], "expires": "2026-11-20"}, "weakened"),
        ({"resource": "allowlist_entry", "keys": ["1.*"]}, "weakened"),
        ({"resource": "prefix", "keys": ["*"]}, "weakened"),
    ],
)
def test_a_hole_is_accepted_until_it_expires(
    accepted: dict[str, Any], status: str, service: LocalService, modules: Modules
) -> None:
    seeded(service, "allowlist", {"prefix": "0.0.0.0/1"})
    result = modules.done("account_protection", check=True, **BASELINE)
    record = record_of("account_protection", result, [{**accepted, "reason": "a test of half the world"}])
    (unmanaged,) = record["unmanaged"]
    assert (record["status"], unmanaged["weakens"]) == (status, True)
    assert unmanaged["accepted"] == ("a test of half the world" if status == "in_order" else None)
    report = report_of([record], NOW.isoformat())
    holes = 'edgeops_protection_host_holes{host="lima"}'
    assert f"{holes} {int(status == 'weakened')}\n" in metrics(report)
    assert ("a test of half the world" in html_page(report)) is (status == "in_order")
    assert ("in no baseline: Allowlist entry 0.0.0.0/1" in markdown_page(report)) is (status == "weakened")


def test_a_malformed_exclusion_is_not_in_order_if_the_baseline_names_no_prefix(
    service: LocalService, modules: Modules
) -> None:
    seeded(service, "prefixes", {"prefix": "192.0/24", "excluded": True})
    described = {name: value for name, value in BASELINE.items() if name != "prefixes"}
    record = record_of("account_protection", modules.done("account_protection", check=True, **described))
    assert record["status"] == "weakened"
    assert "is malformed, and may exclude protected addresses" in " ".join(record["reasons"])


def test_an_account_without_a_baseline_for_prefixes_is_judged_by_its_own(
    service: LocalService, modules: Modules
) -> None:
    seeded(service, "syn_flood.filters", {"expression": "tcp.dstport eq 443", "mode": "disabled"})
    described = {name: value for name, value in BASELINE.items() if name != "prefixes"}
    record = record_of("account_protection", modules.done("account_protection", check=True, **described))
    assert record["status"] == "weakened"
    assert [(item["resource"], item["weakens"]) for item in record["unmanaged"]] == [
        ("prefix", False),
        ("syn_flood_filter", True),
    ]


@pytest.mark.parametrize(
    ("existing", "described", "enforces"),
    [
        ([BLOCK], [BLOCK], True),
        ([], [BLOCK], False),
        ([{**BLOCK, "enabled": False}], [BLOCK], False),
        ([{**BLOCK, "ref": "other"}], [BLOCK], True),
        ([{**BLOCK, "expression": "false"}], [BLOCK], False),
        ([skip("true"), BLOCK], [BLOCK], False),
        ([BLOCK, skip("true")], [skip("true"), BLOCK], True),
        ([skip("true"), BLOCK], [BLOCK, skip("true")], False),
        ([skip("true"), BLOCK], [{**skip("true"), "enabled": False}, BLOCK], False),
        ([skip("ssl"), skip("not ssl", ref="other"), BLOCK], [BLOCK], False),
        ([skip('http.host eq "b"'), BLOCK], [BLOCK], True),
        ([skip("true", action_parameters={"products": ["waf"]}), BLOCK], [BLOCK], True),
    ],
)
def test_a_rule_that_no_request_meets_enforces_nothing(
    existing: Sequence[dict[str, Any]],
    described: Sequence[dict[str, Any]],
    enforces: bool,
    service: LocalService,
    modules: Modules,
) -> None:
    service.zone(ZONE).seed(custom_rules=list(existing))
    codes = ["weakens_zone", "skips_everything"]
    result = modules.done("custom_rules", check=True, rules=list(described), accept_risks=codes)
    assert record_of("custom_rules", result)["enforces"] is enforces

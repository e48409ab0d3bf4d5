# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report on accounts and zones, from results that the modules return in check mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE, Modules
from tests.support.report_schema import validate_report
from tests.support.reports import make_report, read_results

GENERATED = "2026-11-21T10:00:00+00:00"
KINDS = ("syn_flood", "out_of_state_tcp")


def account(mode: str = "enabled", **others: Any) -> dict[str, Any]:
    """An account as the service holds it: one protected prefix, and a global rule of each kind with this mode."""
    rules = {kind: {"rules": [{"scope": "global", "name": "global", "mode": mode}]} for kind in KINDS}
    return {"enabled": True, "prefixes": [{"prefix": "192.0.2.0/24"}], **rules, **others}


def rules(mode: str) -> list[dict[str, str]]:
    return [{"kind": kind, "scope": "global", "mode": mode} for kind in KINDS]


BASELINE: Mapping[str, Any] = {"enabled": True, "prefixes": [{"prefix": "192.0.2.0/24"}], "staged_rollout": True}


@dataclass(frozen=True)
class ReportCase:
    """An account and a zone, their baseline, and what the report says; `hours` pass before the dry run."""

    name: str
    status: str
    existing: Mapping[str, Any] = field(default_factory=account)
    desired: Mapping[str, Any] = field(default_factory=lambda: BASELINE)
    custom: Sequence[dict[str, Any]] = ()
    custom_desired: Mapping[str, Any] = field(default_factory=dict)
    mitigates: bool = True
    reason: str = ""
    hours: float = 0


BLOCK = {"ref": "login", "action": "block", "expression": "ip.src eq 192.0.2.1", "description": "log in"}
CASES = [
    ReportCase("as described", "in_order", desired={**BASELINE, "rules": rules("enabled")}),
    ReportCase("monitors, as described", "in_order", account("monitoring"), {**BASELINE, "rules": rules("monitoring")}, mitigates=False),
    ReportCase("only a comment differs", "drift", desired={**BASELINE, "prefixes": [{"prefix": "192.0.2.0/24", "comment": "office"}]},
               reason="1 difference from the baseline."),
    ReportCase("waits until it may mitigate", "pending", account("monitoring"), {**BASELINE, "rules": rules("enabled")}, mitigates=False,
               reason="SYN flood rule global monitors, and is enabled by the first run after"),
    ReportCase("monitors where the baseline mitigates", "weakened", account("monitoring"), {**BASELINE, "rules": rules("enabled")}, mitigates=False,
               hours=4.1, reason="SYN flood protection: the baseline mitigates more of the traffic to 256 IPv4 addresses"),
    ReportCase("is less sensitive", "weakened", desired={**BASELINE, "rules": [{**item, "rate_sensitivity": "high"} for item in rules("enabled")]},
               reason="SYN flood protection: the rule global is less sensitive than the baseline says (rate sensitivity medium instead of high)."),
    ReportCase("monitors, and is less sensitive", "weakened", account("monitoring"),
               {**BASELINE, "rules": [{**item, "burst_sensitivity": "high"} for item in rules("monitoring")]}, mitigates=False,
               reason="SYN flood protection: the rule global is less sensitive than the baseline says"),
    ReportCase("is more sensitive", "drift",
               desired={**BASELINE, "rules": [{**item, "rate_sensitivity": "low"} for item in rules("enabled")], "accept_risks": ["lowers_sensitivity"]}),
    ReportCase("excludes more", "weakened", account(prefixes=[{"prefix": "192.0.2.0/24"}, {"prefix": "192.0.2.0/28", "excluded": True}]),
               {**BASELINE, "purge": ["prefixes"]}, reason="16 IPv4 addresses (192.0.2.0/28) are not protected, and the baseline protects them."),
    ReportCase("allows more", "weakened", account(allowlist=[{"prefix": "198.51.100.7"}]),
               {**BASELINE, "allowlist": [{"prefix": "198.51.100.7", "enabled": False}]}, reason="The allowlist lets 1 IPv4 address (198.51.100.7/32) pass"),
    ReportCase("off", "unprotected", account(enabled=False), mitigates=False, reason="TCP protection is off."),
    ReportCase("no prefix", "unprotected", account(prefixes=[]), mitigates=False, reason="There is no protected prefix."),
    ReportCase("a component does nothing", "unprotected", account(out_of_state_tcp={"rules": []}),
               reason="A component does nothing for 256 IPv4 addresses (192.0.2.0/24)."),
    ReportCase("a baseline that is off itself", "unprotected", account(enabled=False), {"enabled": False}, mitigates=False,
               reason="TCP protection is off."),
    ReportCase("DNS protection as described", "in_order", account(dns_rules=[{"mode": "enabled"}]),
               {**BASELINE, "dns_rules": [{"scope": "global", "mode": "enabled"}]}),
    ReportCase("DNS protection monitors where the baseline mitigates", "weakened", account(dns_rules=[{"mode": "monitoring"}]),
               {**BASELINE, "dns_rules": [{"scope": "global", "mode": "enabled"}]}, hours=4.1,
               reason="DNS protection: the baseline mitigates more of the traffic to 256 IPv4 addresses"),
    ReportCase("DNS protection has no rule", "unprotected", desired={**BASELINE, "dns_rules": [{"scope": "global"}]},
               reason="A component does nothing for 256 IPv4 addresses (192.0.2.0/24)."),
    ReportCase("a baseline without DNS protection", "in_order", account(dns_rules=[{"mode": "disabled"}]), BASELINE),
    ReportCase("a mode that nobody knows", "unknown", account("perhaps"), mitigates=False,
               reason="The mode 'perhaps' of the rule global of SYN flood protection is not known."),
    ReportCase("a rule of the zone is off", "weakened", custom=[{**BLOCK, "enabled": False}], custom_desired={"rules": [{**BLOCK, "enabled": True}]},
               reason="The custom rule login (log in) is off, and the baseline turns it on."),
    ReportCase("a rule of the zone only logs", "weakened",
               custom=[{**BLOCK, "expression": "ssl", "action": "managed_challenge"}, {**BLOCK, "ref": "other", "action": "log"}],
               custom_desired={"rules": [{**BLOCK, "ref": "other"}]},
               reason="The custom rule other (log in) has the action log, and the baseline says block."),
    ReportCase("a rule of the zone only logs behind one that challenges", "weakened",
               custom=[{**BLOCK, "action": "managed_challenge"}, {**BLOCK, "ref": "other", "action": "log"}],
               custom_desired={"rules": [{**BLOCK, "ref": "other"}]},
               reason="The custom rule login leaves requests challenged (managed_challenge) that are blocked under the baseline:"
                      " every request from 192.0.2.1, and no baseline names it."),
    ReportCase("a rule of the zone is missing", "weakened", custom_desired={"rules": [BLOCK]},
               reason="The custom rule login (log in) does not exist."),
    ReportCase("a rule of the zone skips", "weakened",
               custom=[{**BLOCK, "ref": "pass", "action": "skip", "action_parameters": {"ruleset": "current"}}, BLOCK],
               custom_desired={"rules": [BLOCK], "purge": True},
               reason="The custom rule pass (log in) lets requests pass that custom rule login would stop."),
    ReportCase("a rule of the zone is spelt otherwise", "drift", custom=[BLOCK],
               custom_desired={"rules": [{**BLOCK, "expression": "ip.src in {192.0.2.1}"}]}, reason="1 difference from the baseline."),
]  # fmt: skip


def reported(case: ReportCase, service: LocalService, modules: Modules) -> dict[str, Any]:
    service.account(ACCOUNT).seed(**case.existing)
    service.clock.advance(hours=case.hours)
    results = {"account_protection": modules.run("account_protection", check=True, **case.desired)}
    if case.custom_desired:
        service.zone(ZONE).seed(custom_rules=list(case.custom))
        results["custom_rules"] = modules.run("custom_rules", check=True, **case.custom_desired)
    report = make_report([read_results({"host": "lima", "account_id": ACCOUNT, "results": results})], GENERATED)
    validate_report(report)
    (record,) = report["hosts"]
    return dict(record)


def only_record(host: dict[str, Any]) -> Any:
    """The record of a report on one host."""
    (record,) = make_report([read_results(host)], GENERATED)["hosts"]
    return record


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_host_has_the_worst_status_that_applies(case: ReportCase, service: LocalService, modules: Modules) -> None:
    record = reported(case, service, modules)
    assert (record["status"], record["mitigates"]) == (case.status, case.mitigates), record["reasons"]
    assert any(reason.startswith(case.reason) for reason in record["reasons"]) or not case.reason, record["reasons"]
    assert bool(record["reasons"]) == (case.status != "in_order")
    assert not service.writes


def test_every_status_has_a_case() -> None:
    assert len({case.status for case in CASES}) == 6


@pytest.mark.parametrize(
    ("existing", "classes"),
    [
        (account(), {"covered": 256}),
        (account("monitoring"), {"monitored": 256}),
        (account("disabled"), {"uncovered": 256}),
        (account(enabled=False), {"uncovered": 256}),
        (account("perhaps"), {"undecided": 256}),
        (account(syn_flood={"rules": [{"mode": "enabled"}, {"scope": "region", "name": "WEUR", "mode": "monitoring"}]}), {"partial": 256}),
        (account(prefixes=[{"prefix": "192.0.2.0/24"}, {"prefix": "192.0.2.0/28", "excluded": True}]), {"covered": 240, "excluded": 16}),
        (account(prefixes=[{"prefix": "192.0.2.0/24"}, {"prefix": "192.0/24", "excluded": True}]), {"undecided": 256}),
        (account(syn_flood={"rules": [{"mode": "enabled"}], "filters": [{"expression": "ip.dst in {192.0.2.0/26}", "mode": "disabled"}]}),
         {"covered": 192, "uncovered": 64}),
    ],
)  # fmt: skip
def test_addresses_are_counted_by_how_they_are_treated(
    existing: Mapping[str, Any], classes: Mapping[str, int], service: LocalService, modules: Modules
) -> None:
    record = reported(ReportCase("", "", existing, {"enabled": existing["enabled"]}), service, modules)
    counted = record["coverage"]["addresses"]
    assert {name: number for name, number in counted["ipv4"].items() if number} == classes
    assert not any(counted["ipv6"].values())


def test_a_refused_plan_is_no_unknown_host(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(**account())
    desired = {"prefixes": [], "purge": ["prefixes"]}
    refused = modules.failed("account_protection", check=True, **desired)
    codes = [risk["code"] for risk in refused["risks"]]
    predicted = modules.done("account_protection", check=True, **desired, accept_risks=codes)
    for results in ({"account_protection": refused}, {"account_protection": predicted}):
        host = {"host": "lima", "results": results, "failures": [{**refused, "module": "account_protection"}]}
        record = only_record(host)
        assert record["status"] == "drift"
        assert f"A run refuses the plan: {', '.join(codes)}." in record["reasons"]
        assert [(risk["code"], risk["accepted"]) for risk in record["risks"]] == [(code, False) for code in codes]
        assert [operation["action"] for operation in record["operations"]] == ["delete"]
    assert record["coverage"]["protected"] == ["192.0.2.0/24"]


def test_a_host_that_could_not_be_read_is_unknown(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(**account())
    service.misbehave("status", method="GET", status=403)
    failed = modules.failed("account_protection", check=True, retries=0, **BASELINE)
    hosts: list[dict[str, Any]] = [
        {"host": "refused", "results": {"account_protection": failed}, "failures": [failed]},
        {"host": "incomplete", "failures": [{"failed": True, "msg": "edge_account_id is undefined"}]},
        {"host": "gone"},
        {"host": "skipped", "results": {"account_protection": {"skipped": True, "changed": False}}},
    ]
    report = make_report(map(read_results, hosts), GENERATED)
    validate_report(report)
    reasons = {record["host"]: record["reasons"] for record in report["hosts"]}
    assert {record["status"] for record in report["hosts"]} == {"unknown"}
    assert reasons["refused"] == [failed["msg"]]
    assert reasons["incomplete"] == ["edge_account_id is undefined"]
    assert "There is no result" in reasons["gone"][0] and reasons["skipped"] == reasons["gone"]


def test_a_part_that_could_be_read_is_shown_beside_one_that_could_not(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(**account("monitoring"))
    read = modules.done("account_protection", check=True, prefixes=[{"prefix": "203.0.113.0/24"}])
    failed = {"failed": True, "msg": "The zone was not read."}
    host = {"host": "lima", "results": {"account_protection": read, "custom_rules": failed}}
    record = only_record(host)
    assert (record["status"], record["reasons"][0]) == ("unknown", "The zone was not read.")
    assert record["coverage"]["addresses"]["ipv4"]["monitored"] == 256
    assert len(record["operations"]) == 1


def test_differences_show_what_a_field_is_now(service: LocalService, modules: Modules) -> None:
    identity = "79141684506f886b51651495564cf76d"
    service.zone(ZONE).seed(
        rules=[{"id": identity, "action": "log", "description": "office", "filter": {"expression": "ssl"}}],
        custom_rules=[BLOCK, {**BLOCK, "ref": "other"}],
    )
    firewall = modules.done(
        "firewall_rules", check=True, rules=[{"id": identity, "action": "block", "filter": {"expression": "not ssl"}}]
    )
    custom = modules.done("custom_rules", check=True, rules=[{"ref": "other"}, {"ref": "login"}], purge=True)
    host = {"host": "lima", "results": {"firewall_rules": firewall, "custom_rules": custom}}
    record = only_record(host)
    changed, moved = record["operations"]
    assert (changed["title"], changed["name"], changed["key"]) == ("firewall rule", "office", identity)
    assert changed["before"] == {"action": "log", "filter": {"expression": "ssl"}}
    assert (moved["name"], moved["before"]) == ("login (log in)", {"position": 1})
    assert (record["mitigates"], record["coverage"], record["status"]) == (None, None, "weakened")


def test_a_refusal_needs_no_name_of_its_module(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(**account())
    refused = modules.failed("account_protection", check=True, prefixes=[], purge=["prefixes"])
    assert only_record({"host": "lima", "failures": [refused]})["status"] == "drift"


def test_hosts_come_with_the_worst_first(service: LocalService, modules: Modules) -> None:
    hosts = []
    for case in CASES:
        service.reset()
        service.account(ACCOUNT).seed(**case.existing)
        result = modules.run("account_protection", check=True, **case.desired)
        hosts.append(read_results({"host": case.name, "results": {"account_protection": result}}))
    report = make_report(hosts, GENERATED)
    validate_report(report)
    order = list(report["totals"]["statuses"])
    positions = [order.index(record["status"]) for record in report["hosts"]]
    assert positions == sorted(positions)
    assert sum(report["totals"]["statuses"].values()) == report["totals"]["hosts"] == len(CASES)
    assert report["totals"]["addresses"]["ipv4"]["covered"] > 0

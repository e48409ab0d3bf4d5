# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Variables of the role report, as hosts, groups and plays set them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService
from tests.fake_service.beside import VALIDATION_TOKEN
from tests.support.ansible_run import REPOSITORY, Run, ansible_playbook
from tests.support.inventories import write_inventory
from tests.support.report_schema import validate_report

PLAYBOOK = REPOSITORY / "playbooks" / "report.yml"
PAGE = REPOSITORY / "docs" / "report.md"
RULES = {"rules": [{"scope": "global", "name": "global", "mode": "enabled"}]}
LAB, SHOP = "a" * 32, "b" * 32
IN_ORDER: Mapping[str, Any] = {
    "enabled": True,
    "prefixes": [{"prefix": "203.0.113.0/24"}],
    "syn_flood": RULES,
    "out_of_state_tcp": RULES,
}


@pytest.fixture
def service(service: LocalService) -> Iterator[LocalService]:
    service.account(LAB).seed(**IN_ORDER)
    service.account(SHOP).seed(**IN_ORDER)
    yield service
    assert not service.writes, "a report writes nothing to the service"


def report(
    directory: Path,
    service: LocalService,
    variables: Mapping[str, Any] | None = None,
    hosts: Mapping[str, Any] | None = None,
    **lab: Any,
) -> Run:
    """A report on two accounts, with variables of the play and of the host lab."""
    accounts = {"lab": {"edge_account_id": LAB, **lab}, "shop": {"edge_account_id": SHOP}}
    path = write_inventory(directory, service, {"accounts": {**accounts, **(hosts or {})}}, baseline_retries=0)
    of_play = json.dumps({**(variables or {}), "report_directory": str(directory / "report")})
    return ansible_playbook("-i", path, "-e", of_play, PLAYBOOK)


def read(directory: Path) -> dict[str, Any]:
    """The records of the report by host."""
    document = json.loads((directory / "report" / "report.json").read_text(encoding="utf-8"))
    validate_report(document)
    return {record["host"]: record for record in document["hosts"]}


def example(beginning: str) -> dict[str, Any]:
    """The variables of an example on the page."""
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = [block for block in blocks if block.startswith(beginning)]
    variables: dict[str, Any] = yaml.safe_load(block)
    return variables


def test_a_lab_that_is_off_on_purpose_is_in_order_until_it_expires(service: LocalService, tmp_path: Path) -> None:
    service.account(LAB).seed(enabled=False)
    variables = example("# host_vars/lab.yml")
    run = report(tmp_path, service, **variables, baseline_enabled=False)
    assert "2 hosts: 2 in order." in run.output, run.output
    assert [item["status"] for item in read(tmp_path)["lab"]["accepted_statuses"]] == ["protection_off"]
    variables["report_accepted"][0]["expires"] = "2020-01-01"
    run = report(tmp_path, service, {"report_fail_on": ["unprotected"]}, **variables)
    assert "1 unprotected, 1 in order." in run.output, run.output
    assert read(tmp_path)["lab"]["reasons"][0] == "TCP protection is off."


def test_announced_networks_need_a_prefix(service: LocalService, tmp_path: Path) -> None:
    parts = [{"cidr": "203.0.113.0/24"}, {"cidr": "198.51.100.0/25"}, {"cidr": "198.51.100.128/25"}]
    onboarded: list[dict[str, Any]] = [
        {"cidr": "203.0.113.0/24"},
        {"cidr": "198.51.100.0/24", "bgp_prefixes": parts[1:]},
    ]
    service.account(LAB).seed(onboarded=onboarded, prefixes=[{"prefix": "198.51.100.128/25", "excluded": True}])
    run = report(tmp_path, service, {"report_announced": True})
    assert "2 hosts: 1 weakened, 1 in order." in run.output, run.output
    record = read(tmp_path)["lab"]
    reason = "128 IPv4 addresses (198.51.100.0/25) are announced, and neither protected nor excluded."
    assert (record["status"], record["reasons"]) == ("weakened", [reason])
    assert record["announced"]["unprotected"] == ["198.51.100.0/25"]
    assert read(tmp_path)["shop"]["announced"]["networks"] == []
    files = [path.read_text(encoding="utf-8") for path in (tmp_path / "report").glob("report.*")]
    assert all(VALIDATION_TOKEN not in text for text in [run.output, *files])
    meant = [{"status": "announced", "networks": ["198.51.100.0/24"], "reason": "moves to the shop, OPS-3"}]
    run = report(tmp_path, service, {"report_announced": True}, report_accepted=meant)
    assert "2 hosts: 2 in order." in run.output, run.output
    assert [item["networks"] for item in read(tmp_path)["lab"]["accepted_statuses"]] == [["198.51.100.0/25"]]


def test_the_audit_log_says_who_opened_the_account(service: LocalService, tmp_path: Path) -> None:
    lab = service.account(LAB).seed(allowlist=[{"prefix": "0.0.0.0/1"}])
    path = f"/client/v4/accounts/{LAB}/magic/advanced_tcp_protection/configs/allowlist"
    lab.seed(audit_log=[{"method": "POST", "uri": path, "actor": {"email": "mallory@example.com"}}])
    run = report(tmp_path, service, {"report_changes_hours": 24}, baseline_enabled=True)
    assert "2 hosts: 1 weakened, 1 in order." in run.output, run.output
    prefix, change = read(tmp_path)["lab"]["changes"]
    assert prefix["text"] == "Prefix 203.0.113.0/24: the audit log of the last 24 hours does not say who changed it."
    assert change["text"].startswith("Allowlist entry 0.0.0.0/1: changed by mallory@example.com with the dashboard at ")
    assert change["text"] in (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    token = service.add_token("protection-only", account_settings="none")
    report(tmp_path, service, {"report_changes_hours": 24}, edge_api_token=token)
    record = read(tmp_path)["lab"]
    assert record["status"] == "weakened"
    assert "Account Settings Read (account)" in record["changes"][0]["text"]


def test_hosts_that_are_one_account_or_zone_are_listed(service: LocalService, tmp_path: Path) -> None:
    block: dict[str, Any] = {"ref": "login", "action": "block", "expression": "ip.src in {192.0.2.64/26}"}
    service.zone("c" * 32).seed(name="zone.example", custom_rules=[block])
    rules: dict[str, Any] = {"baseline_custom_rules": [block]}
    hosts = {
        "again": {"edge_account_id": LAB.upper(), "baseline_enabled": False},
        "by.id": {"edge_zone_id": "c" * 32, **rules},
        "by.name": {"edge_zone_name": "zone.example", **rules},
    }
    run = report(tmp_path, service, hosts=hosts).done()
    read(tmp_path)
    document = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    undoes = "so that each run of one undoes that of the other. Correct it, or make one host of them."
    assert document["shared_owners"] == [
        f"again and lab are one: both have edge_account_id {LAB}, {undoes}",
        f"by.id and by.name are one: both have edge_zone_id {'c' * 32}, {undoes}",
    ]
    assert document["shared_owners"][1] in run.output
    for name in ("report.html", "report.md"):
        assert "again and lab are one: both have" in (tmp_path / "report" / name).read_text(encoding="utf-8")


def test_phases_beside_the_network_firewall_are_named_as_not_evaluated(service: LocalService, tmp_path: Path) -> None:
    limit = {"action": "block", "expression": 'cf.colo.name in {"FRA"}', "ratelimit": {"period": 10}}
    service.account(LAB).seed(network_firewall_rules=[], network_rate_limits=[limit], network_managed_rules=[])
    report(tmp_path, service, baseline_network_firewall_rules=[]).done()
    text = "Not evaluated: rate limits of the Network Firewall (1, phase magic_transit_ratelimit)."
    records = read(tmp_path)
    assert (records["lab"]["not_evaluated"], records["shop"]["not_evaluated"]) == ([text], None)
    assert records["lab"]["status"] == "in_order"
    page, markdown, metrics = (
        (tmp_path / "report" / f"report.{end}").read_text(encoding="utf-8") for end in ("html", "md", "prom")
    )
    assert text in page
    assert "- Not evaluated: rate limits of the Network Firewall" in markdown
    assert 'edgeops_protection_host_not_evaluated{host="lab"} 1' in metrics
    assert 'edgeops_protection_host_not_evaluated{host="shop"}' not in metrics


def test_rules_that_nothing_matched_are_named(service: LocalService, tmp_path: Path) -> None:
    rules: list[dict[str, Any]] = [
        {"ref": name, "action": "block", "expression": f'http.request.uri.path eq "/{name}"'}
        for name in ("admin", "login")
    ]
    hosts = {}
    for letter in "cde":
        zone = service.zone(letter * 32).seed(
            custom_rules=[{**rule, "last_updated": "2026-01-01T00:00:00Z"} for rule in rules], account_id=LAB
        )
        zone.seed(events=[{"ruleId": zone.custom_rules[0]["id"], "count": 7}])
        hosts[f"{letter}.example"] = {"edge_zone_id": letter * 32, "baseline_custom_rules": rules}
    service.account(LAB).seed(analytics={"events": {"notOlderThan": 36000}})
    run = report(tmp_path, service, {"report_hits_hours": 24}, hosts=hosts)
    assert "5 hosts: 5 in order." in run.output, run.output
    records = read(tmp_path)
    for name in hosts:
        (unused,) = records[name]["unused"]
        assert unused["ref"] == "login"
        cut = "Hits of login: The account's analytics are kept for 10 h, and 24 h are asked for."
        assert records[name]["unknown_hits"] == [cut]
    assert (records["lab"]["unused"], records["lab"]["unknown_hits"]) == (None, [])
    assert len(service.queries) == 3, "refused, settings and events of the account, for all zones"
    for file in ("report.html", "report.md"):
        assert "Nothing has matched login since " in (tmp_path / "report" / file).read_text(encoding="utf-8")
    metrics = (tmp_path / "report" / "report.prom").read_text(encoding="utf-8")
    assert 'edgeops_protection_host_unused_rules{host="c.example"} 1' in metrics


def test_past_requests_stand_in_report_and_plan(service: LocalService, tmp_path: Path) -> None:
    zone = service.zone("c" * 32).seed(account_id=LAB, plan="business")
    zone.seed(requests=[{"clientRequestPath": path, "count": 500} for path in ("/", "/<b>admin")])
    rule = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path contains "admin"'}
    host = {"edge_zone_id": "c" * 32, "baseline_custom_rules": [rule], "baseline_backtest": {"max_blocked_percent": 10}}
    run = report(tmp_path, service, hosts={"zone.example": host})
    record = read(tmp_path)["zone.example"]
    assert record["backtest"]["undecided"]["requests"] == 500, run.output
    assert [risk["code"] for risk in record["risks"]] == ["blocks_traffic"]
    plan = json.loads((tmp_path / "report" / "plans" / "zone.example.json").read_text(encoding="utf-8"))
    assert plan["backtest"] == record["backtest"] and plan["plan_id"]
    for file in ("report.html", "report.md"):
        text = (tmp_path / "report" / file).read_text(encoding="utf-8").replace("\\", "")
        assert "Of 1,000 requests, 500 are not known, without http.request.uri.path." in text and "<b>admin" not in text
    zone.seed(requests=[{"clientRequestPath": "/admin", "count": 1000}])
    allowed = {
        **host,
        "baseline_accept_risks": [{"code": "blocks_traffic", "resource": "custom_rule", "entries": ["admin"]}],
    }
    report(tmp_path, service, hosts={"zone.example": allowed})
    (tried,) = read(tmp_path)["zone.example"]["backtest"]["rules"]
    assert (tried["requests"], tried["undecided"]) == (1000, 500)
    assert tried["examples"] == [{"http.request.uri.path": "/admin", "requests": 1000}]
    assert not service.writes

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role report, run as a user runs it: a fleet of twelve hosts with each status, failures."""

from __future__ import annotations

import json
import re
import shutil
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.plan_document import LESS_PROTECTION

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, ansible_playbook
from tests.support.inventories import write_inventory, write_play
from tests.support.report_fleet import ACCOUNTS
from tests.support.report_schema import validate_plan, validate_report

PLAYBOOK = REPOSITORY / "playbooks" / "report.yml"
BLOCK = {"ref": "login", "action": "block", "expression": "ip.src eq 192.0.2.1"}
STATUSES = {
    "broken": "unknown",  # its variables
    "closed": "unknown",  # its credentials
    "empty": "unknown",  # neither account nor zone
    "zone.unread": "unknown",
    "unprotected": "unprotected",
    "off": "unprotected",
    "weakened": "weakened",
    "zone.weakened": "weakened",
    "drift": "drift",
    "pending": "pending",
    "in_order": "in_order",
    "zone.in_order": "in_order",
}


@pytest.fixture
def service(service: LocalService) -> Iterator[LocalService]:
    yield service
    assert not service.writes, "a report writes nothing to the service"


@pytest.fixture
def inventory(tmp_path: Path, service: LocalService) -> Path:
    """Twelve accounts and zones."""
    soon = (datetime.now(UTC) + timedelta(days=3)).isoformat(timespec="seconds")
    hosts: dict[str, dict[str, Any]] = {}
    for number, (status, (existing, desired)) in enumerate(ACCOUNTS.items(), start=1):
        service.account(f"{number:032x}").seed(**existing)
        variables = {f"baseline_{name}": value for name, value in desired.items()}
        hosts[status] = {"edge_account_id": f"{number:032x}", **variables}
    service.account("c" * 32).seed(enabled=False)
    service.zone("d" * 32).seed(custom_rules=[{**BLOCK, "enabled": False}])
    service.zone("e" * 32).seed(custom_rules=[BLOCK])
    service.account("f" * 32)
    hosts.update(
        {
            "broken": {"edge_account_id": "f" * 32, "baseline_allowlist": [{"prefix": "192.0.2/24"}]},
            "closed": {"edge_account_id": "f" * 32, "edge_api_token": "of-nobody"},
            "empty": {},
            "off": {
                "edge_account_id": "c" * 32,
                "edge_owner": "{{ 'team' }} edge",
                "edge_runbook": "https://wiki.example.com/off",
                "baseline_accept_risks": [{"code": "broad_allowlist", "reason": "OPS-7", "expires": soon}],
            },
            "zone.unread": {"edge_zone_id": "e" * 32},
            "zone.weakened": {"edge_zone_id": "d" * 32, "baseline_custom_rules": [{**BLOCK, "enabled": True}]},
            "zone.in_order": {"edge_zone_id": "e" * 32, "baseline_custom_rules": [BLOCK]},
        }
    )
    return write_inventory(tmp_path, service, {"accounts": hosts}, baseline_retries=0)


def report(inventory: Path, *options: str | Path) -> Run:
    directory = json.dumps({"report_directory": str(inventory.parent / "report")})
    return ansible_playbook("-i", inventory, "-e", directory, *options, PLAYBOOK)


def read(inventory: Path, name: str = "report.json") -> Any:
    text = (inventory.parent / "report" / name).read_text(encoding="utf-8")
    return json.loads(text) if name.endswith(".json") else text


def test_a_fleet_of_twelve_has_each_status(inventory: Path, service: LocalService) -> None:
    run = report(inventory).done()
    document = read(inventory)
    validate_report(document)
    records = {record["host"]: record for record in document["hosts"]}
    assert {host: record["status"] for host, record in records.items()} == STATUSES
    assert "baseline_allowlist[0].prefix" in records["broken"]["reasons"][0]
    assert "HTTP 403" in records["closed"]["reasons"][0]
    assert "empty is neither an account nor a zone" in records["empty"]["reasons"][0]
    assert records["zone.unread"]["reasons"] == [
        "No rules of the zone zone.unread are described, so that it is not read."
    ]
    assert [risk["accepted"] for risk in records["drift"]["risks"]] == [False]
    assert records["zone.weakened"]["zone_id"] == "d" * 32
    assert service.token not in run.output + read(inventory, "report.md")
    (accepted,), (deadline,) = records["off"]["accepted_risks"], records["off"]["expiring"]
    assert (accepted["code"], accepted["reason"], accepted["expires"]) == (
        "broad_allowlist",
        "OPS-7",
        deadline["expires"],
    )
    owners = {host: (record["owner"], record["runbook"]) for host, record in records.items() if record["owner"]}
    assert owners == {"off": ("team edge", "https://wiki.example.com/off")}
    assert '_host_info{host="off",owner="team edge",runbook="https://wiki.example.com/off"} 1' in read(
        inventory, "report.prom"
    )
    assert "- owner: team edge, runbook: https://wiki.example.com/off\n" in read(inventory, "report.md")
    assert '<a href="https://wiki.example.com/off" rel' in read(inventory, "report.html")
    assert {tuple(record["groups"]) for record in records.values()} == {("accounts",)}
    assert {record["generated"] for record in records.values()} == {document["generated"]}
    assert "12 hosts: 4 unknown, 2 unprotected, 2 weakened, 1 drift, 1 pending, 2 in order." in run.output
    assert "Accepted" not in run.output


def test_every_file_is_there_for_its_owner(inventory: Path, service: LocalService) -> None:
    assert report(inventory).code == 0
    folder = inventory.parent / "report"
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    known = {host for host, status in STATUSES.items() if status != "unknown"}
    assert files == {f"report.{kind}" for kind in ("json", "md", "html", "prom", "sarif", "xml")} | {
        f"plans/{host}.json" for host in known
    }
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / "plans")} == {0o700}
    assert not [
        path for path in folder.rglob("*") if path.is_file() and service.token in path.read_text(encoding="utf-8")
    ]
    assert 'edgeops_protection_host_severity{host="in_order"} 0' in read(inventory, "report.prom")


def test_the_file_of_a_plan_has_the_plan_of_the_host(inventory: Path) -> None:
    assert report(inventory).code == 0
    record = next(record for record in read(inventory)["hosts"] if record["host"] == "weakened")
    plan = read(inventory, "plans/weakened.json")
    assert plan["plan_id"] == record["plan_id"]
    assert re.fullmatch("[0-9a-f]{64}", plan["plan_id"])
    assert plan.keys() == {"host", "generated", "report", "plan_id", "operations", "backtest"}
    assert [operation["action"] for operation in plan["operations"]] == ["delete"]
    assert (plan["host"], plan["generated"]) == ("weakened", read(inventory)["generated"])
    in_order = read(inventory, "plans/in_order.json")
    assert (in_order["plan_id"], in_order["operations"]) == ("", [])
    assert in_order["report"] == plan["report"]


def test_a_limited_report_keeps_the_other_hosts_with_their_age(inventory: Path) -> None:
    assert report(inventory, "--limit", "weakened,drift,pending").code == 0
    folder, long_ago = inventory.parent / "report", "2026-01-02T03:04:05+00:00"
    earlier = read(inventory)
    for record in (earlier, *earlier["hosts"]):
        record["generated"] = long_ago
    (folder / "report.json").write_text(json.dumps(earlier), encoding="utf-8")
    hosts = yaml.safe_load(inventory.read_text(encoding="utf-8"))
    del hosts["all"]["children"]["accounts"]["hosts"]["pending"]  # has left the inventory
    inventory.write_text(yaml.safe_dump(hosts), encoding="utf-8")
    run = report(inventory, "--limit", "drift", "-e", "report_fail_on=weakened").done()
    document = read(inventory)
    validate_report(document)
    read_at = {record["host"]: record["generated"] for record in document["hosts"]}
    assert read_at == {"weakened": long_ago, **dict.fromkeys(("drift", "pending"), document["generated"])}
    gone = next(record for record in document["hosts"] if record["host"] == "pending")
    reason = "It is not in the inventory any more, and no file names it. The next report leaves it out."
    assert (gone["status"], gone["reasons"], gone["gone"]) == ("unknown", [reason], True)
    assert sorted(path.name for path in (folder / "plans").iterdir()) == ["drift.json", "weakened.json"]
    age = re.compile(r"as of 2026-01-02 03:04 UTC, [0-9,]+ days ago")
    assert all(age.search(read(inventory, name)) for name in ("report.md", "report.html"))
    assert age.search(run.output)
    assert 'edgeops_protection_host_severity{host="weakened"} 3' in read(inventory, "report.prom")
    report(inventory, "--limit", "drift").done()
    assert {record["host"] for record in read(inventory)["hosts"]} == {"weakened", "drift"}


def test_a_mistake_in_an_inventory_file_makes_no_host_well(inventory: Path) -> None:
    report(inventory, "--limit", "weakened,drift").done()
    hosts = yaml.safe_load(inventory.read_text(encoding="utf-8"))
    weakened = hosts["all"]["children"]["accounts"]["hosts"].pop("weakened")
    inventory.write_text(yaml.safe_dump(hosts), encoding="utf-8")
    other = inventory.parent / "other.yml"
    other.write_text(yaml.safe_dump({"accounts": {"hosts": {"weakened": weakened}}}) + "  a mistake", encoding="utf-8")
    for _again in range(2):
        run = report(inventory, "-i", other, "--limit", "drift", "-e", "report_fail_on=unknown")
        assert run.code != 0 and "report_fail_on (unknown) meets weakened." in run.output, run.output
    record = next(record for record in read(inventory)["hosts"] if record["host"] == "weakened")
    assert record["reasons"][0].startswith(f"It is not in the inventory any more, and {other} still names it.")
    accepted = json.dumps({"report_accepted": [{"status": "gone", "hosts": ["weak*"], "reason": "moved, OPS-7"}]})
    report(inventory, "-i", other, "--limit", "drift", "-e", accepted).done()
    assert {record["host"] for record in read(inventory)["hosts"]} == {"drift"}


def test_misspelt_variables_are_named(inventory: Path) -> None:
    run = report(inventory, "--limit", "in_order", "-e", "edge_zone_idd=x", "-e", "tagret=x")
    printed = " ".join(run.output.split())
    for name, meant in (("in_order: edge_zone_idd", "edge_zone_id"), ("in_order: tagret", "target")):
        problem = "there is no such variable (did you mean"
        assert f"{name}: {problem} {meant}?)" in printed.replace("\n", " "), name


def test_traffic_is_reported_as_far_as_it_is_known(inventory: Path, service: LocalService) -> None:
    numbers = {status: f"{number:032x}" for number, status in enumerate(ACCOUNTS, start=1)}
    lost = {"verdict": "drop", "mitigationReason": "NOT_FOUND"}
    service.account(numbers["pending"]).seed(
        traffic=[
            {"ipDestinationAddress": "192.0.2.7", "packets": 1_200_000},
            {"ipDestinationAddress": "192.0.2.7", "packets": 50_000, **lost},
            {"ipDestinationAddress": "192.0.2.7", "packets": 9, "outcome": "drop", "mitigationReason": "UNEXPECTED"},
            {"ipDestinationAddress": "192.0.2.7", "packets": 5_000, "hours_ago": 30, **lost},
        ]
    )
    report(inventory, "-e", "report_traffic_hours=24").done()
    document = read(inventory)
    validate_report(document)
    records = {record["host"]: record for record in document["hosts"]}
    assert {host: record["status"] for host, record in records.items()} == STATUSES
    seen = records["pending"]["traffic"]["components"]["out_of_state_tcp"]
    assert (seen["would_drop_packets"], seen["dropped_packets"], seen["known"]) == (50_000, 9, True)
    assert [(item["network"], item["would_drop_percent"]) for item in seen["networks"]] == [("192.0.2.0/24", 4.0)]
    silent = records["in_order"]["traffic"]["components"]["syn_flood"]
    assert (silent["known"], silent["passed_packets"]) == (False, None)
    assert not any(record["traffic"] for host, record in records.items() if STATUSES[host] == "unknown")
    assert records["zone.in_order"]["traffic"] is None
    sentence = "1,200,000 passed, 50,000 would have been dropped, 9 dropped (4 % would have been)."
    assert sentence in read(inventory, "report.html") and sentence in read(inventory, "report.md")
    assert "Not known. The analytics saw no traffic." in read(inventory, "report.html")
    samples = [
        line
        for line in read(inventory, "report.prom").splitlines()
        if line.startswith("edgeops_protection_host_packets{")
    ]
    assert (
        'edgeops_protection_host_packets{host="pending",component="out_of_state_tcp",action="would_drop"} 50000'
        in samples
    )
    assert len(samples) == 6 and len(service.queries) == len(ACCOUNTS) + 1  # and the account that is off


def test_some_statuses_make_the_run_fail_at_its_end(inventory: Path) -> None:
    report(inventory, "--limit", "in_order,drift", "-e", '{"report_fail_on": ["unknown", "unprotected"]}').done()
    run = report(inventory, "-e", '{"report_fail_on": ["unknown", "unprotected"]}')
    assert run.code != 0
    assert (
        "report_fail_on (unknown, unprotected) meets broken, closed, empty, zone.unread, off and 1 more." in run.output
    )
    assert len(read(inventory)["hosts"]) == 12


def test_an_empty_text_is_no_status_to_fail_on(inventory: Path) -> None:
    report(inventory, "--limit", "off", "-e", "report_fail_on=").done()
    assert [record["status"] for record in read(inventory)["hosts"]] == ["unprotected"]


def test_a_report_says_what_changed_since_the_one_that_it_replaces(inventory: Path, service: LocalService) -> None:
    previous = ("--limit", "in_order,drift", "-e", f"report_previous={inventory.parent / 'report' / 'report.json'}")
    first = report(inventory, *previous)
    assert first.code == 0 and "does not exist; nothing is compared" in " ".join(first.output.split())
    assert read(inventory)["previous"] is None
    number = list(ACCOUNTS).index("in_order") + 1
    service.account(f"{number:032x}").seed(enabled=False)
    assert report(inventory, *previous).code == 0
    validate_report(read(inventory))
    (change,) = read(inventory)["previous"]["hosts"]
    assert (change["host"], change["before"], change["now"]) == ("in_order", "in_order", "unprotected")
    assert "TCP protection is off." in change["new"]


def test_a_directory_that_cannot_be_written_is_an_error(inventory: Path, tmp_path: Path) -> None:
    (tmp_path / "report").write_text("a file", encoding="utf-8")
    run = report(inventory, "--limit", "in_order")
    assert run.code != 0
    assert "The report is not complete." in run.output and "Traceback" not in run.output


def test_check_mode_writes_no_file(inventory: Path, tmp_path: Path) -> None:
    run = report(inventory, "--check", "-e", "report_fail_on=unknown")
    assert run.code == 2, run.output
    assert "12 hosts: 4 unknown" in run.output and "report.html" not in run.output
    assert f"No file is written in check mode; the report would be in {tmp_path / 'report'}." in run.output
    assert "report_fail_on (unknown) meets" in run.output and "The report is in" not in run.output
    assert not (tmp_path / "report").exists()


def test_a_host_elsewhere_gets_no_credentials_and_a_host_that_did_not_run_is_unknown(
    inventory: Path, tmp_path: Path
) -> None:
    tasks = [
        {"ansible.builtin.fail": {"msg": "gone"}, "when": "inventory_hostname == 'off'"},
        {"ansible.builtin.import_role": {"name": "edgeops.protection.report"}},
    ]
    playbook = write_play(tmp_path, tasks, "accounts")
    options = {"report_directory": str(tmp_path / "report")}
    ansible_playbook("-i", inventory, "--limit", "off,drift", "-e", json.dumps(options), playbook)
    reasons = {record["host"]: record["reasons"] for record in read(inventory)["hosts"]}
    assert "There is no result: the run did not get to this host" in reasons["off"][0]
    report(inventory, "--limit", "in_order", "-e", "ansible_connection=ssh").done()
    assert "carries credentials" in read(inventory)["hosts"][0]["reasons"][0]


@pytest.mark.parametrize("forks", ["1", "7"])
def test_rules_of_an_account_are_a_reason_of_its_zones_and_read_once(
    forks: str, service: LocalService, tmp_path: Path
) -> None:
    account, ruleset = "a" * 32, "b" * 32
    skip = {"ref": "monitors", "action": "skip", "expression": "true", "action_parameters": {"products": ["waf"]}}
    deploy = {"action": "execute", "expression": 'cf.zone.plan eq "ENT"', "action_parameters": {"id": ruleset}}
    rulesets = [{"id": ruleset, "name": "Office", "rules": [skip]}]
    service.account(account).seed(custom_rules=[{"ref": "deploy", **deploy}], custom_rulesets=rulesets)
    zones: dict[str, Any] = {}
    for number, plan in enumerate(["enterprise"] * 6 + ["free"], start=1):
        name = f"{plan}{number}.example"
        service.zone(f"{number:032x}").seed(custom_rules=[BLOCK], name=name, plan=plan, account_id=account)
        known = {"edge_zone_plan": plan, "edge_zone_account_id": account, "edge_zone_name": name}
        known = known if number > 1 else {"edge_zone_plan": plan}  # as people type it
        zones[name] = {"edge_zone_id": f"{number:032x}", "baseline_custom_rules": [BLOCK], **known}
    inventory = write_inventory(tmp_path, service, {"accounts": {}, "zones": zones})
    ansible_playbook("-i", inventory, "-e", f"report_directory={tmp_path}/report", "-f", forks, PLAYBOOK).done()
    report = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    records = {host["host"]: host for host in report["hosts"]}
    assert records["free7.example"]["status"] == "in_order"
    for name in [*zones][:6]:
        assert records[name]["status"] == "weakened", records[name]["reasons"]
        assert "The custom rule of the account monitors of the ruleset Office skips" in records[name]["reasons"][0]
    assert len([call for call in service.calls if account in call.path]) == 2


def test_a_plan_page_is_written_if_it_is_asked_for(inventory: Path, service: LocalService) -> None:
    report(inventory, "-e", "report_plan=true").done()
    document = read(inventory, "plan.json")
    validate_plan(document)
    assert (document["hosts"], document["label"]) == (12, "needs approval: passes traffic")
    risks = {risk["code"] for plan in document["changes"] for risk in plan["risks"]}
    reasons = [reason for part in document["unplanned"] for reason in part["reasons"]]
    assert any("baseline_allowlist[0].prefix" in reason for reason in reasons)
    assert risks & LESS_PROTECTION
    shutil.copytree(inventory.parent / "report", inventory.parent / "base")
    run = report(inventory, "-e", "report_plan=true", "-e", f"report_plan_base={inventory.parent / 'base'}").done()
    first = read(inventory, "plan.md").splitlines()[0]
    assert first.startswith("0 of 12 hosts change.") and "4 hosts cannot be planned. The run would undo " in first
    assert "0 of 12 hosts change." in run.output
    report(inventory).done()
    assert not [*(inventory.parent / "report").glob("plan.*")]

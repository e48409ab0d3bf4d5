# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One task for all hosts: it reports what a task of each host would, in batches too, with the variables of each host."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._concurrency import MAX_CONCURRENT_CALLS

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, ansible_playbook
from tests.support.inventories import write_inventory, write_play
from tests.support.report_fleet import ACCOUNTS, write_fleet

PLAYBOOKS = REPOSITORY / "playbooks"
ROLE = {"ansible.builtin.import_role": {"name": "edgeops.protection.report", "rolespec_validate": False}}
TIMES = re.compile(
    r"ray [0-9a-f]{16}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\+00:00|Z| UTC)?|timestamp_seconds(\{.*\})? \d+"
)
ON_UNKNOWN = ("-e", "report_fail_on=unknown", "--limit", "in_order,drift,zone")
FILES = ("report.json", "report.md", "report.html", "report.prom", "report.xml", "report.sarif")


@pytest.fixture
def service(service: LocalService) -> Iterator[LocalService]:
    yield service
    assert not service.writes


@pytest.fixture
def inventory(tmp_path: Path, service: LocalService) -> Path:
    """An account of each status, one with wrong variables, one without credentials, and a zone."""
    return write_fleet(tmp_path, service)


def play(inventory: Path, *before: dict[str, Any], options: tuple[str, ...] = (), **keywords: Any) -> Run:
    """A play with the role report, into a directory beside the inventory."""
    playbook = write_play(inventory.parent, [*before, ROLE], "accounts", **keywords)
    directory = json.dumps({"report_directory": str(inventory.parent / "report")})
    return ansible_playbook("-i", inventory, "-e", directory, *options, playbook)


def records(inventory: Path) -> dict[str, Any]:
    report = json.loads((inventory.parent / "report" / "report.json").read_text(encoding="utf-8"))
    return {record["host"]: record for record in report["hosts"]}


def written(inventory: Path) -> list[str]:
    """The lines of the files of the report, without times, and without the id of the report, which depends on them."""
    texts = [(inventory.parent / "report" / name).read_text(encoding="utf-8") for name in FILES]
    return [TIMES.sub("", line) for text in texts for line in text.splitlines()]


@pytest.mark.parametrize("keywords", [{"strategy": "free"}, {"strategy": "host_pinned"}, {"serial": 3}])
def test_tasks_of_each_host_or_batch_report_the_same(keywords: dict[str, Any], inventory: Path) -> None:
    play(inventory).done()
    together = written(inventory)
    assert play(inventory, options=("-f", "1"), **keywords).code == 0
    assert [*unified_diff(together, written(inventory), n=0)] == []


@pytest.mark.parametrize("keywords", [{"strategy": "free"}, {"serial": 2}, {"serial": 1, "order": "reverse_inventory"}])
def test_hosts_that_are_not_read_yet_fail_no_batch(keywords: dict[str, Any], inventory: Path) -> None:
    play(inventory, options=("-f", "1", *ON_UNKNOWN), **keywords).done()
    assert {record["status"] for record in records(inventory).values()} == {"in_order", "drift"}


@pytest.mark.parametrize("keywords", [{}, {"serial": 2}])
def test_hosts_that_no_task_will_read_fail_the_run(keywords: dict[str, Any], inventory: Path) -> None:
    lost = {"ansible.builtin.fail": {}, "when": "inventory_hostname == 'in_order'"}
    run = play(inventory, lost, options=ON_UNKNOWN, **keywords)
    assert run.code == 2 and "report_fail_on (unknown) meets in_order. " in run.output


def test_a_later_play_of_the_run_does_not_know_what_an_earlier_one_read(inventory: Path, tmp_path: Path) -> None:
    again = {"hosts": "accounts", "gather_facts": False, "serial": 1, "tasks": [ROLE]}
    lost = [{"ansible.builtin.fail": {}, "when": "inventory_hostname == 'in_order'"}]
    between = {"hosts": "accounts", "gather_facts": False, "tasks": lost}
    (tmp_path / "plays.yml").write_text(yaml.safe_dump([again, between, again]), encoding="utf-8")
    options = ("--limit", "in_order,drift", "-e", f"report_directory={tmp_path}/report")
    run = ansible_playbook("-i", inventory, *options, tmp_path / "plays.yml")
    assert run.code == 2, run.output
    statuses = {host: record["status"] for host, record in records(inventory).items()}
    assert statuses == {"in_order": "unknown", "drift": "drift"}


def test_a_host_has_the_time_at_which_its_batch_was_read(inventory: Path) -> None:
    later = {"ansible.builtin.pause": {"seconds": 2}, "when": "'drift' in ansible_play_batch"}
    options = ("--limit", "drift,in_order")
    assert play(inventory, later, options=options, serial=1, order="reverse_sorted").code == 0
    known = records(inventory)
    assert known["in_order"]["generated"] < known["drift"]["generated"]


def test_the_playbook_reports_as_a_play_with_the_role(inventory: Path) -> None:
    play(inventory)
    by_role = written(inventory)
    (inventory.parent / "report" / "report.json").unlink()
    ansible_playbook(
        "-i", inventory, "-e", f"report_directory={inventory.parent}/report", PLAYBOOKS / "report.yml"
    ).done()
    assert [*unified_diff(by_role, written(inventory), n=0)] == []


def test_hosts_with_the_same_credentials_share_connections(inventory: Path, service: LocalService) -> None:
    assert play(inventory, options=("-f", "1")).code == 0
    concurrent = {call.connection for call in service.calls}
    assert len(concurrent) <= 2 * MAX_CONCURRENT_CALLS < len(service.calls), "one host has credentials of its own"


def test_the_recap_has_one_task_and_the_lines_before_it_count_the_hosts(inventory: Path) -> None:
    run = play(inventory)
    assert run.output.count("changed=1") == 1 and run.output.count("ok=1") == 1
    count = len(ACCOUNTS) + 4
    assert f"{count - 3} of {count} hosts were read." in run.output


def test_a_host_has_the_variables_of_its_own_task(inventory: Path, tmp_path: Path) -> None:
    for name, reason in (("drift", "of the file"), ("zone", "of the other file")):
        (tmp_path / f"{name}.yml").write_text(yaml.safe_dump({"reason": reason}), encoding="utf-8")
    accepted = [
        {"resource": "prefix", "expires": "{{ told }}", "keys": ["{{ inventory_hostname }}"], "reason": "{{ reason }}"}
    ]
    told = {"report_accepted": accepted, "told": "told to {{ inventory_hostname }} {{ reason }}"}
    fact = {"ansible.builtin.set_fact": {"told": "of a fact"}, "when": "inventory_hostname == 'zone'"}
    files = ["{{ inventory_hostname }}.yml"]
    play(inventory, fact, options=("--limit", "drift,zone"), vars=told, vars_files=files)
    reasons = {host: record["reasons"][0] for host, record in records(inventory).items()}
    assert "told to drift of the file" in reasons["drift"] and "of a fact" in reasons["zone"]


def test_a_host_without_a_baseline_is_compared_with_the_defaults_of_the_role(
    inventory: Path, tmp_path: Path, service: LocalService
) -> None:
    service.account("a" * 32).seed()
    write_inventory(tmp_path, service, {"accounts": {"bare": {"edge_account_id": "a" * 32}}})
    assert play(inventory).code == 0
    planned = [operation["resource"] for operation in records(inventory)["bare"]["operations"]]
    assert planned == ["syn_flood_rule", "out_of_state_tcp_rule"]


def test_an_option_of_another_host_is_a_warning(inventory: Path) -> None:
    def run(*hosts: str) -> Run:
        mine = "report_fail_on: [drift]"
        for host in ("drift", "in_order", "zone"):
            path = inventory.parent / "host_vars" / f"{host}.yml"
            path.parent.mkdir(exist_ok=True)
            path.write_text(mine if host in hosts else "{}", encoding="utf-8")
        return play(inventory, options=("--limit", "drift,in_order,zone"))

    others = run("in_order", "zone")
    warning = (
        "report_fail_on of in_order, zone has no effect, since the report takes that of drift. Set it for all hosts."
    )
    assert others.code == 0 and warning in " ".join(others.output.split()), others.output
    for hosts in (("drift",), ("drift", "in_order", "zone")):
        counting = run(*hosts)
        assert counting.code == 2 and "has no effect" not in counting.output, counting.output


def test_a_lookup_that_fails_fails_its_host_alone(inventory: Path) -> None:
    missing = "{{ lookup('ansible.builtin.file', '/nowhere/token') if inventory_hostname == 'drift' else ours }}"
    play(
        inventory,
        options=("--limit", "drift,in_order"),
        vars={"ours": "{{ edge_api_token }}", "baseline_api_token": missing},
    ).done()
    report = records(inventory)
    assert report["in_order"]["status"] == "in_order"
    assert report["drift"]["status"] == "unknown" and "/nowhere/token" in report["drift"]["reasons"][0]


def test_an_environment_of_the_play_counts(inventory: Path, service: LocalService) -> None:
    environment = {
        "CLOUDFLARE_ACCOUNT_ID": "ignored",
        "NO_PROXY": "",
        "no_proxy": "",
        "all_proxy": "http://127.0.0.1:9",
    }
    play(inventory, options=("--limit", "in_order"), environment=environment).done()


def test_a_verbose_result_has_the_records(inventory: Path) -> None:
    assert '"records"' not in play(inventory, options=("--limit", "zone")).output
    assert '"records"' in play(inventory, options=("-v", "--limit", "zone")).output


def test_the_report_says_what_concerns_hosts_in_their_order_whichever_answers_first(
    service: LocalService, tmp_path: Path
) -> None:
    service.clock.set(datetime(2027, 1, 29, tzinfo=UTC))
    service.misbehave("slow", path="/1111", seconds=1.0)
    zones: dict[str, Any] = {}
    for name, digit in (("cork", "1"), ("lima", "2"), ("oslo", "3")):
        service.zone(digit * 32)
        posture = {"until": "2027-01-29T09:00:00Z", "reason": "INC-9", "security_level": "under_attack"}
        zones[name] = {"edge_zone_id": digit * 32, "baseline_security_level": "medium", "baseline_posture": posture}
    run = play(write_inventory(tmp_path, service, {"accounts": zones}))
    assert re.findall(r"^(\w+): The posture in ", run.output, re.MULTILINE) == ["cork", "lima", "oslo"]


def test_the_doctor_examines_all_hosts_and_fails_for_those_that_it_cannot(inventory: Path, tmp_path: Path) -> None:
    recorded = ("-e", "doctor_record=true")
    run = ansible_playbook("-i", inventory, *recorded, PLAYBOOKS / "doctor.yml", directory=tmp_path)
    assert run.code == 2 and run.tasks[0].result["hosts"].keys() == {"empty"}, run.output
    assert run.tasks[0].result["msg"].startswith(f"1 of {len(ACCOUNTS) + 4} hosts failed. empty: empty is neither")
    assert len([*tmp_path.glob("doctor/*/bundle.json")]) == len(ACCOUNTS) + 3
    recording = tmp_path / "doctor" / "recording.json"
    assert f"The answers without their values, for an issue: {recording}" in run.output
    document = json.loads(recording.read_text(encoding="utf-8"))
    assert {"200", "403"} <= {status for by_status in document["answers"].values() for status in by_status}
    assert "edgeops.protection" in document["versions"]


def test_the_doctor_has_a_line_for_a_host_that_is_as_expected_and_counts_all(
    inventory: Path, service: LocalService, tmp_path: Path
) -> None:
    """In the order of their names, whichever answers first."""
    service.misbehave("extra_fields", path="/zones/.*/entrypoint$")
    run = ansible_playbook("-i", inventory, PLAYBOOKS / "doctor.yml", directory=tmp_path)
    heads = re.findall(r"^(\w+): \d+ calls, all of them reads\.( All is as expected\.)?", run.output, re.MULTILINE)
    names = [name for name, _expected in heads]
    assert names == sorted(names) and len(names) == len(ACCOUNTS) + 3
    assert [name for name, expected in heads if not expected] == ["broken", "closed", "zone"]
    count = f"{len(names) + 1} hosts: {len(names) - 3} as expected, 3 otherwise, 1 not examined."
    assert f"\n{count}\n" in run.output
    alone = ansible_playbook("-i", inventory, "--limit", "in_order", PLAYBOOKS / "doctor.yml", directory=tmp_path)
    assert "  permission DDoS Protection Read (account): granted.\n" in alone.output and "1 host: " not in alone.output


def test_variables_are_checked_of_all_hosts(inventory: Path) -> None:
    run = ansible_playbook("-i", inventory, PLAYBOOKS / "check_inventory.yml")
    assert run.tasks[0].result["hosts"].keys() >= {"broken", "closed", "empty"}, run.output
    assert "zone" not in run.tasks[0].result["hosts"] and len(run.tasks) == 1


def test_all_hosts_are_exported_and_those_that_cannot_be_are_named(inventory: Path, tmp_path: Path) -> None:
    run = ansible_playbook("-i", inventory, "-e", f"export_directory={tmp_path}/exported", PLAYBOOKS / "export.yml")
    assert run.code == 2 and len(run.tasks) == 1
    assert run.tasks[0].result["hosts"].keys() == {"broken", "closed", "empty"}, run.output
    known = {path.parent.name for path in tmp_path.glob("exported/*/protection.yml")}
    assert known == {*ACCOUNTS, "zone"}

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook baseline over many hosts: one task predicts as a task of each host does, and those with something to do get
one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.plugin_utils._tasks.in_turns import SAID_ABOVE

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, ansible_playbook
from tests.support.inventories import write_inventory
from tests.support.report_fleet import BLOCK, write_fleet

PLAYBOOK = REPOSITORY / "playbooks" / "baseline.yml"
EACH = ("-e", "baseline_each_host=true")
FAILING = {"broken", "closed", "empty", "drift"}
CHANGING = {"unprotected", "weakened", "new"}
IN_ORDER = {"pending", "in_order", "zone", "undescribed"}
RAY = re.compile(r"ray [0-9a-f]{16}|\d\d:\d\d:\d\d")
COMPARED = ("changed", "msg", "plan_id", "operations", "risks", "pending")
MORE: Mapping[str, Any] = {
    "new": {"edge_zone_id": "d" * 32, "baseline_custom_rules": [BLOCK]},
    "undescribed": {"edge_zone_id": "6" * 32},
}


@pytest.fixture
def inventory(tmp_path: Path, service: LocalService) -> Path:
    service.zone("d" * 32)
    return write_fleet(tmp_path, service, **MORE)


def play(inventory: Path, *arguments: str, **environment: str) -> Run:
    return ansible_playbook("-i", inventory, *arguments, PLAYBOOK, environment=environment)


def fleet(run: Run) -> Mapping[str, Any]:
    """The result of the one task."""
    (task,) = [task for task in run.tasks if task.action.endswith(".host") and "remaining" in task.result]
    return task.result


def own(run: Run) -> dict[str, Mapping[str, Any]]:
    """The results of the hosts that got a task of their own."""
    return {task.host: task.result for task in run.of() if "remaining" not in task.result}


def compared(result: Mapping[str, Any]) -> Any:
    """What stands among the results of all hosts, without what differs by chance."""
    known = {name: result[name] for name in COMPARED if result.get(name)}
    return json.loads(RAY.sub("", json.dumps(known)))


def described(run: Run) -> list[str]:
    """The lines about hosts."""
    names = tuple(f"{host}: " for host in FAILING | CHANGING | IN_ORDER)
    return sorted(RAY.sub("", line) for line in run.output.splitlines() if line.startswith(names))


def counts(run: Run) -> list[str]:
    return re.findall(r"^\d+ hosts: .*", run.output, flags=re.MULTILINE)


def test_one_task_predicts_what_a_task_of_each_host_does(inventory: Path, service: LocalService) -> None:
    each, together = play(inventory, "--check", *EACH), play(inventory, "--check")
    assert own(each).keys() == fleet(together)["hosts"].keys() == FAILING | CHANGING | IN_ORDER
    for host, result in own(each).items():
        assert compared(fleet(together)["hosts"][host]) == compared(result), host
    changing = {host for host, result in fleet(together)["hosts"].items() if result["changed"]}
    assert changing == CHANGING
    failed = {host for host, result in fleet(together)["hosts"].items() if result.get("failed")}
    assert own(together).keys() == failed == FAILING, "a host that fails stops no other"
    assert each.code == together.code == 2
    assert described(each) == described(together)
    assert counts(each) == counts(together) == ["11 hosts: 4 in order, 3 would change, 3 refused, 1 not reached."]
    assert not service.writes


def test_check_mode_is_one_task_whatever_changes(inventory: Path) -> None:
    options = ("--check", "--limit", ",".join(CHANGING | IN_ORDER))
    each, together = play(inventory, *options, "--diff", *EACH).done(), play(inventory, *options, "--diff").done()
    assert len(together.of()) == 1
    assert together.tasks[0].result["changed"] is True
    for host in CHANGING:
        diffs = own(each)[host]["diff"]
        headers = [diff["before_header"] for diff in diffs]
        prefix = f"{host}: "
        named = {diff["before_header"]: diff for diff in fleet(together)["diff"]}
        of_host = [named[f"{prefix}{header}"] for header in headers]
        assert headers and [(diff["before"], diff["after"]) for diff in of_host] == [
            (diff["before"], diff["after"]) for diff in diffs
        ]
        assert all(f"+++ after: {prefix}{header}\n" in together.output for header in headers)
    assert counts(together) == ["7 hosts: 4 in order, 3 would change, 0 refused, 0 not reached."]
    assert "\nWould change: new, unprotected, weakened.\n" in together.output
    (recap,) = re.findall(r"^(\w+) +: ok=1 +changed=1 ", together.output, flags=re.MULTILINE)
    assert recap == "in_order", "the task for all counts for the first host"


def test_a_run_has_a_task_of_each_host_with_something_to_do(inventory: Path, service: LocalService) -> None:
    predicted = fleet(play(inventory, "--check"))["hosts"]
    done, again = play(inventory), play(inventory)
    assert own(done).keys() == CHANGING | FAILING
    for host in CHANGING:
        assert own(done)[host]["changed"] and own(done)[host]["operations"] == predicted[host]["operations"]
    assert counts(done) == ["11 hosts: 4 in order, 3 changed, 3 refused, 1 not reached."]
    assert own(again).keys() == FAILING and done.code == again.code == 2
    assert counts(again) == ["11 hosts: 7 in order, 0 changed, 3 refused, 1 not reached."]
    assert [rule["ref"] for rule in service.zone("d" * 32).custom_rules] == ["login"]


@pytest.mark.parametrize("kind", ["check", "run", "snapshot"])
def test_each_line_on_traffic_stands_once(kind: str, inventory: Path, tmp_path: Path) -> None:
    """A host that changes is predicted together with the others, and once more for its snapshot."""
    options = {"check": ["--check"], "run": [], "snapshot": ["-e", f"baseline_snapshot_directory={tmp_path}/before"]}
    run = play(inventory, *options[kind])
    lines = [line for line in run.output.splitlines() if " that pass today" in line]
    assert lines and len(lines) == len(set(lines)), lines


def test_a_run_in_which_all_hosts_are_in_order_is_one_task(inventory: Path) -> None:
    run = play(inventory, "--limit", ",".join(IN_ORDER)).done()
    assert len(run.of()) == 1 and counts(run) == ["4 hosts: 4 in order, 0 changed, 0 refused, 0 not reached."]


def test_a_host_alone_has_its_task_only(inventory: Path) -> None:
    run = play(inventory, "--limit", "new").done()
    assert own(run).keys() == {task.host for task in run.tasks} == {"new"} and not counts(run)


@pytest.mark.parametrize("name", ["-e baseline_each_host=yes", "host_vars", "packed", "environment"])
def test_each_host_has_a_task_if_somebody_says_so(name: str, inventory: Path) -> None:
    options = name.split() if name.startswith("-e") else []
    if name == "host_vars":
        (inventory.parent / "group_vars").mkdir()
        (inventory.parent / "group_vars" / "all.yml").write_text("baseline_each_host: true\n", encoding="utf-8")
    if name == "packed":
        options = ["-e", '{"edgeops_protection_allow_remote": true, "ansible_connection": "ssh"}', "--check"]
    environment = {"EDGEOPS_PROTECTION_FAST_PATH": "0"} if name == "environment" else {}
    run = play(inventory, *options, "--limit", ",".join(IN_ORDER), **environment)
    assert fleet(run)["remaining"] == [*own(run)] or {*fleet(run)["remaining"]} == IN_ORDER, run.output
    assert {*own(run)} == IN_ORDER or name == "packed", run.output


@pytest.mark.parametrize("variables", [{"ANSIBLE_STRATEGY": "free"}, {"ANSIBLE_ANY_ERRORS_FATAL": "true"}])
def test_settings_of_ansible_hold_for_the_tasks_of_hosts(
    variables: Mapping[str, str], inventory: Path, service: LocalService
) -> None:
    run = play(inventory, **variables)
    assert run.code == 2 and len([task for task in run.tasks if "remaining" in task.result]) == 1
    assert {host for host, result in own(run).items() if result["changed"]} == CHANGING
    assert counts(run) == ["11 hosts: 4 in order, 3 changed, 3 refused, 1 not reached."]


def test_an_approved_plan_and_no_other_is_applied(inventory: Path, service: LocalService) -> None:
    predicted = fleet(play(inventory, "--check"))["hosts"]
    plans = {host: {"baseline_expected_plan": predicted[host]["plan_id"]} for host in CHANGING}
    plans["weakened"] = {"baseline_expected_plan": "0" * 64}
    (inventory.parent / "host_vars").mkdir()
    for host, variables in plans.items():
        (inventory.parent / "host_vars" / f"{host}.yml").write_text(yaml.safe_dump(variables), encoding="utf-8")
    run = play(inventory)
    assert {host for host, result in own(run).items() if result["changed"]} == CHANGING - {"weakened"}
    assert own(run)["weakened"]["plan_id"] == predicted["weakened"]["plan_id"]


def test_a_snapshot_is_written_for_hosts_that_change(inventory: Path, tmp_path: Path) -> None:
    directory = f"baseline_snapshot_directory={tmp_path}/snapshots"
    play(inventory, "-e", directory, "--check")
    assert not (tmp_path / "snapshots").exists()
    play(inventory, "-e", directory)
    assert {path.parent.name for path in tmp_path.glob("snapshots/*/*.yml")} == CHANGING


def test_a_posture_is_taken_and_taken_back(inventory: Path, service: LocalService) -> None:
    def rules() -> list[str]:
        return [rule["ref"] for rule in service.zone("e" * 32).custom_rules]

    rule = {"ref": "geo", "action": "block", "expression": 'ip.src.country eq "XX"'}
    options = ("--limit", "zone,in_order")
    path = inventory.parent / "host_vars" / "zone.yml"
    path.parent.mkdir()
    for until, refs in (("2999-01-01", ["login", "geo"]), ("2011-01-01", ["login"])):
        path.write_text(json.dumps({"baseline_posture": {"until": until, "custom_rules": [rule]}}), encoding="utf-8")
        check, run, again = (play(inventory, *options, *mode).done() for mode in (["--check"], [], []))
        assert rules() == refs
        assert fleet(check)["hosts"]["zone"]["operations"] == own(run)["zone"]["operations"]
        assert not own(again)
        for each in (check, run, again):
            assert each.output.count(" holds until 2999-") == (1 if until > "2012" else 0), each.output


def test_the_playbook_twice_in_a_run_is_for_the_hosts_of_each(inventory: Path, service: LocalService) -> None:
    site = inventory.parent / "site.yml"
    plays = [
        {"ansible.builtin.import_playbook": str(PLAYBOOK), "vars": {"target": target}}
        for target in ("in_order:zone", "in_order:new", "new")
    ]
    site.write_text(yaml.safe_dump(plays), encoding="utf-8")
    run = ansible_playbook("-i", inventory, site).done()
    assert [task.host for task in run.of() if "remaining" not in task.result] == ["new", "new"]
    assert counts(run) == [
        "2 hosts: 2 in order, 0 changed, 0 refused, 0 not reached.",
        "2 hosts: 1 in order, 1 changed, 0 refused, 0 not reached.",
    ]


@pytest.mark.parametrize(
    ("lost", "counted"),
    [
        (("PUT|POST", "GET"), "0 changed, 0 refused, 0 not reached, 1 not known"),
        (("PUT|POST",), "1 changed, 0 refused, 0 not reached"),
    ],
)
def test_a_change_of_which_nothing_is_known_is_not_refused(
    lost: Sequence[str], counted: str, inventory: Path, service: LocalService
) -> None:
    """Without an answer the zone is read again, which tells whether the change was made, if that is answered."""
    for method in lost:
        service.misbehave("lost_after", method=method, path="d" * 32 + "/rulesets", skip=2 if method == "GET" else 0)
    run = play(inventory, "--limit", "new,in_order")
    assert counts(run) == [f"2 hosts: 1 in order, {counted}."]
    assert bool(own(run)["new"].get("unknown")) is ("GET" in lost)


def test_a_verbose_result_is_whole(inventory: Path) -> None:
    options = ("--check", "--limit", "in_order,zone")
    assert "protection" not in fleet(play(inventory, *options))["hosts"]["in_order"]
    assert "protection" in fleet(play(inventory, *options, "-v"))["hosts"]["in_order"]


def test_each_token_has_a_budget_of_its_own(tmp_path: Path, service: LocalService) -> None:
    tokens = [service.token, "token-of-another-customer"]
    service.add_token(tokens[1])
    hosts = {}
    for number in range(4):
        service.zone(f"{number + 1:032x}")
        hosts[f"zone{number}"] = {
            "edge_zone_id": f"{number + 1:032x}",
            "edge_zone_name": f"zone{number}.example",
            "edge_zone_plan": "free",
            "edge_api_token": tokens[number % 2],
            "baseline_custom_rules": [],
        }
    inventory = write_inventory(tmp_path, service, {"zones": hosts}, baseline_call_budget=1)
    run = play(inventory, "--check", EDGEOPS_PROTECTION_CALL_PERIOD="2", ANSIBLE_HOME=str(tmp_path / "home")).done()
    assert counts(run) == ["4 hosts: 4 in order, 0 would change, 0 refused, 0 not reached."]
    moments: dict[str, list[float]] = {}
    for call in service.calls:
        moments.setdefault(str(call.authorization_digest), []).append(call.moment)
    assert [len(made) for made in moments.values()] == [2, 2]
    assert all(last - first >= 1.9 for first, last in moments.values())  # each waits for its own calls
    starts = [made[0] for made in moments.values()]
    assert max(starts) - min(starts) < 1.9  # and for those of no other token


ALIKE = ("cork", "lima", "oslo")


@pytest.fixture
def alike(service: LocalService, tmp_path: Path) -> Path:
    """An inventory with three zones, each of which a run would leave without its rule."""
    zones = {}
    for number, name in enumerate(ALIKE, 1):
        zone_id = str(number) * 32
        service.zone(zone_id).seed(custom_rules=[BLOCK])
        zones[name] = {"edge_zone_id": zone_id, "baseline_custom_rules": [], "baseline_purge": ["custom_rules"]}
    return write_inventory(tmp_path, service, {"zones": zones})


def test_a_failure_that_hosts_share_is_said_once_with_their_number_and_names(alike: Path) -> None:
    run = play(alike)
    message = fleet(run)["hosts"]["cork"]["msg"]
    assert "weakens_zone: " in message
    assert run.output.count(message) == 1 and f"\n3 hosts (cork, lima, oslo): {message}\n" in run.output
    assert run.code == 2 and own(run).keys() == {*ALIKE}
    assert {result["msg"] for result in own(run).values()} == {SAID_ABOVE}
    assert counts(run) == ["3 hosts: 0 in order, 0 changed, 3 refused, 0 not reached."]
    in_full = own(play(alike, "-v"))
    assert {result["msg"] for result in in_full.values()} == {message} and in_full["lima"]["risks"]


def test_a_host_that_fails_for_another_reason_by_then_says_it(alike: Path, service: LocalService) -> None:
    play(alike)
    calls_of_prediction = len(service.calls) // 2
    service.misbehave("status", status=403, skip=calls_of_prediction)
    run = play(alike)
    assert "\n3 hosts (cork, lima, oslo): " in run.output
    assert all("HTTP 403" in result["msg"] for result in own(run).values())

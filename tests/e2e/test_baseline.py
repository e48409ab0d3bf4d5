# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role, run as a user runs it: the demonstration, accounts that lack something, and credentials."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.modules.host import EXAMPLES

from tests.demo.__main__ import main
from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, ansible, ansible_playbook
from tests.support.documents import read_page, shows
from tests.support.inventories import write_inventory, write_play

ZONE = "5c2a81f0f7ae4b2d9b1e6f3a7d904c11"
PLAYBOOK = "playbooks/baseline.yml"
EACH = ("-e", "baseline_each_host=true")  # after one task that says so
ENABLED = {"rules": [{"scope": "global", "mode": "enabled"}]}


def test_the_demonstration_is_as_the_readme_shows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0
    output = capsys.readouterr().out
    assert len(output.splitlines()) <= 50, "it fits one screen"
    (shown,) = (
        command.shown for command in read_page(REPOSITORY / "README.md").commands if str(command) == "make demo"
    )
    assert shows(shown, output), output


def test_a_host_that_lacks_something_is_told_so_and_the_others_go_on(service: LocalService, tmp_path: Path) -> None:
    """With -vvv, so that everything that could give a secret away is printed."""
    token = {"edge_api_token": service.token}
    lacking: dict[str, dict[str, Any]] = {
        "neither": token,
        "without_credentials": {"edge_account_id": "a" * 32},
        "malformed": {"edge_account_id": "1" * 32, **token, "baseline_allowlist": [{"prefix": "192.0.2/24"}]},
        "no_id": {"edge_account_id": "frankfurt", **token},
    }
    good = {"existing": {"edge_account_id": "e" * 32, **token}, "empty": {"edge_account_id": "f" * 32, **token}}
    service.account("e" * 32).seed(syn_flood=ENABLED, out_of_state_tcp=ENABLED)
    service.account("f" * 32)

    run = play(service, tmp_path, {**lacking, **good}, "-vvv", *EACH)

    assert run.code == 2
    messages = {task.host: task.result["msg"] for task in run.tasks if task.outcome == "failed"}
    assert messages.keys() == lacking.keys()
    account, zone = "edge_account_id (baseline_account_id)", "edge_zone_id (baseline_zone_id)"
    assert f"neither is neither an account nor a zone: set {account}, {zone}, or edge_zone_name" in messages["neither"]
    assert "lacks credentials: set edge_api_token (baseline_api_token)" in messages["without_credentials"]
    assert messages["malformed"].startswith("baseline_allowlist[0].prefix: ")
    assert messages["no_id"].startswith("edge_account_id: 'frankfurt' is not an id")
    assert {call.path.split("/")[2] for call in service.calls} == {"e" * 32, "f" * 32}

    outcomes = {task.host: task.result["changed"] for task in run.of()[1:] if task.outcome == "ok"}
    assert outcomes == {"existing": False, "empty": True}
    modes = {
        name: [rule["mode"] for rules in state.rules.values() for rule in rules]
        for name, state in service.accounts.items()
    }
    assert modes == {"e" * 32: ["enabled"] * 2, "f" * 32: ["monitoring"] * 2}

    printed = run.output + json.dumps([task.result for task in run.tasks])
    assert "task path: " in printed  # which shows that it is as verbose as asked
    assert service.token not in printed
    assert service.key not in printed


def play(service: LocalService, folder: Path, hosts: dict[str, dict[str, Any]], *arguments: str | Path) -> Run:
    """Run the role for hosts of the groups that the inventory plugin makes."""
    zones = {name: variables for name, variables in hosts.items() if "edge_account_id" not in variables}
    accounts = {name: variables for name, variables in hosts.items() if name not in zones}
    inventory = write_inventory(folder, service, {"accounts": accounts, "zones": zones}, edge_api_token=None)
    return ansible_playbook("-i", inventory, *arguments, PLAYBOOK)


COLLECTIONS = ("protection", "firewall_rules", "custom_rules")
COLLECTIONS_OF = {
    "account": ["protection"],
    "both": [*COLLECTIONS],
    "by_name": ["custom_rules"],
    "by_id": ["custom_rules"],
    "undescribed": [],
}
ZONES = {"by_name": "4" * 32, "both": ZONE, "by_id": "5" * 32}


def hosts_of_each_kind(service: LocalService) -> dict[str, dict[str, Any]]:
    """Hosts for COLLECTIONS_OF, whose accounts are empty and whose zones have a firewall rule."""
    old = {"id": "1" * 32, "action": "challenge", "filter": {"expression": "ip.src eq 192.0.2.1"}}
    for name, zone in ZONES.items():
        service.zone(zone).seed(rules=[old])
        service.zone(zone).name = f"{name.replace('_', '-')}.example.com"
    for account in ("e" * 32, "f" * 32):
        service.account(account)
    service.zone(ZONE).seed(account_id="f" * 32)
    token = {"edge_api_token": service.token}
    rules = {"baseline_custom_rules": [{"ref": "office", "action": "block", "expression": "ip.src eq 192.0.2.9"}]}
    protected = {"baseline_prefixes": [{"prefix": "192.0.2.0/24", "comment": "{{ unset | default(omit) }}"}]}
    described = {"baseline_firewall_rules": [{"id": "1" * 32, "description": "Office"}]}
    return {
        "account": {"edge_account_id": "e" * 32, **token, **protected},
        "both": {"edge_account_id": "f" * 32, "edge_zone_id": ZONE, **token, **protected, **rules, **described},
        "by_name": {"edge_zone_name": "by-name.example.com", **token, **rules},
        # as the inventory plugin describes a zone
        "by_id": {"edge_zone_id": "5" * 32, "edge_zone_name": "by-id.example.com", **token, **rules},
        "undescribed": {"edge_zone_id": "6" * 32, **token},
    }


def test_a_host_is_an_account_a_zone_or_both(service: LocalService, tmp_path: Path) -> None:
    """Check mode predicts the run, the second run changes nothing, and each takes one task for a host."""
    hosts = hosts_of_each_kind(service)

    predicted, done, again = (
        play(service, tmp_path, hosts, *EACH, *arguments) for arguments in (["--check", "--diff"], [], [])
    )

    for run in (predicted, done, again):
        assert run.code == 0, run.output
        assert Counter(task.host for task in run.tasks[1:]) == dict.fromkeys(hosts, 1)
        assert "undescribed: No rules of the zone are described, so nothing is done." in run.output
        begin = "After the run: " * (run is predicted)
        assert f"account: {begin}TCP protection is off: nothing is protected." in run.output
    results = [{task.host: task.result for task in run.of()[1:]} for run in (predicted, done, again)]
    for host, collections in COLLECTIONS_OF.items():
        first, second, third = (result[host] for result in results)
        assert first.get("operations") == second.get("operations")
        assert first.get("plan_id") == second.get("plan_id")
        for result in (first, second):
            assert [name for name in COLLECTIONS if name in result] == collections
        parts = first.get("diff") or []  # of each object
        assert bool(parts) is bool(collections)
        assert all(part["before"] != part["after"] and part["before_header"] for part in parts)
        assert [result["changed"] for result in (first, second, third)] == [bool(collections)] * 2 + [False]
        assert not third.get("operations")
        assert not third.keys() & {*COLLECTIONS}
    assert [item["resource"] for item in results[1]["both"]["operations"]] == [
        *("prefix", "syn_flood_rule", "out_of_state_tcp_rule", "custom_rule"),  # created
        "firewall_rule",  # updated
    ]
    for zone in ZONES.values():
        assert [rule["ref"] for rule in service.zone(zone).custom_rules] == ["office"]
    assert service.zone(ZONE).rules[0]["description"] == "Office"
    assert [entry["comment"] for entry in service.account("e" * 32).prefixes] == [""]  # not what stands for omit


def test_a_failure_in_the_zone_comes_before_the_account_is_written(service: LocalService, tmp_path: Path) -> None:
    service.account("e" * 32)
    service.zone(ZONE)
    networks = [{"prefix": f"10.{number}.0.0/16"} for number in range(60)]
    host = {
        "edge_account_id": "e" * 32,
        "edge_zone_id": ZONE,
        "edge_api_token": service.token,
        "baseline_prefixes": networks,
        "baseline_custom_rules": [{"ref": "office", "action": "block"}],
    }
    run = play(service, tmp_path, {"lima": host})
    (failed,) = (task.result for task in run.of())
    assert (
        failed["msg"]
        == "baseline_custom_rules[0]: The custom rule office is new and needs expression. Nothing was changed."
    )
    assert failed["changed"] is False
    assert service.writes == []


@pytest.mark.parametrize("inside", [True, False])
def test_a_wrong_option_of_the_zone_stops_its_host_before_the_account_is_written(
    service: LocalService, tmp_path: Path, inside: bool
) -> None:
    host = {
        "edge_account_id": "e" * 32,
        "edge_zone_id": ZONE,
        "edge_api_token": service.token,
        "edgeops_protection_in_worker": inside,
        "baseline_prefixes": [{"prefix": "192.0.2.0/24"}],
        "baseline_custom_rules": [{"ref": "office", "action": "block", "expression": "true " * 1000}],
    }
    (failed,) = (task.result for task in play(service, tmp_path, {"lima": host}).of())
    assert failed["msg"].startswith("baseline_custom_rules[0].expression: ")
    assert (failed["changed"], service.calls) == (False, [])


def test_the_role_applies_the_approved_plan_and_no_other(service: LocalService, tmp_path: Path) -> None:
    """Of a host that is account and zone; the rest that an interrupted run has left is another plan."""
    service.account("e" * 32)
    zone = service.zone(ZONE)
    lima: dict[str, Any] = {
        "edge_account_id": "e" * 32,
        "edge_zone_id": ZONE,
        "edge_api_token": service.token,
        "baseline_prefixes": [{"prefix": "192.0.2.0/24"}],
        "baseline_custom_rules": [{"ref": "office", "action": "block", "expression": "ip.src eq 192.0.2.9"}],
    }

    def run(*arguments: str, **variables: Any) -> tuple[int, Any]:
        finished = play(service, tmp_path, {"lima": {**lima, **variables}}, *arguments)
        (result,) = (task.result for task in finished.of())
        return finished.code, result

    _code, predicted = run("--check")
    approved = tmp_path / "lima.json"
    shown = {name: predicted[name] for name in ("plan_id", "operations")}
    approved.write_text(json.dumps(shown), encoding="utf-8")
    zone.seed(custom_rules=[{"ref": "other", "action": "block", "expression": "ip.src eq 192.0.2.8"}])

    for arguments in ((), ("--check",)):
        code, refused = run(*arguments, baseline_expected_plan=str(approved))
        assert code == 2
        assert "custom rule office: position was to become 1, and would become 2 now. Nothing" in refused["msg"]
        assert [item["key"] for item in refused["operations"]] == [item["key"] for item in predicted["operations"]]
        assert service.writes == []

    _code, again = run("--check", baseline_expected_plan=refused["plan_id"])
    assert again["plan_id"] == refused["plan_id"] != predicted["plan_id"]
    run(baseline_custom_rules=[])  # as if the run had been interrupted after the account
    code, refused = run(baseline_expected_plan={name: again[name] for name in ("plan_id", "operations")})
    assert code == 2
    assert "prefix 192.0.2.0/24 was to be created, which is not needed now" in refused["msg"]
    for changed in (True, False):
        code, done = run(baseline_expected_plan=refused["plan_id"])
        assert (code, done["changed"]) == (0, changed), done
    assert [rule["ref"] for rule in zone.custom_rules] == ["other", "office"]
    assert run(baseline_expected_plan="", baseline_enabled=True)[0] == 2


@pytest.mark.parametrize("in_worker", [True, False])
def test_a_stale_plan_is_refused_with_the_difference_and_the_diff(
    service: LocalService, tmp_path: Path, in_worker: bool
) -> None:
    account = service.account("e" * 32)
    account.seed(prefixes=[{"prefix": "192.0.2.0/24", "comment": "POP 7"}])
    lima: dict[str, Any] = {
        "edge_account_id": "e" * 32,
        "edge_api_token": service.token,
        "edgeops_protection_in_worker": in_worker,
        "baseline_prefixes": [{"prefix": "192.0.2.0/24", "comment": "POP 8"}],
    }
    (predicted,) = play(service, tmp_path, {"lima": lima}, "--check").of()
    plan = {name: predicted.result[name] for name in ("plan_id", "operations")}
    account.prefixes[0]["comment"] = "by hand"
    finished = play(service, tmp_path, {"lima": {**lima, "baseline_expected_plan": plan}}, "--diff")
    (refused,) = finished.of()
    assert finished.code == 2
    words = "prefix 192.0.2.0/24: comment was 'POP 7' when approved, and is 'by hand' now."
    assert words in refused.result["msg"]
    assert "-    comment: by hand" in finished.output
    assert "+    comment: POP 8" in finished.output
    assert service.writes == []


def test_all_risks_of_a_host_are_refused_at_once_before_its_first_write(service: LocalService, tmp_path: Path) -> None:
    """Lists, account and zone; the acceptance that the failure prints accepts all of them."""
    account = service.account("e" * 32).seed(
        prefixes=[{"prefix": "192.0.2.0/24"}, {"prefix": "203.0.113.0/24"}],
        lists=[{"name": "offices", "items": [{"ip": f"192.0.2.{number}"} for number in range(9)]}],
    )
    service.zone(ZONE).seed(custom_rules=[{"ref": "login", "action": "block", "expression": "ssl"}])
    lima: dict[str, Any] = {
        "edge_account_id": "e" * 32,
        "edge_zone_id": ZONE,
        "baseline_prefixes": [{"prefix": "192.0.2.0/24"}],
        "baseline_purge": ["prefixes"],
        "baseline_ip_lists": [{"name": "offices", "items": [{"ip": "192.0.2.1"}], "purge": True}],
        "baseline_custom_rules": [{"ref": "login", "action": "log"}],
    }
    inventory = write_inventory(tmp_path, service, {"accounts": {"lima": lima}})
    messages = [
        run.of()[0].result["msg"]
        for run in (ansible_playbook("-i", inventory, *check, PLAYBOOK) for check in (["--check"], []))
    ]
    assert messages[0] == messages[1] and service.writes == []
    (printed,) = re.findall(
        r"If this is meant, add baseline_accept_risks: (\[.*\])\. Nothing was changed\.", messages[0]
    )
    assert {item["code"] for item in yaml.safe_load(printed)} == {
        "mass_deletion",
        "unprotects_addresses",
        "weakens_zone",
    }
    accepted = json.dumps({"baseline_accept_risks": yaml.safe_load(printed)})
    ansible_playbook("-i", inventory, "-e", accepted, PLAYBOOK).done()
    assert (len(account.prefixes), service.zone(ZONE).custom_rules[0]["action"]) == (1, "log")


def test_credentials_come_from_the_environment(service: LocalService) -> None:
    service.zone(ZONE).seed(rules=[{"action": "block", "filter": {"expression": "ip.src eq 192.0.2.1"}}])
    environment = {
        "CLOUDFLARE_BASE_URL": service.base_url,
        "CLOUDFLARE_ZONE_ID": ZONE,
        "CLOUDFLARE_EMAIL": service.email,
        "CLOUDFLARE_API_KEY": service.key,
    }

    run = ansible(
        "ansible", "localhost", "-m", "edgeops.protection.firewall_rules_info", environment=environment
    ).done()

    assert '"expression": "ip.src eq 192.0.2.1"' in run.output
    assert [call.authorization for call in service.calls] == ["key"]


def test_credentials_of_the_action_group_beat_the_environment(service: LocalService, tmp_path: Path) -> None:
    service.account("e" * 32)
    defaults = {"group/edgeops.protection.account": {"api_token": service.token, "account_id": "e" * 32}}
    task = {"edgeops.protection.protection_info": {"gather_subset": ["status"]}}
    playbook = write_play(tmp_path, [task], module_defaults=defaults)
    environment = {
        "CLOUDFLARE_BASE_URL": service.base_url,
        "CLOUDFLARE_EMAIL": "somebody@example.com",
        "CLOUDFLARE_API_KEY": "0" * 37,
    }

    ansible_playbook(playbook, environment=environment).done()

    assert [call.authorization for call in service.calls] == ["bearer"]


def test_the_role_takes_the_group_that_target_names(service: LocalService, tmp_path: Path) -> None:
    service.account("e" * 32)
    hosts = {"frankfurt": {"edge_account_id": "e" * 32}}
    inventory = write_inventory(tmp_path, service, {"mine": hosts})
    run = ansible_playbook("-i", inventory, "-e", "target=mine", PLAYBOOK).done()
    assert [task.host for task in run.of()] == ["frankfurt"]
    write_inventory(tmp_path, service, {"accounts": hosts})
    assert "WARNING" not in ansible_playbook("-i", inventory, PLAYBOOK).output  # of a group that is not there


def test_the_task_of_the_role_is_the_example_of_its_action() -> None:
    (task,) = yaml.safe_load((REPOSITORY / "roles" / "baseline" / "tasks" / "main.yml").read_text(encoding="utf-8"))
    example, _restore = yaml.safe_load(EXAMPLES)
    assert {**task, "name": ""} == {**example, "name": ""}

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role, run as a user runs it: the demonstration, accounts that lack something, and credentials."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.demo.__main__ import main, report
from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, TaskResult, ansible, ansible_playbook
from tests.support.documents import read_page, shows

ZONE = "5c2a81f0f7ae4b2d9b1e6f3a7d904c11"
PLAYBOOK = "playbooks/baseline.yml"
ENABLED = {"rules": [{"scope": "global", "mode": "enabled"}]}
LOCAL = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}


@pytest.fixture
def service() -> Iterator[LocalService]:
    with LocalService() as running:
        yield running
        assert not running.breaches


def test_the_demonstration_is_as_the_readme_shows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0
    (shown,) = (
        command.shown for command in read_page(REPOSITORY / "README.md").commands if str(command) == "make demo"
    )
    assert shows(shown, capsys.readouterr().out)


PREDICTED = Run(0, "", [TaskResult("denver", "task", "edgeops.protection.x", "ok", {"operations": ["one"]})])
NOTHING = Run(0, "", [TaskResult("denver", "task", "edgeops.protection.x", "ok", {"operations": []})])
FAILED = Run(2, "", NOTHING.tasks)


@pytest.mark.parametrize(
    ("runs", "writes", "problem"),
    [
        ([PREDICTED, PREDICTED, FAILED], [0, 1, 0], "a run failed"),
        ([Run(0, "", [])] * 3, [0, 0, 0], "no account was seen"),
        ([NOTHING, NOTHING, NOTHING], [0, 0, 0], "nothing was predicted"),
        ([PREDICTED, PREDICTED, NOTHING], [1, 1, 0], "check mode wrote something"),
        ([PREDICTED, NOTHING, NOTHING], [0, 1, 0], "not what was predicted"),
        ([PREDICTED, PREDICTED, PREDICTED], [0, 1, 1], "found something to do"),
    ],
)
def test_the_demonstration_fails_when_something_is_wrong(
    runs: list[Run], writes: list[int], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report([PREDICTED, PREDICTED, NOTHING], [0, 1, 0], Counter()) == 0
    assert report(runs, writes, Counter()) == 1
    assert problem in capsys.readouterr().out


def test_an_account_that_lacks_something_is_told_so_and_the_others_go_on(service: LocalService, tmp_path: Path) -> None:
    """With -vvv, so that everything that could give a secret away is printed."""
    token = {"edge_api_token": service.token}
    lacking: dict[str, dict[str, Any]] = {
        "without_account": token,
        "without_credentials": {"edge_account_id": "a" * 32},
        "without_address": {"edge_account_id": "b" * 32, "edge_api_key": service.key},
        "without_zone": {"edge_account_id": "c" * 32, **token, "baseline_firewall_rules": [{"id": "1" * 32}]},
        "malformed": {"edge_account_id": "1" * 32, **token, "baseline_allowlist": [{"prefix": "192.0.2/24"}]},
        "misspelt": {"edge_account_id": "d" * 32, **token, "baseline_prefixes": [{"network": "192.0.2.0/24"}]},
    }
    good = {"existing": {"edge_account_id": "e" * 32, **token}, "empty": {"edge_account_id": "f" * 32, **token}}
    service.account("e" * 32).seed(syn_flood=ENABLED, out_of_state_tcp=ENABLED)
    service.account("f" * 32)
    inventory = tmp_path / "hosts.yml"
    hosts = {"accounts": {"hosts": {**lacking, **good}, "vars": {**LOCAL, "edge_base_url": service.base_url}}}
    inventory.write_text(yaml.safe_dump(hosts), encoding="utf-8")

    run = ansible_playbook("-vvv", "-i", inventory, PLAYBOOK)

    assert run.code == 2
    messages = {task.host: task.result["msg"] for task in run.tasks if task.outcome == "failed"}
    assert messages.keys() == lacking.keys()
    assert "edge_account_id" in messages["without_account"]
    assert "edge_api_token" in messages["without_credentials"]
    assert "edge_api_email" in messages["without_address"]
    assert "edge_zone_id" in messages["without_zone"]
    assert "baseline_prefixes.network" in messages["misspelt"]
    assert messages["malformed"].startswith("baseline_allowlist[0].prefix: ")
    assert {call.path.split("/")[2] for call in service.calls} == {"e" * 32, "f" * 32}

    outcomes = {task.host: task.result["changed"] for task in run.of() if task.outcome == "ok"}
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


def test_the_role_goes_from_nothing_to_mitigation_one_step_a_run(service: LocalService, tmp_path: Path) -> None:
    account = service.account("e" * 32)
    inventory = tmp_path / "hosts.yml"
    desired = {
        "edge_account_id": "e" * 32,
        "edge_api_token": service.token,
        "edge_base_url": service.base_url,
        "baseline_enabled": True,
        "baseline_prefixes": [{"prefix": "192.0.2.0/24"}],
        "baseline_rules": [{"kind": kind, "scope": "global", "mode": "enabled"} for kind in account.rules],
    }
    inventory.write_text(yaml.safe_dump({"accounts": {"hosts": {"lima": desired}, "vars": LOCAL}}), encoding="utf-8")

    def run() -> tuple[set[str], list[str]]:
        tasks = ansible_playbook("-i", inventory, PLAYBOOK).tasks
        (shown,) = (task.result["msg"] for task in tasks if task.task.endswith("which steps are left"))
        assert len(shown) <= 10
        return {rule["mode"] for rules in account.rules.values() for rule in rules}, shown

    modes, first = run()
    assert modes == {"monitoring"}
    assert len([line for line in first if "is enabled by the first run after" in line]) == 2
    service.clock.advance(hours=4.1)
    modes, second = run()
    assert modes == {"enabled"}
    assert second[0] == "TCP protection is on, and effective."


def test_a_risk_stops_the_role_until_it_is_accepted(service: LocalService, tmp_path: Path) -> None:
    account = service.account("e" * 32).seed(prefixes=[{"prefix": "192.0.2.0/24"}, {"prefix": "203.0.113.0/24"}])
    inventory = tmp_path / "hosts.yml"
    desired = {
        "edge_account_id": "e" * 32,
        "edge_api_token": service.token,
        "edge_base_url": service.base_url,
        "baseline_prefixes": [{"prefix": "192.0.2.0/24"}],
        "baseline_purge": ["prefixes"],
    }
    inventory.write_text(yaml.safe_dump({"accounts": {"hosts": {"lima": desired}, "vars": LOCAL}}), encoding="utf-8")
    assert ansible_playbook("-i", inventory, PLAYBOOK).code == 2
    assert (len(account.prefixes), service.writes) == (2, [])
    accepted = '{"baseline_accept_risks": ["unprotects_addresses"]}'
    assert ansible_playbook("-i", inventory, "-e", accepted, PLAYBOOK).code == 0
    assert len(account.prefixes) == 1


def test_credentials_come_from_the_environment(service: LocalService) -> None:
    service.zone(ZONE).seed(rules=[{"action": "block", "filter": {"expression": "ip.src eq 192.0.2.1"}}])
    environment = {
        "CLOUDFLARE_BASE_URL": service.base_url,
        "CLOUDFLARE_ZONE_ID": ZONE,
        "CLOUDFLARE_EMAIL": service.email,
        "CLOUDFLARE_API_KEY": service.key,
    }

    run = ansible("ansible", "localhost", "-m", "edgeops.protection.firewall_rules_info", environment=environment)

    assert run.code == 0, run.output
    assert '"expression": "ip.src eq 192.0.2.1"' in run.output
    assert [call.authorization for call in service.calls] == ["key"]


def test_credentials_of_the_action_group_beat_the_environment(service: LocalService, tmp_path: Path) -> None:
    service.account("e" * 32)
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "module_defaults": {"group/edgeops.protection.all": {"api_token": service.token, "account_id": "e" * 32}},
        "tasks": [{"edgeops.protection.protection_info": {"gather_subset": ["status"]}}],
    }
    playbook = tmp_path / "play.yml"
    playbook.write_text(yaml.safe_dump([play]), encoding="utf-8")
    environment = {
        "CLOUDFLARE_BASE_URL": service.base_url,
        "CLOUDFLARE_EMAIL": "somebody@example.com",
        "CLOUDFLARE_API_KEY": "0" * 37,
    }

    run = ansible_playbook(playbook, environment=environment)

    assert run.code == 0, run.output
    assert [call.authorization for call in service.calls] == ["bearer"]


def test_the_role_names_variables_that_it_does_not_have(service: LocalService, tmp_path: Path) -> None:
    role = REPOSITORY / "roles" / "baseline"
    options = yaml.safe_load((role / "meta" / "argument_specs.yml").read_text(encoding="utf-8"))
    known = yaml.safe_load((role / "vars" / "main.yml").read_text(encoding="utf-8"))["baseline_known_variables"]
    of_its_own = {"baseline_known_variables", "baseline_protection"}
    assert set(known) == {*options["argument_specs"]["main"]["options"], *of_its_own}
    service.account("e" * 32)
    misspelt = {"baseline_prefix": [{"prefix": "192.0.2.0/24"}], "edge_base_url": service.base_url, **LOCAL}
    host = {"edge_account_id": "e" * 32, "edge_api_token": service.token, **misspelt}
    inventory = tmp_path / "hosts.yml"
    inventory.write_text(yaml.safe_dump({"mine": {"hosts": {"frankfurt": host}}}), encoding="utf-8")
    run = ansible_playbook("-i", inventory, "-e", "target=mine", PLAYBOOK)
    assert run.code == 0, run.output
    assert [line.strip() for line in run.output.splitlines() if "is no variable of the role" in line] == [
        '"baseline_prefix is no variable of the role; it has no effect."'
    ]

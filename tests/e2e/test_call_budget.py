# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs that share a call budget, and what they say while they wait or work."""

from __future__ import annotations

import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.release import __version__

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, ansible, ansible_playbook
from tests.support.inventories import LOCAL, write_inventory, write_play

AVAILABLE = tuple(int(part) for part in __version__.split(".")[:2]) >= (2, 19)
ACCOUNTS = {f"account{number}": f"{number + 1:032x}" for number in range(6)}
CALLS, PERIOD = 30, 2
ANNOUNCED = f"{CALLS} calls in {PERIOD} s are made (call_budget): the next call waits "


@pytest.fixture
def service(service: LocalService) -> LocalService:
    for account in ACCOUNTS.values():
        service.account(account).seed(prefixes=[{"prefix": "192.0.2.0/24"}])
    return service


SHORT = {"EDGEOPS_PROTECTION_CALL_PERIOD": str(PERIOD)}  # in place of five minutes


def read_all(folder: Path, service: LocalService, variables: Mapping[str, Any], **options: Any) -> Run:
    """Read every account with a task each, seven calls for each of them."""
    folder.mkdir()
    hosts = {name: {"account": account} for name, account in ACCOUNTS.items()}
    (folder / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts, "vars": {**LOCAL, **variables}}}))
    connection = {"base_url": service.base_url, "api_token": service.token, "account_id": "{{ account }}"}
    subset = ["status", "prefixes", "allowlist", "rules", "filters"]
    task = {"edgeops.protection.protection_info": {**connection, "gather_subset": subset, **options}}
    environment = {"ANSIBLE_HOME": str(folder.parent / "home"), **SHORT}
    playbook = write_play(folder, [task, task], "all")
    return ansible_playbook("-f", "6", "-i", folder / "hosts.yml", playbook, environment=environment)


def test_two_runs_at_once_one_of_them_packed_are_never_refused(tmp_path: Path, service: LocalService) -> None:
    service.rate_limit(CALLS, seconds=PERIOD)
    options = {"call_budget": CALLS, "max_wait": 0}
    ways = {"inside": {}, "packed": {"edgeops_protection_in_worker": False}}
    with ThreadPoolExecutor(2) as pool:
        runs = dict(
            zip(
                ways,
                pool.map(lambda name: read_all(tmp_path / name, service, ways[name], **options), ways),
                strict=True,
            )
        )
    for run in runs.values():
        assert run.code == 0, run.output
    assert {call.status for call in service.calls} == {200}
    assert len(service.calls) == 2 * 2 * 7 * len(ACCOUNTS)
    shown = {name: " ".join(run.output.split()).count(ANNOUNCED) for name, run in runs.items()}
    assert 1 <= shown["packed"] <= 6
    periods = 2 * 2 * 7 * len(ACCOUNTS) // CALLS + 1
    assert 1 <= shown["inside"] <= periods or not AVAILABLE
    states = list((tmp_path / "home" / "edgeops.protection").iterdir())
    assert len(states) == 1
    assert service.token.encode() not in states[0].read_bytes()


def test_the_inventory_shares_it(tmp_path: Path, service: LocalService) -> None:
    source = tmp_path / "edgeops.yml"
    options = {"base_url": service.base_url, "api_token": service.token, "call_budget": 1}
    source.write_text(yaml.safe_dump({"plugin": "edgeops.protection.accounts", **options}))
    service.rate_limit(1, seconds=2)
    run = ansible(
        "ansible-inventory", "-i", source, "--list", environment={"EDGEOPS_PROTECTION_CALL_PERIOD": "2"}
    ).done()
    assert {call.status for call in service.calls} == {200}
    assert "1 calls in 2 s are made" in run.output


@pytest.mark.parametrize("playbook", ["doctor", "report"])
def test_a_task_for_all_hosts_says_in_each_run_once_in_a_period_that_calls_wait(
    playbook: str, tmp_path: Path, service: LocalService
) -> None:
    hosts = {name: {"edge_account_id": account} for name, account in ACCOUNTS.items()}
    options = {"baseline_call_budget": 10}
    inventory = write_inventory(tmp_path, service, {"accounts": hosts}, **options)
    where = ("--limit", "account1,account2", "-e", f"{playbook}_directory={tmp_path}/files")
    for _run in range(2):
        path, home = (
            REPOSITORY / "playbooks" / f"{playbook}.yml",
            {"ANSIBLE_HOME": str(tmp_path / "home"), "EDGEOPS_PROTECTION_CALL_PERIOD": "2"},
        )
        run = ansible_playbook("-i", inventory, *where, path, environment=home).done()
        lines = re.findall(r"^10 calls in 2 s are made \(\w+\): the next call waits \d s\.$", run.output, re.MULTILINE)
        assert 1 <= len(lines) <= len(service.calls) // 10 + 1, run.output


def test_a_long_task_says_how_far_it_is_and_a_short_one_nothing(tmp_path: Path, service: LocalService) -> None:
    short = read_all(tmp_path / "short", service, {})
    assert "pages read" not in short.output and "no response" not in short.output
    service.misbehave("slow", path=f"{ACCOUNTS['account3']}/.*/allowlist", times=1, seconds=11)
    run = read_all(tmp_path / "long", service, {}, timeout=60).done()
    lines = [line for line in run.output.splitlines() if "pages read" in line]
    assert len(lines) == (1 if AVAILABLE else 0), run.output
    text = r"account3: edgeops.protection.protection_info: 10 s, (\d) of (?!\1)\d pages read \(not all of allowlist\)"
    assert all(re.fullmatch(text, line) for line in lines), lines

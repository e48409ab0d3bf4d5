# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The project in examples, with twelve accounts and forty zones of the local service: in one run, and in slices."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, ansible, ansible_environment, run_program
from tests.support.documents import read_page, rows

PROJECT = REPOSITORY / "examples"
STATE = REPOSITORY / "tests" / "demo" / "many_accounts.yml"
RUN_SLICES = REPOSITORY / "extensions" / "slices" / "run_slices"
TOKEN, *TOKENS_OF_SLICES = yaml.safe_load(STATE.read_text(encoding="utf-8"))["tokens"]
SLICES = ("1", "2", "3")
CALLS_OF_AN_ACCOUNT = 7
LIMIT, WINDOW = 1200, 5  # calls, minutes


@dataclass(frozen=True)
class Applied:
    """The service after two runs over all accounts and zones, and these runs: the dry run and the run."""

    service: LocalService
    predicted: Run
    done: Run


@pytest.fixture(scope="module")
def applied() -> Iterator[Applied]:
    with LocalService() as service:
        service.load(yaml.safe_load(STATE.read_text(encoding="utf-8")))
        predicted = baseline(service, "--check")
        assert not service.writes
        yield Applied(service, predicted, baseline(service))
        assert not service.breaches


def baseline(service: LocalService, *arguments: str) -> Run:
    environment = {
        "CLOUDFLARE_BASE_URL": service.base_url,
        "CLOUDFLARE_API_TOKEN": TOKEN,
        "ANSIBLE_CONFIG": str(PROJECT / "ansible.cfg"),
    }
    return ansible("ansible-playbook", "baseline.yml", *arguments, directory=PROJECT, environment=environment)


def operations(run: Run) -> Mapping[str, Any]:
    """What a run changed, or would have changed, by host."""
    return {task.host: task.result["operations"] for task in run.tasks if "operations" in task.result}


def test_a_dry_run_of_all_accounts_and_zones_predicts_the_run(applied: Applied) -> None:
    assert applied.predicted.code == applied.done.code == 0, applied.predicted.output + applied.done.output
    predicted, done = operations(applied.predicted), operations(applied.done)
    assert predicted == done
    assert len(predicted) == 12 + 40
    assert {not changes for changes in predicted.values()} == {True, False}


def test_variables_of_groups_and_hosts_add_up(applied: Applied) -> None:
    zones = {zone.name: [rule["ref"] for rule in zone.custom_rules or ()] for zone in applied.service.zones.values()}
    assert zones["bank-de.example"] == ["admin_from_office", "challenge_login", "log_unusual_methods"]
    assert zones["pay-bank-de.example"] == ["admin_from_office", "challenge_login", "payments_by_post"]
    assert zones["shop-retail-de.example"] == ["admin_from_office", "of_another_team", "challenge_login"]
    modes = {
        account.name: {rule["mode"] for rules in account.rules.values() for rule in rules}
        for account in applied.service.accounts.values()
    }
    assert {name for name, of_account in modes.items() if of_account == {"enabled"}} == {
        "Example Bank DE",
        "Example Bank UK",
    }


def run_slices(
    service: LocalService, folder: Path, *arguments: str | Path, **tokens: str
) -> subprocess.CompletedProcess[str]:
    """The script, with a token for each of these slices."""
    plain = ansible_environment(str(folder / "home"))
    del plain["ANSIBLE_CALLBACKS_ENABLED"]  # ansible-runner has a callback of its own
    del plain["ANSIBLE_CONFIG"]  # the project has one
    environment = {
        **plain,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "CLOUDFLARE_BASE_URL": service.base_url,
        **{f"CLOUDFLARE_API_TOKEN_{name}": token for name, token in tokens.items()},
    }
    return run_program([RUN_SLICES, *arguments], REPOSITORY, environment)


def recap(folder: Path, name: str) -> dict[str, str]:
    """How many changes a slice reports, by host."""
    output = re.sub(r"\x1b\[[0-9;]*m", "", (folder / name / "output").read_text(encoding="utf-8"))
    return dict(re.findall(r"^(\S+) +: ok=\d+ +changed=(\d+) ", output, re.MULTILINE))


def test_slices_of_a_project_share_its_hosts_by_their_tokens(applied: Applied, tmp_path: Path) -> None:
    """Each in processes and folders of its own; nothing is left to do, and no token is in a file.

    The reports of the slices become one.
    """
    writes, calls = len(applied.service.writes), len(applied.service.calls)
    tokens = dict(zip(SLICES, TOKENS_OF_SLICES, strict=True))
    run = run_slices(applied.service, tmp_path, PROJECT, "report.yml", tmp_path, *SLICES, **tokens)
    assert run.returncode == 0, run.stdout
    assert sorted(run.stdout.splitlines()) == [f"{name}: done" for name in SLICES]
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("report.json")]
    slices = [{host["host"] for host in json.loads(text)["hosts"]} for text in texts]
    assert (len(slices), sum(map(len, slices)), len(set().union(*slices))) == (len(SLICES), 12 + 40, 12 + 40)
    assert len(applied.service.writes) == writes
    of_inventories = len(SLICES) * 2
    of_ways = 12  # the custom rules of each account, for its zones of the plan Enterprise
    assert len(applied.service.calls) - calls == 12 * CALLS_OF_AN_ACCOUNT + 40 + of_ways + of_inventories
    playbook = "extensions/slices/merge_reports.yml"
    assert ansible("ansible-playbook", playbook, "-e", f"folder={tmp_path}").code == 0
    report = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    assert {host["host"] for host in report["hosts"]} == set().union(*slices)
    assert {change for host in report["hosts"] for change in host["operations"]} == set()
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert all(token.encode() not in kept for token in TOKENS_OF_SLICES)


def test_a_slice_that_fails_does_not_stop_the_others(applied: Applied, tmp_path: Path) -> None:
    tokens = {"good": TOKENS_OF_SLICES[0], "bad": "expired"}
    options = ("--", "--check", "--limit", "example-retail-de")
    run = run_slices(applied.service, tmp_path, PROJECT, "baseline.yml", tmp_path, "bad", "good", *options, **tokens)
    assert run.returncode == 1
    assert run.stdout.splitlines() == [f"bad: failed; see {tmp_path}/bad/output", "good: done"]
    assert "Invalid access token" in (tmp_path / "bad" / "output").read_text(encoding="utf-8")
    assert recap(tmp_path, "good") == {"example-retail-de": "0"}


@pytest.mark.parametrize("name", ["plan.yml", "apply.yml"])
def test_the_page_on_automation_platform_shows_the_playbooks_of_the_project(name: str) -> None:
    page = read_page(REPOSITORY / "docs" / "automation_platform.md")
    assert yaml.safe_load(page.files[name]) == yaml.safe_load((PROJECT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", rows(read_page(REPOSITORY / "docs" / "rate_limit.md"), "accounts"), ids=" ".join)
def test_the_page_on_slices_calculates(row: list[str]) -> None:
    accounts, zones, calls, minutes, tokens = (int(cell.replace(",", "")) for cell in row)
    assert calls == accounts * CALLS_OF_AN_ACCOUNT + zones + ceil(accounts / 50) + ceil(zones / 50)
    assert minutes == (ceil(calls / LIMIT) - 1) * WINDOW
    assert tokens == ceil(calls / LIMIT)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["examples"], "Usage: "), (["examples", "baseline.yml", "out", "east"], "CLOUDFLARE_API_TOKEN_east is not set")],
)
def test_a_wrong_call_is_explained(tmp_path: Path, arguments: list[str], message: str) -> None:
    run = run_slices(LocalService(), tmp_path, *arguments)
    assert run.returncode == 2
    assert message in run.stdout

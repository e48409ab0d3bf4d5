# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The project in examples, with twelve accounts and forty zones of the local service."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import COLLECTION, REPOSITORY, Run, ansible
from tests.support.documents import read_page, rows

PROJECT = COLLECTION / "examples"
STATE = REPOSITORY / "tests" / "demo" / "many_accounts.yml"
(TOKEN,) = yaml.safe_load(STATE.read_text(encoding="utf-8"))["tokens"]
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
        predicted = playbook(service, "plan.yml", "--check", ANSIBLE_SHOW_CUSTOM_STATS="true")
        assert not service.writes
        yield Applied(service, predicted, playbook(service, "baseline.yml"))
        assert not service.breaches


def playbook(service: LocalService, name: str, *arguments: str, **variables: str) -> Run:
    environment = {
        "CLOUDFLARE_BASE_URL": service.base_url,
        "CLOUDFLARE_API_TOKEN": TOKEN,
        "ANSIBLE_CONFIG": str(PROJECT / "ansible.cfg"),
        **variables,
    }
    return ansible("ansible-playbook", name, *arguments, directory=PROJECT, environment=environment)


def operations(run: Run) -> Mapping[str, Any]:
    """The changes of all hosts: those with a task of their own, and those that one task predicted."""
    (fleet,) = (task.result for task in run.tasks if "remaining" in task.result)
    own = {task.host: task.result["operations"] for task in run.tasks if "operations" in task.result}
    return {**{host: result["operations"] for host, result in fleet["hosts"].items()}, **own}


def test_a_dry_run_of_all_accounts_and_zones_predicts_the_run(applied: Applied) -> None:
    assert applied.predicted.code == applied.done.code == 0, applied.predicted.output + applied.done.output
    predicted, done = operations(applied.predicted), operations(applied.done)
    assert predicted == done
    assert len(predicted) == 12 + 40
    assert {not changes for changes in predicted.values()} == {True, False}


def test_the_plans_of_all_hosts_that_change_are_handed_on(applied: Applied) -> None:
    (fleet,) = (task.result for task in applied.predicted.tasks if "remaining" in task.result)
    plans = {host: result["plan_id"] for host, result in fleet["hosts"].items() if result["changed"]}
    (stats,) = re.findall(r"^\s*RUN: (.*)$", applied.predicted.output, re.MULTILINE)
    assert json.loads(stats) == {"edge_plans_0": plans} and plans


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


def test_the_report_takes_the_calls_that_the_page_counts(applied: Applied, tmp_path: Path) -> None:
    writes, calls = len(applied.service.writes), len(applied.service.calls)
    playbook(applied.service, "report.yml", AWX_ISOLATED_DATA_DIR=str(tmp_path)).done()
    report = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    assert len(report["hosts"]) == 12 + 40
    assert {change for host in report["hosts"] for change in host["operations"]} == set()
    assert len(applied.service.writes) == writes
    of_inventories = 2
    of_ways = 12  # the custom rules of each account, for its zones of the plan Enterprise
    of_listing = 2  # of all zones, for their status: how many there are, and one page
    assert len(applied.service.calls) - calls == 12 * CALLS_OF_AN_ACCOUNT + 40 + of_ways + of_inventories + of_listing


@pytest.mark.parametrize("name", ["plan.yml", "apply.yml"])
def test_the_page_on_automation_platform_shows_the_playbooks_of_the_project(name: str) -> None:
    page = read_page(REPOSITORY / "docs" / "automation_platform.md")
    assert yaml.safe_load(page.files[name]) == yaml.safe_load((PROJECT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", rows(read_page(REPOSITORY / "docs" / "rate_limit.md"), "accounts"), ids=" ".join)
def test_the_page_on_the_rate_limit_calculates(row: list[str]) -> None:
    accounts, zones, calls, minutes, tokens = (int(cell.replace(",", "")) for cell in row)
    assert calls == accounts * CALLS_OF_AN_ACCOUNT + zones + ceil(accounts / 50) + ceil(zones / 50)
    assert minutes == (ceil(calls / LIMIT) - 1) * WINDOW
    assert tokens == ceil(calls / LIMIT)

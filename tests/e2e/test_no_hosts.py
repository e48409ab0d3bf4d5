# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A playbook of the collection without a host fails: a job that has lost its hosts is not green."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.ansible_run import REPOSITORY, ansible_playbook

# Those that are for the hosts of the inventory; the others are for this machine.
PLAYBOOKS = [
    path
    for path in sorted((REPOSITORY / "playbooks").glob("*.yml"))
    if yaml.safe_load(path.read_text(encoding="utf-8"))[0]["hosts"] != "localhost"
]


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    path = tmp_path / "hosts.yml"
    groups: dict[str, Any] = {"accounts": {"hosts": {"lima": {}, "oslo": {}}}, "others": {"hosts": {"kyiv": {}}}}
    path.write_text(yaml.safe_dump(groups), encoding="utf-8")
    return path


@pytest.mark.parametrize("playbook", PLAYBOOKS, ids=lambda path: str(path.stem))
def test_a_limit_outside_the_groups_of_a_playbook_fails(playbook: Path, inventory: Path) -> None:
    run = ansible_playbook("-i", inventory, "--limit", "kyiv", playbook)
    assert run.code != 0
    assert "No host matches accounts. The inventory has 3; check --limit (kyiv)" in " ".join(run.output.split())


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        (["--limit", "nobody"], "no hosts to target"),
        (["-e", "target=zones"], "No host matches zones. The inventory has 3; check the variable target."),
        (["-e", '{"target": ["accounts", "!lima", "!oslo"]}'], "No host matches accounts:!lima:!oslo."),
    ],
)
def test_no_host_is_a_failure_with_a_remedy(options: list[str], remedy: str, inventory: Path) -> None:
    run = ansible_playbook("-i", inventory, *options, REPOSITORY / "playbooks" / "report.yml")
    assert run.code != 0
    assert remedy in " ".join(run.output.split())


@pytest.mark.parametrize(
    ("hosts", "remedy"),
    [("kyiv,", "The inventory has 1; put accounts and zones into these groups"), ("", "The inventory has no hosts")],
)
def test_an_inventory_without_accounts_and_zones_is_a_failure(hosts: str, remedy: str, tmp_path: Path) -> None:
    (tmp_path / "empty.yml").write_text("all: {}\n", encoding="utf-8")
    run = ansible_playbook("-i", hosts or tmp_path / "empty.yml", REPOSITORY / "playbooks" / "baseline.yml")
    assert run.code != 0
    assert f"No host matches accounts:zones. {remedy}" in " ".join(run.output.split())


@pytest.mark.parametrize(
    ("options", "hosts"),
    [
        ([], {"lima", "oslo"}),
        (["--limit", "os*:kyiv"], {"oslo"}),
        (["-e", "target=others:oslo"], {"kyiv", "oslo"}),
        (["-e", "target=localhost"], {"localhost"}),
    ],
)
def test_the_hosts_of_a_playbook_are_a_pattern(options: list[str], hosts: set[str], inventory: Path) -> None:
    run = ansible_playbook("-i", inventory, "--list-hosts", *options, REPOSITORY / "playbooks" / "baseline.yml").done()
    plays = [play.partition("):")[2] for play in run.output.split("hosts (")[1:]]
    listed = {line.strip() for play in plays for line in play.partition("play #")[0].splitlines()[1:]}
    assert listed - {""} == hosts


def test_the_syntax_is_checked_without_an_inventory() -> None:
    for playbook in PLAYBOOKS:
        assert ansible_playbook("--syntax-check", playbook).code == 0

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Playbooks and roles act on the control node, so that they become nobody else there, whatever ansible.cfg and the play say."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, ansible_playbook
from tests.support.inventories import write_inventory, write_play
from tests.support.module_run import ACCOUNT

NO_SUDO = {"ANSIBLE_BECOME": "true", "ANSIBLE_BECOME_EXE": "/nowhere/sudo", "ANSIBLE_BECOME_USER": "nobody"}
PLAYBOOKS = sorted((REPOSITORY / "playbooks").glob("*.yml"))
TASKS = sorted((REPOSITORY / "roles").glob("*/tasks/*.yml"))


@pytest.mark.parametrize("path", [*PLAYBOOKS, *TASKS], ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_plays_and_tasks_of_roles_become_nobody(path: Path) -> None:
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert [entry["become"] for entry in entries] == [False] * len(entries)


@pytest.fixture
def inventory(tmp_path: Path, service: LocalService) -> Path:
    service.account(ACCOUNT).seed(enabled=False)
    variables = {"baseline_enabled": True, "report_directory": str(tmp_path / "report")}
    return write_inventory(tmp_path, service, {"accounts": {"lima": {"edge_account_id": ACCOUNT}}}, **variables)


@pytest.mark.parametrize("playbook", ["baseline", "report"])
def test_a_playbook_needs_no_sudo(playbook: str, inventory: Path) -> None:
    ansible_playbook("-i", inventory, f"edgeops.protection.{playbook}", environment=NO_SUDO).done()


def test_a_role_in_a_play_that_becomes_root_needs_no_sudo(inventory: Path, service: LocalService) -> None:
    role = {"ansible.builtin.import_role": {"name": "edgeops.protection.baseline"}}
    play = write_play(inventory.parent, [role], "accounts", become=True)
    ansible_playbook("-i", inventory, play, environment=NO_SUDO).done()
    assert service.account(ACCOUNT).enabled

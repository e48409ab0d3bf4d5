# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The collection needs no file outside of meta, playbooks, plugins and roles, as the community requires of its collections."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from flask import Flask, request
from werkzeug.serving import make_server

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, ansible, ansible_playbook
from tests.support.inventories import write_inventory

FOLDERS = ("meta", "playbooks", "plugins", "roles")
ACCOUNT, ZONE = "a" * 32, "b" * 32
HOSTS = {
    "accounts": {
        "lima": {
            "edge_account_id": ACCOUNT,
            "edge_zone_id": ZONE,
            "baseline_enabled": True,
            "baseline_prefixes": [{"prefix": "203.0.113.0/24"}],
            "baseline_custom_rules": [{"ref": "login", "action": "block", "expression": 'http.host eq "a.example"'}],
            "baseline_snapshot_directory": "snapshots",
            "baseline_security_level": "medium",
        }
    }
}
BY_PLAYBOOK: dict[str, dict[str, Any]] = {
    "check_inventory": {},
    "doctor": {},
    "report": {},
    "notify": {"notify_kind": "webhook"},
    "baseline": {},
    "export": {"export_directory": "exported"},
    "evaluate": {"evaluate_request": {"source": "192.0.2.1", "host": "a.example"}},
    "restore": {"restore_file": "exported/lima/protection.yml"},
    "attack": {"attack_security_level": "high", "attack_hours": 1, "attack_all": True, "attack_reason": "INC-7"},
}


@pytest.fixture
def installed(tmp_path: Path) -> str:
    """Where a copy with these four folders alone is installed."""
    copy = tmp_path / "collections" / "ansible_collections" / "edgeops" / "protection"
    for folder in FOLDERS:
        shutil.copytree(REPOSITORY / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return str(tmp_path / "collections")


@pytest.fixture
def told() -> Iterator[tuple[str, list[Any]]]:
    """The address of somebody who is told, and what they hear."""
    heard: list[Any] = []
    app = Flask("receiver")

    @app.post("/")
    def hear() -> str:
        heard.append(request.get_json())
        return ""

    server = make_server("127.0.0.1", 0, app)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", heard
    server.shutdown()


def test_every_playbook_runs_from_four_folders(
    service: LocalService, tmp_path: Path, installed: str, told: tuple[str, list[Any]]
) -> None:
    assert BY_PLAYBOOK.keys() == {path.stem for path in (REPOSITORY / "playbooks").glob("*.yml")}
    service.account(ACCOUNT)
    service.zone(ZONE)
    inventory = write_inventory(tmp_path, service, HOSTS)
    listed = ansible("ansible-galaxy", "collection", "list", installed=installed).done()
    assert f"# {installed}" in listed.output and str(REPOSITORY) not in listed.output
    address, heard = told
    for name, variables in BY_PLAYBOOK.items():
        given = {**variables, "notify_url": address} if name == "notify" else variables
        words = ("-i", inventory, f"edgeops.protection.{name}", "-e", json.dumps(given))
        run = ansible_playbook(*words, installed=installed, directory=tmp_path)
        assert run.code == 0 and run.tasks, f"{name}: {run.output}"
    assert (tmp_path / "exported" / ".protection.schema.json").stat().st_size and heard


def test_python_keeps_the_bytecode_of_what_a_run_loads(service: LocalService, tmp_path: Path, installed: str) -> None:
    service.account(ACCOUNT)
    inventory = write_inventory(tmp_path, service, {"accounts": {"lima": {"edge_account_id": ACCOUNT}}})
    # ANSIBLE_HOME makes it a process of its own, which imports the collection itself.
    environment = {"ANSIBLE_HOME": str(tmp_path / "home"), "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": ""}
    run = ansible_playbook(
        "-i", inventory, "edgeops.protection.check_inventory", environment=environment, installed=installed
    )
    assert run.code == 0, run.output
    plugins = Path(installed, "ansible_collections", "edgeops", "protection", "plugins")
    kept = {path.name.partition(".")[0] for path in plugins.glob("module_utils/**/__pycache__/*.pyc")}
    assert {"grammar", "host"} <= kept

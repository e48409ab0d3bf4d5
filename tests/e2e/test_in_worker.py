# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""When a module runs inside the worker process of its task, and when it is packed and started."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.release import __version__

from tests.fake_service import LocalService
from tests.support.ansible_run import Run, ansible, ansible_playbook
from tests.support.inventories import LOCAL, write_play
from tests.support.module_run import ACCOUNT

CORE = tuple(int(part) for part in __version__.split(".")[:2])
AVAILABLE = CORE >= (2, 19)
PACKED = "AnsiballZ_tcp_protection_status"
WAYS: list[tuple[str, dict[str, Any], dict[str, Any], bool]] = [
    ("as the inventory says", {}, {}, True),
    ("without an interpreter", {}, {"ansible_python_interpreter": "auto_silent"}, True),
    ("in a loop", {"loop": [1, 2]}, {}, True),
    ("until it is so", {"register": "told", "until": "told.tcp_protection_status.enabled", "retries": 2, "delay": 0}, {}, True),
    ("once, one at a time", {"run_once": True, "throttle": 1}, {}, True),
    ("in check mode", {"check_mode": True, "diff": True}, {}, True),
    ("delegated to the control node", {"delegate_to": "localhost"}, {}, True),
    ("with a timeout", {"timeout": 30}, {}, True),
    ("in the background", {"async": 30, "poll": 1}, {}, False),
    ("with an environment", {"environment": {"LC_ALL": "C"}}, {}, False),
    ("with an empty environment", {"environment": {}}, {}, True),
    ("by another Python", {}, {"ansible_python_interpreter": "OTHER"}, False),
    ("switched off", {"vars": {"edgeops_protection_in_worker": False}}, {}, False),
    ("switched off by the host", {}, {"edgeops_protection_in_worker": "{{ 1 == 2 }}"}, False),
]  # fmt: skip


@pytest.mark.parametrize(("keywords", "host_vars", "inside"), [way[1:] for way in WAYS], ids=[way[0] for way in WAYS])
def test_when_it_runs_inside(keywords: dict[str, Any], host_vars: dict[str, Any], inside: bool, tmp_path: Path) -> None:
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
    other.chmod(0o755)
    host_vars = {name: str(other) if value == "OTHER" else value for name, value in host_vars.items()}
    run = play(tmp_path, {"edgeops.protection.tcp_protection_status": {"enabled": True}, **keywords}, host_vars).done()
    assert (PACKED not in run.output) is (inside and AVAILABLE), run.output


def play(folder: Path, task: dict[str, Any], host_vars: dict[str, Any], **defaults: dict[str, Any]) -> Run:
    """Run a task for an account that is protected; `defaults` are module_defaults beside those of the group."""
    with LocalService() as service:
        service.account(ACCOUNT).seed(enabled=True)
        connection = {"api_token": service.token, "base_url": service.base_url, "account_id": ACCOUNT}
        all_defaults = {f"edgeops.protection.{module}": options for module, options in defaults.items()}
        all_defaults["group/edgeops.protection.account"] = connection
        playbook = write_play(folder, [task], "lima", module_defaults=all_defaults)
        hosts = {"lima": {**LOCAL, **host_vars}, "localhost": LOCAL}
        (folder / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts}}), encoding="utf-8")
        return ansible_playbook("-vvv", "-i", folder / "hosts.yml", playbook)


@pytest.mark.parametrize("inside", [True, False])
def test_defaults_of_one_module_are_for_that_module_only(inside: bool, tmp_path: Path) -> None:
    task: dict[str, Any] = {"edgeops.protection.protection_info": {}}
    defaults: dict[str, Any] = {"protection_info": {"gather_subset": ["status"]}, "allowlist": {"purge": True}}
    run = play(tmp_path, task, {"edgeops_protection_in_worker": inside}, **defaults).done()
    assert {"status", "prefixes"} & set(run.tasks[0].result) == {"status"}


REMOTE: list[tuple[str, dict[str, Any], dict[str, Any], str | None]] = [
    ("another connection", {}, {"ansible_connection": "ssh"}, "the connection of lima is ssh"),
    ("delegated to another host", {"delegate_to": "edge"}, {}, "the connection of edge is ssh"),
    ("in the background", {"async": 30, "poll": 1}, {"ansible_connection": "ssh"}, "the connection of lima is ssh"),
    ("delegated back", {"delegate_to": "localhost"}, {"ansible_connection": "ssh"}, None),
    ("allowed", {}, {"ansible_connection": "ssh", "edgeops_protection_allow_remote": "{{ 1 == 1 }}"}, "unreachable"),
]


@pytest.mark.parametrize(
    ("keywords", "host_vars", "message"), [row[1:] for row in REMOTE], ids=[row[0] for row in REMOTE]
)
def test_credentials_stay_on_the_control_node(
    keywords: dict[str, Any], host_vars: dict[str, Any], message: str | None, tmp_path: Path
) -> None:
    nowhere = {"ansible_host": "127.0.0.1", "ansible_port": 9, "ansible_ssh_executable": "/bin/false"}
    task = {"edgeops.protection.tcp_protection_status": {"enabled": True}, **keywords}
    run = play(tmp_path, task, {**nowhere, **host_vars})
    if message is None:
        assert run.code == 0, run.output
    elif message == "unreachable":
        assert run.tasks[0].result["unreachable"], run.output
    else:
        assert message in run.tasks[0].result["msg"]
        assert "edgeops_protection_allow_remote: true" in run.tasks[0].result["msg"]


@pytest.mark.parametrize(("fast_path", "inside"), [("", True), ("0", False)])
def test_an_ad_hoc_call_runs_inside_unless_the_environment_says_otherwise(
    fast_path: str, inside: bool, service: LocalService
) -> None:
    service.account(ACCOUNT).seed(enabled=True)
    environment = {
        "CLOUDFLARE_BASE_URL": service.base_url,
        "CLOUDFLARE_API_TOKEN": service.token,
        "CLOUDFLARE_ACCOUNT_ID": ACCOUNT,
        "EDGEOPS_PROTECTION_FAST_PATH": fast_path,
    }
    call = ("localhost", "-m", "edgeops.protection.tcp_protection_status", "-a", "enabled=true", "-vvv")
    run = ansible("ansible", *call, environment=environment).done()
    assert (PACKED not in run.output) is (inside and AVAILABLE)
    assert '"enabled": true' in run.output

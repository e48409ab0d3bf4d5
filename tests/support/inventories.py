# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Inventories of hosts that run their tasks on this machine, against the local service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.fake_service import LocalService

LOCAL = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}


def write_inventory(
    folder: Path, service: LocalService, groups: Mapping[str, Mapping[str, Any]], **variables: Any
) -> Path:
    """Write hosts.yml: by group the hosts with their variables; all of them have the connection and further variables."""
    connection = {"edge_api_token": service.token, "edge_base_url": service.base_url}
    children = {name: {"hosts": {host: dict(own) for host, own in hosts.items()}} for name, hosts in groups.items()}
    document = {"all": {"children": children, "vars": {**LOCAL, **connection, **variables}}}
    path = folder / "hosts.yml"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return path


def write_play(folder: Path, tasks: Sequence[Any], hosts: str = "localhost", **keywords: Any) -> Path:
    """Write play.yml: one play with these tasks, and with further keywords."""
    play = {"hosts": hosts, "gather_facts": False, **keywords, "tasks": [*tasks]}
    path = folder / "play.yml"
    path.write_text(yaml.safe_dump([play]), encoding="utf-8")
    return path

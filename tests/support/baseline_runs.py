# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs of the role baseline without Ansible: variables applied, snapshots taken and restored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.restore import read_file
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.snapshot import read_part, snapshot_text

from tests.fake_service import LocalService
from tests.support.host_parts import RISKS, host, read_back, run_module
from tests.support.module_run import ACCOUNT


def applied(service: LocalService, variables: Mapping[str, Any], check_mode: bool = False) -> dict[str, Any]:
    """The result of the role for these variables."""
    result = run_module(host_part("lima", {**host(service), **variables}), check_mode)
    assert not result.get("failed"), result
    return result


def snapshot(service: LocalService, **variables: Any) -> str:
    """The snapshot before a run with these variables."""
    service.account(ACCOUNT)
    part = host_part("lima", {**host(service), **variables})
    return snapshot_text(part, read_part(part, run_module))


def restored(service: LocalService, text: str, **options: Any) -> tuple[list[str], list[str]]:
    """Why the restore of a snapshot is refused, or what it leaves different."""
    values = {**host(service), **options.pop("inventory", {})}
    file = read_file(read_back(text), "file.yml")
    reader = file.part("lima", values)
    current = read_part(reader, run_module).objects
    restoration = file.restoration("lima", values, current, RISKS, **options)
    if restoration.refused:
        return [item.sentence for item in restoration.refused], []
    assert restoration.part
    result = run_module(restoration.part, False)
    assert not result.get("failed"), result
    return [], restoration.unmet(read_part(reader, run_module).objects)

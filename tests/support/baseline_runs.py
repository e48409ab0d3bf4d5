# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs of the role baseline without Ansible: variables applied, snapshots taken and restored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.host_state import read_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.snapshot import snapshot_text
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.state_file import differences_in, read_file

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


def restored(service: LocalService, text: str, **options: Any) -> tuple[str, list[str]]:
    """Why the restore of a snapshot is refused, or what it leaves different."""
    values = {**host(service), **options.pop("inventory", {})}
    part = read_file(read_back(text), "file.yml").part("lima", values, RISKS, **options)
    predicted, result = (run_module(part, check_mode) for check_mode in (True, False))
    if result.get("failed"):
        assert "cannot be brought back" in result["msg"], result
        assert predicted["msg"] == result["msg"] and not result.get("done")
        return result["msg"], []
    for name in ("operations", "plan_id", "changed"):
        assert predicted[name] == result[name]
    return "", differences_in(run_module(part, True))

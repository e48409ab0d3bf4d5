# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the role export: it writes what an account and its zone hold as variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import DNS_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS
from ansible_collections.edgeops.protection.plugins.plugin_utils._action import CollectionAction
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.host_task import HostTask
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import (
    ACCOUNT,
    CUSTOM,
    FIREWALL,
    IP_LISTS,
    L4_OVERRIDES,
    L7_OVERRIDES,
    NETWORK_FIREWALL,
    Part,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import (
    Export,
    export_state,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.export_file import (
    CONNECTION,
    OF_HOST,
    VARIABLES,
    export_text,
    read_existing,
    sealed,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.shared import (
    HostExport,
    path_of,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.snapshot import (
    merged,
    owners_of,
    read,
    require_writable,
    state_of,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._files import write_private
from ansible_collections.edgeops.protection.plugins.plugin_utils._plain import plain
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import require_valid
from ansible_collections.edgeops.protection.plugins.plugin_utils._worker import prepare_workers

prepare_workers()

ON_DEMAND: Mapping[str, Sequence[str]] = {  # the modules whose state an option adds
    "firewall_rules": [FIREWALL],
    "network_firewall_rules": [NETWORK_FIREWALL],
    "ip_lists": [IP_LISTS],
    "ddos_overrides": [L4_OVERRIDES, L7_OVERRIDES],
}


class ActionModule(CollectionAction):
    """Reads a host and writes one file of variables."""

    _supports_async = False

    def run(
        self, tmp: str | None = None, task_vars: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        task = HostTask(self.calls(task_vars or {}))
        try:
            require_valid(VARIABLES, {f"export_{k}": item for k, item in self._task.args.items()})
            _result, options = self.validate_argument_spec(OF_HOST)
            task.require_control_node()
            members = _members(options["group"], (task_vars or {})["groups"])
            return _export(task, options, members, bool(self._task.check_mode))
        except (OSError, ValueError) as exc:
            return {"failed": True, "changed": False, "msg": str(exc)}


def _members(group: str, groups: Mapping[str, Any]) -> list[str]:
    """The hosts of the group whose hosts share variables; raises ValueError for no group."""
    if group and group not in groups:
        close = get_close_matches(group, list(groups), 1)
        question = f" Did you mean {close[0]}?" if close else ""
        raise ValueError(f"export_group: the inventory has no group {group}.{question}")
    return plain(list(groups[group])) if group else []


def _export(
    task: HostTask, options: Mapping[str, Any], members: Sequence[str], check_mode: bool
) -> dict[str, Any]:
    """The result of the task; raises OSError and ValueError.

    A host of a group gets its file later, when it is known what all hosts of the group share.
    """
    path = path_of(options["directory"], task.host)
    before = read_existing(path, options["overwrite"])
    require_writable(path.parent)
    parts = parts_to_read(task.host, options)
    results = read(parts, task.runner().run_module)
    states = [state_of(part, plain(result)) for part, result in zip(parts, results)]
    export = export_state(merged(states), options["purge"])
    if task.host in members:
        of_host = HostExport(task.host, options["group"], owners_of(results), export)
        return {"changed": False, "export": of_host.as_result(), **_warnings(task.host, export)}
    text = sealed(export_text(export, owners_of(results)))
    if text != before and not check_mode:
        write_private(path, text)
    return {
        "changed": text != before,
        "path": str(path),
        "diff": {"before": before or "", "after": text},
        **_warnings(task.host, export),
    }


def _warnings(host: str, export: Export) -> dict[str, list[str]]:
    return {"warnings": [f"{host}: {note}" for note in export.notes]} if export.notes else {}


def parts_to_read(host: str, options: Mapping[str, Any]) -> list[Part]:
    """The modules whose state is exported; raises ValueError for a host that is neither an account
    nor a zone."""
    connection = {name: options[name] for name in CONNECTION if options[name] not in (None, "")}
    zone = next((name for name in ("zone_id", "zone_name") if options[name]), None)
    parts = []
    if options["account_id"]:
        on_demand: dict[str, Any] = {DNS_RULES.plural: []} if options["dns_rules"] else {}
        own = {"account_id": options["account_id"], **on_demand}
        parts.append(Part(ACCOUNT, {**connection, **own}))
    on_demand_modules = [
        module for option, modules in ON_DEMAND.items() if options[option] for module in modules
    ]
    for module in [CUSTOM, *on_demand_modules]:
        owner = zone if MODULE_SPECS[module].owner == "zone_id" else "account_id"
        if owner and options[owner]:
            parts.append(Part(module, {**connection, owner: options[owner]}))
    if not parts:
        raise ValueError(
            f"{host} is neither an account nor a zone: set edge_account_id (export_account_id),"
            " edge_zone_id (export_zone_id), or edge_zone_name (export_zone_name)."
        )
    return parts

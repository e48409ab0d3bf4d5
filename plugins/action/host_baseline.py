# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the role baseline: it runs the modules that a host needs, each with the role's variables as options."""

from __future__ import annotations

from typing import Any, Mapping

from ansible_collections.edgeops.protection.plugins.plugin_utils.action import ActionModule as ModuleAction
from ansible_collections.edgeops.protection.plugins.plugin_utils.baseline_results import combined, lines
from ansible_collections.edgeops.protection.plugins.plugin_utils.baseline_variables import (
    READ,
    Part,
    parts_of,
    unknown_variables,
)

COLLECTION = "edgeops.protection."


class ActionModule(ModuleAction):
    """Updates a host, which is an account, a zone or both, to match the variables of the role.

    Ansible templates the options of a task one by one in each worker, which costs more than the work itself; this
    action reads the variables instead, of which few are templates.
    """

    _supports_async = False

    def run(self, tmp: str | None = None, task_vars: Mapping[str, Any] | None = None) -> dict[str, Any]:
        variables = task_vars or {}
        if self._would_travel(variables):
            return {"failed": True, "msg": self._refusal(variables)}
        host = str(variables["inventory_hostname"])
        warnings = unknown_variables(variables)
        values = self._templar.template({name: variables[name] for name in READ if name in variables})
        try:
            parts = parts_of(host, values)
        except ValueError as exc:
            return {"failed": True, "msg": str(exc), "warnings": warnings}
        results: dict[str, dict[str, Any]] = {}
        for part in parts:
            results[part.module] = self._run_part(part, variables)
            if results[part.module].get("failed"):
                break
        else:
            for line in lines(host, results):
                self._display.display(line, stderr=True)  # stdout may be read by a program
        return combined(results, warnings, self._task.check_mode, self._display.verbosity > 0)

    def _run_part(self, part: Part, variables: Mapping[str, Any]) -> dict[str, Any]:
        module = COLLECTION + part.module
        if self._may_run_in_worker(variables):
            return self._run_in_worker(module, part.options, variables)
        packed: dict[str, Any] = self._execute_module(module, part.options, task_vars=variables)
        return packed

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the role baseline: it runs the modules that a host needs, each with the role's variables as options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils.action import ActionModule as ModuleAction
from ansible_collections.edgeops.protection.plugins.plugin_utils.baseline_plan import plan_ids, read_approved_plan
from ansible_collections.edgeops.protection.plugins.plugin_utils.baseline_results import (
    combined,
    has_failed,
    lines,
    refused,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils.baseline_variables import (
    EXPECTED_PLAN,
    READ,
    Part,
    parts_of,
    unknown_variables,
    with_plans,
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
        try:
            return self._update(variables)
        except ValueError as exc:
            return {"failed": True, "msg": str(exc), "warnings": unknown_variables(variables)}

    def _update(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a host; raises ValueError where its variables do not fit together."""
        host = str(variables["inventory_hostname"])
        values = self._templar.template({name: variables[name] for name in READ if name in variables})
        parts = parts_of(host, values)
        approved = read_approved_plan(values.get(EXPECTED_PLAN))
        if approved is not None:
            with self._in_check_mode():
                predicted = self._run_parts(parts, variables)
            if has_failed(predicted) or not plan_ids(predicted):
                return self._finished(variables, predicted, check_mode=True)
            if refusal := approved.refusal(host, predicted):
                return refused(predicted, refusal)
            if self._task.check_mode:
                return self._finished(variables, predicted, check_mode=True)
            parts = with_plans(parts, plan_ids(predicted))
        return self._finished(variables, self._run_parts(parts, variables), self._task.check_mode)

    def _finished(
        self, variables: Mapping[str, Any], results: Mapping[str, dict[str, Any]], check_mode: bool
    ) -> dict[str, Any]:
        if not has_failed(results):
            for line in lines(str(variables["inventory_hostname"]), results):
                self._display.display(line, stderr=True)  # stdout may be read by a program
        return combined(results, unknown_variables(variables), check_mode, self._display.verbosity > 0)

    def _run_parts(self, parts: Sequence[Part], variables: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """The result of each module, as far as none fails."""
        results: dict[str, dict[str, Any]] = {}
        for part in parts:
            if has_failed(results):
                break
            results[part.module] = self._run_part(part, variables)
        return results

    def _run_part(self, part: Part, variables: Mapping[str, Any]) -> dict[str, Any]:
        module = COLLECTION + part.module
        if self._may_run_in_worker(variables):
            return self._run_in_worker(module, part.options, variables)
        packed: dict[str, Any] = self._execute_module(module, part.options, task_vars=variables)
        return packed

    @contextmanager
    def _in_check_mode(self) -> Iterator[None]:
        before = self._task.check_mode
        self._task.check_mode = True
        try:
            yield
        finally:
            self._task.check_mode = before

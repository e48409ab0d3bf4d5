# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the role baseline: it runs the modules that a host needs, each with the role's
variables as options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._action import (
    ActionModule as ModuleAction,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.approval import (
    read_approved_plan,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.host_plan import plan_ids
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.results import (
    combined,
    has_failed,
    lines,
    refused,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import (
    EXPECTED_PLAN,
    READ,
    SNAPSHOT_DIRECTORY,
    Part,
    parts_of,
    unknown_variables,
    with_plans,
    without_omitted,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.snapshot import (
    readers,
    require_writable,
    snapshot_folder,
    snapshot_text,
    write_snapshot,
)

COLLECTION = "edgeops.protection."


class ActionModule(ModuleAction):
    """Updates a host, which is an account, a zone or both, to match the variables of the role.

    Ansible templates the options of a task one by one in each worker, which costs more than the
    work itself; this action reads the variables instead, of which few are templates.
    """

    _supports_async = False
    variables_read: Sequence[str] = READ
    predicts_first = False

    def run(
        self, tmp: str | None = None, task_vars: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
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
        values = self._values(variables)
        parts = self.parts(host, values)
        approved = read_approved_plan(values.get(EXPECTED_PLAN))
        directory = str(values.get(SNAPSHOT_DIRECTORY) or "")
        if wrong := self._wrong_options(parts):
            return self._finished(variables, wrong)
        if approved is None and not self.predicts_first and not directory:
            return self._finished(variables, self._run_parts(parts, variables))
        with self._in_check_mode():
            predicted = self._run_parts(parts, variables)
            if has_failed(predicted):
                return {**self._finished(variables, predicted), "changed": False}
            if approved is not None and (refusal := approved.refusal(host, predicted)):
                return refused(predicted, refusal)
            if not plan_ids(predicted):
                return self._finished(variables, predicted)
        try:
            snapshot = self._snapshot(host, parts, directory, variables) if directory else {}
        except (OSError, ValueError) as exc:
            return refused(
                predicted,
                f"{SNAPSHOT_DIRECTORY}: there is no snapshot ({exc}). Nothing was changed.",
            )
        if self._task.check_mode:
            return self._finished(variables, predicted)
        if approved is not None:
            parts = with_plans(parts, plan_ids(predicted))
        return {**self._finished(variables, self._run_parts(parts, variables)), **snapshot}

    def _values(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        """The variables that the action reads, without templates."""
        described = {name: variables[name] for name in self.variables_read if name in variables}
        values: dict[str, Any] = without_omitted(
            self._templar.template(described), variables.get("omit")
        )
        return values

    def parts(self, host: str, values: Mapping[str, Any]) -> list[Part]:
        """The modules to run for a host with these values; raises ValueError where they do not fit
        together."""
        return parts_of(host, values)

    def _snapshot(
        self, host: str, parts: Sequence[Part], directory: str, variables: Mapping[str, Any]
    ) -> dict[str, str]:
        """Read what the parts may change, and write it; the path stands in the result of the host.

        In check mode it is only tried whether the snapshot could be written. Raises OSError and
        ValueError.
        """
        folder = snapshot_folder(directory, host)
        if self._task.check_mode:
            require_writable(folder)
            return {}
        states = [self._run_part(part, variables) for part in readers(parts)]
        for state in states:
            if state.get("failed"):
                raise ValueError(state["msg"])
        return {
            "snapshot": write_snapshot(
                folder, snapshot_text(parts, states), datetime.now(timezone.utc)
            )
        }

    def _finished(
        self, variables: Mapping[str, Any], results: Mapping[str, dict[str, Any]]
    ) -> dict[str, Any]:
        if not has_failed(results):
            for line in lines(str(variables["inventory_hostname"]), results):
                self._display.display(line, stderr=True)  # stdout may be read by a program
        return combined(
            results,
            unknown_variables(variables),
            self._task.check_mode,
            self._display.verbosity > 0,
        )

    def _wrong_options(self, parts: Sequence[Part]) -> dict[str, dict[str, Any]]:
        """The failure of the first module whose options are wrong; a single module finds its
        own."""
        for part in parts if len(parts) > 1 else ():
            failure = self._option_failure(COLLECTION + part.module, part.options)
            if failure:
                return {part.module: failure}
        return {}

    def _run_parts(
        self, parts: Sequence[Part], variables: Mapping[str, Any]
    ) -> dict[str, dict[str, Any]]:
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
        options = dict(part.options)  # to which Ansible adds what it tells every module
        packed: dict[str, Any] = self._execute_module(module, options, task_vars=variables)
        return packed

    @contextmanager
    def _in_check_mode(self) -> Iterator[None]:
        before = self._task.check_mode
        self._task.check_mode = True
        try:
            yield
        finally:
            self._task.check_mode = before

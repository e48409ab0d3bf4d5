# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the playbook restore: it makes a host exactly what a snapshot or an export says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleError
from ansible_collections.edgeops.protection.plugins.plugin_utils._action import CollectionAction
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.host_runner import (
    HostRun,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.host_task import (
    HostTask,
    wrong_parts,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import (
    SNAPSHOT_DIRECTORY,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.restore import (
    OF_INVENTORY,
    parts_to_restore,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.snapshot import (
    snapshots_in,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._worker import prepare_workers

prepare_workers()

ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "file": {"type": "path", "required": True},
    "accept_risks": {"type": "list", "elements": "raw", "default": []},
}


class ActionModule(CollectionAction):
    """Updates a host to match a file, whose variables it takes, and no others that describe a
    state."""

    _supports_async = False

    def run(
        self, tmp: str | None = None, task_vars: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        task = HostTask(self.calls(task_vars or {}))
        check_mode = bool(self._task.check_mode)
        return task.result_of(lambda: self._restore(task, check_mode))

    def _restore(self, task: HostTask, check_mode: bool) -> HostRun:
        """Restore the host; raises ValueError for a file that is not of this host."""
        _result, options = self.validate_argument_spec(ARGUMENTS)
        file = options["file"]
        try:
            document = self._loader.load_from_file(
                os.path.join(os.environ.get("PWD") or os.getcwd(), file)
            )
        except AnsibleError as exc:
            raise ValueError(f"{file} cannot be read: {exc}") from exc
        values, runner = task.values(OF_INVENTORY), task.runner()
        parts = parts_to_restore(task.host, values, document, file, options["accept_risks"])
        if wrong := wrong_parts(parts):
            return HostRun(wrong, True)
        directory = values.get(SNAPSHOT_DIRECTORY)
        snapshot = snapshots_in(directory, task.host, parts, runner.run_module, check_mode)
        # Half of a restore is a state that nobody knows, so all of it is predicted first.
        return runner.update(task.host, parts, check_mode, snapshot=snapshot, predicts_first=True)

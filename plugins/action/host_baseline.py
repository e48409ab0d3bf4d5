# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the role baseline: it makes and applies the plan of a host, with the role's
variables as options."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..plugin_utils._action import CollectionAction
from ..plugin_utils._attack.attack import Attack
from ..plugin_utils._baseline.approval import approved_plan
from ..plugin_utils._baseline.host_task import HostRun, HostRunner, HostTask
from ..plugin_utils._baseline.variables import OF_HOST, SNAPSHOT_DIRECTORY, SNAPSHOT_KEEP
from ..plugin_utils._export.snapshot import check_keep, delete_older, snapshots_in
from ..plugin_utils._worker import prepare_workers

prepare_workers()


class ActionModule(CollectionAction):
    """Updates a host, which is an account, a zone or both, to match the variables of the role."""

    def outcome(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        task = HostTask(self.calls(variables))
        check_mode = bool(self._task.check_mode)
        if self._task.args.get("attack"):
            return task.result_of(lambda: Attack(task, variables, check_mode).run())
        return task.result_of(lambda: _update(task, task.runner(), check_mode))


def _update(task: HostTask, runner: HostRunner, check_mode: bool) -> HostRun:
    """Update the host; raises ValueError if its variables do not fit together."""
    values = task.checked(OF_HOST)
    task.warn(*task.shared_owners())
    keep, merged = check_keep(values.get(SNAPSHOT_KEEP)), task.merged(values)
    part = merged.part(task.host)
    approved = approved_plan(task.host, values)
    directory = values.get(SNAPSHOT_DIRECTORY)
    snapshot = snapshots_in(directory, task.host, part, runner.run_module, check_mode)
    updated = runner.update(part, check_mode, approved, snapshot)
    updated = updated._replace(postures=merged.records())
    task.warn(
        *merged.still_in_force(updated.result.get("operations") or ()),
        *task.way_back(values, task.entries(values), updated),
    )
    task.warn(*task.shared_owners(updated.result))
    # A run that failed may need the state before it more than once, so that it deletes nothing.
    if keep is None or not updated.snapshot or updated.failed:
        return updated
    try:
        return updated._replace(deleted=delete_older(Path(updated.snapshot), keep))
    except OSError as exc:
        task.warn(f"{SNAPSHOT_KEEP}: older snapshots remain ({exc}).")
        return updated

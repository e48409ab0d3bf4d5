# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sets a watched change back: a restore of the state before, for the objects of this change alone,
through the guard, with its risks accepted, since it brings back what was there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...module_utils._guard.acceptance import acceptances_of
from ...module_utils._schema.registry import title_of_operation
from ...module_utils._schema.resource import without
from .._baseline.host_task import HostTask
from .._baseline.variables import EXPECTATIONS, LIMITS, ONLY_VARIABLE, Part, connection_options
from .._export.host_state import HostState, read_host
from .._export.state_file import OF_INVENTORY, StateFile
from .mark import WatchMark
from .set_back import Restored, WayBack, way_back

NAME_OF_STATE = "the state before the watched change"
# Which the change may have brought, and which would keep the host from going back.
OF_NEW_STATES = (EXPECTATIONS, LIMITS, ONLY_VARIABLE)


def set_back(task: HostTask, part: Part, mark: WatchMark, check_mode: bool = False) -> Restored:
    """Set back what a change did, or in check mode predict that; what others have done since then
    stays."""
    runner = task.runner()
    try:
        state = read_host(mark.resources, connection_options(part), runner.run_module)
        way = way_back(mark.change, state.objects)
        undone, in_force = _titles(way.undone), _titles(way.in_force)
        if not way.is_needed:
            return Restored("", way.staying, bool(way.staying), undone, in_force)
        restore = _part(task, state, way)
        prediction = task.quiet_runner().run_module(restore, True)
        accepted: list[dict[str, Any]] = []  # the risks of the state before, for these objects
        for risk in prediction.get("risks") or ():
            accepted += acceptances_of(risk)
        options = {**restore.options, "accept_risks": accepted}
        run = runner.update(replace(restore, options=options), check_mode)
    except ValueError as exc:
        return Restored(str(exc))
    failure = str(run.result.get("msg")) if run.failed else ""
    return Restored(failure, way.staying, undone=undone, in_force=in_force, run=run)


def _titles(operations: Sequence[Mapping[str, Any]]) -> list[str]:
    return [title_of_operation(operation) for operation in operations]


def _part(task: HostTask, state: HostState, way: WayBack) -> Part:
    file = StateFile(NAME_OF_STATE, {**state.owners}, named=way.named, objects=way.objects)
    values = without(task.checked(OF_INVENTORY), *OF_NEW_STATES)
    return file.part(task.host, values)

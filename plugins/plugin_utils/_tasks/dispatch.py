# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the module host: the task of a role or a playbook that its option `task` names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils._context import FIRST, LAST, ROOM
from ...module_utils._specs.host_tasks import (
    ATTACK,
    BASELINE,
    OPTIONS_OF_TASKS,
    PREDICT,
    PREDICT_RESTORE,
    RESTORE,
    RESTORE_FIRST,
    RESTORE_LAST,
    RESTORE_ROOM,
    TASK_OPTION,
)
from .._action import CollectionAction
from .._variables import read_call
from .baseline import BaselineAction
from .check import CheckAction
from .doctor import DoctorAction
from .export import ExportAction
from .news import NewsAction
from .report import ReportAction
from .restore import RestoreAction

ACTION_BY_TASK: Mapping[str, type[CollectionAction]] = {
    ATTACK: BaselineAction,
    BASELINE: BaselineAction,
    "check": CheckAction,
    "doctor": DoctorAction,
    "export": ExportAction,
    FIRST: BaselineAction,
    LAST: BaselineAction,
    "news": NewsAction,
    PREDICT: BaselineAction,
    "report": ReportAction,
    RESTORE: RestoreAction,
    RESTORE_FIRST: RestoreAction,
    RESTORE_LAST: RestoreAction,
    PREDICT_RESTORE: RestoreAction,
    RESTORE_ROOM: RestoreAction,
    ROOM: BaselineAction,
}


class HostAction(CollectionAction):
    """Does what the option `task` says to the host, or to all hosts of the play."""

    def outcome(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        arguments = {TASK_OPTION: OPTIONS_OF_TASKS[TASK_OPTION]}
        try:
            name = read_call(arguments, task=self._task.args.get(TASK_OPTION))[TASK_OPTION]
        except ValueError as exc:
            return {"failed": True, "changed": False, "msg": str(exc)}
        action = ACTION_BY_TASK[name](self._task, **self.tools(self._templar)._asdict())
        return action.outcome(variables)

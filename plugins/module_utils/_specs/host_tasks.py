# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tasks of roles and playbooks on a host, by the option of the module host that names them, and
their options. An action does them on the control node; the module reads none of these options."""

from __future__ import annotations

from .._context import FIRST, LAST, ROOM
from .._schema.resource import OptionSpec

TASK_OPTION = "task"
ATTACK, BASELINE, RESTORE = "attack", "baseline", "restore"
PREDICT, PREDICT_RESTORE = "predict", "restore_predict"
PREDICTING = (PREDICT, PREDICT_RESTORE)  # all hosts together
RESTORE_ROOM, RESTORE_FIRST, RESTORE_LAST = "restore_room", "restore_first", "restore_last"
# The turns of an account among its zones, and of zones before it, by the tasks.
TURNS = {
    ROOM: ROOM,
    FIRST: FIRST,
    LAST: LAST,
    RESTORE_ROOM: ROOM,
    RESTORE_FIRST: FIRST,
    RESTORE_LAST: LAST,
}
OTHERS = ("check", "doctor", "export", "news", "report")
TASKS = tuple(sorted([ATTACK, BASELINE, RESTORE, *PREDICTING, *TURNS, *OTHERS]))
OPTIONS_OF_TASKS: OptionSpec = {
    TASK_OPTION: {"type": "str", "required": True, "choices": [*TASKS]},
    "accept_risks": {"type": "list", "elements": "raw"},
    "before": {"type": "str"},
    "directory": {"type": "path"},
    "fail_on": {"type": "list", "elements": "str"},
    "file": {"type": "str"},
    "inventory": {"type": "bool"},
    "leave_fields": {"type": "list", "elements": "str"},
    "leave_objects": {"type": "list", "elements": "str"},
    "mode": {"type": "str"},
    "moved": {"type": "bool"},
    "plan": {"type": "bool"},
    "plan_base": {"type": "path"},
    "playbook": {"type": "str", "choices": ["evaluate", "notify"]},
    "previous": {"type": "path"},
    "record": {"type": "bool"},
    "sarif": {"type": "path"},
    "since": {"type": "str"},
}

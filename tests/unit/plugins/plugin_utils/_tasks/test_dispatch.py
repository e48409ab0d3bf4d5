# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tasks of the module host: each has an action, and options as its playbook has variables."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._specs.host_tasks import OPTIONS_OF_TASKS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.host_tasks import TASKS as NAMES
from ansible_collections.edgeops.protection.plugins.module_utils._specs.packing import PACKED
from ansible_collections.edgeops.protection.plugins.modules import host
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.doctor import DOCTOR
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.state_file import RESTORE
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.arguments import REPORT_OPTIONS
from ansible_collections.edgeops.protection.plugins.plugin_utils._tasks.check import CHECK
from ansible_collections.edgeops.protection.plugins.plugin_utils._tasks.dispatch import ACTION_BY_TASK, HostAction

VARIABLES: Mapping[str, Mapping[str, Any]] = {
    "check_": CHECK,
    "doctor_": DOCTOR,
    "report_": REPORT_OPTIONS,
    "restore_": RESTORE,
}
PATHS = ("directory",)  # a text, if there is a folder for each host
DOCUMENTED = yaml.safe_load(host.DOCUMENTATION)["options"]


def test_each_task_has_an_action() -> None:
    assert (*ACTION_BY_TASK,) == NAMES == (*DOCUMENTED["task"]["choices"],)


def test_each_option_is_one_of_a_playbook_and_is_documented() -> None:
    declared: dict[str, Mapping[str, Any]] = {}
    for prefix, variables in VARIABLES.items():
        for name, argument in variables.items():
            option = name.removeprefix(prefix)
            declared[option] = argument
            fact = OPTIONS_OF_TASKS[option]
            assert fact["type"] == ("path" if option in PATHS else argument.get("type", "str")), name
            assert fact.get("elements") == argument.get("elements"), name
    assert declared.keys() == OPTIONS_OF_TASKS.keys() - {"task"}
    names = {
        name: (option["type"], option.get("elements"), option.get("choices")) for name, option in DOCUMENTED.items()
    }
    own = {name: PACKED[name] for name in names}
    assert own.keys() >= OPTIONS_OF_TASKS.keys()
    assert names == {
        name: (option.get("type", "str"), option.get("elements"), option.get("choices")) for name, option in own.items()
    }


@pytest.mark.parametrize("arguments", [{}, {"task": "baselin"}, {"task": ["baseline"]}], ids=str)
def test_a_task_that_is_missing_or_wrong_is_told_with_those_that_there_are(arguments: dict[str, Any]) -> None:
    action = HostAction.__new__(HostAction)
    action._task = SimpleNamespace(args=arguments)
    result = action.outcome({})
    assert result["failed"] and result["msg"].startswith("task: ") and "restore" in result["msg"]

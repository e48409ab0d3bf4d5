# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A host without a snapshot in a restore of many: nothing of it changes, and its rules are read, so
that the lists of its account are restored by what really refers to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils._schema.registry import BY_PLURAL
from ...module_utils._schema.resource import ZONE_OPTION
from .._baseline.host_task import HostTask
from .._baseline.results import HostRun
from .._baseline.variables import BASELINE, VARIABLE_OF, host_part

VARIABLES_OF_RULES = frozenset(
    name
    for plural, name in VARIABLE_OF.items()
    if BY_PLURAL[plural].owner == ZONE_OPTION and BASELINE[name]["type"] == "list"
)


def unchanged_run(task: HostTask, values: Mapping[str, Any], reason: str) -> HostRun:
    """The run of a host that fails for a reason, and changes nothing. A zone has the facts for the
    other hosts of its run, and fails for its expectations as well."""
    failure = {"changed": False, "failed": True, "msg": reason}
    if not (task.fleet_turn.is_ordered and task.names_zone()):
        return HostRun(failure, True)
    described = VARIABLES_OF_RULES.intersection(task.variables)
    part = host_part(task.host, {**values, **{name: [] for name in described}})
    run = task.quiet_runner().update(part, check_mode=True)
    if run.failed:
        failure = {**run.result, **failure, "msg": f"{reason} {run.reason}"}
        return HostRun(failure, True, of_fleet=run.of_fleet)
    nothing_read = {"account_id": task.account_of_zone(), "uses": {}}
    return HostRun(failure, True, of_fleet={**nothing_read, **run.of_fleet, "stays": True})

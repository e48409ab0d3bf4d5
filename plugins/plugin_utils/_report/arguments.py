# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of the role report: the options of its last task, and variables of each host."""

from __future__ import annotations

import re
from typing import Any

from .._baseline.arguments import OF_HOST
from .._baseline.unmanaged import ACCEPTED_ARGUMENT, ACCEPTED_UNMANAGED
from .._variables import Arguments
from .acknowledged import ACKNOWLEDGED, ACKNOWLEDGED_ARGUMENT
from .neighbours import ACCESS_RULES, ANNOUNCED, LOG_HOURS, TRAFFIC_HOURS
from .record import STATUSES

DEFAULT_MODE = "0600"
# Of the task that writes the report, for all hosts.
REPORT_OPTIONS: Arguments = {
    "directory": {"type": "path", "required": True},
    "merge": {"type": "list", "elements": "path", "default": []},
    "previous": {"type": "path"},
    "fail_on": {
        "type": "list",
        "elements": "str",
        "choices": [*STATUSES, ""],  # as -e report_fail_on= gives it
        "default": [],
    },
    "mode": {"type": "str", "default": DEFAULT_MODE},
}
REPORT_VARIABLES: Arguments = {
    **{f"report_{name}": argument for name, argument in REPORT_OPTIONS.items()},
    ACCEPTED_UNMANAGED: ACCEPTED_ARGUMENT,
    ACKNOWLEDGED: ACKNOWLEDGED_ARGUMENT,
    TRAFFIC_HOURS: {"type": "float"},
    ANNOUNCED: {"type": "bool"},
    ACCESS_RULES: {"type": "bool"},
    LOG_HOURS: {"type": "float"},
}
OF_REPORTED_HOST: Arguments = {**OF_HOST, **REPORT_VARIABLES}


def file_mode(digits: Any) -> int:
    """The permissions of a file; raises ValueError for a number, whose digits YAML has read as
    octal already, or not."""
    if not isinstance(digits, str) or not re.fullmatch("[0-7]{3,4}", digits):
        raise ValueError(
            f"report_mode: {digits} is not text of octal digits such as '0600'; put them in quotes."
        )
    return int(digits, 8)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stands in for Python's syslog in a module's process, and writes to the file in SYSLOG_TO what would be logged."""

from __future__ import annotations

import os

LOG_INFO = LOG_USER = LOG_ERR = LOG_WARNING = LOG_NOTICE = LOG_DEBUG = LOG_PID = 0


def openlog(*arguments: object) -> None:
    """Nothing is to be opened."""


def syslog(*arguments: object) -> None:
    """Keep the message."""
    with open(os.environ["SYSLOG_TO"], "a", encoding="utf-8") as log:
        log.write(f"{arguments[-1]}\n")

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The worker process in which ansible-core runs a task."""

from __future__ import annotations

import os
from multiprocessing import parent_process

from ansible_collections.edgeops.protection.plugins.module_utils._orphan import watch


def end_with_run() -> None:
    """End this worker as soon as the run that forked it is gone; no other process is meant."""
    if parent_process() is not None:
        watch(has_lost_its_parent)


def has_lost_its_parent() -> bool:
    """Whether the process that forked this worker is gone; False in a process that is no worker.

    An orphan gets the next subreaper as its parent, which need not be process 1.
    """
    parent = parent_process()
    return parent is not None and parent.pid != os.getppid()

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ends a process that outlives its run: if somebody kills the run, nothing of it may write later.

A killed run tells its processes nothing, so each of them looks: all the time in a thread, which
meets every wait and every blocked write, and once more before each call.
"""

from __future__ import annotations

import os
import select
import time
from typing import Callable

from .._concurrency import start_threads

THREAD = "edgeops.protection watch"
INTERVAL = 0.2  # seconds between two looks
STANDARD_OUTPUT = 1


class Watch:
    """Ends this process as soon as `is_orphan` returns True; a fork of the process is not meant."""

    def __init__(self, is_orphan: Callable[[], bool]) -> None:
        self._is_orphan = is_orphan
        self._process = os.getpid()

    def end_if_orphan(self) -> None:
        """Look once.

        Nothing is cleaned up and nothing is said: what a process flushes at its end may be a pipe
        that nobody reads.
        """
        if os.getpid() == self._process and self._is_orphan():
            os._exit(1)

    def run(self) -> None:
        """Look until the process ends."""
        while True:
            time.sleep(INTERVAL)
            self.end_if_orphan()


_watches: list[Watch] = []  # of this process, at most one


def watch(is_orphan: Callable[[], bool]) -> None:
    """End this process once it is an orphan; the first call in a process counts."""
    if not _watches:
        _watches.append(Watch(is_orphan))
        start_threads(THREAD, _watches[0].run)


def end_if_orphan() -> None:
    """End this process if it is watched and an orphan by now."""
    for item in _watches:
        item.end_if_orphan()


def has_lost_its_reader() -> bool:
    """Whether nobody reads the standard output any more, to which a packed module writes its
    result.

    The parent of a packed module is a shell, which outlives the run as well.
    """
    poll = select.poll()
    poll.register(STANDARD_OUTPUT, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _file, event in poll.poll(0))

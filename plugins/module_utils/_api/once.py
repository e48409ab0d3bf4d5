# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The connections and readings that hosts of a run share: the first worker, or thread of one, makes
them for the others."""

from __future__ import annotations

import fcntl
import json
import os
import zlib
from contextlib import contextmanager
from contextvars import ContextVar
from multiprocessing import parent_process
from threading import Lock, RLock
from typing import Any, BinaryIO, Callable, Iterator, TypeVar

Made = TypeVar("Made")
_file_of_run: list[BinaryIO] = []
_mutexes: dict[bytes, Any] = {}  # of threads; the file is locked for the whole of a process


class SharedByTasks:
    """The connections, budgets and readings that so many `tasks` of this process share."""

    def __init__(self, tasks: int = 1) -> None:
        self.tasks = tasks
        self._known: dict[Any, Any] = {}
        self._mutexes: dict[Any, Any] = {}
        self._mutex = Lock()

    @staticmethod
    def now() -> SharedByTasks | None:
        """Those of the task that runs in this thread; None if it shares nothing."""
        return _of_all_tasks.get()

    def of(self, key: Any, make: Callable[[], Made]) -> Made:
        """The one with this key, which the first task makes while others wait for it."""
        with self._mutex:
            mutex = self._mutexes.setdefault(key, Lock())
        with mutex:
            if key not in self._known:
                self._known[key] = make()
            made: Made = self._known[key]
            return made

    def close(self) -> None:
        """Close those that can be closed."""
        for one in self._known.values():
            getattr(one, "close", list)()


_of_all_tasks: ContextVar[SharedByTasks | None] = ContextVar("shared", default=None)


@contextmanager
def shared_by_tasks(tasks: int) -> Iterator[None]:
    """Have so many tasks and their threads share connections, so that they open one for each
    thread, and not for each host; and budgets, so that threads wait for one another rather than for
    a file."""
    shared = SharedByTasks(tasks)
    token = _of_all_tasks.set(shared)
    try:
        yield
    finally:
        _of_all_tasks.reset(token)
        shared.close()


def share(file: BinaryIO) -> None:
    """Have the workers that this process forks from now on keep in a file what one has read."""
    _file_of_run[:] = [file]


def once(reader: str, name: str, read: Callable[[], Any]) -> Any:
    """A reading by its name, as the first worker of this run with the same reader (the base URL and
    the credentials) has made it, for which the others wait. Outside of a worker it is made each
    time."""
    if not _file_of_run or parent_process() is None:
        return read()
    number, key = (
        _file_of_run[0].fileno(),
        f"{json.dumps([os.getppid(), reader, name])}\t".encode(),
    )
    place = zlib.crc32(key)  # one byte is locked, so that other readings go on
    with _mutexes.setdefault(key, RLock()):
        fcntl.lockf(number, fcntl.LOCK_EX, 1, place)
        try:
            lines = os.pread(number, os.fstat(number).st_size, 0).splitlines()
            if known := [line for line in lines if line.startswith(key)]:
                return json.loads(known[0][len(key) :])
            reading = read()
            os.write(number, key + f"{json.dumps(reading)}\n".encode())
            return reading
        finally:
            fcntl.lockf(number, fcntl.LOCK_UN, 1, place)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs calls concurrently: a few at a time, with results in order, and no new calls after a
failure; and has tasks that run concurrently share connections and readings, which the first worker,
or thread of one, makes for the others.

The threads are daemons, which neither hold up an interrupted process nor its end; those of
concurrent.futures do. No signal meets them: Python handles signals in the main thread, which may
wait in a system call and not notice one that met another thread.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import threading
import zlib
from collections import deque
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from multiprocessing import parent_process
from threading import Lock, RLock
from typing import Any, BinaryIO, Callable, Generic, Iterator, NamedTuple, Sequence, TypeVar

MAX_CONCURRENT_CALLS = 8
THREAD = "edgeops.protection call"  # the name of each thread
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)  # which end or time a run

Input = TypeVar("Input")
Done = TypeVar("Done")


class Attempt(NamedTuple):
    """Outcome of the work on one input: the result, or the exception that was raised."""

    result: object
    error: BaseException | None


def attempt_each(
    work: Callable[[Input], Done], inputs: Sequence[Input], at_once: int = MAX_CONCURRENT_CALLS
) -> Iterator[Attempt]:
    """The attempts for the inputs, in order; after a failure, only those follow that had begun."""
    if len(inputs) < 2:
        yield from (_attempt(work, work_input) for work_input in inputs)
        return
    shared = ConcurrentWork(work, inputs)
    try:
        start_threads(THREAD, shared.run, min(at_once, len(inputs)))
        for index in range(len(inputs)):
            attempt = shared.wait_for(index)
            if attempt is None:
                return
            yield attempt
    finally:
        shared.stop()


def concurrently(work: Callable[[Input], Done], inputs: Sequence[Input]) -> Iterator[Done]:
    """The result for each input, in order; raises the first exception."""
    for attempt in attempt_each(work, inputs):
        if attempt.error is not None:
            raise attempt.error
        yield attempt.result  # type: ignore[misc]


def start_threads(name: str, work: Callable[[], None], number: int = 1) -> list[threading.Thread]:
    """The threads that were started; they are daemons, and get no signals of users."""
    threads = [
        threading.Thread(name=name, target=copy_context().run, args=(work,), daemon=True)
        for dummy in range(number)
    ]
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        for thread in threads:
            thread.start()  # it inherits the mask
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return threads


class ConcurrentWork(Generic[Input, Done]):
    """The state of threads that work on the same inputs."""

    def __init__(self, work: Callable[[Input], Done], inputs: Sequence[Input]) -> None:
        self._work = work
        self._waiting = deque(enumerate(inputs))
        self._begun: set[int] = set()
        self._attempts: dict[int, Attempt] = {}
        self._changed = threading.Condition()

    def run(self) -> None:
        """Work on one input after the other, until there are no more; runs in a thread of its
        own."""
        while True:
            with self._changed:
                if not self._waiting:
                    return
                index, work_input = self._waiting.popleft()
                self._begun.add(index)
            attempt = _attempt(self._work, work_input)
            with self._changed:
                self._attempts[index] = attempt
                if attempt.error is not None:
                    self._waiting.clear()
                self._changed.notify_all()

    def wait_for(self, index: int) -> Attempt | None:
        """The outcome of the input with this index; None if work on it will not begin any more."""
        with self._changed:
            while index not in self._attempts:
                if index not in self._begun and not self._waiting:
                    return None
                self._changed.wait()
            return self._attempts.pop(index)

    def stop(self) -> None:
        """Begin no further inputs."""
        with self._changed:
            self._waiting.clear()


def _attempt(work: Callable[[Input], Done], work_input: Input) -> Attempt:
    try:
        return Attempt(work(work_input), None)
    except Exception as exc:
        return Attempt(None, exc)


Made = TypeVar("Made")
_file_of_run: list[BinaryIO] = []
_play: list[str] = []  # of the task that runs in this process
_mutexes: dict[bytes, Any] = {}  # of threads; the file is locked for the whole of a process


class SharedByTasks:
    """The connections, budgets and readings that tasks of this process share; `tasks` is their
    number."""

    def __init__(self, tasks: int = 1) -> None:
        self.tasks = tasks
        self._by_key: dict[Any, Any] = {}
        self._mutexes: dict[Any, Any] = {}
        self._mutex = Lock()

    @staticmethod
    def current() -> SharedByTasks | None:
        """The objects that the task of this thread shares; None if it shares none."""
        return _of_all_tasks.get()

    def made_once(self, key: Any, make: Callable[[], Made]) -> Made:
        """The object that the first task makes for this key, while others wait for it."""
        with self._mutex:
            mutex = self._mutexes.setdefault(key, Lock())
        with mutex:
            if key not in self._by_key:
                self._by_key[key] = make()
            made: Made = self._by_key[key]
            return made

    def close(self) -> None:
        """Close the objects that can be closed."""
        for made in self._by_key.values():
            if hasattr(made, "close"):
                made.close()


_of_all_tasks: ContextVar[SharedByTasks | None] = ContextVar("shared", default=None)


@contextmanager
def shared_by_tasks(tasks: int) -> Iterator[None]:
    """Have this number of tasks and their threads share connections, so that they open one for each
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
    """Have the workers that this process forks from now on keep their readings in a file."""
    _file_of_run[:] = [file]


def begin_play(play: str) -> None:
    """Keep the tasks of this process from using readings of an earlier play."""
    _play[:] = [play]


def forget(owner: str = "") -> None:
    """Keep the tasks of this run from using readings of an account or zone that began before now,
    since the run may have written to it; an empty id stands for all of them."""
    if _file_of_run:
        os.write(_file_of_run[0].fileno(), _line_of_write(owner))


def read_once(credentials_hash: str, owner: str, reading_name: str, read: Callable[[], Any]) -> Any:
    """A reading of an account or zone by its name. The first worker of this play with the same
    credentials makes it, and the others wait for it; it is made again once the run has written to
    the owner. Outside of a worker it is made each time."""
    if not _file_of_run or parent_process() is None:
        return read()
    file = _file_of_run[0].fileno()
    title = json.dumps([os.getppid(), *_play, credentials_hash, owner, reading_name])
    key = f"{title}\t".encode()
    offset = zlib.crc32(key)  # one byte is locked, so that other readings go on
    with _mutexes.setdefault(key, RLock()):
        fcntl.lockf(file, fcntl.LOCK_EX, 1, offset)
        try:
            begun = os.fstat(file).st_size
            kept = _kept_reading(os.pread(file, begun, 0), key, owner)
            if kept is not None:
                return json.loads(kept)
            reading = read()
            os.write(file, key + f"{begun}\t{json.dumps(reading)}\n".encode())
            return reading
        finally:
            fcntl.lockf(file, fcntl.LOCK_UN, 1, offset)


def _line_of_write(owner: str) -> bytes:
    """The line in the file of the run that records a write to an owner."""
    return f"{json.dumps([os.getppid(), 'written', owner])}\n".encode()


def _kept_reading(content: bytes, key: bytes, owner: str) -> bytes | None:
    """The last reading with a key in the file of the run; None if there is none, or if the run has
    written to its owner since the reading began."""
    writes = (_line_of_write(owner), _line_of_write(""))
    written_at, begun, reading = -1, -1, None
    place = 0
    for line in content.splitlines(keepends=True):
        if line in writes:
            written_at = place
        elif line.startswith(key):
            size, _tab, reading = line[len(key) :].partition(b"\t")
            begun = int(size)
        place += len(line)
    return reading if begun > written_at else None

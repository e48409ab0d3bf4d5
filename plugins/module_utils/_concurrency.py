# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs calls concurrently: a few at a time, with results in order, and no new calls after a
failure.

The threads are daemons, which neither hold up an interrupted process nor its end; those of
concurrent.futures do. No signal meets them: Python handles signals in the main thread, which may
wait in a system call and not notice one that met another thread.
"""

from __future__ import annotations

import signal
import threading
from collections import deque
from contextvars import copy_context
from typing import Callable, Generic, Iterator, NamedTuple, Sequence, TypeVar

MAX_CONCURRENT_CALLS = 8
THREAD = "edgeops.protection call"  # the name of each thread
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)  # which end or time a run

Item = TypeVar("Item")
Done = TypeVar("Done")


class Attempt(NamedTuple):
    """Outcome of one item: the result, or the exception that was raised."""

    result: object
    error: BaseException | None


def attempt_each(
    work: Callable[[Item], Done], items: Sequence[Item], at_once: int = MAX_CONCURRENT_CALLS
) -> Iterator[Attempt]:
    """One attempt for each item, in order; after a failure only those follow that had begun."""
    if len(items) < 2:
        yield from (_attempt(work, item) for item in items)
        return
    shared = ConcurrentWork(work, items)
    try:
        start_threads(THREAD, shared.run, min(at_once, len(items)))
        for index in range(len(items)):
            attempt = shared.wait_for(index)
            if attempt is None:
                return
            yield attempt
    finally:
        shared.stop()


def concurrently(work: Callable[[Item], Done], items: Sequence[Item]) -> Iterator[Done]:
    """The result of each item, in order; raises the first exception."""
    for attempt in attempt_each(work, items):
        if attempt.error is not None:
            raise attempt.error
        yield attempt.result  # type: ignore[misc]


def start_threads(name: str, work: Callable[[], None], number: int = 1) -> list[threading.Thread]:
    """Start threads that hold up no end of the process, and that no signal of a user meets."""
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


class ConcurrentWork(Generic[Item, Done]):
    """State that threads share which work on the same items."""

    def __init__(self, work: Callable[[Item], Done], items: Sequence[Item]) -> None:
        self._work = work
        self._waiting = deque(enumerate(items))
        self._begun: set[int] = set()
        self._attempts: dict[int, Attempt] = {}
        self._changed = threading.Condition()

    def run(self) -> None:
        """Take one item after the other, until there are no more; in a thread of its own."""
        while True:
            with self._changed:
                if not self._waiting:
                    return
                index, item = self._waiting.popleft()
                self._begun.add(index)
            attempt = _attempt(self._work, item)
            with self._changed:
                self._attempts[index] = attempt
                if attempt.error is not None:
                    self._waiting.clear()
                self._changed.notify_all()

    def wait_for(self, index: int) -> Attempt | None:
        """Outcome of the item with this index; None where it does not begin any more."""
        with self._changed:
            while index not in self._attempts:
                if index not in self._begun and not self._waiting:
                    return None
                self._changed.wait()
            return self._attempts.pop(index)

    def stop(self) -> None:
        """Begin with no more items."""
        with self._changed:
            self._waiting.clear()


def _attempt(work: Callable[[Item], Done], item: Item) -> Attempt:
    try:
        return Attempt(work(item), None)
    except Exception as exc:
        return Attempt(None, exc)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Progress of a task: pages read, operations applied, calls that wait."""

from __future__ import annotations

import os
import select
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Callable, Iterator

from .._budget.budget import calls_await_turns
from .._concurrency import start_threads
from .._text import Screen, first_few, plural

SHOW_THREAD = "edgeops.protection progress"
SHOW_INTERVAL = 10.0  # seconds


@dataclass
class Count:
    """A number of things that are done, and the total."""

    total: int = 0
    done: int = 0

    def __str__(self) -> str:
        return f"{self.done} of {max(self.done, self.total)}"


class Progress:
    """Progress of a task with its pages, operations and waits; several threads may report."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._pages: dict[str, Count] = {}
        self._operations = Count()
        self._calls = Count()
        self._waits: dict[object, tuple[float, float]] = {}
        self._screen: Screen | None = None

    def begin(self, listing: str) -> None:
        """Report that a listing is to be read, of at least one page."""
        with self._mutex:
            self._pages[listing] = Count(1)

    def read_page(self, listing: str, total: int = 0) -> None:
        """Report that a page of a listing was read; `total` is the number of its pages, 0 if it is
        not known."""
        with self._mutex:
            pages = self._pages[listing]
            pages.done += 1
            pages.total = max(pages.total, total)

    def planned(self, calls: int, operations: int) -> None:
        """Report how many calls are to apply how many operations."""
        with self._mutex:
            self._calls = Count(calls)
            self._operations = Count(operations)

    def applied(self, operations: int) -> None:
        """Report that one of these calls has applied this many operations."""
        with self._mutex:
            self._calls.done += 1
            self._operations.done += operations

    @contextmanager
    def waiting(self, seconds: float) -> Iterator[None]:
        """Report a call as waiting for these seconds while the statements inside run."""
        wait = object()
        now = time.monotonic()
        with self._mutex:
            self._waits[wait] = (now, now + seconds)
        try:
            yield
        finally:
            with self._mutex:
                del self._waits[wait]

    def unreachable(self, reason: str) -> None:
        """Report once per run that the API does not answer, so that the retries do not look like a
        hang."""
        screen = self._screen
        if screen and screen.is_first("unreachable"):
            title = screen.title or "A host"
            screen.show(f"{title} {reason}; it tries again.")

    @contextmanager
    def watched(self, screen: Screen | None) -> Iterator[None]:
        """Show the progress every ten seconds while the statements inside run; a screen without a
        title, that of a part of a task, does not show it."""
        self._screen = screen
        if screen is None or not screen.title:
            yield
            return
        ended = threading.Event()
        (thread,) = start_threads(SHOW_THREAD, lambda: self._watch(screen, ended))
        try:
            yield
        finally:
            ended.set()
            thread.join(SHOW_INTERVAL)

    def _watch(self, screen: Screen, ended: threading.Event) -> None:
        began = time.monotonic()
        shown = str(self)
        while not ended.wait(SHOW_INTERVAL):
            text = str(self)
            if self.is_worth_saying(text, shown):
                screen.show(f"{screen.title}: {time.monotonic() - began:.0f} s, {text}")
                shown = text

    def is_worth_saying(self, text: str, shown: str) -> bool:
        """Return whether a text is shown after another one: none is while calls wait for the
        budget, which has said so, and for how long."""
        return not calls_await_turns()

    def __str__(self) -> str:
        with self._mutex:
            clauses = [*self._reading(), *self._applying(), *self._waiting()]
        return ", ".join(clauses) or "no response yet"

    def _reading(self) -> Iterator[str]:
        if not self._pages:
            return
        pages = Count()
        incomplete: list[str] = []
        for listing, count in self._pages.items():
            pages.done += count.done
            pages.total += max(count.done, count.total)
            if count.done < count.total:
                incomplete.append(listing)
        remark = f" (not all of {first_few(incomplete)})" if incomplete else ""
        yield f"{pages} pages read{remark}"

    def _applying(self) -> Iterator[str]:
        if self._operations.total:
            yield f"{self._operations} operations done with {self._calls} calls"

    def _waiting(self) -> Iterator[str]:
        if not self._waits:
            return
        now = time.monotonic()
        waited = now - min(began for began, _end in self._waits.values())
        remaining = min(end for _began, end in self._waits.values()) - now
        calls = plural(len(self._waits), "call waits", "calls wait")
        yield f"{calls} since {waited:.0f} s, {max(0.0, remaining):.0f} s more"


WATCH_THREAD = "edgeops.protection watch"
WATCH_INTERVAL = 0.2  # seconds between two looks
STANDARD_OUTPUT = 1


# A test of this process, at most one, that tells whether it is an orphan; its forks are not meant.
_watches: list[tuple[int, Callable[[], bool]]] = []


def watch(is_orphan: Callable[[], bool]) -> None:
    """Start a thread that ends this process once it is an orphan; only the first call in a process
    counts."""
    if not _watches:
        _watches.append((os.getpid(), is_orphan))
        start_threads(WATCH_THREAD, _look_until_the_end)


def _look_until_the_end() -> None:
    while True:
        time.sleep(WATCH_INTERVAL)
        end_if_orphan()


def end_if_orphan() -> None:
    """End this process if it is watched and an orphan by now.

    Nothing is cleaned up, flushed or reported: the output may be a pipe that nobody reads.
    """
    for process, is_orphan in _watches:
        if os.getpid() == process and is_orphan():
            os._exit(1)


def has_lost_its_reader() -> bool:
    """Return whether nobody reads the standard output any more, to which a packed module writes its
    result. The parent process would not tell, since it is a shell that outlives the run.
    """
    poll = select.poll()
    poll.register(STANDARD_OUTPUT, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _file, event in poll.poll(0))

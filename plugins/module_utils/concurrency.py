# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs calls concurrently: a few at a time, with results in order, and no new calls after a failure."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Callable, Iterator, NamedTuple, Sequence, TypeVar

MAX_CONCURRENT_CALLS = 8

Item = TypeVar("Item")
Result = TypeVar("Result")


class Attempt(NamedTuple):
    """What came of one item: the result, or the exception that was raised."""

    result: object
    error: BaseException | None


def attempt_each(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Attempt]:
    """One attempt for each item, in order; after a failure only those follow that had begun."""
    if len(items) < 2:
        yield from (_attempt(work, item) for item in items)
        return
    waiting = deque(items)
    running: deque[Future[Attempt]] = deque()
    failed = False
    with ThreadPoolExecutor(min(MAX_CONCURRENT_CALLS, len(items))) as pool:
        try:
            while running or (waiting and not failed):
                while waiting and not failed and len(running) < MAX_CONCURRENT_CALLS:
                    running.append(pool.submit(_attempt, work, waiting.popleft()))
                attempt = running.popleft().result()
                failed = failed or any(item.done() and item.result().error for item in running)
                failed = failed or attempt.error is not None
                yield attempt
        finally:
            for item in running:
                item.cancel()


def concurrently(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """The result of each item, in order; raises the first exception."""
    for attempt in attempt_each(work, items):
        if attempt.error is not None:
            raise attempt.error
        yield attempt.result  # type: ignore[misc]


def _attempt(work: Callable[[Item], Result], item: Item) -> Attempt:
    try:
        return Attempt(work(item), None)
    except Exception as exc:
        return Attempt(None, exc)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Calls side by side: a few at a time, in order, and no new ones after a failure."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Callable, Iterator, NamedTuple, Sequence, TypeVar

MOST_IN_FLIGHT = 8

Item = TypeVar("Item")
Result = TypeVar("Result")


class Outcome(NamedTuple):
    """What became of one piece of work: its result, or the exception that it raised."""

    result: object
    problem: BaseException | None


def outcomes(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Outcome]:
    """The outcome of each item in order; after one that failed only those follow that had begun."""
    if len(items) < 2:
        yield from (_outcome(work, item) for item in items)
        return
    waiting = deque(items)
    running: deque[Future[Outcome]] = deque()
    failed = False
    with ThreadPoolExecutor(min(MOST_IN_FLIGHT, len(items))) as pool:
        try:
            while running or (waiting and not failed):
                while waiting and not failed and len(running) < MOST_IN_FLIGHT:
                    running.append(pool.submit(_outcome, work, waiting.popleft()))
                outcome = running.popleft().result()
                failed = failed or any(item.done() and item.result().problem for item in running)
                failed = failed or outcome.problem is not None
                yield outcome
        finally:
            for item in running:
                item.cancel()


def side_by_side(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """The result of each item in order; raises what the first of them raised."""
    for outcome in outcomes(work, items):
        if outcome.problem is not None:
            raise outcome.problem
        yield outcome.result  # type: ignore[misc]


def _outcome(work: Callable[[Item], Result], item: Item) -> Outcome:
    try:
        return Outcome(work(item), None)
    except Exception as exc:
        return Outcome(None, exc)

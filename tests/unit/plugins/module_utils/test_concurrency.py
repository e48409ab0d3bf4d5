# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Work side by side, and the wait_budget that those who do it share."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils.api import retry
from ansible_collections.edgeops.protection.plugins.module_utils.api.retry import WaitBudget, WaitTooLong
from ansible_collections.edgeops.protection.plugins.module_utils.concurrency import (
    MAX_CONCURRENT_CALLS,
    attempt_each,
    concurrently,
)


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was slept, which passes in no time."""
    waited: list[float] = []
    clock = SimpleNamespace(sleep=waited.append, monotonic=lambda: sum(waited))
    monkeypatch.setattr(retry, "time", clock)
    return waited


def test_results_come_in_the_order_of_the_items() -> None:
    def work(number: int) -> int:
        time.sleep(0.001 * (20 - number))
        return number * number

    assert list(concurrently(work, range(20))) == [number * number for number in range(20)]
    assert list(concurrently(work, [])) == []


def test_no_more_than_eight_are_under_way() -> None:
    lock = threading.Lock()
    running: list[int] = [0, 0]

    def work(number: int) -> None:
        with lock:
            running[0] += 1
            running[1] = max(running)
        time.sleep(0.005)
        with lock:
            running[0] -= 1

    list(concurrently(work, range(50)))
    assert 1 < running[1] <= MAX_CONCURRENT_CALLS


@pytest.mark.parametrize("failing", [0, 3, 10])
def test_after_a_failure_no_new_ones_begin_and_those_under_way_are_told(failing: int) -> None:
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        time.sleep(0.002)
        if number == failing:
            raise ValueError(number)
        return number

    told = list(attempt_each(work, range(60)))
    assert sorted(begun) == list(range(len(told)))
    assert len(told) <= failing + 2 * MAX_CONCURRENT_CALLS
    assert [outcome.result for outcome in told] == [
        None if number == failing else number for number in range(len(told))
    ]
    assert str(told[failing].error) == str(failing)
    with pytest.raises(ValueError, match=str(failing)):
        list(concurrently(work, range(60)))


def test_after_a_rate_limit_everybody_waits(slept: list[float]) -> None:
    wait_budget = WaitBudget(60)
    wait_budget.gate()
    assert slept == []
    wait_budget._take(7, everybody=True)  # as another thread does that is refused
    wait_budget.gate()
    assert slept == [7.0]
    wait_budget.gate()
    assert slept == [7.0]


def test_after_another_failure_nobody_else_waits(slept: list[float]) -> None:
    wait_budget = WaitBudget(60)
    wait_budget._take(7, everybody=False)
    wait_budget.gate()
    assert slept == []


def test_those_who_wait_at_the_same_time_use_up_wait_budget_once(slept: list[float]) -> None:
    wait_budget = WaitBudget(10)
    assert wait_budget._take(8, everybody=True)
    assert wait_budget._take(8, everybody=True)
    assert wait_budget._take(9, everybody=True)
    assert wait_budget.left == 1
    with pytest.raises(WaitTooLong):
        wait_budget.wait(12, 429)


@pytest.mark.parametrize(
    ("header", "pause"),
    [
        ('"default";r=50;t=30', 0),
        ('"default";r=10;t=22', 2.0),
        ('"default";r=0;t=30', 30.0),
        ('"default";r=0;t=90', 0),
        ("", 0),
        (None, 0),
        ("r=x;t=y", 0),
        ('"default";r=999999999999;t=1', 0),
    ],
)
def test_the_pace_follows_what_the_service_says_is_left(header: Any, pause: float, slept: list[float]) -> None:
    wait_budget = WaitBudget(60)
    wait_budget.learn(header)
    wait_budget.gate()
    assert slept == ([pause] if pause else [])

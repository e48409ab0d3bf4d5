# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a call is repeated, after which wait, and how much time a task may lose with it."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from types import SimpleNamespace

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api import retry
from ansible_collections.edgeops.protection.plugins.module_utils._api.retry import (
    TaskTime,
    merge_spans,
    read_retry_after,
)


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was slept, which passes in no time."""
    waited: list[float] = []
    clock = SimpleNamespace(sleep=waited.append, monotonic=lambda: sum(waited))
    monkeypatch.setattr(retry, "time", clock)
    return waited


def budget(max_wait: float) -> TaskTime:
    return TaskTime(max_wait, float("inf"))


NOW = datetime(2026, 3, 1, 12, 0, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": " 1.5 "}, 1.5),
        ({"Retry-After": "0"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-1"}, None),
        ({"Retry-After": "\u00b2"}, None),
        ({"Retry-After": "\u0667"}, None),
        ({"Retry-After": "1" * 400}, None),
        ({"Retry-After": "1.2.3"}, None),
        ({"Retry-After": "Sun, 01 Mar 10000000000000000000 12:00:00 GMT"}, None),
        ({"Retry-After": "Sun, 01 Mar 0001 12:00:00 GMT"}, None),
        ({"Retry-After": format_datetime(NOW + timedelta(seconds=9), usegmt=True), "Date": format_datetime(NOW, usegmt=True)}, 9.0),
        ({"Retry-After": format_datetime(NOW, usegmt=True), "Date": format_datetime(NOW + timedelta(hours=1), usegmt=True)}, 0.0),
        ({"Retry-After": format_datetime(NOW, usegmt=True), "Date": "now"}, 0.0),
        ({"Retry-After": format_datetime(NOW, usegmt=True), "Date": "Sun, 01 Mar 10000000000000000000 12:00:00 GMT"}, 0.0),
    ],
)  # fmt: skip
def test_how_long_the_service_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert read_retry_after(headers) == seconds


@pytest.mark.parametrize(
    ("spans", "merged"),
    [
        ([], []),
        ([(3, 4), (1, 2)], [(1, 2), (3, 4)]),
        ([(1, 2), (2, 3)], [(1, 3)]),
        ([(0, 10), (1, 2), (9, 11)], [(0, 11)]),
    ],
)
def test_stretches_of_time_count_once(spans: list[tuple[float, float]], merged: list[tuple[float, float]]) -> None:
    assert merge_spans(spans) == merged


def test_time_is_lost_by_attempts_that_fail_or_have_not_ended_and_by_waits(slept: list[float]) -> None:
    lost_time = TaskTime(60, 60)
    first = lost_time.begin()
    slept.append(5)
    assert lost_time.left == 55
    second = lost_time.begin()
    slept.append(5)
    lost_time.end(first, failed=True)
    lost_time.end(second, failed=True)
    assert lost_time.left == 50
    third = lost_time.begin()
    slept.append(7)
    assert lost_time.left == 43
    lost_time.end(third, failed=False)
    assert lost_time.left == 50
    assert lost_time.book_wait(20, False)
    assert lost_time.book_wait(30, False)
    assert lost_time.left == 20


def test_a_wait_beyond_what_is_left_is_refused_and_takes_nothing(slept: list[float]) -> None:
    wait_budget = budget(8)
    assert wait_budget.wait(5, False)
    assert not wait_budget.wait(4, True)
    assert wait_budget.wait_left == 3
    assert wait_budget.wait(3, False)
    assert slept == [5, 3]


def test_after_a_rate_limit_everybody_waits(slept: list[float]) -> None:
    wait_budget = budget(60)
    wait_budget.admit()
    assert slept == []
    wait_budget.book_wait(7, all_calls=True)  # as another thread does that is refused
    wait_budget.admit()
    assert slept == [7.0]
    wait_budget.admit()
    assert slept == [7.0]


def test_concurrent_waits_use_up_the_budget_once(slept: list[float]) -> None:
    wait_budget = budget(10)
    assert wait_budget.book_wait(8, all_calls=True)
    assert wait_budget.book_wait(8, all_calls=True)
    assert wait_budget.book_wait(9, all_calls=True)
    assert wait_budget.wait_left == 1
    assert not wait_budget.wait(12, True)

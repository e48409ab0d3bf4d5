# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Work that runs concurrently: in order, a few at a time, and no more after a failure."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._concurrency import (
    MAX_CONCURRENT_CALLS,
    SIGNALS,
    attempt_each,
    concurrently,
)


def test_results_come_in_the_order_of_the_items() -> None:
    def work(number: int) -> int:
        time.sleep(0.001 * (20 - number))
        return number * number

    assert list(concurrently(work, range(20))) == [number * number for number in range(20)]
    assert list(concurrently(work, [])) == []


@pytest.mark.parametrize("at_once", [MAX_CONCURRENT_CALLS, 2, 20])
def test_no_more_than_so_many_are_under_way(at_once: int) -> None:
    lock = threading.Lock()
    running: list[int] = [0, 0]

    def work(number: int) -> None:
        with lock:
            running[0] += 1
            running[1] = max(running)
        time.sleep(0.005)
        with lock:
            running[0] -= 1

    list(attempt_each(work, range(50), at_once))
    assert 1 < running[1] <= at_once


@pytest.mark.parametrize("failing", [0, 3, 10])
def test_after_a_failure_no_new_ones_begin_and_those_under_way_are_told(failing: int) -> None:
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        time.sleep(0.2 if number > failing else 0.002)  # so that the failure is known before the next ones begin
        if number == failing:
            raise ValueError(number)
        return number

    attempts = list(attempt_each(work, range(60)))
    assert sorted(begun) == list(range(len(attempts)))
    assert len(attempts) <= failing + 2 * MAX_CONCURRENT_CALLS
    assert [outcome.result for outcome in attempts] == [
        None if number == failing else number for number in range(len(attempts))
    ]
    assert str(attempts[failing].error) == str(failing)
    with pytest.raises(ValueError, match=str(failing)):
        list(concurrently(work, range(60)))


class Interrupt(BaseException):
    """What the handler of a signal raises, as that of Ctrl-C does."""


@contextmanager
def interrupts() -> Iterator[None]:
    def interrupt(*args: Any) -> None:
        raise Interrupt

    usual = signal.signal(signal.SIGALRM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, usual)


def test_an_interrupt_does_not_wait_for_those_under_way() -> None:
    over = threading.Event()
    begun: list[int] = []
    ended: list[int] = []

    def work(number: int) -> None:
        begun.append(number)
        if number == 3:
            time.sleep(0.05)  # until the main thread waits
            os.kill(os.getpid(), signal.SIGALRM)
        over.wait(20)
        ended.append(number)

    with interrupts(), pytest.raises(Interrupt):
        list(concurrently(work, range(20)))
    assert ended == []
    over.set()
    assert len(begun) == MAX_CONCURRENT_CALLS


def test_no_thread_takes_a_signal_that_the_main_thread_must_handle() -> None:
    def blocked(dummy: int) -> set[int]:
        return set(signal.pthread_sigmask(signal.SIG_BLOCK, []))

    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    for mask in concurrently(blocked, range(20)):
        assert set(SIGNALS) <= mask
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


def test_no_thread_holds_up_the_end_of_the_process() -> None:
    assert all(concurrently(lambda dummy: threading.current_thread().daemon, range(20)))

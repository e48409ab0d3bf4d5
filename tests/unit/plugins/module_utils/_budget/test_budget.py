# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The turns of calls, the waits between them, and what is said of them."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._budget import budget as module
from ansible_collections.edgeops.protection.plugins.module_utils._budget.budget import (
    HEADER_FORMAT,
    CallBudget,
    CallTime,
    Closed,
    Header,
    NoBudget,
    Turns,
    Unusable,
    calls_await_turns,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import Screen
from hypothesis import example, given
from hypothesis import strategies as st

START = 1_700_000_000.0


class Clock:
    """Time that goes on where somebody waits; it is the event of the end of a task too."""

    def __init__(self) -> None:
        self.now = START
        self.waits: list[float] = []
        self.ended = False

    def time(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        self.waits.append(round(seconds, 6))
        self.now += seconds
        return self.ended


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


class Tasks:
    """Tasks that share a state."""

    def __init__(self, clock: Any) -> None:
        self.clock = clock
        self.state = Turns()
        self.warnings: list[str] = []
        self.shown: list[str] = []
        self.subjects: list[str] = []

    def budget(self, calls: int, period: float, screen: bool = False) -> CallBudget:
        return CallBudget(calls, period, lambda: self.state, self.warnings.append, self.screen() if screen else None)

    def screen(self) -> Screen:
        def is_first(subject: str) -> bool:
            self.subjects.append(subject)
            return self.subjects.count(subject) == 1

        return Screen(self.shown.append, is_first, "lima")

    def call(self, budget: NoBudget, seconds: float = 0.0, limit: str | None = None) -> float:
        """Make a call that takes so long; returns when it was sent."""
        turn = budget.take_turn(self.clock.wait)
        sent: float = self.clock.now
        self.clock.now += seconds
        budget.end_turn(turn, limit)
        return sent - START


@pytest.fixture
def tasks(clock: Clock) -> Tasks:
    return Tasks(clock)


def test_waiting_calls_go_in_their_order(tasks: Tasks) -> None:
    """Each of the waiting calls has a turn of its own already, and knows when it comes."""
    budget = tasks.budget(2, 10)
    tasks.call(budget)
    tasks.clock.now += 1
    tasks.call(budget)
    looks = [budget._look(None) for dummy in range(3)]
    assert [(look.turn, look.seconds) for look in looks] == [(2, 9.0), (3, 10.0), (None, 9.0)]


def test_a_call_that_ends_while_its_successor_waits_makes_it_wait_longer(tasks: Tasks) -> None:
    budget = tasks.budget(1, 10)
    turn = budget.take_turn(tasks.clock.wait)
    look = budget._look(None)
    assert look.seconds == 10
    tasks.clock.now += 4
    budget.end_turn(turn, None)
    tasks.clock.now += 6
    assert budget._look(look.turn).seconds == 4
    tasks.clock.now += 4
    assert budget._look(look.turn).seconds == 0


def test_the_seat_of_a_call_under_way_is_not_free_however_long_it_takes(tasks: Tasks) -> None:
    budget = tasks.budget(1, 10)
    turn = budget.take_turn(tasks.clock.wait)
    tasks.clock.now += 25
    look = budget._look(None)
    assert look.seconds == 10
    tasks.clock.now += 10
    budget.end_turn(turn, None)
    tasks.clock.now += 1
    assert budget._look(look.turn).seconds == 9


def test_a_call_whose_task_was_killed_ends_nevertheless(tasks: Tasks) -> None:
    tasks.budget(1, 10).take_turn(tasks.clock.wait)
    tasks.clock.now += 60
    assert tasks.call(tasks.budget(1, 10)) == 60


def test_reservations_of_a_killed_run_end(tasks: Tasks) -> None:
    budget = tasks.budget(2, 10)
    assert [budget._look(None).seconds for dummy in range(2)] == [0, 0]
    assert [budget._look(None).seconds for dummy in range(2)] == [10, 10]
    tasks.clock.now += 20
    assert tasks.call(tasks.budget(2, 10)) == 20


@given(
    calls=st.integers(1, 6), steps=st.lists(st.tuples(st.floats(0, 4), st.floats(0, 2), st.floats(0, 1)), max_size=40)
)
def test_no_period_sees_more_calls_than_the_budget(calls: int, steps: list[tuple[float, float, float]]) -> None:
    """Each call comes after a pause, takes its time, and arrives at Cloudflare at some moment of this time."""
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "time", clock)
        tasks = Tasks(clock)
        arrivals = []
        for pause, seconds, part in steps:
            clock.now += pause
            sent = tasks.call(tasks.budget(calls, 10), seconds=seconds)
            arrivals.append(sent + part * seconds)
    assert all(later - earlier >= 10 - 1e-5 for earlier, later in zip(arrivals, arrivals[calls:]))


@pytest.mark.parametrize(
    ("limit", "sent"),
    [
        (None, [0, 0, 0, 0, 300]),
        ('"default";r=900;t=30', [0, 0, 0, 0, 300]),
        ('"default";r=4;t=30', [0, 0, 0, 0, 300]),
        ('"default";r=2;t=30', [0, 0, 30, 30, 300]),
        ('"default";r=0;t=30', [30, 30, 30, 30, 300]),
        ('"default";r=0;t=9999', [300, 300, 300, 300, 300]),
        ('"default";r=0;t=1', [1, 1, 1, 1, 300]),
        ('"default";r=2;t=1', [0, 0, 1, 1, 300]),
        ('"default";r=0;t=0', [0, 0, 0, 0, 300]),
        ("r=x;t=y", [0, 0, 0, 0, 300]),
        ('"burst";r=100;t=1, "default";r=2;t=30', [0, 0, 30, 30, 300]),
        ('"default";r=2;t=30,"burst";r=100;t=1', [0, 0, 30, 30, 300]),
        ('"ended";r=0;t=0, "default"; t=30; r=2', [0, 0, 30, 30, 300]),
        ('"a, \\";r=0;t=300";t=30;r=2;q=1', [0, 0, 30, 30, 300]),
    ],
)
def test_calls_that_the_service_leaves_lower_the_budget(limit: Any, sent: list[float], tasks: Tasks) -> None:
    budget = tasks.budget(5, 300)
    tasks.call(budget, limit=limit)
    assert sorted(tasks.call(tasks.budget(5, 300)) for dummy in range(5)) == sent


def test_calls_that_wait_count_among_those_that_the_service_leaves(tasks: Tasks) -> None:
    """Cloudflare counts the last call shortly before the first of those that wait; others leave it one."""
    budget = tasks.budget(5, 300)
    turns = [budget.take_turn(tasks.clock.wait) for dummy in range(4)]
    tasks.clock.now += 1
    for turn in turns:
        budget.end_turn(turn, '"default";r=1;t=300')
    tasks.clock.now += 297
    last = budget.take_turn(tasks.clock.wait)
    looks = [budget._look(None) for dummy in range(4)]
    assert {look.seconds for look in looks} == {3}
    tasks.clock.now += 1
    budget.end_turn(last, '"default";r=1;t=5')
    tasks.clock.now += 2
    assert [budget._look(look.turn).seconds for look in looks] == [0, 3, 3, 3]


@dataclass
class Window:
    """The limit of Cloudflare: so many calls in a window, which the first call after the one before opens."""

    calls: int
    period: float
    ends: float = 0.0
    used: int = 0
    refused: int = 0

    def count(self, now: float) -> str:
        """Count a call; the header of its response."""
        if now >= self.ends:
            self.ends, self.used = now + self.period, 0
        self.used += 1
        self.refused += self.used > self.calls
        return f'"default";r={max(0, self.calls - self.used)};t={math.ceil(self.ends - now)}'


def run_workers(
    budget: CallBudget, clock: Clock, window: Window, workers: int, ways: Sequence[tuple[float, float]]
) -> None:
    """Let so many workers make these calls: each takes so long until Cloudflare counts it, and so long after that."""
    left = iter(ways)
    numbers = count()
    events: list[tuple[float, int, Callable[[], None]]] = []

    def later(seconds: float, event: Callable[[], None]) -> None:
        heappush(events, (clock.now + seconds, next(numbers), event))

    def look(turn: int | None) -> None:
        look_at = budget._look(turn)
        if look_at.seconds > 0:
            later(look_at.seconds, lambda: look(look_at.turn))
        elif (way := next(left, None)) is not None:
            later(way[0], lambda: arrive(look_at.turn or 0, way[1]))

    def arrive(turn: int, back: float) -> None:
        header = window.count(clock.now)
        later(back, lambda: end(turn, header))

    def end(turn: int, header: str) -> None:
        budget.end_turn(turn, header)
        look(None)

    for dummy in range(workers):
        look(None)
    while events:
        clock.now, dummy, event = heappop(events)
        event()


ON_THE_WAY = st.tuples(st.sampled_from([0.0, 0.01, 0.4, 1.1]), st.sampled_from([0.0, 0.01, 0.3]))


@example(calls=3, workers=1, ways=[(0.0, 0.0), (1.1, 0.0), (0.0, 0.0), (0.4, 0.0), (0.01, 0.3)])
@example(calls=2, workers=7, ways=[(0.01, 0.01), (1.1, 0.01), (0.4, 0.3), (0.01, 0.0)])
@given(calls=st.integers(1, 12), workers=st.integers(1, 20), ways=st.lists(ON_THE_WAY, max_size=90))
def test_own_calls_are_no_calls_of_others_however_they_overtake_each_other(
    calls: int, workers: int, ways: list[tuple[float, float]]
) -> None:
    clock, window = Clock(), Window(calls, 3.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "time", clock)
        tasks = Tasks(clock)
        run_workers(tasks.budget(calls, 3.0), clock, window, workers, ways)
    assert window.refused == 0
    assert tasks.state.header().limited_until == 0.0


def test_after_a_refused_call_everybody_waits(tasks: Tasks) -> None:
    one, other = tasks.budget(10, 300), tasks.budget(10, 300)
    turn = one.take_turn(tasks.clock.wait)
    one.close_for(7)
    one.close_for(3)
    one.end_turn(turn, None)
    with pytest.raises(Closed) as closed:
        other.take_turn(tasks.clock.wait)
    assert closed.value.seconds == 7
    tasks.clock.now += 7
    assert tasks.call(other) == 7


def test_a_wait_without_reason_is_not_believed(tasks: Tasks) -> None:
    budget = tasks.budget(10, 300)
    budget.close_for(10**9)
    with pytest.raises(Closed) as closed:
        budget.take_turn(tasks.clock.wait)
    assert closed.value.seconds == 300


def test_a_task_that_has_ended_does_not_wait(tasks: Tasks) -> None:
    budget = tasks.budget(1, 300)
    tasks.call(budget)
    tasks.clock.ended = True
    tasks.call(budget)
    tasks.call(budget)
    assert len(tasks.clock.waits) == 2


def test_a_run_says_once_in_a_period_that_it_waits(tasks: Tasks) -> None:
    """Each budget is that of a worker; all of them have one state."""
    for dummy in range(4):
        tasks.call(tasks.budget(2, 300, screen=True))
    assert tasks.shown == ["2 calls in 300 s are made (call_budget): the next call waits 300 s."]
    budget = tasks.budget(2, 300, screen=True)
    for dummy in range(4):
        tasks.call(budget)
    assert len(tasks.shown) == 3
    assert tasks.warnings == []


def test_waiting_is_known_while_it_lasts(tasks: Tasks) -> None:
    budget = tasks.budget(1, 300)
    known: list[bool] = []

    def wait(seconds: float) -> bool:
        known.append(calls_await_turns())
        return bool(tasks.clock.wait(seconds))

    for dummy in range(2):
        budget.end_turn(budget.take_turn(wait), None)
    assert (known, calls_await_turns()) == ([True], False)


def test_without_a_screen_a_warning_says_it_once_in_a_period(tasks: Tasks) -> None:
    for dummy in range(3):
        tasks.call(tasks.budget(2, 300))
    tasks.call(tasks.budget(2, 300))
    assert len(tasks.warnings) == 1
    for dummy in range(2):
        tasks.call(tasks.budget(2, 300))
    assert len(tasks.warnings) == 2


def unusable() -> Turns:
    raise Unusable("/somewhere: it belongs to another user")


def test_without_a_state_the_task_goes_on_alone(tasks: Tasks) -> None:
    budget = CallBudget(2, 300, unusable, tasks.warnings.append)
    assert [tasks.call(budget) for dummy in range(3)] == [0, 0, 300]
    assert tasks.warnings[0] == (
        "The call budget is not shared: /somewhere: it belongs to another user. Each task counts its own calls only, so "
        "that several tasks together may make more calls than Cloudflare takes."
    )


def far_moment(state: Turns) -> None:
    state.write_call(0, CallTime(START + 302))


def far_end(state: Turns) -> None:
    state.write_header(state.header()._replace(closed_until=START + 302))


def damaged(state: Turns) -> None:
    state._write(0, b"x")


def sent_tomorrow(state: Turns) -> None:
    state.write_call(0, CallTime(START + 86400, is_under_way=True))


def limited_for_days(state: Turns) -> None:
    """With a header as the release before wrote it, whose last number was believed to be a period."""
    state.write_header(state.header()._replace(limited_from=0, limited_until=START + 11 * 86400))
    state._write(HEADER_FORMAT.size, struct.pack("<d", 1e300))


@pytest.mark.parametrize("damage", [far_moment, far_end, sent_tomorrow, limited_for_days, damaged])
def test_a_state_that_becomes_unusable_is_left(damage: Callable[[Turns], None], tasks: Tasks) -> None:
    budget = tasks.budget(1, 300)
    tasks.call(budget)
    damage(tasks.state)
    assert tasks.call(budget) == 0
    assert len(tasks.warnings) == 1
    assert "delete it" in tasks.warnings[0]


def test_a_longer_period_of_another_run_is_not_waited_for(tasks: Tasks) -> None:
    for dummy in range(2):
        tasks.budget(1, 3000)._look(None)
    assert tasks.call(tasks.budget(1, 300)) == 0
    assert "delete it if the clock of this control node is right" in "".join(tasks.warnings)


TIMES = st.one_of(st.floats(-600, 600).map(lambda seconds: START + seconds), st.floats(allow_nan=False), st.just(0.0))


@given(
    times=st.lists(TIMES, min_size=3, max_size=3),
    moments=st.lists(st.tuples(TIMES, st.booleans()), min_size=4, max_size=4),
    turns=st.tuples(*[st.integers(0, 2**61)] * 2),
    calls=st.integers(1, 3),
)
def test_no_state_makes_a_call_wait_for_more_than_a_call_and_two_periods(
    times: list[float], moments: list[tuple[float, bool]], turns: tuple[int, int], calls: int
) -> None:
    """Whatever the file says: a turn comes behind a call that is under way, and a period after its end."""
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "time", clock)
        tasks = Tasks(clock)
        tasks.state.write_header(Header(*turns, *times))
        for number, moment in enumerate(moments):
            if math.isfinite(moment[0]):
                tasks.state.write_call(turns[0] - number, CallTime(*moment))
        budget = tasks.budget(calls, 300)
        try:
            waited = tasks.call(budget)
        except Closed as exc:
            waited = exc.seconds
        assert waited <= 60 + 2 * 301

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All zones that a run watches with the same credentials are asked about in one query in each interval."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, cast

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.watched import WatchSample
from ansible_collections.edgeops.protection.plugins.plugin_utils._watch.together import WatchedTogether, credentials_in

INTERVAL, POLLS = 60.0, 10
SECONDS_OF_A_QUERY = 2.0


class Analytics:
    """Counts the queries, each of which takes some seconds, and what they ask for; some zones have no answer."""

    def __init__(self, silent: str = "") -> None:
        self.now = 0.0
        self.asked: list[list[str]] = []
        self.silent = silent

    def ask(self, since_by_zone: Mapping[str, str]) -> dict[str, WatchSample]:
        self.asked.append([*since_by_zone])
        self.now += SECONDS_OF_A_QUERY
        assert all(since == f"since {zone}" for zone, since in since_by_zone.items())
        own = next(iter(since_by_zone))
        answered = [zone for zone in since_by_zone if zone == own or zone != self.silent]
        return {zone: cast("WatchSample", {"now": self.now}) for zone in answered}

    def watch(self, zone: str, credentials: str, interval: float = INTERVAL) -> WatchedTogether:
        return WatchedTogether(credentials, zone, f"since {zone}", interval, self.ask, lambda: self.now)


def polled(analytics: Analytics, watches: Mapping[float, WatchedTogether], polls: int = POLLS) -> dict[str, list[Any]]:
    """The samples of watches, which begin at different seconds, and each of which waits for an interval between two polls."""
    samples: dict[str, list[Any]] = {watch.zone: [] for watch in watches.values()}
    due = [(start + watch.interval, watch.zone, watch) for start, watch in watches.items()]
    with ExitStack() as stack:
        for watch in watches.values():
            stack.enter_context(watch.joined())
        while due:
            moment, _zone, watch = due.pop(due.index(min(due)))
            analytics.now = max(analytics.now, moment)
            samples[watch.zone].append(watch.sample())
            if len(samples[watch.zone]) < polls:
                due.append((analytics.now + watch.interval, watch.zone, watch))
    return samples


@pytest.mark.parametrize("number", [1, 2, 10])
def test_so_many_polls_of_so_many_zones_are_no_more_queries(number: int) -> None:
    analytics = Analytics()
    watches = {second * 1.7: analytics.watch(f"zone {second}", f"of {number}") for second in range(number)}
    samples = polled(analytics, watches)
    assert len(analytics.asked) <= POLLS + 1
    assert all(len(zones) == number for zones in analytics.asked)
    for of_zone in samples.values():
        moments = [sample["now"] for sample in of_zone]
        assert len(moments) == POLLS and sorted(set(moments)) == moments  # a new one at each poll


def test_more_zones_than_fit_in_a_query_take_turns() -> None:
    analytics = Analytics()
    watches = {float(second): analytics.watch(f"zone {second}", "many") for second in range(25)}
    samples = polled(analytics, watches)
    assert all(len(zones) == 10 for zones in analytics.asked)
    assert len(analytics.asked) <= 3 * (POLLS + 1)
    assert {len(of_zone) for of_zone in samples.values()} == {POLLS}


def test_other_credentials_ask_by_themselves_and_a_zone_that_left_is_not_asked_for() -> None:
    analytics = Analytics()
    first, second = (analytics.watch(zone, zone) for zone in ("one", "two"))
    assert credentials_in({"api_token": "a"}) != credentials_in({"api_token": "b"})
    with first.joined(), second.joined():
        first.sample(), second.sample()
    assert analytics.asked == [["one"], ["two"]]
    third, fourth = (analytics.watch(zone, "same") for zone in ("three", "four"))
    with third.joined():
        with fourth.joined():
            third.sample()
        third.sample()
        assert fourth.sample() and third.sample()
    assert analytics.asked[2:] == [["three", "four"], ["three"], ["four"], ["three"]]


def test_a_zone_without_an_answer_asks_itself() -> None:
    analytics = Analytics(silent="two")
    samples = polled(analytics, {0.0: analytics.watch("one", "silent"), 1.0: analytics.watch("two", "silent")}, polls=2)
    assert {zone: len(of_zone) for zone, of_zone in samples.items()} == {"one": 2, "two": 2}

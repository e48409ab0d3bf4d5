# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The verdict of a watch, by a table of cases and by random scripts of traffic against a model of the truth."""

from __future__ import annotations

import random
import re
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.watched import RuleStops, WatchSample, stopped
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.watch_terms import WatchTerms, watch_terms
from ansible_collections.edgeops.protection.plugins.plugin_utils._watch.verdict import (
    EXCEEDED,
    GOES_ON,
    NOT_KNOWN,
    WITHIN,
    WatchedObject,
    judge_sources,
    judge_watch,
)

SINCE = datetime(2027, 1, 31, 9, tzinfo=timezone.utc)
TERMS = WatchTerms(minutes=10, interval_seconds=60, max_stopped_percent=0.5, max_stopped_requests=1000)
ADMIN, OFFICE = WatchedObject("custom_rule", "admin", "a" * 32), WatchedObject("custom_rule", "office", "b" * 32)
LISTED = WatchedObject("ip_list_item", "192.0.2.0/24")  # other rules name its list
REFUSED = "The token needs the permission Analytics Read (zone)."


def at(minute: float) -> str:
    return (SINCE + timedelta(minutes=minute)).isoformat()


def sample(now: float, covered: float | None = None, stops: int = 0, before: int = 0, **fields: Any) -> WatchSample:
    """A sample in which the rule admin stopped so many of 10,000 requests."""
    rules = [RuleStops(rule="a" * 32, stopped=stops, hour_before=before)]
    until = None if covered is None else at(covered)
    default = WatchSample(now=at(now), covered_until=until, requests=10000, samples=10000, rules=rules, unknown=[])
    return WatchSample(**{**default, **fields})  # type: ignore[typeddict-item]


UNREAD: dict[str, Any] = {"unknown": [REFUSED], "requests": 0, "samples": 0, "rules": []}
OFFICE_STOPS: dict[str, Any] = {"rules": [RuleStops(rule="b" * 32, stopped=30, hour_before=0)]}
SUM: dict[str, Any] = {"rules": [RuleStops(rule=letter * 32, stopped=30, hour_before=0) for letter in "ab"]}


@pytest.mark.parametrize(
    ("samples", "outcome", "stops"),
    [
        ([], GOES_ON, 0),
        ([sample(1)], GOES_ON, 0),
        ([sample(9, 8, stops=50)], GOES_ON, 50),  # 0.5 %
        ([sample(3, 2, stops=51)], EXCEEDED, 51),
        ([sample(12, 10)], GOES_ON, 0),  # events of the tenth minute may come later than requests
        ([sample(13, 11)], WITHIN, 0),
        ([sample(13, 11, stops=50)], WITHIN, 50),
        ([sample(13, 11, stops=1050, before=6000, requests=10**6)], WITHIN, 0),
        ([sample(13, 11, stops=1050, before=600, requests=10**6)], WITHIN, 940),
        ([sample(13, 11, stops=1111, before=600, requests=10**7)], EXCEEDED, 1001),
        ([sample(2, 1, stops=1, requests=2, samples=2)], GOES_ON, 1),  # a share of two requests says nothing
        ([sample(2, 1, stops=2000, requests=2000, samples=2)], EXCEEDED, 2000),
        ([sample(13, 11, requests=29, samples=29)], NOT_KNOWN, 0),
        ([sample(13, 11, requests=30, samples=30)], WITHIN, 0),
        ([sample(20)], GOES_ON, 0),
        ([sample(21)], NOT_KNOWN, 0),
        ([sample(25, 5)], GOES_ON, 0),
        ([sample(26, 5)], NOT_KNOWN, 0),
        ([sample(1, None, **UNREAD)], GOES_ON, 0),
        ([sample(1, None, **UNREAD), sample(2, None, **UNREAD)], NOT_KNOWN, 0),
        ([sample(1, None, **UNREAD), sample(2, 1), sample(3, None, **UNREAD)], GOES_ON, 0),
        ([sample(13, 11), sample(14, None, **UNREAD)], GOES_ON, 0),  # nothing is fine that was not read
        ([sample(13, 11, **OFFICE_STOPS)], WITHIN, 0),  # another rule's stops
    ],
)
def test_a_watch_ends_as_its_samples_say(samples: list[WatchSample], outcome: str, stops: int) -> None:
    verdict = judge_watch(TERMS, [ADMIN], SINCE, samples)
    assert (verdict.outcome, verdict.stopped) == (outcome, stops)
    assert bool(verdict.unknown) == (outcome == NOT_KNOWN)
    assert verdict.record()["known"] == (outcome != NOT_KNOWN)


def test_the_limits_are_those_of_the_whole_change() -> None:
    assert judge_watch(TERMS, [ADMIN], SINCE, [sample(3, 2, **SUM)]).outcome == GOES_ON
    verdict = judge_watch(TERMS, [ADMIN, OFFICE], SINCE, [sample(3, 2, **SUM)])
    assert (verdict.outcome, verdict.stopped) == (EXCEEDED, 60)
    assert [figures.percent for figures in verdict.figures] == [0.3, 0.3]


def test_of_an_object_that_events_do_not_name_all_rules_count_and_none_twice() -> None:
    verdict = judge_watch(TERMS, [ADMIN, LISTED], SINCE, [sample(3, 2, **SUM)])
    assert (verdict.outcome, verdict.stopped) == (EXCEEDED, 60)
    assert [figures.stopped for figures in verdict.figures] == [30, 60]


def test_a_delay_is_said_with_its_minutes() -> None:
    assert judge_watch(TERMS, [ADMIN], SINCE, [sample(40, 5)]).unknown == [
        "The analytics cover the time until 2027-01-31 09:05 UTC, 35 minutes ago."
    ]
    assert judge_watch(TERMS, [ADMIN], SINCE, [sample(21)]).unknown == [
        "The analytics have shown no request to the zone for 21 minutes."
    ]


@pytest.mark.parametrize(
    ("actions", "number"),
    [
        ({"block": 3, "log": 5, "skip": 2}, 3),
        ({"managed_challenge": 9, "managed_challenge_interactive_solved": 4, "managed_challenge_bypassed": 1}, 4),
        ({"challenge": 2, "challenge_solved": 7, "block": 1}, 1),
        ({"jschallenge": 2, "js_challenge": 1}, 3),
        ({"something_new": 4}, 4),
    ],
)
def test_a_solved_challenge_stops_nobody_and_an_unknown_action_does(actions: dict[str, int], number: int) -> None:
    assert stopped(actions) == number


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"minutes": "nan"}, "baseline_watch.minutes: nan is not a number of minutes up to 1440 (a day)"),
        ({"max_stopped_percent": "nan"}, "baseline_watch.max_stopped_percent: nan is not from 0 to 100"),
    ],
)
def test_terms_that_no_number_meets_are_refused(value: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        watch_terms(value)
    assert watch_terms({"minutes": "5", "manual": "false"}) == WatchTerms(minutes=5)


class Script(NamedTuple):
    """Traffic by minutes, and how late and how often the analytics answer."""

    requests: list[int]
    stops: list[int]
    hour_before: int
    delay: int
    silent: frozenset[int]

    def sample(self, now: int) -> WatchSample:
        if now in self.silent:
            return sample(now, None, **UNREAD)
        seen = [minute for minute in range(max(0, now - self.delay)) if self.requests[minute]]
        end = seen[-1] if seen else None
        number = sum(self.requests[: end or 0])
        rules = [RuleStops(rule="a" * 32, stopped=sum(self.stops[: end or 0]), hour_before=self.hour_before)]
        return sample(now, end, requests=number, samples=number, rules=rules)

    def is_too_much(self, end: int) -> bool:
        """Whether the truth up to a minute is above a limit."""
        number, requests = sum(self.stops[:end]), sum(self.requests[:end])
        excess = max(0, round(number - self.hour_before * end / 60))
        return excess > TERMS.max_stopped_requests or (requests >= 30 and excess * 200 > requests)


def random_script(rng: random.Random) -> Script:
    requests = [rng.choice((0, 3, 100, 5000)) if rng.random() < 0.1 else 2000 for dummy in range(60)]
    if rng.random() < 0.1:
        requests = [0] * 60
    share = rng.choice((0, 0, 0.001, 0.004, 0.006, 0.2))
    start = rng.randrange(15)
    stops = [int(number * share) * (minute >= start) for minute, number in enumerate(requests)]
    silent = frozenset(minute for minute in range(60) if rng.random() < rng.choice((0, 0.05, 0.6)))
    return Script(requests, stops, rng.choice((0, 0, 60, 6000)), rng.choice((0, 1, 3, 19, 25)), silent)


@pytest.mark.parametrize("part", range(5))
def test_no_random_script_gets_a_wrong_verdict(part: int) -> None:
    ends = set()
    for seed in range(part * 100, part * 100 + 100):
        script = random_script(random.Random(seed))
        samples: list[WatchSample] = []
        verdict = judge_watch(TERMS, [ADMIN], SINCE, samples)
        minute = 0
        while verdict.outcome == GOES_ON:
            minute += 1
            assert minute <= 32, seed
            samples.append(script.sample(minute))
            verdict = judge_watch(TERMS, [ADMIN], SINCE, samples)
        ends.add(verdict.outcome)
        covered = verdict.covered_until
        end = int((covered - SINCE) / timedelta(minutes=1)) if covered else 0
        if verdict.outcome == WITHIN:
            assert end >= 11 and minute not in script.silent and not script.is_too_much(end), seed
        elif verdict.outcome == EXCEEDED:
            assert script.is_too_much(end), seed
        else:
            assert not script.is_too_much(end), seed
    assert ends == {WITHIN, EXCEEDED, NOT_KNOWN}


@pytest.mark.parametrize(("firewall", "tcp", "source"), [(0, 30, "tcp"), (30, 0, "firewall"), (51, 30, "firewall")])
def test_the_numbers_of_a_verdict_are_of_the_objects_that_it_names(firewall: int, tcp: int, source: str) -> None:
    watched = [ADMIN._replace(source="firewall"), LISTED._replace(source="tcp")]
    verdict = judge_sources(TERMS, watched, SINCE, [{"firewall": sample(13, 11, firewall), "tcp": sample(13, 11, tcp)}])
    (counted,) = verdict.figures_of_source
    assert (verdict.source, counted.watched.source, counted.stopped) == (source, source, verdict.stopped)
    assert [item.stopped for item in verdict.figures] == [firewall, tcp]

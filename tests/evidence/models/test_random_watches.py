# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random scripts of traffic against a small model of docs/watch.md, which counts single minutes: at which question does a watched change
stay, or go, and why? `make plans` compares 600."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.watch_terms import WatchTerms
from ansible_collections.edgeops.protection.plugins.plugin_utils._watch.verdict import (
    EXCEEDED,
    GOES_ON,
    NOT_KNOWN,
    WITHIN,
    WatchedObject,
    judge_sources,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evidence.models.random_plans import ONE_SERVICE
from tests.fake_service import LocalService
from tests.support.module_run import ROLE, ZONE, Modules
from tests.support.traffic_script import by_minutes

RULE = {"id": "a" * 32, "ref": "admin", "action": "block", "expression": "true"}
OTHER = {**RULE, "id": "b" * 32, "ref": "other"}
READS = ROLE.to_read(["custom_rules"])
BEFORE, AFTER = 60, 40  # minutes of a script
SECOND_OF_ROWS = 10  # of each minute
FEWEST = 30  # sampled requests, of which a share says something
KEPT = 90 * 24 * 60 * 60  # seconds


@dataclass(frozen=True)
class Script:
    """The traffic of a zone by minutes, how the analytics show it, and the terms of a watch that begins so many seconds after minute 0.
    Another rule stops some as well, which counts if the change lets it stop more, as that of a skip does."""

    requests: list[int]
    stopped: list[int]
    stopped_before: int
    by_other: list[int]
    all_count: bool
    second: int
    late_requests: int
    late_events: int
    sampled: int
    kept: int
    terms: WatchTerms


def numbers(*values: int) -> st.SearchStrategy[int]:
    return st.sampled_from(values)


def by_minute(*values: int) -> st.SearchStrategy[list[int]]:
    """The same number for some minutes, and then another one."""
    parts = st.lists(st.tuples(numbers(*values), numbers(1, 3, 40)), min_size=1, max_size=4)
    return parts.map(lambda found: [number for number, times in found for _minute in range(times)]).map(
        lambda minutes: (minutes * AFTER)[:AFTER]
    )


SCRIPTS = st.builds(
    Script,
    requests=by_minute(1000, 1000, 1000, 40, 1, 0),
    stopped=by_minute(0, 0, 1, 4, 60),
    stopped_before=numbers(0, 0, 2, 10),
    by_other=by_minute(0, 0, 2, 60),
    all_count=st.booleans(),
    second=numbers(0, 25, 45),
    late_requests=numbers(0, 0, 60, 150, 3600),
    late_events=numbers(0, 0, 60, 150),
    sampled=numbers(1, 1, 10, 100),
    kept=numbers(KEPT, KEPT, KEPT, KEPT, 600),
    terms=st.builds(
        WatchTerms,
        minutes=numbers(2, 4),
        interval_seconds=numbers(30, 60, 90),
        max_stopped_percent=st.sampled_from([0.5, 5]),
        max_stopped_requests=numbers(50, 1000),
    ),
)


def stops_of(script: Script) -> dict[str, list[int]]:
    """The requests that rules stop, by their ids and by minutes."""
    return {RULE["id"]: [script.stopped_before] * BEFORE + script.stopped, OTHER["id"]: [2] * BEFORE + script.by_other}


@dataclass(frozen=True)
class Model:
    """What the words of the page say of a script, in seconds after minute 0."""

    script: Script

    def seen(self, now: float, first: float, end: float, late: float, counts: list[int]) -> list[tuple[int, int]]:
        """The minutes, with their numbers, that the analytics show by now of a time."""
        shown: list[tuple[int, int]] = []
        for minute in range(-BEFORE, AFTER):
            at = 60 * minute + SECOND_OF_ROWS
            number = counts[minute + BEFORE]
            if number and first <= at < end and at <= now - late:
                shown.append((minute, number))
        return shown

    def excess(self, now: float, last: int | None, covered: float) -> dict[str, int]:
        """The requests that rules stopped beyond their average of the hour before, by the ids of those that count."""
        script, since = self.script, self.script.second
        excess: dict[str, int] = {}
        for identity, stops in stops_of(script).items():
            events = self.seen(now, since, now, script.late_events, stops)
            earlier = self.seen(now, since - 3600, since, script.late_events, stops)
            stopped = sum(number for minute, number in events if last is not None and minute < last)
            usual = Fraction(sum(number for _minute, number in earlier) * (covered - since)) / 3600
            if script.all_count or identity == RULE["id"]:
                excess[identity] = max(0, round(stopped - usual))
        return excess

    def outcome(self, polls: int) -> str:
        """The outcome by so many questions."""
        script, terms = self.script, self.script.terms
        since, now = script.second, script.second + polls * terms.interval_seconds
        if script.kept < 3600:  # less than the hour before
            return NOT_KNOWN if polls > 1 else GOES_ON
        requests = self.seen(now, since, now, script.late_requests, [1000] * BEFORE + script.requests)
        last = max((minute for minute, _number in requests), default=None)
        covered = since if last is None else max(since, 60 * last)
        counted = [number for minute, number in requests if last is not None and minute < last]
        excess = sum(self.excess(now, last, covered).values())
        samples = sum(max(1, number // script.sampled) for number in counted)
        share = Fraction(str(terms.max_stopped_percent)) / 100
        if excess > terms.max_stopped_requests or (samples >= FEWEST and excess > share * sum(counted)):
            return EXCEEDED
        if now - covered > 2 * 60 * terms.minutes:
            return NOT_KNOWN
        if last is None or 60 * last < since + 60 * terms.minutes + terms.interval_seconds:
            return GOES_ON
        return WITHIN if samples >= FEWEST else NOT_KNOWN


def seed(service: LocalService, script: Script, first: datetime) -> None:
    """A zone with the traffic of a script, whose minute 0 is this one."""
    service.reset()
    delays = {
        "requests": {"delay": script.late_requests},
        "events": {"delay": script.late_events, "notOlderThan": script.kept},
    }
    zone = service.zone(ZONE).seed(custom_rules=[RULE, OTHER], analytics=delays)
    refs = {rule["id"]: rule["ref"] for rule in (RULE, OTHER)}
    stops = {
        refs[identity]: [{"block": number} for number in numbers] for identity, numbers in stops_of(script).items()
    }
    requests = [1000] * BEFORE + script.requests
    by_minutes(zone, first - timedelta(minutes=BEFORE), requests, stops, sampleInterval=script.sampled)


@pytest.mark.ends(WITHIN, EXCEEDED, NOT_KNOWN, of="watches", one_in=20)
@given(script=SCRIPTS)
@settings(suppress_health_check=ONE_SERVICE)
def test_a_watch_ends_as_the_traffic_of_single_minutes_says(
    service: LocalService, modules: Modules, outcomes: Counter[str], script: Script
) -> None:
    first = service.clock.now().replace(minute=0, second=0, microsecond=0) + timedelta(hours=6)
    seed(service, script, first)
    since = first + timedelta(seconds=script.second)
    watched = [WatchedObject("custom_rule", "admin", None if script.all_count else RULE["id"])]
    model, outcome = Model(script), GOES_ON
    samples: list[Any] = []
    while outcome == GOES_ON:
        assert len(samples) < 60 * AFTER / script.terms.interval_seconds, "it never ends"
        service.clock.set(since + timedelta(seconds=script.terms.interval_seconds * (len(samples) + 1)))
        result: dict[str, Any] = modules.done("host", context=READS, zone_id=ZONE, watched_since=since.isoformat())
        samples.append(result["watch"])
        verdict = judge_sources(script.terms, watched, since, samples)
        outcome = verdict.outcome
        assert outcome == model.outcome(len(samples)), (len(samples), verdict)
        stopping = [rule for item in verdict.figures for rule in item.stopping]
        assert len(stopping) <= (2 if script.all_count else 1)
        assert bool(stopping) == bool(verdict.stopped)
    outcomes[outcome] += 1

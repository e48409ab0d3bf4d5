# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The sample of a watched change: what a zone's rules stopped since a moment, against the local service."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.module_run import ROLE, ZONE, Modules
from tests.support.traffic_script import by_minutes

ADMIN = {"id": "a" * 32, "ref": "admin", "action": "block", "expression": "true"}
READS = ROLE.to_read(["custom_rules"])


def sample(service: LocalService, modules: Modules, minutes: float) -> dict[str, Any]:
    """The sample so many minutes after a change that is made now, without the time of the answer."""
    since = service.clock.now().replace(second=0, microsecond=0) + timedelta(minutes=1)
    service.clock.set(since + timedelta(minutes=minutes))
    result = modules.run("host", context=READS, zone_id=ZONE, watched_since=since.isoformat())
    assert not result.get("failed"), result
    watch: dict[str, Any] = result["watch"]["zone"]
    covered = watch.pop("covered_until")
    now = service.clock.now()
    assert abs(now - now.fromisoformat(watch.pop("now"))) < timedelta(seconds=30)
    watch["covered"] = covered and (now.fromisoformat(covered) - since) / timedelta(minutes=1)
    return watch


def seeded(service: LocalService, **analytics: Any) -> None:
    """Traffic of 1,000 requests a minute from an hour before the next minute on, of which the rule stops some."""
    zone = service.zone(ZONE).seed(custom_rules=[ADMIN], analytics=analytics)
    first = service.clock.now().replace(second=0, microsecond=0) - timedelta(minutes=59)
    stops = [{"block": 1}] * 60 + [{"block": 7, "log": 100}] * 60
    by_minutes(zone, first, [1000] * 120, {"admin": stops})


def rules(stopped: int, before: int = 60) -> list[dict[str, Any]]:
    return [{"rule": "a" * 32, "stopped": stopped, "hour_before": before}]


def test_figures_end_where_the_analytics_end(service: LocalService, modules: Modules) -> None:
    seeded(service)
    found = sample(service, modules, 5.5)
    assert found == {"covered": 5, "requests": 5000, "samples": 5000, "rules": rules(35), "unknown": []}
    assert len(service.queries) == 1 and not service.writes


def test_late_analytics_cover_less(service: LocalService, modules: Modules) -> None:
    seeded(service, requests={"delay": 120}, events={"delay": 60})
    found = sample(service, modules, 5.5)
    assert (found["covered"], found["requests"], found["rules"]) == (3, 3000, rules(21))
    found = sample(service, modules, 1)
    assert (found["covered"], found["requests"], found["unknown"]) == (None, 0, [])


@pytest.mark.parametrize(
    ("analytics", "words"),
    [
        ({"events": {"enabled": False}}, "The zone has no analytics of firewall events."),
        ({"events": {"maxPageSize": 3}}, "a full page"),
        ({"events": {"notOlderThan": 600}}, "are kept for"),
        ({"requests": {"enabled": False}}, "The zone has no analytics of HTTP requests."),
    ],
)
def test_what_cannot_be_read_is_not_known(
    service: LocalService, modules: Modules, analytics: dict[str, Any], words: str
) -> None:
    seeded(service, **analytics)
    assert words in " ".join(sample(service, modules, 5.5)["unknown"])


def test_without_the_permission_nothing_is_known(service: LocalService, modules: Modules) -> None:
    seeded(service)
    service.misbehave("query_errors", messages=["not authorized for that zone"])
    found = sample(service, modules, 5.5)
    assert "The token needs the permission Analytics Read (zone)." in found["unknown"][0]
    assert (found["covered"], found["requests"], found["rules"]) == (None, 0, [])


OTHER = "c" * 32


def joint(service: LocalService, modules: Modules) -> dict[str, Any]:
    """The samples of two zones, the changes of which are two minutes apart, in a query for both."""
    since = service.clock.now().replace(second=0, microsecond=0) + timedelta(minutes=1)
    service.clock.set(since + timedelta(minutes=5.5))
    later = since + timedelta(minutes=2)
    service.calls.clear()
    result = modules.run(
        "host", context=READS, zone_id=ZONE, watched_since=since.isoformat(), watched_zones={OTHER: later.isoformat()}
    )
    assert not result.get("failed"), result
    return {ZONE: result["watch"]["zone"], **result.get("watched_zones", {})}


def two_zones(service: LocalService, **analytics: Any) -> None:
    seeded(service)
    first = service.clock.now().replace(second=0, microsecond=0) - timedelta(minutes=59)
    zone = service.zone(OTHER).seed(custom_rules=[{**ADMIN, "id": "d" * 32}], analytics=analytics)
    by_minutes(zone, first, [100] * 120, {"admin": [{"block": 2}] * 120})


def test_one_query_asks_for_several_zones_each_since_its_change(service: LocalService, modules: Modules) -> None:
    two_zones(service)
    found = joint(service, modules)
    assert len(service.queries) == 1
    assert [(one["requests"], one["rules"]) for one in found.values()] == [
        (5000, rules(35)),
        (300, [{"rule": "d" * 32, "stopped": 6, "hour_before": 120}]),
    ]


def test_what_one_zone_does_not_tell_is_not_known_of_that_zone_alone(service: LocalService, modules: Modules) -> None:
    two_zones(service, events={"enabled": False})
    found = joint(service, modules)
    assert found[ZONE]["unknown"] == [] and found[ZONE]["rules"] == rules(35)
    assert not found.get(OTHER, {}).get("rules")


def test_a_zone_that_nobody_may_read_leaves_the_others_to_themselves(service: LocalService, modules: Modules) -> None:
    seeded(service)
    found = joint(service, modules)
    assert found[ZONE]["rules"] == rules(35) and OTHER not in found

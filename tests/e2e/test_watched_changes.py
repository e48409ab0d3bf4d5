# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Watched changes: a good rule stays, and one that stops too much is set back, with a script of traffic by minutes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.ansible_run import Run, ansible_playbook
from tests.support.inventories import write_inventory
from tests.support.traffic_script import by_minutes

ACCOUNT, ZONE = "a" * 32, "b" * 32
LOGIN = {"ref": "login", "action": "block", "expression": 'http.request.uri.path eq "/login"'}
ADMIN = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
WATCH: dict[str, Any] = {"minutes": 5, "interval_seconds": 0.01}
RISKS = ["weakens_zone", "passes_traffic"]


@pytest.fixture
def service(service: LocalService) -> LocalService:
    service.zone(ZONE).seed(custom_rules=[LOGIN], name="shop.example")
    service.switch(seconds_per_query=60)
    service.clock.set(service.clock.now().replace(second=20))  # after the requests of this minute
    return service


def traffic(service: LocalService, before: int = 0, after: Sequence[int] | int = 0, requests: int = 1000) -> None:
    """So many requests a minute, from an hour ago until in an hour; the rule admin stops some once it is there."""
    numbers = [after] * 60 if isinstance(after, int) else [*after, *[0] * (60 - len(after))]
    first = service.clock.now().replace(second=0, microsecond=0) - timedelta(minutes=60)
    stops = [{"block": before}] * 60 + [{"block": number} for number in numbers]
    by_minutes(service.zone(ZONE), first, [requests] * 120, {"admin": stops, "login": [{"block": 3}] * 120})


def run(service: LocalService, folder: Path, *options: str, **host: Any) -> Run:
    variables = {"edge_zone_id": ZONE, "baseline_custom_rules": [LOGIN, ADMIN], "baseline_watch": WATCH}
    variables["baseline_snapshot_directory"] = str(folder / "snapshots")
    inventory = write_inventory(folder, service, {"zones": {"shop": {**variables, **host}}})
    return ansible_playbook("-i", inventory, *options, "playbooks/baseline.yml")


def result(finished: Run) -> dict[str, Any]:
    (task,) = finished.of()
    return dict(task.result)


def refs(service: LocalService) -> list[str]:
    return [rule["ref"] for rule in service.zone(ZONE).custom_rules]


def whole(service: LocalService, rule: dict[str, Any]) -> dict[str, Any]:
    """A rule that somebody writes by hand."""
    more = {"description": "", "last_updated": service.clock.timestamp(), "version": "1", "enabled": True}
    return {**rule, **more, "id": "e" * 32}


def mark(folder: Path) -> dict[str, Any] | None:
    path = folder / "snapshots" / "watch" / "shop.json"
    found: dict[str, Any] | None = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    return found


def test_a_good_rule_stays(service: LocalService, tmp_path: Path) -> None:
    traffic(service, after=2)
    predicted = result(run(service, tmp_path, "--check"))
    assert (predicted["watch"]["minutes"], predicted["watch"]["set_back"]) == (5, False)
    assert not service.queries and mark(tmp_path) is None
    done = run(service, tmp_path).done()
    watch = result(done)["watch"]
    assert (watch["known"], watch["set_back"], watch["unknown"]) == (True, False, [])
    (rule,) = watch["rules"]
    assert (rule["key"], rule["stopped"] <= 2 * 8, rule["percent"] <= 0.2) == ("admin", True, True)
    assert watch["requests"] >= 5000
    assert (refs(service), mark(tmp_path)) == (["login", "admin"], None)
    assert "shop: The change stays: custom rule admin stopped" in done.output
    again = result(run(service, tmp_path))
    assert (again["changed"], "watch" in again) == (False, False)


def test_a_bad_rule_is_set_back_within_two_polls_of_its_evidence(service: LocalService, tmp_path: Path) -> None:
    traffic(service, after=[0, 0, 80, 80, 80, 80, 80])
    finished = run(service, tmp_path)
    assert finished.code != 0
    failed = result(finished)
    assert failed["watch"]["set_back"] is True
    assert "custom rule admin stopped 80 of 2000 requests (4 %)" in failed["msg"]
    assert len(service.queries) <= 4
    assert refs(service) == ["login"]


def test_a_plan_that_was_set_back_is_refused_until_the_variables_change(service: LocalService, tmp_path: Path) -> None:
    traffic(service, after=200)
    set_back = result(run(service, tmp_path))
    service.calls.clear()
    for options in ((), ("--check",)):
        refused = result(run(service, tmp_path, *options))
        assert refused["msg"].startswith("This change was set back: custom rule admin stopped")
        assert not service.writes
    unwatched = result(run(service, tmp_path, baseline_watch=None))
    assert unwatched["msg"].startswith("This change was set back") and not service.writes
    other = {**ADMIN, "expression": 'http.request.uri.path eq "/administration"'}
    assert result(run(service, tmp_path, "--check", baseline_custom_rules=[LOGIN, other]))["changed"] is True
    plan = set_back["watch"]["plan_id"]
    assert run(service, tmp_path, "-e", f"baseline_confirmed={plan}", baseline_watch=None).code == 0
    assert refs(service) == ["login", "admin"]


@pytest.mark.parametrize(
    ("analytics", "words"),
    [
        ({"requests": {"enabled": False}}, "The zone has no analytics of HTTP requests."),
        ({"requests": {"delay": 3600}}, "The analytics have shown no request to the zone for 1"),
    ],
)
def test_silent_analytics_bring_the_change_back(
    service: LocalService, tmp_path: Path, analytics: dict[str, Any], words: str
) -> None:
    traffic(service)
    service.zone(ZONE).seed(analytics=analytics)
    failed = result(run(service, tmp_path))
    assert words in failed["msg"]
    assert (failed["watch"]["known"], failed["watch"]["set_back"], refs(service)) == (False, True, ["login"])


def test_the_average_of_the_hour_before_is_no_harm(service: LocalService, tmp_path: Path) -> None:
    service.zone(ZONE).custom_rules.append(whole(service, {**ADMIN, "action": "managed_challenge"}))
    traffic(service, before=50, after=51)
    done = result(run(service, tmp_path, baseline_accept_risks=RISKS).done())
    assert done["watch"]["rules"][0]["stopped"] <= 10
    assert [rule["action"] for rule in service.zone(ZONE).custom_rules] == ["block", "block"]


def test_the_rules_of_others_stay(service: LocalService, tmp_path: Path) -> None:
    traffic(service, after=200)
    zone = service.zone(ZONE)
    theirs = {"ref": "theirs", "action": "block", "expression": "ip.src eq 192.0.2.9"}

    def write_meanwhile() -> None:
        if "theirs" not in refs(service):
            zone.custom_rules.insert(0, whole(service, theirs))
            zone.custom_rules[1]["description"] = "by hand"

    service.misbehave("meanwhile", path="graphql", times=9, action=write_meanwhile)
    changed = {**LOGIN, "expression": 'http.request.uri.path in {"/login" "/signin"}'}
    failed = result(run(service, tmp_path, baseline_custom_rules=[changed, ADMIN]))
    assert failed["watch"]["set_back"] is True, failed["msg"]
    assert refs(service) == ["theirs", "login"]
    login = zone.custom_rules[1]
    assert (login["expression"], login["description"]) == (LOGIN["expression"], "by hand")


def test_a_watched_change_of_an_account_is_refused_before_a_write(service: LocalService, tmp_path: Path) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT)
    service.account(ACCOUNT)
    variables = {"edge_account_id": ACCOUNT, "baseline_prefixes": [{"prefix": "192.0.2.0/24"}]}
    for options in ((), ("--check",)):
        refused = result(run(service, tmp_path, *options, **variables))
        assert "baseline_watch: the analytics of a zone do not show" in refused["msg"]
        assert not service.writes and mark(tmp_path) is None

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Watched changes: a good rule stays, and one that stops too much is set back, with a script of traffic by minutes."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.results import (
    SET_BACK,
    UNFINISHED,
    host_outcome,
)

from tests.fake_service import LocalService
from tests.support.ansible_run import Run, ansible_playbook
from tests.support.interrupted_run import started, wait_until
from tests.support.inventories import write_inventory
from tests.support.sampled_rows import sample
from tests.support.traffic_script import by_minutes

LONGEST = 60.0  # seconds until the service has a call
ACCOUNT, ZONE = "a" * 32, "b" * 32
LOGIN = {"ref": "login", "action": "block", "expression": 'http.request.uri.path eq "/login"'}
ADMIN = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
BOTH = ["admin", "second"]
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


def inventory_of(service: LocalService, folder: Path, host: dict[str, Any]) -> Path:
    variables = {"edge_zone_id": ZONE, "baseline_custom_rules": [LOGIN, ADMIN], "baseline_watch": WATCH}
    variables["baseline_snapshot_directory"] = str(folder / "snapshots")
    return write_inventory(folder, service, {"zones": {"shop": {**variables, **host}}})


def run(service: LocalService, folder: Path, *options: str, **host: Any) -> Run:
    inventory = inventory_of(service, folder, host)
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


def killed(
    service: LocalService, folder: Path, method: str = "POST", path: str = "", skip: int = 0, **host: Any
) -> None:
    """Start the playbook, and kill all of it while the service does not answer a call."""
    fault = service.misbehave("hang", method=method, path=path, skip=skip)
    inventory = inventory_of(service, folder, host)
    with started(["-i", str(inventory), "edgeops.protection.baseline"], folder) as program:
        assert wait_until(lambda: fault.seen > skip, LONGEST), (folder / "output").read_text(encoding="utf-8")
        os.killpg(program.process.pid, signal.SIGKILL)
        program.process.wait()
    service.faults.clear()


def reported(service: LocalService, folder: Path, **host: Any) -> dict[str, Any]:
    """The record of the host in a report, which writes nothing to the zone."""
    writes = len(service.writes)
    inventory = inventory_of(service, folder, host)
    report = folder / "report"
    ansible_playbook("-i", inventory, "-e", f"report_directory={report}", "playbooks/report.yml").done()
    assert len(service.writes) == writes
    (record,) = json.loads((report / "report.json").read_text(encoding="utf-8"))["hosts"]
    return dict(record)


def predicted_and_ended(service: LocalService, folder: Path, **host: Any) -> tuple[Run, Run]:
    """A run in check mode, which writes nothing, and a run that does what it says."""
    writes, before = len(service.writes), mark(folder)
    predicted = run(service, folder, "--check", **host)
    assert (len(service.writes), mark(folder)) == (writes, before)
    ended = run(service, folder, **host)
    for name in ("changed", "failed", "msg", "operations"):
        assert result(predicted).get(name) == result(ended).get(name), name
    return predicted, ended


class Background:
    """Does something in a thread whenever it is called, and lets its caller wait for that."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work

    def __call__(self) -> None:
        thread = Thread(target=self._work)
        thread.start()
        thread.join()


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
    assert "Requests: GET /admin (" in failed["msg"]
    assert failed["watch"]["rules"][0]["examples"][0]["path"] == "/admin"
    assert len(service.queries) <= 5
    assert refs(service) == ["login"]


def test_a_plan_that_was_set_back_is_refused_until_the_variables_change(service: LocalService, tmp_path: Path) -> None:
    traffic(service, after=200)
    set_back = result(run(service, tmp_path))
    service.calls.clear()
    for options in ((), ("--check",)):
        refused = result(run(service, tmp_path, *options))
        assert refused["msg"].startswith("This change was set back: custom rule admin stopped")
        assert not service.writes
    theirs = whole(service, {"ref": "theirs", "action": "block", "expression": "ip.src eq 192.0.2.9"})
    service.zone(ZONE).custom_rules.insert(0, theirs)
    unwatched = result(run(service, tmp_path, baseline_watch=None))
    assert unwatched["msg"].startswith("This change was set back") and not service.writes
    other = {**ADMIN, "expression": 'http.request.uri.path eq "/administration"'}
    assert result(run(service, tmp_path, "--check", baseline_custom_rules=[LOGIN, other]))["changed"] is True
    logged = whole(service, {**ADMIN, "action": "log", "expression": "true"}) | {"id": "f" * 32}
    service.zone(ZONE).custom_rules.append(logged)
    edited = result(run(service, tmp_path))
    assert edited["msg"].startswith("This change was set back") and not service.writes
    plan = set_back["watch"]["plan_id"]
    more = {"ref": "more", "action": "block", "expression": 'http.request.uri.path eq "/more"'}
    bigger = result(
        run(service, tmp_path, "-e", f"baseline_confirmed={plan}", baseline_custom_rules=[LOGIN, ADMIN, more])
    )
    words = f"add -e baseline_confirmed={bigger['plan_id']}, which confirms custom rule more as well."
    assert words in bigger["msg"] and not service.writes
    would = run(service, tmp_path, "--check", "-e", f"baseline_confirmed={plan}").done()
    assert "shop: The change is confirmed, and nobody would watch it." in would.output
    confirming = run(service, tmp_path, "-e", f"baseline_confirmed={plan}").done()
    assert "shop: The change is confirmed, and nobody watches it." in confirming.output
    assert refs(service) == ["theirs", "login", "admin"] and mark(tmp_path) is None


OFFICE = {
    "ref": "office",
    "action": "skip",
    "expression": "ip.src in {192.0.2.0/24}",
    "action_parameters": {"ruleset": "current"},
}


def test_a_run_that_is_killed_while_it_sets_back_is_followed_by_one_that_knows_why(
    service: LocalService, tmp_path: Path
) -> None:
    traffic(service, after=200)
    killed(service, tmp_path, method="DELETE")
    (sentence,) = reported(service, tmp_path)["not_set_back"]
    assert sentence.endswith("The next run of the baseline goes on with that.")
    _predicted, ended = predicted_and_ended(service, tmp_path)
    assert result(ended)["msg"].startswith("custom rule admin stopped") and refs(service) == ["login"]
    refused = result(run(service, tmp_path))
    assert refused["msg"].startswith("This change was set back: custom rule admin stopped")


@pytest.mark.parametrize(("after", "number"), [(50, 47), (3, 0)])
def test_a_rule_that_stops_more_because_of_a_skip_is_named_in_its_place(
    service: LocalService, tmp_path: Path, after: int, number: int
) -> None:
    zone = service.zone(ZONE)
    zone.custom_rules.insert(0, whole(service, OFFICE))
    first = service.clock.now().replace(second=0, microsecond=0) - timedelta(minutes=60)
    stops = [{"block": 3}] * 60 + [{"block": after}] * 60
    by_minutes(zone, first, [1000] * 120, {"login": stops})
    narrower = {**OFFICE, "expression": "ip.src in {192.0.2.0/25}"}
    finished = run(service, tmp_path, baseline_custom_rules=[narrower, LOGIN])
    watch = result(finished)["watch"]
    if number:
        assert result(finished)["msg"].startswith("custom rule login stopped ")
        assert "All rules count because of the change of custom rule office. Requests: GET" in result(finished)["msg"]
        assert watch["rules"][0]["stopped_by"] == [zone.custom_rules[1]["id"]]
    else:
        assert "The change stays: the rules of the zone stopped 0 of " in finished.done().output
    assert watch["rules"][0]["key"] == "office"


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


@pytest.mark.parametrize(
    ("edit", "after", "remaining", "words"),
    [
        ({"description": "by hand"}, 200, ["login"], "The run has set back what it changed: custom rule admin."),
        ({"expression": "true"}, 200, ["login", "admin"], "NOT set back, and still in force: custom rule admin."),
        ({"id": "e" * 32}, 0, ["login", "admin"], "others have deleted or replaced custom rule admin"),
    ],
)
def test_an_edit_by_others_keeps_no_bad_rule_in_force_unsaid(
    service: LocalService, tmp_path: Path, edit: dict[str, Any], after: int, remaining: list[str], words: str
) -> None:
    traffic(service, after=after)

    def edit_meanwhile() -> None:
        service.zone(ZONE).custom_rules[1].update(edit)

    service.misbehave("meanwhile", path="graphql", times=1, action=edit_meanwhile)
    failed = result(run(service, tmp_path))
    assert words in failed["msg"] and refs(service) == remaining
    stays = len(remaining) > 1
    assert host_outcome({**failed, "failed": True}) == (UNFINISHED if stays else SET_BACK)
    assert failed["watch"]["set_back"] is not stays
    record = reported(service, tmp_path)
    watched = " ".join([*record["watched"], *record["not_set_back"]])
    assert record["status"] in ("drift", "weakened")
    assert watched.startswith("A change was NOT set back, and is still in force" if stays else "A change was set back")
    if stays:
        rules = {"baseline_custom_rules": [LOGIN, {**ADMIN, "expression": edit.get("expression", ADMIN["expression"])}]}
        assert "is still in force" in " ".join(run(service, tmp_path, **rules).done().output.split())
        plan = failed["watch"]["plan_id"]
        confirming = run(service, tmp_path, "-e", f"baseline_confirmed={plan}", **rules)
        assert "is confirmed." in confirming.done().output
        assert reported(service, tmp_path)["not_set_back"] == []


def test_a_later_change_keeps_the_word_of_what_is_in_force(service: LocalService, tmp_path: Path) -> None:
    traffic(service, after=[200] * 5)

    def edit_meanwhile() -> None:
        service.zone(ZONE).custom_rules[1]["id"] = "e" * 32

    service.misbehave("meanwhile", path="graphql", times=1, action=edit_meanwhile)
    assert "still in force: custom rule admin" in result(run(service, tmp_path))["msg"]
    traffic(service)
    other = {**ADMIN, "ref": "other"}
    run(service, tmp_path, baseline_custom_rules=[LOGIN, ADMIN, other]).done()
    (sentence,) = reported(service, tmp_path)["not_set_back"]
    assert sentence.startswith("A change was NOT set back, and is still in force: custom rule admin.")


def test_a_change_that_no_analytics_show_is_refused_before_a_write(service: LocalService, tmp_path: Path) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT)
    service.account(ACCOUNT)
    variables = {"edge_account_id": ACCOUNT, "baseline_ip_lists": [{"name": "partners", "items": []}]}
    for options in ((), ("--check",)):
        refused = result(run(service, tmp_path, *options, **variables))
        assert "baseline_watch: the analytics do not show what" in refused["msg"]
        assert not service.writes and mark(tmp_path) is None


DENY = {"ref": "deny", "action": "block", "expression": "ip.src in {192.0.2.0/24}"}
TCP_RULE = {"kind": "out_of_state_tcp", "scope": "global", "mode": "enabled"}


def packets(service: LocalService, dropped: int, node: str, **fields: Any) -> None:
    """A thousand packets a minute, from an hour ago until in an hour, of which so many are dropped from now on."""
    first = service.clock.now().replace(second=10, microsecond=0) - timedelta(minutes=60)
    flows: list[dict[str, Any]] = []
    for minute in range(120):
        at = {"datetime": (first + timedelta(minutes=minute)).isoformat(), "ipDestinationAddress": "192.0.2.7"}
        drops = dropped if minute >= 60 else 0
        flows.append({**at, "node": "packets" if node == "firewall" else node, "packets": 1000 - drops})
        flows += [{**at, **fields, "node": node, "packets": drops, "outcome": "drop"}] if drops else []
    service.account(ACCOUNT).seed(traffic=flows)


@pytest.mark.parametrize(("dropped", "remaining"), [(2, ["deny"]), (40, [])])
def test_a_rule_of_the_network_firewall_that_drops_too_much_is_set_back(
    service: LocalService, tmp_path: Path, dropped: int, remaining: list[str]
) -> None:
    account = service.account(ACCOUNT)

    def drop() -> None:
        (rule,) = account.entry_points["magic_transit"]["rules"]
        packets(service, dropped, "firewall", ruleId=rule["id"])

    service.misbehave("meanwhile", path="graphql", times=1, action=drop)
    variables = {"edge_zone_id": None, "edge_account_id": ACCOUNT, "baseline_custom_rules": None}
    finished = run(service, tmp_path, baseline_network_firewall_rules=[DENY], **variables)
    watch = result(finished)["watch"]
    found = (watch["of"], watch["set_back"], bool(finished.code))
    assert found == ("packets", not remaining, not remaining), finished.output
    assert [rule["ref"] for rule in account.entry_points["magic_transit"]["rules"]] == remaining
    words = "Network Firewall rule deny stopped" if not remaining else "The change stays: Network Firewall rule deny"
    assert words in finished.output


@pytest.mark.parametrize(("dropped", "sensitivity"), [(2, "high"), (40, "medium")])
def test_a_rule_of_tcp_protection_that_drops_too_much_is_set_back(
    service: LocalService, tmp_path: Path, dropped: int, sensitivity: str
) -> None:
    account = service.account(ACCOUNT)
    existing = {"scope": "global", "mode": "enabled", "rate_sensitivity": "medium"}
    account.seed(enabled=True, prefixes=[{"prefix": "192.0.2.0/24"}], out_of_state_tcp={"rules": [existing]})
    packets(service, dropped, "tcp")
    variables = {"edge_zone_id": None, "edge_account_id": ACCOUNT, "baseline_custom_rules": None}
    finished = run(service, tmp_path, baseline_rules=[{**TCP_RULE, "rate_sensitivity": "high"}], **variables)
    assert result(finished)["watch"]["set_back"] is (sensitivity == "medium"), finished.output
    (rule,) = account.rules["out_of_state_tcp"]
    assert rule["rate_sensitivity"] == sensitivity


def test_a_step_that_would_make_the_change_again_is_said_to_be_refused(service: LocalService, tmp_path: Path) -> None:
    account = service.account(ACCOUNT)
    existing = {"scope": "global", "mode": "monitoring"}
    account.seed(enabled=True, prefixes=[{"prefix": "192.0.2.0/24"}], out_of_state_tcp={"rules": [existing]})
    service.clock.advance(hours=5)  # it has monitored long enough
    packets(service, 40, "tcp")
    variables: dict[str, Any] = {"edge_zone_id": None, "edge_account_id": ACCOUNT, "baseline_custom_rules": None}
    variables["baseline_rules"] = [TCP_RULE]
    assert result(run(service, tmp_path, **variables))["watch"]["set_back"] is True
    for options in (["--check"], []):
        again = run(service, tmp_path, *options, **variables)
        assert (again.code, [step["key"] for step in result(again)["pending"]]) == (0, ["global"])
        assert "what waits would make it again" in again.output
    (sentence,) = reported(service, tmp_path, **variables)["watched"]
    assert sentence.startswith("A change was set back: ")


def test_a_change_that_stops_nothing_is_said_to_be_watched_by_nobody(service: LocalService, tmp_path: Path) -> None:
    traffic(service)
    described = {**LOGIN, "description": "by the baseline"}
    words = "shop: Nothing of this change can stop traffic, so that nothing is watched."
    for options in (("--check",), ()):
        finished = run(service, tmp_path, *options, baseline_custom_rules=[described]).done()
        assert words in finished.output and "watch" not in result(finished)
    assert not service.queries and mark(tmp_path) is None


MANUAL = {**WATCH, "manual": True}


def test_a_change_by_hand_is_set_back_unless_somebody_confirms_it(service: LocalService, tmp_path: Path) -> None:
    traffic(service)
    failed = result(run(service, tmp_path, baseline_watch=MANUAL))
    assert "nobody confirmed it within 5 minutes" in failed["msg"]
    assert (failed["watch"]["set_back"], refs(service)) == (True, ["login"])


def test_a_second_run_confirms_the_change_and_writes_nothing(service: LocalService, tmp_path: Path) -> None:
    traffic(service)
    seconds: list[Run] = []

    def confirm() -> None:
        if len(seconds) == 1:
            plan = (mark(tmp_path) or {})["plan_id"]
            seconds.append(run(service, tmp_path, "-e", f"baseline_confirmed={plan}", baseline_watch=MANUAL))
        elif not seconds:
            other = {**ADMIN, "ref": "other"}
            predicted_and_ended(service, tmp_path, baseline_custom_rules=[LOGIN, ADMIN, other])
            seconds.append(run(service, tmp_path, baseline_custom_rules=[LOGIN, ADMIN, other]))
            predicted, idle = predicted_and_ended(service, tmp_path)
            for finished in (predicted.done(), idle.done()):
                assert "Another run watches the change of" in " ".join(finished.output.split())

    in_background = Background(confirm)
    service.misbehave("meanwhile", path="graphql", times=2, action=in_background)
    done = result(run(service, tmp_path, baseline_watch=MANUAL).done())
    assert (done["watch"]["set_back"], refs(service)) == (False, ["login", "admin"])
    busy, confirming = seconds
    assert "Another run watches a change of this host" in result(busy)["msg"]
    assert "is confirmed." in confirming.done().output and result(confirming)["changed"] is False
    assert mark(tmp_path) is None


@pytest.mark.parametrize(("minutes", "words"), [(0, "The change stays"), (30, "the run that watched it ended")])
def test_the_next_run_ends_the_watch_of_a_killed_one(
    service: LocalService, tmp_path: Path, minutes: float, words: str
) -> None:
    """It goes on with it, or sets the change back if its time is over."""
    traffic(service, after=2)
    killed(service, tmp_path, path="graphql", skip=1)
    assert (mark(tmp_path) or {})["status"] == "watching" and refs(service) == ["login", "admin"]
    if not minutes:
        assert "The next run goes on with its watch." in " ".join(run(service, tmp_path, "--check").output.split())
    (sentence,) = reported(service, tmp_path)["watched"]
    assert sentence.endswith("is watched, or its run was killed; the next run ends it.")
    service.clock.advance(minutes=minutes)
    if minutes:
        record = reported(service, tmp_path)
        assert (record["status"], "its time is over" in record["not_set_back"][0]) == ("drift", True)
    _predicted, ended = predicted_and_ended(service, tmp_path)
    assert words in ended.output
    done = result(ended)
    assert done["changed"] is bool(minutes) and "Nothing was changed" not in str(done.get("msg"))
    if minutes:
        assert "The next run refuses the same change" in done["msg"]
        assert [(item["action"], item["key"]) for item in done["operations"]] == [("delete", "admin")]
    stays = ["login"] if minutes else ["login", "admin"]
    assert refs(service) == stays and bool(ended.code) == bool(minutes)
    left = mark(tmp_path)
    assert left is None or left["status"] == "set back"
    beginnings = [text.partition(":")[0] for text in reported(service, tmp_path)["watched"]]
    assert beginnings == (["A change was set back"] if minutes else [])


def test_a_run_that_is_killed_before_its_first_write_leaves_nothing(service: LocalService, tmp_path: Path) -> None:
    traffic(service)
    killed(service, tmp_path, path="rules$")
    assert (mark(tmp_path) or {})["status"] == "writing" and refs(service) == ["login"]
    service.calls.clear()
    assert result(run(service, tmp_path).done())["watch"]["set_back"] is False
    assert (refs(service), mark(tmp_path)) == (["login", "admin"], None)


def test_a_run_that_is_killed_while_it_writes_is_set_back(service: LocalService, tmp_path: Path) -> None:
    traffic(service)
    both = {"baseline_custom_rules": [LOGIN, ADMIN, {**ADMIN, "ref": "second"}]}
    killed(service, tmp_path, method="POST", path="rules$", skip=1, **both)
    assert (mark(tmp_path) or {})["status"] == "writing" and refs(service) == ["login", "admin"]
    _predicted, ended = predicted_and_ended(service, tmp_path, **both)
    assert refs(service) == ["login"], ended.output
    assert "stops: the run was killed while it wrote the change." in result(ended)["msg"]
    assert (mark(tmp_path) or {})["status"] == "set back"
    assert result(ended)["msg"].endswith(f"baseline_confirmed names it: {(mark(tmp_path) or {})['plan_id']}.")
    assert "This change was set back" in run(service, tmp_path, **both).output


POLL, WRITE, SET_BACK_WRITE = ("POST", "graphql"), ("POST", "rules$"), ("DELETE|PUT|PATCH", "rulesets")
KILLS = [  # the call of which nobody hears, how many a minute the rules stop, and the rules after the next run
    *[(*WRITE, call, after, BOTH if not call and not after else []) for call in (0, 1) for after in (0, 200)],
    *[(*POLL, call, 0, BOTH) for call in range(6)],
    *[(*POLL, call, 200, []) for call in range(2)],
    (*SET_BACK_WRITE, 0, 200, []),
]


@pytest.mark.parametrize(("method", "path", "call", "after", "remaining"), sample(KILLS, of=4))
def test_wherever_a_run_is_killed_the_next_one_ends_its_watch(
    service: LocalService,
    tmp_path: Path,
    method: str,
    path: str,
    call: int,
    after: int,
    remaining: list[str],
    record_property: Callable[[str, object], None],
) -> None:
    traffic(service, after=after)
    both = {"baseline_custom_rules": [LOGIN, ADMIN, {**ADMIN, "ref": "second"}]}
    killed(service, tmp_path, method, path, call, **both)
    record = reported(service, tmp_path)
    (sentence,) = record["watched"] + record["not_set_back"]
    assert sentence.endswith(("the next run ends it.", "sets back what it wrote.", "goes on with that."))
    ended = run(service, tmp_path, **both)
    assert refs(service) == ["login", *remaining], ended.output
    left = mark(tmp_path)
    assert (left["status"] if left else None) == (None if remaining else "set back")
    again = run(service, tmp_path, **both)
    assert refs(service) == ["login", *remaining] and bool(again.code) is not bool(remaining), again.output
    record_property("kills", {"stay" if remaining else "set back": 1})  # of docs/evidence.md


def test_of_several_hosts_those_with_something_to_end_get_a_task_of_their_own(
    service: LocalService, tmp_path: Path
) -> None:
    traffic(service, after=200)
    other = "c" * 32
    service.zone(other).seed(custom_rules=[LOGIN], name="blog.example")
    hosts = {"shop": {"edge_zone_id": ZONE}, "blog": {"edge_zone_id": other}}

    def finished(*rules: dict[str, Any]) -> Run:
        variables = {"baseline_custom_rules": [*rules], "baseline_watch": WATCH}
        variables["baseline_snapshot_directory"] = str(tmp_path / "snapshots")
        inventory = write_inventory(tmp_path, service, {"zones": hosts}, **variables)
        return ansible_playbook("-i", inventory, "playbooks/baseline.yml")

    assert "2 hosts: 0 in order, 0 changed, 2 set back" in finished(LOGIN, ADMIN).output
    assert [rule["ref"] for rule in service.zone(other).custom_rules] == refs(service) == ["login"]
    assert "2 hosts: 2 in order" in finished(LOGIN).done().output


def test_one_query_in_each_interval_asks_for_all_zones_of_a_run(service: LocalService, tmp_path: Path) -> None:
    zones = [ZONE, "c" * 32, "d" * 32]
    hosts = {f"shop{number}": {"edge_zone_id": zone} for number, zone in enumerate(zones)}
    first = service.clock.now().replace(second=0, microsecond=0) - timedelta(minutes=60)
    for number, zone in enumerate(zones):
        seeded = service.zone(zone)
        if zone != ZONE:
            seeded.seed(custom_rules=[LOGIN], name=f"shop{number}.example")
        stops = [{"block": 0}] * 60 + [{"block": 200 if number == 1 else 0}] * 60
        by_minutes(seeded, first, [1000] * 120, {"admin": stops})
    variables = {
        "baseline_custom_rules": [LOGIN, ADMIN],
        "baseline_watch": {"minutes": 4, "interval_seconds": 3},
        "baseline_snapshot_directory": str(tmp_path / "snapshots"),
    }
    inventory = write_inventory(tmp_path, service, {"zones": hosts}, **variables)
    finished = ansible_playbook("-i", inventory, "playbooks/baseline.yml")
    assert "3 hosts: 0 in order, 2 changed, 1 set back" in finished.output
    stay = [[rule["ref"] for rule in service.zone(zone).custom_rules] for zone in zones]
    assert stay == [["login", "admin"], ["login"], ["login", "admin"]]
    asked = [sum(zone in json.dumps(query.body) for zone in zones) for query in service.queries]
    # Some five of one zone, and some for those that begin late on a slow machine; each for itself would ask some 15 times.
    assert len(asked) <= 10 and max(asked) == len(zones), asked


def test_a_confirmation_of_no_change_here_is_said(service: LocalService, tmp_path: Path) -> None:
    traffic(service)
    words = "baseline_confirmed: 0123 names no watched change of this host"
    for watch in (WATCH, None):
        finished = run(
            service, tmp_path, "-e", "baseline_confirmed='0123'", baseline_watch=watch, baseline_custom_rules=[LOGIN]
        )
        assert words in " ".join(finished.done().output.split())

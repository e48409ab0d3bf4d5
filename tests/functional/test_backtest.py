# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Backtests: what planned custom rules would have done to past requests, against the local service."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE, Modules

ADMIN = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
FRANCE = {"ref": "france", "action": "managed_challenge", "expression": 'ip.src.country eq "FR"'}
BOTS = {"ref": "bots", "action": "block", "expression": "cf.client.bot"}
REQUESTS = [
    {"clientRequestPath": "/", "clientCountryName": "DE", "count": 900},
    {"clientRequestPath": "/admin", "clientCountryName": "DE", "count": 60, "hours_ago": 20},
    {"clientRequestPath": "/admin", "clientCountryName": "FR", "count": 40},
    {"clientRequestPath": "/admin", "clientCountryName": "DE", "count": 5000, "hours_ago": 30},
    {"clientRequestPath": "/admin", "requestSource": "edgeWorkerFetch", "count": 7000},
]
RECORDS = [
    {"ClientRequestPath": "/", "ClientCountry": "de", "EdgeStartTimestamp": "2026-07-01T10:00:00Z"},
    {"ClientRequestPath": "/admin", "ClientCountry": "de", "EdgeStartTimestamp": "2026-07-01T09:00:00Z"},
    {"ClientRequestPath": "/admin", "ClientCountry": "fr", "EdgeStartTimestamp": "2026-07-01T11:00:00Z"},
]
ALLOWING = {"max_blocked_percent": 100}


@pytest.fixture(autouse=True)
def seeded(service: LocalService) -> None:
    service.zone(ZONE).seed(custom_rules=[FRANCE], requests=REQUESTS, account_id=ACCOUNT)


def backtest(modules: Modules, *rules: Mapping[str, Any], **options: Any) -> dict[str, Any]:
    result = modules.done("custom_rules", check=True, rules=rules or [ADMIN], backtest={**ALLOWING, **options})
    found: dict[str, Any] = result["backtest"]
    return found


def refusal(modules: Modules, *rules: Mapping[str, Any], **options: Any) -> str:
    failed = modules.failed("custom_rules", check=True, rules=rules or [ADMIN], backtest=options)
    assert [risk["code"] for risk in failed["risks"]] == ["blocks_traffic"] and "backtest" in failed
    message: str = failed["msg"]
    return message


def test_past_requests_are_counted_by_what_the_plan_changes(service: LocalService, modules: Modules) -> None:
    record = backtest(modules)
    assert (record["known"], record["unknown"], record["requests"], record["samples"]) == (True, [], 1000, 1000)
    assert record["newly_blocked"] == {"requests": 60, "percent": 6.0}
    assert record["newly_passed"] == {"requests": 0, "percent": 0.0}
    assert record["undecided"] == {"requests": 0, "percent": 0.0, "fields": []}
    (rule,) = record["rules"]
    assert (rule["ref"], rule["action"], rule["requests"], rule["percent"]) == ("admin", "block", 60, 6.0)
    assert rule["examples"] == [{"http.request.uri.path": "/admin", "requests": 60}]
    since, until = (service.clock.now().fromisoformat(record[name]) for name in ("since", "until"))
    assert (until - since).total_seconds() == 24 * 3600


def test_only_the_fields_that_rules_read_are_asked_for(service: LocalService, modules: Modules) -> None:
    backtest(modules, ADMIN, BOTS)
    _settings, query = service.queries
    assert "dimensions { clientCountryName clientRequestPath }" in query.body["query"]
    assert query.body["variables"]["requests"]["requestSource"] == "eyeball"


def test_check_mode_and_run_say_the_same_and_the_second_run_asks_nothing(
    service: LocalService, modules: Modules
) -> None:
    options: dict[str, Any] = {"rules": [ADMIN], "backtest": ALLOWING}
    predicted = modules.done("custom_rules", check=True, **options)
    without = modules.done("custom_rules", check=True, rules=[ADMIN])
    done = modules.done("custom_rules", **options)
    window = {"since": None, "until": None}
    assert {**done["backtest"], **window} == {**predicted["backtest"], **window}
    assert done["plan_id"] == predicted["plan_id"] == without["plan_id"]
    asked = len(service.queries)
    again = modules.done("custom_rules", **options)
    assert not again["changed"] and "backtest" not in again and len(service.queries) == asked


def test_a_plan_that_blocks_too_much_is_refused_before_anything_is_written(
    service: LocalService, modules: Modules
) -> None:
    message = refusal(modules, max_blocked_percent=5)
    assert "would stop 60 of 1000 requests that pass today (6 %), more than the allowed 5 %: admin 6 %." in message
    assert "accept_risks: [{code: blocks_traffic, resource: custom_rule, entries: [admin]}]" in message
    assert not service.writes
    accepted = [{"code": "blocks_traffic", "resource": "custom_rule", "entries": ["admin"]}]
    result = modules.done("custom_rules", rules=[ADMIN], backtest={}, accept_risks=accepted)
    assert result["changed"] and result["backtest"]["newly_blocked"]["requests"] == 60


def test_undecided_requests_count_as_blocked(modules: Modules) -> None:
    message = refusal(modules, BOTS, max_blocked_percent=5)
    words = "may stop 960 of 1000 requests that pass today (96 %), more than the allowed 5 %. Of 96 % it is not known"
    assert f"{words}, without cf.client.bot." in message


def test_a_rule_that_only_lets_more_pass_is_no_risk(modules: Modules) -> None:
    off = {**FRANCE, "enabled": False}
    result = modules.done("custom_rules", check=True, rules=[off], backtest={}, accept_risks=["weakens_zone"])
    assert result["backtest"]["newly_passed"] == {"requests": 40, "percent": 4.0}


def test_lists_that_can_be_read_are_resolved(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(lists=[{"name": "office", "items": [{"ip": "192.0.2.0/24"}]}])
    service.zone(ZONE).seed(requests=[{"clientIP": "192.0.2.7", "clientCountryName": "DE", "count": 100}])
    office = {"ref": "office", "action": "block", "expression": "ip.src in $office"}
    record = backtest(modules, office)
    assert record["newly_blocked"]["requests"] == 100 and record["undecided"]["fields"] == ["ip.src"]


RULESET: dict[str, Any] = {"name": "Bots", "rules": [ADMIN], "deploy": {"expression": "true"}}


def test_rules_of_a_custom_ruleset_are_tried_in_their_place(modules: Modules) -> None:
    for check in (True, False):
        record = modules.done("custom_ruleset", check, **RULESET, backtest=ALLOWING)["backtest"]
        assert record["newly_blocked"] == {"requests": 60, "percent": 6.0}
        assert [rule["ref"] for rule in record["rules"]] == ["admin of the ruleset Bots"]
    narrower = {**RULESET, "rules": [{**ADMIN, "expression": 'http.request.uri.path eq "/none"'}]}
    record = modules.done("custom_ruleset", True, **narrower, backtest=ALLOWING)["backtest"]
    assert record["newly_passed"]["requests"] == 60


def test_rules_of_an_account_need_a_file(modules: Modules, tmp_path: Path) -> None:
    owner = {"zone_id": None, "account_id": ACCOUNT}
    deploy = {"expression": 'cf.zone.plan eq "ENT" and http.host ne "b"'}
    options: dict[str, Any] = {**RULESET, **owner, "deploy": deploy}
    failed = modules.failed("custom_ruleset", True, **options, backtest=ALLOWING)
    assert "An account has no analytics of single requests; name a file with those of a zone." in failed["msg"]
    file = records_in(tmp_path / "requests", [{**one, "ClientRequestHost": "a"} for one in RECORDS])
    record = modules.done("custom_ruleset", True, **options, backtest={**ALLOWING, "file": file})["backtest"]
    assert record["newly_blocked"] == {"requests": 40, "percent": 66.667}


@pytest.mark.parametrize(("scheme", "blocked"), [("https", 0), ("http", 100)])
def test_the_scheme_decides_ssl(
    service: LocalService, modules: Modules, tmp_path: Path, scheme: str, blocked: int
) -> None:
    service.zone(ZONE).seed(requests=[{"clientRequestScheme": scheme, "clientCountryName": "DE", "count": 100}])
    plain = {"ref": "plain", "action": "block", "expression": "not ssl"}
    file = records_in(tmp_path / "requests", [{"ClientRequestScheme": scheme, "ClientCountry": "de"}], 100)
    assert backtest(modules, plain)["newly_blocked"]["requests"] == blocked
    record = backtest(modules, plain, file=file)
    assert (record["newly_blocked"]["requests"], record["undecided"]["requests"]) == (blocked, 0)


def test_examples_show_arguments_as_a_query_has_them(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(requests=[{"clientRequestQuery": "?a=1&b=2&a=3", "count": 100}])
    rule = {"ref": "one", "action": "block", "expression": 'any(http.request.uri.args["a"][*] eq "1")'}
    (tried,) = backtest(modules, rule)["rules"]
    assert tried["examples"] == [{"http.request.uri.args": "a=1, 3&b=2", "requests": 100}]


UNKNOWN: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"enabled": False}, {}, "The zone has no analytics of HTTP requests."),
    ({"notOlderThan": 36000}, {}, "The zone's analytics are kept for 10 h, and 24 h are asked for."),
    ({"maxPageSize": 2}, {}, "The analytics have more than 2 rows, a full page."),
    ({"maxNumberOfFields": 2}, {}, "The account allows smaller queries only."),
    ({}, {"messages": ["not authorized for that zone"]}, "The token needs the permission Analytics Read (zone)."),
    ({}, {"messages": ["rate limiter budget depleted"]}, "Run again in five minutes"),
]


@pytest.mark.parametrize(("settings", "errors", "words"), UNKNOWN)
def test_not_known_is_too_much(
    service: LocalService, modules: Modules, waits: list[float], settings: Any, errors: Any, words: str
) -> None:
    service.zone(ZONE).seed(analytics={"requests": settings})
    if errors:
        service.misbehave("query_errors", **errors)
    assert words in refusal(modules, max_blocked_percent=100)


def test_few_requests_are_not_known(modules: Modules) -> None:
    assert "Only 0 requests were sampled, fewer than 30." in refusal(modules, hours=0.1, max_blocked_percent=100)


@pytest.mark.parametrize(
    ("hours_ago", "is_known"),
    [
        ((0.02, 0.1), False),
        ([number + 0.5 for number in range(9)], False),
        ([0.01, *(number + 0.5 for number in range(24))], True),
        ([0.01, *(number + 0.5 for number in range(23))], False),
    ],
    ids=["ten minutes", "a third", "each hour", "all but the oldest hour"],
)
def test_requests_of_a_part_of_the_hours_do_not_stand_for_all(
    hours_ago: Sequence[float], is_known: bool, service: LocalService, modules: Modules
) -> None:
    zone = service.zone(ZONE)
    zone.requests.clear()
    zone.seed(requests=[{"clientRequestPath": "/", "count": 1000, "hours_ago": hours} for hours in hours_ago])
    result = modules.run("custom_rules", check=True, rules=[ADMIN], backtest=ALLOWING)
    assert bool(result.get("failed")) is not is_known
    record = result["backtest"]
    assert record["known"] is is_known
    assert [reason.startswith("The analytics saw no requests in ") for reason in record["unknown"]] == [True] * (
        not is_known
    )


def test_windows_are_cut_into_as_many_queries_as_the_settings_demand(service: LocalService, modules: Modules) -> None:
    hourly = [{"clientRequestPath": "/", "count": 100, "hours_ago": number + 0.5} for number in range(48)]
    service.zone(ZONE).seed(analytics={"requests": {"maxDuration": 36000}}, requests=hourly)
    record = backtest(modules, hours=48)
    assert record["known"] and record["requests"] == 10800 and len(service.queries) == 1 + 5


def records_in(path: Path, records: list[Any], times: int = 20, compressed: bool = False) -> str:
    text = "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in records) * times
    path.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
    return str(path)


@pytest.mark.parametrize("compressed", [False, True])
def test_records_of_a_file_stand_in_for_the_analytics(
    service: LocalService, modules: Modules, tmp_path: Path, compressed: bool
) -> None:
    file = records_in(tmp_path / "requests", RECORDS, compressed=compressed)
    record = backtest(modules, file=file)
    assert (record["since"], record["until"]) == ("2026-07-01T09:00:00+00:00", "2026-07-01T11:00:00+00:00")
    assert (record["requests"], record["samples"], record["known"]) == (60, 60, True)
    assert record["newly_blocked"] == {"requests": 20, "percent": 33.333} and not service.queries


def test_malformed_lines_are_counted_as_undecided(modules: Modules, tmp_path: Path) -> None:
    file = records_in(tmp_path / "requests", [*RECORDS, "{", "[1]", "\xff", ""])
    record = backtest(modules, file=file)
    assert record["undecided"]["requests"] == 60
    assert record["undecided"]["fields"] == [f"records in 60 lines of {file}"]


def test_requests_of_cloudflare_itself_are_left_out(modules: Modules, tmp_path: Path) -> None:
    inner = {**RECORDS[1], "ClientRequestSource": "edgeWorkerFetch"}
    assert backtest(modules, file=records_in(tmp_path / "requests", [*RECORDS, inner]))["requests"] == 60


@pytest.mark.parametrize("source", [0, 1, "", None, "unknown", "eyeball", "orangeToOrange"])
def test_requests_of_clients_are_evaluated(modules: Modules, tmp_path: Path, source: Any) -> None:
    records = [{**one, "ClientRequestSource": source} for one in RECORDS]
    record = backtest(modules, file=records_in(tmp_path / "requests", records))
    assert (record["requests"], record["undecided"]["requests"]) == (60, 0)


@pytest.mark.parametrize("source", ["newService", 99, 3.5, ["eyeball"], {"of": "eyeball"}])
def test_requests_of_a_source_that_is_not_known_are_undecided(modules: Modules, tmp_path: Path, source: Any) -> None:
    others = [{**RECORDS[1], "ClientRequestSource": source}] * 3
    file = records_in(tmp_path / "requests", [*RECORDS, *others])
    record = backtest(modules, file=file)
    assert (record["requests"], record["undecided"]["requests"]) == (120, 60)
    assert record["undecided"]["fields"] == [f"ClientRequestSource in 60 lines of {file}"]
    assert refusal(modules, file=records_in(tmp_path / "alone", others), max_blocked_percent=0)


@pytest.mark.parametrize("moment", [10**30, -(10**30), 10**400, 253402300800, -62135596801, 10**18, "9" * 50, True])
def test_a_time_that_no_calendar_has_is_none(modules: Modules, tmp_path: Path, moment: Any) -> None:
    records = [{**one, "EdgeStartTimestamp": moment} for one in RECORDS]
    record = backtest(modules, file=records_in(tmp_path / "requests", records))
    assert record["requests"] == 60 and record["known"]
    assert record["since"] is None or record["since"] < "2100"


def test_columns_that_records_lack_are_undecided(modules: Modules, tmp_path: Path) -> None:
    file = records_in(tmp_path / "requests", [{"ClientCountry": "de"}], 50)
    undecided = backtest(modules, file=file)["undecided"]
    assert undecided == {"requests": 50, "percent": 100.0, "fields": ["http.request.uri.path"]}


def test_the_path_is_also_read_from_the_uri(modules: Modules, tmp_path: Path) -> None:
    records = [{**one, "ClientRequestURI": f"{one['ClientRequestPath']}?a=b"} for one in RECORDS]
    without_path = [{name: one[name] for name in one if name != "ClientRequestPath"} for one in records]
    file = records_in(tmp_path / "requests", without_path)
    assert backtest(modules, file=file) == backtest(modules, file=records_in(tmp_path / "whole", records))
    absolute = [{**one, "ClientRequestURI": "https://a.example/"} for one in without_path]
    assert backtest(modules, file=records_in(tmp_path / "absolute", absolute))["undecided"]["requests"] == 40


def test_a_file_of_several_zones_is_said(modules: Modules, tmp_path: Path) -> None:
    records = [{**one, "ZoneName": "a.example"} for one in RECORDS]
    assert backtest(modules, file=records_in(tmp_path / "single", records))["known"]
    records[1]["ZoneName"] = "b.example"
    file = records_in(tmp_path / "several", records)
    words = f"The file {file} has requests to several zones (a.example, b.example). Keep those of the zone."
    assert words in refusal(modules, file=file, max_blocked_percent=100)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x1f\x8b broken", "cannot be read to its end"),
        (b"[]", "No line of the file {} is the record of a request of a client. If"),
        (b'{"ClientRequestSource": "edgeWorkerFetch"}', "is the record of a request of a client. If"),
        (b"", "is the record of a request of a client. If"),
    ],
)
def test_a_file_without_records_or_without_its_end_is_not_known(
    modules: Modules, tmp_path: Path, content: bytes, words: str
) -> None:
    file = tmp_path / "requests"
    file.write_bytes(content)
    assert words.format(file) in refusal(modules, file=str(file), max_blocked_percent=100)


@pytest.mark.parametrize("check", [True, False])
def test_a_file_that_cannot_be_opened_is_an_error_and_no_risk(
    check: bool, service: LocalService, modules: Modules, tmp_path: Path
) -> None:
    task: dict[str, Any] = {
        "rules": [ADMIN],
        "backtest": {"file": str(tmp_path / "none")},
        "accept_risks": ["blocks_traffic"],
    }
    failed = modules.failed("custom_rules", check, **task)
    assert (
        failed["msg"]
        == f"backtest.file: {tmp_path / 'none'} cannot be opened: No such file or directory. Name a file that is there. Nothing was changed."
    )
    assert "risks" not in failed and service.writes == []


def test_requests_before_the_end_of_a_broken_file_are_evaluated(modules: Modules, tmp_path: Path) -> None:
    path = Path(records_in(tmp_path / "requests", RECORDS, compressed=True))
    path.write_bytes(path.read_bytes()[:-8])  # without the checksum and the size
    task: dict[str, Any] = {"rules": [ADMIN], "backtest": {**ALLOWING, "file": str(path)}}
    failed = modules.failed("custom_rules", check=True, **task)
    record = failed["backtest"]
    assert (record["known"], record["requests"]) == (False, 60)
    assert record["newly_blocked"] == {"requests": 20, "percent": 33.333}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"hours": 0}, "backtest.hours: 0 is not above 0"),
        ({"max_blocked_percent": 101}, "backtest.max_blocked_percent: 101 is not between 0 and 100"),
    ],
)
def test_wrong_limits_are_refused(service: LocalService, modules: Modules, options: Any, words: str) -> None:
    assert modules.failed("custom_rules", rules=[ADMIN], backtest=options)["msg"].startswith(words)
    assert not service.calls


def test_a_task_without_a_backtest_asks_nothing(
    service: LocalService, modules: Modules, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_planning.evidence", "_protection.backtest", "_protection.past_requests", "_traffic.ask"):
        full_name = f"ansible_collections.edgeops.protection.plugins.module_utils.{name}"
        monkeypatch.setitem(sys.modules, full_name, None)  # an import fails
    assert "backtest" not in modules.done("custom_rules", rules=[ADMIN]) and not service.queries

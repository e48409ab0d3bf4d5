# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The doctor sees every deviation of an account and a zone, says no more than it knows, and keeps what is private."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import parts_to_read
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.answers import HostAnswers, examine_host
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.findings import assumptions
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.record import (
    Record,
    bundle_text,
    failures,
    lines_of,
    record_of,
)

from tests.documentation.samples import RULESETS_STATE
from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE

RULE = {"scope": "global", "name": "global", "mode": "monitoring"}
PREFIXES = [{"prefix": f"192.0.2.{16 * number}/28", "comment": f"secret-{number}"} for number in range(12)]
CUSTOM_RULE = {"ref": "office", "action": "block", "expression": "ip.src eq 198.51.100.7"}
LISTS = r"/configs/prefixes$"
SYN_RULES = r"/syn_protection/rules$"


def seed(service: LocalService) -> None:
    """An account with something in every list, and a zone that has its rules."""
    service.switch(checked_against_contract=False)  # which would take most of the time
    service.rate_limit(1200, 300)
    service.account(ACCOUNT).seed(
        enabled=True,
        prefixes=PREFIXES,
        allowlist=[{"prefix": "198.51.100.7", "comment": "secret-probe"}],
        syn_flood={"rules": [RULE], "filters": [{"expression": "ip.dst in {192.0.2.0/28}"}]},
        out_of_state_tcp={"rules": [RULE], "filters": []},
        dns_rules=[RULE],
        ddos_l4_overrides=RULESETS_STATE["ddos_l4_overrides"],
        network_firewall_rules=RULESETS_STATE["network_firewall_rules"],
        lists=[{"name": "offices", "items": [{"ip": "192.0.2.1"}]}],
    )
    service.zone(ZONE).seed(
        rules=[{"action": "block", "filter": {"expression": "ip.src eq 198.51.100.8"}}],
        custom_rules=[CUSTOM_RULE],
        ddos_l7_overrides=RULESETS_STATE["ddos_l7_overrides"],
        plan="pro",
    )


def variables(service: LocalService) -> dict[str, Any]:
    return {
        "edge_account_id": ACCOUNT,
        "edge_zone_id": ZONE,
        "edge_api_token": service.token,
        "edge_base_url": service.base_url,
        "baseline_call_budget": 0,
    }


def examined(service: LocalService, **others: Any) -> tuple[HostAnswers, Record]:
    parts = parts_to_read("frankfurt", {**variables(service), **others})
    examination = examine_host(parts, lambda text: None, lambda: datetime.now(UTC))
    return examination, record_of("frankfurt", "2027-01-29T09:15:02+00:00", examination)


def verdicts(record: Record) -> dict[str, bool | None]:
    return {item["name"]: item["holds"] for item in record["assumptions"]}


def test_an_account_and_a_zone_as_documented_meet_every_assumption_that_a_read_shows(service: LocalService) -> None:
    seed(service)
    service.switch(checked_against_contract=True)
    _examination, record = examined(service)
    written = {item.name for item in assumptions() if item.shown_by_writes}
    assert all(verdict is True for name, verdict in verdicts(record).items() if name not in written)
    assert all(verdicts(record)[name] is None for name in written)
    assert not service.writes
    assert all(item["objects"] is not None for item in record["answers"])
    assert record["calls"] == len(service.calls)
    lines = [*lines_of(record)]
    assert "  permission DDoS Protection Read (account): granted." in lines
    assert "  product Advanced TCP Protection: available." in lines
    assert not [line for line in lines if "No answer came" in line]


@dataclass(frozen=True)
class Deviation:
    """One way for a service to deviate: faults, as `misbehave` takes them, or another state; and which assumption does
    not hold then, with a part of the reason."""

    name: str
    assumption: str
    reason: str
    fault: Mapping[str, Any] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)


def entry(path: str, **fields: str) -> dict[str, Any]:
    return {"kind": "entry", "path": path, "fields": fields}


def on(path: str, kind: str, **settings: Any) -> dict[str, Any]:
    return {"kind": kind, "path": path, **settings}


ENTRY_POINT = r"/entrypoint$"
HEADERS = {"Ratelimit": '"default";r=90;t=60', "Ratelimit-Policy": '"burst";q=100;w=60'}
DEVIATIONS = [
    Deviation("a page", "envelope", "prefixes: HTTP 522", on(LISTS, "html")),
    Deviation("half the JSON", "envelope", "prefixes: HTTP 200", on(LISTS, "truncated")),
    Deviation("no body", "envelope", "prefixes: HTTP 200", on(LISTS, "empty")),
    Deviation("a list in the place of the envelope", "envelope", "no object", on(LISTS, "raw", body="[]")),
    Deviation("no errors", "envelope", "no errors", on(LISTS, "raw", body='{"result":[],"success":true,"messages":[]}')),
    Deviation("a number for messages", "envelope", "messages is a int", on(LISTS, "member", members={"messages": "7"})),
    Deviation("no result_info", "totals", "prefixes: no total_count", on(LISTS, "no_result_info")),
    Deviation("a total too low", "totals", "total_count is 3", on(LISTS, "member", members={"result_info": '{"total_count":3}'})),
    Deviation("no ids", "ids", "no id in 12 of 12 objects", on(LISTS, "missing_fields", fields=["id"])),
    Deviation("a number as id", "ids", "no id in 1 of 12 objects", entry(LISTS, id="7")),
    Deviation("a field lacks", "fields_present", "no comment in 12 of 12", on(LISTS, "missing_fields", fields=["comment"])),
    Deviation("fields that nobody knows", "fields_known", "unknown field x_region in 12 of 12", on(LISTS, "extra_fields")),
    Deviation("a parameter that nobody knows", "fields_known", "action_parameters.increment",
              entry(ENTRY_POINT, action_parameters='{"increment": 4}')),
    Deviation("a field of a filter", "fields_known", "unknown field filter.score", on("/firewall/rules$", "entry", fields={
        "filter": '{"id": "b9ec48ecc47f045cc16278a5942aeeb2", "expression": "true", "score": 1}'})),
    Deviation("a text for a flag", "types", "excluded is a str", entry(LISTS, excluded='"false"')),
    Deviation("a number for a text", "types", "comment is a int", entry(LISTS, comment="5")),
    Deviation("a status that is no flag", "types", "enabled is a str", entry("tcp_protection_status", enabled='"on"')),
    Deviation("a new level", "words", "level is extreme in 1 of 1", entry("security_level", value='"extreme"')),
    Deviation("a new mode", "words", "mode is adaptive in 1 of 1", entry(SYN_RULES, mode='"adaptive"')),
    Deviation("a new scope", "words", "scope is continent", entry(SYN_RULES, scope='"continent"')),
    Deviation("a new action", "words", "action is rewrite", entry(ENTRY_POINT, action='"rewrite"')),
    Deviation("a malformed network", "networks", "prefix is not a network in 1 of 12", entry(LISTS, prefix='"203.0.113/24"')),
    Deviation("an odd expression", "expressions", "an expression that cannot be read",
              entry(ENTRY_POINT, expression='"ip.src between {1 2}"')),
    Deviation("a filter's new field", "expressions", "SYN flood filters", entry("/syn_protection/filters$", expression='"udp.dstport eq 53"')),
    Deviation("duplicates", "keys", "the same prefix in 1 of 12", entry(LISTS, prefix='"192.0.2.16/28"')),
    Deviation("an unreadable time", "times", "an unreadable modified_on", entry(SYN_RULES, modified_on='"yesterday"')),
    Deviation("no ref", "fields_present", "no ref in 1 of 1", on(ENTRY_POINT, "raw", body=json.dumps(
        {"success": True, "errors": [], "messages": [], "result": {"id": "a", "rules": [{"id": "b", "action": "block"}]}}))),
    Deviation("no Date", "date", "the header Date is missing", on(LISTS, "headers", headers={"Date": "now"})),
    Deviation("another clock", "date", "the clocks differ by about 5", on(".*", "headers", headers={"Date": "Sun, 06 Nov 2044 08:49:37 GMT"})),
    Deviation("no rate limit headers", "rate_limit_headers", "unknown form", on(LISTS, "headers", headers={"Ratelimit": "many"})),
    Deviation("a lower rate limit", "rate_limit", "Ratelimit-Policy allows 100 calls in 60 s", on(LISTS, "headers", headers=HEADERS)),
    Deviation("an unknown plan", "plans", "the plan is platinum", state={"plan": "platinum"}),
    Deviation("no settings of the analytics", "analytics", "no settings for Advanced TCP Protection",
              on("/graphql$", "raw", body='{"data": {"viewer": {"accounts": [{"settings": {}}]}}}')),
]  # fmt: skip


@pytest.mark.parametrize("case", DEVIATIONS, ids=lambda case: case.name)
def test_a_deviation_is_told_with_its_place(case: Deviation, service: LocalService) -> None:
    seed(service)
    if "plan" in case.state:
        service.zone(ZONE).seed(plan=case.state["plan"])
    if case.fault:
        service.misbehave(**case.fault)
    _examination, record = examined(service)
    item = next(item for item in record["assumptions"] if item["name"] == case.assumption)
    assert item["holds"] is False, item
    assert any(case.reason in reason for reason in item["reasons"]), item["reasons"]
    text = "\n".join(lines_of(record))
    assert f"DOES NOT HOLD {case.assumption}" in text
    assert failures(record, "deviation")[0].startswith("assumptions that do not hold: ")
    assert not service.writes


def test_every_assumption_that_a_read_shows_has_a_deviation_in_the_table() -> None:
    assert {case.assumption for case in DEVIATIONS} == {item.name for item in assumptions() if not item.shown_by_writes}


REFUSALS = [
    ({"protection": "none"}, {}, "DDoS Protection Read (account)", False, "HTTP 403 [10000]"),
    ({"waf": "none"}, {}, "Zone WAF Read (zone)", False, "HTTP 403 [10000]"),
    ({"zone_settings": "none"}, {}, "Zone Settings Read (zone)", False, "HTTP 403 [10000]"),
    ({"addressing": "none"}, {}, "IP Prefixes Read (account)", False, "HTTP 403 [10000]"),
    ({"analytics": "none"}, {}, "Account Analytics Read (account)", False, "HTTP 403"),
    ({}, on("/configs/", "status", status=500), "DDoS Protection Read (account)", None, "HTTP 500"),
    ({}, on("/configs/", "lost_before"), "DDoS Protection Read (account)", None, "got no response"),
    ({}, on("/configs/", "status", status=429, headers={"Retry-After": "299"}), "DDoS Protection Read (account)", None, "HTTP 429"),
]  # fmt: skip


@pytest.mark.parametrize(("grant", "fault", "name", "expected", "reason"), REFUSALS, ids=lambda value: None)
def test_a_permission_is_refused_or_not_known(
    grant: Mapping[str, str], fault: Mapping[str, Any], name: str, expected: bool | None, reason: str, service: LocalService
) -> None:  # fmt: skip
    seed(service)
    service.credentials.load({service.token: grant}, None)
    if fault:
        service.misbehave(**fault)
    _examination, record = examined(service)
    finding = next(item for item in record["permissions"] if item["name"] == name)
    assert finding["available"] is expected
    assert reason in finding["reason"]
    assert finding["needed_for"]
    assert failures(record, "unknown")


def test_no_permission_to_write_is_taken_for_granted(service: LocalService) -> None:
    seed(service)
    _examination, record = examined(service)
    writes = [item for item in record["permissions"] if " Write " in item["name"]]
    assert writes and all(item["available"] is None and item["reason"] for item in writes)


PRODUCTS: Sequence[tuple[dict[str, Any], dict[str, Any], str, bool | None]] = [
    ({"entitled": False}, {}, "Advanced TCP Protection", False),
    ({"dns_entitled": False}, {}, "Advanced DNS Protection", False),
    ({"analytics": {"dns": {"enabled": False}}}, {}, "analytics of Advanced DNS Protection", False),
    ({}, {"kind": "gone"}, "the API of firewall rules", False),
    ({}, on("/firewall/rules$", "status", status=502), "the API of firewall rules", None),
    ({}, on("/graphql$", "query_errors", messages=["not authorized"]), "analytics of Advanced TCP Protection", None),
    ({}, on("/configs/", "html"), "Advanced TCP Protection", None),
    ({}, on(f"/zones/{ZONE}$", "status", status=500), "a known plan", None),
]


@pytest.mark.parametrize(("account", "fault", "name", "expected"), PRODUCTS, ids=lambda value: None)
def test_a_product_is_not_there_or_not_known(
    account: dict[str, Any], fault: dict[str, Any], name: str, expected: bool | None, service: LocalService
) -> None:
    seed(service)
    service.account(ACCOUNT).seed(**account)
    if fault:
        service.misbehave(**fault)
    _examination, record = examined(service)
    finding = next(item for item in record["products"] if item["name"] == name)
    assert finding["available"] is expected, finding
    assert finding["reason"]


def test_a_token_without_products_still_has_its_permission_unknown_rather_than_refused(service: LocalService) -> None:
    seed(service)
    service.account(ACCOUNT).seed(entitled=False)
    _examination, record = examined(service)
    finding = next(item for item in record["permissions"] if item["name"] == "DDoS Protection Read (account)")
    assert finding["available"] is None


def test_the_distance_of_the_clocks_is_told(service: LocalService) -> None:
    seed(service)
    service.clock.advance(seconds=90)
    _examination, record = examined(service)
    assert record["clock"]["seconds_ahead"] == pytest.approx(90, abs=3)
    assert verdicts(record)["date"] is True


def test_nothing_is_known_of_a_service_that_does_not_answer(service: LocalService) -> None:
    seed(service)
    service.misbehave("lost_before")
    _examination, record = examined(service)
    assert set(verdicts(record).values()) == {None}
    assert all(item["available"] is None for item in (*record["permissions"], *record["products"]))
    assert record["clock"]["seconds_ahead"] is None
    assert all(item["objects"] is None and item["reason"] for item in record["answers"])


def test_a_zone_that_goes_by_an_unknown_name_does_not_hide_its_account(service: LocalService) -> None:
    seed(service)
    _examination, record = examined(service, edge_zone_id=None, edge_zone_name="unknown.example")
    answers = {item["resource"]: item for item in record["answers"]}
    assert answers["prefixes"]["objects"] == len(PREFIXES)
    assert "edge_zone_name: the credentials see no zone" in answers["zone"]["reason"]


def test_a_host_without_credentials_is_told_so(service: LocalService) -> None:
    with pytest.raises(ValueError, match="frankfurt lacks credentials: set edge_api_token"):
        examined(service, edge_api_token=None)
    with pytest.raises(ValueError, match="edge_base_url: it must be https"):
        examined(service, edge_base_url="http://192.0.2.1")
    assert not service.calls


PRIVATE = ("192.0.2", "198.51.100", "secret-", ACCOUNT, ZONE, "frankfurt", "operator@", "office")


def test_the_bundle_has_the_shapes_of_answers_and_nothing_private(service: LocalService) -> None:
    seed(service)
    service.misbehave("extra_fields", path=LISTS)
    words = f"The address 192.0.2.7 of {ACCOUNT} at a.example (operator@a.example, 2001:db8::1) is odd"
    service.misbehave("status", path="/allowlist$", status=400, errors=[{"code": 1, "message": words}])
    examination, record = examined(service)
    text = bundle_text(record, examination, b"salt")
    assert [word for word in (*PRIVATE, service.token, "2001:db8", "a.example") if word in text] == []
    document = json.loads(text)
    prefixes = next(item for item in document["shapes"] if item["request"].endswith("/prefixes"))
    assert prefixes["shape"]["result"][0]["prefix"] == "str"
    assert prefixes["shape"]["result"][0]["x_region"] == "str"
    assert document["account_id"] in prefixes["request"]
    assert "The address (address) of (id) at (name)" in text


def test_names_that_look_like_words_are_no_part_of_messages(service: LocalService) -> None:
    seed(service)
    service.account(ACCOUNT).seed(name="Northwind Harbour")
    service.zone(ZONE).seed(name="intranet")
    words = "NORTHWIND HARBOUR may not change the zone Intranet, nor intranets"
    service.misbehave("status", path="/allowlist$", status=403, errors=[{"code": 1, "message": words}])
    examination, record = examined(service)
    text = bundle_text(record, examination, b"salt")
    assert "harbour" not in text.lower() and "(name) may not change the zone (name), nor intranets" in text


def test_bundles_of_the_same_host_cannot_be_told_to_be_of_the_same_host(service: LocalService) -> None:
    seed(service)
    examination, record = examined(service)
    one, other = (json.loads(bundle_text(record, examination, salt)) for salt in (b"a", b"b"))
    assert one["account_id"] != other["account_id"] and one["host"] != other["host"]

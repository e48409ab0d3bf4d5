# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The doctor sees every deviation of an account and a zone, says no more than it knows, and keeps what is private."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.answers import HostAnswers, examine_host
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.doctor import (
    Record,
    assumptions,
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
    part = host_part("frankfurt", {**variables(service), **others})
    examination = examine_host(part, lambda text: None, lambda: datetime.now(UTC))
    return examination, record_of("frankfurt", "2027-01-29T09:15:02+00:00", examination)


def verdicts(record: Record) -> dict[str, bool | None]:
    return {item["name"]: item["holds"] for item in record["assumptions"]}


def test_an_account_and_a_zone_as_documented_meet_every_assumption_that_a_read_shows(service: LocalService) -> None:
    seed(service)
    service.switch(checked_against_contract=True)
    examination, record = examined(service)
    assert verdicts(record) == {item.name: True for item in assumptions() if item.is_checked}
    assert not service.writes
    assert all(item["objects"] is not None and item["reason"] == "" for item in record["answers"])
    assert len({item.resource.path for item in examination.answers}) == len(examination.answers)
    assert record["calls"] == len(service.calls)
    lines = [*lines_of(record)]
    assert "  permission DDoS Protection Read (account): granted." in lines
    assert "  product Advanced TCP Protection: available." in lines
    assert "  product the plan Pro: available." in lines
    assert not failures(record, "unknown") and not failures(record, "deviation")


@dataclass(frozen=True)
class Deviation:
    """One way for a service to deviate: a fault, as `misbehave` takes it, and which assumption does not hold then, with a
    part of the reason."""

    name: str
    assumption: str
    reason: str
    fault: Mapping[str, Any]


def entry(path: str, **fields: str) -> dict[str, Any]:
    return {"kind": "entry", "path": path, "fields": fields}


def on(path: str, kind: str, **settings: Any) -> dict[str, Any]:
    return {"kind": kind, "path": path, **settings}


ENTRY_POINT = r"/entrypoint$"
DEVIATIONS = [
    Deviation("a number as id", "ids", "prefixes: 1 without an id", entry(LISTS, id="7")),
    Deviation("fields that nobody knows", "fields_known", "prefixes: unknown .x_region: str", on(LISTS, "extra_fields")),
    Deviation("a parameter that nobody knows", "fields_known", ".action_parameters.increment: int",
              entry(ENTRY_POINT, action_parameters='{"increment": 4}')),
    Deviation("a field of a filter", "fields_known", "unknown .filter: dict, .filter.score: int", entry("/firewall/rules$",
              filter='{"id": "b9ec48ecc47f045cc16278a5942aeeb2", "expression": "true", "score": 1}')),
    Deviation("a text for a flag", "described", "no option stands for excluded: 'off'", entry(LISTS, excluded='"off"')),
    Deviation("a status that is no flag", "described", "enabled is 'on'", entry("tcp_protection_status", enabled='"on"')),
    Deviation("a new level", "described", "level: 'extreme' is none of", entry("security_level", value='"extreme"')),
    Deviation("a new mode", "described", "mode: 'adaptive' is none of", entry(SYN_RULES, mode='"adaptive"')),
    Deviation("a mode lacks", "described", "no option stands for mode: None", on(SYN_RULES, "missing_fields", fields=["mode"])),
    Deviation("a new scope", "described", "scope: 'continent' is none of", entry(SYN_RULES, scope='"continent"')),
    Deviation("a malformed network", "described", "203.0.113.x/24", entry(LISTS, prefix='"203.0.113.x/24"')),
    Deviation("an odd expression", "described", "column 8", entry(ENTRY_POINT, expression='"ip.src between {1 2}"')),
    Deviation("a new action", "described", "action: 'rewrite' is none of", entry(ENTRY_POINT, action='"rewrite"')),
    Deviation("duplicates", "described", "exists more than once", entry(LISTS, prefix='"192.0.2.16/28"')),
    Deviation("no ref", "described", "cannot be described", on(ENTRY_POINT, "raw", body=json.dumps(
        {"success": True, "errors": [], "messages": [], "result": {"id": "a", "rules": [{"id": "b", "action": "block"}]}}))),
    Deviation("no Date", "date", "the header Date is missing", on(".*", "headers", headers={"Date": "now"})),
    Deviation("another clock", "date", "the clocks differ by about 5", on(".*", "headers", headers={"Date": "Sun, 06 Nov 2044 08:49:37 GMT"})),
]  # fmt: skip


@pytest.mark.parametrize("case", DEVIATIONS, ids=lambda case: case.name)
def test_a_deviation_is_told_with_its_place(case: Deviation, service: LocalService) -> None:
    seed(service)
    service.misbehave(**case.fault)
    _examination, record = examined(service)
    item = next(item for item in record["assumptions"] if item["name"] == case.assumption)
    assert item["holds"] is False, item
    assert any(case.reason in reason for reason in item["reasons"]), item["reasons"]
    text = "\n".join(lines_of(record))
    assert f"DOES NOT HOLD {case.assumption}" in text
    assert failures(record, "deviation")[0].startswith("assumptions that do not hold: ")
    assert not service.writes


def test_every_assumption_that_is_checked_has_a_deviation_in_the_table() -> None:
    assert {case.assumption for case in DEVIATIONS} == {item.name for item in assumptions() if item.is_checked}


REFUSALS = [
    ({"protection": "none"}, {}, "DDoS Protection Read (account)", False, "HTTP 403 [10000]"),
    ({"waf": "none"}, {}, "Zone WAF Read (zone)", False, "HTTP 403 [10000]"),
    ({"zone_settings": "none"}, {}, "Zone Settings Read (zone)", False, "HTTP 403 [10000]"),
    ({"addressing": "none"}, {}, "IP Prefixes Read (account)", False, "HTTP 403 [10000]"),
    ({"analytics": "none"}, {}, "Account Analytics Read (account)", False, "HTTP 403"),
    ({}, on("/configs/", "status", status=500), "DDoS Protection Read (account)", None, "HTTP 500"),
    ({}, on("/configs/", "lost_before"), "DDoS Protection Read (account)", None, "no answer"),
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
    assert failures(record, "unknown")[0].startswith("not read: ")
    unread = [item for item in record["answers"] if item["objects"] is None]
    assert all(f"  not read: {item['resource']}. {item['reason']}" in [*lines_of(record)] for item in unread)


PRODUCTS: Sequence[tuple[dict[str, Any], dict[str, Any], str, bool | None]] = [
    ({"entitled": False}, {}, "Advanced TCP Protection", False),
    ({"dns_entitled": False}, {}, "Advanced DNS Protection", False),
    ({"analytics": {"dns": {"enabled": False}}}, {}, "analytics of Advanced DNS Protection", False),
    ({}, on("/graphql$", "query_errors", messages=["not authorized"]), "analytics of Advanced TCP Protection", None),
    ({}, on("/configs/", "html"), "Advanced TCP Protection", None),
    ({}, on(f"/zones/{ZONE}$", "status", status=500), "a known plan", None),
    ({}, entry(f"/zones/{ZONE}$", plan='{"legacy_id": "platinum"}'), "a known plan", None),
    ({}, on("/graphql$", "raw", body='{"data": {"viewer": {"accounts": [{"settings": {}}]}}}'),
     "analytics of Advanced TCP Protection", None),
]  # fmt: skip


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


def test_nothing_is_known_of_a_service_that_does_not_answer(service: LocalService) -> None:
    seed(service)
    service.misbehave("lost_before")
    _examination, record = examined(service)
    assert set(verdicts(record).values()) == {None}
    assert all(item["available"] is None for item in (*record["permissions"], *record["products"]))
    assert all(item["objects"] is None and "got no response" in item["reason"] for item in record["answers"])
    assert [*lines_of(record)][-1] == "  assumptions that hold: 0; that do not: 0; that no answer shows: 4."


def test_a_zone_that_goes_by_an_unknown_name_does_not_hide_its_account(service: LocalService) -> None:
    seed(service)
    _examination, record = examined(service, edge_zone_id=None, edge_zone_name="unknown.example")
    answers = {item["resource"]: item for item in record["answers"]}
    assert answers["prefixes"]["objects"] == len(PREFIXES)
    assert "edge_zone_name: the credentials see no zone" in answers["zone"]["reason"]


def test_a_host_without_credentials_is_told_so(service: LocalService) -> None:
    with pytest.raises(ValueError, match="frankfurt lacks credentials: set edge_api_token"):
        examined(service, edge_api_token=None)
    assert not service.calls


PRIVATE = (
    "192.0.2",
    "198.51.100",
    "secret-",
    ACCOUNT,
    ZONE,
    "frankfurt",
    "operator@",
    "office",
    "Northwind",
    "intranet",
)


def test_the_bundle_has_the_shapes_of_answers_and_nothing_private(service: LocalService) -> None:
    seed(service)
    service.account(ACCOUNT).seed(name="Northwind")
    service.zone(ZONE).seed(name="intranet")
    service.misbehave("extra_fields", path=LISTS)
    service.misbehave("entry", path=SYN_RULES, fields={"mode": '"192.0.2.99"', "192.0.2.98": "1"})
    words = f"The address 192.0.2.7 of {ACCOUNT} at Northwind (operator@a.example) is odd"
    service.misbehave("status", path="/allowlist$", status=400, errors=[{"code": 1, "message": words}])
    examination, record = examined(service)
    assert words in next(item["reason"] for item in record["answers"] if item["objects"] is None)
    text = bundle_text(record, examination.answers)
    assert [word for word in (*PRIVATE, service.token, "a.example") if word in text] == []
    document = json.loads(text)
    assert (document["assumptions"]["described"], document["assumptions"]["fields_known"]) == (False, False)
    answers = {item["path"].rpartition("/configs/")[2]: item for item in document["answers"]}
    shape = answers["prefixes"]["shape"]
    assert (shape[".prefix: str"], shape[".x_region: str"]) == (len(PREFIXES), len(PREFIXES))
    assert answers["syn_protection/rules"]["shape"][".(name): int"] == 1
    assert (answers["allowlist"]["reason"], answers["allowlist"]["shape"]) == ("HTTP 400 [1]", {})

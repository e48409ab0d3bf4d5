# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Accounts and zones by what they are entitled to: each is a host like any other, for all that reads or writes it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import (
    Part,
    connection_options,
    host_part,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.answers import examine_host
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.doctor import is_as_expected, record_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import (
    export_state,
    exported_resources,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.host_state import read_host
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import report_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.news import NewsTerms, news_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import HostRecord
from ansible_collections.edgeops.protection.plugins.plugin_utils._tasks.news import TOLD

from tests.fake_service import LocalService
from tests.support.baseline_runs import restored, snapshot
from tests.support.host_parts import LOGIN_LIMIT, host, lawful_part, run_module
from tests.support.module_run import ACCOUNT, ZONE
from tests.support.reported_host import NOW, assessed, predicted

NONE_OF_MAGIC_TRANSIT = {"entitled": False, "dns_entitled": False, "firewall_entitled": False}
LACKED = {"tcp_protection": "not entitled", "dns_protection": "not known", "network_firewall": "not known"}
HAS_TCP = {**LACKED, "tcp_protection": "entitled"}
BLOCK = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
OFFICE = {"name": "office", "items": [{"ip": "198.51.100.0/24"}]}
UDP = {"ref": "udp", "action": "block", "expression": 'ip.proto eq "udp" and udp.dstport in {53}'}
PREFIX = {"prefix": "192.0.2.0/24"}
RULESET = {"name": "bots", "rules": [BLOCK]}
OVERRIDE = {"ref": "udp", "expression": "true", "sensitivity": "low"}
OF_LIST: dict[str, Any] = {
    "baseline_custom_rules": [{**BLOCK, "expression": "ip.src in $office"}],
    "baseline_ip_lists": [OFFICE],
}


class Entitlement(NamedTuple):
    """What an account and its zone have, what the variables describe, and which products the results say."""

    account: Mapping[str, Any]
    zone: Mapping[str, Any]
    variables: Mapping[str, Any]
    products: Mapping[str, str]


def lacking(phase: str, option: str, **more: Any) -> Entitlement:
    """An account without Magic Transit that lacks a phase, or lists, as well; the baseline names an empty list of it."""
    variables = {"baseline_custom_rules": [BLOCK], option: [], **more}
    return Entitlement(
        {**NONE_OF_MAGIC_TRANSIT, "not_entitled": [phase]},
        {},
        variables,
        {**LACKED, option.removeprefix("baseline_"): "not entitled"},
    )


ENTITLEMENTS: Mapping[str, Entitlement] = {
    "WAF alone": Entitlement(NONE_OF_MAGIC_TRANSIT, {}, OF_LIST, LACKED),
    "Network Firewall without TCP protection": Entitlement(
        {**NONE_OF_MAGIC_TRANSIT, "firewall_entitled": True},
        {},
        {**OF_LIST, "baseline_network_firewall_rules": [UDP]},
        {**LACKED, "network_firewall": "entitled"},
    ),
    "TCP without DNS": Entitlement(
        {"dns_entitled": False},
        {},
        {**OF_LIST, "baseline_dns_rules": [], "baseline_prefixes": [PREFIX], "baseline_enabled": True},
        {**HAS_TCP, "dns_protection": "not entitled"},
    ),
    "TCP and DNS without Network Firewall": Entitlement(
        {"firewall_entitled": False},
        {},
        {
            "baseline_dns_rules": [{"scope": "global"}],
            "baseline_prefixes": [PREFIX],
            "baseline_network_firewall_rules": [],
        },
        {"tcp_protection": "entitled", "dns_protection": "entitled", "network_firewall": "not entitled"},
    ),
    "no lists": lacking("lists", "baseline_ip_lists"),
    "no overrides of L3/4 DDoS rules": lacking("ddos_l4", "baseline_ddos_l4_overrides"),
    "no custom rulesets of the account": lacking("http_request_firewall_custom", "baseline_custom_rulesets")._replace(
        products={**LACKED, "account_custom_rulesets": "not entitled"}
    ),
    **{
        f"no {option} in the zone": Entitlement(
            NONE_OF_MAGIC_TRANSIT,
            {"not_entitled": [phase]},
            {"baseline_custom_rules": [BLOCK], f"baseline_{option}": []},
            {**LACKED, option: "not entitled"},
        )
        for option, phase in (
            ("rate_limit_rules", "http_ratelimit"),
            ("managed_rules", "http_request_firewall_managed"),
            ("ddos_l7_overrides", "ddos_l7"),
        )
    },
    **{
        f"a zone of the plan {plan}": Entitlement(
            NONE_OF_MAGIC_TRANSIT, {"plan": plan}, {**OF_LIST, "baseline_rate_limit_rules": [LOGIN_LIMIT]}, LACKED
        )
        for plan in ("free", "pro", "business", "enterprise")
    },
}
EACH = pytest.mark.parametrize("case", ENTITLEMENTS)


def seeded(service: LocalService, case: str) -> dict[str, Any]:
    """The variables of a host that is as this case describes."""
    entitlement = ENTITLEMENTS[case]
    service.account(ACCOUNT).seed(**entitlement.account)
    service.zone(ZONE).seed(account_id=ACCOUNT, name="shop.example", **{"plan": "free", **entitlement.zone})
    return {**host(service), **entitlement.variables}


def told(record: HostRecord) -> list[tuple[str, str, str, str]]:
    """The news of a report on a host; a second message on the same report has none."""
    report, terms = report_of([record], NOW.isoformat()), NewsTerms(TOLD, NOW, timedelta(days=1))
    news = news_of(report, {}, terms)
    assert news_of(report, news["state"], terms)["hosts"] == []
    return [(item["host"], item["what"], item["status"], item["reason"]) for item in news["hosts"]]


def part(variables: Mapping[str, Any]) -> Part:
    return host_part("lima", dict(variables))


@EACH
def test_the_run_does_what_its_check_predicts_and_the_next_one_nothing(case: str, service: LocalService) -> None:
    result = lawful_part(part(seeded(service, case)))
    assert result["products"] == ENTITLEMENTS[case].products


@EACH
def test_the_report_says_which_products_there_are_and_knows_the_host(case: str, service: LocalService) -> None:
    variables = seeded(service, case)
    lawful_part(part(variables))
    record = predicted(service, **{"baseline_prefixes": None, **variables})
    assert (record["products"], record["operations"]) == (ENTITLEMENTS[case].products, [])
    status, reasons = assessed(record)
    assert status == ("unprotected" if case.startswith("TCP") else "in_order"), reasons
    assert told(record) == ([("lima", "new", status, reasons[0])] if reasons else [])


@EACH
def test_the_export_plans_nothing(case: str, service: LocalService) -> None:
    variables = seeded(service, case)
    lawful_part(part(variables))
    options = connection_options(part(variables))
    state = read_host(exported_resources("lima", {**options, "skip": []}), options, run_module, in_part=True)
    exported = export_state(state.objects).variables
    assert state.unread == {} and "baseline_custom_rules" in exported
    result = run_module(part({**host(service), **exported}), True)
    assert not result.get("failed") and result["operations"] == [], result


@EACH
def test_a_snapshot_is_restored(case: str, service: LocalService) -> None:
    variables = seeded(service, case)
    text = snapshot(service, **variables)
    run_module(part(variables), False)
    assert restored(service, text) == ("", [])
    assert service.zone(ZONE).custom_rules == []


@EACH
def test_the_doctor_finds_all_as_expected(case: str, service: LocalService) -> None:
    variables = seeded(service, case)
    examination = examine_host(part(variables), lambda _warning: None, lambda: NOW)
    record = record_of("lima", "", examination)
    unread = [answer.message for answer in examination.answers if answer.message and not answer.lacks_product]
    assert not unread and is_as_expected({**record, "assumptions": []}, examination.answers)


NAMED = [
    ("no lists", {"baseline_ip_lists": [OFFICE]}, "baseline_ip_lists[0]", "lists"),
    (
        "no overrides of L3/4 DDoS rules",
        {"baseline_ddos_l4_overrides": [OVERRIDE]},
        "baseline_ddos_l4_overrides[0]",
        "overrides of L3/4 DDoS rules",
    ),
    (
        "no custom rulesets of the account",
        {"baseline_custom_rulesets": [{**RULESET, "deploy": {"expression": 'cf.zone.plan eq "ENT"'}}]},
        "baseline_custom_rulesets[0]",
        "custom rulesets of an account",
    ),
    (
        "no rate_limit_rules in the zone",
        {"baseline_rate_limit_rules": [LOGIN_LIMIT]},
        "baseline_rate_limit_rules[0]",
        "rate limiting rules",
    ),
]


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(("case", "variables", "option", "product"), NAMED)
def test_what_would_create_something_of_a_missing_product_is_an_error_before_a_write(
    case: str, variables: dict[str, Any], option: str, product: str, check: bool, service: LocalService
) -> None:
    result = run_module(part({**seeded(service, case), **variables}), check)
    assert result["failed"] and service.writes == []
    sentence = f"{option}: The account, or the plan of the zone, is not entitled to {product}. Take it out"
    assert result["msg"].startswith(sentence), result["msg"]


def test_lists_that_the_token_may_not_read_are_a_failure_and_no_missing_product(service: LocalService) -> None:
    service.add_token("narrow-token", lists="none")
    variables = {**seeded(service, "WAF alone"), "edge_api_token": "narrow-token"}
    result = run_module(part(variables), True)
    assert result["failed"] and "Account Filter Lists" in result["msg"]
    assert assessed(predicted(service, **variables))[0] == "unknown"


def test_a_write_of_what_the_plan_does_not_include_names_no_other_product(service: LocalService) -> None:
    variables = seeded(service, "a zone of the plan free")
    limit = {
        **LOGIN_LIMIT,
        "ratelimit": {**LOGIN_LIMIT["ratelimit"], "counting_expression": "http.response.code eq 401"},
    }
    result = run_module(part({**variables, "baseline_rate_limit_rules": [limit]}), False)
    assert result["failed"] and "Magic Transit" not in result["msg"], result["msg"]


SHARED = "0" * 31 + "1"  # the id of a ruleset that an Organization has, and the account does not
DEPLOYED = {
    "ref": "shared",
    "action": "execute",
    "action_parameters": {"id": SHARED},
    "expression": 'cf.zone.plan eq "ENT"',
}
OF_RULESETS = {"baseline_custom_rulesets": [RULESET]}
IN_INVENTORY: Mapping[str, tuple[str, dict[str, Any], int]] = {
    "a zone that the ruleset is not for": ("free", {"edge_account_id": None}, 0),
    "a zone that it is for": ("enterprise", {"edge_account_id": None}, 1),
    "the account": ("enterprise", {"edge_zone_id": None, "baseline_custom_rules": None, **OF_RULESETS}, 1),
    "both as one host": ("enterprise", OF_RULESETS, 1),
}


@pytest.mark.parametrize("case", IN_INVENTORY)
def test_a_deployed_ruleset_of_another_account_is_not_known_and_stays(case: str, service: LocalService) -> None:
    plan, variables, number = IN_INVENTORY[case]
    service.account(ACCOUNT).seed(**NONE_OF_MAGIC_TRANSIT, custom_rules=[DEPLOYED], custom_rulesets=[RULESET])
    service.zone(ZONE).seed(account_id=ACCOUNT, name="shop.example", plan=plan, custom_rules=[BLOCK])
    given = {**host(service), "baseline_custom_rules": [BLOCK], **variables}
    values = {name: value for name, value in given.items() if value is not None}
    lawful_part(part(values))
    assert service.account(ACCOUNT).rules_of("custom_rules")[0]["action_parameters"] == {"id": SHARED}
    record = predicted(service, **{"baseline_prefixes": None, **values})
    status, reasons = assessed(record)
    sentence = f"The custom rule of the account shared may let requests pass, since the ruleset {SHARED}"
    assert (status, len(reasons)) == ("weakened" if number else "in_order", number)
    assert all(reason.startswith(sentence) for reason in reasons)
    assert [item[:3] for item in told(record)] == [("lima", "new", "weakened")] * number

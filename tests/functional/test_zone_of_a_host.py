# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The zone of a host as Cloudflare shows it: a zone that it does not serve is protected by nothing, and one of another account is none
of this host."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.results import lines
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part, host_part

from tests.fake_service import LocalService
from tests.support.host_parts import host, lawful_part, run_module
from tests.support.module_run import ACCOUNT, ZONE
from tests.support.reported_host import assessed, predicted

BLOCK = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
SKIP = {"ref": "all", "action": "skip", "action_parameters": {"ruleset": "current"}, "expression": "true"}
RULES = {"baseline_custom_rules": [BLOCK]}
ALONE: dict[str, Any] = {"edge_account_id": None, "baseline_prefixes": None, "baseline_rules": None, **RULES}
OTHER_ACCOUNT = "9e107d9d372bb6826bd81d3542a419d6"
NOT_SERVED = [
    ({"status": "pending"}, "its status is pending (its nameservers are not those of Cloudflare yet)"),
    ({"status": "moved"}, "its status is moved (its nameservers are no longer those of Cloudflare)"),
    ({"status": "initializing"}, "its status is initializing (its setup is not complete)"),
    ({"status": "deactivated"}, "its status is deactivated (Cloudflare has deactivated it)"),
    ({"status": "read only"}, "its status is read only"),
    ({"paused": True}, "it is paused"),
]


def part(service: LocalService, **variables: Any) -> Part:
    values = {**host(service), **variables}
    return host_part("lima", {name: value for name, value in values.items() if value is not None})


@pytest.mark.parametrize(("fields", "cause"), NOT_SERVED)
@pytest.mark.parametrize("rules", [[BLOCK], [], [SKIP, BLOCK]])
def test_a_zone_that_cloudflare_does_not_serve_is_unprotected_and_nothing_else_counts(
    rules: list[Any], fields: dict[str, Any], cause: str, service: LocalService
) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=rules, **fields)
    record = predicted(service, **ALONE)
    reason = f"Cloudflare does not serve the zone, since {cause}: no rule of it stops a request."
    assert assessed(record) == ("unprotected", [reason])
    assert (record["not_served"], record["enforces"]) == (reason, False)


def test_a_zone_that_cloudflare_serves_is_judged_by_its_rules(service: LocalService) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=[BLOCK])
    record = predicted(service, **ALONE)
    assert assessed(record) == ("in_order", [])
    assert (record["not_served"], record["enforces"]) == (None, True)


@pytest.mark.parametrize(
    "known", [{}, {"edge_zone_plan": "free"}, {"edge_zone_plan": "free", "edge_zone_status": "active"}]
)
def test_the_report_asks_cloudflare_whatever_the_inventory_says(known: dict[str, str], service: LocalService) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=[BLOCK], status="moved")
    assert assessed(predicted(service, **ALONE, **known))[0] == "unprotected"


def test_a_zone_without_custom_rules_in_its_baseline_is_asked_as_well(service: LocalService) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, paused=True)
    variables = {**ALONE, "baseline_custom_rules": None, "baseline_security_level": "high"}
    assert assessed(predicted(service, **variables))[0] == "unprotected"


def test_the_account_beside_a_zone_that_is_not_served_counts_as_ever(service: LocalService) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=[SKIP], status="pending")
    service.account(ACCOUNT).seed(enabled=False)
    status, reasons = assessed(predicted(service, **RULES))
    assert (status, reasons[0][:40], reasons[1]) == (
        "unprotected",
        "Cloudflare does not serve the zone, sinc",
        "TCP protection is off.",
    )
    assert not [reason for reason in reasons if "custom rule" in reason]


ACCEPTED = {"status": "not_served", "reason": "moves on Monday"}


@pytest.mark.parametrize(
    ("entry", "status", "reasons"),
    [
        (ACCEPTED, "in_order", []),
        (
            {**ACCEPTED, "expires": "2026-11-20"},
            "unprotected",
            ["It was accepted (moves on Monday) until 2026-11-21T00:00:00+00:00."],
        ),
    ],
)
def test_a_zone_that_is_not_served_may_be_accepted_for_a_time(
    entry: dict[str, Any], status: str, reasons: list[str], service: LocalService
) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=[SKIP], status="pending")
    record = predicted(service, **ALONE, report_accepted=[entry])
    assert (record["status"], record["reasons"][1:]) == (status, reasons)
    assert len(record["accepted_statuses"]) == (status == "in_order")


def test_a_zone_of_which_nobody_knows_whether_it_is_served_is_unknown(service: LocalService) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=[BLOCK], plan="free")
    service.add_token("blind-token", zone="none")
    variables = {**ALONE, "edge_api_token": "blind-token", "edge_zone_plan": "free", "edge_zone_name": "shop.example"}
    status, reasons = assessed(predicted(service, **variables))
    assert status == "unknown"
    assert reasons[0].startswith("Whether Cloudflare serves the zone is not known: ")
    assert assessed(predicted(service, **variables, edge_zone_status="active")) == ("in_order", [])


@pytest.mark.parametrize(("fields", "cause"), NOT_SERVED[:1] + NOT_SERVED[-1:])
def test_the_baseline_prepares_a_zone_that_is_not_served_and_says_so(
    fields: dict[str, Any], cause: str, service: LocalService
) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, **fields)
    result = lawful_part(part(service, **ALONE))
    assert result["changed"] and [rule["ref"] for rule in service.zone(ZONE).custom_rules] == ["admin"]
    said = f"lima: Cloudflare does not serve the zone, since {cause}: no rule of it stops a request. The run prepares it all the same."
    assert said in lines("lima", result)


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("zone", [{"account_id": OTHER_ACCOUNT}, {"account_id": OTHER_ACCOUNT, "plan": "free"}])
@pytest.mark.parametrize(
    "named", [{}, {"edge_zone_id": None, "edge_zone_name": "shop.example"}, {"edge_zone_plan": "free"}]
)
def test_an_account_that_is_not_that_of_the_zone_is_an_error_before_a_write(
    named: dict[str, Any], zone: dict[str, Any], check: bool, service: LocalService
) -> None:
    service.account(OTHER_ACCOUNT).seed(name="Other Ltd")
    service.zone(ZONE).seed(name="shop.example", **zone)
    result = run_module(part(service, **RULES, **named), check)
    assert result["failed"] and service.writes == []
    assert result["msg"].startswith(
        f"edge_account_id: {ACCOUNT} is not the account of the zone shop.example, which is {OTHER_ACCOUNT} (Other Ltd). "
    )
    assert result["msg"].endswith("Nothing was changed.")


def test_a_report_on_an_account_that_is_not_that_of_the_zone_knows_nothing(service: LocalService) -> None:
    service.account(OTHER_ACCOUNT), service.zone(ZONE).seed(account_id=OTHER_ACCOUNT, name="shop.example")
    status, (reason,) = assessed(predicted(service, **RULES))
    assert status == "unknown" and f"{ACCOUNT} is not the account of the zone shop.example" in reason


def test_an_account_in_other_letters_is_that_of_the_zone(service: LocalService) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, name="shop.example")
    assert not run_module(part(service, **RULES, edge_account_id=ACCOUNT.upper()), True).get("failed")


@pytest.mark.parametrize(
    ("known", "is_error"),
    [({}, False), ({"edge_zone_account_id": OTHER_ACCOUNT}, True), ({"edge_zone_account_id": ACCOUNT}, False)],
)
def test_a_zone_that_cannot_be_read_has_the_account_of_the_inventory_or_none_that_is_known(
    known: dict[str, str], is_error: bool, service: LocalService
) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, name="shop.example")
    service.add_token("blind-token", zone="none")
    result = run_module(part(service, **RULES, **known, edge_api_token="blind-token"), True)
    assert bool(result.get("failed")) is is_error
    assert ("Whether the zone is of the account of its host is not known: " in str(result.get("warnings"))) is (
        not known
    )

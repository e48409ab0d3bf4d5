# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What zones expect is asked of the lists of their account as the run will leave them, also if the zones do not change."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.fleets import Fleet
from tests.support.host_parts import host
from tests.support.module_run import ACCOUNT, ZONE, warnings_of

BAD = ("198.51.100.0/24", "203.0.113.0/24")
IN_BAD = {"ref": "in_bad", "action": "block", "expression": "ip.src in $bad"}
IN_WORSE = {"ref": "in_worse", "action": "block", "expression": "ip.src in $worse"}
PROBE = {"ref": "probe", "action": "block", "expression": 'http.request.uri.path eq "/probe"'}
GUEST = {"source": "203.0.113.5", "method": "GET", "host": "shop.example", "path": "/"}
BLOCKED = {"description": "guest", "request": GUEST, "expect": "blocked"}
CUSTOMER = {"description": "customer", "request": {**GUEST, "source": "192.0.2.5"}, "expect": "allowed"}
EVERY = {"description": "all of them", "every": "ip.src in {203.0.113.0/24}", "expect": "blocked"}


def fleet_of(
    service: LocalService, lists: dict[str, tuple[str, ...]], rules: list[dict[str, Any]], *expectations: dict[str, Any]
) -> Fleet:
    """An account, and two zones with the same rules, of which the first one has expectations."""
    shared = {**host(service), "edge_account_id": None, "edge_zone_id": None, "baseline_purge": True}
    described = [{"name": name, "items": [{"ip": network} for network in lists[name]], "purge": True} for name in lists]
    zone = {**shared, "edge_zone_id": ZONE, "baseline_custom_rules": rules}
    return Fleet(
        {
            "lima": {**shared, "edge_account_id": ACCOUNT, "baseline_ip_lists": described},
            "expecting": {**zone, "baseline_expectations": [*expectations]},
            "other": {**zone, "edge_zone_id": "2" * 32},
        }
    )


def failures(service: LocalService, fleet: Fleet) -> dict[str, str]:
    """The messages of the hosts that fail in a run, as it is predicted; the second run fails as the first one."""
    for _run in range(2):
        predictions = fleet.predicted()
        done = fleet.done(predictions)
        predicted = {name: item.result["msg"] for name, item in predictions.items() if item.result.get("failed")}
        assert predicted == {name: result["msg"] for name, result in done.items() if result.get("failed")}
    return predicted


def items_of(service: LocalService, name: str) -> set[str]:
    lists = {each["name"]: each["items"] for each in service.account(ACCOUNT).ip_lists.lists}
    return {item["ip"] for item in lists[name]} if name in lists else set()


@pytest.fixture
def service(service: LocalService) -> LocalService:
    service.account(ACCOUNT).seed(lists=[{"name": "bad", "items": [{"ip": network} for network in BAD]}])
    for zone_id in (ZONE, "2" * 32):
        service.zone(zone_id).seed(account_id=ACCOUNT, custom_rules=[IN_BAD])
    return service


@pytest.mark.parametrize("rules", [[IN_BAD], [IN_BAD, PROBE]], ids=["no change", "another change"])
@pytest.mark.parametrize("expectation", [BLOCKED, EVERY], ids=["request", "all requests"])
@pytest.mark.parametrize("lists", [{"bad": BAD[:1]}, {}], ids=["items", "list"])
def test_a_list_keeps_what_a_zone_expects_of_it(
    lists: dict[str, tuple[str, ...]], expectation: dict[str, Any], rules: list[dict[str, Any]], service: LocalService
) -> None:
    failed = failures(service, fleet_of(service, lists, rules, expectation))
    assert failed.keys() == {"lima", "expecting"}
    assert "1 expectation is not met" in failed["expecting"] and "rules of expecting" in failed["lima"]
    assert items_of(service, "bad") == {*BAD}


@pytest.mark.parametrize("rules", [[IN_BAD], [IN_BAD, PROBE]], ids=["no change", "another change"])
def test_an_account_that_makes_what_a_zone_does_not_expect_is_refused(
    rules: list[dict[str, Any]], service: LocalService
) -> None:
    lists = {"bad": (*BAD, "192.0.2.0/24"), "worse": ("192.0.2.9/32",)}
    failed = failures(service, fleet_of(service, lists, rules, CUSTOMER))
    assert failed.keys() == {"lima"}
    assert "expectations of expecting unmet" in failed["lima"] and "customer: expected allowed" in failed["lima"]
    assert "already" not in failed["lima"]  # the customer is allowed today
    assert items_of(service, "bad") == {*BAD} and not items_of(service, "worse")


def test_an_expired_item_that_stays_is_not_said_to_be_missing(service: LocalService) -> None:
    fleet = fleet_of(service, {"bad": BAD}, [IN_BAD], BLOCKED)
    fleet.variables["lima"]["baseline_ip_lists"][0]["items"][1]["expires"] = "2020-01-01"
    warnings = [warnings_of(prediction.result) for prediction in fleet.predicted().values()]
    assert "rules of expecting" in failures(service, fleet)["lima"]
    assert "does not exist" not in " ".join(warnings)
    assert items_of(service, "bad") == {*BAD}


def test_a_zone_that_follows_its_lists_keeps_its_expectations(service: LocalService) -> None:
    assert not failures(service, fleet_of(service, {"worse": BAD}, [IN_WORSE], BLOCKED, CUSTOMER, EVERY))
    assert items_of(service, "worse") == {*BAD} and not items_of(service, "bad")


def test_an_expectation_may_wait_for_a_list(service: LocalService) -> None:
    other_guest = {**BLOCKED, "request": {**GUEST, "source": "192.0.2.5"}}
    assert not failures(service, fleet_of(service, {"bad": (*BAD, "192.0.2.0/24")}, [IN_BAD], other_guest))

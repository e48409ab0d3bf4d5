# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists of addresses that differ from their baseline are in the report, whether the role makes them in one step or in two."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.results import HostRunner
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part

from tests.fake_service import LocalService
from tests.support.host_parts import host, run_module
from tests.support.module_run import ACCOUNT, ZONE
from tests.support.reported_host import assessed, predicted

BLOCK = {"ref": "scrapers", "action": "block", "expression": "ip.src in $scrapers"}


@pytest.mark.parametrize("purge", [False, True])
def test_a_list_that_lacks_an_item_differs(purge: bool, service: LocalService) -> None:
    service.account(ACCOUNT).seed(lists=[{"name": "scrapers", "items": [{"ip": "192.0.2.0/25"}]}])
    wanted = [{"name": "scrapers", "items": [{"ip": "192.0.2.0/24"}], "purge": purge}]
    host_of_lists = predicted(service, baseline_ip_lists=wanted, baseline_purge=purge)
    keys = [operation["key"] for operation in host_of_lists["operations"]]
    assert "scrapers 192.0.2.0/24" in keys


def test_a_list_may_go_with_the_rules_that_refer_to_it(service: LocalService) -> None:
    lists = [{"name": "scrapers", "items": [{"ip": "192.0.2.0/24"}]}, {"name": "others"}]
    service.account(ACCOUNT).seed(lists=lists)
    service.zone(ZONE).seed(custom_rules=[BLOCK])
    other = {**BLOCK, "expression": "ip.src in {192.0.2.0/24}"}
    gone = predicted(
        service, baseline_ip_lists=[{"name": "others"}], baseline_purge=["ip_lists"], baseline_custom_rules=[other]
    )
    keys = [operation["key"] for operation in gone["operations"]]
    assert keys == ["scrapers", "scrapers"]  # the rule, and then the list
    assert gone["risks"] == []


OFFICE = {"name": "office", "items": [{"ip": "192.0.2.1"}]}
PASS = {"ref": "pass", "action": "skip", "expression": "ip.src in $office", "action_parameters": {"ruleset": "current"}}
WALL = {"ref": "wall", "action": "block", "expression": "ip.src in {192.0.2.0/24}"}
ONE_WAY = {"ref": "door", "action": "block", "expression": "not ip.src in $office"}
BY_PASS = "lets {} pass that {} wall would stop, by the {} pass"
OF_PACKETS = BY_PASS.format("packets", "Network Firewall rule", "Network Firewall rule")
OF_REQUESTS = BY_PASS.format("requests", "custom rule", "custom rule")
GROWN = {"name": "office", "items": [{"ip": "192.0.2.1"}, {"ip": "192.0.2.2"}]}


def test_a_list_of_the_same_run_is_no_excuse_for_what_it_changes(service: LocalService) -> None:
    service.account(ACCOUNT).seed(lists=[OFFICE])
    rule = {**BLOCK, "expression": "ip.src in $office"}
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=[rule])
    request = {"source": "192.0.2.2", "method": "GET", "host": "shop.example", "path": "/"}
    expected = {"description": "a guest", "request": request, "expect": "allowed"}
    variables = {"baseline_ip_lists": [GROWN], "baseline_custom_rules": [rule], "baseline_expectations": [expected]}
    runner = HostRunner(run_module)
    for check_mode in (True, False):
        failed = runner.update(host_part("lima", {**host(service), **variables}), check_mode).result
        assert "expected allowed, but blocked" in failed["msg"]
        assert "as it is already" not in failed["msg"]


# The rules of the Network Firewall and of the zone, an item that somebody adds by hand, and what the report says of it.
BY_HAND: list[tuple[list[Any], list[Any], str, str]] = [
    ([PASS, WALL], [], "192.0.2.9", OF_PACKETS),
    ([PASS, WALL], [], "192.0.2.0/23", OF_PACKETS.replace("lets", "may let")),
    ([PASS, WALL], [], "198.51.100.1", ""),
    ([WALL, PASS], [], "192.0.2.9", ""),
    ([{**PASS, "enabled": False}, WALL], [], "192.0.2.9", ""),
    ([ONE_WAY], [], "198.51.100.1", "makes the Network Firewall rule door stop fewer packets"),
    ([{**ONE_WAY, "expression": "ip.src in $office and tcp.dstport eq 22 or not ip.src in $office and tcp.dstport eq 23"}], [],
     "198.51.100.1", "may make the Network Firewall rule door stop fewer packets"),
    ([{**ONE_WAY, "expression": "ip.src in $office"}], [], "192.0.2.9", ""),
    ([], [PASS, WALL], "192.0.2.9", OF_REQUESTS),
    ([], [{**PASS, "action_parameters": {"products": ["waf"]}}], "198.51.100.1", "may skip products waf for requests, by the custom rule pass"),
    ([], [WALL], "192.0.2.9", "may let traffic pass, since 1 rule that is not known refers to the list"),
]  # fmt: skip


WITH_PURGE = [(*case, False) for case in BY_HAND] + [(*case, True) for case in BY_HAND[:3]]


@pytest.mark.parametrize(("packets", "requests", "ip", "reason", "purge"), WITH_PURGE)
def test_an_item_that_somebody_adds_is_a_hole(
    packets: list[Any], requests: list[Any], ip: str, reason: str, purge: bool, service: LocalService
) -> None:
    others = int("not known" in reason)  # rules of other zones
    items = [*OFFICE["items"], {"ip": ip}]
    service.account(ACCOUNT).seed(
        lists=[{"name": "office", "items": items, "num_referencing_filters": others}], network_firewall_rules=packets
    )
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=requests)
    status, reasons = assessed(
        predicted(service, baseline_ip_lists=[{**OFFICE, "purge": purge}], baseline_enabled=False)
    )
    if not reason:
        assert (status, [text for text in reasons if "office" in text]) == ("unprotected", [])
    elif not purge:
        assert f"The list item office {ip} {reason}, and no baseline names it." in reasons
    else:
        assert f"The list office has {ip}, otherwise than described, and {reason}." in reasons


@pytest.mark.parametrize("own", [{}, {"baseline_network_firewall_rules": [PASS, WALL]}])
def test_a_list_that_is_to_go_has_the_loss_by_the_rules_that_name_it(
    own: dict[str, Any], service: LocalService
) -> None:
    service.account(ACCOUNT).seed(lists=[OFFICE], network_firewall_rules=[PASS, WALL])
    service.zone(ZONE).seed(account_id=ACCOUNT)
    absent = {"baseline_ip_lists": [], "baseline_purge": ["ip_lists"]}
    reasons = assessed(predicted(service, **absent, **own))[1]
    assert f"The list office has 192.0.2.1, otherwise than described, and {OF_PACKETS}." in reasons
    assert "not known" not in " ".join(reasons)


MOST_OF_IPV4 = [{"ip": f"{first}.0.0.0/8"} for first in range(64, 256)]
ALONE: dict[str, Any] = {"edge_account_id": None, "baseline_prefixes": None}
# The ways to name a zone: alone, as one host with its account, and beside lists of its account.
KINDS_OF_HOSTS: list[dict[str, Any]] = [ALONE, {}, {"baseline_ip_lists": [{"name": "scrapers"}]}]


@pytest.mark.parametrize("of_host", KINDS_OF_HOSTS)
@pytest.mark.parametrize("rule", [PASS, ONE_WAY])
@pytest.mark.parametrize("is_ours", [True, False])
@pytest.mark.parametrize("items", [OFFICE["items"], MOST_OF_IPV4, []], ids=["office", "most of IPv4", "nothing"])
def test_a_list_that_no_baseline_names_is_a_hole_if_it_holds_all_plain_traffic(
    items: list[Any], is_ours: bool, rule: dict[str, Any], of_host: dict[str, Any], service: LocalService
) -> None:
    """It is taken as it is; somebody else may spare a list of his own from rules of his own."""
    lists: list[Any] = [{"name": name, "items": items} for name in ("office", "old")]
    service.account(ACCOUNT).seed(lists=lists)
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=[rule, WALL])
    host_of_lists = predicted(service, **of_host, baseline_custom_rules=[rule, WALL] if is_ours else [])
    is_hole = is_ours and items is MOST_OF_IPV4
    of_lists = [(item["key"], item["weakens"]) for item in host_of_lists["unmanaged"] if item["resource"] == "ip_list"]
    others = [("old", False)] if "baseline_ip_lists" in of_host else []
    assert of_lists == (
        [("office", True), *others] if is_hole else [(name, False) for name in ("office", "old")[: 2 * len(others)]]
    )
    reasons = [reason for reason in assessed(host_of_lists)[1] if "The list office" in reason]
    verb = OF_REQUESTS if rule is PASS else "makes the custom rule door stop fewer requests"
    assert reasons == ([f"The list office {verb}, and no baseline names it."] if is_hole else [])


@pytest.mark.parametrize("of_host", KINDS_OF_HOSTS[:2])
@pytest.mark.parametrize(
    ("rule", "reads_more"),
    [
        (PASS, True),
        (ONE_WAY, True),
        ({**PASS, "enabled": False}, False),
        ({**ONE_WAY, "expression": "ip.src in $office"}, False),
        ({**ONE_WAY, "action": "log"}, False),
    ],
)
def test_a_list_that_is_not_read_may_hold_everything(
    rule: dict[str, Any], reads_more: bool, of_host: dict[str, Any], service: LocalService
) -> None:
    service.account(ACCOUNT).seed(lists=[OFFICE])
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=[rule, WALL])
    service.add_token("token-without-lists", lists="none")
    host_of_lists = predicted(
        service, **of_host, edge_api_token="token-without-lists", baseline_custom_rules=[rule, WALL]
    )
    status, reasons = assessed(host_of_lists)
    assert status == "unknown" and "Account Filter Lists Read" in reasons[0]
    text = "The list office may hold everything, since its items could not be read; then it "
    assert (text in " ".join(reasons) and f"custom rule {rule['ref']}" in " ".join(reasons)) is reads_more


def test_a_zone_alone_that_cannot_be_read_has_no_lists_either(service: LocalService) -> None:
    service.misbehave("status", method="GET", status=403)
    record = predicted(service, **ALONE, baseline_custom_rules=[PASS], baseline_retries=0)
    assert (record["status"], record["plan_id"], record["unmanaged"]) == ("unknown", None, [])


def test_a_list_that_cannot_be_read_makes_its_host_unknown(service: LocalService) -> None:
    service.account(ACCOUNT).seed(lists=[OFFICE], network_firewall_rules=[PASS, WALL])
    service.misbehave("status", method="GET", path="/rules/lists", status=403)
    status, reasons = assessed(predicted(service, baseline_network_firewall_rules=[PASS, WALL]))
    assert status == "unknown" and "HTTP 403" in " ".join(reasons)


def test_a_zone_that_is_named_by_its_domain_has_its_id_in_the_report(service: LocalService) -> None:
    service.zone(ZONE).seed(name="shop.example", custom_rules=[WALL])
    named = predicted(
        service,
        edge_zone_id=None,
        edge_account_id=None,
        edge_zone_name="shop.example",
        baseline_prefixes=None,
        baseline_custom_rules=[WALL],
    )
    assert named["zone_id"] == ZONE


def test_a_list_that_lacks_an_item_stops_less_than_described(service: LocalService) -> None:
    rule = {**BLOCK, "expression": "ip.src in $office"}
    service.account(ACCOUNT).seed(lists=[OFFICE], network_firewall_rules=[rule])
    reasons = assessed(predicted(service, baseline_ip_lists=[GROWN]))[1]
    fewer = "makes the Network Firewall rule scrapers stop fewer packets"
    assert f"The list office lacks 192.0.2.2, otherwise than described, and {fewer}." in reasons


def test_items_that_the_baseline_leaves_alone_are_no_holes(service: LocalService) -> None:
    service.account(ACCOUNT).seed(lists=[GROWN], network_firewall_rules=[PASS, WALL])
    host_of_lists = predicted(service, baseline_ip_lists=[{"name": "office"}])
    assert host_of_lists["unmanaged"] == []

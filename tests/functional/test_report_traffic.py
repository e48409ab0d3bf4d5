# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report says which traffic passes that the baseline stops; rules of other names, or that are cut otherwise, are drift.
After a run it says nothing."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard import traffic
from ansible_collections.edgeops.protection.plugins.module_utils._protection.compared_ways import compared_ways
from ansible_collections.edgeops.protection.plugins.module_utils._protection.ways import ComparedWay
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import State
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.results import HostRunner
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import traffic_change_lines

from tests.fake_service import LocalService
from tests.support.host_parts import host, run_module
from tests.support.module_run import ACCOUNT, ZONE
from tests.support.reported_host import assessed, predicted

ADMIN, LOGIN = 'http.request.uri.path eq "/admin"', 'http.request.uri.path eq "/login"'
NETWORK, HALF = "ip.src in {203.0.113.0/24}", "ip.src in {203.0.113.0/25}"
HEADER = "len(http.user_agent) gt 3"
BAD = {"name": "bad", "items": [{"ip": "203.0.113.7"}]}
GROWN = {"name": "bad", "items": [{"ip": "203.0.113.7"}, {"ip": "203.0.113.9"}]}
OF_BAD = "ip.src in $bad"


def rule(expression: str, ref: str = "a", action: str = "block") -> dict[str, Any]:
    return {"ref": ref, "action": action, "expression": expression}


def skip(expression: str) -> dict[str, Any]:
    return {**rule(expression, "s", "skip"), "action_parameters": {"ruleset": "current"}}


def of_zone(*rules: dict[str, Any]) -> dict[str, Any]:
    return {"baseline_custom_rules": list(rules)}


DRIFT = "1 difference from the baseline."
BY_HAND = "The custom rule s lets requests pass that custom rule a would stop, and no baseline names it."
# What exists of a zone and of its account, what the baseline describes, the status, and the first reason.
CASES: list[tuple[str, list[Any], dict[str, Any], dict[str, Any], str, str]] = [
    ("another ref", [rule(ADMIN, "old")], {}, of_zone(rule(ADMIN)), "drift", DRIFT),
    ("split by or", [rule(f"{ADMIN} or {LOGIN}")], {}, of_zone(rule(ADMIN), rule(LOGIN, "b")), "drift", "2 differences from the baseline."),
    ("a block behind a wider one", [rule(NETWORK)], {}, of_zone(rule(NETWORK), rule(f"{HALF} and {ADMIN}", "b")), "drift", DRIFT),
    ("no dead skip", [rule(NETWORK)], {}, of_zone(rule(NETWORK), skip(HALF)), "drift", DRIFT),
    ("missing", [], {}, of_zone(rule(ADMIN)), "weakened", "The custom rule a does not exist."),
    ("narrowed", [rule(HALF)], {}, of_zone(rule(NETWORK)), "weakened", "The custom rule a matches fewer requests than described."),
    ("perhaps narrowed", [rule(HEADER)], {}, of_zone(rule(NETWORK)), "weakened", "The custom rule a may match fewer requests than described."),
    ("a skip by hand in front", [skip(ADMIN), rule(ADMIN)], {}, of_zone(rule(ADMIN)), "weakened", BY_HAND),
    ("an item is missing", [rule(OF_BAD)], {"lists": [BAD]}, {**of_zone(rule(OF_BAD)), "baseline_ip_lists": [GROWN]}, "weakened",
     "The list bad lacks 203.0.113.9, otherwise than described, and makes the custom rule a stop fewer requests."),
    ("an item is missing that rules of others name", [], {"lists": [{**BAD, "num_referencing_filters": 1}]}, {"baseline_ip_lists": [GROWN]},
     "weakened", "The list bad may let traffic pass that is stopped under the baseline, since 1 rule that is not known refers to the list bad."),
    ("a comment in a list that rules of others name", [], {"lists": [{**BAD, "num_referencing_filters": 1}]},
     {"baseline_ip_lists": [{"name": "bad", "items": [{"ip": "203.0.113.7", "comment": "scraper"}]}]}, "drift", DRIFT),
    ("narrowed in the Network Firewall", [], {"network_firewall_rules": [rule("ip.src in {192.0.2.0/25}")]},
     {"baseline_network_firewall_rules": [rule("ip.src in {192.0.2.0/24}")]}, "weakened",
     "The Network Firewall rule a matches fewer packets than described."),
    ("split in the Network Firewall", [],
     {"network_firewall_rules": [rule("ip.src in {192.0.2.0/25}"), rule("ip.src in {192.0.2.128/25}", "b")]},
     {"baseline_network_firewall_rules": [rule("ip.src in {192.0.2.0/24}")]}, "drift", DRIFT),
]  # fmt: skip


@pytest.mark.parametrize(
    ("zone", "account", "described", "status", "reason"), [row[1:] for row in CASES], ids=[row[0] for row in CASES]
)
def test_a_host_is_weakened_by_traffic_alone(
    zone: list[Any], account: dict[str, Any], described: dict[str, Any], status: str, reason: str, service: LocalService
) -> None:
    service.account(ACCOUNT).seed(**account, enabled=True, prefixes=[])
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=zone)
    variables = {"baseline_prefixes": None, **described}
    record = predicted(service, **variables, report_accepted=[{"status": "no_protected_prefix", "reason": "a test"}])
    found = assessed(record)
    assert (found[0], found[1][0]) == (status, reason), record["traffic_changes"]
    changes = record["traffic_changes"]
    assert changes is not None
    if status != "weakened":
        assert (changes["passes"], changes["known"]) == ([], True)
    elif reason != BY_HAND:
        assert changes["passes"] or not changes["known"]
    HostRunner(run_module).update(host_part("lima", {**host(service), **variables}), False)
    again = predicted(service, **variables)
    assert (again["operations"], again["traffic_changes"]) == (
        [],
        {"known": True, "unknown": [], "passes": [], "stopped": []},
    )


def test_an_example_says_what_passes(service: LocalService) -> None:
    service.account(ACCOUNT)
    service.zone(ZONE).seed(account_id=ACCOUNT, name="shop.example", custom_rules=[rule(f"{ADMIN} and {HALF}")])
    changes = predicted(service, **of_zone(rule(f"{ADMIN} and {NETWORK}")))["traffic_changes"]
    assert changes is not None
    (change,) = changes["passes"]
    assert (change["what"], change["now"], change["certain"]) == ("blocked", "passes", True)
    assert [*traffic_change_lines(changes)] == [
        "Every request to path /admin from 203.0.113.128/25: blocked under the baseline, passes today, such as"
        " GET https://shop.example/admin from 203.0.113.129 (custom rule a)."
    ]


@pytest.mark.parametrize(("existing", "comparisons"), [(ADMIN, 0), (LOGIN, 1)])
def test_only_hosts_that_differ_are_compared(
    existing: str, comparisons: int, service: LocalService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report on many hosts that are in order costs no comparison, and one that differs costs one."""
    service.account(ACCOUNT)
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=[rule(existing)])
    compared: list[Any] = []

    def counted(before: State, after: State) -> list[ComparedWay]:
        compared.append(before)
        return compared_ways(before, after)

    monkeypatch.setattr(traffic, "compared_ways", counted)
    predicted(service, **of_zone(rule(ADMIN)))
    assert len(compared) == comparisons

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
RULESET = "efb7b8c949ac4650a09736fc376e9aee"
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


def limit(ref: str, action: str, **limits: Any) -> dict[str, Any]:
    by_requests = {} if "score_per_period" in limits else {"requests_per_period": 9}
    counted = {"characteristics": ["ip.src", "cf.colo.id"], "period": 60, "mitigation_timeout": 60, **by_requests}
    return {**rule(LOGIN, ref, action), "ratelimit": {**counted, **limits}}


def deployment(**values: Any) -> dict[str, Any]:
    return {**rule("true", "m", "execute"), "action_parameters": {"id": RULESET}, **values}


def overridden(action: str) -> dict[str, Any]:
    return deployment(action_parameters={"id": RULESET, "overrides": {"action": action}})


EXCEPTION = skip(NETWORK)
CHALLENGE = rule(ADMIN, "c", "managed_challenge")
BLOCKS, CHALLENGES = limit("b", "block"), limit("c", "managed_challenge")
SCORED = limit("b", "block", score_per_period=100, score_response_header_name="score")
PINNED = deployment(action_parameters={"id": RULESET, "version": "5"})
EXECUTED = "c" * 32
EXECUTING = {**rule("true", "Bots", "execute"), "action_parameters": {"id": EXECUTED}, "enabled": True}
PRIVATE = "ip.src in {10.0.0.0/8 192.168.0.0/16}"
# What exists of a collection and what the baseline describes, the status, and the first reason.
NAMED: list[tuple[str, str, list[Any], list[Any], str, str]] = [
    ("a challenge moved in front", "custom_rules", [CHALLENGE, rule(ADMIN)], [rule(ADMIN), CHALLENGE], "weakened",
     "The custom rule a leaves requests challenged (managed_challenge) that are blocked under the baseline: every request to path /admin."),
    ("a block moved in front", "custom_rules", [rule(ADMIN), CHALLENGE], [CHALLENGE, rule(ADMIN)], "in_order", ""),
    ("a log moved in front", "custom_rules", [rule(ADMIN, "c", "log"), rule(ADMIN)], [rule(ADMIN), rule(ADMIN, "c", "log")], "in_order", ""),
    ("rules that never meet, exchanged", "custom_rules", [rule(LOGIN, "c", "managed_challenge"), rule(ADMIN)],
     [rule(ADMIN), rule(LOGIN, "c", "managed_challenge")], "in_order", ""),
    ("a limit that challenges, moved in front", "rate_limit_rules", [CHALLENGES, BLOCKS], [BLOCKS, CHALLENGES], "weakened",
     "The rate limiting rule b may leave requests counted by a rate limit (managed_challenge, 9 requests in 60 s) that are counted by a rate"
     " limit (block, 9 requests in 60 s) under the baseline: every request to path /login that meet the rate of the rate limiting rule c."),
    ("a shorter mitigation", "rate_limit_rules", [limit("b", "block", mitigation_timeout=10)], [BLOCKS], "weakened",
     "The rate limiting rule b acts for 10 s, and not for 60 s."),
    ("an exception in front of a deployment by its position", "managed_rules", [EXCEPTION, deployment()],
     [deployment(), {**EXCEPTION, "position": "after m"}], "weakened",
     "The rule for managed rules s lets requests pass that rule for managed rules m would stop."),
    ("a limit that blocks, moved in front", "rate_limit_rules", [BLOCKS, CHALLENGES], [CHALLENGES, BLOCKS], "in_order", ""),
    ("an unknown field", "custom_rules", [{**rule(ADMIN), "sample_rate": 0.1}], [rule(ADMIN)], "weakened",
     "The custom rule a may match fewer requests than described, since it has the field sample_rate."),
    ("an unknown field of a limit", "rate_limit_rules", [{**BLOCKS, "wormhole": 1}], [BLOCKS], "weakened",
     "The rate limiting rule b may match fewer requests than described, since it has the field wormhole."),
    ("an unknown part of a limit", "rate_limit_rules", [limit("b", "block", exempt_verified=True)], [BLOCKS], "weakened",
     "The rate limiting rule b counts in another way, and may let more requests pass."),
    ("a limit by score", "rate_limit_rules", [SCORED], [BLOCKS], "weakened",
     "The rate limiting rule b counts in another way, and may let more requests pass."),
    ("an unknown field of a deployment", "managed_rules", [deployment(sample_rate=1)], [deployment()], "weakened",
     "The rule for managed rules m may match fewer requests than described, since it has the field sample_rate."),
    ("a pinned version", "managed_rules", [PINNED], [deployment()], "weakened",
     "The rule for managed rules m may execute other managed rules, since it has another version."),
    ("the latest version", "managed_rules", [deployment(action_parameters={"id": RULESET, "version": "latest"})], [deployment()], "in_order", ""),
    ("a skip of private sources", "custom_rules", [skip(PRIVATE), rule(ADMIN)], [rule(ADMIN)], "in_order", ""),
    ("a skip of private sources in front", "custom_rules", [skip(PRIVATE), rule(ADMIN)], [rule(ADMIN), skip(PRIVATE)], "in_order", ""),
    ("a block of all but private sources", "custom_rules", [rule(f"{ADMIN} and not {PRIVATE}")], [rule(ADMIN)], "drift", DRIFT),
]  # fmt: skip


@pytest.mark.parametrize(
    ("collection", "existing", "described", "status", "reason"),
    [row[1:] for row in NAMED],
    ids=[row[0] for row in NAMED],
)
def test_named_rules_are_as_described(
    collection: str, existing: list[Any], described: list[Any], status: str, reason: str, service: LocalService
) -> None:
    """Their order, their fields and the parts of these: what nobody understands may let traffic pass."""
    service.zone(ZONE).seed(account_id=ACCOUNT, **{collection: existing})
    variables = {"edge_account_id": None, f"baseline_{collection}": described}
    found = assessed(predicted(service, **variables))
    assert (found[0], found[1][:1]) == (status, [reason] if reason else [])
    HostRunner(run_module).update(host_part("lima", {**host(service), **variables}), False)
    again = predicted(service, **variables)
    assert ([*again["operations"]], assessed(again)[0]) == ([], "in_order")


@pytest.mark.parametrize(
    ("collection", "existing", "described", "change"),
    [
        ("rate_limit_rules", limit("b", "block", mitigation_timeout=10), BLOCKS, "mitigation_timeout"),
        ("rate_limit_rules", limit("b", "block", characteristics=["ip.src", "cf.colo.id", "http.host"]), BLOCKS, "characteristics"),
        ("rate_limit_rules", limit("b", "block", requests_to_origin=True), BLOCKS, "requests_to_origin"),
        ("managed_rules", overridden("log"), overridden("block"), "overrides.action"),
    ],
)  # fmt: skip
def test_a_change_says_in_what_part_two_treatments_differ(
    collection: str, existing: dict[str, Any], described: dict[str, Any], change: str, service: LocalService
) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, **{collection: [existing]})
    changes = predicted(service, edge_account_id=None, **{f"baseline_{collection}": [described]})["traffic_changes"]
    assert changes is not None
    (passing,) = changes["passes"]
    assert passing["now"] == f"is {passing['what']}, with another {change}"


@pytest.mark.parametrize(
    ("deployed", "reason"),
    [
        ([EXECUTING], ""),
        ([{**EXECUTING, "enabled": False}], "is off, since the custom rule Bots is off"),
        ([], "is off, since no rule deploys its ruleset"),
    ],
)
def test_a_reason_says_that_a_ruleset_is_not_deployed(
    deployed: list[dict[str, Any]], reason: str, service: LocalService
) -> None:
    bots = {"name": "Bots", "rules": [rule(ADMIN, "na")]}
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=deployed, custom_rulesets=[{**bots, "id": EXECUTED}])
    described = {**bots, "deploy": {"expression": "true", "enabled": True}}
    found = assessed(predicted(service, edge_account_id=None, baseline_custom_rulesets=[described]))
    assert found[1][:1] == ([f"The custom rule na of the ruleset Bots {reason}."] if reason else [])


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

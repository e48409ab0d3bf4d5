# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Evidence before mitigation: what the traffic keeps back, through every module that enables something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, Modules

GLOBAL = {"scope": "global", "mode": "monitoring"}
PREFIXES = [{"prefix": "203.0.113.0/24"}, {"prefix": "198.51.100.0/24"}]
BUSY = [
    {"ipDestinationAddress": "203.0.113.7", "packets": 1_000_000},
    {"ipDestinationAddress": "198.51.100.7", "packets": 10_000},
]
OUT_OF_STATE: Mapping[str, Any] = {"kind": "out_of_state_tcp", "scope": "global", "mode": "enabled"}
SYN_FLOOD: Mapping[str, Any] = {"kind": "syn_flood", "scope": "global", "mode": "enabled"}
FILTER: Mapping[str, Any] = {"kind": "out_of_state_tcp", "expression": "ip.dst in {203.0.113.64/26}", "mode": "enabled"}
DNS: Mapping[str, Any] = {"scope": "global", "mode": "enabled"}


def flow(packets: int, reason: str = "NOT_FOUND", to: str = "203.0.113.7", **more: Any) -> dict[str, Any]:
    """Packets that would have been dropped."""
    return {"ipDestinationAddress": to, "packets": packets, "verdict": "drop", "mitigationReason": reason, **more}


@dataclass(frozen=True)
class Case:
    """Traffic, a task that would enable something, and why that is kept back (empty: it is not)."""

    name: str
    traffic: Sequence[Mapping[str, Any]]
    reason: str = ""
    words: str = ""
    networks: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=lambda: OUT_OF_STATE)
    module: str = "protection_rule"
    evidence: Mapping[str, Any] = field(default_factory=dict)
    account: Mapping[str, Any] = field(default_factory=dict)
    faults: Mapping[str, Any] = field(default_factory=dict)


filter_case = partial(Case, module="protection_filter", options=FILTER)
dns_case = partial(Case, module="dns_protection_rule", options=DNS)
BOTH, FIRST, SECOND = ["198.51.100.0/24", "203.0.113.0/24"], ["203.0.113.0/24"], ["198.51.100.0/24"]
AMS = {"scope": "datacenter", "name": "AMS", "mode": "monitoring"}
IN_AMS = {**OUT_OF_STATE, "scope": "datacenter", "name": "AMS"}
IN_REGION = {**OUT_OF_STATE, "scope": "region", "name": "WEUR"}
WEUR = {"scope": "region", "name": "WEUR", "mode": "monitoring"}


def seen(to: str, *hours_ago: float, packets: int = 50_000, **more: Any) -> list[dict[str, Any]]:
    """Packets that passed, at these moments alone."""
    return [{"ipDestinationAddress": to, "packets": packets, "hours_ago": hours, **more} for hours in hours_ago]


LATELY = (0.02, 0.1, 0.15)
HOURLY = (0.01, *(number + 0.5 for number in range(24)))  # and right now, if an hour begins in between
WIDE: Mapping[str, Any] = {"prefixes": [{"prefix": "192.0.2.0/23"}]}
IN_WIDE = [*BUSY, {"ipDestinationAddress": "192.0.2.7", "packets": 10_000}]
DNS_SEEN = [{**item, "node": "dns"} for item in BUSY]
CASES = [
    Case("nothing would be lost", BUSY),
    Case("too much of one network", [*BUSY, flow(1100)], "evidence", "packets to 203.0.113.0/24 (0.11 %) within 24 h", FIRST),
    Case("both networks", [*BUSY, flow(5000), flow(100, to="198.51.100.7")], "evidence", ", and too many to 1 more network.", BOTH),
    Case("too many packets", [*BUSY, flow(900)], "evidence", "more than the allowed 0.1 % or 500 packets.", FIRST, evidence={"max_would_drop_packets": 500}),
    Case("no packet is allowed", [*BUSY, flow(1)], "evidence", "packets to 203.0.113.0/24 (0.0001 %)", FIRST,
         evidence={"max_would_drop_percent": 0}),
    Case("a challenge counts for SYN floods", [*BUSY, flow(9000, "CHALLENGE_NEEDED")], "evidence", "CHALLENGE", FIRST, SYN_FLOOD),
    Case("an unknown reason counts", [*BUSY, flow(9000, "NEW")], "evidence", "", FIRST),
    Case("packets before the hours do not count", [*BUSY, flow(9000, hours_ago=25)]),
    Case("packets of more hours count", [*BUSY, flow(9000, hours_ago=25)], "evidence", "within 26 h", FIRST, evidence={"hours": 26}),
    Case("ten minutes do not pass for a day", [*seen("203.0.113.7", *LATELY), *seen("198.51.100.7", *LATELY)],
         "unknown", "saw no traffic to 203.0.113.0/24 in 2", BOTH),
    Case("the hours of one network are not those of another one", [BUSY[0], *seen("198.51.100.7", *LATELY)],
         "unknown", "of 24 hours, so that they do not show all of this time.", SECOND),
    Case("a gap of six hours", [BUSY[1], *seen("203.0.113.7", *HOURLY[:10], *HOURLY[16:])], "unknown", "in 6 of 24 hours", FIRST),
    Case("packets of each hour", [BUSY[1], *seen("203.0.113.7", *HOURLY)]),
    Case("the oldest hour is missing", [BUSY[1], *seen("203.0.113.7", *HOURLY[:-1])], "unknown", "in 1 of 24 hours", FIRST),
    Case("the newest hour is missing", [BUSY[1], *seen("203.0.113.7", *HOURLY[2:])], "unknown", "in 1 of 24 hours", FIRST),
    Case("a subnet of one hour beside a busy one", [*IN_WIDE, *seen("192.0.3.7", 3.5)],
         "unknown", "saw no traffic to 192.0.3.0/24 in 23 of 24 hours", ["192.0.3.0/24"], account=WIDE),
    Case("a silent prefix is told once", [*BUSY, *seen("192.0.2.7", 3.5), *seen("192.0.3.7", 3.5)],
         "unknown", "saw no traffic to 192.0.2.0/23 in 23 of 24 hours", ["192.0.2.0/23"], account=WIDE),
    Case("packets of each hour to two subnets", [*IN_WIDE, *seen("192.0.3.7", *HOURLY)], account=WIDE),
    Case("too few samples of a subnet tell nothing of its hours", [*IN_WIDE, *seen("192.0.3.7", 3.5, packets=5)], account=WIDE),
    Case("a subnet that nobody protects does not count", [*BUSY, *seen("192.0.3.7", 3.5)]),
    Case("few samples in each third of the time", [BUSY[0], *seen("198.51.100.7", 2, 10, 20, packets=10)]),
    Case("few samples in two thirds of it", [BUSY[0], *seen("198.51.100.7", 2, 10, packets=15)], "unknown", "to 198.51.100.0/24 in", SECOND),
    Case("too much, although some hours are silent", [*seen("203.0.113.7", *LATELY), BUSY[1], flow(9000, hours_ago=0.1)], "evidence",
         "of 24 hours, so that they", FIRST),
    Case("other networks do not count", [*BUSY, flow(9000, to="192.0.2.7")]),
    Case("too much of one network hides no silent one", [BUSY[0], flow(9000)], "evidence", "saw no traffic to 198.51.100.0/24.", BOTH),
    Case("another region does not hide what the global rule loses", [*BUSY, {**BUSY[0], "coloCode": "SJC", "packets": 100}, flow(10, coloCode="SJC")],
         "evidence", "9.09", FIRST),
    Case("no traffic at all", [], "unknown", "The analytics saw no traffic.", BOTH),
    Case("too much, although not all is known", [*BUSY, flow(9000)], "evidence", "a shard is lost", BOTH,
         faults={"kind": "query_errors_beside", "messages": ["a shard is lost"]}),
    Case("a data center's rule loses its own traffic", [{**item, "coloCode": "AMS"} for item in [*BUSY, flow(9000)]], "evidence", "", FIRST, IN_AMS),
    Case("a data center's rule keeps its own traffic", [*({**item, "coloCode": "ams"} for item in BUSY), flow(9000)], options=IN_AMS),
    Case("the global rule leaves a data center to its rule", [*BUSY, flow(9000, coloCode="AMS")]),
    Case("a region may hold the one data center that loses", [*BUSY, {**BUSY[0], "coloCode": "CDG", "packets": 100}, flow(5, coloCode="CDG")],
         "evidence", "", FIRST, IN_REGION),
    Case("excluded destinations do not count", [*BUSY, flow(9000)], account={"prefixes": [{"prefix": "203.0.113.7/32", "excluded": True}]},
         reason="unknown", words="saw no traffic to", networks=[]),
    filter_case("a filter sees its own destinations", [*BUSY, flow(9000), {**BUSY[0], "ipDestinationAddress": "203.0.113.70"}]),
    filter_case("a filter loses its own destinations", [*BUSY, {**BUSY[0], "ipDestinationAddress": "203.0.113.70"}, flow(9000, to="203.0.113.70")],
                "evidence", "203.0.113.64/26", ["203.0.113.64/26"]),
    dns_case("DNS loses nothing", [*DNS_SEEN, flow(9000)]),
    dns_case("DNS loses too much", [*DNS_SEEN, flow(9000, node="dns")], "evidence", "", FIRST),
]  # fmt: skip


def seed(service: LocalService, case: Case) -> None:
    """An account whose rules and filters have monitored for two days, and its traffic."""
    monitoring = {**FILTER, "mode": "monitoring"}
    monitoring.pop("kind")
    by_filter = [monitoring] if case.module == "protection_filter" else []
    account = {**case.account, "prefixes": [*PREFIXES, *case.account.get("prefixes", [])]}
    service.account(ACCOUNT).seed(
        enabled=True,
        syn_flood={"rules": [GLOBAL]},
        out_of_state_tcp={"rules": [GLOBAL, AMS, WEUR], "filters": by_filter},
        dns_rules=[GLOBAL],
        **account,
    )
    service.clock.advance(hours=48)
    service.account(ACCOUNT).seed(traffic=[dict(item) for item in case.traffic])
    if case.faults:
        service.misbehave(**case.faults)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_next_stage_waits_for_evidence(
    case: Case, service: LocalService, modules: Modules, waits: list[float]
) -> None:
    seed(service, case)
    options: Any = {**case.options, "staged_rollout": True, "rollout_evidence": dict(case.evidence)}
    predicted = modules.done(case.module, check=True, **options)
    result = modules.done(case.module, **options)
    if not case.reason:
        assert "pending" not in result and "pending" not in predicted
        assert [item["fields"] for item in result["operations"]] == [{"mode": "enabled"}]
        return
    assert not result["changed"] and result["operations"] == predicted["operations"] == []
    pending = result["pending"]
    assert {**pending, "message": ""} == {**predicted["pending"], "message": ""}
    assert pending["reason"] == case.reason and pending["not_before"] is None
    assert case.words in pending["message"]
    assert not case.networks or pending["networks"] == case.networks
    assert (pending["would_drop_percent"] is None) is (case.reason == "unknown")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_without_stages_it_is_a_risk(case: Case, service: LocalService, modules: Modules, waits: list[float]) -> None:
    seed(service, case)
    options: Any = {**case.options, "rollout_evidence": dict(case.evidence)}
    if not case.reason:
        assert "risks" not in modules.done(case.module, check=True, **options)
        return
    message = modules.failed(case.module, check=True, **options)["msg"]
    assert "drops_traffic: " in message and case.words in message
    accepted = {**options, "accept_risks": ["drops_traffic"]}
    result = modules.done(case.module, **accepted)
    assert [risk["code"] for risk in result["risks"]] == ["drops_traffic"] and result["changed"]


def test_a_task_that_does_not_ask_costs_nothing(service: LocalService, modules: Modules) -> None:
    seed(service, Case("", [*BUSY, flow(9000)]))
    assert modules.done("protection_rule", **OUT_OF_STATE)["changed"] and service.queries == []


def test_nothing_is_asked_before_the_time_is_up(service: LocalService, modules: Modules) -> None:
    seed(service, Case("", BUSY))
    evidence = {"hours": 72}
    pending = modules.done("protection_rule", staged_rollout=True, rollout_evidence=evidence, **OUT_OF_STATE)["pending"]
    assert pending["reason"] == "time" and pending["would_drop_packets"] is None and service.queries == []


def test_a_rule_that_mitigates_is_not_asked_about(service: LocalService, modules: Modules) -> None:
    seed(service, Case("", [*BUSY, flow(9000)]))
    modules.done("protection_rule", **OUT_OF_STATE)
    result = modules.done("protection_rule", staged_rollout=True, rollout_evidence={}, **OUT_OF_STATE)
    assert not result["changed"] and "pending" not in result and service.queries == []


def test_a_change_of_the_sensitivity_restarts_the_time(service: LocalService, modules: Modules) -> None:
    seed(service, Case("", BUSY))
    options: Any = {**OUT_OF_STATE, "rate_sensitivity": "high", "rollout_evidence": {}}
    message = modules.failed("protection_rule", check=True, **options)["msg"]
    assert "drops_traffic: " in message and "It changes while it would be enabled" in message
    result = modules.done("protection_rule", staged_rollout=True, **options)
    assert [item["fields"] for item in result["operations"]] == [{"rate_sensitivity": "high"}]
    assert result["pending"]["reason"] == "time" and result["pending"]["not_before"] and service.queries == []


def test_a_new_rule_monitors_first(service: LocalService, modules: Modules) -> None:
    seed(service, Case("", BUSY))
    options: Any = {**OUT_OF_STATE, "scope": "datacenter", "name": "LHR", "rollout_evidence": {}}
    result = modules.done("protection_rule", staged_rollout=True, **options)
    assert result["rule"]["mode"] == "monitoring" and result["pending"]["reason"] == "time" and service.queries == []


def test_a_prefix_that_is_new_waits_for_its_own_evidence(service: LocalService, modules: Modules) -> None:
    """The rule has monitored for two days, and the prefix is protected for an hour of them."""
    seed(service, Case("", BUSY))
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "192.0.2.0/24"}])
    service.account(ACCOUNT).seed(traffic=[{"ipDestinationAddress": "192.0.2.7", "packets": 9000}])
    service.clock.advance(hours=1)
    options: Any = {**OUT_OF_STATE, "staged_rollout": True, "rollout_evidence": {}}
    predicted, result = (modules.done("protection_rule", check, **options) for check in (True, False))
    assert predicted["pending"] == result["pending"] and not result["changed"]
    pending = result["pending"]
    assert (pending["reason"], pending["networks"]) == ("unknown", ["192.0.2.0/24"])
    assert "not known that these networks are protected for 24 h already: 192.0.2.0/24." in pending["message"]
    service.clock.advance(hours=23.1)
    service.account(ACCOUNT).seed(traffic=[*BUSY, {"ipDestinationAddress": "192.0.2.7", "packets": 9000}])
    assert modules.done("protection_rule", **options)["rule"]["mode"] == "enabled"


def test_a_prefix_that_comes_with_the_same_plan_has_no_evidence(service: LocalService, modules: Modules) -> None:
    seed(service, Case("", [*BUSY, {"ipDestinationAddress": "192.0.2.7", "packets": 9000}]))
    new = [*PREFIXES, {"prefix": "192.0.2.0/24"}]
    options: Any = {"prefixes": new, "rules": [dict(OUT_OF_STATE)], "staged_rollout": True, "rollout_evidence": {}}
    result = modules.done("account_protection", **options)
    assert [item["resource"] for item in result["operations"]] == ["prefix"]
    assert [item["reason"] for item in result["pending"]] == ["unknown"]


def test_a_protection_that_is_off_has_monitored_nothing(service: LocalService, modules: Modules) -> None:
    """Although its rule says monitoring for two days, and the plan turns it on."""
    seed(service, Case("", BUSY, account={}))
    service.account(ACCOUNT).seed(enabled=False)
    options: Any = {"enabled": True, "rules": [dict(OUT_OF_STATE)], "staged_rollout": True, "rollout_evidence": {}}
    result = modules.done("account_protection", **options)
    assert [item["resource"] for item in result["operations"]] == ["tcp_protection_status"]
    (pending,) = result["pending"]
    assert (
        pending["reason"] == "unknown" and "TCP protection is off, so that nothing was monitored." in pending["message"]
    )


def test_an_acceptance_lets_its_networks_pass(service: LocalService, modules: Modules) -> None:
    seed(service, Case("", BUSY[:1]))
    options: Any = {**OUT_OF_STATE, "staged_rollout": True, "rollout_evidence": {}}
    idle = {"code": "drops_traffic", "networks": SECOND, "reason": "nobody uses it yet"}
    others = {"code": "drops_traffic", "networks": FIRST}
    assert modules.done("protection_rule", accept_risks=[others], **options)["pending"]["reason"] == "unknown"
    result = modules.done("protection_rule", accept_risks=[idle], **options)
    assert result["rule"]["mode"] == "enabled" and result["risks"][0]["reason"] == "nobody uses it yet"


def test_an_accepted_network_hides_no_other_one(service: LocalService, modules: Modules) -> None:
    """Neither one that is protected for an hour, nor one of which nothing is known."""
    seed(service, Case("", BUSY[:1]))
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "192.0.2.0/24"}])
    service.clock.advance(hours=1)
    service.account(ACCOUNT).seed(traffic=[BUSY[0], {"ipDestinationAddress": "192.0.2.7", "packets": 9000}])
    options: Any = {**OUT_OF_STATE, "staged_rollout": True, "rollout_evidence": {}}
    accepted = [{"code": "drops_traffic", "networks": SECOND}]
    pending = modules.done("protection_rule", accept_risks=accepted, **options)["pending"]
    assert pending["networks"] == ["192.0.2.0/24", *SECOND] and "for 24 h already: 192.0.2.0/24." in pending["message"]
    accepted.append({"code": "drops_traffic", "networks": ["192.0.2.0/24"]})
    assert modules.done("protection_rule", accept_risks=accepted, **options)["rule"]["mode"] == "enabled"


LATE = {"prefix": "192.0.2.0/24"}
TO_LATE = {"ipDestinationAddress": "192.0.2.7", "packets": 9000}
AMS_OFF = {**AMS, "mode": "disabled"}
FILTER_OFF = {"expression": "ip.dst in {192.0.2.0/24}", "mode": "disabled"}
BRINGING: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "an exclusion ends": ({"prefixes": [{**LATE, "excluded": True}]}, {"prefixes": [{**LATE, "excluded": False}]}),
    "an exclusion is deleted": ({"prefixes": [LATE, {"prefix": "192.0.2.128/25", "excluded": True}]},
                                {"prefixes": [*PREFIXES, LATE], "purge": ["prefixes"]}),
    "a disabled filter is deleted": ({"prefixes": [LATE], "out_of_state_tcp": {"filters": [FILTER_OFF]}}, {"filters": [], "purge": ["filters"]}),
    "a disabled rule of a data center is deleted": ({"prefixes": [LATE], "out_of_state_tcp": {"rules": [AMS_OFF]}}, {"purge": ["rules"]}),
    "an allowlist entry is deleted": ({"prefixes": [LATE], "allowlist": [{"prefix": "10.0.0.1/32"}]}, {"allowlist": [], "purge": ["allowlist"]}),
}  # fmt: skip


@pytest.mark.parametrize("name", BRINGING)
def test_a_rule_waits_for_traffic_that_its_own_plan_brings(name: str, service: LocalService, modules: Modules) -> None:
    existing, task = BRINGING[name]
    own = existing.get("out_of_state_tcp", {})
    account = {**existing, "prefixes": [*PREFIXES, *existing["prefixes"]]}
    account["out_of_state_tcp"] = {"rules": [GLOBAL, *own.get("rules", [])], "filters": own.get("filters", [])}
    service.account(ACCOUNT).seed(enabled=True, syn_flood={"rules": [GLOBAL]}, **account)
    service.clock.advance(hours=48)
    service.account(ACCOUNT).seed(traffic=[*BUSY, TO_LATE])
    accepted = ["mass_deletion", "empties_list"]
    options: Any = {"rules": [dict(OUT_OF_STATE), {**SYN_FLOOD, "mode": "monitoring"}], "rollout_evidence": {}, **task}
    predicted, result = (
        modules.done("account_protection", check, staged_rollout=True, accept_risks=accepted, **options)
        for check in (True, False)
    )
    assert predicted["operations"] == result["operations"] and result["changed"]
    assert "out_of_state_tcp_rule" not in [
        item["resource"] for item in result["operations"] if item["action"] == "update"
    ]
    (pending,) = result["pending"]
    assert pending["reason"] == "unknown"


def test_a_prefix_that_was_excluded_an_hour_ago_is_young(service: LocalService, modules: Modules) -> None:
    seed(service, Case("", BUSY, account={"prefixes": [{**LATE, "excluded": True}]}))
    modules.done("protected_prefixes", prefixes=[{**LATE, "excluded": False}])
    service.clock.advance(hours=1)
    service.account(ACCOUNT).seed(traffic=[*BUSY, TO_LATE])
    options: Any = {**OUT_OF_STATE, "staged_rollout": True, "rollout_evidence": {}}
    pending = modules.done("protection_rule", **options)["pending"]
    assert (pending["reason"], pending["networks"]) == ("unknown", ["192.0.2.0/24"])


def test_many_excluded_hosts_do_not_keep_a_rule_back(service: LocalService, modules: Modules) -> None:
    hosts = [{"prefix": f"10.20.{number}.9/32", "excluded": True} for number in range(205)]
    flows = [{"ipDestinationAddress": f"10.20.{number}.7", "packets": 9000} for number in range(205)]
    seed(service, Case("", [*BUSY, *flows], account={"prefixes": [{"prefix": "10.20.0.0/16"}, *hosts]}))
    options: Any = {**OUT_OF_STATE, "staged_rollout": True, "rollout_evidence": {}}
    assert modules.done("protection_rule", **options)["rule"]["mode"] == "enabled" and len(service.queries) == 3


def test_one_query_answers_for_the_whole_account(service: LocalService, modules: Modules) -> None:
    case = Case("", [*BUSY, *DNS_SEEN, flow(9000)])
    seed(service, case)
    options: Any = {
        "rules": [dict(OUT_OF_STATE), dict(SYN_FLOOD)],
        "dns_rules": [dict(DNS)],
        "staged_rollout": True,
        "rollout_evidence": {},
    }
    result = modules.done("account_protection", **options)
    assert [item["key"] for item in result["operations"]] == ["global", "global"]
    assert [(item["resource"], item["reason"]) for item in result["pending"]] == [("out_of_state_tcp_rule", "evidence")]
    assert len(service.queries) == 1


def test_the_traffic_is_asked_once_although_an_answer_is_lost(
    service: LocalService, modules: Modules, waits: list[float]
) -> None:
    seed(service, Case("", BUSY))
    service.misbehave("lost_after", method="PATCH")
    options: Any = {**OUT_OF_STATE, "staged_rollout": True, "rollout_evidence": {}}
    assert modules.done("protection_rule", **options)["rule"]["mode"] == "enabled"
    assert len(service.queries) == 1


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        ({"hours": 0}, "rollout_evidence.hours: 0 is not above 0 and at most 2160"),
        ({"hours": -1}, "rollout_evidence.hours: -1 is not above 0"),
        ({"max_would_drop_percent": 100.5}, "rollout_evidence.max_would_drop_percent: 100.5 is not between 0 and 100"),
        ({"max_would_drop_percent": -1}, "rollout_evidence.max_would_drop_percent: -1 is not between 0 and 100"),
        ({"max_would_drop_packets": -1}, "rollout_evidence.max_would_drop_packets: -1 is not 0 or more"),
    ],
)
def test_bad_limits_are_errors_in_the_options(
    service: LocalService, modules: Modules, evidence: Any, message: str
) -> None:
    assert message in modules.failed("protection_rule", rollout_evidence=evidence, **OUT_OF_STATE)["msg"]
    assert service.calls == []

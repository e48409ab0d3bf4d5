# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the traffic says: the module that reads it, against the local service."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api import connect

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, Modules

OTHER = "00000000000000000000000000000002"
SEEN = [
    {"ipDestinationAddress": "203.0.113.7", "packets": 90_000},
    {"ipDestinationAddress": "203.0.113.7", "packets": 10, "verdict": "drop", "mitigationReason": "NOT_FOUND"},
    {"ipDestinationAddress": "198.51.100.7", "packets": 5_000, "outcome": "drop", "verdict": "drop"},
    {"ipDestinationAddress": "203.0.113.53", "packets": 700, "node": "dns"},
]


def seeded(service: LocalService, **fields: Any) -> None:
    service.account(ACCOUNT).seed(**{"traffic": SEEN, **fields})


def test_one_query_answers_for_all_components(service: LocalService, modules: Modules) -> None:
    seeded(service)
    traffic = modules.done("protection_traffic_info")["traffic"]
    assert traffic["known"] is True and traffic["unknown"] == []
    seen = {name: (item["passed_packets"], item["would_drop_packets"]) for name, item in traffic["components"].items()}
    assert seen == {"syn_flood": (90_000, 0), "out_of_state_tcp": (90_000, 10), "dns": (700, 0)}
    assert traffic["components"]["out_of_state_tcp"]["would_drop_percent"] == 0.011
    assert [(call.method, call.path) for call in service.calls] == [("POST", "/graphql")] and not service.writes


def test_check_mode_reads_the_same(service: LocalService, modules: Modules) -> None:
    seeded(service)
    predicted, read = (modules.done("protection_traffic_info", check)["traffic"] for check in (True, False))
    assert predicted["components"] == read["components"]


def test_networks_are_those_of_the_task(service: LocalService, modules: Modules) -> None:
    seeded(service)
    networks = modules.done(
        "protection_traffic_info", prefixes=["203.0.113.0/28", "192.0.2.0/24"], components=["out_of_state_tcp"]
    )["traffic"]["components"]["out_of_state_tcp"]["networks"]
    assert [(item["network"], item["passed_packets"], item["known"]) for item in networks] == [
        ("203.0.113.0/28", 90_000, True),
        ("192.0.2.0/24", None, False),
    ]


FLOOD = [
    {"ipDestinationAddress": "203.0.113.7", "packets": 9_000, "ipSourceAddress": "192.0.2.1"},
    *(
        {
            "ipDestinationAddress": "203.0.113.7",
            "packets": packets,
            "outcome": outcome,
            "verdict": "drop",
            "ipSourceAddress": source,
            "sourceAsn": asn,
            "sourceCountry": country,
            "destinationPort": port,
            "node": node,
        }
        for packets, outcome, source, asn, country, port, node in [
            (500, "drop", "198.51.100.9", 64496, "DE", 443, "tcp"),
            (300, "pass", "198.51.100.10", 64496, "NL", 80, "tcp"),
            (200, "pass", "198.51.100.10", 64497, "NL", 53, "dns"),
            (10, "drop", "2001:db8::1", 64499, "FR", 25, "tcp"),
        ]
    ),
]


def test_the_heaviest_of_what_is_dropped_or_would_be(service: LocalService, modules: Modules) -> None:
    seeded(service, traffic=FLOOD)
    top = modules.done("protection_traffic_info", top=2)["traffic"]["top"]
    assert top == {
        "known": True,
        "unknown": [],
        "sources": [{"value": "198.51.100.9", "packets": 500}, {"value": "198.51.100.10", "packets": 500}],
        "source_networks": [{"value": "198.51.100.0/24", "packets": 1000}, {"value": "2001:db8::/64", "packets": 10}],
        "asns": [{"value": "64496", "packets": 800}, {"value": "64497", "packets": 200}],
        "countries": [{"value": "DE", "packets": 500}, {"value": "NL", "packets": 500}],
        "ports": [{"value": "443", "packets": 500}, {"value": "80", "packets": 300}],
    }
    assert [call.path for call in service.calls] == ["/graphql"] * 2 and not service.writes
    assert "top" not in modules.done("protection_traffic_info")["traffic"]


def test_without_a_dropped_packet_the_heaviest_take_no_query(service: LocalService, modules: Modules) -> None:
    seeded(service, traffic=FLOOD[:1])
    top = modules.done("protection_traffic_info", top=10)["traffic"]["top"]
    assert (top["known"], top["sources"], len(service.calls)) == (True, [], 1)


@pytest.mark.parametrize(
    ("seed", "tell", "words"),
    [
        ({}, {"kind": "query_errors", "messages": ["not authorized for that account"]}, "Account Analytics Read"),
        ({"analytics": {"dns": {"enabled": False}}}, None, "The account has no analytics of Advanced DNS Protection."),
        ({"traffic": []}, None, "The analytics saw no traffic."),
        ({}, {"kind": "query_errors", "messages": ["query consumed excessive resources"], "skip": 1}, "too large"),
    ],
)
def test_heaviest_that_are_not_known_are_said(
    seed: dict[str, Any], tell: dict[str, Any] | None, words: str, service: LocalService, modules: Modules
) -> None:
    seeded(service, **{"traffic": FLOOD, **seed})
    if tell:
        service.misbehave(**tell)
    top = modules.done("protection_traffic_info", top=2)["traffic"]["top"]
    assert top["known"] is False and words in " ".join(top["unknown"])


@pytest.mark.parametrize("top", [0, 101, -1])
def test_the_number_of_the_heaviest_has_bounds(top: int, modules: Modules) -> None:
    assert f"top: {top} is not from 1 to 100" in modules.failed("protection_traffic_info", top=top)["msg"]


@pytest.mark.parametrize(
    ("seed", "tell", "words"),
    [
        ({}, {"kind": "query_errors", "messages": ["not authorized for that account"]}, "Account Analytics Read"),
        ({"traffic": []}, None, "The analytics saw no traffic."),
        ({}, {"kind": "lost_before"}, "The analytics did not answer: POST graphql got no response"),
    ],
)
def test_not_known_is_said_and_fails_no_task(
    service: LocalService, modules: Modules, waits: list[float], seed: Any, tell: Any, words: str
) -> None:
    seeded(service, **seed)
    if tell:
        service.misbehave(**tell)
    traffic = modules.done("protection_traffic_info")["traffic"]
    assert traffic["known"] is False and words in " ".join(traffic["unknown"])


@pytest.mark.parametrize(
    ("message", "status", "queries"),
    [
        ("in combination, your request queries too many nodes, zones and accounts", 429, 1),
        ("rate limiter budget depleted, try again after 5 minutes", 429, 1),
        ("Account x has exceeded its rate limit. Please try again after 5 minutes", 429, 1),
        ("unable to execute query, please try again later", 503, 5),
    ],
)
def test_only_what_passes_is_asked_again(
    service: LocalService, modules: Modules, waits: list[float], message: str, status: int, queries: int
) -> None:
    seeded(service)
    service.misbehave("query_errors", messages=[message], status=status)
    traffic = modules.done("protection_traffic_info")["traffic"]
    assert message in traffic["unknown"][0] and len(service.queries) == queries


def test_a_lost_answer_is_asked_for_again(service: LocalService, modules: Modules, waits: list[float]) -> None:
    seeded(service)
    service.misbehave("lost_after", times=1)
    assert modules.done("protection_traffic_info")["traffic"]["known"] is True
    assert len(service.queries) == 2


def test_queries_share_a_budget_of_their_own(
    service: LocalService, modules: Modules, monkeypatch: Any, tmp_path: Any
) -> None:
    monkeypatch.setenv("ANSIBLE_HOME", str(tmp_path))
    seeded(service)
    modules.done("protection_info", gather_subset=["status"], call_budget=5)
    states = tmp_path / "edgeops.protection"
    assert len(list(states.iterdir())) == 1  # no query was made
    modules.done("protection_traffic_info", call_budget=5)
    assert len(list(states.iterdir())) == 2


PERIOD = 2.0  # seconds


def test_queries_about_an_account_wait_for_one_another(
    service: LocalService, modules: Modules, monkeypatch: Any, tmp_path: Any
) -> None:
    """With any token, and not for those about another account with the same token."""
    monkeypatch.setenv("ANSIBLE_HOME", str(tmp_path))
    monkeypatch.setattr(connect, "QUERY_BUDGET", (1, PERIOD))
    service.limit_analytics(1, seconds=PERIOD)
    service.account(OTHER).seed(traffic=SEEN)
    seeded(service)
    another = service.add_token("of-a-colleague", analytics="read")
    for account_id, token in [(ACCOUNT, service.token), (OTHER, service.token), (ACCOUNT, another)]:
        result = modules.done("protection_traffic_info", call_budget=5, account_id=account_id, api_token=token)
        assert result["traffic"]["known"] is True
    first, of_other, second = (call.moment for call in service.queries)
    assert of_other - first < PERIOD <= second - first
    assert {call.headers["X-Rate-Limit-Type"] for call in service.queries} == {"account-based"}


@pytest.mark.parametrize("under_200", [False, True])
def test_a_budget_that_others_have_used_up_is_told_and_not_waited_for(
    service: LocalService, modules: Modules, waits: list[float], under_200: bool
) -> None:
    seeded(service)
    service.account(OTHER).seed(traffic=SEEN)
    service.switch(analytics_errors_under_200=under_200)
    service.limit_analytics(1)
    traffic = [
        modules.done("protection_traffic_info", account_id=name)["traffic"] for name in (ACCOUNT, ACCOUNT, OTHER)
    ]
    assert [one["known"] for one in traffic] == [True, False, True]
    (reason,) = traffic[1]["unknown"]
    assert f"Account {ACCOUNT} has exceeded its rate limit" in reason
    assert reason.endswith("Run again in five minutes; others use the same budget.")
    assert len(service.queries) == 3 and waits == []

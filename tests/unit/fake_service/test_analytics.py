# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries of the analytics: what the local service makes of the flows in its state."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import requests

from tests.fake_service import LocalService
from tests.fake_service.clock import timestamp

from .conftest import ACCOUNT

NODE = "advancedTcpProtectionNetworkAnalyticsAdaptiveGroups"
QUERY = """
query ($account: string!, $filter: AccountTYPEFilter_InputObject!, $limit: uint64!) {
  viewer {
    accounts(filter: {accountTag: $account}) {
      settings { NODE { enabled maxPageSize } }
      rows: NODE(filter: $filter, limit: $limit, orderBy: [ipDestinationSubnet_ASC, sum_packets_DESC]) {
        sum { packets }
        confidence(level: 0.95) { sum { packets { estimate lower upper sampleSize isValid } } }
        dimensions { ipDestinationSubnet outcome verdict }
      }
    }
  }
}
""".replace("TYPE", NODE[0].upper() + NODE[1:]).replace("NODE", NODE)

Ask = Callable[..., requests.Response]


@pytest.fixture
def ask(service: LocalService, session: requests.Session, account: Any) -> Ask:
    account.seed(
        traffic=[
            {"ipDestinationAddress": "203.0.113.7", "packets": 9000, "sampleInterval": 1000},
            {"ipDestinationAddress": "203.0.113.8", "packets": 1000},
            {"ipDestinationAddress": "203.0.113.7", "packets": 50, "verdict": "drop", "mitigationReason": "NOT_FOUND"},
            {"ipDestinationAddress": "2001:db8::7", "packets": 70, "outcome": "drop", "verdict": "drop"},
            {"ipDestinationAddress": "198.51.100.7", "packets": 3, "node": "dns"},
            {"ipDestinationAddress": "198.51.100.7", "packets": 4, "hours_ago": 30},
        ]
    )

    def send(query: str = QUERY, since: float = 24, limit: Any = 100, **conditions: Any) -> requests.Response:
        now = service.clock.now()
        times = {"datetime_geq": timestamp(now - timedelta(hours=since)), "datetime_lt": timestamp(now)}
        variables = {"account": ACCOUNT, "filter": {**times, **conditions}, "limit": limit}
        body = {"query": query, "variables": variables}
        return session.post(f"{service.base_url}/graphql", json=body, timeout=5)

    return send


def rows(response: requests.Response) -> list[tuple[Any, ...]]:
    """Subnet, outcome, verdict and packets of each row of an answer."""
    assert response.status_code == 200, response.text
    listed = response.json()["data"]["viewer"]["accounts"][0]["rows"]
    return [(*row["dimensions"].values(), row["sum"]["packets"]) for row in listed]


def message(response: requests.Response) -> tuple[int, str]:
    answer = response.json()
    assert answer["data"] is None
    return response.status_code, answer["errors"][0]["message"]


def test_flows_are_grouped_and_summed(ask: Ask) -> None:
    assert rows(ask()) == [
        ("2001:db8::/64", "drop", "drop", 70),
        ("203.0.113.0/24", "pass", "pass", 10000),
        ("203.0.113.0/24", "pass", "drop", 50),
    ]


@pytest.mark.parametrize(
    ("conditions", "packets"),
    [
        ({"verdict": "drop"}, [70, 50]),
        ({"outcome_neq": "drop", "verdict_in": ["drop"]}, [50]),
        ({"ipDestinationSubnet_gt": "2001:db8::/64"}, [10000, 50]),
        ({"OR": [{"verdict": "drop", "outcome": "drop"}, {"mitigationReason_like": "NOT%"}]}, [70, 50]),
        ({"since": 40}, [4, 70, 10000, 50]),
        ({"limit": 1}, [70]),
    ],
)
def test_filters_decide_which_flows_count(ask: Ask, conditions: dict[str, Any], packets: list[int]) -> None:
    assert [row[-1] for row in rows(ask(**conditions))] == packets


def test_estimates_say_how_many_samples_they_have(ask: Ask) -> None:
    listed = ask().json()["data"]["viewer"]["accounts"][0]["rows"]
    estimate = listed[1]["confidence"]["sum"]["packets"]
    assert (estimate["estimate"], estimate["sampleSize"], estimate["isValid"]) == (10000, 1009, True)
    assert estimate["lower"] < 10000 < estimate["upper"]


@pytest.mark.parametrize(
    ("settings", "since", "words"),
    [
        ({"enabled": False}, 24, "does not have access to the path"),
        ({"notOlderThan": 3600}, 24, "cannot request data older than"),
        ({"maxDuration": 3600}, 24, "query time range is too large"),
        ({"maxPageSize": 10}, 24, "limit must be positive number and not greater than 10"),
        ({"maxNumberOfFields": 2}, 24, "number of fields can't be more than 2"),
    ],
)
def test_settings_bound_a_query(ask: Ask, account: Any, settings: dict[str, Any], since: float, words: str) -> None:
    account.seed(analytics={"tcp": settings})
    status, text = message(ask(since=since))
    assert status == 400 and words in text


@pytest.mark.parametrize(("under_200", "status"), [(False, 403), (True, 200)])
def test_permission_is_needed(service: LocalService, ask: Ask, under_200: bool, status: int) -> None:
    service.switch(analytics_errors_under_200=under_200)
    service.add_token(service.token, analytics="none")
    assert message(ask()) == (status, "not authorized for that account")


def test_an_unknown_token_is_unauthorized(ask: Ask, session: requests.Session) -> None:
    session.headers["Authorization"] = "Bearer somebody-elses-token"
    assert message(ask()) == (401, "Unauthorized")


@pytest.mark.parametrize(
    "query", ["{", "{ nothing }", QUERY.replace("outcome", "result"), QUERY.replace("uint64!", "string!")]
)
def test_queries_outside_the_schema_are_refused(ask: Ask, query: str) -> None:
    assert message(ask(query))[0] == 400


@pytest.mark.parametrize("limit", [-1, "many", True])
def test_numbers_are_checked(ask: Ask, limit: Any) -> None:
    assert message(ask(limit=limit))[0] == 400


def test_queries_have_a_limit_of_their_own(service: LocalService, ask: Ask) -> None:
    service.rate_limit(0, 300)
    service.limit_analytics(1)
    assert ask().status_code == 200
    assert message(ask()) == (429, "rate limiter budget depleted, try again after 5 minutes")
    service.clock.advance(minutes=6)
    assert ask().status_code == 200


def test_queries_are_no_writes(service: LocalService, ask: Ask) -> None:
    ask()
    assert service.writes == [] and [call.path for call in service.queries] == ["/graphql"]


def test_errors_may_come_in_the_place_of_data_or_beside_them(service: LocalService, ask: Ask) -> None:
    service.misbehave("query_errors", messages=["too many queries in progress"], status=503, times=1)
    assert message(ask()) == (503, "too many queries in progress")
    service.misbehave("query_errors_beside", messages=["one node failed"], times=1)
    answer = ask().json()
    assert answer["data"]["viewer"] and answer["errors"] == [{"message": "one node failed"}]


def test_flows_are_part_of_the_state(service: LocalService, ask: Ask) -> None:
    before = rows(ask())
    service.load(service.document())
    assert rows(ask()) == before

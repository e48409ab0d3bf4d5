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


@pytest.mark.parametrize(
    "query", ["{", "{ nothing }", QUERY.replace("outcome", "result"), QUERY.replace("uint64!", "string!")]
)
def test_queries_outside_the_schema_are_refused(ask: Ask, query: str) -> None:
    assert message(ask(query))[0] == 400

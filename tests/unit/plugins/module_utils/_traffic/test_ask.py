# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How the analytics of an account are asked: with how many queries, and what is said not to be known."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import chain
from typing import Any

import pytest
import requests
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, Response
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import COMPONENTS
from ansible_collections.edgeops.protection.plugins.module_utils._traffic import ask
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.ask import ask_traffic
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.queries import RowsPage, Traffic
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import range_of, union

from tests.fake_service import LocalService

ACCOUNT = "023e105f4ecef8ad9ca31a8372d0c353"
SUBNETS = [f"203.0.{number}.0/24" for number in range(110, 116)]
FLOWS = [{"ipDestinationAddress": subnet.replace(".0/24", ".7"), "packets": 5000} for subnet in SUBNETS]
NO_ANSWER: dict[str, Any] = {"method": "POST", "path": "graphql", "status": None, "errors": [], "ray": None}

Asked = Callable[..., Traffic]


@pytest.fixture(scope="module")
def running() -> Iterator[LocalService]:
    with LocalService() as service:
        yield service


@pytest.fixture
def service(running: LocalService) -> LocalService:
    running.reset()
    running.account(ACCOUNT).seed(traffic=[*FLOWS, {"node": "dns", "ipDestinationAddress": "203.0.110.53"}])
    return running


@pytest.fixture
def asked(service: LocalService) -> Asked:
    def send(request: Request) -> Response:
        assert request.about == ACCOUNT and request.path == "graphql"
        headers = {"Authorization": f"Bearer {service.token}"}
        answer = requests.post(f"{service.base_url}/graphql", json=request.body, headers=headers, timeout=60)
        return Response(answer.status_code, answer.headers, answer.content)

    def traffic(hours: float = 24, components: Any = tuple(COMPONENTS), networks: Any = None) -> Traffic:
        now = service.clock.now()
        space = None if networks is None else union(filter(None, map(range_of, networks)))
        listings = ask_traffic(send, ACCOUNT, components, now - timedelta(hours=hours), now)
        return listings.traffic(None if space is None else [space])

    return traffic


def destinations(traffic: Traffic, node: str = "tcp") -> list[str]:
    return [row.destination for row in traffic.rows[node]]


def test_one_query_tells_all_of_an_account(service: LocalService, asked: Asked) -> None:
    traffic = asked()
    assert destinations(traffic) == SUBNETS and destinations(traffic, "dns") == ["203.0.110.0/24"]
    assert traffic.unknown == {"tcp": [], "dns": []} and len(service.queries) == 1


def test_only_the_nodes_of_the_components_are_asked(service: LocalService, asked: Asked) -> None:
    assert list(asked(components=["syn_flood"]).rows) == ["tcp"]
    assert list(asked(components=["dns"]).rows) == ["dns"]


@pytest.mark.parametrize(("size", "queries"), [(7, 1), (6, 2), (5, 2), (4, 2), (3, 3), (2, 6)])
def test_full_pages_are_followed_by_others(
    monkeypatch: pytest.MonkeyPatch, service: LocalService, asked: Asked, size: int, queries: int
) -> None:
    monkeypatch.setattr(RowsPage, "__new__", limited_page(size))
    traffic = asked(components=["syn_flood"])
    assert destinations(traffic) == SUBNETS and traffic.unknown["tcp"] == []
    assert len(service.queries) == queries


def limited_page(size: int) -> Any:
    original = RowsPage.__new__

    def make(cls: Any, node: Any, since: Any, until: Any, limit: int = size, *rest: Any, **more: Any) -> Any:
        return original(cls, node, since, until, limit, *rest, **more)

    return make


def test_pages_are_as_large_as_the_account_allows(service: LocalService, asked: Asked) -> None:
    service.account(ACCOUNT).seed(analytics={"tcp": {"maxPageSize": 4}})
    traffic = asked(components=["out_of_state_tcp"])
    assert destinations(traffic) == SUBNETS and traffic.unknown["tcp"] == []
    assert len(service.queries) == 4  # refused, settings, two pages


def test_a_page_full_of_one_destination_is_not_known(service: LocalService, asked: Asked) -> None:
    colos = [{"ipDestinationAddress": "203.0.113.7", "coloCode": code} for code in ("AMS", "CDG", "LHR", "MAD")]
    service.account(ACCOUNT).seed(traffic=colos, analytics={"tcp": {"maxPageSize": 3}})
    (reason,) = asked(components=["out_of_state_tcp"]).unknown["tcp"]
    assert reason.startswith("The analytics have more than ") and reason.endswith(", a full page.")


def test_pages_that_do_not_follow_on_each_other_are_not_known(
    monkeypatch: pytest.MonkeyPatch, service: LocalService, asked: Asked
) -> None:
    monkeypatch.setattr(RowsPage, "__new__", limited_page(3))
    service.misbehave("meanwhile", action=service.account(ACCOUNT).traffic.clear, skip=1, times=1)
    assert asked(components=["syn_flood"]).unknown["tcp"] == ["The pages of the analytics do not follow on each other."]


@pytest.mark.parametrize("under_200", [False, True])
@pytest.mark.parametrize(
    ("settings", "words", "rows"),
    [
        ({"enabled": False}, "The account has no analytics of Advanced TCP Protection.", 0),
        ({"notOlderThan": 6 * 3600}, "analytics are kept for 6 h, and 24 h are asked for.", 6),
        ({"maxDuration": 12 * 3600}, "analytics take ranges of at most 12 h, and 24 h are asked for.", 6),
        ({"maxNumberOfFields": 3}, "number of fields can't be more than 3", 0),
    ],
)
def test_traffic_that_the_settings_keep_back_is_not_known(
    service: LocalService, asked: Asked, settings: Any, words: str, rows: int, under_200: bool
) -> None:
    service.switch(analytics_errors_under_200=under_200)
    service.account(ACCOUNT).seed(analytics={"tcp": settings})
    traffic = asked()
    assert words in " ".join(traffic.unknown["tcp"]) and len(traffic.rows["tcp"]) == rows
    assert traffic.unknown["dns"] == [] and len(traffic.rows["dns"]) == 1


@pytest.mark.parametrize("under_200", [False, True])
def test_a_token_without_permission_is_named(service: LocalService, asked: Asked, under_200: bool) -> None:
    service.switch(analytics_errors_under_200=under_200)
    service.add_token(service.token, analytics="none")
    traffic = asked()
    assert "needs the permission Account Analytics Read (account)" in traffic.unknown["tcp"][0]
    assert traffic.unknown["tcp"] == traffic.unknown["dns"] and len(service.queries) == 1


def test_errors_beside_data_are_not_known(service: LocalService, asked: Asked) -> None:
    service.misbehave("query_errors_beside", messages=["one of the shards failed"])
    traffic = asked()
    assert "one of the shards failed" in traffic.unknown["tcp"][0] and len(traffic.rows["tcp"]) == 6


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("query_errors", {"messages": ["query consumed excessive resources"], "status": 429}),
        ("query_errors", {"messages": ["unable to execute query, please try again later"]}),
        ("html", {}),
        ("empty", {}),
        ("truncated", {}),
        ("raw", {"body": "null"}),
    ],
)
def test_other_answers_are_not_known(service: LocalService, asked: Asked, kind: str, settings: Any) -> None:
    service.misbehave(kind, **settings)
    traffic = asked()
    assert all(reasons and reasons[0].startswith("The analytics were answered") for reasons in traffic.unknown.values())


def test_an_answer_without_settings_is_not_known(service: LocalService, asked: Asked) -> None:
    answer: dict[str, Any] = {"data": {"viewer": {"accounts": [{"tcp": [], "dns": []}]}}}
    service.misbehave("raw", path="graphql", body=json.dumps(answer))
    assert {*chain(*asked().unknown.values())} == {"The analytics do not tell how long they are kept."}


def test_subnets_at_the_edge_are_asked_for_by_address(service: LocalService, asked: Asked) -> None:
    service.account(ACCOUNT).seed(traffic=[{"ipDestinationAddress": "203.0.112.200", "packets": 10}])
    traffic = asked(components=["syn_flood"], networks=["203.0.110.0/23", "203.0.112.192/26"])
    assert destinations(traffic) == ["203.0.110.0/24", "203.0.111.0/24", "203.0.112.200"]
    assert len(service.queries) == 2


def test_too_many_subnets_at_the_edge_are_not_known(
    monkeypatch: pytest.MonkeyPatch, service: LocalService, asked: Asked
) -> None:
    monkeypatch.setattr(ask, "MAX_STRADDLING", 1)
    asking: dict[str, Any] = {"components": ["syn_flood"], "networks": ["203.0.112.192/26", "203.0.113.192/26"]}
    assert asked(**asking).unknown["tcp"] == [] and len(service.queries) == 3
    monkeypatch.setattr(ask, "MAX_PAGES", 1)
    traffic = asked(**asking)
    assert traffic.unknown["tcp"] == ["2 subnets are only in part of what is asked for."]

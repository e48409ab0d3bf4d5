# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Queries: every one that can be built is held against the vendor's schema."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from itertools import chain, combinations
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.past_requests import PARTS
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import write_time
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.ask import TOP
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.hits import EVENTS
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.queries import (
    NODES,
    REQUESTS,
    RowsPage,
    query,
)
from graphql import parse
from graphql.execution import get_variable_values

from tests.fake_service.analytics import problems_of, schema

NOW = datetime(2026, 7, 1, 12, tzinfo=timezone.utc)
SUBNETS = ("203.0.113.0/24", "2001:db8::/64")
KINDS: tuple[dict[str, Any], ...] = (
    {},
    {"start": "203.0.113.0/24"},
    {"subnets": SUBNETS},
    {"subnets": SUBNETS, "start": "203.0.113.7"},
    {"heaviest": True},
)
SUBSETS = list(chain.from_iterable(combinations(NODES, length) for length in range(len(NODES) + 1)))


def check(body: Any) -> None:
    """A query is valid by the vendor's schema, with the values of exactly the variables that it declares."""
    assert problems_of(body["query"]) == []
    (operation,) = parse(body["query"]).definitions
    declared = operation.variable_definitions  # type: ignore[attr-defined]
    coerced = get_variable_values(schema(), declared, body["variables"])
    assert not isinstance(coerced, list), coerced
    assert {item.variable.name.value for item in declared} == set(body["variables"])


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("nodes", SUBSETS, ids=lambda nodes: "+".join(node.name for node in nodes))
@pytest.mark.parametrize("with_settings", [False, True])
def test_queries_are_valid_by_the_vendors_schema(nodes: Any, kind: dict[str, Any], with_settings: bool) -> None:
    if not nodes and not with_settings:
        return
    pages = [RowsPage(node, NOW - timedelta(hours=24), NOW, **kind) for node in nodes]
    body = query("023e105f4ecef8ad9ca31a8372d0c353", pages, with_settings)
    check(body)


@pytest.mark.parametrize("node", EVENTS.values(), ids=lambda node: node.owner)
@pytest.mark.parametrize("kind", [{}, {"start": "a" * 32}], ids=str)
def test_queries_of_events_are_valid_by_the_vendors_schema(node: Any, kind: dict[str, Any]) -> None:
    body = query("5c2a81f0f7ae4b2d9b1e6f3a7d904c11", [RowsPage(node, NOW, NOW, **kind)], True, [node])
    check(body)


@pytest.mark.parametrize("key", TOP.values())
@pytest.mark.parametrize("node", NODES, ids=lambda node: node.name)
def test_queries_of_the_heaviest_are_valid_by_the_vendors_schema(node: Any, key: str) -> None:
    page = RowsPage(node._replace(key=key, grouped_by=()), NOW, NOW, limit=10, heaviest=True)
    body = query("023e105f4ecef8ad9ca31a8372d0c353", [page])
    check(body)


@pytest.mark.parametrize(
    "source", [(), tuple(dict.fromkeys(part.dimension for part in PARTS.values() if part.dimension))]
)
def test_queries_of_requests_are_valid_by_the_vendors_schema(source: tuple[str, ...]) -> None:
    node = REQUESTS._replace(grouped_by=source)
    body = query("5c2a81f0f7ae4b2d9b1e6f3a7d904c11", [RowsPage(node, NOW, NOW)], True, [node])
    check(body)


def test_values_travel_as_variables() -> None:
    hostile = '"} { viewer'
    page = RowsPage(NODES[0], NOW, NOW, start=hostile, subnets=(hostile,))
    body = query(hostile, [page])
    assert hostile not in body["query"]
    assert body["variables"]["account"] == hostile and body["variables"]["tcp"]["ipDestinationAddress_geq"] == hostile


def test_times_are_written_in_utc() -> None:
    east = timezone(timedelta(hours=2))
    assert write_time(datetime(2026, 7, 1, 12, 0, 1, 5, tzinfo=east)) == "2026-07-01T10:00:01Z"

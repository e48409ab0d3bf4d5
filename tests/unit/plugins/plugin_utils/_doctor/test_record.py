# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The record of a host, its lines, and the shapes in its bundle."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, Response
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.answers import HostAnswer, HostAnswers
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.record import (
    Record,
    failures,
    lines_of,
    record_of,
    shape_of,
)

READ = (PREFIXES, Request("GET", "prefixes", resource=PREFIXES))
MEMBERS = {"success": True, "errors": [], "messages": []}


def recorded(*answers: HostAnswer) -> Record:
    return record_of("a", "now", HostAnswers(answers, {}, len(answers)))


def answered(document: Any, status: int = 200, ahead: float | None = None) -> HostAnswer:
    return HostAnswer(*READ, Response(status, {}, b""), document, "", ahead)


def test_an_unread_resource_is_told_and_fails_a_run_that_asks_for_it() -> None:
    record = recorded(HostAnswer(*READ, problem="got no response"))
    lines = [*lines_of(record)]
    assert "  not read: prefixes. got no response." in lines
    assert "  product Advanced TCP Protection: not known. No answer came." in lines
    assert failures(record, "unknown") == ["not read: prefixes"]


def test_equal_problems_of_several_answers_are_one_reason() -> None:
    prefixes = [{"id": str(number), "prefix": "x"} for number in range(3)]
    record = recorded(answered({**MEMBERS, "result": prefixes}), answered({**MEMBERS, "result": []}))
    (networks,) = (item for item in record["assumptions"] if item["name"] == "networks")
    assert networks["reasons"] == ["prefixes: prefix is not a network in 3 of 3 objects"]
    (headers,) = (item for item in record["assumptions"] if item["name"] == "rate_limit_headers")
    assert headers["reasons"] == ["prefixes: no Ratelimit and no Ratelimit-Policy"] and headers["answers"] == 2
    assert "  DOES NOT HOLD networks: " in "\n".join(lines_of(record))


def test_the_clock_is_told_in_words() -> None:
    for ahead, words in ((3.25, "3.2 s ahead of"), (-90.0, "90 s behind")):
        record = recorded(answered(MEMBERS, ahead=ahead))
        assert any(words in line for line in lines_of(record))


def test_equal_failures_are_one_line() -> None:
    documents = [{"errors": [{"code": 7003, "message": f"No route for {path}?"}]} for path in ("a", "b")]
    record = recorded(*(answered(document, 404) for document in documents))
    unread = [line for line in lines_of(record) if "not read" in line]
    assert unread == ["  not read: prefixes. HTTP 404 [7003]: No route for a?"]
    assert "  permission DDoS Protection Read (account): not known. HTTP 404 [7003]." in [*lines_of(record)]


SHAPES: list[tuple[Any, Any]] = [
    ({"name": "Frankfurt", "count": 3}, {"name": "str", "count": "int"}),
    ([{"a": 1}, {"a": "x"}], [{"a": "int or str"}]),
    ([{"a": 1}, {"b": True}], [{"a": "int or absent", "b": "bool or absent"}]),
    ([{"a": 1}, {}, {"a": 2}], [{"a": "int or absent"}]),
    ([{"a": []}, {"a": [1]}], [{"a": ["int"]}]),
    ([{"a": None}, {"a": {"b": 1}}], [{"a": "null or dict"}]),
    ([1, "x", None], ["int or str or null"]),
    ([], []),
    (None, "null"),
    ({"023e105f4ecef8ad9ca31a8372d0c353": 1}, {"(a text of 32 characters)": "int"}),
]


@pytest.mark.parametrize(("document", "shape"), SHAPES, ids=[str(document) for document, _shape in SHAPES])
def test_a_shape_has_names_and_types(document: Any, shape: Any) -> None:
    assert shape_of([document]) == shape

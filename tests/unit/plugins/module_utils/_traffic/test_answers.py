# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Answers of the analytics: rows, settings, and every kind of error."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Response
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.queries import (
    NODES,
    REQUESTS,
    NodeSettings,
    Row,
    RowsPage,
    UnreadAnswer,
    is_final,
    read_answer,
)

NOW = datetime(2026, 7, 1, 12, tzinfo=timezone.utc)
TCP = RowsPage(NODES[0], NOW, NOW)
DNS = RowsPage(NODES[1], NOW, NOW)
DIMENSIONS = {
    "ipDestinationSubnet": "203.0.113.0/24",
    "coloCode": "FRA",
    "mitigationReason": "NOT_FOUND",
    "outcome": "pass",
    "verdict": "drop",
}
PACKETS = {"sum": {"packets": 7000}, "confidence": {"sum": {"packets": {"sampleSize": 7}}}}
ROW = {**PACKETS, "dimensions": DIMENSIONS}


def answered(body: Any, status: int = 200) -> Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Response(status, {}, content)


def data(account: Any, errors: Any = None) -> Response:
    return answered({"data": {"viewer": {"accounts": [account]}}, "errors": errors})


def test_rows_are_read() -> None:
    answer = read_answer(data({"tcp": [ROW]}), [TCP])
    assert answer.rows == {"tcp": [Row("203.0.113.0/24", "FRA", "NOT_FOUND", "pass", "drop", 7000, 7)]}
    assert not answer.errors and not answer.settings


@pytest.mark.parametrize(
    ("listed", "settings"),
    [
        ({"enabled": True, "notOlderThan": 5, "maxDuration": 6, "maxPageSize": 7}, NodeSettings(True, 5, 6, 7)),
        ({"enabled": False}, NodeSettings(False, None, None, None)),
        (
            {"enabled": None, "notOlderThan": "5", "maxDuration": True, "maxPageSize": 0},
            NodeSettings(True, None, None, None, ("enabled", "notOlderThan", "maxDuration", "maxPageSize")),
        ),
    ],
)
def test_settings_are_read(listed: Any, settings: NodeSettings) -> None:
    answer = read_answer(data({"settings": {NODES[0].field: listed, NODES[1].field: None}}), [])
    assert answer.settings == {"tcp": settings}


@pytest.mark.parametrize(
    "listed",
    [
        None,
        {},
        [None],
        [{**ROW, "sum": None}],
        [{**ROW, "sum": {"packets": -1}}],
        [{**ROW, "sum": {"packets": "many"}}],
        [{**ROW, "confidence": {}}],
        [{**ROW, "dimensions": {**DIMENSIONS, "verdict": None}}],
        [{**ROW, "dimensions": {"outcome": "pass"}}],
    ],
)
def test_malformed_rows_are_not_known(listed: Any) -> None:
    answer = read_answer(data({"tcp": [ROW], "dns": listed}), [TCP, DNS])
    assert len(answer.rows["tcp"]) == 1 and "dns" not in answer.rows
    (error,) = answer.errors
    assert error.node == NODES[1] and error.reason.startswith("The analytics gave ")


ERRORS = [
    ("cannot request data older than 604800s", 400, "Ask for fewer hours.", True),
    ("query time range is too large", 200, "Ask for fewer hours.", True),
    ("number of fields can't be more than 5", 400, "The account allows smaller queries only.", True),
    ("limit must be positive number and not greater than 100", 400, "The account allows smaller queries only.", True),
    ("account 'x' does not have access to the path. Refer to ...", 403, "the token Account Analytics Read", True),
    ("not authorized for that account", 403, "needs the permission Account Analytics Read", False),
    ("not authorized for that account", 200, "needs the permission Account Analytics Read", False),
    ("Unauthorized", 401, "does not know these credentials", False),
    ("rate limiter budget depleted, try again after 5 minutes", 429, "Run again in five minutes", False),
    ("Account x has exceeded its rate limit. Please try again after 5 minutes", 429, "Run again in five minutes", False),
    ("Zone x has exceeded its rate limit. Please try again after 5 minutes", 429, "Run again in five minutes", False),
    ("in combination, your request queries too many nodes, zones and accounts", 429, "too large", False),
    ("unable to execute query, please try again later", 503, "Run again later.", False),
    ("too many queries in progress", 503, "Run again later.", False),
    ('unknown field "nothing"', 400, "unknown field", False),
]  # fmt: skip


@pytest.mark.parametrize(("message", "status", "words", "is_of_settings"), ERRORS)
def test_errors_say_what_to_do(message: str, status: int, words: str, is_of_settings: bool) -> None:
    with pytest.raises(UnreadAnswer) as caught:
        read_answer(answered({"data": None, "errors": [{"message": message}]}, status), [TCP])
    assert f"HTTP {status}: {message.rstrip('.')}" in caught.value.reason and words in caught.value.reason
    assert (caught.value.node, caught.value.settings_may_tell) == (None, is_of_settings)


@pytest.mark.parametrize("status", [200, 403])
def test_an_error_of_a_zone_names_the_permission_of_a_zone_and_keeps_the_words_of_cloudflare(status: int) -> None:
    message = "not authorized, even with Account Analytics Read (account)"
    page = RowsPage(REQUESTS, NOW, NOW)
    with pytest.raises(UnreadAnswer) as caught:
        read_answer(answered({"data": None, "errors": [{"message": message}]}, status), [page], [REQUESTS])
    assert caught.value.reason == (
        f"The analytics were answered with HTTP {status}: {message}."
        " The token needs the permission Analytics Read (zone)."
    )


def test_the_code_of_the_budget_is_understood_in_any_words() -> None:
    error = {"message": "please try again", "extensions": {"code": "budget"}}
    response = answered({"data": None, "errors": [error]}, 200)
    assert is_final(response)
    with pytest.raises(UnreadAnswer, match="Run again in five minutes; others use the same budget."):
        read_answer(response, [TCP])


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"<html>", 502, "it is not JSON"),
        (b"", 200, "it is not JSON"),
        (b"[]", 200, "it names no account"),
        ({"data": {"viewer": {"accounts": []}}, "errors": None}, 200, "it names no account"),
        ({"data": {"viewer": None}, "errors": []}, 403, "needs the permission Account Analytics Read"),
        ({"success": False, "errors": [{"code": 10000, "message": "Authentication error"}]}, 403, "credentials"),
        ({"errors": ["of a text"]}, 400, "of a text"),
        ({"errors": [{}]}, 400, "it gave no reason"),
    ],
)
def test_other_answers_are_errors(body: Any, status: int, words: str) -> None:
    with pytest.raises(UnreadAnswer, match=words):
        read_answer(answered(body, status), [TCP])


@pytest.mark.parametrize(
    ("errors", "reasons"),
    [
        (None, []),
        ([], []),
        ({"message": "a shard is lost"}, ["a shard is lost"]),
        ("a shard is lost", ["a shard is lost"]),
        ({}, ["it gave no reason"]),
        (0, ["it gave no reason"]),
        ([None, "of a text"], ["it gave no reason", "of a text"]),
    ],
)
def test_errors_that_are_no_list_are_errors_beside_the_rows(errors: Any, reasons: list[str]) -> None:
    answer = read_answer(data({"tcp": [ROW]}, errors), [TCP])
    assert [error.reason for error in answer.errors] == [
        f"The analytics were answered with HTTP 200: {text}." for text in reasons
    ]
    assert len(answer.rows["tcp"]) == 1


def test_errors_may_be_about_one_node() -> None:
    path = ["viewer", "accounts", 0, "dns"]
    answer = read_answer(data({"tcp": [ROW], "dns": None}, [{"message": "no access", "path": path}]), [TCP, DNS])
    assert [error.node for error in answer.errors] == [NODES[1]] and list(answer.rows) == ["tcp"]


@pytest.mark.parametrize(("message", "status", "words", "is_of_settings"), ERRORS)
def test_only_what_waiting_does_not_help_is_final(message: str, status: int, words: str, is_of_settings: bool) -> None:
    assert is_final(answered({"errors": [{"message": message}]}, status)) is (status == 429)

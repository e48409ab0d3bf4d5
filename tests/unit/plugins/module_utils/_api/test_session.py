# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What goes over the wire, and what becomes of what comes back."""

from __future__ import annotations

import gzip
import zlib
from typing import Any, Callable

import pytest
import requests
import responses
from ansible_collections.edgeops.protection.plugins.module_utils._api.progress import Progress
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request
from ansible_collections.edgeops.protection.plugins.module_utils._api.session import MAX_BODY, Session
from ansible_collections.edgeops.protection.plugins.module_utils._budget.budget import NoBudget
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._text import Screen
from urllib3 import exceptions

from tests.support.connection import session_of

BASE = "https://api.cloudflare.com/client/v4"
URL = BASE + "/accounts/1/prefixes"


def session(**more: Any) -> Session:
    options = {"base_url": BASE, "timeout": 5.0, "retries": 2, "max_wait": 0.0, **more}
    return session_of(**options)


@responses.activate
@pytest.mark.parametrize(
    ("problem", "words", "maybe_applied"),
    [
        (requests.exceptions.ProxyError("no proxy"), "Check the proxy", False),
        (requests.exceptions.ReadTimeout("Read timed out."), "longer than timeout allows (5 s)", True),
        (
            requests.exceptions.ConnectionError("cut"),
            "got no response from https://api.cloudflare.com: cut. Check base_url",
            True,
        ),
        (requests.exceptions.InvalidHeader("bad"), "got no response from https://api.cloudflare.com: bad", True),
    ],
)
def test_no_answer_is_explained(problem: Exception, words: str, maybe_applied: bool) -> None:
    responses.post(URL, body=problem)
    with session() as one, pytest.raises(ServiceError) as caught:
        one.send(Request("POST", "accounts/1/prefixes", body={}))
    assert words in caught.value.message
    assert caught.value.maybe_applied is maybe_applied
    assert caught.value.status is None


@responses.activate
def test_progress_tells_the_whole_cause_without_advice() -> None:
    cause = exceptions.NewConnectionError(None, "no route. Try IPv6")
    responses.get(URL, body=requests.exceptions.ConnectionError(cause))
    lines: list[str] = []
    progress = Progress()
    tried = session(retries=1, max_wait=60.0, progress=progress)
    with progress.watched(Screen(lines.append, lambda _subject: True, "lima: prefixes")), tried, pytest.raises(
        ServiceError
    ):
        tried.send(Request("GET", "accounts/1/prefixes"))
    assert [line for line in lines if "tries again" in line] == [
        "lima: prefixes got no response from https://api.cloudflare.com: None: no route. Try IPv6; it tries again."
    ]


@responses.activate
@pytest.mark.parametrize(
    ("retries", "reason"), [(0, ": cut. Check base_url and the network."), (2, "; the next try would have to wait")]
)
def test_no_answer_names_the_server(retries: int, reason: str) -> None:
    responses.get("http://127.0.0.1:8080/client/v4/a", body=requests.exceptions.ConnectionError("cut"))
    options = {"base_url": "http://127.0.0.1:8080/client/v4", "retries": retries}
    with session(**options) as one, pytest.raises(ServiceError) as caught:
        one.send(Request("GET", "a"))
    assert f"GET a got no response from http://127.0.0.1:8080{reason}" in caught.value.message


@responses.activate
def test_the_credentials_are_in_no_representation() -> None:
    responses.get(URL, json={})
    with session(api_token="s3cret-token") as one:
        answer = one.send(Request("GET", "accounts/1/prefixes"))
        shown: list[Any] = [one, answer, *vars(one).values()]
        shown += [value for item in shown if hasattr(item, "__dict__") for value in vars(item).values()]
    assert responses.calls[0].request.headers["Authorization"] == "Bearer s3cret-token"
    assert [item for item in shown if "s3cret-token" in f"{item!r} {item}"] == []


@responses.activate
@pytest.mark.parametrize(
    ("encoding", "compress"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), (None, bytes), ("GZip", gzip.compress)],
)
def test_a_body_is_read_whole_and_decompressed(encoding: str | None, compress: Callable[[bytes], bytes]) -> None:
    body = b"a long body " * 20000
    responses.get(URL, body=compress(body), headers={"Content-Encoding": encoding} if encoding else {})
    with session() as one:
        assert one.send(Request("GET", "accounts/1/prefixes")).content == body
    assert responses.calls[0].request.headers["Accept-Encoding"] == "gzip, deflate"


def too_large(compress: bool) -> bytes:
    compressor = zlib.compressobj(wbits=31)
    zeros = bytes(2**20)
    parts = [compressor.compress(zeros) for dummy in range((MAX_BODY >> 20) + 8)]
    return b"".join(parts) + compressor.flush() if compress else zeros * ((MAX_BODY >> 20) + 1)


@responses.activate
@pytest.mark.parametrize("compressed", [True, False])
def test_a_body_beyond_all_bounds_is_not_read(compressed: bool) -> None:
    headers = {"Content-Encoding": "gzip"} if compressed else {}
    responses.post(URL, body=too_large(compressed), headers=headers)
    with session() as one, pytest.raises(ServiceError) as caught:
        one.send(Request("POST", "accounts/1/prefixes", body={}))
    assert caught.value.message == (
        "POST accounts/1/prefixes was answered with HTTP 200, but its body is larger than 64 MiB, and is not read. "
        "Check base_url."
    )
    assert (caught.value.status, caught.value.maybe_applied, len(responses.calls)) == (200, True, 1)


@responses.activate
@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "zstd", "gzip\x1b[31m"])
def test_an_encoding_that_nobody_asked_for_is_not_decompressed(encoding: str) -> None:
    responses.get(URL, body=gzip.compress(gzip.compress(b"{}")), headers={"Content-Encoding": encoding})
    with session() as one, pytest.raises(ServiceError, match="its body is encoded as") as caught:
        one.send(Request("GET", "accounts/1/prefixes"))
    assert repr(encoding) in caught.value.message
    assert len(responses.calls) == 1


@responses.activate
def test_a_body_that_is_no_gzip_is_explained() -> None:
    responses.get(URL, body=b"{}", headers={"Content-Encoding": "gzip"})
    with session() as one, pytest.raises(ServiceError, match="got no response from .*: .*Check base_url"):
        one.send(Request("GET", "accounts/1/prefixes"))
    assert len(responses.calls) == 1


class Counted(NoBudget):
    """A budget that tells how many calls ended on it, and what it was told of limits."""

    def __init__(self) -> None:
        self.limits: list[str | None] = []

    def end_turn(self, turn: int, limit: str | None) -> None:
        self.limits.append(limit)


@responses.activate
def test_queries_have_a_budget_of_their_own() -> None:
    """Of each account that they are about, which the analytics are asked for."""
    responses.post(f"{BASE}/graphql", json={}, headers={"Ratelimit": '"default";r=5;t=60'})
    responses.get(URL, json={}, headers={"Ratelimit": '"default";r=7;t=60'})
    budgets = {about: Counted() for about in ("", "one", "other")}
    with session(open_budget=budgets.__getitem__) as sending:
        for about in ("one", "other", "one"):
            sending.send(Request("POST", "graphql", body={}, about=about))
        sending.send(Request("GET", "accounts/1/prefixes"))
    limits = {about: budget.limits for about, budget in budgets.items()}
    assert limits == {"": ['"default";r=7;t=60'], "one": [None, None], "other": [None]}
    types = [call.request.headers.get("X-Rate-Limit-Type") for call in responses.calls]
    assert types == [*["account-based"] * 3, None]


@responses.activate
def test_a_response_that_is_final_is_not_waited_for() -> None:
    responses.post(f"{BASE}/graphql", json={}, status=429, headers={"Retry-After": "30"})
    with session(max_wait=60.0) as one:
        answer = one.send(Request("POST", "graphql", about="one", is_final=lambda response: response.status == 429))
    assert answer.status == 429 and len(responses.calls) == 1

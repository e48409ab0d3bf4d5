# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What goes over the wire, and what becomes of what comes back."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
import requests
import responses
from ansible_collections.edgeops.protection.plugins.module_utils.api.responses import Request
from ansible_collections.edgeops.protection.plugins.module_utils.api.retry import WaitBudget, WaitTooLong
from ansible_collections.edgeops.protection.plugins.module_utils.api.session import BudgetedRetry, Session
from ansible_collections.edgeops.protection.plugins.module_utils.errors import ServiceError

BASE = "https://api.cloudflare.com/client/v4"
URL = BASE + "/accounts/1/prefixes"
HEADERS = {"Authorization": "Bearer token"}


def session(verify=True, **more):
    options = {"timeout": 5.0, "retries": 2, "wait_budget": WaitBudget(0.0), **more}
    return Session(BASE, HEADERS, verify=verify, **options)


@responses.activate
def test_a_request_carries_the_credentials_the_sender_and_json():
    responses.post(URL, json={"success": True})
    with session() as one:
        answer = one.send(
            Request("POST", "accounts/1/prefixes", body=[{"prefix": "192.0.2.0/24", "comment": "Zürich"}])
        )
    (call,) = responses.calls
    assert call.request.headers["Authorization"] == "Bearer token"
    assert call.request.headers["User-Agent"] == "edgeops.protection/0.1.0"
    assert call.request.headers["Content-Type"] == "application/json"
    assert json.loads(call.request.body) == [{"prefix": "192.0.2.0/24", "comment": "Zürich"}]
    assert (answer.status, json.loads(answer.content), answer.maybe_applied) == (200, {"success": True}, False)


@responses.activate
def test_a_read_has_a_query_and_no_body():
    responses.get(URL, json={})
    with session() as one:
        one.send(Request("GET", "accounts/1/prefixes", query={"page": 1, "per_page": 1000}))
    (call,) = responses.calls
    assert call.request.url == URL + "?page=1&per_page=1000"
    assert call.request.body is None


@responses.activate
@pytest.mark.parametrize("status", [200, 400, 403, 404, 500, 522])
def test_an_answer_of_any_status_is_brought_back_as_it_is(status):
    responses.put(URL, body=b"<html>", status=status, headers={"CF-RAY": "8f2d-FRA"})
    with session(retries=0) as one:
        answer = one.send(Request("PUT", "accounts/1/prefixes", body={}))
    assert (answer.status, answer.content) == (status, b"<html>")
    assert answer.headers["cf-ray"] == "8f2d-FRA"
    assert len(responses.calls) == 1


@responses.activate
@pytest.mark.parametrize("verify", [True, False, "/etc/ca.pem"])
def test_the_timeout_and_the_check_of_the_certificate_are_the_users(verify, monkeypatch):
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)
    monkeypatch.delenv("CURL_CA_BUNDLE", raising=False)
    responses.get(URL, json={})
    with session(verify=verify, timeout=7.5) as one:
        one.send(Request("GET", "accounts/1/prefixes"))
    sent = responses.calls[0].request.req_kwargs
    assert (sent["verify"], sent["timeout"]) == (verify, 7.5)


@responses.activate
@pytest.mark.parametrize(
    ("problem", "words", "maybe_applied"),
    [
        (requests.exceptions.ProxyError("no proxy"), "Check the proxy", False),
        (requests.exceptions.ReadTimeout("Read timed out."), "longer than timeout allows (5 s)", True),
        (requests.exceptions.ConnectionError("cut"), "got no response: cut. Check base_url", True),
        (requests.exceptions.InvalidHeader("bad"), "got no response: bad", True),
    ],
)
def test_no_answer_is_explained(problem, words, maybe_applied):
    responses.post(URL, body=problem)
    with session() as one, pytest.raises(ServiceError) as caught:
        one.send(Request("POST", "accounts/1/prefixes", body={}))
    assert words in caught.value.message
    assert caught.value.maybe_applied is maybe_applied
    assert caught.value.status is None


def test_the_credentials_are_in_no_representation():
    with session() as one:
        assert "token" not in repr(vars(one)).replace("_token", "")


class Refusal:
    """As much of an answer as a retry looks at."""

    def __init__(self, status, **headers):
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def retry(max_wait=60.0, total=2):
    return BudgetedRetry(total=total, wait_budget=WaitBudget(max_wait))


@pytest.mark.parametrize(
    ("method", "status", "again"),
    [
        (method, status, True)
        for method in ("GET", "PUT", "PATCH", "DELETE")
        for status in (408, 429, 500, 502, 503, 504)
    ]
    + [("POST", 429, True)]
    + [("POST", status, False) for status in (408, 500, 502, 503, 504)]
    + [("GET", status, False) for status in (200, 400, 401, 403, 404, 409, 501, 522)],
)
def test_what_is_asked_again(method, status, again):
    assert retry().is_retry(method, status) is again


NOW = datetime(2026, 3, 1, 12, 0, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry_After": "7"}, 7.0),
        ({"Retry_After": " 1.5 "}, 1.5),
        ({"Retry_After": "soon"}, None),
        ({"Retry_After": "-1"}, None),
        (
            {
                "Retry_After": format_datetime(NOW + timedelta(seconds=9), usegmt=True),
                "Date": format_datetime(NOW, usegmt=True),
            },
            9.0,
        ),
        (
            {
                "Retry_After": format_datetime(NOW, usegmt=True),
                "Date": format_datetime(NOW + timedelta(hours=1), usegmt=True),
            },
            0.0,
        ),
        ({"Retry_After": format_datetime(NOW, usegmt=True), "Date": "now"}, 0.0),
    ],
)
def test_how_long_the_service_asks_to_wait(headers, seconds):
    assert retry().get_retry_after(Refusal(429, **headers)) == seconds


def test_a_wait_beyond_what_is_left_is_refused_and_takes_nothing():
    wait_budget = WaitBudget(0.2)
    wait_budget.wait(0.1, None)
    with pytest.raises(WaitTooLong) as caught:
        wait_budget.wait(0.15, 429)
    assert (caught.value.seconds, caught.value.status) == (0.15, 429)
    wait_budget.wait(0.05, None)

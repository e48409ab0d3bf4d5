# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils.api.responses import Request, Response, open_envelope
from ansible_collections.edgeops.protection.plugins.module_utils.errors import ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils.schema.account import PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils.schema.zone import FIREWALL_RULES

REQUEST = Request("PATCH", "accounts/1/prefixes/7")


def failure(answer, request=REQUEST):
    with pytest.raises(ServiceError) as caught:
        open_envelope(request, answer)
    return caught.value


def refusal(status, *errors, headers=None, **more):
    body = {"success": False, "errors": list(errors), "messages": [], "result": None, **more}
    return Response(status, headers or {}, json.dumps(body).encode())


def test_a_refusal_says_what_was_asked_and_what_the_service_said():
    error = failure(
        refusal(
            400,
            {"code": 6003, "message": "Invalid request headers", "error_chain": [{"code": 6111, "message": "Invalid\n format"}]},
            {"code": 10001, "message": "wrong", "source": {"pointer": "/rules/0"}},
            {"message": "without a code"},
            "just a text",
            headers={"cf-ray": "8f2d-FRA"},
        )
    )  # fmt: skip
    assert error.message.startswith(
        "PATCH accounts/1/prefixes/7 was answered with HTTP 400: [6003] Invalid request headers; [6111] Invalid format; "
        "[10001] wrong (at /rules/0); without a code; just a text (ray 8f2d-FRA)."
    )
    assert error.details["error"] == {
        "method": "PATCH",
        "path": "accounts/1/prefixes/7",
        "status": 400,
        "ray": "8f2d-FRA",
        "errors": [
            {"code": 6003, "message": "Invalid request headers", "pointer": None},
            {"code": 6111, "message": "Invalid\n format", "pointer": None},
            {"code": 10001, "message": "wrong", "pointer": "/rules/0"},
            {"code": None, "message": "without a code", "pointer": None},
            {"code": None, "message": "just a text", "pointer": None},
        ],
    }
    assert error.codes == [6003, 6111, 10001]


@pytest.mark.parametrize(
    ("status", "content", "words"),
    [
        (502, b"<html><head><TITLE >\n Bad  gateway</title></head>", "a page titled 'Bad gateway' instead of JSON"),
        (200, b"<html>", "not JSON, it begins with '<html>'"),
        (200, b"", "the response is empty"),
        (200, b"[]", "not JSON"),
        (200, b"\xff\xfe", "not JSON"),
        (200, b'{"result": []}', "it is not the service's envelope"),
        (400, b'{"result": []}', "it is not the service's envelope"),
        (400, b'{"success": false, "errors": null}', "it gave no reason"),
        (200, b'{"success": false, "errors": [{}]}', "it gave no reason"),
    ],
)
def test_what_is_no_envelope_is_described(status, content, words):
    assert words in failure(Response(status, {}, content)).message


@pytest.mark.parametrize(
    ("status", "maybe_applied"),
    [(200, True), (302, False), (400, False), (403, False), (404, False), (408, True), (409, False), (429, False), (500, True), (502, True), (504, True)],
)  # fmt: skip
def test_whether_it_was_carried_out_is_known_or_said_not_to_be(status, maybe_applied):
    assert failure(refusal(status, {"code": 1000, "message": "no"})).maybe_applied is maybe_applied


@pytest.mark.parametrize(
    ("method", "content"), [("DELETE", b""), ("DELETE", b'{"success": true}'), ("POST", b'{"success": true}')]
)
def test_a_result_may_be_missing(method, content):
    assert open_envelope(Request(method, "x"), Response(204, {}, content)).result is None


@pytest.mark.parametrize(
    ("request_", "status", "error", "hint"),
    [
        (Request("GET", "accounts/1/x", resource=PREFIXES), 403, {"code": 10000, "message": "no"}, "DDoS Protection Read (account)"),
        (Request("POST", "accounts/1/x", resource=PREFIXES), 403, {"code": 10000, "message": "no"}, "DDoS Protection Write (account)"),
        (Request("PUT", "zones/1/firewall/rules", resource=FIREWALL_RULES), 403, {"message": "no"}, "Firewall Services Write (zone)"),
        (Request("PUT", "zones/1/firewall/rules", resource=FIREWALL_RULES), 410, {"message": "gone"}, "retired firewall rules"),
        (Request("PUT", "zones/1/firewall/rules", resource=FIREWALL_RULES), 400, {"code": 10020, "message": "maintenance"}, "WAF custom rules"),
        (Request("GET", "accounts/1/x", resource=PREFIXES), 404, {"code": 7003, "message": "no route"}, "Check account_id"),
        (Request("GET", "accounts/1/x", resource=PREFIXES), 400, {"code": 8888, "message": "no"}, "Magic Transit"),
        (Request("GET", "accounts/1/x", resource=PREFIXES), 429, {"code": 971, "message": "wait"}, "raise max_wait"),
        (Request("GET", "accounts/1/x", resource=PREFIXES), 500, {"code": 1000, "message": "x"}, "run again later"),
    ],
)  # fmt: skip
def test_the_hint_fits_the_response(request_, status, error, hint):
    assert hint in failure(refusal(status, error), request_).message

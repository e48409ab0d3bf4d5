# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import (
    DEEPEST_JSON,
    Request,
    Response,
    open_envelope,
    read_document,
)
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.firewall_rules import FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import ZONES
from ansible_collections.edgeops.protection.plugins.module_utils._text import Unread

REQUEST = Request("PATCH", "accounts/1/prefixes/7")


def failure(answer: Response, request: Request = REQUEST) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        open_envelope(request, answer)
    return caught.value


def refusal(status: int, *errors: Any, headers: dict[str, str] | None = None, **more: Any) -> Response:
    body = {"success": False, "errors": list(errors), "messages": [], "result": None, **more}
    return Response(status, headers or {}, json.dumps(body).encode())


def test_a_refusal_says_what_was_asked_and_what_the_service_said() -> None:
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


PAGE = "https://developers.cloudflare.com/api/errors/#10002"


@pytest.mark.parametrize(
    ("url", "shown"),
    [(PAGE, f" (see {PAGE})"), ("javascript:alert(1)", ""), (f"{PAGE}\n{PAGE}", ""), (7, ""), (None, "")],
)
def test_the_page_of_an_error_is_shown(url: Any, shown: str) -> None:
    error = failure(refusal(400, {"code": 10002, "message": "gone", "documentation_url": url}))
    assert f"HTTP 400: [10002] gone{shown}." in error.message
    (item,) = error.details["error"]["errors"]
    assert item.get("documentation_url") == (PAGE if shown else None)


@pytest.mark.parametrize("item", [None, 1, [], ["a"], {"message": ["no", "text"]}, {"code": "7", "error_chain": {}}])
def test_errors_of_any_shape_are_read(item: Any) -> None:
    assert failure(refusal(400, item)).details["error"]["errors"][0]["code"] is None


@pytest.mark.parametrize(
    ("location", "host"),
    [
        ("https://elsewhere.example.net/x", "elsewhere.example.net"),
        ("http://[::1", "a malformed address"),
        ("http://a[b/", "a malformed address"),
        ("/relative", "another place"),
        ("", "another place"),
    ],
)
def test_a_redirect_is_named_however_it_is_written(location: str, host: str) -> None:
    assert f"It redirects to {host}, which" in failure(refusal(302, headers={"Location": location})).message


@pytest.mark.parametrize(
    ("status", "content", "words"),
    [
        (502, b"<html><head><TITLE >\n Bad  gateway</title></head>", "a page titled 'Bad gateway' instead of JSON"),
        (200, b"<html>", "not JSON, it begins with '<html>'"),
        (200, b"", "the response is empty"),
        (200, b"[]", "not JSON"),
        (200, b"\xff\xfe", "not JSON"),
        (200, b'{"result": []}', "it is not Cloudflare's envelope"),
        (400, b'{"result": []}', "it is not Cloudflare's envelope"),
        (400, b"[" * 100000 + b"]" * 100000, "its JSON is nested more than 100 levels deep"),
        (502, b"<title" * 40000, "not JSON, it begins with '<title<title"),
        (502, b"<title>" * 40000, "not JSON, it begins with '<title><title>"),
        (502, b"<title>" + b"x" * 500 + b"</title>", f"a page titled '{'x' * 120}... (380 more characters)' instead of JSON"),
        (502, b"<title>Late</title>".rjust(70000), "not JSON, it begins with ''"),
        (400, b'{"success": false, "errors": null}', "it gave no reason"),
        (200, b'{"success": false, "errors": [{}]}', "it gave no reason"),
    ],
)  # fmt: skip
def test_a_body_that_is_no_envelope_is_described(status: int, content: bytes, words: str) -> None:
    assert words in failure(Response(status, {}, content)).message


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
        (Request("GET", "accounts/1/x", resource=PREFIXES), 429, {"code": 971, "message": "wait"}, "raise max_wait, or lower call_budget"),
        (Request("GET", "accounts/1/x", resource=PREFIXES), 522, {"code": 1000, "message": "x"}, "run again later"),
        (REQUEST, 400, {"code": 6103}, "The value of api_key is not an API key; a token belongs in api_token."),
        (REQUEST, 400, {"code": 1, "error_chain": [{"code": 6111}]}, "The value of api_token is not a well-formed token"),
        (REQUEST, 403, {"code": 9109}, "The credentials are wrong, expired, or may not be used from here; check them."),
        (REQUEST, 401, {}, "The credentials are wrong, expired, or may not be used from here; check them."),
        (Request("GET", "x", resource=PREFIXES), 404, {"code": 7000}, "Check account_id and base_url; is account_id the id of a zone?"),
        (Request("GET", "x", resource=FIREWALL_RULES), 404, {"code": 7003}, "Check zone_id and base_url; is zone_id the id of an account?"),
        (Request("GET", "x", resource=ZONES), 404, {"code": 7003}, "Check account_id, zone_id and base_url."),
    ],
)  # fmt: skip
def test_the_hint_fits_the_response(request_: Request, status: int, error: Any, hint: str) -> None:
    assert hint in failure(refusal(status, error), request_).message


def test_a_refusal_that_nothing_is_known_of_has_no_hint() -> None:
    assert failure(refusal(404, {"code": 1, "message": "x"})).message.endswith("HTTP 404: [1] x.")


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


@pytest.mark.parametrize(
    ("content", "document"),
    [
        (b'{"a": [1, 1.5, true, null, "\xc3\xa4"]}', {"a": [1, 1.5, True, None, "ä"]}),
        (b'"\\ud83d\\ude00"', "😀"),
        (b'{"a\\ud800": ["\\udfff!", "\\\\ud800"]}', {"a�": ["�!", "\\ud800"]}),
        (b"1" * 1000, int("1" * 1000)),
        (b"[" + b"1" * 5000 + b"]", ["1" * 5000]),
        (b"[-1e999, 1e5]", ["-1e999", 100000.0]),
    ],
)
def test_any_json_becomes_a_document_that_results_can_hold(content: bytes, document: Any) -> None:
    assert read_document(content) == document
    json.dumps(read_document(content), allow_nan=False).encode()
    json.dumps(read_document(content), ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff", b"\xef\xbb\xbf{}", b"[NaN]", b"[Infinity]", b"<html>", b"[1,]"]
)
def test_a_body_that_is_no_json_is_told_so(content: bytes) -> None:
    with pytest.raises(Unread, match="it is not JSON") as caught:
        read_document(content)
    assert caught.value.malformed


@pytest.mark.parametrize("levels", [DEEPEST_JSON + 1, 3000, 100000])
def test_a_document_that_is_nested_too_deeply_is_refused(levels: int) -> None:
    with pytest.raises(Unread, match="more than 100 levels deep") as caught:
        read_document(nested(levels))
    assert not caught.value.malformed


def test_a_document_may_be_nested_up_to_the_limit() -> None:
    assert json.dumps(read_document(nested(DEEPEST_JSON))).encode() == nested(DEEPEST_JSON)

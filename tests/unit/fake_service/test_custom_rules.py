# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which custom rules the service takes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fake_service.expressions import fault_in

from .conftest import Client

ENTRY_POINT = "/phases/http_request_firewall_custom/entrypoint"
PLACE = "/rules/0/action_parameters"
RESPONSE = {"status_code": 403, "content": "{}", "content_type": "application/json"}


def rule(action: str, parameters: Any = None) -> dict[str, Any]:
    carried = {} if parameters is None else {"action_parameters": parameters}
    return {"ref": "one", "action": action, "expression": "ssl", **carried}


@pytest.mark.parametrize(
    ("refused", "pointer"),
    [
        (rule("allow"), "/rules/0/action"),
        (rule("execute", {"id": "1" * 32}), "/rules/0/action_parameters/id"),
        (rule("skip"), PLACE),
        (rule("skip", {}), PLACE),
        (rule("skip", {"product": ["waf"]}), PLACE),
        (rule("skip", {"ruleset": "other"}), f"{PLACE}/ruleset"),
        (rule("skip", {"phase": "http_ratelimit"}), f"{PLACE}/phase"),
        (rule("skip", {"phases": []}), f"{PLACE}/phases"),
        (rule("skip", {"phases": ["http_request_firewall_custom"]}), f"{PLACE}/phases"),
        (rule("skip", {"products": "waf"}), f"{PLACE}/products"),
        (rule("skip", {"products": ["WAF"]}), f"{PLACE}/products"),
        (rule("skip", {"ruleset": "current", "colour": "red"}), f"{PLACE}/colour"),
        (rule("log", {"ruleset": "current"}), f"{PLACE}/ruleset"),
        (rule("block", {"status_code": 403}), f"{PLACE}/status_code"),
        (rule("block", {"response": "no"}), f"{PLACE}/response"),
        (rule("block", {"response": {}}), f"{PLACE}/response/status_code"),
        (rule("block", {"response": {**RESPONSE, "status_code": 399}}), f"{PLACE}/response/status_code"),
        (rule("block", {"response": {**RESPONSE, "status_code": 500}}), f"{PLACE}/response/status_code"),
        (rule("block", {"response": {**RESPONSE, "status_code": True}}), f"{PLACE}/response/status_code"),
        (rule("block", {"response": {"status_code": 403, "content": "x"}}), f"{PLACE}/response/content_type"),
        (rule("block", {"response": {**RESPONSE, "content": None}}), f"{PLACE}/response/content"),
        ({**rule("log"), "ref": ""}, "/rules/0/ref"),
        ({**rule("log"), "enabled": "yes"}, "/rules/0/enabled"),
        ({**rule("log"), "logging": {}}, "/rules/0/logging/enabled"),
        ({**rule("log"), "position": {"index": 1}}, "/rules/0/position"),
    ],
    ids=str,
)
def test_invalid_rules_are_refused(rulesets: Client, zone: Any, refused: dict[str, Any], pointer: str) -> None:
    answer = rulesets.refused("PUT", ENTRY_POINT, {"rules": [refused]})
    assert (answer["status"], answer["pointer"], zone.entry_point) == (400, pointer, None)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ("ssl" + " " * 4094, "it is longer than 4096 characters"),
        ("cf.no_such_field eq 1", "unknown identifier"),
        ("(ssl", 'expected literal ")"'),
        ("ssl)", "unrecognised input"),
        ("ip.src in {192.0.2.1", "expected IP address character"),
        ("(ip.src in {192.0.2.1)}", "expected IP address character"),
        ('http.host eq "example.com', "could not find an ending quote"),
        (r'http.host eq "example.com\"', "could not find an ending quote"),
        ('any(http.request.headers["x-probe")', 'expected literal "]"'),
    ],
)
def test_no_expressions(rulesets: Client, expression: str, reason: str) -> None:
    answer = rulesets.refused("PUT", ENTRY_POINT, {"rules": [{**rule("log"), "expression": expression}]})
    assert answer == {
        "status": 400,
        "code": 20127,
        "message": f"{expression!r} is not a valid value for expression because {reason}",
        "pointer": "/rules/0/expression",
    }


@pytest.mark.parametrize(
    ("expression", "is_one"),
    [
        ('any(cf.intel.ip.datasets[*] == "ddos")', True),
        ('http.host eq "ä" and lower(cf.new.text) eq "a"', True),
        ("http.response.headers.truncated", True),
        ('any(cf.intelligence.datasets[*] == "ddos")', False),
        ('lower(http.hots) eq "a"', False),
        ('is_timed_hmac_valid_v0("secret", http.request.uri, 100000, http.request.timestamp.sec, 8)', True),
        (
            'not is_timed_hmac_valid_v0("a)b", concat(http.request.uri.path, "x"), 60, http.request.timestamp.sec, 0) and ssl',
            True,
        ),
        ('http.request.uri.path eq "is_timed_hmac_valid_v0("', True),
        ("is_timed_hmac_valid_v0", False),
        ("is_timed_hmac_valid_v0()", False),
        ('is_timed_hmac_valid_v0("secret", http.request.uri, 1, 2, 3) or nonsense eq 5', False),
    ],
)
def test_documented_names_that_the_parser_lacks_are_taken(expression: str, is_one: bool) -> None:
    assert (fault_in(expression) is None) is is_one

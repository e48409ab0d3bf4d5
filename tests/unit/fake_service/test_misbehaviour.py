# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each way for a call to go wrong, as a client meets it."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from tests.fake_service import LocalService

from .conftest import Client

ENTRY = {"prefix": "192.0.2.1", "comment": "", "enabled": True}


STATUS = {"status": 504, "errors": [{"message": "gateway timeout"}], "messages": None, "headers": {"Retry-After": "7"}}


@pytest.mark.parametrize(
    ("kind", "settings", "answered", "applied"),
    [
        ("status", STATUS, 504, False),
        ("html", {"status": 522}, 522, False),
        ("success_false_200", {}, 200, False),
        ("redirect", {"location": "http://elsewhere.example/", "status": 307}, 307, False),
        ("raw", {"body": "[]"}, 200, False),
        ("lost_before", {}, None, False),
        ("lost_after", {}, None, True),
        ("status_after", {"status": 502}, 502, True),
        ("empty", {"status": 204}, 204, True),
        ("truncated", {}, 200, True),
        ("cut_body", {}, None, True),
        ("slow", {"seconds": 30}, None, True),
        ("drip", {"interval": 0.0001}, 200, True),
        ("no_result_info", {}, 200, True),
        ("null_result", {}, 200, True),
        ("extra_fields", {}, 200, True),
        ("missing_fields", {"fields": ["id"]}, 200, True),
        ("headers", {"headers": {"X-Odd": "1"}}, 200, True),
        ("member", {"members": {"success": "1e400"}}, 200, True),
        ("entry", {"fields": {"id": "1e400"}}, 200, True),
    ],
)
def test_each_kind_answers_and_applies_as_it_says(
    protection: Client, service: LocalService, account: Any, kind: str, settings: Any, answered: Any, applied: bool
) -> None:
    service.misbehave(kind, times=1, **settings)
    try:
        status = protection("POST", "/allowlist", ENTRY, timeout=0.3).status_code
    except requests.RequestException:
        status = None
    assert (status, len(account.allowlist), service.calls[0].maybe_applied) == (answered, int(applied), applied)
    assert (service.calls[0].fault, protection("GET", "/allowlist").status_code) == (kind, 200)


RULE_CALLS = [
    *((method, "/firewall/rules") for method in ("GET", "POST", "PUT", "PATCH", "DELETE")),
    *((method, f"/firewall/rules/{'1' * 32}") for method in ("GET", "PUT", "PATCH", "DELETE")),
]
FILTER_WRITES = [
    *((method, "/filters") for method in ("POST", "PUT", "DELETE")),
    *((method, f"/filters/{'1' * 32}") for method in ("PUT", "DELETE")),
]


def test_the_switch_that_retires_firewall_rules(firewall: Client, service: LocalService) -> None:
    service.switch(firewall_retired=True)
    for method, path in RULE_CALLS:
        refused = firewall.refused(method, path)
        assert (refused["status"], refused["code"]) == (410, 10410)
    assert [call.fault for call in service.calls] == ["gone"] * 9
    assert firewall.result("GET", "/filters") == firewall.result("GET", "/rulesets") == []
    service.switch(firewall_retired=False)
    assert firewall.result("GET", "/firewall/rules") == []


def test_the_switch_of_maintenance(firewall: Client, service: LocalService) -> None:
    service.switch(firewall_maintenance=True)
    for method, path in [call for call in RULE_CALLS if call[0] != "GET"] + FILTER_WRITES:
        refused = firewall.refused(method, path)
        assert (refused["code"], refused["message"].split(".")[1]) == (10020, "api")
    assert firewall.result("GET", "/firewall/rules") == firewall.result("GET", "/filters") == []
    entry_point = "/rulesets/phases/http_request_firewall_custom/entrypoint"
    assert firewall.result("PUT", entry_point, {})["version"] == "1"


def test_only_the_calls_that_match(protection: Client, service: LocalService) -> None:
    service.misbehave("status", method="POST|PATCH", path=r"/allowlist", skip=1, times=2, status=500)
    outcomes = [protection("POST", "/allowlist", ENTRY).status_code for dummy in range(4)]
    assert outcomes == [200, 500, 500, 200]
    assert protection("GET", "/allowlist").status_code == 200


def test_the_first_fault_in_turn_counts_for_the_others_too(protection: Client, service: LocalService) -> None:
    service.misbehave("status", times=1, status=500)
    service.misbehave("status", times=2, status=503)
    assert [protection("GET", "/allowlist").status_code for dummy in range(3)] == [500, 503, 200]


def test_broken_answers_on_purpose_are_no_breach(protection: Client, service: LocalService) -> None:
    service.misbehave("null_result")
    protection("GET", "/allowlist")
    assert service.breaches == []


def test_a_fault_has_to_be_known(service: LocalService) -> None:
    with pytest.raises(ValueError, match="lost_after"):
        service.misbehave("explode")
    with pytest.raises(TypeError):
        service.misbehave("slow")
    with pytest.raises(TypeError):
        service.misbehave("slow", seconds=1, colour="red")
    assert service.faults == []

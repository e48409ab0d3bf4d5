# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each way for a call to go wrong, as a client meets it."""

from __future__ import annotations

import time
from typing import Any

import pytest
import requests

from tests.fake_service import LocalService
from tests.fake_service.misbehaviour import KINDS

from .conftest import Client

ENTRY = {"prefix": "192.0.2.1", "comment": "", "enabled": True}


@pytest.fixture
def create(protection: Client) -> Any:
    """Creates an allowlist entry; the answer as it comes."""
    return lambda: protection("POST", "/allowlist", ENTRY)


def test_any_status_instead(create: Any, service: LocalService, account: Any) -> None:
    errors = [{"message": "fwrulesmigration.api.gateway_timeout"}]
    service.misbehave("status", status=504, errors=errors, messages=None, headers={"Retry-After": "7"})
    response = create()
    assert (response.status_code, response.headers["Retry-After"]) == (504, "7")
    assert response.json() == {"result": None, "success": False, "errors": errors, "messages": None}
    assert (account.allowlist, service.calls[0].maybe_applied, service.calls[0].fault) == ([], False, "status")


def test_a_page_instead(create: Any, service: LocalService, account: Any) -> None:
    service.misbehave("html", status=522)
    response = create()
    assert response.status_code == 522 and response.headers["Content-Type"].startswith("text/html")
    assert "<title>Connection timed out</title>" in response.text and response.headers["CF-RAY"].endswith("-LOC")
    assert account.allowlist == []


def test_no_success_under_200(create: Any, service: LocalService, account: Any) -> None:
    service.misbehave("success_false_200")
    response = create()
    assert (response.status_code, response.json()["success"], account.allowlist) == (200, False, [])


def test_a_redirect(create: Any, service: LocalService, account: Any) -> None:
    service.misbehave("redirect", location="http://elsewhere.example/", status=307)
    response = create()
    assert (response.status_code, response.headers["Location"]) == (307, "http://elsewhere.example/")
    assert account.allowlist == []


@pytest.mark.parametrize(("kind", "maybe_applied"), [("lost_before", False), ("lost_after", True)])
def test_a_lost_answer(create: Any, service: LocalService, account: Any, kind: str, maybe_applied: bool) -> None:
    service.misbehave(kind, times=1)
    with pytest.raises(requests.ConnectionError):
        create()
    assert (len(account.allowlist), service.calls[0].maybe_applied) == (int(maybe_applied), maybe_applied)
    assert service.calls[0].status is None
    assert create().status_code == 200


def test_another_status_after(create: Any, service: LocalService, account: Any) -> None:
    service.misbehave("status_after", method="POST", path=r"/allowlist$", times=1, status=502)
    assert create().status_code == 502
    assert (len(account.allowlist), service.calls[0].maybe_applied) == (1, True)


@pytest.mark.parametrize("status", [200, 204])
def test_an_empty_answer(create: Any, service: LocalService, account: Any, status: int) -> None:
    service.misbehave("empty", status=status, times=1)
    response = create()
    assert (response.status_code, response.content, len(account.allowlist)) == (status, b"", 1)
    assert create().status_code == 200
    assert len({call.connection for call in service.calls}) == 1


def test_truncated_json_in_whole_http(create: Any, service: LocalService, account: Any) -> None:
    service.misbehave("truncated")
    response = create()
    assert response.status_code == 200 and len(account.allowlist) == 1
    with pytest.raises(requests.JSONDecodeError):
        response.json()


def test_a_body_cut_off(create: Any, service: LocalService, account: Any) -> None:
    service.misbehave("cut_body")
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        create()
    assert (len(account.allowlist), service.calls[0].status) == (1, 200)


def test_a_slow_answer(protection: Client, service: LocalService) -> None:
    service.misbehave("slow", seconds=0.2, times=1)
    started = time.monotonic()
    protection.result("GET", "/allowlist")
    assert time.monotonic() - started >= 0.2


def test_an_answer_slower_than_the_client_waits(protection: Client, service: LocalService, account: Any) -> None:
    service.misbehave("slow", seconds=30)
    with pytest.raises(requests.ReadTimeout):
        protection("POST", "/allowlist", ENTRY, timeout=0.1)
    assert len(account.allowlist) == 1


def test_a_body_byte_by_byte(protection: Client, service: LocalService) -> None:
    service.misbehave("drip", interval=0.003)
    started = time.monotonic()
    answer = protection("GET", "/tcp_protection_status", timeout=0.1)
    assert answer.json()["result"] == {"enabled": False}
    assert time.monotonic() - started >= 0.003 * len(answer.content)


def test_every_call_takes_its_time(protection: Client, service: LocalService) -> None:
    service.switch(latency=0.05)
    started = time.monotonic()
    for dummy in range(3):
        protection.result("GET", "/allowlist")
    assert time.monotonic() - started >= 0.15


def test_spoilt_envelopes(protection: Client, service: LocalService, account: Any) -> None:
    account.seed(allowlist=[ENTRY])
    service.misbehave("no_result_info", times=1)
    service.misbehave("null_result", skip=1, times=1)
    service.misbehave("missing_fields", skip=2, times=1, fields=["id"])
    service.misbehave("extra_fields", skip=3, times=1)
    answers = [protection("GET", "/allowlist").json() for dummy in range(4)]
    assert "result_info" not in answers[0] and answers[1]["result"] is None
    assert answers[2]["result"][0].keys() == account.allowlist[0].keys() - {"id"}
    assert answers[3]["result"][0].items() >= account.allowlist[0].items()
    assert "x_region" in answers[3]["result"][0] and "x_region" in answers[3]


def test_pages_smaller_than_asked_for(protection: Client, service: LocalService, account: Any) -> None:
    account.seed(prefixes=[{"prefix": f"192.0.2.{n}"} for n in range(12)])
    service.misbehave("page_cap", cap=5)
    pages = [protection("GET", "/prefixes", params={"per_page": 1000, "page": page}).json() for page in (1, 2, 3)]
    assert [len(page["result"]) for page in pages] == [5, 5, 2]
    assert pages[0]["result_info"]["per_page"] == 5
    assert len({item["id"] for page in pages for item in page["result"]}) == 12


def test_always_the_first_page(protection: Client, service: LocalService, account: Any) -> None:
    account.seed(prefixes=[{"prefix": f"192.0.2.{n}"} for n in range(30)])
    service.misbehave("same_page")
    first, second = (protection("GET", "/prefixes", params={"page": page}).json() for page in (1, 2))
    assert first == second and first["result_info"]["page"] == 1


def test_the_retired_api(firewall: Client, protection: Client, service: LocalService) -> None:
    service.misbehave("gone")
    assert firewall.refused("GET", "/firewall/rules")["status"] == 410
    assert firewall.result("GET", "/filters") == protection.result("GET", "/prefixes") == []


def test_the_api_in_maintenance(firewall: Client, service: LocalService) -> None:
    service.misbehave("maintenance")
    refused = firewall.refused("PATCH", "/firewall/rules", [])
    assert refused["code"] == 10020 and "maintenance_mode" in refused["message"]
    assert firewall.result("GET", "/firewall/rules") == []


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


def test_kinds_act_at_every_moment() -> None:
    assert {kind.when for kind in KINDS.values()} == {"before", "instead", "within", "after"}
    assert len(KINDS) >= 18

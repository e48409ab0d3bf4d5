# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is repeated, how often, after which wait, and what is not."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request
from ansible_collections.edgeops.protection.plugins.module_utils._api.session import Session
from ansible_collections.edgeops.protection.plugins.module_utils._api.settings import CONNECTION_NUMBERS
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ServiceError

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import FIREWALL, RULE_1
from tests.support.connection import session_of
from tests.support.module_run import ACCOUNT, OTHERS, ZONE, Modules

PASSING = [
    ("lost_before", {}),
    ("lost_after", {}),
    ("cut_body", {}),
    *(("status", {"status": status}) for status in (408, 429, 500, 502, 503, 504)),
]
ABSOLUTE: list[tuple[str, dict[str, Any], str]] = [
    ("tcp_protection_status", {"enabled": True}, "GET"),
    ("tcp_protection_status", {"enabled": True}, "PATCH"),
    ("allowlist_entry", {"prefix": "192.0.2.1", "state": "absent"}, "DELETE"),
    ("firewall_rules", {"rules": [{"id": RULE_1, "action": "block"}]}, "PUT"),
]


@pytest.fixture(autouse=True)
def seeded(service: LocalService) -> None:
    service.account(ACCOUNT).seed(allowlist=[{"prefix": "192.0.2.1"}, {"prefix": "198.51.100.1"}])
    service.zone(ZONE).seed(**FIREWALL)


@pytest.mark.parametrize(("fault", "settings"), PASSING, ids=str)
@pytest.mark.parametrize(("module", "options", "method"), ABSOLUTE, ids=lambda value: str(value)[:24])
def test_calls_that_set_absolute_values_are_repeated(
    fault: str, settings: dict[str, Any], module: str, options: dict[str, Any], method: str,
    service: LocalService, modules: Modules, waits: list[float],
) -> None:  # fmt: skip
    service.misbehave(fault, method=method, times=2, **settings)
    assert modules.done(module, **options)["changed"] is True
    own = [call for call in service.calls if call.path == service.calls[0].path or method != "GET"]
    assert [call.method for call in own].count(method) == 3
    assert len(waits) == 2
    assert 0.25 <= waits[0] <= 0.5 <= waits[1] <= 1.0
    assert modules.done(module, **options)["changed"] is False


def test_calls_that_take_too_long_are_repeated(service: LocalService, modules: Modules, waits: list[float]) -> None:
    service.misbehave("slow", method="GET", times=1, seconds=0.6)
    service.misbehave("drip", method="PATCH", times=1, interval=0.05)
    assert modules.done("tcp_protection_status", enabled=True, timeout=0.3)["changed"] is True
    assert [call.method for call in service.calls] == ["GET", "GET", *["GET"] * OTHERS, "PATCH", "PATCH"]
    assert len(waits) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 501, 522])
def test_permanent_refusals_are_not_repeated(
    status: int, service: LocalService, modules: Modules, waits: list[float]
) -> None:
    service.misbehave("status", method="GET", status=status)
    modules.failed("protection_info", gather_subset=["prefixes"])
    assert (len(service.calls), waits) == (1, [])


def test_the_number_of_retries_is_the_users(service: LocalService, modules: Modules, waits: list[float]) -> None:
    service.misbehave("status", status=503)
    result = modules.failed("protection_info", gather_subset=["prefixes"], retries=6)
    assert len(service.calls) == 7
    assert result["error"]["status"] == 503
    assert max(waits) <= 8.0


def test_a_create_is_not_repeated_by_the_session_when_it_may_have_been_carried_out(
    service: LocalService, modules: Modules, waits: list[float]
) -> None:
    service.misbehave("status", method="POST", status=500)
    result = modules.failed("allowlist_entry", prefix="10.0.0.1")
    # One more look at the list lies between the two.
    assert [call.method for call in service.calls] == 2 * [*["GET"] * (1 + OTHERS), "POST"]
    assert waits == []
    assert [item["key"] for item in result["unknown"]] == ["10.0.0.1/32"]


def test_a_create_is_repeated_after_a_rate_limit(service: LocalService, modules: Modules, waits: list[float]) -> None:
    service.misbehave("status", method="POST", status=429, times=2, headers={"Retry-After": "7"})
    assert modules.done("allowlist_entry", prefix="10.0.0.1")["changed"] is True
    assert waits == [7.0, 7.0]
    assert len(service.account(ACCOUNT).allowlist) == 3


def test_a_create_is_repeated_when_nobody_listened(
    service: LocalService, modules: Modules, monkeypatch: pytest.MonkeyPatch, waits: list[float]
) -> None:
    service.close()
    try:
        message = modules.failed("allowlist_entry", prefix="10.0.0.1", retries=2)["msg"]
    finally:
        service.start()
    assert "Connection refused" in message
    assert len(waits) == 2


def test_waiting_as_asked_does_not_count_as_a_retry(
    service: LocalService, modules: Modules, waits: list[float]
) -> None:
    service.misbehave("status", method="GET", status=429, times=9, headers={"Retry-After": "5"})
    modules.done("protection_info", gather_subset=["prefixes"], retries=0)
    assert waits == [5.0] * 9


def test_a_demand_of_no_time_at_all_counts(service: LocalService, modules: Modules, waits: list[float]) -> None:
    service.misbehave("status", method="GET", status=429, headers={"Retry-After": "0"})
    modules.failed("protection_info", gather_subset=["prefixes"], retries=2)
    assert len(waits) == 2
    assert min(waits) > 0


def test_a_longer_demand_than_max_wait_fails_at_once_and_says_how_long(
    service: LocalService, modules: Modules, waits: list[float]
) -> None:
    service.misbehave("status", method="POST", status=429, headers={"Retry-After": "299"})
    result = modules.failed("allowlist_entry", prefix="10.0.0.1")
    assert "wait 299 s, and max_wait leaves 60 s" in result["msg"]
    assert "Run again after that time, or raise max_wait" in result["msg"]
    assert result["error"]["status"] == 429
    assert ([item["key"] for item in result["left"]], result["unknown"], waits) == (["10.0.0.1/32"], [], [])
    service.faults.clear()
    service.misbehave("status", method="POST", status=429, times=1, headers={"Retry-After": "299"})
    assert modules.done("allowlist_entry", prefix="10.0.0.1", max_wait=300)["changed"] is True
    assert waits == [299.0]


def test_a_rate_limit_is_waited_out(service: LocalService, modules: Modules, waits: list[float]) -> None:
    service.rate_limit(5, seconds=10, retry_after=10)
    entries = [{"prefix": f"10.0.0.{number}"} for number in range(12)]
    result = modules.done("allowlist", entries=entries, max_wait=600)
    assert len(result["operations"]) == 12
    assert len(service.account(ACCOUNT).allowlist) == 14
    assert waits


@pytest.mark.parametrize(
    "end", [("status", {"status": 403}), ("status", {"status": 429, "headers": {"Retry-After": "99"}})]
)
def test_a_refusal_after_a_lost_try_does_not_mean_that_nothing_was_done(
    end: tuple[str, dict[str, Any]], service: LocalService, modules: Modules, waits: list[float]
) -> None:
    kind, settings = end
    service.misbehave("status_after", method="PATCH", times=1)
    service.misbehave(kind, method="PATCH", skip=1, **settings)
    result = modules.done("allowlist_entry", prefix="192.0.2.1", comment="new")
    assert [item["action"] for item in result["operations"]] == ["update"]
    assert [call.method for call in service.calls] == ["GET", "PATCH", "PATCH", "GET"]


def test_a_refused_connection_after_a_lost_try_leaves_it_open(
    service: LocalService, modules: Modules, waits: list[float]
) -> None:
    service.misbehave("lost_after", method="PATCH")
    service.misbehave("meanwhile", method="PATCH", times=1, action=lambda: Thread(target=service.close).start())
    try:
        result = modules.failed("allowlist_entry", prefix="192.0.2.1", comment="new", retries=1)
    finally:
        service.close()
        service.start()
    assert [item["action"] for item in result["unknown"]] == ["update"]
    assert result["left"] == []


def test_each_request_on_a_kept_connection_has_the_whole_timeout(service: LocalService, modules: Modules) -> None:
    service.misbehave("status", method="POST", status=429, times=1, headers={"Retry-After": "1"})
    assert modules.done("allowlist_entry", prefix="10.0.0.1", timeout=0.9)["changed"] is True
    assert [call.status for call in service.writes] == [429, 200]


@pytest.mark.parametrize(
    ("method", "outcome"), [("GET", {}), ("PATCH", {"unknown": ["192.0.2.1"]}), ("POST", {"unknown": ["10.0.0.1/32"]})]
)
def test_a_hung_service_takes_as_long_as_the_documentation_says(
    method: str, outcome: dict[str, list[str]], service: LocalService, modules: Modules
) -> None:
    service.misbehave("hang", method=method)
    entry: dict[str, Any] = {"prefix": "10.0.0.1"} if method == "POST" else {"prefix": "192.0.2.1", "comment": "new"}
    result = modules.failed("allowlist_entry", timeout=1, retries=1, max_wait=1, **entry)
    assert [call.method for call in service.calls].count(method) >= 2
    assert "got no response from http://127.0.0.1:" in result["msg"] and ": it took longer than" in result["msg"]
    assert {part: [item["key"] for item in result[part]] for part in outcome} == outcome


def test_the_page_has_the_longest_time_with_the_defaults() -> None:
    default = {name: bounds[1] for name, bounds in CONNECTION_NUMBERS.items()}
    longest = (default["retries"] + 1) * default["timeout"] + default["max_wait"]
    page = " ".join((Path(__file__).parents[2] / "docs" / "errors.md").read_text(encoding="utf-8").split())
    assert f"`(retries + 1) * timeout + max_wait` seconds together, {longest:.0f} by default" in page


def test_a_task_that_has_lost_its_time_sends_nothing_more(service: LocalService, modules: Modules) -> None:
    service.misbehave("hang", method="PATCH")
    result = modules.failed("allowlist_entry", prefix="192.0.2.1", comment="new", timeout=1, retries=0, max_wait=0)
    assert [call.method for call in service.calls] == ["GET", "PATCH"]
    assert "was not sent: failed attempts and waits have taken the 1 s that a task may lose with them" in result["msg"]
    assert [item["action"] for item in result["unknown"]] == ["update"]


def test_operations_of_an_interrupted_task_are_not_repeated(service: LocalService) -> None:
    service.misbehave("status", status=503, headers={"Retry-After": "1"})
    errors: list[ServiceError] = []

    def send(session: Session) -> None:
        try:
            session.send(Request("PATCH", f"accounts/{ACCOUNT}/magic", body={}))
        except ServiceError as exc:
            errors.append(exc)

    with session_of(base_url=service.base_url, timeout=5, retries=4, max_wait=60) as session:
        thread = Thread(target=send, args=[session])
        thread.start()
        while not service.calls:
            time.sleep(0.01)
    thread.join(20)
    assert len(service.calls) == 1
    assert ["was not sent: the task has ended." in error.message for error in errors] == [True]
    assert errors[0].maybe_applied

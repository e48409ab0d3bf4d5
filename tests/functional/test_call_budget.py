# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The call budget against a service that enforces a limit: nobody is refused, whoever shares the credentials."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
import requests
from ansible_collections.edgeops.protection.plugins.module_utils._api import connect, retry
from ansible_collections.edgeops.protection.plugins.module_utils._api.settings import CONNECTION_NUMBERS
from ansible_collections.edgeops.protection.plugins.module_utils._budget.budget import (
    CallBudget,
    Header,
    SharedTurns,
    state_path,
)
from ansible_collections.edgeops.protection.plugins.module_utils._concurrency import shared_by_tasks
from ansible_collections.edgeops.protection.plugins.module_utils._engine import run
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT
from tests.support.work import calls_of

INFO = MODULE_SPECS["protection_info"]
CALLS, PERIOD = 60, 1.0
SEVEN_CALLS = ["status", "prefixes", "allowlist", "rules", "filters"]


def read_account(service: LocalService, **more: Any) -> tuple[dict[str, Any], list[str]]:
    """Seven calls of a task of its own; returns its result and its warnings."""
    options = {
        **{name: default for name, (_type, default, _least) in CONNECTION_NUMBERS.items()},
        "base_url": service.base_url,
        "api_token": service.token,
        "account_id": ACCOUNT,
        "validate_certs": True,
        "ca_path": None,
        "gather_subset": SEVEN_CALLS,
        "covers": None,
        "max_wait": 0.0,
        **more,
    }
    warnings: list[str] = []
    result = run(INFO, options, check_mode=False, verbose=True, warn=warnings.append)
    if result.get("failed"):
        raise ServiceError(result["msg"], result["error"], maybe_applied=False)
    return result, warnings


def statuses(service: LocalService) -> set[int | None]:
    return {call.status for call in service.calls}


@pytest.fixture
def account(service: LocalService) -> LocalService:
    return service


def test_many_tasks_at_once_are_never_refused(account: LocalService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "CALL_PERIOD", PERIOD)
    account.rate_limit(CALLS, seconds=PERIOD)
    tasks = 30
    with ThreadPoolExecutor(tasks) as pool:
        results = list(pool.map(lambda dummy: read_account(account, call_budget=CALLS), range(tasks)))
    assert len(account.calls) == sum(result["calls"] for result, warnings in results) > 3 * CALLS
    assert statuses(account) == {200}
    announced = [text for result, warnings in results for text in warnings]
    assert all("calls in 1 s are made (call_budget)" in text for text in announced)
    assert 1 <= len(announced) < tasks  # waiting is announced once in a period, and not by each task


def test_tasks_of_many_hosts_share_budgets_of_their_own_size(
    account: LocalService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads wait for one another, and not for the file."""
    opened: list[str] = []
    begin = SharedTurns.__init__

    def open_file(turns: SharedTurns, path: str) -> None:
        opened.append(path)
        begin(turns, path)

    monkeypatch.setattr(SharedTurns, "__init__", open_file)
    with shared_by_tasks(2):
        for budget in (900, 900, 800):
            with ThreadPoolExecutor(4) as pool:
                tasks = [
                    pool.submit(copy_context().run, read_account, account, call_budget=budget) for _again in range(2)
                ]
            assert [task.result()[1] for task in tasks] == [[], []]
        assert len(opened) == 2 and len(set(opened)) == 1
    read_account(account, call_budget=30000)
    assert len(opened) == 3


def test_fewer_calls_than_the_budget_do_not_wait(account: LocalService) -> None:
    budget = CallBudget(7, 300.0, lambda: SharedTurns(path_of(account)), print)
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        return True

    for dummy in range(7):
        budget.end_turn(budget.take_turn(wait), None)
    assert waits == []
    budget.take_turn(wait)
    assert len(waits) == 1 and 290 < waits[0] <= 300
    budget.close()
    turns_taken, calls_of_task = 7 + 1, 7  # one more would wait for 300 s, which is announced already
    assert read_account(account, call_budget=turns_taken + calls_of_task)[1] == []


@pytest.mark.parametrize("age", [0.0, 2.3], ids=["in a new window", "in its last second"])
def test_calls_of_others_count_too(age: float, account: LocalService, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others have made all but nine of the calls that the service takes, and this user has made none."""
    monkeypatch.setattr(connect, "CALL_PERIOD", 3.0)
    account.rate_limit(CALLS, seconds=3)
    for dummy in range(CALLS - 9):
        requests.get(account.base_url + "/accounts", headers={"Authorization": f"Bearer {account.token}"}, timeout=5)
    account.clock.advance(seconds=age)
    for dummy in range(2):
        read_account(account)
    assert statuses(account) == {200}


def test_after_a_refused_call_other_tasks_wait_as_the_service_asks(
    account: LocalService, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        time.sleep(seconds)

    monkeypatch.setattr(retry, "time", SimpleNamespace(sleep=sleep, monotonic=time.monotonic))
    account.misbehave("status", status=429, times=1, headers={"Retry-After": "1"})
    with pytest.raises(ServiceError, match="was answered with HTTP 429"):
        read_account(account, gather_subset=["status"])
    read_account(account, gather_subset=["status"], max_wait=5.0)
    assert any(0.5 < seconds <= 1 for seconds in waits)
    assert len(account.calls) == 2


def test_after_a_refused_call_other_tasks_fail_without_a_call_if_the_wait_is_too_long(account: LocalService) -> None:
    account.misbehave("status", status=429, times=1, headers={"Retry-After": "200"})
    for words in (
        "GET accounts/.* was answered with HTTP 429; the next try would have to wait 200 s, and max_wait leaves 0 s. Run",
        "GET accounts/.* was not sent, since Cloudflare refused another call with these credentials .HTTP 429.; the next "
        "try would have to wait (200|199) s, and max_wait leaves 0 s. Run again after that time, or raise max_wait.",
    ):
        with pytest.raises(ServiceError, match=words):
            read_account(account, gather_subset=["status"])
    assert len(account.calls) == 1
    assert read_account(account, gather_subset=["status"], call_budget=0)[0]["calls"] == 1


def nothing(path: Path) -> None: ...


def truncated(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"edgecal1")


def from_the_future(path: Path) -> None:
    SharedTurns(str(path)).write_header(Header(closed_until=time.time() + 1000))


def no_folder(path: Path) -> None:
    path.parent.parent.write_text("a file where the folder should be")


def of_another_user(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.touch()
    if os.geteuid() == 0:
        os.chown(path, 12345, 12345)
    else:
        path.chmod(0)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (nothing, None),
        (truncated, "its contents are damaged; delete it"),
        (from_the_future, "its times are further in the future than a budget counts; delete it"),
        (no_folder, "Not a directory"),
        (of_another_user, "it belongs to another user|Permission denied"),
    ],
)
def test_a_state_that_cannot_be_shared_is_warned_of_with_the_reason(
    damage: Callable[[Path], None], reason: str | None, account: LocalService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "CALL_PERIOD", 0.2)
    damage(Path(path_of(account)))
    _result, warnings = read_account(account, call_budget=2)
    shared = [text for text in warnings if "is not shared" in text]
    assert len(shared) == (1 if reason else 0)
    assert len(account.calls) == 7
    if reason:
        assert re.search(reason, shared[0])
        assert path_of(account) in shared[0]


def path_of(service: LocalService) -> str:
    host = service.base_url.partition("//")[2].partition("/")[0]
    headers: Mapping[str, str] = {"Authorization": f"Bearer {service.token}"}
    return state_path(os.environ, host, headers)


@pytest.mark.parametrize("left", [30000, 15000], ids=["alone", "others use the token"])
def test_a_turn_costs_less_than_preparing_a_request(left: int, account: LocalService) -> None:
    of_requests = requests.Session()
    budget = CallBudget(30000, 300.0, lambda: SharedTurns(path_of(account)), print)

    def prepare() -> None:
        of_requests.prepare_request(requests.Request("GET", account.base_url))

    def turn() -> None:
        budget.end_turn(budget.take_turn(Event().wait), f'"default";r={left};t=299')

    assert calls_of(turn) < calls_of(prepare)
    budget.close()

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ctrl-C ends a run soon, whatever the service does, and once is enough; a run that is killed writes no more."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.interrupted_run import interruptible, wait_until
from tests.support.module_run import ACCOUNT, Modules
from tests.support.sampled_rows import sample

LONGEST = 5.0
WHOLE = {"edgeops.protection.account_protection": {"enabled": True}}
ENTRY = {"edgeops.protection.allowlist_entry": {"prefix": "192.0.2.1", "comment": "new"}}
FOREVER: list[tuple[str, dict[str, Any], str, dict[str, Any], int]] = [
    # what the service does, the task, the fault and its settings, how many calls are under way then
    ("it answers none of seven reads", WHOLE, "hang", {}, 7),
    ("it does not answer a write", ENTRY, "hang", {"method": "PATCH"}, 2),
    ("it demands to wait", WHOLE, "status", {"status": 429, "headers": {"Retry-After": "50"}}, 1),
]


@pytest.mark.parametrize("in_worker", [True, False], ids=["in the worker", "packed"])
@pytest.mark.parametrize(
    ("task", "kind", "settings", "calls"), [row[1:] for row in FOREVER], ids=[row[0] for row in FOREVER]
)
def test_once_is_enough(
    service: LocalService,
    task: dict[str, Any],
    kind: str,
    settings: dict[str, Any],
    calls: int,
    in_worker: bool,
    tmp_path: Path,
) -> None:
    service.account(ACCOUNT).seed(allowlist=[{"prefix": "192.0.2.1"}])
    service.misbehave(kind, **settings)
    with interruptible(service, tmp_path, [task], in_worker) as run:
        assert wait_until(lambda: len(service.calls) >= calls, 60), (tmp_path / "output").read_text()
        os.killpg(run.process.pid, signal.SIGINT)
        assert run.seconds_until_gone(2 * LONGEST) < LONGEST
        assert run.process.returncode != 0


PERIOD = 4.0  # seconds
UNDER_WAY = 2.0  # seconds until the service has noted what was sent before the end of a run


@dataclass(frozen=True)
class Wait:
    """Where a run waits when it is killed: the fault of the service that makes it wait, if it needs one, and how many
    calls are made until then."""

    title: str
    calls: int
    fault: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.title

    def prepare(self, service: LocalService, seconds: float) -> None:
        """An account that is read with seven calls, and a service that makes the run wait so long."""
        service.reset()
        service.account(ACCOUNT).seed(enabled=True)
        if self.fault:
            times = {"headers": {"Retry-After": f"{seconds:.0f}"}} if self.fault == "status" else {"seconds": seconds}
            service.misbehave(self.fault, **self.settings, **times)


def killed_task() -> dict[str, Any]:
    """A task that makes seven calls, and writes with the eighth, for which the call budget has a turn a period later."""
    options = {"prefixes": [{"prefix": "192.0.2.0/24"}], "call_budget": 7}
    return {"edgeops.protection.account_protection": options}


STATUS = {"path": ".*/tcp_protection_status"}
WAITS = [
    Wait("for its turn in the call budget", 7),
    Wait("for a response", 7, "slow", STATUS),
    Wait("as long as the service demands", 1, "status", {**STATUS, "status": 429}),
    Wait("before it repeats a call", 7, "status", {**STATUS, "status": 503}),
]


def later_calls(service: LocalService, seconds: float) -> list[str]:
    """The calls that come in so many seconds from now on, but for those that are under way."""
    time.sleep(UNDER_WAY)
    made = len(service.calls)
    time.sleep(seconds)
    return [f"{call.method} {call.path}" for call in service.calls[made:]]


@pytest.mark.parametrize(("wait", "in_worker"), sample([*product(WAITS, (True, False))], 3), ids=str)
def test_a_killed_run_writes_no_more(service: LocalService, wait: Wait, in_worker: bool, tmp_path: Path) -> None:
    wait.prepare(service, PERIOD)
    with interruptible(service, tmp_path, [killed_task()], in_worker) as run:
        assert wait_until(lambda: len(service.calls) >= wait.calls, 60), (tmp_path / "output").read_text()
        run.process.kill()
        assert run.seconds_until_gone(2 * LONGEST) < LONGEST
        assert later_calls(service, PERIOD) == []
        assert service.account(ACCOUNT).prefixes == []
        assert run.processes() == []


@pytest.mark.parametrize("in_worker", [True, False], ids=["in the worker", "packed"])
def test_after_a_kill_between_parts_of_a_list_the_next_run_does_and_says_what_is_left(
    service: LocalService, in_worker: bool, tmp_path: Path
) -> None:
    items = [{"ip": f"10.{number >> 8}.{number & 255}.0/24"} for number in range(2500)]
    feed: dict[str, Any] = {"name": "feed", "items": items, "purge": True}
    service.reset()
    service.account(ACCOUNT).seed(lists=[{"name": "feed"}])
    service.misbehave("slow_operation", seconds=600, times=1)
    with interruptible(service, tmp_path, [{"edgeops.protection.ip_list": feed}], in_worker) as run:
        waits = wait_until(lambda: any("bulk_operations" in call.path for call in service.calls), 60)
        assert waits, (tmp_path / "output").read_text()
        run.process.kill()
        assert run.seconds_until_gone(2 * LONGEST) < LONGEST
    service.clock.advance(seconds=600)  # Cloudflare ends what it has begun
    sent = [call.body for call in service.writes]
    assert [len(part) for part in sent] == [1000]
    predicted, done = (Modules(service).done("ip_list", check=check, **feed) for check in (True, False))
    assert predicted["operations"] == done["operations"]
    left = {item["ip"] for item in items} - {item["ip"] for item in sent[0]}
    assert {item["fields"]["ip"] for item in done["operations"]} == left and len(left) == 1500
    assert Modules(service).done("ip_list", **feed)["changed"] is False

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ctrl-C ends a run soon, whatever the service does, and once is enough; a run that is killed writes no more."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.interrupted_run import WAITS, Wait, interruptible, killed_task, later_calls, wait_until
from tests.support.module_run import ACCOUNT

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


@pytest.mark.parametrize("in_worker", [True, False], ids=["in the worker", "packed"])
@pytest.mark.parametrize("wait", WAITS, ids=str)
def test_a_killed_run_writes_no_more(service: LocalService, wait: Wait, in_worker: bool, tmp_path: Path) -> None:
    wait.prepare(service, PERIOD)
    with interruptible(service, tmp_path, [killed_task(PERIOD)], in_worker) as run:
        assert wait_until(lambda: len(service.calls) >= wait.calls, 60), (tmp_path / "output").read_text()
        run.process.kill()
        assert run.seconds_until_gone(2 * LONGEST) < LONGEST
        assert later_calls(service, PERIOD) == []
        assert service.account(ACCOUNT).prefixes == []

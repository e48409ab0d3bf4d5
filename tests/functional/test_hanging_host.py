# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A host whose account does not answer, among others: it is given up after max_wait, and named while it lasts."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api import progress as task_progress
from ansible_collections.edgeops.protection.plugins.module_utils._concurrency import shared_by_tasks
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline import fleet
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.results import NOT_REACHED, host_outcome

from tests.fake_service import LocalService
from tests.support.module_run import Modules

CONNECTION: dict[str, Any] = {"retries": 4, "timeout": 1.0, "max_wait": 1.5}


@pytest.mark.parametrize(("hosts", "tries"), [(2, range(1, 3)), (1, range(3, 6))], ids=["among others", "by itself"])
def test_an_account_that_does_not_answer_is_given_up_after_max_wait(
    hosts: int, tries: range, service: LocalService, modules: Modules
) -> None:
    service.misbehave("hang")
    with shared_by_tasks(hosts):
        result = modules.failed("allowlist", entries=[], **CONNECTION)
    assert host_outcome(result) == NOT_REACHED
    assert len(service.calls) in tries


def test_a_host_that_takes_long_is_named_while_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    progress = fleet.HostsDone(3)
    with progress.of_host("lima"):
        assert str(progress) == "0 of 3 hosts done"
        monkeypatch.setattr(fleet, "SHOW_INTERVAL", 0.0)
        with progress.of_host("berlin"):
            pass
        assert str(progress) == "1 of 3 hosts done, no end yet of lima (0 s)"
    assert str(progress) == "2 of 3 hosts done"


@pytest.mark.parametrize("awaits", [True, False])
def test_hosts_whose_calls_wait_for_the_budget_are_not_named(awaits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them would be, every ten seconds, though none of them hangs."""
    monkeypatch.setattr(fleet, "SHOW_INTERVAL", 0.0)
    for module in (fleet, task_progress):
        monkeypatch.setattr(module, "calls_await_turns", lambda: awaits)
    progress = fleet.HostsDone(3)
    with progress.of_host("lima"):
        assert ("no end yet of lima" in str(progress)) is not awaits
        assert progress.is_worth_saying("1 of 3 hosts done", "0 of 3 hosts done")
        assert progress.is_worth_saying("1 of 3 hosts done", "1 of 3 hosts done") is not awaits

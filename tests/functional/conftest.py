# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The local service and the modules that talk to it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api import retry
from ansible_collections.edgeops.protection.plugins.module_utils._concurrency import THREAD

from tests.fake_service import LocalService
from tests.support.concerned import is_concerned, modules_of
from tests.support.misbehaviour import without_waiting
from tests.support.module_run import ACCOUNT, ZONE, Modules

LONGEST = 3  # seconds
CHANGED = os.environ.get("CHANGED_FILES", "").split()  # of make quick


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave rows of tables out that are about other modules than those that the changed files declare."""
    modules = modules_of(CHANGED)
    if not modules:
        return
    by_concern: dict[bool, list[pytest.Item]] = {True: [], False: []}
    for item in items:
        callspec = getattr(item, "callspec", None)
        by_concern[callspec is None or is_concerned(callspec.params, modules)].append(item)
    config.hook.pytest_deselected(items=by_concern[False])
    items[:] = by_concern[True]


@pytest.fixture(scope="session")
def running_service() -> Iterator[LocalService]:
    with LocalService() as service:
        yield service


@pytest.fixture
def service(running_service: LocalService, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalService]:
    """The local service with an empty account and an empty zone, and an environment without anybody's credentials."""
    for variable in ("API_TOKEN", "API_KEY", "EMAIL", "BASE_URL", "ACCOUNT_ID", "ZONE_ID"):
        monkeypatch.delenv("CLOUDFLARE_" + variable, raising=False)
    running_service.reset()
    running_service.account(ACCOUNT), running_service.zone(ZONE)
    yield running_service
    wait_for_abandoned_calls()
    assert not running_service.breaches


def wait_for_abandoned_calls() -> None:
    """A task that fails leaves behind the reads that were under way, which the next test must not see."""
    end = time.monotonic() + LONGEST
    for thread in threading.enumerate():
        if thread.name == THREAD:
            thread.join(max(0, end - time.monotonic()))


@pytest.fixture
def modules(service: LocalService) -> Modules:
    return Modules(service)


@pytest.fixture
def waits(service: LocalService, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the modules wait, which passes in no time: only the service's clock goes on."""
    waited: list[float] = []
    monkeypatch.setattr(retry, "time", without_waiting(service, waited))
    return waited

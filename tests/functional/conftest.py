# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The local service and the modules that talk to it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api import retry
from ansible_collections.edgeops.protection.plugins.module_utils._concurrency import THREAD

from tests.fake_service import LocalService
from tests.support.misbehaviour import without_waiting
from tests.support.module_run import ACCOUNT, ZONE, Modules

HERE = Path(__file__).parent
LONGEST = 3  # seconds
# The coverage of these long files is not measured, which would take half as long again: they run hardly a line that no
# other test runs. If somebody asks which test runs which line, they count.
UNMEASURED = {
    f"test_{name}.py"
    for name in (
        "approval", "conflicts", "evidence", "evidence_of_many", "faults", "hostile", "load", "posture_phases",
        "random_faults", "registry", "report", "risks",
    )
}  # fmt: skip


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items if config.getoption("cov_context", None) is None else ():
        if item.path.name in UNMEASURED and item.path.parent == HERE:
            item.add_marker("no_cover")


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

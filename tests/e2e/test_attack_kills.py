# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook attack is killed at its calls: either nothing or all has happened after the next scheduled run."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.attacked_site import BEGIN, IN, OUT, POSTURE, Site
from tests.support.interrupted_run import started, wait_until
from tests.support.module_run import ACCOUNT, ZONE

WRITES = "POST|PUT|PATCH|DELETE"
READS = (0, 10)
DIRECTIONS: dict[str, dict[str, Any]] = {"in": POSTURE, "out": {"attack_over": True}}
LONGEST = 60.0  # seconds until the service has such a call


def killed(site: Site, variables: dict[str, Any], method: str, number: int) -> None:
    """Start the playbook, and kill all of it while the service does not answer the call with this number."""
    arguments = [
        "-i",
        str(site.inventory),
        "--limit",
        "berlin",
        "-e",
        json.dumps(variables),
        "edgeops.protection.attack",
    ]
    fault = site.service.misbehave("hang", method=method, path="accounts|zones", skip=number)
    with started(arguments, site.folder) as run:
        assert wait_until(lambda: fault.seen > number, LONGEST), (site.folder / "output").read_text(encoding="utf-8")
        os.killpg(run.process.pid, signal.SIGKILL)
        run.process.wait()
    site.service.faults.clear()


def prepared(service: LocalService, folder: Path, direction: str) -> Site:
    service.reset()
    service.clock.set(BEGIN)
    service.account(ACCOUNT)
    service.zone(ZONE)
    folder.mkdir()
    site = Site(service, folder)
    site.scheduled()
    if direction == "out":
        site.attack()
    service.calls.clear()
    return site


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_after_a_kill_at_any_call_the_next_run_ends_in_one_of_the_two(
    service: LocalService, direction: str, tmp_path: Path
) -> None:
    before, after = (OUT, IN) if direction == "in" else (IN, OUT)
    whole = prepared(service, tmp_path / "whole", direction)
    whole.playbook("attack", "-e", json.dumps(DIRECTIONS[direction]))
    writes = len(service.writes)
    assert (whole.state(), writes) == (after, 3)
    calls = [*(("GET", number) for number in READS), *((WRITES, number) for number in range(writes))]
    for method, number in calls:
        site = prepared(service, tmp_path / f"{method[:3]}-{number}", direction)
        killed(site, DIRECTIONS[direction], method, number)
        is_in = any(entry["until"] > "2027-01-29T04" for entry in site.entries()) if site.file.exists() else False
        is_decided = is_in is (direction == "in")
        assert is_decided or method == "GET"
        site.service.clock.advance(minutes=1)
        site.scheduled()
        assert site.state() == (after if is_decided else before), (method, number)
        assert site.scheduled() is False

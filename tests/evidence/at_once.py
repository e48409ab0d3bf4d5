# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`python -m tests.evidence.at_once [number]`: 30 times two or three playbooks at once, in processes of their own, with delays.

A third of them have one control node, where they wait for each other; of another third, one run is killed.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import yaml

from tests.fake_service import LocalService
from tests.support.interleavings import RISKS, TOKEN, Options, Scenario, differences, run_all
from tests.support.interrupted_run import InterruptedRun, started, wait_until
from tests.support.inventories import LOCAL
from tests.support.module_run import ACCOUNT, ZONE

NUMBER = 30
LONGEST = 300.0  # seconds of a playbook
WAYS = ("on control nodes of their own", "on one control node", "one is killed")


def start(service: LocalService, task: Options, folder: Path, shared: Path | None) -> ExitStack:
    """A playbook with the variables of a task; its stack has the run, and ends it."""
    folder.mkdir()
    if shared:
        shared.mkdir(exist_ok=True)
        (folder / "edgeops.protection").symlink_to(shared)
    described = {f"baseline_{name}": value for name, value in task.items() if isinstance(value, list)}
    host = {
        **LOCAL,
        "edge_account_id": ACCOUNT,
        "edge_zone_id": ZONE,
        "edge_api_token": TOKEN,
        "edge_base_url": service.base_url,
        "edge_max_wait": 200,
        **described,
        "baseline_accept_risks": RISKS,
    }
    (folder / "hosts.yml").write_text(yaml.safe_dump({"accounts": {"hosts": {"berlin": host}}}), encoding="utf-8")
    stack = ExitStack()
    stack.run = stack.enter_context(started(["-i", "hosts.yml", "edgeops.protection.baseline"], folder))  # type: ignore[attr-defined]
    return stack


def problems(service: LocalService, seed: int, folder: Path) -> Iterator[str]:
    """What is wrong after the playbooks of a seed."""
    chance, way = random.Random(seed), WAYS[seed % len(WAYS)]
    scenario = Scenario(seed)
    service.reset()
    scenario.prepared(service)
    service.switch(latency=chance.choice([0.05, 0.1, 0.2]))
    shared = folder / "shared" if way == WAYS[1] else None
    runs = [start(service, task, folder / f"run{number}", shared) for number, task in enumerate(scenario.tasks)]
    processes: list[InterruptedRun] = [stack.run for stack in runs]  # type: ignore[attr-defined]
    if way == WAYS[2]:
        call = chance.randint(10, 60)
        wait_until(
            lambda: len(service.calls) >= call or all(one.process.poll() is not None for one in processes), LONGEST
        )
        with suppress(ProcessLookupError):  # which has ended before
            os.killpg(processes[0].process.pid, signal.SIGKILL)
    for number, run in enumerate(processes):
        code = run.process.wait(LONGEST)
        if code and not (way == WAYS[2] and number == 0):
            yield f"run {number} ends with {code}: {(folder / f'run{number}' / 'output').read_text(encoding='utf-8')[-2000:]}"
    for stack in runs:
        stack.close()
    service.switch(latency=0.0)
    serial = scenario.service()
    for task in scenario.tasks:
        run_all(serial, [task], 0)
        if way == WAYS[2]:
            run_all(service, [task], 0)
    yield from differences(scenario, service, serial)
    for number, task in enumerate(scenario.tasks if not scenario.conflicts else ()):
        again = run_all(service, [task], 0).results[0]
        if again.get("changed", True):
            yield f"run {number} changes again: {json.dumps(again, default=str)[:500]}"


def main(number: int) -> int:
    """Print what is wrong; 1 if anything is."""
    failed = 0
    with LocalService() as service, tempfile.TemporaryDirectory() as scratch:
        for seed in range(number):
            folder = Path(scratch) / str(seed)
            folder.mkdir()
            wrong = list(problems(service, seed, folder))
            failed += bool(wrong)
            print(
                f"{seed + 1:3} {WAYS[seed % len(WAYS)]}, {len(service.calls)} calls: {'; '.join(wrong) or 'converges'}",
                flush=True,
            )
    print(f"{number - failed} of {number} converge")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else NUMBER))

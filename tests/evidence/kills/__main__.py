# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`python -m tests.evidence.kills`: end runs of a playbook at random calls; one more run must converge, without duplicates or losses."""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fake_service import LocalService
from tests.support.interrupted_run import InterruptedRun, interruptible, wait_until
from tests.support.module_run import ACCOUNT, Modules
from tests.support.service_state import assert_no_duplicates_and_no_clearance

RUNS = 30
MODES = {True: "in the worker", False: "packed"}
LATENCY = 0.05  # seconds, so that a run is long enough to be interrupted
LONGEST_START = 120.0  # seconds until the first call
LONGEST_END = 5.0  # seconds after which nothing is left of an interrupted run

KEPT = [{"prefix": f"10.0.{number}.1/32", "comment": "kept"} for number in range(20)]
CHANGED = [{"prefix": f"10.1.{number}.1/32", "comment": "old"} for number in range(20)]
REMOVED = [{"prefix": f"10.2.{number}.1/32"} for number in range(10)]
EXISTING: dict[str, Any] = {
    "enabled": True,
    "allowlist": [*KEPT, *CHANGED, *REMOVED],
    "prefixes": [{"prefix": "192.0.2.0/24", "comment": "kept"}],
}
DESIRED: dict[str, Any] = {
    "enabled": True,
    "allowlist": [
        *KEPT,
        *({**entry, "comment": "new"} for entry in CHANGED),
        *({"prefix": f"10.3.{number}.1/32", "comment": "added"} for number in range(10)),
    ],
    "prefixes": [{"prefix": f"203.0.{number // 200}.{number % 200}/32"} for number in range(350)],
    "rules": [{"kind": kind, "scope": "global"} for kind in ("syn_flood", "out_of_state_tcp")],
    "purge": ["allowlist"],
}


@dataclass(frozen=True)
class Way:
    """How a run is ended: the signal, and what it meets, the whole process group, the parent or the worker."""

    sent: signal.Signals
    meets: str

    def __str__(self) -> str:
        return f"{self.sent.name} to the {self.meets}"

    def end(self, run: InterruptedRun) -> None:
        """Send the signal; a run without a worker just then is met at its parent."""
        parent, *workers = run.processes() or [run.process.pid]
        if self.meets == "group":
            os.killpg(run.process.pid, self.sent)
        else:
            os.kill(workers[0] if self.meets == "worker" and workers else parent, self.sent)


WAYS = [
    *(Way(sent, meets) for sent in (signal.SIGINT, signal.SIGTERM) for meets in ("group", "parent", "worker")),
    *(Way(signal.SIGKILL, meets) for meets in ("parent", "worker")),
]


def prepare(service: LocalService) -> Modules:
    service.reset()
    service.account(ACCOUNT).seed(**EXISTING)
    return Modules(service)


def calls_of_a_whole_run(service: LocalService) -> int:
    prepare(service).done("account_protection", **DESIRED)
    return len(service.calls)


def interrupt(service: LocalService, way: Way, call: int, in_worker: bool, folder: Path) -> float:
    """Start the run, end it at this call, and return how many seconds later nothing was left of it."""
    prepare(service)
    service.switch(latency=LATENCY)
    task = {"edgeops.protection.account_protection": DESIRED}
    with interruptible(service, folder, [task], in_worker) as run:
        if not wait_until(lambda: len(service.calls) >= call, LONGEST_START):
            raise RuntimeError(
                f"The run does not come to call {call}:\n{(folder / 'output').read_text(encoding='utf-8')}"
            )
        way.end(run)
        return run.seconds_until_gone(2 * LONGEST_END)


def problems(service: LocalService) -> Iterator[str]:
    """What is wrong after one more run: it does not converge, there are duplicates, or something is lost."""
    modules = Modules(service)
    service.switch(latency=0.0)
    again = modules.run("account_protection", **DESIRED)
    if again.get("failed"):
        yield f"one more run fails: {again['msg']}"
    left = modules.run("account_protection", check=True, **DESIRED).get("operations")
    if left != []:
        yield f"one more run leaves {left}"
    try:
        assert_no_duplicates_and_no_clearance(service)
    except AssertionError as exc:
        yield f"an object is there twice, or a whole collection was removed: {exc}"
    stored = {entry["prefix"]: entry["comment"] for entry in service.account(ACCOUNT).allowlist}
    lost = [entry["prefix"] for entry in KEPT if stored.get(entry["prefix"]) != "kept"]
    if lost or not any(entry["prefix"] == "192.0.2.0/24" for entry in service.account(ACCOUNT).prefixes):
        yield f"lost: {lost or '192.0.2.0/24'}"
    yield from map(str, service.breaches)


def end_at_calls(
    service: LocalService, runs: int, chance: random.Random, scratch: Path, show: Callable[[str], None]
) -> int:
    """End so many runs at random calls; returns how many of them do not end in time, or do not converge."""
    total, failures, longest = calls_of_a_whole_run(service), 0, 0.0
    for number in range(runs):
        way, in_worker = WAYS[number % len(WAYS)], chance.random() < 0.7
        call = chance.randint(1, total)
        seconds = interrupt(service, way, call, in_worker, _folder(scratch, str(number)))
        wrong = [*problems(service), *([f"{seconds:.1f} s until it ended"] if seconds > LONGEST_END else [])]
        failures, longest = failures + bool(wrong), max(longest, seconds)
        show(f"{number + 1:3} {way}, {MODES[in_worker]}, at call {call} of {total}: {'; '.join(wrong) or 'converges'}")
    show(f"{runs - failures} of {runs} converge; the longest end took {longest:.1f} s")
    return failures


def _folder(scratch: Path, name: str) -> Path:
    folder = scratch / name.replace(" ", "-")
    folder.mkdir()
    return folder


def main(words: Sequence[str] | None = None, show: Callable[[str], None] = print) -> int:
    """Interrupt the runs; 1 if one of them does not end or converge."""
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.kills", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="to repeat what went wrong")
    arguments = parser.parse_args(words)
    show(f"{arguments.runs} runs, --seed {arguments.seed}")
    with LocalService() as service, tempfile.TemporaryDirectory() as scratch:
        failures = end_at_calls(service, arguments.runs, random.Random(arguments.seed), Path(scratch), show)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

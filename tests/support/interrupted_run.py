# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A playbook that is interrupted while it runs, with all the processes that belong to it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, ansible_environment
from tests.support.inventories import LOCAL, write_play
from tests.support.module_run import ACCOUNT

MARK = "RUN_OF_THIS_TEST"


class InterruptedRun:
    """A playbook under way; its processes are known by a mark in their environment."""

    def __init__(self, process: subprocess.Popen[bytes], mark: str) -> None:
        self.process = process
        self._mark = f"{MARK}={mark}".encode()

    def processes(self) -> list[int]:
        """The ids of all processes that are left of the run; the playbook's own is the first while it is there."""
        own = self.process.pid
        return sorted((pid for pid in _pids() if self._is_ours(pid)), key=lambda pid: (pid != own, pid))

    def _is_ours(self, pid: int) -> bool:
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
            state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except OSError:
            return False
        return self._mark in environment.split(b"\0") and state != "Z"

    def seconds_until_gone(self, longest: float) -> float:
        """How long it takes until nothing is left of the run; `longest` where it takes longer."""
        began = time.monotonic()
        wait_until(lambda: self.process.poll() is not None and not self.processes(), longest)
        return time.monotonic() - began


def _pids() -> Iterator[int]:
    return (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())


def wait_until(condition: Callable[[], bool], longest: float) -> bool:
    """Wait until the condition holds; False where it takes longer than so many seconds."""
    end = time.monotonic() + longest
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@contextmanager
def interruptible(
    service: LocalService, folder: Path, tasks: Sequence[Mapping[str, Any]], in_worker: bool
) -> Iterator[InterruptedRun]:
    """Start a playbook with these tasks for one account, as from a terminal; whatever is left of it at the end is killed."""
    defaults = {"api_token": service.token, "base_url": service.base_url, "account_id": ACCOUNT}
    own = {"module_defaults": {"group/edgeops.protection.account": defaults}}
    write_play(folder, tasks, "lima", **own, vars={"edgeops_protection_in_worker": in_worker})
    (folder / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": {"lima": LOCAL}}}), encoding="utf-8")
    with started(["-i", "hosts.yml", "play.yml"], folder) as run:
        yield run


@contextmanager
def started(arguments: Sequence[str], folder: Path) -> Iterator[InterruptedRun]:
    """Start a playbook in a folder, as from a terminal; whatever is left of it at the end is killed."""
    mark = uuid.uuid4().hex
    program = [str(Path(sys.executable).parent / "ansible-playbook"), *arguments]
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(
            program,
            cwd=folder,
            env={**ansible_environment(str(folder)), "PWD": str(REPOSITORY), "RECORD_TO": os.devnull, MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # its process group is what Ctrl-C on a terminal meets
        )
    run = InterruptedRun(process, mark)
    try:
        yield run
    finally:
        for pid in run.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, 9)
        process.wait()

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A process that outlives its run ends by itself, whatever it waits for, and says nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.interrupted_run import wait_until

ORPHAN = "ansible_collections.edgeops.protection.plugins.module_utils._api.progress"
WORKER = "ansible_collections.edgeops.protection.plugins.plugin_utils._worker"
LONGEST = 5.0  # seconds
MODULE = f"""
import sys, time
from {ORPHAN} import has_lost_its_reader, watch
watch(has_lost_its_reader)
print("begun", file=sys.stderr, flush=True)
time.sleep(60)
"""
FORKING = f"""
import multiprocessing, os, sys, time
from {WORKER} import end_with_run
def work():
    {{before}}
    end_with_run()
    print(os.getpid(), flush=True)
    {{waiting}}
multiprocessing.get_context("fork").Process(target=work).start()
time.sleep(60)
"""
WAITS = {
    "a wait": "time.sleep(60)",
    "a pipe that nobody reads": "os.write(os.pipe()[1], bytes(2**20))",
    "a call": "os.read(os.pipe()[0], 1)",
}


@contextmanager
def running(program: str) -> Iterator[subprocess.Popen[str]]:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", program], stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def is_there(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize("waiting", WAITS.values(), ids=WAITS)
def test_a_worker_ends_with_the_run_that_forked_it(waiting: str) -> None:
    with running(FORKING.format(before="pass", waiting=waiting)) as run:
        assert run.stdout
        worker = int(run.stdout.readline())
        assert not wait_until(lambda: not is_there(worker), 0.6)
        run.kill()
        assert wait_until(lambda: not is_there(worker), LONGEST)
        assert run.communicate() == ("", "")


def test_a_run_killed_before_its_worker_looks_ends_the_worker_too() -> None:
    before = "print(os.getpid(), flush=True); time.sleep(0.5)"
    with running(FORKING.format(before=before, waiting=WAITS["a wait"])) as run:
        assert run.stdout
        worker = int(run.stdout.readline())
        run.kill()
        assert wait_until(lambda: not is_there(worker), LONGEST)


def test_a_module_ends_if_nobody_reads_its_result() -> None:
    with running(MODULE) as module:
        assert module.stdout and module.stderr
        assert module.stderr.readline() == "begun\n"
        with pytest.raises(subprocess.TimeoutExpired):
            module.wait(0.6)
        module.stdout.close()
        assert module.wait(LONGEST) == 1
        assert module.stderr.read() == ""


@pytest.mark.parametrize("output", ["file", "terminal", "nothing"])
def test_a_module_without_a_pipe_goes_on(output: str, tmp_path: Path) -> None:
    opened = {
        "file": lambda: os.open(tmp_path / "result", os.O_WRONLY | os.O_CREAT),
        "terminal": lambda: os.openpty()[1],
    }
    file = opened.get(output, lambda: os.open(os.devnull, os.O_WRONLY))()
    program = f"import {ORPHAN} as orphan, sys\nsys.exit(orphan.has_lost_its_reader())"
    assert subprocess.run([sys.executable, "-c", program], stdout=file, check=False).returncode == 0
    os.close(file)


def test_a_process_looks_before_each_call_and_its_forks_do_not() -> None:
    program = f"""
import os, sys
from {ORPHAN} import _watches, end_if_orphan
_watches.append((os.getpid(), lambda: True))
child = os.fork()
if child:
    os.waitpid(child, 0)
end_if_orphan()
print("goes on" if not child else "never", flush=True)
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (1, "goes on\n", "")


def test_a_process_that_is_no_worker_is_not_watched() -> None:
    program = f"""
import threading
from {WORKER} import end_with_run, has_lost_its_parent
end_with_run()
print(threading.active_count(), has_lost_its_parent())
"""
    with running(f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {program!r}])") as run:
        assert run.communicate(timeout=60)[0] == "1 False\n"

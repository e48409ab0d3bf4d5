# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Programs run to their end, timed from outside, with the memory of their largest process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from .measure import Taken

REPOSITORY = Path(__file__).parents[3]
PLUGINS = Path(__file__).parent / "ansible"


class Failure(Exception):
    """A program that did not do its work; nothing can be said of how long it takes."""


def run(words: Sequence[str | Path], scratch: Path, home: Path | None = None) -> tuple[Taken, str]:
    """What a program took, and what it printed; raises Failure where it fails.

    It has `scratch` for its files; programs that run at once have folders of their own, and a `home` in common.
    """
    printed = scratch / "printed"
    with printed.open("wb") as output:
        start = time.perf_counter()
        process = subprocess.Popen(
            list(map(str, words)),
            cwd=REPOSITORY,
            env=environment(home or scratch),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            group=os.getgid(),  # so that Python forks: a child of vfork begins with the peak memory of this process
        )
        dummy, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    text = printed.read_text(encoding="utf-8")
    if process.returncode:
        raise Failure(f"{words[0]} ended with {process.returncode}:\n{text[-3000:]}")
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Taken(seconds, peak, usage.ru_utime + usage.ru_stime), text


def environment(scratch: Path) -> Mapping[str, str]:
    """Ansible's own defaults, Python's own bytecode, and the service never behind a proxy."""
    dropped = ("ANSIBLE_", "CLOUDFLARE_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    return {
        **kept,
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        "ANSIBLE_CONFIG": str(REPOSITORY / "tests" / "support" / "ansible.cfg"),
        "ANSIBLE_HOME": str(scratch / "home"),
        "ANSIBLE_LOCAL_TEMP": str(scratch / "local"),
        "ANSIBLE_REMOTE_TEMP": str(scratch / "remote"),
        "ANSIBLE_ACTION_PLUGINS": str(PLUGINS / "action_plugins"),
        "ANSIBLE_LIBRARY": str(PLUGINS / "library"),
        "ANSIBLE_NOCOWS": "1",
        "ANSIBLE_RETRY_FILES_ENABLED": "0",
    }

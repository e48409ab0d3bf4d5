# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs Ansible's programs as a user would, and tells what every task returned."""

from __future__ import annotations

import atexit
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.preloaded_ansible import PreloadedAnsible

CALLBACKS = Path(__file__).parent / "callback_plugins"
REPOSITORY = Path(__file__).parents[2]
# Where the collection is installed that the tests run; the checkout, of which site-packages has a link, if that is empty.
INSTALLED = os.environ.get("TESTED_COLLECTIONS", "")
# The folder of that collection, for what a user copies out of it.
COLLECTION = Path(INSTALLED, "ansible_collections", "edgeops", "protection") if INSTALLED else REPOSITORY

PLACE = re.compile(r" \((\S+\.ya?ml:\d+|on the command line)\)")


def without_places(text: str) -> str:
    """A message without the files and lines of values, of which ansible-core knows nothing before 2.19."""
    return PLACE.sub("", text)


@dataclass(frozen=True)
class TaskResult:
    """What one task returned on one host."""

    host: str
    task: str
    action: str
    outcome: str
    result: Mapping[str, Any]


@dataclass(frozen=True)
class Run:
    """How a program ended, what it printed, and, of a playbook, its tasks' results."""

    code: int
    output: str
    tasks: Sequence[TaskResult]

    def done(self) -> Run:
        """The run, which must end well."""
        assert self.code == 0, self.output
        return self

    def of(self, collection: str = "edgeops.protection.") -> list[TaskResult]:
        """The tasks that ran a module of the collection."""
        return [task for task in self.tasks if task.action.startswith(collection)]


def ansible_playbook(
    *arguments: str | Path,
    environment: Mapping[str, str] | None = None,
    directory: Path = REPOSITORY,
    installed: str = INSTALLED,
) -> Run:
    """Run a playbook, from the repository's root unless from another directory."""
    return ansible("ansible-playbook", *arguments, environment=environment, directory=directory, installed=installed)


def ansible(
    program: str,
    *arguments: str | Path,
    directory: Path = REPOSITORY,
    environment: Mapping[str, str] | None = None,
    installed: str = INSTALLED,
) -> Run:
    """Run one of the programs of the Ansible beside this Python, away from the user's own settings."""
    with tempfile.TemporaryDirectory() as scratch:
        record = Path(scratch) / "record"
        record.touch()
        variables = {
            **ansible_environment(scratch, installed),
            "PWD": str(directory),
            "RECORD_TO": str(record),
            **(environment or {}),
        }
        run = _started if _sets_up_ansible(environment or {}) else preloaded(installed).run
        code, output = run(program, [str(argument) for argument in arguments], directory, variables)
        tasks = [TaskResult(**json.loads(line)) for line in record.read_text(encoding="utf-8").splitlines()]
    return Run(code, output, tasks)


def _sets_up_ansible(environment: Mapping[str, str]) -> bool:
    return any(name.startswith(("ANSIBLE_", "EDGEOPS_")) for name in environment)


def _started(
    program: str, arguments: Sequence[str], directory: Path, environment: Mapping[str, str]
) -> tuple[int, str]:
    """The exit code and output of a program that is started as a user starts it."""
    finished = run_program([Path(sys.executable).parent / program, *arguments], directory, environment)
    return finished.returncode, finished.stdout


def run_program(
    command: Sequence[str | Path], directory: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a program that reads nothing; its errors are in its output."""
    return subprocess.run(
        command,
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@functools.cache
def preloaded(installed: str) -> PreloadedAnsible:
    """The process that runs the programs whose settings are those of every test, with the collection that is installed there."""
    scratch = tempfile.mkdtemp()
    process = PreloadedAnsible(ansible_environment(scratch, installed))
    atexit.register(shutil.rmtree, scratch)
    atexit.register(process.end)  # which runs first
    return process


def ansible_environment(scratch: str, installed: str = INSTALLED) -> dict[str, str]:
    """The environment of a program of Ansible that uses this folder for its own files, without the settings of its user."""
    ours = ("ANSIBLE_", "CLOUDFLARE_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    found = {"ANSIBLE_COLLECTIONS_PATH": installed, "ANSIBLE_COLLECTIONS_SCAN_SYS_PATH": "0"} if installed else {}
    return {
        **kept,
        **found,
        "ANSIBLE_CONFIG": str(CALLBACKS.parent / "ansible.cfg"),
        "ANSIBLE_HOME": scratch,
        "ANSIBLE_LOCAL_TEMP": scratch,
        "ANSIBLE_REMOTE_TEMP": scratch,
        "ANSIBLE_CALLBACK_PLUGINS": str(CALLBACKS),
        "ANSIBLE_CALLBACKS_ENABLED": "record",
        "ANSIBLE_NOCOWS": "1",
        "PYTHONUNBUFFERED": "1",  # so that both outputs stay in order, as they do on a terminal
        "ANSIBLE_RETRY_FILES_ENABLED": "0",
    }

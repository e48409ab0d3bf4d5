# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The worker process in which ansible-core runs a task, and what it gets from the process that
forked it."""

from __future__ import annotations

import fcntl
import gc
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from itertools import chain
from multiprocessing import parent_process
from tempfile import TemporaryFile
from threading import Lock
from typing import Any, BinaryIO

from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ..module_utils._api.adapters import load_trust
from ..module_utils._api.progress import watch
from ..module_utils._concurrency import share
from ..module_utils._specs.base import ModuleSpec, Setting
from ._bytecode import FAST_PATH

try:
    from ansible.template import trust_as_template
except ImportError:  # before ansible-core 2.19, which does not compile what a task registers
    trust_as_template = None


# Loaded by the first plan of a collection, or of rules, which would be once in each worker.
LOADED_BY_COLLECTIONS = ("_protection.ineffective",)
LOADED_BY_RULES = (
    "_expressions.evaluation",
    "_expressions.operands",
    "_planning.needs",
    "_planning.zone",
    "_guard.finders.rulesets",
    "_guard.rule_plans",
    "_guard.traffic",
    "_protection.desired_protection",
    "_protection.all_unmanaged",
    "_protection.described_traffic",
)


LOADED_BY_ROLES = ("_specs.host", "_specs.info", "_specs.traffic")  # all modules


def prepare_workers(spec: ModuleSpec | None = None) -> None:
    """Do once what each worker of a module would do again; without a spec, what each worker of a
    role would do, which needs all modules.

    Ansible loads the plugin of an action in the process that forks the workers, so the plugin calls
    this.
    """
    names: tuple[str, ...] = LOADED_BY_ROLES if spec is None else ()
    if spec is None or (spec.risks and not isinstance(spec, Setting)):
        names += LOADED_BY_COLLECTIONS
    if spec is None or spec.of_rules:
        names += LOADED_BY_RULES
    for name in names:
        import_module(f"..module_utils.{name}", __package__)
    sha256()  # for which OpenSSL loads its algorithms
    load_trust()
    _shared_file(NOTES)
    _shared_file(BOARD)
    share(_shared_file("readings"))  # of what is read once for all hosts
    _prepare_templates()
    if not FAST_PATH:
        return
    gc.freeze()  # so that no worker, nor the end of the run, searches all of this for garbage


def _prepare_templates() -> None:
    """Make the lexer of templates, which each worker would make to register the result of its
    task."""
    if trust_as_template:
        Templar(DataLoader()).evaluate_expression(trust_as_template("true"))


def first_of_run(subject: str) -> bool:
    """True for the first call about a subject in this run, whichever worker it is in."""
    with NOTING:
        return noted_by_run("first", subject).count(subject) == 1


NOTES = "notes"  # of tasks of this run, for one another
BOARD = "board"  # likewise, and what nobody needs any more goes
READING, NOTING = Lock(), Lock()  # of the threads of a worker
NOTED: dict[str, list[str]] = {}  # by subject, as far as this process has read
BYTES_READ = [0]


def claimed_before(owner: str, host: str, same_owners: Sequence[str] = ()) -> str:
    """The other host of this run that has claimed an account or zone (or one of `same_owners`,
    if there are any), in whichever worker; empty if this host is the first to claim it."""
    # Each worker writes before it reads, so of two hosts one sees the other.
    _note(owner, host)
    for claimant in chain.from_iterable(map(_noted, same_owners or [owner])):
        if claimant != host:
            return claimant
    return ""


@contextmanager
def found_by_run(name: str, findings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The findings that all tasks of this run have added under a name so far, in whichever
    worker, with the findings of this task; other tasks wait until the context ends."""
    file = _shared_file(NOTES)
    subject = json.dumps(name)
    fcntl.lockf(file, fcntl.LOCK_EX)
    try:
        _note(subject, json.dumps(findings))
        run_findings: dict[str, Any] = {}
        for note in _noted(subject):
            run_findings.update(json.loads(note))
        yield run_findings
    finally:
        fcntl.lockf(file, fcntl.LOCK_UN)


@contextmanager
def board_of_run() -> Iterator[dict[str, Any]]:
    """The notes that the tasks of this run keep for one another, in whichever worker, to read and
    to change; other tasks that ask for them wait until the context ends."""
    file = _shared_file(BOARD).fileno()
    run = str(os.getppid())
    fcntl.lockf(file, fcntl.LOCK_EX)
    try:
        written = os.pread(file, os.fstat(file).st_size, 0)
        boards: dict[str, dict[str, Any]] = json.loads(written or b"{}")
        board = boards.setdefault(run, {})
        yield board
        os.ftruncate(file, 0)
        os.pwrite(file, json.dumps({run: board}).encode(), 0)
    finally:
        fcntl.lockf(file, fcntl.LOCK_UN)


def noted_by_run(name: str, text: str) -> list[str]:
    """All texts that tasks of this run have noted under a name so far, in whichever worker, with
    this text; of two tasks, only one sees its text as the first."""
    file = _shared_file(NOTES)
    fcntl.lockf(file, fcntl.LOCK_EX)
    try:
        _note(name, text)
        return _noted(name)
    finally:
        fcntl.lockf(file, fcntl.LOCK_UN)


def _note(subject: str, text: str) -> None:
    """Append a note of one line about a subject, with the id of the process that forked this
    worker, which stands for the run."""
    note = f"{os.getppid()} {subject}\t{text}\n"
    os.write(_shared_file(NOTES).fileno(), note.encode())


def _noted(subject: str) -> list[str]:
    """All notes about a subject. Reads only what is new in the file, because one worker may ask
    for thousands of hosts."""
    file = _shared_file(NOTES).fileno()
    with READING:
        start = BYTES_READ[0]
        size = os.fstat(file).st_size - start
        # Another worker may still write the line behind the last end of a line.
        lines, line_end, _unfinished = os.pread(file, size, start).rpartition(b"\n")
        for line in lines.decode().split("\n"):
            if line:
                key, _tab, note = line.rpartition("\t")
                NOTED.setdefault(key, []).append(note)
        BYTES_READ[0] += len(lines) + len(line_end)
    return NOTED.get(f"{os.getppid()} {subject}", [])


@lru_cache(maxsize=None)
def _shared_file(_name: str) -> BinaryIO:
    """The temporary file for this name, shared with the workers that this process forks from now
    on."""
    return TemporaryFile("ab+", buffering=0)


def end_with_run() -> None:
    """End this worker as soon as the run that forked it is gone; does nothing in a process that
    is not a worker."""
    if parent_process() is not None:
        watch(has_lost_its_parent)


def has_lost_its_parent() -> bool:
    """True if the process that forked this worker is gone; False in a process that is not a worker.

    An orphan gets the next subreaper as its parent, which need not be process 1.
    """
    parent = parent_process()
    return parent is not None and parent.pid != os.getppid()

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Work of this checkout beside the same work of an older commit, in pairs."""

from __future__ import annotations

import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from . import accounts, plays
from .measure import Case, Row, Way
from .peer import ROUNDS, SIZES, Fleet
from .processes import REPOSITORY, Failure
from .ways import PLAYBOOK, Ways, Work

COMMIT = "f52529b"  # the whole layers, before traffic and expectations
BEFORE = "8f1041ae"  # before a host was one plan
TASKS = {
    "one more task that finds nothing to do (tcp_protection_status)": plays.status_in_order,
    "account_protection, whole account in order": plays.account_protection,
}
PARTS = 20


def is_there(commit: str) -> bool:
    """Whether the clone has a commit; a shallow one lacks the older ones."""
    words = ["git", "cat-file", "-e", f"{commit}^{{commit}}"]
    return subprocess.run(words, cwd=REPOSITORY, capture_output=True, check=False).returncode == 0


def collection_of(commit: str, folder: Path) -> Path:
    """A path of collections with this one as a commit has it; raises Failure for one that the clone lacks."""
    archive, collection = folder / "collection.tar", folder / "ansible_collections" / "edgeops" / "protection"
    collection.mkdir(parents=True)
    words = ["git", "archive", "--output", str(archive), commit]
    git = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if git.returncode:
        raise Failure(f"The commit {commit} cannot be compared with: {git.stderr.strip()}")
    with tarfile.open(archive) as files:
        files.extractall(collection, filter="data")
    return folder


def without(tasks: plays.Tasks, option: str) -> plays.Tasks:
    """The tasks without an option that the older commit lacks."""

    def older(account: str) -> list[plays.Task]:
        return [
            {
                name: {key: item for key, item in value.items() if key != option} if isinstance(value, dict) else value
                for name, value in task.items()
            }
            for task in tasks(account)
        ]

    return older


def program_of(commit: str, scratch: Path) -> tuple[str | Path, ...]:
    """ansible-playbook with the collection of a commit, which is extracted at once."""
    return ("env", f"ANSIBLE_COLLECTIONS_PATH={collection_of(commit, scratch / commit)}", PLAYBOOK)


def older(ways: Ways, commit: str) -> Ways:
    """Ways that run the collection of a commit."""
    return Ways(ways.serving, ways.scratch, program_of(commit, ways.scratch))


def cases(now: Ways, before: Ways, commit: str = COMMIT) -> Iterator[Case]:
    """Each task, now and then."""
    work = Work(accounts.in_order(), parts=PARTS)
    for (title, task), name in zip(TASKS.items(), ("task_then", "account_then"), strict=True):
        then = f"the same at {commit}"
        ways = {title: now.more(task(), work), then: before.more(without(task(), "call_budget"), work)}
        is_least = task is plays.status_in_order
        rows = [Row(title, then, 1.1, chief=is_least), Row(title, then, 1.0, of_processors=True)]
        yield Case(name, ways, rows)


def role_then(ways: Ways, program: Sequence[str | Path], commit: str = BEFORE, count: int = SIZES[0]) -> Case:
    """The role with a task for each zone, now and at a commit, whose program this is."""
    now, before = (Fleet(ways.serving, ways.scratch, count, program=one) for one in ((PLAYBOOK,), program))
    title, then = f"the role baseline in check mode, {count:,} zones in order", f"the same at {commit}"
    alternatives = {title: Way(now.role), then: Way(before.role)}
    return Case("role_then", alternatives, [Row(title, then, 0.75, of_processors=True)], rounds=ROUNDS)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One more task of this checkout beside the same task of an older commit, in pairs, by the processors' time."""

from __future__ import annotations

import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

from . import accounts, plays
from .measure import Case, Row, by_processor
from .processes import REPOSITORY, Failure
from .ways import PLAYBOOK, Ways, Work

COMMIT = "f52529b"  # the whole layers, before traffic and expectations
TASKS = {
    "one more task that finds nothing to do (tcp_protection_status), processors' time": plays.status_in_order,
    "account_protection, whole account in order, processors' time": plays.account_protection,
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


def older(ways: Ways, commit: str) -> Ways:
    """Ways that run the collection of a commit; it is extracted at once."""
    collections = collection_of(commit, ways.scratch / "older")
    program = ("env", f"ANSIBLE_COLLECTIONS_PATH={collections}", PLAYBOOK)
    return Ways(ways.serving, ways.scratch, program)


def cases(now: Ways, before: Ways, commit: str = COMMIT) -> Iterator[Case]:
    """Each task, now and then."""
    work = Work(accounts.in_order(), parts=PARTS)
    for (title, task), name in zip(TASKS.items(), ("task_then", "account_then"), strict=True):
        then = f"the same at {commit}"
        ways = {
            title: by_processor(now.more(task(), work)),
            then: by_processor(before.more(without(task(), "call_budget"), work)),
        }
        yield Case(name, ways, [Row(title, then, 1.0)])

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One more task of this checkout beside the same task of an older commit, in pairs, by the processors' time; run as
`python -m tests.evidence.benchmark.commits --commit COMMIT`."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from . import accounts, plays
from .measure import Case, Measured, Row, by_processor, measured
from .processes import REPOSITORY, Failure
from .serving import Serving
from .ways import PLAYBOOK, Ways, Work

COMMIT = "f52529b"  # the whole layers, before traffic and expectations
TASKS = {
    "one more task that finds nothing to do (tcp_protection_status)": plays.status_in_order,
    "account_protection, whole account in order": plays.account_protection,
}
PARTS = 20


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


def cases(now: Ways, before: Ways, commit: str) -> list[Case]:
    """Each task, now and then."""
    work = Work(accounts.in_order(), parts=PARTS)
    return [
        Case(
            title,
            {
                title: by_processor(now.more(task(), work)),
                f"{title} at {commit}": by_processor(before.more(without(task(), "call_budget"), work)),
            },
            [Row(title, f"{title} at {commit}", 1.0)],
        )
        for title, task in TASKS.items()
    ]


def line(item: Measured) -> str:
    """What came of a task, in a line."""
    low, high = min(item.values), max(item.values)
    return f"{item.row.work}: {item.median:.2f} ({low:.2f} to {high:.2f}) of {item.row.against}"


def main(words: Sequence[str] | None = None) -> int:
    """Print a line for each task; 1 if something could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.benchmark.commits", description=__doc__)
    parser.add_argument("--commit", default=COMMIT)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args(words)
    try:
        with tempfile.TemporaryDirectory() as folder, Serving(Path(folder)) as serving:
            older = collection_of(options.commit, Path(folder) / "older")
            now = Ways(serving, Path(folder))
            before = Ways(serving, Path(folder), program=("env", f"ANSIBLE_COLLECTIONS_PATH={older}", PLAYBOOK))
            for case in cases(now, before, options.commit):
                for item in measured(replace(case, rounds=options.rounds), options.rounds):
                    print(line(item), flush=True)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

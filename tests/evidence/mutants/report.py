# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Counts the mutants of cosmic-ray's sessions, one a file, and fails for each that survived without an explanation.

survivors.txt explains: a paragraph is one reason, lines that begin with `#`, and the mutants that it is about, each
a line `FILE: OLD -> NEW` as this program prints them. What counts is the change, not the file, which may be renamed.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from cosmic_ray.work_db import WorkDB, use_db

EXPLAINED = Path(__file__).parent / "survivors.txt"
MOST_SURVIVORS = 0.08  # of all mutants, explained or not


def mutant(diff: str, file: str) -> str:
    """A mutant as one line, which stays the same when lines elsewhere come and go."""
    old, new = (" ".join(line[1:].strip() for line in diff.splitlines() if line.startswith(sign)) for sign in "-+")
    return f"{file}: {old} -> {new}".rstrip()


def change(mutant: str) -> str:
    """What a mutant changes, whichever file it is in."""
    return mutant.partition(": ")[2]


def read(session: str) -> tuple[Counter[str], list[str]]:
    """How many mutants of a file had which outcome, and those that survived, as lines."""
    counts: Counter[str] = Counter()
    survivors: list[str] = []
    with use_db(session, WorkDB.Mode.open) as database:
        work = {item.job_id: item for item in database.work_items}
        for job, result in database.results:
            outcome = result.test_outcome.value if result.test_outcome else result.worker_outcome.value
            counts[outcome] += 1
            if (result.output or "").startswith("signal"):
                counts["endless"] += 1
            if outcome == "survived":
                path = work[job].mutations[0].module_path
                survivors.append(mutant(result.diff or "", f"{path.parent.name}/{path.name}"))
    return counts, survivors


def main(sessions: list[str]) -> int:
    """Print the counts and the survivors that nobody explained; 0 if there are none."""
    lines = EXPLAINED.read_text(encoding="utf-8").splitlines()
    explained = {change(line) for line in lines if not line.startswith("#")}
    total: Counter[str] = Counter()
    survivors: list[str] = []
    for session in sessions:
        counts, of_file = read(session)
        total += counts
        survivors += of_file
        print(f"{Path(session).stem}: {_counted(counts)}")
    unexplained = [text for text in survivors if change(text) not in explained]
    for text in unexplained:
        print(f"SURVIVED: {text}")
    print(f"All: {_counted(total)}")
    print(f"{len(survivors) - len(unexplained)} survivors are explained, {len(unexplained)} are not.")
    return 1 if unexplained or total["survived"] >= MOST_SURVIVORS * _tried(total) else 0


def _tried(counts: Counter[str]) -> int:
    return counts["killed"] + counts["survived"] + counts["incompetent"]


def _counted(counts: Counter[str]) -> str:
    tried = _tried(counts)
    share = counts["survived"] / tried if tried else 1.0
    return (
        f"{tried} mutants, {counts['survived']} survived ({share:.1%}), {counts['endless']} of the others by running "
        f"without an end, {counts['skipped']} not tried."
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

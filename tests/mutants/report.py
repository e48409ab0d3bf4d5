# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Counts the mutants of a cosmic-ray session, and fails for each that survived without an explanation.

survivors.txt explains: a paragraph is one reason, a line that begins with `#`, and the mutants that it is about, each
a line `FILE: OLD -> NEW` as this program prints them.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from cosmic_ray.work_db import WorkDB, use_db

EXPLAINED = Path(__file__).parent / "survivors.txt"


def mutant(diff: str, file: str) -> str:
    """A mutant as one line, which stays the same when lines elsewhere come and go."""
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++"))]
    old, new = (" ".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+")
    return f"{file}: {old} -> {new}"


def main(session: str) -> int:
    """Print the counts and the survivors that nobody explained; 0 if there are none."""
    explained = {line for line in EXPLAINED.read_text(encoding="utf-8").splitlines() if not line.startswith("#")}
    counts: Counter[str] = Counter()
    survivors: list[str] = []
    with use_db(session, WorkDB.Mode.open) as database:
        work = {item.job_id: item for item in database.work_items}
        for job, result in database.results:
            outcome = result.test_outcome.value if result.test_outcome else result.worker_outcome.value
            counts[outcome] += 1
            if outcome == "survived":
                survivors.append(mutant(result.diff or "", work[job].mutations[0].module_path.name))
    tried = counts["killed"] + counts["survived"] + counts["incompetent"]
    share = counts["survived"] / tried if tried else 1.0
    print(f"{tried} mutants, {counts['survived']} survived ({share:.1%}), {counts['skipped']} not tried.")
    unexplained = [text for text in survivors if text not in explained]
    for text in unexplained:
        print(f"SURVIVED: {text}")
    print(f"{len(survivors) - len(unexplained)} survivors are explained, {len(unexplained)} are not.")
    return 1 if unexplained or share >= 0.08 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Counts the mutants, of which each file has results in a file of its own, and fails for each that survived without an
explanation.

survivors.txt explains: a paragraph is one reason, lines that begin with `#`, and the mutants that it is about, each
a line `FILE: OLD -> NEW` as this program prints them. What counts is the change, not the file, which may be renamed.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

UNIT, FUNCTIONAL = "tests/unit/plugins", "tests/functional"
KINDS = {UNIT: "unit tests", FUNCTIONAL: "functional tests"}
EXPLAINED = Path(__file__).parent / "survivors.txt"


def line_of(file: str, before: str, after: str) -> str:
    """A mutant as one line, which stays the same when lines elsewhere come and go."""
    old, new = before.splitlines(), after.splitlines()
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    then, now = (" ".join(line.strip() for line in lines) for lines in (old, new))
    return f"{'/'.join(Path(file).parts[-2:])}: {then} -> {now}".rstrip()


def change(mutant: str) -> str:
    """What a mutant changes, whichever file it is in."""
    return mutant.partition(": ")[2]


def main(folder: str) -> int:
    """Print the counts and the survivors that nobody explained; 0 if there are none."""
    lines = EXPLAINED.read_text(encoding="utf-8").splitlines()
    explained = {change(line) for line in lines if not line.startswith("#")}
    total: Counter[str] = Counter()
    killers: Counter[frozenset[str]] = Counter()
    survivors: list[str] = []
    for path in sorted(Path(folder).glob("*.jsonl")):
        results = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        counts = Counter(result["how"].partition(" ")[0] or "survived" for result in results)
        total += counts
        killers.update(map(kinds_of, results))
        survivors += [result["mutant"] for result in results if not result["how"]]
        print(f"{path.stem}: {_counted(counts)}")
    unexplained = [text for text in survivors if change(text) not in explained]
    for text in unexplained:
        print(f"SURVIVED: {text}")
    print(f"All: {_counted(total)}")
    for kinds in sorted(killers, key=sorted):
        if kinds:
            print(f"Killed by {' and '.join(sorted(kinds))}: {killers[kinds]}.")
    print(f"{len(survivors) - len(unexplained)} survivors are explained, {len(unexplained)} are not.")
    return 1 if unexplained or not total else 0


def kinds_of(result: Mapping[str, Any]) -> frozenset[str]:
    """The kinds of tests that killed a mutant; with APART=1 all that do, and otherwise the first one."""
    tests = [kill.rpartition(" ")[2] for kill in result["kills"]]
    return frozenset(KINDS[folder] for folder in KINDS if any(test.startswith(folder) for test in tests))


def _counted(counts: Counter[str]) -> str:
    tried, survived = counts.total(), counts["survived"]
    share = survived / tried if tried else 1.0
    return f"{tried} mutants, {survived} survived ({share:.1%}), {counts['signal']} of the others by running without an end."


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare many expressions, requests and rule sets with the vendor's parser and engine, and write docs/evidence.md.

    python -m tests.engine.evidence [times]

Each comparison runs `times` times (2,000 unless told otherwise), always on the same random cases.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.engine.comparisons import ENGINE, PARSER, Counts

PAGE = Path(__file__).parents[2] / "docs" / "evidence.md"
TIMES = 2000
INTRODUCTION = """\
# Evidence

What the collection says of expressions is compared with what two programs of others say. The cases are random, and the
same in every run. `make evidence` compares them and writes this page. `make test` and `make engine` compare fewer.

The **parser** is octorules-wirefilter 0.7.0, the parser of Cloudflare's engine. The **engine** is the one that
firewalker 1.0.10 ships, with an evaluator: the engine of 2020 for Linux on x86_64.

| what is compared | with | how many | differences |
|---|---|---|---|
"""


def run(comparison: Callable[[Random, Counts], None], times: int) -> Counts:
    """A comparison on the cases of the first `times` seeds."""
    counts = Counts()
    for seed in range(times):
        comparison(Random(seed), counts)
    return counts


def row(comparison: Callable[[Random, Counts], None], program: str, times: int) -> str:
    """A row of the table: the sentence of the comparison, and its counts."""
    counts = run(comparison, times)
    for difference in counts.differences[:10]:
        print(difference, file=sys.stderr)
    numbers = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in sorted(counts.counted.items()))
    sentence = str(comparison.__doc__).strip().rstrip(".")
    return f"| {sentence} | {program} | {numbers} | {len(counts.differences)} |"


def main(times: int) -> int:
    """Write the page; 1 where something differed."""
    rows = [row(item, "parser", times) for item in PARSER] + [row(item, "engine", times) for item in ENGINE]
    PAGE.write_text(INTRODUCTION + "\n".join(rows) + "\n", encoding="utf-8")
    print("\n".join(rows))
    return 0 if all(line.endswith("| 0 |") for line in rows) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else TIMES))

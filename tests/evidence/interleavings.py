# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`python -m tests.evidence.interleavings [first] [number]`: 5,000 random interleavings of two and three runs, a seed each."""

from __future__ import annotations

import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from tests.support.interleavings import problems

NUMBER, PROCESSES = 5000, 2


def main(first: int, number: int) -> int:
    """Print what is wrong, and what happened; 1 if anything is wrong."""
    happened: Counter[str] = Counter()
    failed = 0
    with ProcessPoolExecutor(PROCESSES) as pool:
        seeds = range(first, first + number)
        for seed, (wrong, counted) in zip(seeds, pool.map(problems, seeds, chunksize=20), strict=True):
            happened.update(counted)
            failed += bool(wrong)
            for one in wrong:
                print(f"seed {seed}: {one}", flush=True)
    print(f"{number} interleavings, {failed} wrong: {dict(happened)}")
    return int(failed > 0)


if __name__ == "__main__":
    given = [int(text) for text in sys.argv[1:]]
    sys.exit(main(given[0] if given else 0, given[1] if len(given) > 1 else NUMBER))

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How long it takes to tell what a plan does to the coverage of a large account.

`python -m tests.evidence.benchmark.coverage` prints a table: medians of several runs, against json.loads of the same account.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._coverage.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils._coverage.results import compare_coverage

SIZES = (2_500, 5_000, 10_000, 20_000)
RUNS = 5
Account = dict[str, list[dict[str, Any]]]


def account(prefixes: int, seed: int) -> Account:
    """As many protected prefixes, a fifth as many exclusions scattered over them, and 200 allowed sources."""
    scattered = random.Random(seed)
    places = scattered.sample(range(prefixes), prefixes // 5)
    return {
        "status": [{"enabled": True}],
        "prefixes": [{"prefix": network(number, 0, 24), "excluded": False} for number in range(prefixes)]
        + [{"prefix": network(number, 8 * scattered.randrange(32), 29), "excluded": True} for number in places],
        "allowlist": [{"prefix": f"172.16.{number}.7", "enabled": True} for number in range(200)],
        "syn_flood_rules": [{"scope": "global", "name": "global", "mode": "enabled"}],
        "out_of_state_tcp_rules": [{"scope": "global", "name": "global", "mode": "monitoring"}],
        "syn_flood_filters": [{"expression": "ip.dst in {10.1.0.0/16} and tcp.dstport eq 80", "mode": "disabled"}],
        "out_of_state_tcp_filters": [],
    }


def network(number: int, last: int, length: int) -> str:
    return f"{10 + number // 65536}.{number // 256 % 256}.{number % 256}.{last}/{length}"


def seconds(work: Callable[[], object], runs: int = RUNS) -> float:
    """The median of several runs, in seconds of this process."""
    taken = []
    for dummy in range(runs):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return statistics.median(taken)


def reading_time(prefixes: int, runs: int = RUNS) -> float:
    """Seconds to tell what becomes of the coverage where every exclusion moves."""
    before, after = account(prefixes, 1), account(prefixes, 2)
    return seconds(lambda: compare_coverage(Coverage(before), Coverage(after)), runs)


def table() -> list[str]:
    """The table, line by line."""
    lines = [
        "| protected prefixes | exclusions | before and after, in seconds | against json.loads of both | growth by prefix |",
        "|---|---|---|---|---|",
    ]
    first: float | None = None
    for size in SIZES:
        taken = reading_time(size)
        both = json.dumps([account(size, 1), account(size, 2)])
        first = first or taken / size
        against, growth = taken / seconds(partial(json.loads, both)), taken / size / first
        lines.append(f"| {size:,} | {size // 5:,} | {taken:.2f} | {against:.0f} | {growth:.2f} |")
    return lines


if __name__ == "__main__":
    print("\n".join(table()))

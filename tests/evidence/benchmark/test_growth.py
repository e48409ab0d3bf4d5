# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What large accounts cost: no more than their size explains."""

from __future__ import annotations

import math
import random
import time
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils._protection.summary import compare_coverage

Account = dict[str, list[dict[str, Any]]]


def account(prefixes: int, seed: int) -> Account:
    """As many protected prefixes, a fifth as many exclusions scattered over them, and 200 allowed sources."""
    scattered = random.Random(seed)
    excluded = scattered.sample(range(prefixes), prefixes // 5)
    return {
        "status": [{"enabled": True}],
        "prefixes": [{"prefix": network(number, 0, 24), "excluded": False} for number in range(prefixes)]
        + [{"prefix": network(number, 8 * scattered.randrange(32), 29), "excluded": True} for number in excluded],
        "allowlist": [{"prefix": f"172.16.{number}.7", "enabled": True} for number in range(200)],
        "syn_flood_rules": [{"scope": "global", "name": "global", "mode": "enabled"}],
        "out_of_state_tcp_rules": [{"scope": "global", "name": "global", "mode": "monitoring"}],
        "syn_flood_filters": [{"expression": "ip.dst in {10.1.0.0/16} and tcp.dstport eq 80", "mode": "disabled"}],
        "out_of_state_tcp_filters": [],
    }


def network(number: int, last: int, length: int) -> str:
    return f"{10 + number // 65536}.{number // 256 % 256}.{number % 256}.{last}/{length}"


def seconds(prefixes: int) -> float:
    """The processor's time to compare the coverage before and after every exclusion moves."""
    before, after = account(prefixes, 1), account(prefixes, 2)
    start = time.process_time()
    compare_coverage(Coverage(before), Coverage(after))
    return time.process_time() - start


def test_coverage_grows_no_faster_than_n_log_n() -> None:
    few, many = 1_000, 8_000
    bound = 1.6 * many * math.log(many) / (few * math.log(few))
    quickest = {few: math.inf, many: math.inf}
    for _round in range(8):  # another program only ever makes a run slower, so that the quickest ones count
        quickest = {size: min(taken, seconds(size)) for size, taken in quickest.items()}
        if _round and quickest[many] / quickest[few] < bound:
            break
    assert quickest[many] / quickest[few] < bound

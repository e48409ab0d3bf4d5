# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What large accounts cost: no more than their size explains."""

from __future__ import annotations

import math
import random
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils._protection.ineffective import ineffective_records
from ansible_collections.edgeops.protection.plugins.module_utils._protection.summary import compare_coverage

from tests.evidence.benchmark import items

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


def networks_apart(size: int) -> list[dict[str, Any]]:
    """As many rules, each of 20 networks of which few lie in those of another rule."""
    scattered = random.Random(size)

    def some() -> str:
        return " ".join(
            f"{scattered.randrange(1, 220)}.{scattered.randrange(256)}.{scattered.randrange(256)}.0/24"
            for _each in range(20)
        )

    return [
        {"ref": f"r{number}", "action": "block", "expression": f"ip.src in {{{some()}}}", "enabled": True}
        for number in range(size)
    ]


def texts_apart(size: int) -> list[dict[str, Any]]:
    """As many rules, each with a comparison of its own of which no more is known than that."""
    return [
        {"ref": f"r{number}", "action": "block", "expression": f'http.cookie contains "{number}"', "enabled": True}
        for number in range(size)
    ]


@pytest.mark.parametrize("rules_of", [networks_apart, texts_apart])
def test_a_thousand_rules_are_searched_for_what_cannot_work_in_two_seconds(
    rules_of: Callable[[int], list[dict[str, Any]]],
) -> None:
    quickest = dict.fromkeys((1000, 4000), math.inf)
    for _round in range(5):
        for size in quickest:
            rules = rules_of(size)
            start = time.process_time()
            ineffective_records({"custom_rules": rules})
            quickest[size] = min(quickest[size], time.process_time() - start)
        if quickest[1000] <= 2 and quickest[4000] <= 6 * quickest[1000]:
            break
    assert quickest[1000] <= 2, quickest
    assert quickest[4000] <= 6 * quickest[1000], quickest


def test_coverage_grows_no_faster_than_n_log_n() -> None:
    few, many = 1_000, 8_000
    bound = 1.6 * many * math.log(many) / (few * math.log(few))
    quickest = {few: math.inf, many: math.inf}
    for _round in range(8):  # another program only ever makes a run slower, so that the quickest ones count
        quickest = {size: min(taken, seconds(size)) for size, taken in quickest.items()}
        if _round and quickest[many] / quickest[few] < bound:
            break
    assert quickest[many] / quickest[few] < bound


def peak(what: str, size: int) -> int:
    """The bytes that the plan of a long list takes beside its options."""
    plan = items.work(what, size)
    tracemalloc.start()
    try:
        assert plan()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("what", "most"), [("items", 700), ("items_new", 900), ("items_half", 1200), ("items_all", 1900)]
)
def test_an_item_of_a_long_list_takes_little_memory(what: str, most: int) -> None:
    small, large = 2_000, 10_000
    peak(what, small)  # what is loaded once
    assert peak(what, large) - peak(what, small) <= most * (large - small)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Three thousand random lists of rules over a universe that is enumerated, and a thousand chains of rulesets: every claim
is true, and whatever never decides is claimed, by the fewest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from tests.support.ineffective_model import check_chain, check_list

LISTS = 1500  # of requests, and as many of packets
CHAINS = 1000
FEWEST = 200  # of each kind


@pytest.mark.parametrize("packets", [False, True])
def test_random_lists(packets: bool, record_property: Callable[[str, object], None]) -> None:
    counts: Counter[str] = Counter()
    for seed in range(LISTS):
        counts += check_list(Random(f"list {seed}"), packets)
    record_property("ineffective", {**counts, "lists": LISTS})
    assert min(counts[kind] for kind in ("never", "shadowed", "working")) >= FEWEST, counts
    assert packets or counts["unreachable"] >= FEWEST // 4, counts


def test_random_chains(record_property: Callable[[str, object], None]) -> None:
    counts: Counter[str] = Counter()
    for seed in range(CHAINS):
        counts += check_chain(Random(f"chain {seed}"))
    record_property("ineffective", dict(counts))
    assert min(counts[kind] for kind in ("never", "shadowed", "working")) >= FEWEST, counts

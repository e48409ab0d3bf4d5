# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two and three runs at once, each call of which is a step: nothing is lost, nothing is there twice, and all orders end alike.

The same 40 in every run; `python -m tests.evidence.interleavings` takes 5,000."""

from __future__ import annotations

from collections import Counter
from unittest.mock import patch

from ansible_collections.edgeops.protection.plugins.module_utils._apply.meanwhile import Meanwhile

from tests.support.interleavings import problems

SEEDS = 40


def test_two_and_three_runs_at_once_lose_nothing_and_end_alike() -> None:
    happened: Counter[str] = Counter()
    wrong: list[str] = []
    for seed in range(SEEDS):
        found, counted = problems(seed)
        wrong += [f"seed {seed}: {one}" for one in found]
        happened.update(counted)
    assert wrong == []
    for kind in ("put_back", "created at the same time", "conflicts"):
        assert happened[kind], happened


def test_runs_that_settle_nothing_are_found_out() -> None:
    with (
        patch.object(Meanwhile, "_of_lists", lambda *_any: iter(())),
        patch.object(Meanwhile, "_of_collections", lambda *_any: iter(())),
    ):
        assert any(problems(seed)[0] for seed in range(SEEDS))

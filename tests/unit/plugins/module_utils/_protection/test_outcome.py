# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.decide import decision
from ansible_collections.edgeops.protection.plugins.module_utils._protection.outcomes import Outcome

BLOCK, LOG, ALLOW, SKIP = Outcome("blocked", "a"), Outcome("logged", "b"), Outcome("allowed"), Outcome("skipped", "c")


def test_one_outcome_is_the_word() -> None:
    decided = decision([BLOCK, BLOCK], ["x", "x"], ["waf", "waf"])
    assert (decided.word, decided.by, decided.reasons, decided.skips) == ("blocked", "a", ["x"], ["waf"])


def test_several_outcomes_are_undecided() -> None:
    decided = decision([BLOCK, ALLOW])
    assert (decided.word, decided.by) == ("undecided", None)
    decided = decision([BLOCK, Outcome("blocked", "z")])
    assert (decided.word, decided.by) == ("blocked", None)


@pytest.mark.parametrize(
    ("outcomes", "expected", "rule", "fulfilled"),
    [
        ([BLOCK], "blocked", None, True),
        ([BLOCK], "blocked", "a", True),
        ([BLOCK], "blocked", "b", False),
        ([BLOCK], "allowed", None, False),
        ([ALLOW], "allowed", None, True),
        ([LOG], "allowed", None, True),
        ([SKIP], "allowed", "c", True),
        ([ALLOW], "skipped", None, False),
        ([ALLOW, LOG], "allowed", None, True),
        ([ALLOW, LOG], "logged", None, None),
        ([ALLOW, BLOCK], "allowed", None, None),
        ([ALLOW, BLOCK], "challenged", None, False),
    ],
)
def test_all_outcomes_have_to_be_what_is_expected(
    outcomes: list[Outcome], expected: str, rule: str | None, fulfilled: bool | None
) -> None:
    assert decision(outcomes).fulfils(expected, rule) is fulfilled

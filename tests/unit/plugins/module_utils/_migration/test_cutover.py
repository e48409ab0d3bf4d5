# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is to be done in a zone, row by row; that every outcome stays on the way is for the functional tests."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._migration.migrate import migrate, steps

from tests.support.migration_model import OTHER, Rule, rule

RULES = [rule("l", "log", priority=1), rule("a", "allow", OTHER, priority=2), rule("b", "block", priority=3)]
CUSTOM = migrate(RULES).rules  # l, a, b


def placed(existing: list[Rule]) -> list[tuple[str, str]]:
    return [(item["ref"], item["position"]) for item in steps(RULES, existing)["create"]]


@pytest.mark.parametrize(
    ("existing", "positions"),
    [
        ([], [("l", "last"), ("a", "after l"), ("b", "after a")]),
        ([CUSTOM[2]], [("l", "before b"), ("a", "after l")]),
        ([CUSTOM[1]], [("l", "before a"), ("b", "after a")]),
        ([CUSTOM[0]], [("a", "after l"), ("b", "after a")]),
        (CUSTOM, []),
        (
            [{"ref": "other", "action": "log", "expression": "true"}],
            [("l", "last"), ("a", "after l"), ("b", "after a")],
        ),
    ],
)
def test_a_missing_rule_is_created_in_its_place(existing: list[Rule], positions: list[tuple[str, str]]) -> None:
    assert placed(existing) == positions


@pytest.mark.parametrize(
    ("existing", "conflicts"),
    [
        (CUSTOM, []),
        ([{**CUSTOM[2], "action": "log"}], ["b"]),
        ([{**CUSTOM[2], "enabled": False}], ["b"]),
        ([{**CUSTOM[2], "description": "mine"}], []),
        ([{**CUSTOM[0], "expression": "true"}, {**CUSTOM[1], "expression": "true"}], ["l", "a"]),
    ],
)
def test_another_rule_of_the_same_ref_is_a_conflict(existing: list[Rule], conflicts: list[str]) -> None:
    assert steps(RULES, existing)["conflicts"] == conflicts


@pytest.mark.parametrize(
    ("rules", "paused"),
    [
        (RULES, ["b", "a", "l"]),
        ([{**RULES[0], "paused": True}, *RULES[1:]], ["b", "a"]),
        ([*RULES[:2], rule("b", priority=3, filter_paused=True)], ["a", "l"]),
        ([RULES[0], rule("s", "simulate", priority=2), RULES[2]], ["b"]),
        ([*RULES, rule("s", "simulate", priority=4)], []),
        ([RULES[0], rule("n", "block", None, priority=2), RULES[2]], ["b", "l"]),
        ([], []),
    ],
)
def test_the_last_rule_is_paused_first_and_none_before_an_unknown_action(rules: list[Rule], paused: list[str]) -> None:
    pause = steps(rules, [])["pause"]
    assert [item["id"] for item in pause] == paused
    assert all(item["paused"] is True for item in pause)


def test_after_the_cutover_nothing_is_left_to_do() -> None:
    paused = [{**item, "paused": True} for item in RULES]
    assert steps(paused, CUSTOM) == {"conflicts": [], "create": [], "pause": []}

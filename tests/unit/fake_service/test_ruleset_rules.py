# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The single rules of a ruleset: added, moved, defined anew and deleted."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Client
from .rulesets_sample import FIRST, FOREIGN, MISSING, NEW, SECOND, Rules, ids


@pytest.mark.parametrize(
    ("position", "expected_index"),
    [
        (None, 3),
        ({"before": ""}, 0),
        ({"after": ""}, 3),
        ({"before": SECOND}, 1),
        ({"after": SECOND}, 2),
        ({"index": 1}, 0),
        ({"index": 3}, 2),
        ({"index": 4}, 3),
    ],
)
def test_a_rule_is_added_at_its_position(
    rulesets: Client, custom_rules: Rules, path: str, position: dict[str, Any] | None, expected_index: int
) -> None:
    body = NEW if position is None else {**NEW, "position": position}
    whole = rulesets.result("POST", f"{path}/rules", body)
    assert [rule["ref"] for rule in whole["rules"]].index("new") == expected_index
    assert "position" not in custom_rules[expected_index] and len(custom_rules) == 4 and whole["rules"] == custom_rules


@pytest.mark.parametrize(
    ("position", "order"),
    [
        ({"before": ""}, [SECOND, FIRST, FOREIGN]),
        ({"after": ""}, [FIRST, FOREIGN, SECOND]),
        ({"before": FIRST}, [SECOND, FIRST, FOREIGN]),
        ({"after": FOREIGN}, [FIRST, FOREIGN, SECOND]),
        ({"index": 2}, [FIRST, SECOND, FOREIGN]),
        ({"index": 3}, [FIRST, FOREIGN, SECOND]),
    ],
)
def test_a_rule_is_moved_alone(
    rulesets: Client, custom_rules: Rules, path: str, position: dict[str, Any], order: list[str]
) -> None:
    moved = rulesets.result("PATCH", f"{path}/rules/{SECOND}", {"position": position})
    assert ids(moved) == order
    assert custom_rules[order.index(SECOND)]["version"] == "7"


@pytest.mark.parametrize(
    ("position", "pointer"),
    [
        ({"before": MISSING}, "/position/before"),
        ({"after": SECOND}, "/position/after"),  # itself
        ({"index": 4}, "/position/index"),
        ({"index": 0}, "/position/index"),
        ({"before": "", "after": ""}, "/position"),
        ({}, "/position"),
    ],
)
def test_a_position_has_to_exist(
    rulesets: Client, custom_rules: Rules, path: str, position: dict[str, Any], pointer: str
) -> None:
    refused = rulesets.refused("PATCH", f"{path}/rules/{SECOND}", {"position": position})
    assert (refused["status"], refused["pointer"], [rule["id"] for rule in custom_rules]) == (
        400,
        pointer,
        [FIRST, SECOND, FOREIGN],
    )

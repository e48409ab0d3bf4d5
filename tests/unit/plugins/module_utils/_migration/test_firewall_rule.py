# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A tolerant reader: whatever a firewall rule has, something is read, and what is odd is remarked."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._migration.firewall_rule import read_rule

from tests.support.migration_model import rule


@pytest.mark.parametrize(
    ("priority", "read", "noted"),
    [
        (7, 7, False),
        (7.0, 7, False),
        (7.5, 7.5, False),
        ("", None, False),
        ("7", 7, True),
        (" 7.0 ", 7, True),
        ("first", None, True),
        (True, None, True),
        (float("nan"), None, True),
        (float("inf"), None, True),
        ("1e999", None, True),
        ("9" * 5000, None, True),
        ([7], None, True),
    ],
)
def test_odd_priorities_are_read_if_they_can_be(priority: Any, read: Any, noted: bool) -> None:
    parsed = read_rule(rule(priority=priority))
    assert parsed.priority == read and isinstance(parsed.priority, type(read))
    assert bool(parsed.remarks) is noted
    assert all("priority" in remark and len(remark) < 200 for remark in parsed.remarks)


@pytest.mark.parametrize(
    ("paused", "read", "remarks"),
    [(None, False, 0), ("false", False, 0), ("True", True, 0), ("yes", True, 1), (1, True, 1), ([], True, 1)],
)
def test_a_value_that_is_neither_true_nor_false_counts_as_paused(paused: Any, read: bool, remarks: int) -> None:
    of_rule, of_filter = read_rule(rule(paused=paused)), read_rule(rule(filter_paused=paused))
    assert (of_rule.paused, len(of_rule.remarks)) == (read, remarks)
    assert (of_filter.filter_paused, len(of_filter.remarks)) == (read, remarks)
    assert of_rule.active is of_filter.active is not read


@pytest.mark.parametrize(
    ("raw", "obstacle"),
    [
        ({"id": "a"}, "action '' is unknown"),
        (rule(action="simulate"), "action 'simulate' is unknown"),
        (rule(action=["block"]), "is unknown"),
        ({"id": "a", "action": "block"}, "filter is deleted or shows no expression"),
        ({"id": "a", "action": "block", "filter": "f"}, "filter is deleted or shows no expression"),
        ({"id": "a", "action": "block", "filter": {"expression": "x", "deleted": True}}, "filter is deleted"),
        (rule(expression=" "), "shows no expression"),
        (rule(expression=7), "shows no expression"),
        (rule(action="bypass", products="waf"), "no product"),
        (rule(action="bypass", products=["rain"]), "no product"),
    ],
)
def test_a_rule_that_nothing_replaces_has_an_obstacle(raw: Any, obstacle: str) -> None:
    parsed = read_rule(raw)
    assert obstacle in parsed.obstacle
    assert parsed.active is False

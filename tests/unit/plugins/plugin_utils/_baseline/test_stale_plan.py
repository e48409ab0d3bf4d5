# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.approval import describe_differences

PREFIX = {
    "action": "update",
    "resource": "prefix",
    "key": "203.0.113.0/24",
    "fields": {"comment": "POP 8"},
    "before": {"comment": "POP 7"},
}
RULE = {
    "action": "update",
    "resource": "firewall_rule",
    "key": "1" * 32,
    "fields": {"filter": {"expression": "ssl"}},
    "before": {"filter": {"expression": "true"}},
}


@pytest.mark.parametrize(
    ("approved", "current", "difference"),
    [
        (PREFIX, {"before": {"comment": "by hand"}},
         "prefix 203.0.113.0/24: comment was 'POP 7' when approved, and is 'by hand' now."),
        (PREFIX, {"before": {"comment": "POP 7", "excluded": True}},
         "prefix 203.0.113.0/24: excluded was as desired when approved, and is True now."),
        (PREFIX, {"fields": {"comment": "POP 9"}},
         "prefix 203.0.113.0/24: comment was to become 'POP 8', and would become 'POP 9' now."),
        (PREFIX, {"action": "create", "before": {}},
         "prefix 203.0.113.0/24 was to be updated when approved, and is to be created now."),
        (PREFIX, {"before": {"comment": "a" * 100}}, f"and is '{'a' * 59}... (100 characters)' now"),
        (PREFIX, {"before": {"comment": "a\u202eb"}}, "and is 'a\\\\u202eb' now"),
        (RULE, {"before": {"filter": {"expression": "false"}}},
         f"firewall rule {'1' * 32}: filter.expression was 'true' when approved, and is 'false' now."),
    ],
)  # fmt: skip
def test_a_value_that_is_another_one_is_named(
    approved: dict[str, Any], current: dict[str, Any], difference: str
) -> None:
    assert difference.split("...")[0] in describe_differences([approved], [{**approved, **current}])


def test_operations_that_come_and_go_are_named() -> None:
    assert describe_differences([PREFIX], []) == ("prefix 203.0.113.0/24 was to be updated, which is not needed now.")
    assert describe_differences([], [PREFIX]) == "prefix 203.0.113.0/24 is to be updated, which was not approved."


def test_many_differences_are_counted() -> None:
    many = [{**PREFIX, "key": f"192.0.2.{last}/32"} for last in range(9)]
    assert describe_differences(many, []).endswith("; and 4 more.")


def test_equal_operations_point_to_the_diff() -> None:
    text = describe_differences([PREFIX], [PREFIX])
    assert "or the plan is of another account or zone. The diff shows the objects as they are." in text


def test_odd_operations_of_a_file_are_no_reason_to_fail() -> None:
    assert "unknown" in describe_differences([{"resource": "unknown", "before": None}], [{"key": 7}])

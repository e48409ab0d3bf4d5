# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import (
    differences,
    field_changes,
    flattened,
    rule_name,
    sides,
)

RULE = {"id": "f" * 32, "description": "log in"}


@pytest.mark.parametrize(
    ("key", "obj", "name"),
    [
        ("login", {}, "login"),
        ("login", {"description": "login"}, "login"),
        ("login", {"description": "log in"}, "login (log in)"),
        ("f" * 32, RULE, "log in"),
    ],
)
def test_an_object_has_the_name_that_people_give_it(key: str, obj: dict[str, Any], name: str) -> None:
    assert rule_name(key, obj) == name


def test_nested_fields_have_paths() -> None:
    assert dict(flattened({"a": {"b": 1, "c": {}}, "d": 2})) == {"a.b": 1, "a.c": {}, "d": 2}


def test_empty_values_of_a_new_object_and_its_key_say_nothing() -> None:
    operation = {"key": "192.0.2.7", "before": {"enabled": True}}
    fields = {"prefix": "192.0.2.7", "comment": "", "enabled": False, "note": "x"}
    assert [tuple(change) for change in field_changes({**operation, "fields": fields})] == [
        ("enabled", True, True, False),
        ("note", False, None, "x"),
    ]


def test_an_operation_gets_its_title_and_the_name_of_its_object() -> None:
    update = {"action": "update", "resource": "custom_rule", "key": "login", "fields": {"enabled": True}}
    unknown = {"action": "create", "resource": "thing", "key": 7}
    diff = {"before": {"custom_rules": {"login": {"ref": "login", "description": "log in"}}}}
    rule, thing = differences({"custom_rules": {"operations": [update, unknown], "diff": diff}, "other": {}})
    assert (rule["title"], rule["name"], rule["fields"]) == ("custom rule", "login (log in)", {"enabled": True})
    assert (thing["title"], thing["name"], thing["key"], thing["before"]) == ("thing", "7", "7", {})


def test_a_diff_without_a_collection_has_empty_sides() -> None:
    assert sides({}, "custom_rules") == sides({"before": None}, "custom_rules") == ({}, {})

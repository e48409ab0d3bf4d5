# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.recovery import ExpectedObjects

OFFICE: dict[str, Any] = {"id": "1", "prefix": "192.0.2.0/24", "comment": "office", "excluded": False}
LOGIN: dict[str, Any] = {"id": "1", "ref": "login", "action": "log", "expression": "true", "enabled": True}
ADMIN = {**LOGIN, "id": "2", "ref": "admin"}


@pytest.mark.parametrize(
    "existing", [OFFICE, {**OFFICE, "id": "2", "modified_on": "now"}, {**OFFICE, "excluded": None}]
)
def test_an_equal_object_differs_in_nothing(existing: dict[str, Any]) -> None:
    assert ExpectedObjects(PREFIXES, [OFFICE]).unmet([existing]) == []


@pytest.mark.parametrize(
    ("existing", "text"),
    [
        ([], "prefix 192.0.2.0/24 (id 1) is missing"),
        ([{**OFFICE, "comment": "mine"}], "prefix 192.0.2.0/24 (id 1): comment is 'mine' instead of 'office'"),
        ([{**OFFICE, "tags": ["a"]}], "prefix 192.0.2.0/24 (id 1): tags is ['a'] instead of None"),
        ([OFFICE, {**OFFICE, "id": "2"}], "prefix 192.0.2.0/24 (id 2) is there in addition"),
    ],
)
def test_a_result_names_every_difference(existing: list[dict[str, Any]], text: str) -> None:
    assert ExpectedObjects(PREFIXES, [OFFICE]).unmet(existing) == [text]


def test_a_field_that_a_restore_leaves_out_is_not_compared() -> None:
    assert ExpectedObjects(PREFIXES, [OFFICE], without=["tags"]).unmet([{**OFFICE, "tags": ["a"]}]) == []


def test_an_object_of_others_is_not_compared() -> None:
    other = {**OFFICE, "id": "2", "prefix": "198.51.100.0/24"}
    assert ExpectedObjects(PREFIXES, [OFFICE], lambda obj: obj["id"] == "2").unmet([OFFICE, other]) == []


def test_the_order_counts_in_an_ordered_list_only() -> None:
    assert ExpectedObjects(CUSTOM_RULES, [LOGIN, ADMIN]).unmet([ADMIN, LOGIN]) == [
        "the order of the custom rules differs"
    ]
    prefixes = [OFFICE, {**OFFICE, "id": "2", "prefix": "198.51.100.0/24"}]
    assert ExpectedObjects(PREFIXES, prefixes).unmet(prefixes[::-1]) == []


def test_rules_are_in_order_among_those_that_are_left_alone() -> None:
    rules = {ref: {"ref": ref, "action": "log", "expression": "true"} for ref in ("a", "b", "tf")}
    order = [(ref,) for ref in ("a", "tf", "b")]
    expected = ExpectedObjects(CUSTOM_RULES, [rules["a"], rules["b"]], lambda obj: obj["ref"] == "tf", (), order)
    assert expected.unmet([rules["a"], rules["tf"], rules["b"]]) == []
    assert expected.unmet([rules["tf"], rules["a"], rules["b"]]) == ["the order of the custom rules differs"]
    assert expected.unmet([rules["a"], rules["b"]]) == []

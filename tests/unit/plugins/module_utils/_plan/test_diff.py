# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What differs between an existing object and desired values, and what an update makes of it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import differences, overlay, values_before
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.firewall_rules import FIREWALL_RULES

RULE = {"id": "r", "action": "log", "filter": {"id": "f1", "expression": "a  b", "ref": "x"}}


@pytest.mark.parametrize(
    ("existing", "desired", "changed"),
    [
        ({"prefix": "10.0.0.7/24", "comment": ""}, {"prefix": "10.0.0.0/24"}, {}),
        ({"prefix": "10.0.0.0/24", "comment": "a"}, {"comment": ""}, {"comment": ""}),
        ({"prefix": "10.0.0.0/24", "comment": None}, {"comment": ""}, {}),
        ({"prefix": "10.0.0.0/24"}, {"comment": "", "excluded": False}, {}),
        ({"excluded": True}, {"excluded": False, "comment": "a"}, {"comment": "a", "excluded": False}),
        (None, {"comment": "a"}, {"comment": "a"}),
        ({"comment": "a"}, {}, {}),
    ],
)
def test_values_differ_if_they_are_not_equal_when_normalised(existing: Any, desired: Any, changed: Any) -> None:
    assert differences(PREFIXES.fields, existing, desired) == changed


@pytest.mark.parametrize(
    ("desired", "changed"),
    [
        ({"expression": "a b"}, {}),
        ({"expression": "c", "ref": "x"}, {"expression": "c"}),
        ({"id": "f1", "ref": "y"}, {"ref": "y"}),
        ({"id": "f2"}, {"id": "f2"}),
        ({"id": "f2", "expression": "a b"}, {"id": "f2", "expression": "a b"}),
    ],
)
def test_a_nested_object_shows_only_its_differences(desired: Any, changed: Any) -> None:
    expected = {"filter": changed} if changed else {}
    assert differences(FIREWALL_RULES.fields, RULE, {"filter": desired}) == expected


@pytest.mark.parametrize(
    ("change", "nested"),
    [({"expression": "c"}, {"id": "f1", "expression": "c", "ref": "x"}), ({"id": "f2"}, {"id": "f2"})],
)
def test_an_overlay_keeps_what_it_does_not_name_unless_it_names_another_object(change: Any, nested: Any) -> None:
    assert overlay(FIREWALL_RULES.fields, RULE, {"filter": change}) == {**RULE, "filter": nested}
    assert RULE["filter"] == {"id": "f1", "expression": "a  b", "ref": "x"}


def test_before_has_the_part_of_a_nested_object_that_differs() -> None:
    rule = {"id": "1", "action": "log", "filter": {"id": "f", "expression": "ssl", "future": 1}}
    planned = overlay(FIREWALL_RULES.fields, rule, {"filter": {"expression": "true"}})
    assert values_before(FIREWALL_RULES.fields, rule, planned) == {"filter": {"expression": "ssl"}}
    assert values_before(FIREWALL_RULES.fields, rule, {**rule, "filter": {"id": "g"}}) == {
        "filter": {"id": "f", "expression": "ssl"}
    }
    assert values_before(FIREWALL_RULES.fields, rule, rule) == {}

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists of a plan and the rules that refer to them, as the parts of a host know them."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import CREATION, DELETION, Context
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.lists import (
    informed,
    planned_lists,
    references,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part

OLD, NEW = {"expression": "ip.src in $old"}, {"expression": "ip.src in $new and not ip.src in $old"}


def operation(action: str, before: Any = None, fields: Any = None) -> dict[str, Any]:
    return {"action": action, "before": before or {}, "fields": fields or {}}


@pytest.mark.parametrize(
    ("operations", "changes"),
    [
        ([], {}),
        ([operation("delete", before=OLD)], {"old": -1}),
        ([operation("create", fields=NEW)], {"new": 1, "old": 1}),
        ([operation("update", OLD, NEW)], {"new": 1}),
        ([operation("update", {"description": "$old"}, {"description": "$new"})], {}),
        ([operation("update", {"filter": OLD}, {"filter": {"expression": "true"}})], {"old": -1}),
        ([operation("delete", before={"expression": "ip.src in $cf.malware"})], {}),
        ([operation("delete", before={"expression": 7}), operation("create", fields={"filter": None})], {}),
    ],
)
def test_changed_expressions_count(operations: list[Any], changes: dict[str, int]) -> None:
    assert references({"custom_rules": {"operations": operations}, "account_protection": {}}) == changes


@pytest.mark.parametrize(
    ("step", "check_mode", "is_told"), [(DELETION, True, True), (DELETION, False, False), (CREATION, True, False)]
)
def test_only_the_prediction_of_deletions_is_told(step: str, check_mode: bool, is_told: bool) -> None:
    """A run counts the rules as they are by then."""
    part = Part("ip_lists", {"lists": []}, Context(is_role=True, step=step))
    results: Any = {"ip_lists": {"lists": []}, "custom_rules": {"operations": [operation("delete", before=OLD)]}}
    context = informed(part, results, check_mode).context
    assert (context.references, context.lists) == ({"old": -1} if is_told else {}, {})


@pytest.mark.parametrize("check_mode", [True, False])
def test_rules_know_the_planned_lists(check_mode: bool) -> None:
    result = {"lists": [{"name": "offices", "items": [{"ip": "192.0.2.1"}]}]}
    told = informed(Part("custom_rules", {"rules": []}), {"ip_lists": result}, check_mode)
    assert told.context.lists == {"offices": {"before": ["192.0.2.1"], "after": ["192.0.2.1"]}}


def test_lists_are_known_before_a_plan_and_after_it() -> None:
    kept, gone, new = {"ip": "192.0.2.1"}, {"ip": "192.0.2.2"}, {"ip": "192.0.2.3"}
    commented = {**kept, "comment": "gate"}
    diff = {
        "before": {"items of offices": {"offices 192.0.2.1": kept, "offices 192.0.2.2": gone}},
        "after": {"items of offices": {"offices 192.0.2.1": commented, "offices 192.0.2.3": new}},
    }
    lists = planned_lists({"lists": [{"name": "offices", "items": [commented, new]}], "diff": diff})
    assert {side: sorted(networks) for side, networks in lists["offices"].items()} == {
        "before": ["192.0.2.1", "192.0.2.2"],
        "after": ["192.0.2.1", "192.0.2.3"],
    }
    assert planned_lists({}) == {}

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Restores as plans: the operations between a state and the objects of a snapshot, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import PlanError
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.firewall_rules import FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import host_spec

PREFIX = {"id": "p1", "prefix": "192.0.2.0/24", "comment": "", "excluded": False}
ENTRY = {"id": "1", "prefix": "192.0.2.7/32", "comment": "scanner", "enabled": True}
RULE = {"id": "r1", "ref": "login", "action": "block", "expression": "ssl", "description": "", "enabled": True}
ADMIN = {**RULE, "id": "r2", "ref": "admin"}
FILTERS = [{"id": name, "expression": "tcp.dstport eq 80", "mode": "enabled"} for name in ("f1", "f2")]


def operations(before: dict[str, Any], current: dict[str, Any], **options: Any) -> list[tuple[str, str, Any]]:
    """The plan that makes the state before of the current one; raises PlanError."""
    restored = {"objects": before, "named": {}, "leave_objects": [], "leave_fields": [], **options.pop("restored", {})}
    given = {"account_id": "a", "zone_id": "z", "restored": restored, **options}
    spec = host_spec(given)
    plan = make_plan(current, spec.settled((), current))
    return [
        (item.action, str(item.existing and item.existing.get("id")), dict(item.fields)) for item in plan.operations
    ]


@pytest.mark.parametrize("existing", [ENTRY, {**ENTRY, "id": "2", "modified_on": "now"}, {**ENTRY, "tags": None}])
def test_an_equal_object_is_left_as_it_is(existing: dict[str, Any]) -> None:
    assert operations({ALLOWLIST.plural: [ENTRY]}, {ALLOWLIST.plural: [existing]}) == []


def test_a_collection_has_its_objects_again_and_no_others() -> None:
    changed, other = {**ENTRY, "comment": "mine"}, {**ENTRY, "id": "2", "prefix": "198.51.100.7/32"}
    assert operations({ALLOWLIST.plural: [ENTRY]}, {ALLOWLIST.plural: [changed, other]}) == [
        ("update", "1", {"comment": "scanner"}),
        ("delete", "2", {}),
    ]
    assert operations({ALLOWLIST.plural: []}, {ALLOWLIST.plural: [ENTRY]}) == [("delete", "1", {})]


def test_the_order_counts_in_an_ordered_list() -> None:
    ((action, _identity, fields),) = operations(
        {CUSTOM_RULES.plural: [RULE, ADMIN]}, {CUSTOM_RULES.plural: [ADMIN, RULE]}
    )
    assert (action, fields.keys()) == ("update", {"position"})


def test_fields_that_the_collection_does_not_know_come_back_with_a_rule() -> None:
    before, now = {**RULE, "exposed_credential_check": {"x": 1}}, {**RULE, "future": 2}
    assert operations({CUSTOM_RULES.plural: [before]}, {CUSTOM_RULES.plural: [now]}) == [
        ("update", "r1", {"exposed_credential_check": {"x": 1}, "future": None})
    ]


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({}, False),
        ({"ignore_ids": ["r1"]}, True),
        ({"custom_rules_ignore": ["log*"]}, True),
        ({"network_firewall_rules_ignore": ["log*"]}, False),
        ({"restored": {"leave_objects": ["login"]}}, True),
        ({"restored": {"leave_objects": ["custom rule login"]}}, True),
        ({"restored": {"leave_objects": ["r1"]}}, True),
        ({"restored": {"leave_objects": ["other"]}}, False),
        ({"restored": {"named": {CUSTOM_RULES.plural: [{"ref": "other"}]}}}, True),
    ],
)
def test_objects_of_others_stay_and_those_that_the_restore_shall_leave(options: dict[str, Any], left: bool) -> None:
    state: dict[str, Any] = {CUSTOM_RULES.plural: [RULE]}
    assert (operations({CUSTOM_RULES.plural: []}, state, **options) == []) is left


@pytest.mark.parametrize("exists", [["f1", "f2"], ["f2"], []])
def test_a_duplicate_is_named_once_and_the_other_one_comes_back(exists: list[str]) -> None:
    """The one that still exists, since a plan updates it."""
    current = {"syn_flood_filters": [{**item, "mode": "disabled"} for item in FILTERS if item["id"] in exists]}
    named = "f1" if exists == ["f2"] else "f2"
    with pytest.raises(PlanError, match=rf"\(id {named}\) cannot be brought back: it is a duplicate") as refused:
        operations({"syn_flood_filters": FILTERS}, current)
    assert refused.value.message.count("cannot be brought back") == 1
    rest = operations({"syn_flood_filters": FILTERS}, current, restored={"leave_objects": [named]})
    assert [fields["mode"] for _action, _identity, fields in rest] == ["enabled"]


def test_a_firewall_rule_that_was_deleted_cannot_come_back() -> None:
    rule = {"id": "f" * 32, "action": "block", "filter": {"id": "e" * 32, "expression": "ssl"}}
    with pytest.raises(PlanError, match=f"{'f' * 32} cannot be brought back: it was deleted"):
        operations({FIREWALL_RULES.plural: [rule]}, {FIREWALL_RULES.plural: []})


def test_objects_with_one_unknown_field_are_named_in_one_sentence() -> None:
    prefixes = [{**PREFIX, "id": f"x{number}", "prefix": f"203.0.{number}.0/24", "tags": ["a"]} for number in range(70)]
    with pytest.raises(PlanError, match=r"70 objects cannot be brought back: no option sets its tags\. They") as error:
        operations({"prefixes": prefixes}, {"prefixes": []})
    assert error.value.message.count("cannot be brought back") == 1 and "and 20 more. To" in error.value.message

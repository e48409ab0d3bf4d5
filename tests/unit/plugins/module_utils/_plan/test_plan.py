# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan: each operation's object afterwards, and the state before and after."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    ALLOWLIST,
    PREFIXES,
    STATUS,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES, FIREWALL_RULES

ENTRY = {"id": "1", "prefix": "10.0.0.1", "comment": "a", "x": 1}
SKIP = {"ref": "r", "action": "skip", "action_parameters": {"ruleset": "current"}, "logging": {"enabled": False}}


def test_an_operation_knows_its_object_before_and_after() -> None:
    update = Operation("update", ALLOWLIST, {"comment": "b"}, ENTRY, 0)
    assert update.planned == {**ENTRY, "comment": "b"}
    assert (update.label, update.address) == ("10.0.0.1", "10.0.0.1")
    assert Operation("delete", ALLOWLIST, {}, ENTRY, 0).planned is None
    created = Operation("create", PREFIXES, {"prefix": "10.0.0.0/24"})
    assert (created.planned, created.address) == ({"prefix": "10.0.0.0/24"}, "10.0.0.0/24")
    assert Operation("update", STATUS, {"enabled": True}, {"enabled": False}, 0).address is None


def test_an_operation_knows_the_values_that_change() -> None:
    update = Operation("update", ALLOWLIST, {"comment": "b", "enabled": True}, ENTRY, 0)
    assert update.before == {"comment": "a", "enabled": None}
    assert Operation("delete", ALLOWLIST, {}, ENTRY, 0).before == {"prefix": "10.0.0.1", "comment": "a"}
    assert Operation("create", ALLOWLIST, {"prefix": "10.0.0.2"}).before == {}
    moved = Operation("update", CUSTOM_RULES, {"position": 1}, SKIP, 2)
    assert moved.before == {"position": 3}
    stripped = Operation("update", CUSTOM_RULES, {"action": "block"}, SKIP, 0)
    assert stripped.before == {name: SKIP[name] for name in ("action", "action_parameters", "logging")}


def test_fields_that_the_task_names_stay_when_the_action_changes() -> None:
    fields = {"action": "block"}
    assert Operation("update", CUSTOM_RULES, fields, SKIP, 0).planned == {"ref": "r", "action": "block"}
    named = Operation("update", CUSTOM_RULES, fields, SKIP, 0, named={"ref", "action", "logging"}).planned
    assert named == {"ref": "r", "action": "block", "logging": {"enabled": False}}


def test_the_state_afterwards_has_what_was_returned_and_else_what_is_planned() -> None:
    other = {**ENTRY, "id": "2", "prefix": "10.0.0.2"}
    gone = {**ENTRY, "id": "3", "prefix": "10.0.0.3"}
    update = Operation("update", ALLOWLIST, {"comment": "b"}, ENTRY, 0)
    create = Operation("create", ALLOWLIST, {"prefix": "10.0.0.4/32"})
    plan = Plan(
        {"allowlist": [ENTRY, other, gone], "status": []}, (create, update, Operation("delete", ALLOWLIST, {}, gone, 2))
    )
    assert plan.after() == {"allowlist": [{**ENTRY, "comment": "b"}, other, {"prefix": "10.0.0.4/32"}], "status": []}
    assert plan.after({create: {"id": "4"}})["allowlist"][-1] == {"id": "4"}
    assert plan.before["allowlist"] == [ENTRY, other, gone]


def test_an_ordered_list_is_in_its_order_afterwards() -> None:
    rules = [{"ref": ref, "action": "log"} for ref in "ab"]
    create = Operation("create", CUSTOM_RULES, {"ref": "c", "action": "log", "position": 2})
    plan = Plan({"custom_rules": rules}, (create,), {"custom_rules": [("a",), ("c",), ("b",)]})
    assert [rule["ref"] for rule in plan.after()["custom_rules"]] == ["a", "c", "b"]
    assert "position" not in plan.after()["custom_rules"][1]


def test_objects_that_change_along_are_part_of_the_state_afterwards() -> None:
    rules = [{"id": identity, "action": "log", "filter": {"id": "f", "ref": "old"}} for identity in "12"]
    nested = {"filter": {"id": "f", "ref": "new"}}
    other = Operation("update", FIREWALL_RULES, {}, rules[1], 1, shared=nested)
    update = Operation("update", FIREWALL_RULES, {"filter": {"ref": "new"}}, rules[0], 0, shared=nested, along=(other,))
    assert [rule["filter"]["ref"] for rule in Plan({"firewall_rules": rules}, (update,)).after()["firewall_rules"]] == [
        "new",
        "new",
    ]

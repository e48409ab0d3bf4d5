# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Nested objects that several objects have: merged, and shown in each of them."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.nested import spread_nested, unread_nested
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import FIREWALL_RULES

IDS = [digit * 32 for digit in "1234"]
F, G = "a" * 32, "b" * 32


def rules(*filters: str) -> list[dict[str, Any]]:
    return [
        {"id": identity, "action": "log", "filter": {"id": nested, "expression": nested[0], "paused": False}}
        for identity, nested in zip(IDS, filters)
    ]


def plan(existing: list[dict[str, Any]], *filters: dict[str, Any]) -> Plan:
    entries = [{"id": identity, "filter": item} for identity, item in zip(IDS, filters)]
    return make_plan({"firewall_rules": existing}, [parse_desired(FIREWALL_RULES, numbered("rules", entries))])


def filters_after(made: Plan) -> list[Any]:
    return [rule["filter"] for rule in made.after()["firewall_rules"]]


def test_changes_of_one_nested_object_are_merged_wherever_it_is() -> None:
    made = plan(rules(F, F, G, F), {"expression": "c"}, {"paused": True})
    changed = {"id": F, "expression": "c", "paused": True}
    assert filters_after(made) == [changed, changed, rules(F, F, G)[2]["filter"], changed]
    assert [operation.fields for operation in made.operations] == [
        {"filter": {"expression": "c"}},
        {"filter": {"paused": True}},
    ]
    assert [[other.label for other in operation.along] for operation in made.operations] == [[IDS[3]], []]


def test_a_rule_that_moves_to_another_nested_object_gets_all_of_it() -> None:
    made = plan(rules(F, G), {"id": G})
    assert filters_after(made) == [rules(G)[0]["filter"]] * 2
    assert made.operations[0].along == ()


def test_a_nested_object_with_an_equal_value_keeps_its_spelling() -> None:
    existing = rules(F, G)
    existing[1]["filter"]["expression"] = "x  y"
    made = plan(existing, {"id": G, "expression": "x y", "paused": True})
    assert filters_after(made) == [{"id": G, "expression": "x  y", "paused": True}] * 2


def test_a_rule_that_leaves_a_nested_object_keeps_its_own_values() -> None:
    made = plan(rules(F, F), {"id": G}, {"paused": True})
    assert filters_after(made) == [{"id": G}, {"id": F, "expression": "a", "paused": True}]


def test_objects_without_nested_ones_are_left_alone() -> None:
    existing: list[dict[str, Any]] = [
        {"id": "1", "action": "log", "filter": None},
        {"id": "2", "action": "log"},
        *rules(F),
    ]
    assert filters_after_all(plan(existing, {"paused": True})) == [None, None, True]
    assert spread_nested({Operation("create", ALLOWLIST, {}): {"id": "x"}})


def filters_after_all(made: Plan) -> list[Any]:
    return [(rule.get("filter") or {}).get("paused") for rule in made.after()["firewall_rules"]]


def test_the_last_answer_on_a_nested_object_counts_for_every_object_that_has_it() -> None:
    made = plan(rules(F, F, F), {"expression": "c"}, {"paused": True})
    stale, latest = ({"id": F, "expression": "c", "paused": paused} for paused in (False, True))
    first, second = made.operations
    answers = {first: {**rules(F)[0], "filter": stale}, second: {**rules(F, F)[1], "filter": latest}}
    spread = spread_nested(answers)
    assert [obj["filter"] for obj in spread.values()] == [latest] * 3
    assert [rule["filter"] for rule in made.after(spread)["firewall_rules"]] == [latest] * 3


def test_a_nested_object_that_no_object_has_is_read_and_shown_whole() -> None:
    desired = parse_desired(FIREWALL_RULES, numbered("rules", [{"id": IDS[0], "filter": {"id": G, "paused": True}}]))
    existing = rules(F)
    assert unread_nested(FIREWALL_RULES, desired.objects.values(), existing) == [G]
    assert unread_nested(FIREWALL_RULES, desired.objects.values(), rules(F, G)) == []
    assert unread_nested(ALLOWLIST, [{"prefix": "10.0.0.1"}], []) == []
    other = {"id": G, "expression": "true", "paused": False}
    made = make_plan({"firewall_rules": existing}, [desired], nested={"firewall_rules": [other]})
    assert filters_after(made) == [{**other, "paused": True}]

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Sequence

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import PlanError
from ansible_collections.edgeops.protection.plugins.module_utils._guard.approval import is_rest_of, plan_id
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import (
    numbered,
    parse_desired,
    parse_position,
)
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES, RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.firewall_rules import FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option
from hypothesis import given
from hypothesis import strategies as st

OWNER = {"account_id": "a" * 32}


# Two plans of the same kind, from values so few that both the same and almost the same come about often.
Objects = List[Dict[str, Any]]
SPELLINGS: Mapping[str, Sequence[Sequence[Any]]] = {  # by field; the spellings of one value stand together
    "prefix": [["192.0.2.0/24", "192.0.2.9/24", " 192.0.2.0/24"], ["2001:db8::/32", "2001:DB8:0::/32"]],
    "comment": [[""], ["a"]],
    "excluded": [[True], [False]],
    "scope": [["region"]],
    "name": [["WEUR", "weur"], ["enam"]],
    "mode": [["enabled"], ["monitoring"]],
    "id": [["1" * 32], ["2" * 32], ["3" * 32]],
    "action": [["block"], ["log"], ["skip"]],
    "paused": [[True], [False]],
    "priority": [["", None], [7, "7"]],
    "ref": [["x"], ["y"], ["z"]],
    "expression": [["true"], ["ip.src eq 192.0.2.1", "ip.src  eq 192.0.2.1"]],
}
SHAPES: Mapping[str, tuple[Resource, Sequence[str], Sequence[str]]] = {  # a resource, its key, the rest
    "prefixes": (PREFIXES, ["prefix"], ["comment", "excluded"]),
    "syn_flood_rules": (RULES[0], ["scope", "name"], ["mode"]),
    "firewall_rules": (FIREWALL_RULES, ["id"], ["action", "paused", "priority"]),
    "custom_rules": (CUSTOM_RULES, ["ref"], ["action", "expression"]),
}


def value(draw: st.DrawFn, name: str) -> Any:
    return draw(st.sampled_from(draw(st.sampled_from(SPELLINGS[name]))))


def existing_objects(draw: st.DrawFn, plural: str) -> Objects:
    resource, key, others = SHAPES[plural]
    existing: Objects = []
    for number in range(3 if resource is FIREWALL_RULES else draw(st.integers(0, 2))):
        values = {name: value(draw, name) for name in (*key, *others)}
        if resource is CUSTOM_RULES and values["action"] == "skip":
            values["action_parameters"] = draw(st.sampled_from([{"ruleset": "current"}, {"products": ["waf"]}]))
        if resource is FIREWALL_RULES:
            values["filter"] = {"id": "f" * 32, "expression": value(draw, "expression")}
            values["id"] = SPELLINGS["id"][number][0]
        if resource.key_of(values) not in map(resource.key_of, existing):
            existing.append({"id": f"id-{number}", **values})
    if resource is FIREWALL_RULES:  # Cloudflare never has two versions of one filter
        existing = [{**item, "filter": existing[0]["filter"]} for item in existing[: draw(st.integers(2, 3))]]
    return existing


def desired_entry(draw: st.DrawFn, plural: str) -> dict[str, Any]:
    resource, key, others = SHAPES[plural]
    chosen = [*key, *(name for name in others if draw(st.booleans()))]
    entry = {name: value(draw, name) for name in chosen}
    if resource is CUSTOM_RULES:
        entry = {"action": "block", "expression": "true", **entry}
        entry["action"] = entry["action"].replace("skip", "log")
    if resource is FIREWALL_RULES and draw(st.booleans()):
        entry["filter"] = {"expression": value(draw, "expression")}
    return entry


@st.composite
def plans(draw: st.DrawFn, plural: str) -> Plan:
    """A plan for some existing objects and some desired ones."""
    resource = SHAPES[plural][0]
    existing = existing_objects(draw, plural)
    entries: Objects = []
    positions = {}
    for _number in range(draw(st.integers(1, 2))):
        entry = desired_entry(draw, plural)
        if resource.key_of(entry) not in map(resource.key_of, entries):
            entries.append(entry)
            if resource is CUSTOM_RULES and draw(st.booleans()):
                positions[resource.key_of(entry)] = parse_position("first")
    modes: list[dict[str, Any]] = [{}, {"absent": True}, {"exclusive": True}] if resource.delete else [{}]
    if resource is CUSTOM_RULES:
        modes.remove({"absent": True})
    parsed = parse_desired(resource, numbered("entries", entries), **draw(st.sampled_from(modes)))
    try:
        return make_plan({plural: existing}, [parsed.at_positions(positions)])
    except PlanError:
        return make_plan({plural: []}, [])


def leaves(resource: Resource, obj: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The normalised values of an object, those of a nested one by their paths."""
    for item in resource.fields:
        nested = obj.get(item.name)
        for inner in item.fields if isinstance(nested, dict) else ():
            yield f"{item.name}.{inner.name}", inner.normalised(nested)
        if not item.fields:
            yield item.name, item.normalised(obj)


def effect(plural: str, plan: Plan) -> Any:
    """What a plan does, seen from the states before and after alone: the objects that change, and their order."""
    resource = SHAPES[plural][0]
    sides = [{resource.key_of(item): item for item in state[plural]} for state in (plan.before, plan.after())]
    changes = []
    for key in sides[0].keys() | sides[1].keys():
        one, other = (dict(leaves(resource, side[key])) if key in side else None for side in sides)
        if one != other:
            changes.append((key, str(sides[0].get(key, {}).get("id")), str(one), str(other)))
    orders = [in_order(resource, side) for side in sides]
    return (sorted(changes), orders) if changes or orders[0] != orders[1] else None


def in_order(resource: Resource, objects: Mapping[Any, Mapping[str, Any]]) -> list[Any]:
    """The keys of a list in which order matters, by the vendor's pages on priorities."""
    if resource is not FIREWALL_RULES:
        return list(objects) if resource.is_ordered else []
    actions = ["log", "bypass", "allow", "challenge", "managed_challenge", "js_challenge", "block", "skip"]

    def place(key: Any) -> tuple[bool, int, int]:
        priority = objects[key].get("priority")
        number = priority if isinstance(priority, int) else None
        return (number is None, number or 0, actions.index(objects[key]["action"]))

    return sorted(objects, key=place)


@pytest.mark.parametrize("plural", SHAPES)
@given(data=st.data())
def test_two_plans_have_one_id_exactly_if_they_do_the_same(plural: str, data: st.DataObject) -> None:
    one, other = data.draw(plans(plural)), data.draw(plans(plural))
    assert (plan_id(OWNER, one) == plan_id(OWNER, other)) is (effect(plural, one) == effect(plural, other))
    assert (plan_id(OWNER, one) == "") is (effect(plural, one) is None)
    assert is_rest_of(one, one)


def rules(*refs: str) -> Objects:
    return [{"id": ref, "ref": ref, "action": "block", "expression": "true"} for ref in refs]


def ordered(existing: Objects, position: str) -> str:
    desired = parse_desired(CUSTOM_RULES, [(Option(), {"ref": "new", "action": "log", "expression": "true"})])
    placed = desired.at_positions({("new",): parse_position(position)})
    return plan_id(OWNER, make_plan({"custom_rules": existing}, [placed]))


def test_a_position_counts_by_what_stands_around_it() -> None:
    assert ordered(rules("a", "b"), "first") == ordered(rules("a", "b"), "before a")
    assert ordered(rules("a", "b"), "last") != ordered(rules("a", "b"), "first")
    assert ordered(rules("a", "b"), "before b") != ordered(rules("b", "a"), "before a")
    assert ordered(rules("a", "b"), "last") != ordered(rules("a", "b", "c"), "last")


def changes_of(desired: dict[str, Any], existing: dict[str, Any]) -> Plan:
    return make_plan({"firewall_rules": [existing]}, [parse_desired(FIREWALL_RULES, [(Option(), desired)])])


RULE = {"id": "1" * 32, "action": "log", "filter": {"id": "e" * 32, "expression": "true"}}


@pytest.mark.parametrize(
    ("desired", "existing", "rest"),
    [
        ({}, RULE, True),
        ({}, {**RULE, "action": "block"}, True),
        ({}, {**RULE, "filter": {"id": "e" * 32, "expression": "false"}}, True),
        ({"action": "challenge"}, RULE, False),
        ({"paused": True}, RULE, False),
        ({}, {**RULE, "action": "allow"}, False),
        ({}, {**RULE, "filter": {"id": "d" * 32, "expression": "true"}}, False),
        ({}, {**RULE, "filter": {"id": "e" * 32, "expression": "ssl"}}, False),
        ({}, {**RULE, "description": "of somebody else"}, False),
        ({}, {**RULE, "future": 1}, False),
        ({"filter": {"expression": "true"}}, RULE, False),  # with half of what was approved, it is another rule
    ],
)
def test_the_rest_of_a_plan_ends_as_the_plan_does(
    desired: dict[str, Any], existing: dict[str, Any], rest: bool
) -> None:
    approved = {"id": "1" * 32, "action": "block", "filter": {"expression": "false"}}
    whole = changes_of(approved, RULE)
    assert is_rest_of(changes_of({**approved, **desired}, existing), whole) is rest


def test_another_order_is_not_the_rest_of_a_plan() -> None:
    task = parse_desired(CUSTOM_RULES, [(Option(), {"ref": "a", "action": "log", "expression": "true"})])
    one, other = (make_plan({"custom_rules": rules(*refs)}, [task]) for refs in ("ab", "ba"))
    assert is_rest_of(one, one)
    assert not is_rest_of(other, one)


SKIP = {"action": "skip", "action_parameters": {"ruleset": "current"}}


@pytest.mark.parametrize("change", [SKIP, {"expression": "ssl"}, {"future": {"by": "somebody"}}], ids=str)
def test_an_approved_switch_belongs_to_the_rule_that_was_approved(change: dict[str, Any]) -> None:
    task = parse_desired(CUSTOM_RULES, [(Option(), {"ref": "a", "enabled": True})])
    (rule,) = rules("a")
    disabled = {**rule, "enabled": False}
    ids = [plan_id(OWNER, make_plan({"custom_rules": [obj]}, [task])) for obj in (disabled, {**disabled, **change})]
    assert ids[0] != ids[1]


def test_a_rule_that_changes_along_counts_as_a_whole() -> None:
    condition = {"id": "e" * 32, "expression": "true"}
    task = parse_desired(FIREWALL_RULES, [(Option(), {"id": "1" * 32, "filter": {"expression": "false"}})])
    ids = set()
    for action in ("block", "allow"):
        existing: Objects = [
            {"id": "1" * 32, "action": "log", "filter": condition},
            {"id": "2" * 32, "action": action, "filter": condition},
        ]
        ids.add(plan_id(OWNER, make_plan({"firewall_rules": existing}, [task])))
    assert len(ids) == 2

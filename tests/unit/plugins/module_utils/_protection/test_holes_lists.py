# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What items of lists take from the rules that refer to them; tests/functional/test_report_lists.py has more of them."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import Desired, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._protection.list_holes import (
    MOST_JUDGED,
    unmanaged_items,
    unmanaged_lists,
    weaker_lists,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import LISTS, items_of
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

ITEMS = items_of("office")
RULES = [
    {"ref": "pass", "action": "skip", "expression": "ip.src in $office", "action_parameters": {"ruleset": "current"}},
    {"ref": "wall", "action": "block", "expression": "ip.src in {192.0.2.0/24}"},
]


def state_of(*addresses: str, rules: Any = None, **fields: Any) -> dict[str, Any]:
    office = {"id": "c", "name": "office", "kind": "ip", "num_referencing_filters": 1, **fields}
    items = [{"ip": ip, "modified_on": "2026-11-20T00:00:00Z"} for ip in addresses]
    return {LISTS.plural: [office], ITEMS.plural: items, "network_firewall_rules": RULES if rules is None else rules}


def desired_of(*addresses: str) -> list[Desired]:
    items = [(Option("items", index), {"ip": ip}) for index, ip in enumerate(addresses)]
    return [parse_desired(LISTS, [(Option(), {"name": "office"})]), parse_desired(ITEMS, items)]


def test_an_item_is_a_hole_unless_named_items_have_its_addresses() -> None:
    desired = desired_of("192.0.2.0/28")
    (record,) = unmanaged_lists(desired, state_of("192.0.2.0/28", "192.0.2.9", "192.0.2.99"))
    assert record == {
        "resource": "ip_list_item",
        "key": "office 192.0.2.99",
        "weakens": True,
        "reason": "lets packets pass that Network Firewall rule wall would stop, by the Network Firewall rule pass",
        "since": "2026-11-20T00:00:00Z",
    }
    assert [item["ip"] for item in unmanaged_items(desired[1], state_of("192.0.2.0/28", "192.0.2.9"))] == ["192.0.2.9"]


def test_many_items_are_judged_together() -> None:
    many = [f"192.0.2.{number}" for number in range(MOST_JUDGED + 1)]
    records = unmanaged_lists(desired_of(), state_of(*many))
    assert {record["weakens"] for record in records} == {None}
    assert len(records) == len(many)
    assert unmanaged_lists(desired_of(), state_of(*many, rules=RULES[1:], num_referencing_filters=0)) == []


def test_a_list_of_another_kind_is_not_judged() -> None:
    desired = [parse_desired(LISTS, [])]
    assert unmanaged_lists(desired, state_of(kind="hostname")) == []
    assert [record["key"] for record in unmanaged_lists(desired, state_of())] == ["office"]


def test_a_plan_that_takes_items_from_a_skip_mends_a_weaker_list() -> None:
    (record,) = weaker_lists(state_of("192.0.2.9"), state_of())
    assert (record["key"], record["certain"]) == ("office", True)
    assert record["reason"].startswith("has 192.0.2.9, otherwise than described, and lets packets pass")
    assert weaker_lists(state_of(), state_of("192.0.2.9")) == []

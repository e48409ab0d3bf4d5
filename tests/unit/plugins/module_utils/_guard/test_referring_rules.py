# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which rules are known of those that refer to the lists of a plan."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ErrorDetails, ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._guard.surroundings import (
    unread_rules,
    with_referring_rules,
)
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import items_of

ITEMS = items_of("office")
SKIP = {"ref": "pass", "action": "skip", "expression": "ip.src in $office"}
REFUSAL = ServiceError("No permission.", ErrorDetails(method="GET", path="", status=403, errors=[], ray=None), False)


class Reading:
    """A client of an account whose Network Firewall, and one zone, have a rule for a list; or that may not ask."""

    def __init__(self, refused: bool = False, rule: Any = None) -> None:
        self.asked: list[str] = []
        self._refused, self._rule = refused, rule or SKIP

    def within(self, owner: Any) -> Reading:
        assert owner == {"zone_id": "b" * 32}
        return self

    def read(self, resource: Any) -> list[Any]:
        self.asked.append(resource.plural)
        if self._refused:
            raise REFUSAL
        return [self._rule]


def plan_of(action: str = "create", **fields: Any) -> Plan:
    office = {"id": "c", "name": "office", "kind": "ip", **fields}
    existing = None if action == "create" else {"id": "d", "ip": "192.0.2.1"}
    operations = (Operation(action, ITEMS, {"ip": "192.0.2.1", "comment": "gate"}, existing, 0 if existing else None),)
    return Plan({"ip_lists": [office], ITEMS.plural: [existing] if existing else []}, operations)


def known(plan: Plan, client: Any, judged: frozenset[str] = frozenset(), zone: str = "") -> Plan:
    return with_referring_rules(plan, judged, zone, client)


@pytest.mark.parametrize(
    ("plan", "asked"),
    [
        (plan_of(num_referencing_filters=1), ["network_firewall_rules"]),
        (plan_of("delete", num_referencing_filters=1), ["network_firewall_rules"]),
        (plan_of(), ["network_firewall_rules"]),
        (plan_of(num_referencing_filters=0), []),
        (plan_of("update", num_referencing_filters=1), []),
    ],
)
def test_rules_are_read_if_items_change_that_they_may_refer_to(plan: Plan, asked: list[str]) -> None:
    client = Reading()
    rules = known(plan, client).before
    assert client.asked == asked
    assert rules.get("network_firewall_rules") == ([SKIP] if asked else None)


def test_rules_are_read_of_lists_that_are_judged_and_of_a_zone() -> None:
    client = Reading()
    plan = known(plan_of("update"), client, frozenset(["office"]), "b" * 32)
    assert plan.before["custom_rules"] == [SKIP]
    assert client.asked == ["network_firewall_rules", "custom_rules"]


def test_rules_that_refer_to_no_such_list_are_left_out() -> None:
    plan = plan_of()
    assert known(plan, Reading(rule={**SKIP, "expression": "ip.src in $shops"})) is plan


def test_rules_that_cannot_be_read_are_told_of_a_change() -> None:
    told = unread_rules(known(plan_of(), Reading(refused=True)))
    assert (
        "Whether Network Firewall rules would let more pass, or stop more, with the new items of office is not" in told
    )
    assert told.endswith("No permission.")
    assert unread_rules(known(plan_of("update"), Reading(refused=True), frozenset(["office"]))) == ""

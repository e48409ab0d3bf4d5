# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is known of the lists that the rules of a plan refer to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ErrorDetails, ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._guard.surroundings import (
    unread_lists,
    with_named_lists,
)
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import contents_in
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

ACCOUNT = "a" * 32
REFUSAL = ServiceError("No permission.", ErrorDetails(method="GET", path="", status=403, errors=[], ray=None), False)


class Reading:
    """A client of a zone, whose account has the list office, or may not be asked for it."""

    def __init__(self, zone: Mapping[str, Any], refusal: ServiceError | None = None) -> None:
        self.owner = {"zone_id": "b" * 32}
        self._zone, self._refusal = zone, refusal

    def within(self, owner: Mapping[str, str]) -> Reading:
        assert owner == {"account_id": ACCOUNT}
        return self

    def read(self, resource: Any) -> list[Mapping[str, Any]]:
        if resource.name == "zone":
            return [self._zone]
        if self._refusal:
            raise self._refusal
        office = {"id": "c", "name": "office", "kind": "ip"}
        return [{"ip": "192.0.2.0/25"}, {"ip": "192.0.2.128/25"}] if resource.within else [office]


def plan_of(expression: str, was: str = "") -> Plan:
    rule = {"ref": "a", "action": "block", "expression": expression}
    existing = [{"id": "b" * 32, **rule, "expression": was}] if was else []
    return make_plan({"custom_rules": existing}, [parse_desired(CUSTOM_RULES, [(Option(), rule)])])


def read(expression: str, known: Mapping[str, Any] | None = None, was: str = "", **reading: Any) -> Plan:
    client: Any = Reading(**{"zone": {"account": {"id": ACCOUNT}}, **reading})
    return with_named_lists(plan_of(expression, was), known or {}, client)


OFFICE = {"office": [(3221225984, 3221226239)]}
GATE = {"office": [(3221225985, 3221225985)]}


def test_lists_of_the_account_of_a_zone_are_read() -> None:
    assert contents_in(read("ip.src in $office").after()) == OFFICE


def test_planned_lists_are_not_read() -> None:
    plan = read("ip.src in $office", {"office": ["192.0.2.1", "nowhere"], "other": []}, refusal=REFUSAL)
    assert (contents_in(plan.before), contents_in(plan.after())) == ({}, GATE)


def test_a_list_that_rules_refer_to_already_is_known_as_the_account_has_it() -> None:
    plan = read("ip.src in $office", {"office": ["192.0.2.1"]}, was="ssl and ip.src in $office")
    assert (contents_in(plan.before), contents_in(plan.after())) == (OFFICE, GATE)


def test_a_list_that_is_known_before_and_after_is_not_read() -> None:
    sides = {"before": ["192.0.2.0/24"], "after": ["192.0.2.1"]}
    plan = read("ip.src in $office", {"office": sides}, was="ssl and ip.src in $office", refusal=REFUSAL)
    assert (contents_in(plan.before), contents_in(plan.after())) == (OFFICE, GATE)


def test_nothing_is_read_if_rules_refer_to_no_list() -> None:
    assert read("ip.src in {192.0.2.1}", refusal=REFUSAL).unread == {}


@pytest.mark.parametrize(
    ("reading", "reason"),
    [({"refusal": REFUSAL}, "No permission."), ({"zone": {"account": None}}, "None is not a text")],
)
def test_a_list_that_cannot_be_read_is_told(reading: dict[str, Any], reason: str) -> None:
    plan = read("ip.src in $office", **reading)
    assert contents_in(plan.after()) == {}
    told = unread_lists(plan)
    assert "What the lists office hold is not known: " in told
    assert reason in told


def test_a_list_that_no_changed_rule_names_needs_no_warning() -> None:
    assert unread_lists(replace(plan_of("ip.src in $shops"), unread={"items of office": "x"})) == ""

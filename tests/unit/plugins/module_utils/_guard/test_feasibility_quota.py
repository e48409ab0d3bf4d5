# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which plans a zone takes, by the quota of its plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._guard.feasibility import (
    check_quota,
    exceeded_quota,
    may_exceed_quota,
)
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Object, Resource
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES

BLOCK = {"action": "block", "expression": "ip.src eq 192.0.2.1"}
LOG = {"action": "log", "expression": 'http.host eq "a ~ b matches c"'}
REGEX = {"action": "block", "expression": 'http.host matches "a"'}
TO_DO = ". Remove what is too much, or choose another plan for the zone."


def zone(plan: Any) -> dict[str, Any]:
    return {"id": "5" * 32, "plan": {"legacy_id": plan}}


def growing(before: int, more: Sequence[dict[str, Any]], existing: dict[str, Any] | None = None) -> Plan:
    """A plan that adds rules to a zone that has so many equal ones."""
    rules = [{"ref": f"r{number}", **(existing or BLOCK)} for number in range(before)]
    added = [Operation("create", CUSTOM_RULES, {"ref": f"n{number}", **rule}) for number, rule in enumerate(more)]
    order = [CUSTOM_RULES.key_of(rule) for rule in [*rules, *(item.fields for item in added)]]
    return Plan({"custom_rules": rules}, tuple(added), {"custom_rules": order})


@pytest.mark.parametrize(("plan", "most"), [("free", 5), ("pro", 20), ("business", 100), ("enterprise", 1000)])
def test_a_zone_takes_as_many_rules_as_its_plan_says(plan: str, most: int) -> None:
    fits, exceeds = growing(most - 1, [BLOCK]), growing(most - 1, [BLOCK, BLOCK])
    assert exceeded_quota(fits, zone(plan)) == ""
    reason = f"it takes {most} custom rules, and {most + 1} would be there"
    assert exceeded_quota(exceeds, zone(plan)) == f"The zone has the plan {plan.capitalize()}: {reason}{TO_DO}"
    assert [may_exceed_quota(item) for item in (fits, exceeds)] == [False, True]


@pytest.mark.parametrize(
    ("rule", "plan", "reason"),
    [
        (LOG, "free", "it has not the action log, which is in n0"),
        (LOG, "business", "it has not the action log, which is in n0"),
        (LOG, "enterprise", ""),
        (REGEX, "pro", "it has not the operator matches, which is in n0"),
        ({**BLOCK, "expression": 'http.host ~ "a"'}, "free", "it has not the operator matches, which is in n0"),
        (REGEX, "business", ""),
        ({**LOG, "action": "block"}, "free", ""),
        ({**BLOCK, "expression": 'http.host matches "'}, "free", ""),
    ],
)
def test_features_of_some_plans_are_refused_on_others(rule: dict[str, Any], plan: str, reason: str) -> None:
    expected = f"The zone has the plan {plan.capitalize()}: {reason}{TO_DO}" if reason else ""
    assert exceeded_quota(growing(1, [rule]), zone(plan)) == expected


@pytest.mark.parametrize(
    "plan",
    [
        growing(3, [BLOCK, BLOCK]),
        growing(6, []),
        growing(6, [BLOCK]),
        growing(1, [LOG], existing=LOG),
        growing(1, [REGEX], existing=REGEX),
        Plan({"custom_rules": [{"ref": "a", **LOG}]}, (Operation("delete", CUSTOM_RULES, {}, {"ref": "a", **LOG}, 0),)),
        Plan({"prefixes": []}, (Operation("create", PREFIXES, {"prefix": "192.0.2.0/24"}),)),
    ],
)
def test_a_plan_that_any_zone_takes_beside_what_it_has_needs_no_quota(plan: Plan) -> None:
    assert not may_exceed_quota(plan)


@pytest.mark.parametrize("shown", [{}, {"plan": None}, {"plan": "free"}, zone("partners"), zone(None), zone(["free"])])
def test_the_quota_of_an_unknown_plan_is_unknown(shown: dict[str, Any]) -> None:
    assert exceeded_quota(growing(5, [BLOCK]), shown) is None


def test_the_zone_is_read_only_if_its_quota_matters() -> None:
    resources: list[Resource] = []

    def read(resource: Resource) -> Sequence[Object]:
        resources.append(resource)
        return [zone("free")]

    assert check_quota(growing(1, [BLOCK]), read) == ("", "")
    assert resources == []
    assert check_quota(growing(5, [BLOCK]), read).refused.startswith("The zone has the plan Free: it takes 5 custom")
    assert [resource.name for resource in resources] == ["zone"]


def test_a_quota_that_cannot_be_read_is_unknown() -> None:
    def refuse(resource: Resource) -> Sequence[Object]:
        details: Any = {"method": "GET", "path": "/zones/1", "status": 403, "errors": [], "ray": None}
        raise ServiceError("Not allowed.", details, False)

    assert check_quota(growing(5, [BLOCK]), refuse) == ("", "The quota of the zone is not checked: Not allowed.")
    unknown = check_quota(growing(5, [BLOCK]), lambda resource: [zone("partners")])
    assert unknown == ("", "The quota of the zone's plan is not known.")

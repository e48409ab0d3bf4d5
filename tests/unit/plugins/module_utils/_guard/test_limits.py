# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The limits of a task: their defaults, their bounds, and which modules take them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionErrors
from ansible_collections.edgeops.protection.plugins.module_utils._guard.limits import (
    CODES,
    HIGHEST,
    LIST_CODES,
    Limits,
    exceeded_quota,
    limit_options,
    may_exceed_quota,
    parse_limits,
)
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES
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


def test_what_the_options_leave_out_has_its_default() -> None:
    assert parse_limits({}) == Limits() == parse_limits(dict.fromkeys(HIGHEST))
    assert parse_limits({"max_allowlist_entries": 0, "other": 7}) == Limits(max_allowlist_entries=0)
    assert parse_limits({"min_monitoring_hours": 1.5}).monitoring == timedelta(minutes=90)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, -1) for name in HIGHEST),
        *((name, highest + 1) for name, highest in HIGHEST.items()),
        ("min_monitoring_hours", float("nan")),
        ("min_monitoring_hours", float("inf")),
    ],
)
def test_a_limit_beyond_its_bounds_is_refused_with_all_others(name: str, value: Any) -> None:
    other = next(item for item in HIGHEST if item != name)
    with pytest.raises(OptionErrors) as caught:
        parse_limits({name: value, other: -5})
    assert f"{name}: {value} is not between 0 and {HIGHEST[name]}" in caught.value.message
    assert f"{other}: -5 is not between" in caught.value.message


@pytest.mark.parametrize(("name", "highest"), HIGHEST.items())
def test_a_limit_may_be_at_its_bounds(name: str, highest: int) -> None:
    assert [getattr(parse_limits({name: value}), name) for value in (0, highest)] == [0, highest]


@pytest.mark.parametrize(
    ("codes", "names"),
    [(CODES, ["accept_risks", *HIGHEST]), (LIST_CODES, ["accept_risks", "max_deletions_percent"])],
)
def test_a_module_takes_the_limits_of_its_risks(codes: Any, names: list[str]) -> None:
    options = limit_options(codes)
    assert list(options) == names
    assert options["max_deletions_percent"] == {"type": "int", "default": 30}
    assert options.get("min_monitoring_hours", {"type": "float", "default": 4.0}) == {"type": "float", "default": 4.0}


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
def test_what_only_some_plans_have(rule: dict[str, Any], plan: str, reason: str) -> None:
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

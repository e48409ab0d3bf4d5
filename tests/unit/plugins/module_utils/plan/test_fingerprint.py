# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any, Sequence

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils.plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils.plan.fingerprint import plan_id
from ansible_collections.edgeops.protection.plugins.module_utils.plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils.schema.account import PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils.schema.zone import FIREWALL_RULES

OWNER = {"account_id": "a" * 32}
EXISTING = {"id": "1", "prefix": "192.0.2.0/24", "comment": "old", "excluded": False}


def identity(
    desired: list[dict[str, Any]],
    existing: Sequence[dict[str, Any]] = (EXISTING,),
    owner: dict[str, str] | None = None,
    exclusive: bool = False,
) -> str:
    parsed = parse_desired(PREFIXES, numbered("prefixes", desired), exclusive=exclusive)
    return plan_id(owner or OWNER, make_plan({"prefixes": list(existing)}, [parsed]))


CHANGE = [{"prefix": "192.0.2.0/24", "comment": "new"}]


def test_a_plan_that_does_nothing_has_no_id() -> None:
    assert identity([{"prefix": "192.0.2.0/24", "comment": "old"}]) == ""


@pytest.mark.parametrize(
    ("desired", "existing"),
    [
        ([{"prefix": "192.0.2.7/24", "comment": "new"}], [EXISTING]),
        ([{"comment": "new", "prefix": " 192.0.2.0/24 "}], [dict(reversed(EXISTING.items()))]),
        (CHANGE, [{**EXISTING, "modified_on": "2026-01-01T00:00:00Z"}]),
        (CHANGE, [EXISTING, {"id": "2", "prefix": "203.0.113.0/24"}]),
    ],
)
def test_plans_that_do_the_same_have_one_id(desired: list[dict[str, Any]], existing: Sequence[dict[str, Any]]) -> None:
    assert identity(desired, existing) == identity(CHANGE)


@pytest.mark.parametrize(
    "other",
    [
        {"desired": [{"prefix": "192.0.2.0/24", "comment": "newer"}]},
        {"desired": [{"prefix": "192.0.2.0/24", "excluded": True}]},
        {"desired": CHANGE, "existing": [{**EXISTING, "comment": "older"}]},
        {"desired": CHANGE, "existing": [{**EXISTING, "id": "2"}]},
        {"desired": CHANGE, "existing": []},
        {"desired": CHANGE, "owner": {"account_id": "b" * 32}},
        {"desired": CHANGE, "owner": {"zone_id": "a" * 32}},
        {"desired": [], "exclusive": True},
    ],
    ids=str,
)
def test_plans_that_do_something_else_have_another_id(other: dict[str, Any]) -> None:
    assert identity(**other) not in ("", identity(CHANGE))


def test_nested_objects_count_by_their_normalised_values() -> None:
    existing = {"id": "f" * 32, "action": "block", "filter": {"id": "e" * 32, "expression": "ip.src  eq 192.0.2.1"}}
    desired = {"id": "F" * 32, "filter": {"expression": "ip.src eq 192.0.2.2"}}
    other = {"id": "f" * 32, "filter": {"expression": "ip.src  eq  192.0.2.2"}}
    ids = {
        plan_id({}, make_plan({"firewall_rules": [existing]}, [parse_desired(FIREWALL_RULES, [("", rule)])]))
        for rule in (desired, other)
    }
    assert len(ids) == 1

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a risk is, and how results show one that was found."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.base import (
    Change,
    Finding,
    FoundRisk,
    Limit,
    Limits,
    entries_of,
    entry_of,
    risk,
)
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES, RULES
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import range_of, union


def test_a_risk_is_shown_with_its_networks_and_entries() -> None:
    ranges = union(filter(None, map(range_of, ["192.0.2.0/25", "192.0.2.128/25"])))
    assert FoundRisk(
        "empties_list", "Nothing is left.", ranges, [entry_of(PREFIXES, {"prefix": "192.0.2.0/25"})], "agreed"
    ).record() == {
        "code": "empties_list",
        "message": "Nothing is left.",
        "networks": ["192.0.2.0/24"],
        "addresses": "256 IPv4 addresses",
        "entries": ["192.0.2.0/25"],
        "reason": "agreed",
    }


MOST = Limit("max_names", 3, 10, ("The most names.",))
CHANGE = Change(Plan({}, ()), Coverage({}), Coverage({}))


@risk("The plan would have more than O(max_names) names.", MOST)
def has_names(change: Change, limits: Limits) -> Finding | None:
    return Finding("It has 5 names.", [], []) if limits[MOST] < 5 else None


def test_a_risk_is_found_by_the_limits_of_the_task() -> None:
    assert has_names.in_change(CHANGE, Limits()) == FoundRisk("has_names", "It has 5 names.", [], [])
    assert has_names.in_change(CHANGE, Limits({"max_names": 5})) is None


def test_operations_are_named_by_their_objects() -> None:
    rule = {"scope": "region", "name": "weur"}
    created, removed = (
        Operation("create", RULES[0], rule),
        Operation("delete", PREFIXES, {}, {"prefix": "192.0.2.1"}, 0),
    )
    assert entries_of([created, removed]) == [
        (RULES[0], RULES[0].key_of({"scope": "region", "name": "WEUR"}), "syn_flood region weur"),
        (PREFIXES, PREFIXES.key_of({"prefix": "192.0.2.1/32"}), "192.0.2.1"),
    ]

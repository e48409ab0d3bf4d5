# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The diff and the operations that a module returns of a plan."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._messages import Option
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._result import (
    add_orders,
    add_to_diff,
    expired_records,
    expiry_warnings,
    make_diff,
    operation_records,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, STATUS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES, FIREWALL_RULES

ENTRY = {"id": "1", "prefix": "10.0.0.1", "comment": "a", "x": 1}
NOTHING: Any = {"before": {}, "after": {}}


def update(comment: str, existing: Any) -> Operation:
    return Operation("update", ALLOWLIST, {"comment": comment}, existing, 0)


def test_records_have_what_is_sent() -> None:
    assert operation_records([update("b", ENTRY)]) == [
        {"action": "update", "resource": "allowlist_entry", "key": "10.0.0.1", "fields": {"comment": "b"}}
    ]


def test_what_expired_is_listed_and_warned_of_where_it_is_gone_already() -> None:
    desired = [parse_desired(ALLOWLIST, [(Option("entries", 0), {"prefix": "10.0.0.1", "expires": "2027-01-29"})])]
    gone = Plan({"allowlist": []}, ())
    deleting = Plan({"allowlist": [ENTRY]}, (Operation("delete", ALLOWLIST, {}, ENTRY, 0),))
    after = [item.at(datetime(2027, 2, 1, tzinfo=timezone.utc)) for item in desired]
    assert expired_records(after) == [
        {"resource": "allowlist_entry", "key": "10.0.0.1/32", "expires": "2027-01-30T00:00:00+00:00"}
    ]
    assert not (expiry_warnings(after, deleting) or expired_records(desired) or expiry_warnings(desired, gone))
    (warning,) = expiry_warnings(after, gone)
    assert warning.startswith("entries[0].expires: allowlist entry 10.0.0.1/32 expired at 2027-01-30T00:00:00+00:00")
    (warning,) = expiry_warnings([item.at(None) for item in desired], gone)
    assert "is not known" in warning


def test_a_diff_has_the_managed_fields_of_what_changes_by_key() -> None:
    status = Operation("update", STATUS, {"enabled": True}, {"enabled": False}, 0)
    gone = {**ENTRY, "id": "2", "prefix": "10.0.0.0/8"}
    created = Operation("create", ALLOWLIST, {"prefix": "10.0.0.9/32", "comment": ""})
    assert make_diff([status, created, update("b", ENTRY), Operation("delete", ALLOWLIST, {}, gone, 1)]) == {
        "before": {
            "allowlist": {
                "10.0.0.0/8": {"prefix": "10.0.0.0/8", "comment": "a"},
                "10.0.0.1": {"prefix": "10.0.0.1", "comment": "a"},
            },
            "status": {"enabled": False},
        },
        "after": {
            "allowlist": {
                "10.0.0.1": {"prefix": "10.0.0.1", "comment": "b"},
                "10.0.0.9/32": {"prefix": "10.0.0.9/32", "comment": ""},
            },
            "status": {"enabled": True},
        },
    }


def test_duplicates_are_told_apart_by_their_ids() -> None:
    duplicates = [Operation("delete", ALLOWLIST, {}, {**ENTRY, "id": identity}, 0) for identity in "21"]
    assert list(make_diff(duplicates)["before"]["allowlist"]) == ["10.0.0.1", "10.0.0.1 (id 2)"]


def test_an_object_that_changes_in_two_plans_is_shown_once_from_before_the_first_to_after_the_last() -> None:
    diff = make_diff([update("b", ENTRY), update("c", {**ENTRY, "comment": "b"})])
    assert [diff[side]["allowlist"]["10.0.0.1"]["comment"] for side in ("before", "after")] == ["a", "c"]
    assert len(diff["after"]["allowlist"]) == 1


def test_objects_that_change_along_are_shown_and_are_no_operations() -> None:
    rules = [{"id": identity, "filter": {"id": "f", "ref": "old"}} for identity in "12"]
    shared = {"filter": {"id": "f", "ref": "new"}}
    other = Operation("update", FIREWALL_RULES, {}, rules[1], 1, shared=shared)
    operation = Operation(
        "update", FIREWALL_RULES, {"filter": {"ref": "new"}}, rules[0], 0, shared=shared, along=(other,)
    )
    assert list(make_diff([operation])["after"]["firewall_rules"].values()) == [
        {"id": identity, **shared} for identity in "12"
    ]
    assert len(operation_records([operation])) == 1


@pytest.mark.parametrize(("after", "shown"), [("ab", False), ("ba", True), ("abc", True)])
def test_the_order_of_a_list_is_shown_where_it_changes(after: str, shown: bool) -> None:
    before, afterwards = ({"custom_rules": [{"ref": ref} for ref in refs]} for refs in ("ab", after))
    diff = add_orders(make_diff([]), [ALLOWLIST, CUSTOM_RULES], before, afterwards)
    orders = {"before": {"custom_rules_order": ["a", "b"]}, "after": {"custom_rules_order": list(after)}}
    assert diff == (orders if shown else NOTHING)


def test_a_section_is_added_with_what_differs() -> None:
    assert add_to_diff(NOTHING, "coverage", {"a": 1, "b": 2}, {"a": 1, "b": 3}) == {
        "before": {"coverage": {"b": 2}},
        "after": {"coverage": {"b": 3}},
    }
    assert add_to_diff(NOTHING, "coverage", {"a": 1}, {"a": 1}) == NOTHING

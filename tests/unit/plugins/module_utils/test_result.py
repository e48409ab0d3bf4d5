# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The diff and the operations that a module returns of a plan."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._apply.executor import BrokenOff
from ansible_collections.edgeops.protection.plugins.module_utils._errors import PlanError
from ansible_collections.edgeops.protection.plugins.module_utils._guard.acceptance import parse_acceptances
from ansible_collections.edgeops.protection.plugins.module_utils._guard.check import check_plan
from ansible_collections.edgeops.protection.plugins.module_utils._guard.checked import Checked
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.declaration import Limits
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import ALL_RISKS, CODES
from ansible_collections.edgeops.protection.plugins.module_utils._guard.terms import Terms
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.rollout import Planned
from ansible_collections.edgeops.protection.plugins.module_utils._result import (
    add_orders,
    add_to_diff,
    failure_of,
    make_diff,
    operation_records,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, PREFIXES, STATUS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.firewall_rules import FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option
from ansible_collections.edgeops.protection.plugins.module_utils._warnings import plan_warnings

from tests.support.coverage_model import account_state

NOON = datetime(2026, 1, 2, 12, tzinfo=timezone.utc)
PREFIX = {"id": "1", "prefix": "192.0.2.0/24", "excluded": False}
CREATED = Operation("create", PREFIXES, {"prefix": "10.0.0.0/8"})
ENTRY = {"id": "1", "prefix": "10.0.0.1", "comment": "a", "x": 1}
AGAIN = " Run the task again when the cause is gone: it reads first, and does only what is left."
NOTHING: Any = {"before": {}, "after": {}}


def update(comment: str, existing: Any) -> Operation:
    return Operation("update", ALLOWLIST, {"comment": comment}, existing, 0)


def test_records_have_what_is_sent() -> None:
    assert operation_records([update("b", ENTRY)]) == [
        {
            "action": "update",
            "resource": "allowlist_entry",
            "key": "10.0.0.1",
            "fields": {"comment": "b"},
            "before": {"comment": "a"},
        }
    ]


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


def test_an_object_in_two_plans_is_shown_once() -> None:
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
    assert add_to_diff({"before": {}, "after": {}}, "coverage", {"a": 1, "b": 2}, {"a": 1, "b": 3}) == {
        "before": {"coverage": {"b": 2}},
        "after": {"coverage": {"b": 3}},
    }
    assert add_to_diff(NOTHING, "coverage", {"a": 1}, {"a": 1}) == NOTHING


def plan(*operations: Operation) -> Plan:
    return Plan(account_state(prefixes=[PREFIX]), operations)


def check(plan_: Plan, accepted: Any = (), now: datetime | None = NOON) -> Checked:
    return check_plan(
        Planned(plan_),
        Terms(Limits(), parse_acceptances(Option("accept_risks"), accepted, CODES), risks=ALL_RISKS),
        now,
    )


def test_an_acceptance_whose_end_is_not_known_is_warned_of() -> None:
    expiring = check(plan(), [{"code": "mass_deletion", "expires": "2099-01-01"}], now=None)
    assert plan_warnings(expiring) == [
        "accept_risks[0]: whether it expired (2099-01-02T00:00:00+00:00) is not known, since Cloudflare does not tell "
        "its time."
    ]


@pytest.mark.parametrize(
    ("done", "left", "unknown", "sentence"),
    [
        (0, 3, 0, ""),
        (0, 0, 1, "Whether 1 operation was applied is not known."),
        (0, 0, 3, "Whether 3 operations were applied is not known."),
        (0, 2, 1, "0 of 3 operations are done, 2 are left; whether 1 other was applied is not known."),
        (1, 0, 0, "1 of 1 operation is done."),
        (1, 1, 0, "1 of 2 operations is done, 1 is left."),
        (2, 0, 1, "2 of 3 operations are done; whether 1 other was applied is not known."),
        (2, 3, 0, "2 of 5 operations are done, 3 are left."),
        (300, 1, 300, "300 of 601 operations are done, 1 is left; whether 300 others were applied is not known."),
    ],
)
def test_how_far_it_came_reads_as_a_sentence(done: int, left: int, unknown: int, sentence: str) -> None:
    parts = [(CREATED,) * count for count in (done, left, unknown)]
    failure = failure_of(BrokenOff(PlanError("It broke.", {"cause": 1}), parts[0], parts[1], parts[2]))
    assert failure.message == f"It broke. {sentence}{AGAIN}" if sentence else "It broke."
    counts = [len(failure.details[name]) for name in ("done", "left", "unknown", "operations")]
    assert counts == [done, left, unknown, done + left + unknown]
    assert (failure.details["changed"], failure.details["cause"]) == (done > 0, 1)


def test_a_fault_after_the_first_write_keeps_its_traceback() -> None:
    with pytest.raises(ValueError, match="It broke.") as caught:
        raise ValueError("It broke.")
    failure = failure_of(BrokenOff(caught.value, [CREATED], [], []))
    assert failure.message.startswith(
        "This is a fault of the collection, please report it: ValueError: It broke. 1 of 1 "
    )
    assert "test_a_fault_after_the_first_write" in failure.details["exception"]

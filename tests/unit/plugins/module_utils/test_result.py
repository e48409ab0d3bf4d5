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
from ansible_collections.edgeops.protection.plugins.module_utils._guard.check import Checked, check_plan
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.base import Limits, codes_of
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import ALL_RISKS, CODES
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.rulesets import ZONE_RULE_RISKS
from ansible_collections.edgeops.protection.plugins.module_utils._guard.terms import Terms, parse_acceptances
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._result import (
    add_orders,
    add_to_diff,
    expired_records,
    expiry_warnings,
    failure_of,
    make_diff,
    operation_records,
    plan_details,
    plan_warnings,
    protection_results,
    standing_warnings,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    ALLOWLIST,
    PREFIXES,
    SHARING,
    STATUS,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES, FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

from tests.support.coverage_model import account_state

NOON = datetime(2026, 1, 2, 12, tzinfo=timezone.utc)
PREFIX = {"id": "1", "prefix": "192.0.2.0/24", "excluded": False}
REMOVED = Operation("delete", PREFIXES, {}, PREFIX, 0)
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


def test_expired_objects_are_listed_and_warned_of_if_they_are_gone() -> None:
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
    return check_plan(plan_, Terms(Limits(), parse_acceptances("accept_risks", accepted, CODES), risks=ALL_RISKS), now)


def test_a_refusal_says_each_risk_and_what_accepts_it() -> None:
    expired = {"code": "unprotects_addresses", "expires": "2025-12-31"}
    checked = check(plan(REMOVED), ["mass_deletion", expired])
    message = checked.refused_risks
    assert message.startswith(
        "accept_risks[1]: the acceptance of unprotects_addresses expired at 2026-01-01T00:00:00+00:00;"
    )
    assert (
        "The plan has risks that the task does not accept. unprotects_addresses: 256 IPv4 addresses (192.0.2.0/24) "
        f"would no longer be protected. {SHARING.format('prefixes')}. disables_protection: "
    ) in message
    assert "If this is meant, add accept_risks: [{code: unprotects_addresses, networks: [192.0.2.0/24]" in message
    details = plan_details(checked)
    assert [item["action"] for item in details["operations"]] == ["delete"]
    assert [risk["code"] for risk in details["risks"]] == [
        "unprotects_addresses",
        "disables_protection",
        "empties_list",
    ]
    assert details["coverage"]["newly_unprotected"] == ["192.0.2.0/24"]


def test_accepted_risks_are_warned_of_with_their_reasons() -> None:
    accepted = {"code": "unprotects_addresses", "reason": "moved"}
    checked = check(plan(REMOVED), [accepted, "disables_protection", "empties_list", "mass_deletion"])
    assert checked.refused_risks == ""
    assert plan_warnings(checked)[0] == (
        "Accepted unprotects_addresses: 256 IPv4 addresses (192.0.2.0/24) would no longer be protected."
        f" {SHARING.format('prefixes')}. Reason: moved"
    )
    assert [text.partition(":")[0] for text in standing_warnings(checked, CODES)] == ["accept_risks[3]"]
    assert standing_warnings(checked, codes_of(ZONE_RULE_RISKS)) == []


def test_an_acceptance_whose_end_is_not_known_is_warned_of() -> None:
    expiring = check(plan(), [{"code": "mass_deletion", "expires": "2099-01-01"}], now=None)
    assert plan_warnings(expiring) == [
        "accept_risks[0]: whether it expired (2099-01-02T00:00:00+00:00) is not known, since Cloudflare does not tell "
        "its time."
    ]


def test_a_probable_mistake_is_asked() -> None:
    (warning,) = plan_warnings(check(plan(CREATED)))
    assert warning.startswith("Is this meant? Prefix 10.0.0.0/8 ")


def test_results_have_the_coverage_if_the_whole_account_is_known() -> None:
    whole = plan(CREATED)
    results = protection_results(check(whole), make_diff(whole.operations), whole.after())
    assert results["coverage"]["newly_protected"] == ["10.0.0.0/8"]
    assert results["diff"]["after"]["coverage"]["protected"] == ["10.0.0.0/8"]
    rules = Plan({"custom_rules": []}, (Operation("create", CUSTOM_RULES, {"ref": "a", "action": "log"}),))
    assert list(protection_results(check(rules), make_diff(rules.operations), rules.after())) == ["diff"]


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

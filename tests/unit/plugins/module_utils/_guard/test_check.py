# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guard refuses what the task does not accept, and says what it let pass."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Sequence

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import PlanError
from ansible_collections.edgeops.protection.plugins.module_utils._guard.acceptance import parse_acceptances
from ansible_collections.edgeops.protection.plugins.module_utils._guard.check import (
    Checked,
    changes_protection,
    check_plan,
)
from ansible_collections.edgeops.protection.plugins.module_utils._guard.limits import CODES, ZONE_CODES, Limits
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._result import make_diff
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, PREFIXES, STATUS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES

from tests.support.coverage_model import account_state

NOON = datetime(2026, 1, 2, 12, tzinfo=timezone.utc)
ENTRY = {"id": "1", "prefix": "10.0.0.1", "comment": "a", "enabled": True}
PREFIX = {"id": "1", "prefix": "192.0.2.0/24", "excluded": False}
REMOVED = Operation("delete", PREFIXES, {}, PREFIX, 0)
CREATED = Operation("create", PREFIXES, {"prefix": "10.0.0.0/8"})


def plan(*operations: Operation) -> Plan:
    return Plan(account_state(prefixes=[PREFIX], allowlist=[ENTRY]), operations)


def check(plan_: Plan, accepted: Sequence[Any] = ()) -> Checked:
    return check_plan(plan_, Limits(), parse_acceptances("accept_risks", accepted), NOON)


@pytest.mark.parametrize(
    ("operations", "changes"),
    [
        ([], False),
        ([Operation("update", ALLOWLIST, {"comment": "b"}, ENTRY, 0)], False),
        ([Operation("update", ALLOWLIST, {"comment": "b", "enabled": False}, ENTRY, 0)], True),
        ([Operation("create", ALLOWLIST, {"prefix": "10.0.0.2"})], True),
        ([Operation("delete", ALLOWLIST, {}, ENTRY, 0)], True),
        ([Operation("update", STATUS, {"enabled": True}, {"enabled": False}, 0)], True),
    ],
)
def test_what_may_change_who_is_protected(operations: list[Operation], changes: bool) -> None:
    assert changes_protection(plan(*operations)) is changes


def test_a_risk_that_is_not_accepted_is_refused_with_what_to_copy_and_the_plan() -> None:
    with pytest.raises(PlanError) as caught:
        check(plan(REMOVED), ["mass_deletion", {"code": "unprotects_addresses", "expires": "2025-12-31"}])
    message, details = caught.value.message, caught.value.details
    assert message.startswith(
        "The plan has risks that the task does not accept. unprotects_addresses: 256 IPv4 addresses (192.0.2.0/24) "
        "would no longer be protected. disables_protection: "
    )
    assert "accept_risks[1]: the acceptance of unprotects_addresses expired at 2026-01-01T00:00:00+00:00" in message
    assert "If this is meant, add accept_risks: [{code: unprotects_addresses, networks: [192.0.2.0/24]" in message
    assert [item["action"] for item in details["operations"]] == ["delete"]
    assert [risk["code"] for risk in details["risks"]] == [
        "unprotects_addresses",
        "disables_protection",
        "empties_list",
    ]
    assert details["coverage"]["newly_unprotected"] == ["192.0.2.0/24"]


def test_what_is_accepted_passes_with_its_reason_and_a_warning() -> None:
    codes = [
        {"code": "unprotects_addresses", "reason": "moved"},
        "disables_protection",
        "empties_list",
        "mass_deletion",
    ]
    checked = check(plan(REMOVED), codes)
    assert [(risk.code, risk.reason) for risk in checked.risks] == [
        ("unprotects_addresses", "moved"),
        ("disables_protection", None),
        ("empties_list", None),
    ]
    assert checked.warnings[0] == (
        "Accepted unprotects_addresses: 256 IPv4 addresses (192.0.2.0/24) would no longer be protected. Reason: moved"
    )
    assert [text.partition(":")[0] for text in checked.standing(CODES)] == ["accept_risks[3]"]
    assert checked.standing(ZONE_CODES) == []


def test_what_is_probably_a_mistake_is_asked() -> None:
    (warning,) = check(plan(CREATED)).warnings
    assert warning.startswith("Is this meant? Prefix 10.0.0.0/8 ")


def test_results_have_the_coverage_where_the_whole_account_is_known() -> None:
    whole = plan(CREATED)
    results = check(whole).results(make_diff(whole.operations), whole.after())
    assert results["coverage"]["newly_protected"] == ["10.0.0.0/8"]
    assert results["diff"]["after"]["coverage"]["protected"] == ["10.0.0.0/8"]
    rules = Plan({"custom_rules": []}, (Operation("create", CUSTOM_RULES, {"ref": "a", "action": "log"}),))
    assert list(check(rules).results(make_diff(rules.operations), rules.after())) == ["diff"]

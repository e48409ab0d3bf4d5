# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guard finds the risks of a plan, and which of them the task accepts."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Sequence

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.check import Checked, check_plan
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.base import Limits
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import CODES
from ansible_collections.edgeops.protection.plugins.module_utils._guard.terms import parse_acceptances
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import networks

from tests.support.coverage_model import account_state

NOON = datetime(2026, 1, 2, 12, tzinfo=timezone.utc)
PREFIX = {"id": "1", "prefix": "192.0.2.0/24", "excluded": False}
REMOVED = Operation("delete", PREFIXES, {}, PREFIX, 0)


def plan(*operations: Operation) -> Plan:
    return Plan(account_state(prefixes=[PREFIX]), operations)


def check(plan_: Plan, accepted: Sequence[Any] = ()) -> Checked:
    return check_plan(plan_, Limits(), parse_acceptances("accept_risks", accepted, CODES), NOON)


def test_a_risk_is_accepted_or_refused() -> None:
    expired = {"code": "unprotects_addresses", "expires": "2025-12-31"}
    checked = check(plan(REMOVED), ["mass_deletion", expired, {"code": "empties_list", "reason": "moved"}])
    assert [risk.code for risk in checked.refused] == ["unprotects_addresses", "disables_protection"]
    assert [(risk.code, risk.reason) for risk in checked.risks] == [("empties_list", "moved")]
    assert [item.option.name({}) for item in checked.expired] == ["accept_risks[1]"]
    assert [item.option.name({}) for item in checked.unmet] == ["accept_risks[0]"]


def test_the_coverage_is_that_before_and_after_the_plan() -> None:
    checked = check(plan(REMOVED))
    assert [networks(coverage.protected) for coverage in (checked.before, checked.after)] == [["192.0.2.0/24"], []]
    nothing = check(plan())
    assert nothing.before is nothing.after


@pytest.mark.parametrize(
    ("state", "known"),
    [(account_state(), True), ({**account_state()}, True), ({"custom_rules": []}, False), ({"allowlist": []}, False)],
)
def test_the_account_is_known_from_all_that_decides(state: dict[str, Any], known: bool) -> None:
    coverage = Coverage(state)
    assert Checked(Plan(state, ()), coverage, coverage).knows_account is known

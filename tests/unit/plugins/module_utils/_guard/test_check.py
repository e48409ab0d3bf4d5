# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guard finds the risks of a plan, and which of them the task accepts."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Sequence

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.acceptance import parse_acceptances
from ansible_collections.edgeops.protection.plugins.module_utils._guard.check import (
    Checked,
    changes_protection,
    check_plan,
)
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.base import Limits
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import CODES
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, PREFIXES, STATUS
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import networks

from tests.support.coverage_model import account_state

NOON = datetime(2026, 1, 2, 12, tzinfo=timezone.utc)
ENTRY = {"id": "1", "prefix": "10.0.0.1", "comment": "a", "enabled": True}
PREFIX = {"id": "1", "prefix": "192.0.2.0/24", "excluded": False}
REMOVED = Operation("delete", PREFIXES, {}, PREFIX, 0)


def plan(*operations: Operation) -> Plan:
    return Plan(account_state(prefixes=[PREFIX], allowlist=[ENTRY]), operations)


def check(plan_: Plan, accepted: Sequence[Any] = ()) -> Checked:
    return check_plan(plan_, Limits(), parse_acceptances("accept_risks", accepted, CODES), NOON)


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
def test_a_plan_may_change_the_protection_unless_its_fields_are_inert(
    operations: list[Operation], changes: bool
) -> None:
    assert changes_protection(plan(*operations)) is changes


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

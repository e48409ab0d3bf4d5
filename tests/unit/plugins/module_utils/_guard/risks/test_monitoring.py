# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk of what is enabled too soon."""

from __future__ import annotations

from datetime import timedelta

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.account import monitoring_time
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.base import Limits
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import find_risks
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    ALLOWLIST,
    PREFIXES,
    RULES,
)

from tests.support.changes import change_of, changes_of
from tests.support.coverage_model import account_state, rule


def test_a_rule_that_is_enabled_at_once_is_found_behind_what_has_no_mode() -> None:
    change = changes_of(
        account_state(),
        parse_desired(PREFIXES, numbered("prefixes", [{"prefix": "203.0.113.0/24"}])),
        parse_desired(RULES[0], numbered("rules", [rule("".join(["enab", "led"]))])),
    )
    assert [item.resource for item in change.plan.operations] == [PREFIXES, RULES[0]]
    assert [risk.code for risk in find_risks(change, Limits())] == ["skips_monitoring"]


@pytest.mark.parametrize(("mode", "codes"), [("enabled", ["skips_monitoring"]), ("monitoring", []), ("disabled", [])])
def test_a_rule_that_is_enabled_at_once_skips_monitoring(mode: str, codes: list[str]) -> None:
    risks = find_risks(change_of(account_state(), RULES[0], [rule(mode)]), Limits())
    assert [(risk.code, risk.record()["entries"]) for risk in risks] == [(code, ["syn_flood global"]) for code in codes]
    assert find_risks(change_of(account_state(), ALLOWLIST, [{"prefix": "198.51.100.7"}]), Limits()) == []


def test_the_time_of_monitoring_is_in_hours() -> None:
    assert monitoring_time(Limits({"min_monitoring_hours": 1.5})) == timedelta(minutes=90)

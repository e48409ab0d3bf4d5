# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk of what would drop too much."""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.monitoring import drops_traffic
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.declaration import Limits
from ansible_collections.edgeops.protection.plugins.module_utils._plan.rollout import Verdict
from ansible_collections.edgeops.protection.plugins.module_utils._protection.monitoring import enabling
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import RULES
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import range_of

from tests.support.changes import change_of
from tests.support.coverage_model import account_state, rule

NETWORK = range_of("192.0.2.0/24") or (0, 0)


def test_only_verdicts_against_what_is_enabled_are_the_risk() -> None:
    change = change_of(account_state(), RULES[0], [rule("enabled")])
    (item,) = enabling(change.plan)
    assert drops_traffic.in_change(change, Limits()) is None
    for verdict in (Verdict(), Verdict("evidence", "It drops 4 %.", 4.0, 7, [NETWORK], ["Monitor longer."])):
        risk = drops_traffic.in_change(replace(change, verdicts={item.target: verdict}), Limits())
        assert (risk is None) is (not verdict.reason)
    assert risk and risk.record()["networks"] == ["192.0.2.0/24"]
    assert (risk.message, risk.record()["entries"]) == (
        "SYN flood rule global: It drops 4 %. Monitor longer.",
        ["syn_flood global"],
    )
    monitored = change_of(account_state(), RULES[0], [rule("monitoring")])
    assert drops_traffic.in_change(replace(monitored, verdicts={item.target: verdict}), Limits()) is None

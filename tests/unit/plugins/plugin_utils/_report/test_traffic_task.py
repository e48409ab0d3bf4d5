# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import ACCOUNT, Part
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.traffic import traffic_task

PARTS = [
    Part(
        ACCOUNT, {"account_id": "a", "api_token": "t", "prefixes": []}, Context(names={"account_id": "edge_account_id"})
    )
]


@pytest.mark.parametrize(
    ("hours", "asked"), [(0, False), ("0", False), (None, False), ("", False), ("24", True), (0.5, True)]
)
def test_traffic_is_asked_for_if_hours_are_set(hours: Any, asked: bool) -> None:
    part = traffic_task(PARTS, hours)
    assert bool(part) is asked
    assert traffic_task([Part("custom_rules", {})], hours) is None


def test_the_task_has_the_connection_of_the_account_and_the_name_of_the_variable() -> None:
    part = traffic_task(PARTS, "24")
    assert part and part.options == {
        "account_id": "a",
        "api_token": "t",
        "hours": 24.0,
        "components": ["syn_flood", "out_of_state_tcp"],
    }
    assert part.names == {"account_id": "edge_account_id", "hours": "report_traffic_hours"}


def test_dns_protection_counts_if_the_baseline_describes_it() -> None:
    (account,) = PARTS
    part = traffic_task([Part(ACCOUNT, {**account.options, "dns_rules": [{}]})], 1)
    assert part and part.options["components"][-1] == "dns"


@pytest.mark.parametrize("hours", ["a day", [24]])
def test_hours_are_a_number(hours: Any) -> None:
    with pytest.raises(ValueError, match="^report_traffic_hours: .* is not a number of hours"):
        traffic_task(PARTS, hours)

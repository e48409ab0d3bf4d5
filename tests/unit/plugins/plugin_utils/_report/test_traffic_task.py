# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.traffic_task import traffic_task

ACCOUNT = Part("account_protection", {"api_token": "x", "account_id": "0" * 32, "enabled": True})


@pytest.mark.parametrize(
    ("parts", "hours"), [([ACCOUNT], 0), ([ACCOUNT], None), ([ACCOUNT], ""), ([Part("custom_rules", {})], 24), ([], 24)]
)
def test_nobody_asks_for_no_hours_and_without_an_account(parts: list[Part], hours: Any) -> None:
    assert traffic_task(parts, hours) is None


@pytest.mark.parametrize("hours", [24, 24.0, "24"])
def test_the_question_is_for_the_account_of_the_host(hours: Any) -> None:
    task = traffic_task([ACCOUNT], hours)
    assert task is not None and task.module == "protection_traffic_info"
    assert (task.options["hours"], task.options["account_id"]) == (24.0, "0" * 32)
    assert task.options["components"] == ["syn_flood", "out_of_state_tcp"] and "enabled" not in task.options
    assert task.names["hours"] == "report_traffic_hours"


def test_dns_counts_if_the_baseline_describes_it() -> None:
    task = traffic_task([Part("account_protection", {**ACCOUNT.options, "dns_rules": [{}]})], 1)
    assert task is not None and task.options["components"][-1] == "dns"


def test_hours_that_are_no_number_are_refused_by_the_variable() -> None:
    with pytest.raises(ValueError, match=r"^report_traffic_hours: 'day' is no number of hours\.$"):
        traffic_task([ACCOUNT], "day")

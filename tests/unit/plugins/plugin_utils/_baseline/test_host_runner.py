# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later


from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.approval import ApprovedPlan, host_plan_id
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.host_task import HostRunner
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part

PARTS = [Part("account_protection", {"enabled": True}), Part("custom_rules", {})]
DONE = {"changed": True, "operations": [{}], "plan_id": "a" * 64}
NOTHING = {"changed": False, "operations": [], "plan_id": ""}


@dataclass
class Modules:
    """Modules with these results; `calls` has the module of each call, and whether it was a prediction."""

    results: dict[str, dict[str, Any]]
    calls: list[tuple[str, bool]] = field(default_factory=list)
    options: list[dict[str, Any]] = field(default_factory=list)

    def run(self, part: Part, check_mode: bool) -> dict[str, Any]:
        self.calls.append((part.module, check_mode))
        self.options.append(part.options)
        return self.results[part.module]


def modules(account: dict[str, Any] | None = None, zone: dict[str, Any] | None = None) -> Modules:
    return Modules({"account_protection": account or DONE, "custom_rules": zone or NOTHING})


@pytest.mark.parametrize("check_mode", [True, False])
def test_check_mode_is_an_argument_of_each_call(check_mode: bool) -> None:
    both = modules()
    assert HostRunner(both.run).run(PARTS, check_mode) == both.results
    assert both.calls == [("account_protection", check_mode), ("custom_rules", check_mode)]


def test_the_prediction_of_a_host_in_order_is_its_run() -> None:
    both = modules(account=NOTHING)
    assert HostRunner(both.run).update("lima", PARTS, check_mode=False).predicted
    assert both.calls == [("account_protection", True), ("custom_rules", True)]


def test_a_single_module_predicts_by_itself() -> None:
    both = modules()
    assert not HostRunner(both.run).update("lima", PARTS[:1], check_mode=False).predicted
    assert both.calls == [("account_protection", False)]


def test_a_prediction_goes_on_behind_a_refused_plan_and_a_run_does_not() -> None:
    refused = {"failed": True, "msg": "It has risks.", "operations": [{}]}
    for check_mode, names in ((True, ["account_protection", "custom_rules"]), (False, ["account_protection"])):
        both = modules(account=refused)
        assert list(HostRunner(both.run).run(PARTS, check_mode)) == names


def test_each_module_gets_its_part_of_the_approved_plan() -> None:
    both = modules()
    plans = {"account_protection": "a" * 64}
    HostRunner(both.run).update("lima", PARTS, False, ApprovedPlan(host_plan_id(plans), plans))
    assert [options["expected_plan"] for options in both.options[2:]] == ["a" * 64]

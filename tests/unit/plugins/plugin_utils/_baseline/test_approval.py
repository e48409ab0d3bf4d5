# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later


from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.approval import (
    ApprovedPlan,
    approved_plan,
    host_plan_id,
    plan_ids,
    read_approved_plan,
)

ONE, TWO, THREE = "1" * 64, "2" * 64, "3" * 64
PLANS = {"account_protection": ONE, "custom_rules": TWO}
APPROVED = {"plan_id": host_plan_id(PLANS), "plans": PLANS, "operations": []}


def predicted(**identities: str) -> dict[str, dict[str, Any]]:
    """The predicted results of modules, which have these plans."""
    return {module: {"plan_id": identity, "operations": [{}]} for module, identity in identities.items()}


def test_the_plan_of_a_host_is_that_of_the_modules_that_have_one() -> None:
    assert plan_ids(predicted(account_protection=ONE, firewall_rules="", custom_rules=TWO)) == PLANS
    assert host_plan_id({}) == host_plan_id({"custom_rules": ""}) == ""
    assert host_plan_id(PLANS) == host_plan_id({**dict(reversed(PLANS.items())), "firewall_rules": ""})
    assert len({host_plan_id(plans) for plans in ({"custom_rules": ONE}, {"firewall_rules": ONE}, PLANS, {})}) == 4


@pytest.mark.parametrize(
    ("plans", "approved"),
    [
        (PLANS, True),
        ({"account_protection": "".join(["1", ONE[1:]])}, True),
        ({"custom_rules": TWO}, True),
        ({"account_protection": "", "custom_rules": ""}, True),
        ({"account_protection": TWO}, False),
        ({"account_protection": ONE, "custom_rules": THREE}, False),
        ({**PLANS, "firewall_rules": THREE}, False),
    ],
)
def test_the_rest_of_an_approved_plan_is_approved_and_nothing_else(plans: dict[str, str], approved: bool) -> None:
    plan = read_approved_plan("lima", APPROVED)
    assert plan is not None
    refusal = plan.refusal("lima", predicted(**plans))
    assert bool(refusal) is not approved
    assert not refusal or host_plan_id(plans) in refusal


@pytest.mark.parametrize("operations", [None, "text", ["text"], {"a": 1}])
def test_operations_that_are_none_are_not_compared(operations: Any) -> None:
    plan = read_approved_plan("lima", {**APPROVED, "operations": operations})
    assert plan is not None
    assert plan.operations is None


def test_a_plan_id_alone_approves_the_whole_plan_only() -> None:
    plan = ApprovedPlan(host_plan_id(PLANS))
    assert plan.refusal("lima", predicted(**PLANS)) == ""
    assert "account_protection has 1 operation" in plan.refusal("lima", predicted(account_protection=ONE))
    assert plan.refusal("lima", {}) == ""
    assert "baseline_expected_plan approves none" in ApprovedPlan("").refusal("lima", predicted(**PLANS))


def test_a_plan_is_read_from_each_form(tmp_path: Path) -> None:
    file = tmp_path / "lima.json"
    file.write_text(json.dumps(APPROVED), encoding="utf-8")
    plan = ApprovedPlan(host_plan_id(PLANS), PLANS, [])
    assert read_approved_plan("lima", str(file)) == read_approved_plan("lima", APPROVED) == plan
    assert read_approved_plan("lima", f" {ONE} ") == ApprovedPlan(ONE)
    assert read_approved_plan("lima", "") == ApprovedPlan("")
    assert read_approved_plan("lima", {"plan_id": None, "plans": {}}) == ApprovedPlan("", {})


@pytest.mark.parametrize("value", [None, "", " "])
def test_a_variable_that_comes_out_empty_approves_no_change(value: Any) -> None:
    plan = approved_plan("lima", {"baseline_expected_plan": value})
    assert plan is not None
    assert "baseline_expected_plan approves none" in plan.refusal("lima", predicted(**PLANS))
    assert plan.refusal("lima", {}) == ""


def test_a_variable_that_is_not_set_approves_every_plan() -> None:
    assert approved_plan("lima", {}) is None


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (["a list"], "is neither a plan_id"),
        ("nowhere/lima.json", "the file nowhere/lima.json cannot be read: No such file"),
        (__file__, "it holds no JSON"),
        ({"plan_id": ONE}, "lacks plan_id or plans"),
        ({"plan_id": "0" * 64, "plans": PLANS}, "was changed by hand"),
        ({"plan_id": "f" * 64, "plans": PLANS}, "was changed by hand"),
        ({**APPROVED, "host": "kyiv"}, "is the plan of kyiv, and not of lima"),
        ({**APPROVED, "host": "oslo"}, "is the plan of oslo, and not of lima"),
    ],
)
def test_a_malformed_plan_is_refused(value: Any, reason: str) -> None:
    with pytest.raises(ValueError, match="baseline_expected_plan") as caught:
        read_approved_plan("lima", value)
    assert reason in str(caught.value)

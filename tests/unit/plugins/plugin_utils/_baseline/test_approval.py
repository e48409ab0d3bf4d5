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
    read_approved_plan,
)

ONE = "1" * 64
APPROVED = {"plan_id": ONE, "operations": []}


@pytest.mark.parametrize("operations", [None, "text", ["text"], {"a": 1}])
def test_operations_that_are_none_are_not_compared(operations: Any) -> None:
    plan = read_approved_plan("lima", {**APPROVED, "operations": operations})
    assert plan is not None
    assert plan.operations is None


def test_a_plan_is_read_from_each_form(tmp_path: Path) -> None:
    file = tmp_path / "lima.json"
    file.write_text(json.dumps(APPROVED), encoding="utf-8")
    plan = ApprovedPlan(ONE, [])
    assert read_approved_plan("lima", str(file)) == read_approved_plan("lima", APPROVED) == plan
    assert read_approved_plan("lima", f" {ONE} ") == ApprovedPlan(ONE)
    assert read_approved_plan("lima", "") == ApprovedPlan("")
    assert read_approved_plan("lima", {"plan_id": None}) == ApprovedPlan("")


@pytest.mark.parametrize("value", [None, "", " "])
def test_a_variable_that_comes_out_empty_approves_no_change(value: Any) -> None:
    assert approved_plan("lima", {"baseline_expected_plan": value}) == ApprovedPlan("")


def test_a_variable_that_is_not_set_approves_every_plan() -> None:
    assert approved_plan("lima", {}) is None


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (["a list"], "is neither a plan_id"),
        ("nowhere/lima.json", "the file nowhere/lima.json cannot be read: No such file"),
        (__file__, "it holds no JSON"),
        ({"operations": []}, "lacks the plan_id"),
        ({"plan_id": ONE[1:]}, "lacks the plan_id"),
        ({"plan_id": 7}, "lacks the plan_id"),
        ({**APPROVED, "host": "kyiv"}, "is the plan of kyiv, and not of lima"),
        ({**APPROVED, "host": "oslo"}, "is the plan of oslo, and not of lima"),
    ],
)
def test_a_malformed_plan_is_refused(value: Any, reason: str) -> None:
    with pytest.raises(ValueError, match="baseline_expected_plan") as caught:
        read_approved_plan("lima", value)
    assert reason in str(caught.value)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._guard.approval import approval_refusal, parse_approval
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES

ONE, OTHER = "1" * 64, "2" * 64


def plan_of(*comments: str) -> Plan:
    existing = {"id": "1", "prefix": "192.0.2.0/24", "comment": "old"}
    desired = [{"prefix": "192.0.2.0/24", "comment": comment} for comment in comments]
    return make_plan({"prefixes": [existing]}, [parse_desired(PREFIXES, numbered("prefixes", desired))])


@pytest.mark.parametrize(("option", "expected"), [(None, None), ("", ""), (f" {'A' * 64} ", "a" * 64)])
def test_an_approval_is_left_out_empty_or_an_id(option: Any, expected: Any) -> None:
    assert parse_approval({"expected_plan": option}) == expected


@pytest.mark.parametrize("option", ["none", "a" * 63, "g" * 64])
def test_an_approval_needs_a_plan_id(option: str) -> None:
    with pytest.raises(OptionError, match="expected_plan: .* is not a plan_id"):
        parse_approval({"expected_plan": option})


@pytest.mark.parametrize(
    ("expected", "plan", "words"),
    [
        (None, plan_of("new"), ""),
        (ONE, plan_of("new"), ""),
        (ONE, plan_of(), ""),
        ("", plan_of(), ""),
        (OTHER, plan_of("new"), f"it has 1 operation and the plan_id {ONE}, and expected_plan is {OTHER}"),
        ("", plan_of("new"), "an empty expected_plan approves none"),
    ],
)
def test_any_other_plan_that_does_something_is_refused(expected: Any, plan: Plan, words: str) -> None:
    refusal = approval_refusal(expected, plan, ONE, None)
    assert (words in refusal) if words else not refusal


@pytest.mark.parametrize(("rest", "refused"), [(("new",), False), ((), False), (("newer",), True)])
def test_the_rest_of_an_approved_plan_is_approved_and_nothing_else(rest: Any, refused: bool) -> None:
    refusal = approval_refusal(ONE, plan_of(*rest), OTHER, plan_of("new"))
    assert bool(refusal) is refused
    assert not approval_refusal(None, plan_of(*rest), OTHER, plan_of("new"))

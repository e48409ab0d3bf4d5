# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import assess
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import (
    expected_lines,
    expected_records,
    host_results,
    is_unmet,
    refusing,
    unmet_reasons,
)


def expectation(now: bool | None, planned: bool | None, reason: str = "") -> dict[str, Any]:
    words = {True: ("blocked", "admin"), False: ("allowed", None), None: ("undecided", None)}
    actual, rule = words[planned]
    before = dict(zip(("actual", "rule"), words[now], strict=True))
    return {
        "description": "closed", "expected": "blocked", "actual": actual, "rule": rule, "met": planned,
        "reasons": [reason] if reason else [], "skips": [], "before": {**before, "met": now},
    }  # fmt: skip


def result(*expectations: dict[str, Any], **others: Any) -> dict[str, Any]:
    return {"operations": [], "plan_id": "", "expectations": list(expectations), **others}


def test_results_now_and_after_a_run_stand_in_lines() -> None:
    records = expected_records(
        "custom_rules", result(expectation(True, True), expectation(None, None, "ssl"), expectation(False, True))
    )
    assert list(expected_lines(records)) == [
        "unmet: closed: expected blocked, now allowed; met after a run",
        "undecided: closed: expected blocked, now undecided; ssl",
        "met: closed: expected blocked, now blocked by admin",
    ]
    assert unmet_reasons(records) == ["An expectation is unmet: closed: expected blocked, but allowed."]
    assert refusing(records) == ["expectations"]
    assert refusing(records[:1]) == []
    assert expected_records("custom_rules", {}) == []


def test_an_outcome_that_is_undecided_may_be_unmet_already() -> None:
    item = expectation(None, False, "there is no rule admin")
    records = expected_records("custom_rules", result({**item, "before": {**item["before"], "met": False}}))
    (reason,) = unmet_reasons(records)
    assert reason == "An expectation is unmet: closed: expected blocked, but another outcome, undecided which one."


@pytest.mark.parametrize(
    ("failed", "planned", "unmet"),
    [(True, False, True), (True, None, True), (True, True, False), (False, False, False)],
)
def test_a_failure_because_of_expectations_is_known(failed: bool, planned: bool | None, unmet: bool) -> None:
    assert is_unmet(result(expectation(True, planned), failed=failed)) is unmet


@pytest.mark.parametrize(
    ("now", "planned", "status", "reasons"),
    [
        (True, True, "in_order", []),
        (False, True, "weakened", ["An expectation is unmet: closed: expected blocked, but allowed."]),
        (True, False, "drift", ["A run refuses the plan: expectations."]),
        (None, None, "drift", ["A run refuses the plan: expectations."]),
    ],
)
def test_an_expectation_that_is_unmet_now_weakens_its_host(
    now: bool | None, planned: bool | None, status: str, reasons: list[str]
) -> None:
    failed = {"failed": True, "msg": "no"} if planned is not True else {}
    host = host_results("lima", {"zone_id": "z"}, {"custom_rules": result(expectation(now, planned), **failed)})
    assert assess(host, None) == (status, reasons)

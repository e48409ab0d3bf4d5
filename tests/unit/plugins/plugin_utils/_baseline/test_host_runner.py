# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later


from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.approval import ApprovedPlan
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.results import HostRunner
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part

TOKEN = {"edge_api_token": "secret"}
PART = host_part("lima", {**TOKEN, "edge_account_id": "a" * 32})
DONE = {"changed": True, "operations": [{}], "plan_id": "a" * 64}
NOTHING = {"changed": False, "operations": [], "plan_id": ""}
MESSAGE = "It has risks. Nothing was changed."
REFUSED = {"failed": True, "msg": MESSAGE, "operations": [{}], "plan_id": "a" * 64}
REFUSAL = {"reason": "It has risks.", "lacks_acceptances": True}


class Module:
    """A module with this result; `calls` say of each call whether it was a prediction, and of a snapshot."""

    def __init__(self, result: dict[str, Any] | None = None) -> None:
        self.calls: list[Any] = []
        self.options: dict[str, Any] = {}
        self._result = result or DONE
        self.runner = HostRunner(self._run)

    def _run(self, part: Any, check_mode: bool) -> dict[str, Any]:
        self.calls.append(check_mode)
        self.options = part.options
        return self._result

    def snapshot(self, _predicted: Mapping[str, Any]) -> str:
        self.calls.append("snapshot")
        return "file.yml"


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_run_without_a_snapshot_predicts_nothing_first(check_mode: bool) -> None:
    module = Module()
    run = module.runner.update(PART, check_mode)
    assert (module.calls, run.predicted, run.result) == ([check_mode], check_mode, DONE)


@pytest.mark.parametrize(
    ("result", "check_mode", "calls", "path"),
    [
        (DONE, False, [True, "snapshot", False], "file.yml"),
        (DONE, True, [True, "snapshot"], ""),
        (NOTHING, False, [True], ""),
        (REFUSED, False, [True], ""),
    ],
)
def test_a_snapshot_is_taken_between_the_prediction_and_the_run(
    result: dict[str, Any], check_mode: bool, calls: list[Any], path: str
) -> None:
    module = Module(result)
    run = module.runner.update(PART, check_mode, snapshot=module.snapshot)
    assert (module.calls, run.predicted, run.snapshot) == (calls, calls[-1] is not False, path)


def test_nothing_is_changed_without_the_snapshot_that_was_asked_for() -> None:
    def snapshot(_predicted: Mapping[str, Any]) -> str:
        raise OSError("the disk is full")

    module = Module()
    run = module.runner.update(PART, False, snapshot=snapshot)
    assert (module.calls, run.failed, run.result["changed"], run.result["plan_id"]) == ([True], True, False, "a" * 64)
    text = "baseline_snapshot_directory: there is no snapshot (the disk is full). Nothing was changed."
    assert run.result["msg"] == text


def test_a_host_that_describes_nothing_is_not_read() -> None:
    module = Module()
    run = module.runner.update(host_part("lima", {**TOKEN, "edge_zone_id": "b" * 32}), False)
    assert (module.calls, run.result, run.predicted) == ([], {"changed": False}, True)


def test_an_approved_plan_is_an_option_and_another_one_is_told_by_its_differences() -> None:
    module = Module({**REFUSED, "refusal": REFUSAL})
    for plan_id, told in (("b" * 64, " None None is to be None, which was not approved."), ("a" * 64, "")):
        run = module.runner.update(PART, False, ApprovedPlan(plan_id, []))
        assert module.options["expected_plan"] == plan_id
        assert run.result["msg"] == f"It has risks.{told} Nothing was changed."
        assert "refusal" not in run.result and run.reason == "It has risks."


def test_the_differences_of_a_plan_do_not_hang_on_the_words_of_its_refusal() -> None:
    """The sentence that nothing was changed may stand in a description as well, or be another one."""
    reason = "An expectation fails: Nothing was changed. Its rule is a."
    for message in (f"{reason} Nothing was changed.", f"{reason} Not a word more."):
        module = Module({**REFUSED, "msg": message, "refusal": {**REFUSAL, "reason": reason}})
        run = module.runner.update(PART, False, ApprovedPlan("b" * 64, []))
        assert run.result["msg"] == f"{reason} None None is to be None, which was not approved. Nothing was changed."
        assert run.reason == reason
    other_failure = Module({**REFUSED, "msg": "The service did not answer."})
    assert other_failure.runner.update(PART, False).reason == "The service did not answer."

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.results import lines, shown_result

ENABLE: dict[str, Any] = {"action": "update", "resource": "status", "key": "", "fields": {"enabled": True}}
COVERAGE = {
    "before": {"summary": ["TCP protection is off: nothing is protected."], "reasons": ["TCP protection is off."]},
    "after": {"summary": ["TCP protection is on, and not effective.", "It monitors."], "reasons": ["It monitors."]},
}
RESULT: dict[str, Any] = {
    "changed": True,
    "plan_id": "a" * 64,
    "operations": [ENABLE],
    "diff": {"before": {}, "after": {}},
    "coverage": COVERAGE,
    "protection": {"prefixes": []},
    "custom_rules": [],
    "unmanaged": [],
    "warnings": ["of the module"],
    "_ansible_parsed": True,
}


def test_the_result_of_a_host_is_that_of_its_run_with_the_warnings_of_the_role_before() -> None:
    own = {name: value for name, value in RESULT.items() if name != "_ansible_parsed"}
    assert shown_result(RESULT, ["of the role"]) == {**own, "warnings": ["of the role", "of the module"]}


def test_a_run_that_changes_nothing_leaves_out_what_it_read_unless_verbose() -> None:
    whole = {**RESULT, "changed": False, "invocation": {"module_args": {}}, "pending": ["a step"]}
    lean = shown_result(whole)
    assert not {"protection", "custom_rules", "invocation"} & lean.keys()
    assert lean["coverage"] == {"after": {"summary": COVERAGE["after"]["summary"]}}
    assert (lean["changed"], lean["pending"], lean["unmanaged"]) == (False, ["a step"], [])
    assert shown_result(whole, verbose=True) == {name: whole[name] for name in whole if name != "_ansible_parsed"}


def test_a_failure_that_changed_something_does_not_show_all_that_was_read() -> None:
    result = shown_result({**RESULT, "failed": True, "msg": "The zone is not there.", "error": {"status": 404}})
    assert (result["failed"], result["msg"], result["changed"]) == (True, "The zone is not there.", True)
    assert not {"protection", "custom_rules"} & result.keys()


def test_a_line_says_how_well_the_account_is_protected_and_another_which_steps_are_left() -> None:
    steps = [{"message": f"Step {number}."} for number in range(5)]
    assert lines("lima", {**RESULT, "pending": steps}) == [
        "lima: TCP protection is on, and not effective. It monitors.",
        "lima: Step 0. Step 1. Step 2. And 2 more steps.",
    ]
    assert lines("lima", {"changed": False, "plan_id": ""}) == []
    assert lines("lima", {"changed": False}) == ["lima: No rules of the zone are described, so nothing is done."]


def test_a_line_cannot_control_the_terminal() -> None:
    steps = [{"message": "\x1b[2J\nall is well"}]
    (line,) = lines("lima", {"plan_id": "", "pending": steps})
    assert line.isprintable()

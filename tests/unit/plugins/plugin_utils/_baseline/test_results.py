# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.results import combined, lines, refused

ENABLE: dict[str, Any] = {"action": "update", "resource": "status", "key": "", "fields": {"enabled": True}}
COVERAGE = {
    "before": {"summary": ["TCP protection is off: nothing is protected."], "reasons": ["TCP protection is off."]},
    "after": {"summary": ["TCP protection is on, and not effective.", "It monitors."], "reasons": ["It monitors."]},
}
ACCOUNT = {
    "changed": True,
    "plan_id": "a" * 64,
    "operations": [ENABLE],
    "diff": {"before": {}, "after": {}},
    "coverage": COVERAGE,
    "protection": {"prefixes": []},
    "warnings": ["of the account"],
    "_ansible_parsed": True,
}
ZONE = {"changed": False, "plan_id": "", "operations": [], "rules": []}
FAILED = {"failed": True, "msg": "The zone is not there.", "error": {"status": 404}}


def test_the_result_of_a_host_has_that_of_each_module() -> None:
    result = combined({"account_protection": ACCOUNT, "custom_rules": ZONE}, ["of the role"])
    assert (result["changed"], result["operations"], result["diff"]) == (True, [ENABLE], [ACCOUNT["diff"]])
    assert result["warnings"] == ["of the role", "of the account"]
    assert result["custom_rules"] == {"changed": False, "plan_id": "", "operations": []}
    assert result["plans"] == {"account_protection": "a" * 64}
    assert len(result["plan_id"]) == 64
    assert result["account_protection"] == {
        name: value for name, value in ACCOUNT.items() if name not in ("warnings", "_ansible_parsed")
    }


def test_a_module_that_changes_nothing_leaves_out_what_it_read_unless_verbose() -> None:
    whole = {**ACCOUNT, "changed": False, "invocation": {"module_args": {}}, "pending": ["a step"]}
    lean = combined({"account_protection": whole})["account_protection"]
    assert not {"protection", "invocation"} & lean.keys()
    assert lean["coverage"] == {"after": {"summary": COVERAGE["after"]["summary"]}}
    assert (lean["changed"], lean["pending"]) == (False, ["a step"])
    verbose = combined({"account_protection": whole}, verbose=True)["account_protection"]
    assert (verbose["protection"], verbose["coverage"]) == (whole["protection"], COVERAGE)


def test_a_failure_is_that_of_the_host_and_says_what_was_applied_before() -> None:
    results = {"account_protection": ACCOUNT, "custom_rules": FAILED}
    result = combined(results)
    assert (result["failed"], result["failed_module"], result["custom_rules"]) == (True, "custom_rules", FAILED)
    assert result["msg"] == "The zone is not there. Before that, account_protection applied 1 operation."
    assert result["changed"] is True
    assert result["account_protection"] == {
        "changed": True,
        "operations": [ENABLE],
        "coverage": {"after": {"summary": COVERAGE["after"]["summary"]}},
        "plan_id": "a" * 64,
    }
    assert combined(results, verbose=True)["account_protection"]["protection"] == {"prefixes": []}
    assert combined(results, check_mode=True)["msg"] == FAILED["msg"]


def test_all_failures_of_a_host_are_told_with_one_acceptance_behind_what_nothing_accepts() -> None:
    def refusal(error: str, **risk: Any) -> dict[str, Any]:
        risks = [{"code": "mass_deletion", "message": "Much goes.", "networks": [], "entries": [], **risk}]
        text = "The plan has risks that the task does not accept. mass_deletion: Much goes. Nothing was changed."
        return {"failed": True, "operations": [{}], "risks": risks, "msg": f"{error} {text}".strip()}

    quota = {**refusal(""), "msg": "The zone takes 5 rules. Nothing was changed."}
    results = {"a": refusal("", networks=["192.0.2.0/24"]), "b": refusal("It is misspelt.", entries=["x"]), "c": quota}
    assert combined(results, accept="restore_accept_risks")["msg"] == (
        "It is misspelt. The zone takes 5 rules. The plan has risks that the task does not accept. mass_deletion: Much "
        "goes. mass_deletion: Much goes. If this is meant, add restore_accept_risks: [{code: mass_deletion, networks: "
        "[192.0.2.0/24]}, {code: mass_deletion, entries: [x]}]. Nothing was changed."
    )


def test_a_refused_plan_has_changed_nothing_in_any_module() -> None:
    result = refused({"account_protection": ACCOUNT, "custom_rules": ZONE}, "Another plan. Nothing was changed.")
    assert (result["failed"], result["changed"], result["msg"]) == (True, False, "Another plan. Nothing was changed.")
    assert result["plans"] == {"account_protection": "a" * 64}
    assert [result[name]["changed"] for name in ("account_protection", "custom_rules")] == [False, False]
    assert result["account_protection"]["operations"] == [ENABLE]


def test_a_line_says_how_well_the_account_is_protected_and_another_which_steps_are_left() -> None:
    steps = [{"message": f"Step {number}."} for number in range(5)]
    assert lines("lima", {"account_protection": {**ACCOUNT, "pending": steps}, "custom_rules": ZONE}) == [
        "lima: TCP protection is on, and not effective. It monitors.",
        "lima: Step 0. Step 1. Step 2. And 2 more.",
    ]
    assert lines("lima", {"custom_rules": ZONE}) == []
    assert lines("lima", {}) == ["lima: No rules of the zone are described, so nothing is done."]


def test_a_line_cannot_control_the_terminal() -> None:
    steps = [{"message": "\x1b[2J\nall is well"}]
    (line,) = lines("lima", {"custom_rules": {**ZONE, "pending": steps}})
    assert line.isprintable()

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import host_record
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import host_results, is_refusal

GENERATED = "2026-11-21T10:00:00+00:00"
RISK: dict[str, Any] = {
    "code": "mass_deletion",
    "message": "Much goes.",
    "networks": [],
    "addresses": "",
    "entries": [],
    "reason": None,
}
UPDATE = {"action": "update", "resource": "custom_rule", "key": "login", "fields": {"enabled": True}}
RULE = {"ref": "login", "action": "block", "expression": "ssl", "description": "log in"}
ZONE = {
    "changed": True,
    "plan_id": "a" * 64,
    "operations": [{**UPDATE, "before": {"enabled": False}}],
    "diff": {
        "before": {
            "custom_rules": {"login": {**RULE, "enabled": False}},
        },
        "after": {"custom_rules": {"login": {**RULE, "enabled": True}}},
    },
    "pending": {"resource": "x", "key": "y", "mode": "enabled", "not_before": None, "message": "It waits."},
    "unmanaged": [{"resource": "custom_rule", "key": "other", "weakens": False, "reason": "", "since": None}],
    "weaker": [{"resource": "custom_rule", "key": "form", "certain": True, "reason": "skips more"}],
}
REFUSED = {"failed": True, "msg": "No.", "risks": [RISK], "operations": [], "module": "custom_rules"}


def test_a_result_is_read_into_a_prediction() -> None:
    host = host_results("lima", {"zone_id": "z"}, {"custom_rules": ZONE})
    (prediction,) = host.predictions
    (difference,) = prediction.operations
    assert (difference["module"], difference["title"], difference["name"]) == (
        "custom_rules",
        "custom rule",
        "login (log in)",
    )
    assert difference["before"] == {"enabled": False}
    assert [step["message"] for step in prediction.pending] == ["It waits."]
    assert [(item["title"], item["key"], item["accepted"]) for item in prediction.unmanaged] == [
        ("custom rule", "other", None)
    ]
    assert prediction.weaker == ["The custom rule form skips more."]
    record = host_record(host, GENERATED)
    assert (record["status"], record["zone_id"], record["account_id"]) == ("weakened", "z", None)
    assert (record["plans"], record["coverage"], record["mitigates"]) == ({"custom_rules": "a" * 64}, None, None)
    assert record["reasons"][-2:] == ["1 difference from the baseline.", "It waits."]


def test_a_refused_plan_keeps_its_risks_and_takes_the_prediction_beside_it() -> None:
    for results in ({}, {"custom_rules": ZONE}, {"custom_rules": {**REFUSED, "module": None}}):
        host = host_results("lima", {}, results, [REFUSED])
        (prediction,) = host.predictions
        assert prediction.is_refused
        assert [(risk["code"], risk["accepted"]) for risk in prediction.risks] == [("mass_deletion", False)]
        assert host.errors == []
    record = host_record(host, GENERATED)
    assert (record["status"], record["reasons"]) == ("drift", ["A run refuses the plan: mass_deletion."])


def test_accepted_risks_are_those_of_a_plan_that_is_not_refused() -> None:
    (prediction,) = host_results("lima", {}, {"custom_rules": {**ZONE, "risks": [RISK]}}).predictions
    assert [risk["accepted"] for risk in prediction.risks] == [True]


@pytest.mark.parametrize(
    ("results", "failures", "errors"),
    [
        ({}, [], ["There is no result: the run did not get to this host, or it has neither account nor zone."]),
        ({"custom_rules": {"failed": True, "msg": "x"}}, [{"failed": True, "msg": "x"}], ["x"]),
        ({"custom_rules": ZONE}, [{"failed": True}], ["The task failed without a message."]),
    ],
)
def test_a_host_that_was_not_read_says_why(results: Any, failures: Any, errors: list[str]) -> None:
    host = host_results("lima", {}, results, failures)
    assert host.errors == errors
    assert host_record(host, GENERATED)["status"] == "unknown"


def test_a_refusal_is_a_failure_with_risks_and_operations() -> None:
    assert is_refusal(REFUSED)
    assert not is_refusal({**REFUSED, "failed": False})
    assert not is_refusal({"failed": True, "risks": [RISK]})

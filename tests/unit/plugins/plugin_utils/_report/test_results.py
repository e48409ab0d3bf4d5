# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Results of modules, the parts of a record that follow from them, and the status."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import BY_NAME
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.coverage import read_coverage
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import (
    assess,
    host_record,
    shared_owners,
    unmet_reasons,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.overview import field_changes
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import expected_lines
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import (
    differences_of,
    expected_records,
    host_results,
    is_refusal,
    is_unmet,
    rule_name,
    unread_host,
)

GENERATED = "2026-11-21T10:00:00+00:00"
NOWHERE: dict[str, Any] = {"networks": [], "addresses": "", "entries": []}
RISK = {**NOWHERE, "code": "mass_deletion", "message": "Much goes.", "reason": None}
UPDATE = {"action": "update", "resource": "custom_rule", "key": "login", "fields": {"enabled": True}}
RULE = {"ref": "login", "action": "block", "expression": "ssl", "description": "log in"}
ZONE = {
    "changed": True,
    "plan_id": "a" * 64,
    "operations": [{**UPDATE, "before": {"enabled": False}}],
    "diff": {
        "before": {"custom_rules": {"login": {**RULE, "enabled": False}}},
        "after": {"custom_rules": {"login": {**RULE, "enabled": True}}},
    },
    "pending": {"resource": "x", "key": "y", "mode": "enabled", "not_before": None, "message": "It waits."},
    "unmanaged": [{"resource": "custom_rule", "key": "other", "weakens": False, "reason": "", "since": None}],
    "weaker": [{"resource": "custom_rule", "key": "form", "certain": True, "reason": "skips more"}],
}
REFUSED = {"failed": True, "msg": "No.", "risks": [RISK], "operations": [], "module": "custom_rules"}


def test_a_result_is_read_into_the_parts_of_a_record() -> None:
    host = host_results("lima", {"zone_id": "z"}, {"custom_rules": ZONE})
    (difference,) = host.record["operations"]
    assert (difference["title"], difference["name"]) == ("custom rule", "login (log in)")
    assert difference["before"] == {"enabled": False}
    assert [(item["title"], item["key"], item["accepted"]) for item in host.record["unmanaged"]] == [
        ("custom rule", "other", None)
    ]
    assert host.weaker == ["The custom rule form skips more."]
    record = host_record(host, GENERATED)
    assert (record["status"], record["zone_id"], record["account_id"]) == ("weakened", "z", None)
    assert (record["plan_id"], record["coverage"], record["mitigates"]) == ("a" * 64, None, None)
    assert record["reasons"][-2:] == ["1 difference from the baseline.", "It waits."]


def test_accepted_risks_are_those_of_a_plan_that_is_not_refused() -> None:
    host = host_results("lima", {}, {"custom_rules": {**ZONE, "risks": [RISK]}})
    assert [risk["accepted"] for risk in host.record["risks"]] == [True]


def test_a_refusal_is_a_failure_with_risks_and_operations() -> None:
    assert is_refusal(REFUSED)
    assert not is_refusal({**REFUSED, "failed": False})
    assert not is_refusal({"failed": True, "risks": [RISK]})


DESCRIBED = {"id": "f" * 32, "description": "log in"}


@pytest.mark.parametrize(
    ("key", "obj", "name"),
    [
        ("login", {}, "login"),
        ("login", {"description": "login"}, "login"),
        ("login", {"description": "log in"}, "login (log in)"),
        ("f" * 32, DESCRIBED, "log in"),
    ],
)
def test_an_object_has_the_name_that_people_give_it(key: str, obj: dict[str, Any], name: str) -> None:
    assert rule_name(key, obj) == name


def test_empty_values_of_a_new_object_and_its_key_say_nothing() -> None:
    operation = {"key": "192.0.2.7", "before": {"enabled": True}}
    fields = {"prefix": "192.0.2.7", "comment": "", "enabled": False, "note": {"a": "x", "b": {}}}
    assert [tuple(change) for change in field_changes({**operation, "fields": fields})] == [
        ("enabled", "true", "false"),
        ("note.a", None, "x"),
        ("note.b", None, "{}"),
    ]


def test_an_operation_of_an_unknown_resource_has_its_name_and_key() -> None:
    (thing,) = differences_of({"operations": [{"action": "create", "resource": "thing", "key": 7}]})
    assert (thing["title"], thing["name"], thing["key"], thing["before"]) == ("thing", "7", "7", {})


@pytest.mark.parametrize("name", BY_NAME)
def test_the_title_of_an_operation_is_that_of_its_resource(name: str) -> None:
    (item,) = differences_of({"operations": [{"action": "create", "resource": name, "key": "x"}]})
    assert item["title"] == BY_NAME[name].title and "_" not in item["title"]


def expectation(now: bool | None, planned: bool | None, reason: str = "") -> dict[str, Any]:
    words = {True: ("blocked", "admin"), False: ("allowed", None), None: ("undecided", None)}
    actual, rule = words[planned]
    before = dict(zip(("actual", "rule"), words[now], strict=True))
    return {
        "description": "closed", "expected": "blocked", "actual": actual, "rule": rule, "met": planned,
        "reasons": [reason] if reason else [], "skips": [], "example": None, "before": {**before, "met": now, "example": None},
    }  # fmt: skip


def with_expectations(*expectations: dict[str, Any], **others: Any) -> dict[str, Any]:
    return {"operations": [], "plan_id": "", "expectations": list(expectations), **others}


def test_results_now_and_after_a_run_stand_in_lines() -> None:
    records = list(
        expected_records(
            with_expectations(expectation(True, True), expectation(None, None, "ssl"), expectation(False, True))
        )
    )
    assert list(expected_lines(records)) == [
        "unmet: closed: expected blocked, now allowed; met after a run",
        "undecided: closed: expected blocked, now undecided; ssl",
        "met: closed: expected blocked, now blocked by admin",
    ]
    assert unmet_reasons(records) == ["An expectation is unmet: closed: expected blocked, but allowed."]


def test_an_outcome_that_is_undecided_may_be_unmet_already() -> None:
    item = expectation(None, False, "there is no rule admin")
    records = list(expected_records(with_expectations({**item, "before": {**item["before"], "met": False}})))
    (reason,) = unmet_reasons(records)
    assert reason == "An expectation is unmet: closed: expected blocked, but another outcome, undecided which one."


@pytest.mark.parametrize(
    ("failed", "planned", "unmet"),
    [(True, False, True), (True, None, True), (True, True, False), (False, False, False)],
)
def test_a_failure_because_of_expectations_is_known(failed: bool, planned: bool | None, unmet: bool) -> None:
    assert is_unmet(with_expectations(expectation(True, planned), failed=failed)) is unmet


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
    host = host_results(
        "lima", {"zone_id": "z"}, {"custom_rules": with_expectations(expectation(now, planned), **failed)}
    )
    assert assess(host) == (status, reasons)


def test_a_part_that_is_unread_makes_its_host_unknown() -> None:
    assert assess(unread_host("lima", "The networks are not known."))[0] == "unknown"


def test_an_account_whose_status_is_not_known_is_unknown() -> None:
    coverage = read_coverage({"enabled": None, "undecided": ["Nobody knows."]})
    host = host_results("lima", {}, {"custom_rules": {"operations": []}})
    status, reasons = assess(replace(host, coverage=coverage))
    assert (status, reasons[0]) == ("unknown", "Nobody knows.")


def test_hosts_that_are_one_are_told_once() -> None:
    owners = {"oslo": ("A", None), "lima": ("a", "c"), "kyiv": ("a", None), "rome": (None, "c"), "bern": (None, None)}
    of_each: dict[str, dict[str, Any]] = {
        host: {"account_id": of, "zone_id": zone, "base_url": "a"} for host, (of, zone) in owners.items()
    }
    elsewhere = {"account_id": "a", "zone_id": "c", "base_url": "b"}
    records: list[dict[str, Any]] = [{"host": host, **one} for host, one in {**of_each, "cork": elsewhere}.items()]
    texts = [text.partition(", so")[0] for text in shared_owners(records)]
    assert texts == [
        "kyiv, lima, oslo are one: all have edge_account_id a",
        "lima and rome are one: both have edge_zone_id c",
    ]

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expectation import (
    Expectation,
    parse_expectations,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expected import (
    expectation_records,
    expectation_results,
    find,
    unmet_expectations,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, rules_of_component
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource

ADMIN = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"', "enabled": True}
GEO = {"ref": "geo", "action": "block", "expression": 'ip.src.country eq "DE"', "enabled": True}
OFFICE = {"ref": "office", "action": "block", "expression": "ip.src in $office", "enabled": True}
GLOBAL = {"scope": "global", "name": "global", "mode": "enabled"}
ACCOUNT: dict[str, Any] = {
    "status": [{"enabled": True}], "prefixes": [{"prefix": "192.0.2.0/24"}], "allowlist": [],
    "syn_flood_rules": [GLOBAL], "syn_flood_filters": [], "out_of_state_tcp_rules": [], "out_of_state_tcp_filters": [],
}  # fmt: skip


def expected(**entry: Any) -> list[Expectation]:
    return list(parse_expectations({"expectations": [entry]}))


def refusal(expectations: list[Expectation], before: Any, after: Any) -> str:
    return unmet_expectations(expectations, expectation_results(expectations, before, after), Plan(before, ()))


def test_records_say_what_holds_after_and_before() -> None:
    expectations = expected(request={"path": "/admin"}, expect="blocked", description="closed")
    (record,) = expectation_records(expectations, {"custom_rules": []}, {"custom_rules": [ADMIN]})
    assert record == {
        "description": "closed", "expected": "blocked", "actual": "blocked", "rule": "admin", "met": True, "reasons": [],
        "skips": [], "example": None, "before": {"actual": "allowed", "rule": None, "met": False, "example": None},
    }  # fmt: skip


def test_components_that_differ_are_told_each() -> None:
    expectations = expected(packet={"destination": "192.0.2.7"}, expect="mitigated")
    (finding,) = find(expectations, ACCOUNT)
    assert finding.record() == {
        "actual": {"syn_flood": "mitigated", "out_of_state_tcp": "unprotected"},
        "rule": {"syn_flood": "rule global", "out_of_state_tcp": "no rule"},
        "met": False,
        "example": None,
    }
    assert refusal(expectations, ACCOUNT, ACCOUNT) == (
        "After the plan, 1 expectation is not met, or not decided. (1) expectations[0], destination 192.0.2.7: expected"
        " mitigated, but SYN flood protection mitigated by rule global, out-of-state TCP protection unprotected by no rule,"
        " as it is already. Change the plan or the expectation; it cannot be accepted."
    )


@pytest.mark.parametrize(
    ("entry", "rules", "sentence"),
    [
        ({"request": {"path": "/"}, "expect": "blocked"}, [ADMIN], "expected blocked, but allowed, as it is already."),
        ({"request": {"path": "/"}, "expect": "allowed"}, [GEO],
         "expected allowed, and undecided: rule geo: the field ip.src.country is not given (country)."),
        ({"request": {"source": "192.0.2.1"}, "expect": "allowed"}, [OFFICE],
         "expected allowed, and undecided: rule office: the content of the list $office is not known."),
        ({"request": {"path": "/admin"}, "expect": "blocked", "rule": "x"}, [ADMIN],
         "expected blocked by the rule x, but blocked by admin, as it is already: there is no rule x."),
        ({"request": {"path": "/"}, "expect": "blocked", "rule": "gio"}, [GEO],
         "expected blocked by the rule gio, and unmet: there is no rule gio (did you mean geo?)."),
        ({"request": {"path": "/"}, "expect": "skipped"}, [GEO],
         "expected skipped, and unmet: it is blocked by geo or allowed; rule geo: the field ip.src.country is not given"),
        ({"packet": {"destination": "192.0.2.1"}, "expect": "blocked", "rule": "geo"}, [GEO],
         "expected blocked by the rule geo, but allowed, as it is already: there is no rule geo."),
    ],
)  # fmt: skip
def test_the_refusal_says_what_was_expected_and_what_is(entry: Any, rules: Any, sentence: str) -> None:
    state = {"custom_rules": rules, "network_firewall_rules": []}
    assert sentence in refusal(expected(**entry), state, state)


def test_expectations_that_are_met_refuse_nothing() -> None:
    state = {"custom_rules": [ADMIN]}
    assert refusal(expected(request={"path": "/admin"}, expect="blocked"), state, state) == ""
    allowed = expected(request={"path": "/", "scheme": "https"}, expect="allowed")
    assert refusal(allowed, state, state) == ""


def test_the_protocol_that_would_decide_is_named() -> None:
    expectations = expected(packet={"destination": "203.0.113.53", "destination_port": 23}, expect="blocked")
    state = {"network_firewall_rules": [{"ref": "telnet", "action": "block", "expression": "tcp.dstport in {23}"}]}
    assert "and undecided: the field ip.proto is not given (protocol)" in refusal(expectations, state, state)


def rule(name: str, path: str, action: str = "block") -> dict[str, Any]:
    return {"ref": name, "action": action, "expression": f'http.request.uri.path eq "{path}"', "enabled": True}


def operation(resource: Resource, existing: dict[str, Any], **fields: Any) -> Operation:
    return Operation("update", resource, fields, existing)


@pytest.mark.parametrize(
    ("entry", "before", "changes", "blamed"),
    [
        # The name of the rule `a` is a part of `admin`.
        ({"request": {"path": "/admin"}, "expect": "blocked"}, {"custom_rules": [rule("a", "/a"), ADMIN]},
         [(CUSTOM_RULES, 0, {"action": "log"}), (CUSTOM_RULES, 1, {"action": "log"})], "updates custom rule admin"),
        ({"packet": {"destination": "192.0.2.7", "destination_port": 443, "region": "wnam"}, "expect": {"syn_flood": "mitigated"}},
         {**ACCOUNT, "syn_flood_rules": [{**GLOBAL, "scope": "region", "name": "lob"}, GLOBAL]},
         [(rules_of_component("syn_flood"), 0, {"mode": "monitoring"}), (rules_of_component("syn_flood"), 1, {"mode": "monitoring"})],
         "updates SYN flood rule global"),
        ({"packet": {"destination": "192.0.2.7", "source": "198.51.100.7"}, "expect": "bypassed"},
         {**ACCOUNT, "allowlist": [{"prefix": "198.51.100.0/24", "enabled": True}, {"prefix": "198.51.100.0/2", "enabled": True}]},
         [(ALLOWLIST, 1, {"enabled": False}), (ALLOWLIST, 0, {"enabled": False})], "updates allowlist entry 198.51.100.0/24"),
    ],
)  # fmt: skip
def test_a_change_is_blamed_for_what_its_object_decides(
    entry: Any, before: Any, changes: list[tuple[Resource, int, dict[str, Any]]], blamed: str
) -> None:
    operations, after = [], dict(before)
    for resource, index, fields in changes:
        existing = before[resource.plural][index]
        operations.append(operation(resource, existing, **fields))
        after[resource.plural] = [{**item, **fields} if item is existing else item for item in after[resource.plural]]
    expectations = expected(**entry)
    results = expectation_results(expectations, before, after)
    sentence = unmet_expectations(expectations, results, Plan(before, tuple(operations)))
    assert f"(the plan {blamed})" in sentence

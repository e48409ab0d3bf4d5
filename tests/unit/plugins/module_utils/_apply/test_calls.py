# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which operations go to Cloudflare in one call, which calls may be under way together, and what they send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._apply.executor import (
    Call,
    body_of,
    concurrent_groups,
    match_results,
    plan_calls,
)
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, PREFIXES, STATUS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES, FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

NESTED = ["203.0.113.0/24", "203.0.113.0/25", "203.0.113.6/31", "203.0.113.7/32"]


def planned(resource: Resource, entries: Sequence[Mapping[str, Any]], existing: Sequence[Any] = (), **how: Any) -> Plan:
    return make_plan({resource.plural: list(existing)}, [parse_desired(resource, numbered("x", entries), **how)])


def networks(groups: Sequence[Sequence[Call]]) -> list[list[object]]:
    return [[call.operations[0].address for call in group] for group in groups]


def test_new_networks_that_lie_in_one_another_are_not_under_way_together() -> None:
    groups = list(concurrent_groups(planned(ALLOWLIST, [{"prefix": network} for network in reversed(NESTED)])))
    assert networks(groups) == [[network] for network in NESTED]


def test_changes_and_deletions_of_such_networks_are_not_either() -> None:
    existing = [{"id": f"e{index}", "prefix": network, "comment": ""} for index, network in enumerate(NESTED)]
    changes = planned(ALLOWLIST, [{"prefix": network, "comment": "new"} for network in NESTED], existing)
    assert networks(list(concurrent_groups(changes))) == [[network] for network in NESTED]
    deletions = planned(ALLOWLIST, [{"prefix": network} for network in NESTED], existing, absent=True)
    assert networks(list(concurrent_groups(deletions))) == [[network] for network in reversed(NESTED)]


def test_calls_for_different_kinds_of_changes_never_overlap() -> None:
    entries = [{"prefix": f"10.0.0.{number}", "comment": "new"} for number in range(4)]
    existing = [{"id": f"e{number}", "prefix": f"10.0.0.{number}", "comment": ""} for number in range(2)]
    assert [len(group) for group in concurrent_groups(planned(ALLOWLIST, entries, existing))] == [2, 2]


@pytest.mark.parametrize(("count", "sizes"), [(1, [1]), (300, [300]), (301, [300, 1]), (601, [300, 300, 1])])
def test_a_batch_is_as_large_as_the_service_takes(count: int, sizes: list[int]) -> None:
    entries = [{"prefix": f"10.{number // 250}.{number % 250}.0/24"} for number in range(count)]
    groups = list(concurrent_groups(planned(PREFIXES, entries)))
    assert [[len(call.operations) for call in group] for group in groups] == [[size] for size in sizes]


def test_an_ordered_list_goes_in_one_call_with_all_of_its_objects() -> None:
    existing = [{"id": "1", "ref": "a", "action": "log", "expression": "true"}]
    plan = planned(CUSTOM_RULES, [{"ref": "b", "action": "log", "expression": "false"}], existing)
    (call,) = plan_calls(plan)
    assert [item["ref"] for item in call.whole or ()] == ["a", "b"]
    assert [operation.key for operation in call.operations] == [("b",)]


def test_an_action_that_a_resource_does_not_have_is_a_mistake_of_the_collection() -> None:
    with pytest.raises(LookupError, match="delete cannot be sent for tcp_protection_status"):
        list(plan_calls(Plan({}, (Operation("delete", STATUS, {}, {"enabled": True}, 0),))))


def test_a_call_sends_changed_fields_or_the_whole_object() -> None:
    entry = {"id": "e", "prefix": "10.0.0.1", "comment": "", "x": 1}
    (change,) = plan_calls(planned(ALLOWLIST, [{"prefix": "10.0.0.1", "comment": "new"}], [entry]))
    assert body_of(change, change.operations[0]) == {"comment": "new"}
    (deletion,) = plan_calls(planned(ALLOWLIST, [{"prefix": "10.0.0.1"}], [entry], absent=True))
    assert body_of(deletion, deletion.operations[0]) is None
    rule = {"id": "a" * 32, "action": "log", "ref": "kept", "x": 1, "created_on": "then", "filter": {"id": "f"}}
    (whole,) = plan_calls(planned(FIREWALL_RULES, [{"id": "a" * 32, "action": "block"}], [rule]))
    assert body_of(whole, whole.operations[0]) == {
        "id": "a" * 32, "action": "block", "ref": "kept", "x": 1, "filter": {"id": "f"},
    }  # fmt: skip


def test_a_rule_with_a_deleted_filter_is_sent_without_the_filter() -> None:
    rule = {"id": "1" * 32, "action": "log", "filter": {"id": "f" * 32, "deleted": True}, "modified_on": "2026"}
    desired = parse_desired(FIREWALL_RULES, [(Option(), {"id": "1" * 32, "action": "block"})])
    (call,) = plan_calls(make_plan({"firewall_rules": [rule]}, [desired]))
    assert body_of(call, call.operations[0]) == {"id": "1" * 32, "action": "block", "filter": {"id": "f" * 32}}


@pytest.mark.parametrize("result", [None, [], {}, "text", [None], [{"prefix": "10.0.0.9"}]])
def test_an_answer_that_names_no_object_of_the_call_matches_none(result: Any) -> None:
    (call,) = plan_calls(planned(ALLOWLIST, [{"prefix": "10.0.0.1"}]))
    assert match_results(call, result) == {}


def test_answers_are_matched_by_key_in_any_order_and_spelling() -> None:
    (call,) = plan_calls(planned(PREFIXES, [{"prefix": "10.0.0.1"}, {"prefix": "10.0.1.0/24"}]))
    answers = [{"id": "b", "prefix": "10.0.1.7/24"}, {"id": "a", "prefix": "10.0.0.1"}]
    assert [item["id"] for item in match_results(call, answers).values()] == ["a", "b"]

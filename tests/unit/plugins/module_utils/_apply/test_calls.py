# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which operations go to Cloudflare in one call, which calls may be under way together, and what they send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._apply.executor import (
    Call,
    concurrent_groups,
    match_results,
    plan_calls,
)
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource

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


def test_an_object_that_a_list_may_name_is_made_before_the_list_and_deleted_after_it() -> None:
    rule = parse_desired(CUSTOM_RULES, numbered("x", [{"ref": "a", "action": "log", "expression": "true"}]))
    entries = parse_desired(ALLOWLIST, numbered("x", [{"prefix": "10.0.0.1"}]), exclusive=True)
    existing = {CUSTOM_RULES.plural: [], ALLOWLIST.plural: [{"id": "e", "prefix": "10.0.0.2", "comment": ""}]}
    calls = plan_calls(make_plan(existing, [rule, entries]))
    assert [call.operations[0].label for call in calls] == ["10.0.0.1/32", "a", "10.0.0.2"]


def test_answers_are_matched_by_key_in_any_order_and_spelling() -> None:
    (call,) = plan_calls(planned(PREFIXES, [{"prefix": "10.0.0.1"}, {"prefix": "10.0.1.0/24"}]))
    answers = [{"id": "b", "prefix": "10.0.1.7/24"}, {"id": "a", "prefix": "10.0.0.1"}]
    assert [item["id"] for item in match_results(call, answers).values()] == ["a", "b"]

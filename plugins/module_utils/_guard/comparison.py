# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The words of results on the states of a plan beside its changes: what protects less, what a task
expects, and what nobody names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence

from .._context import UNLIKE_BASELINE, Context
from .._plan.desired import Desired
from .._plan.plan import Plan
from .._protection.expectation import Expectation
from .._schema.resource import NO_ITEMS, ReadCollection, State
from .terms import Terms

if TYPE_CHECKING:  # loaded by the tasks of rules, lists and overrides
    from .._protection.traffic_changes import TrafficChanges


def weaker_results(
    plan: Plan, before: State, after: State, traffic: TrafficChanges, context: Context
) -> dict[str, Any]:
    """The result on objects that protect less before a plan of rules than after it. For the report
    of a role, also the traffic that is treated otherwise than described, and what is not known of
    it.
    """
    from .._protection.described_traffic import weaker_records

    results: dict[str, Any] = {}
    weaker = weaker_records(before, after, traffic)
    if weaker:
        results["weaker"] = weaker
    if context.reports:
        results[UNLIKE_BASELINE] = traffic.reversed.record()
    if context.is_role and plan.doubts:
        results["unread"] = plan.doubts
    return results


def expected_results(
    expectations: Sequence[Expectation],
    before: State,
    after: State,
    contents: Mapping[str, Sequence[str]] = NO_ITEMS,
) -> dict[str, Any]:
    """The results of the expectations of a task, in the state `after` a plan and in the one
    `before` it. After it, lists have these `contents`.
    """
    if not expectations:
        return {}
    from .._protection.expected import expectation_results  # loaded if a task asks for it
    from .._schema.lists import items_of, items_written

    items = {items_of(name).plural: items_written(contents[name]) for name in contents}
    return expectation_results(expectations, before, {**after, **items} if items else after)


def unmet_refusal(terms: Terms, expected: Mapping[str, Any], plan: Plan) -> str:
    """The refusal of a plan after which some expectations are not met; empty if all are. A plan of
    changes that are due by time is refused only for expectations that are met before it.
    """
    if not expected:
        return ""
    from .._protection.expected import unmet_expectations

    return unmet_expectations(terms.expectations, expected, plan, broken_alone=terms.only_time)


def unmanaged_results(
    task_desired: Sequence[Desired], state: State, is_role: bool, with_lists: bool
) -> dict[str, Any]:
    """The result on objects of a state that the task does not name."""
    from .._protection.all_unmanaged import all_unmanaged, unmanaged_of_host

    if is_role:
        return {"unmanaged": unmanaged_of_host(task_desired, state, with_lists)}
    return {"unmanaged": all_unmanaged(task_desired, state, False)}


def rule_warnings(plan: Plan, read: ReadCollection) -> Sequence[str]:
    """Warnings of a plan of rules, lists or overrides that may change more than its objects; `read`
    looks up what was read for its checks."""
    from .rule_plans import warnings_of_rules  # loads all kinds of rules
    from .zone_quota import doubtful_fields

    return [*warnings_of_rules(plan), *filter(None, [doubtful_fields(plan, read)])]

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a finder says of a change of rules; which change carries which risk is a table of the functional tests."""

from __future__ import annotations

from typing import Any, Sequence

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.base import Change
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.rulesets import weakens_zone
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.wide_rules import (
    blocks_everything,
    skips_everything,
)
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.declaration import Limits
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils._protection.worse import worse
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES

from tests.support.changes import change_from
from tests.support.work import calls_of

FINDERS = (weakens_zone, skips_everything, blocks_everything)


def change_of(existing: Sequence[dict[str, Any]], desired: Sequence[dict[str, Any]], exclusive: bool = False) -> Change:
    state = {"custom_rules": [{"id": str(number), **item} for number, item in enumerate(existing)]}
    plan = make_plan(state, [parse_desired(CUSTOM_RULES, numbered("rules", desired), exclusive=exclusive)])
    return change_from(plan)


def block(number: int, expression: str = "") -> dict[str, Any]:
    return {"ref": f"r{number}", "action": "block", "expression": expression or f"ip.src eq 203.0.113.{number}"}


def test_a_plan_without_a_change_of_rules_has_none_of_these_risks() -> None:
    state = {"custom_rules": [block(1, "true")], "prefixes": []}
    plan = make_plan(state, [parse_desired(PREFIXES, numbered("prefixes", [{"prefix": "192.0.2.0/24"}]))])
    for change in (change_from(plan), change_from(Plan(state, ())), change_of([block(1, "true")], [block(1, "true")])):
        assert [finder.find(change, Limits()) for finder in FINDERS] == [None, None, None]


def test_a_message_names_the_first_rules_and_counts_the_others() -> None:
    rules = [block(number) for number in range(8)]
    risk = weakens_zone.in_change(
        change_of(rules, [{"ref": item["ref"], "enabled": False} for item in rules]), Limits()
    )
    assert risk is not None
    assert [entry.text for entry in risk.entries] == [item["ref"] for item in rules]
    assert risk.message.startswith("8 of 8 custom rules that block or challenge would no longer do so (r0 disabled, r1")
    assert "r4 disabled and 3 more), which is more than 30 %." in risk.message


def test_a_rule_is_weakened_only_where_requests_matched_it() -> None:
    nothing = {"ref": "r1", "expression": "ssl and not ssl"}
    weakened = [
        weakens_zone.in_change(change_of([block(1, expression)], [nothing]), Limits())
        for expression in ("", "ssl", "not true")
    ]
    assert [[entry.text for entry in risk.entries] if risk else None for risk in weakened] == [["r1"], ["r1"], None]


def test_unusual_rules_of_the_service_are_none_of_these_risks() -> None:
    odd: list[dict[str, Any]] = [
        {"ref": "a", "action": "execute", "expression": "true", "action_parameters": {"id": "4814384a9e5d4991"}},
        {"ref": "b", "action": "skip", "expression": "true", "action_parameters": None},
        {"ref": "c", "action": None, "expression": None, "enabled": "unknown"},
        {"ref": "d", "action": "block", "expression": "(("},
    ]
    change = change_of(odd, [block(1)])
    assert [finder.find(change, Limits()) for finder in FINDERS] == [None, None, None]


@pytest.mark.parametrize(("parameters", "more", "grows"), [
    ({"products": ["bic"]}, {"products": ["bic", "waf"]}, True),
    ({"products": ["bic", "waf"]}, {"products": ["waf"]}, False),
    ({"products": ["bic"]}, {"ruleset": "current"}, True),
    ({"ruleset": "current"}, {"phase": "current"}, True),
    ({"phase": "current"}, {"ruleset": "current"}, False),
    ({"rulesets": ["a"]}, {"rulesets": ["a"], "phases": ["http_ratelimit"]}, True),
    ({"rules": {"a": ["b"]}}, {"ruleset": "current"}, True),
])  # fmt: skip
def test_a_skip_of_everything_grows_with_what_it_skips(
    parameters: dict[str, Any], more: dict[str, Any], grows: bool
) -> None:
    rule = {"ref": "r", "action": "skip", "expression": "true"}
    after = Coverage({"custom_rules": [{**rule, "action_parameters": more}]})
    plan = change_of([{**rule, "action_parameters": parameters}], [{"ref": "r", "description": "changed"}]).plan
    assert (skips_everything.find(Change(plan, Coverage(plan.before), after, worse), Limits()) is not None) is grows


A, B = 'starts_with(http.request.uri.path, "/a")', 'not starts_with(http.request.uri.path, "/a")'
SKIP = {"action": "skip", "action_parameters": {"ruleset": "current"}}
EVERY_REQUEST = "every request matches, and would be blocked by it."
SKIPPED = "every request matches, and would skip what it skips."


@pytest.mark.parametrize(
    ("existing", "desired", "messages"),
    [
        ([], [block(1, A), block(2, B)], [f"Custom rule r1 (new) together with r2, custom rule r2 (new) together with r1: {EVERY_REQUEST}"]),
        ([block(1, A), block(3)], [block(2, B)], [f"Custom rule r2 (new) together with r1: {EVERY_REQUEST}"]),
        ([block(1, A), {**block(2, B), "enabled": False}], [{"ref": "r2", "enabled": True}],
         [f"Custom rule r2 (enabled) together with r1: {EVERY_REQUEST}"]),
        ([block(1, A), block(2)], [block(2, B)], [f"Custom rule r2 (widened) together with r1: {EVERY_REQUEST}"]),
        ([block(1, A)], [{"ref": "r2", **SKIP, "expression": B}], []),
        ([{"ref": "r1", **SKIP, "expression": A}], [{"ref": "r2", **SKIP, "expression": B}], []),
        ([{"ref": "r1", **SKIP, "expression": A}, {"ref": "r2", **SKIP, "expression": B, "enabled": False}, block(3)],
         [{"ref": "r2", "enabled": True}],
         [f"Custom rule r2 (enabled) together with r1: {SKIPPED}"]),
        ([block(1, A), block(2, B)], [block(3, B)], []),
        ([block(1, A), block(2, B)], [{"ref": "r1", "action": "log"}], []),
    ],
)  # fmt: skip
def test_narrow_rules_are_judged_together(
    existing: list[dict[str, Any]], desired: list[dict[str, Any]], messages: list[str]
) -> None:
    change = change_of(existing, desired)
    risks = [finder.in_change(change, Limits()) for finder in (skips_everything, blocks_everything)]
    assert [risk.message for risk in risks if risk] == messages


def test_a_rule_that_narrow_ones_kept_traffic_from_is_judged_without_them() -> None:
    existing = [block(1, A), block(2, B), {"ref": "all", **SKIP, "expression": "true"}, *map(block, range(3, 12))]
    change = change_of(existing, existing[2:], exclusive=True)
    risk = skips_everything.in_change(change, Limits())
    assert risk is not None
    assert risk.message == f"Custom rule all (no longer behind a rule that ends the evaluation): {SKIPPED}"


EVERY = {"ref": "every", "action": "block", "expression": "true"}
PASSED = {"ref": "passed", **SKIP, "action_parameters": {"ruleset": "current"}, "expression": "true"}


@pytest.mark.parametrize(
    ("front", "is_risk"),
    [
        ([{**EVERY, "ref": "other"}], False),
        ([block(1, A), block(2, B)], False),
        ([{**EVERY, "ref": "other", "action": "managed_challenge"}], True),
        ([PASSED], True),
        ([PASSED, {**EVERY, "ref": "other"}], True),
    ],
)
def test_a_rule_that_stops_what_others_stopped_before_the_plan_is_no_risk(
    front: list[dict[str, Any]], is_risk: bool
) -> None:
    for desired in (EVERY, {**EVERY, "description": "Under attack"}):
        change = change_of([*front, EVERY], [desired], exclusive=True)
        risk = blocks_everything.in_change(change, Limits())
        assert bool(risk) is is_risk


def test_a_skip_that_was_everything_with_another_one_is_judged_by_itself() -> None:
    quarters = [f"ip.src in {{{start}.0.0.0/2}}" for start in (0, 64, 128, 192)]
    half = {**PASSED, "ref": "half", "expression": " or ".join(quarters[2:])}
    existing = [
        {**PASSED, "ref": "quarter", "expression": quarters[0]},
        block(1, quarters[2]),
        block(2, " or ".join(quarters[2:])),
        half,
        block(3, quarters[0]),
    ]
    change = change_of(existing, [existing[0], *existing[3:]], exclusive=True)
    risk = skips_everything.in_change(change, Limits())
    assert risk is not None and "half (no longer behind a rule that ends the evaluation)" in risk.message


def calls_for(count: int) -> int:
    """The calls of functions that check a plan for so many rules, which changes a tenth of them."""
    condition = (
        '(http.request.uri.path contains "/a{0}" and not ip.src in {{10.0.0.0/8 192.0.2.{1}}}) or http.host eq "h{0}"'
    )
    rules = [block(number, condition.format(number, number % 256)) for number in range(count)]
    change = change_of(rules, [{"ref": f"r{number}", "enabled": False} for number in range(count // 10)])
    findings: list[object] = []
    calls = calls_of(lambda: findings.extend(finder.find(change, Limits()) for finder in FINDERS))
    assert findings == [None, None, None]
    return calls


def test_ten_times_as_many_rules_take_less_than_thirty_times_the_work() -> None:
    assert calls_for(500) < 30 * calls_for(50)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps from firewall rules to custom rules: requests meet the same after each, and after the last none is left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._migration.migrate import migrate, steps
from ansible_collections.edgeops.protection.plugins.module_utils._migration.report import report
from hypothesis import event, given
from hypothesis import strategies as st

from tests.support.migration_strategies import MANY, ODD_RULE, REQUESTS, rule, zones
from tests.support.requests_evaluator import Request, under_custom_rules, under_firewall_rules

Rules = Sequence[Mapping[str, Any]]
NOTHING_LEFT: dict[str, list[Any]] = {"conflicts": [], "create": [], "pause": []}


def with_created(existing: Rules, created: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The zone's custom rules after the missing ones were created where their positions say."""
    rules = [dict(custom) for custom in existing]
    for custom in created:
        word, _space, ref = custom["position"].partition(" ")
        refs = [other["ref"] for other in rules]
        index = len(rules) if word == "last" else refs.index(ref) + (word == "after")
        rules.insert(index, {name: value for name, value in custom.items() if name != "position"})
    return rules


def with_paused(rules: Rules, desired: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    ids = {item["id"] for item in desired}
    return [{**rule, "paused": True} if rule["id"] in ids else dict(rule) for rule in rules]


def under_both(firewall: Rules, custom: Rules, request: Request) -> tuple[set[str], set[str], str | None]:
    """What is logged and skipped, and the action: firewall rules come first, and what they allow meets custom rules."""
    first = under_firewall_rules(firewall, request)
    if first.action not in (None, "allow"):
        return {*first.logged}, {*first.skipped}, first.action
    then = under_custom_rules(custom, request)
    return {*first.logged, *then.logged}, {*first.skipped, *then.skipped}, then.action or first.action


@MANY
@given(rules=zones(), requests=REQUESTS)
def test_requests_meet_the_same_all_the_way(rules: list[dict[str, Any]], requests: list[Request]) -> None:
    to_do = steps(rules, [])
    custom = with_created([], to_do["create"])
    assert custom == migrate(rules).rules
    before = {request: under_both(rules, [], request) for request in requests}
    for count in range(len(to_do["pause"]) + 1):
        left = with_paused(rules, to_do["pause"][:count])
        assert {request: under_both(left, custom, request) for request in requests} == before


@MANY
@given(rules=zones(odd=True), foreign=st.booleans())
def test_nothing_is_left_to_do_afterwards(rules: list[dict[str, Any]], foreign: bool) -> None:
    """What is rendered and reported is the same as before, too."""
    existing = [{"ref": "foreign", "action": "block", "expression": "ip.src eq 192.0.2.1", "enabled": True}] * foreign
    to_do = steps(rules, existing)
    custom = with_created(existing, to_do["create"])
    paused = with_paused(rules, to_do["pause"])
    event(f"paused: {bool(to_do['pause'])}, merged: {len(custom) - len(existing) < len(rules)}")
    again = steps(paused, custom)
    assert again == NOTHING_LEFT
    assert report(migrate(paused, custom)) == report(migrate(rules, existing))
    assert migrate(paused, custom).rules == migrate(rules, existing).rules


@MANY
@given(
    rules=st.lists(ODD_RULE, max_size=6), custom=st.lists(st.dictionaries(st.text(max_size=3), st.text()), max_size=2)
)
def test_steps_are_shown_whatever_the_service_says(rules: list[dict[str, Any]], custom: list[dict[str, str]]) -> None:
    existing = [{**item, "ref": ref} for ref, item in zip("ab", custom, strict=False)]
    to_do = steps(rules, existing)
    assert {step["id"] for step in to_do["pause"]} <= {item["id"] for item in rules}
    assert not {item["ref"] for item in existing} & {item["ref"] for item in to_do["create"]}


def existing(ref: str, action: str = "block", **fields: Any) -> dict[str, Any]:
    return {"ref": ref, "action": action, "expression": 'http.host  eq "example.com"', "enabled": True, **fields}


def test_missing_rules_go_between_those_that_exist() -> None:
    rules = [rule(name, "block") for name in "abcd"]
    to_do = steps(rules, [existing("x"), existing("b"), existing("d")])
    assert {item["ref"]: item["position"] for item in to_do["create"]} == {"a": "before b", "c": "after b"}


@pytest.mark.parametrize(
    ("firewall", "custom"),
    [
        (rule("a", "block"), existing("a", expression="ip.src eq 192.0.2.1")),
        (rule("a", "block"), existing("a", "log")),
        (rule("a", "block"), existing("a", enabled=False)),
        (rule("a", "allow"), existing("a", "skip", action_parameters={"products": ["waf"]})),
        (
            rule("a", "bypass", products=["waf"]),
            existing("a", "skip", action_parameters={"ruleset": "current", "products": ["waf"]}),
        ),
    ],
)
def test_a_custom_rule_that_does_something_else_is_a_conflict(firewall: dict[str, Any], custom: dict[str, Any]) -> None:
    assert steps([firewall], [custom])["conflicts"] == ["a"]
    assert steps([{**firewall, "paused": True}], [custom]) == NOTHING_LEFT


def test_a_custom_rule_that_does_the_same_is_none() -> None:
    skip = existing("a", "skip", action_parameters={"products": ["waf", "bic"]})
    assert steps([rule("a", "bypass", products=["bic", "waf"])], [skip]) == {
        **NOTHING_LEFT,
        "pause": [{"id": "a", "paused": True}],
    }


def test_a_paused_rule_is_not_enabled_since_another_one_goes_by_its_ref() -> None:
    (custom,) = migrate([rule("a", "block", paused=True)], [existing("a", expression="ip.src eq 192.0.2.1")]).rules
    assert custom["enabled"] is False


def test_a_custom_rule_that_was_disabled_later_stays_so() -> None:
    (custom,) = migrate([rule("a", "block", paused=True)], [existing("a", enabled=False)]).rules
    assert custom["enabled"] is False


def test_rules_before_one_that_nobody_knows_stay_in_effect() -> None:
    rules = [rule("a", "allow", priority=1), rule("b", "simulate", priority=2), rule("c", "block", priority=3)]
    assert steps(rules, [])["pause"] == [{"id": "c", "paused": True}]


@pytest.mark.parametrize("custom", ["text", None, {"rules": []}, ["text"]])
def test_custom_rules_are_a_list_of_mappings(custom: Any) -> None:
    with pytest.raises(ValueError, match="custom_rules"):
        steps([], custom)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Under the custom rules, a request meets what it meets under the firewall rules, or the report names the rule."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._migration.migrate import Migration, migrate
from ansible_collections.edgeops.protection.plugins.module_utils._migration.report import report
from hypothesis import assume, event, example, given
from hypothesis import strategies as st

from tests.support.migration_strategies import MANY, ODD_RULE, REQUESTS, rule, zones
from tests.support.requests_evaluator import (
    PRECEDENCE,
    Outcome,
    Request,
    matches,
    under_custom_rules,
    under_firewall_rules,
)

# Few values of each kind, so that rules meet each other and requests meet rules.


# The same with other white space outside of quotes, as when somebody wrote the rule of a pair by hand.


def becoming(outcome: Outcome, migration: Migration) -> Outcome:
    """An outcome under firewall rules, with the ref of the custom rule in the place of the firewall rule's id."""
    refs = {entry["id"]: entry["becomes"] for entry in migration.entries}
    return replace(outcome, by=refs.get(outcome.by))


ALL = [Request()]


@MANY
@given(rules=zones(), requests=REQUESTS)
@example(rules=[rule(action, action) for action in reversed(PRECEDENCE)], requests=ALL).via("ties in priority")
@example(
    rules=[
        rule("r0", "bypass", priority=1, products=["waf"]),
        rule("r1", "block", priority=2),
        rule("r2", "allow", priority=3),
    ],
    requests=ALL,
).via("a block within a pair")
@example(
    rules=[{**rule("r0", "block"), "filter": {"expression": 'http.host eq "example.com"', "paused": True}}],
    requests=ALL,
)
def test_the_outcome_of_a_request_stays(rules: list[dict[str, Any]], requests: list[Request]) -> None:
    """Whatever is documented of firewall rules can be carried over, so here no note excuses a difference."""
    migration = migrate(rules)
    if len(migration.rules) < len(rules):
        event("a pair is merged")
    for request in requests:
        outcome = under_firewall_rules(rules, request)
        event(f"ends with {outcome.action}")
        assert under_custom_rules(migration.rules, request) == becoming(outcome, migration)


@MANY
@given(rules=zones(odd=True), requests=REQUESTS)
def test_the_outcome_of_a_request_stays_or_the_report_explains_it(
    rules: list[dict[str, Any]], requests: list[Request]
) -> None:
    migration = migrate(rules)
    noted = {entry["id"] for entry in migration.entries if entry["notes"]}
    text = report(migration)
    assert all(f"\n- {id_}" in text for id_ in noted)
    for request in requests:
        outcome = becoming(under_firewall_rules(rules, request), migration)
        if under_custom_rules(migration.rules, request) != outcome:
            event("differs")
            assert any(rule["id"] in noted and meets(rule, request) for rule in rules)


def meets(rule: Mapping[str, Any], request: Request) -> bool:
    return not rule["filter"].get("deleted") and matches(rule["filter"]["expression"], request)


@MANY
@given(rules=zones(odd=True), requests=REQUESTS)
def test_a_rule_with_nothing_to_note_is_not_the_one_that_differs(
    rules: list[dict[str, Any]], requests: list[Request]
) -> None:
    """What is left when the rules with notes are taken out of both lists does the same."""
    noted = {entry["id"] for entry in migrate(rules).entries if entry["notes"]}
    kept = [rule for rule in rules if rule["id"] not in noted]
    assume(kept)
    migration = migrate(kept)
    for request in requests:
        outcome = becoming(under_firewall_rules(kept, request), migration)
        assert under_custom_rules(migration.rules, request) == outcome


@MANY
@given(rules=zones(), requests=REQUESTS)
def test_differences_from_the_order_of_the_list_are_noted(rules: list[dict[str, Any]], requests: list[Request]) -> None:
    """A zone whose rules have no priority may evaluate them as they are listed."""
    rules = [{**rule, "priority": None} for rule in rules]
    as_listed = [{**rule, "priority": rank} for rank, rule in enumerate(rules)]
    migration = migrate(rules)
    noted = {entry["id"] for entry in migration.entries if any("order of the list" in note for note in entry["notes"])}
    for request in requests:
        outcome = becoming(under_firewall_rules(as_listed, request), migration)
        converted = under_custom_rules(migration.rules, request)
        if (sorted(converted.logged), converted.skipped, converted.action) != (
            sorted(outcome.logged),
            outcome.skipped,
            outcome.action,
        ):
            event("differs")
            assert any(rule["id"] in noted and meets(rule, request) for rule in rules)


@MANY
@given(rules=st.lists(ODD_RULE, max_size=6))
def test_odd_rules_become_rules_and_a_report(rules: list[dict[str, Any]]) -> None:
    migration = migrate(rules)
    refs = [custom["ref"] for custom in migration.rules]
    assert len(set(refs)) == len(refs)
    assert sorted(entry["id"] for entry in migration.entries) == sorted(rule["id"] for rule in rules)
    for entry in migration.entries:
        if entry["position"] is None:
            assert entry["becomes"] is None and entry["notes"]
        else:
            assert refs[entry["position"] - 1] == entry["becomes"]
    for custom in migration.rules:
        assert custom["expression"].strip()
        assert (custom["action"] == "skip") == bool(custom.get("action_parameters")) == ("logging" in custom)
    json.dumps(migration, allow_nan=False)
    table = [line for line in report(migration).splitlines() if line.startswith("|")]
    assert len(table) == len(rules) + 2

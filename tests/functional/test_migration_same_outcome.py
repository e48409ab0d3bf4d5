# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Under the custom rules, a request meets what it meets under the firewall rules, or the report names the rule."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils.migration.migrate import Migration, migrate
from ansible_collections.edgeops.protection.plugins.module_utils.migration.report import report
from hypothesis import assume, event, example, given, settings
from hypothesis import strategies as st

from tests.support.requests_evaluator import (
    PRECEDENCE,
    Outcome,
    Request,
    matches,
    under_custom_rules,
    under_firewall_rules,
)

# Few values of each kind, so that rules meet each other and requests meet rules.
NETWORKS = ["192.0.2.0/24", "192.0.2.0/28", "198.51.100.7", "2001:db8::/32", "192.0.2.3..192.0.2.9"]
TEXTS = {
    "http.request.uri.path": ["/", "/login", "/admin/x"],
    "http.host": ["example.com", "a  b"],
    "http.request.method": ["GET", "POST"],
    "http.user_agent": ["", 'say "bot"'],
}
PRODUCTS = ["zoneLockdown", "uaBlock", "bic", "hot", "securityLevel", "rateLimit", "waf"]


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def on_text(name: str) -> st.SearchStrategy[str]:
    values = st.sampled_from(TEXTS[name]).map(quoted)
    single = st.builds(
        lambda operator, value: f"{name} {operator} {value}",
        st.sampled_from(["eq", "==", "ne", "!=", "contains", "matches", "~"]),
        values,
    )
    several = st.lists(values, min_size=1, max_size=2).map(lambda members: f"{name} in {{{' '.join(members)}}}")
    return single | several


ON_ADDRESS = st.lists(st.sampled_from(NETWORKS), min_size=1, max_size=2).map(
    lambda members: f"ip.src in {{{' '.join(members)}}}"
)
COMPARISON = st.one_of(ON_ADDRESS, *map(on_text, TEXTS))
EXPRESSION = st.recursive(
    COMPARISON,
    lambda parts: st.one_of(
        parts.map(lambda part: f"not ({part})"),
        st.builds(lambda one, joint, other: f"({one} {joint} {other})", parts, st.sampled_from(["and", "or"]), parts),
    ),
    max_leaves=3,
)
# The same with other white space outside of quotes, as when somebody wrote the rule of a pair by hand.
SPACED = st.sampled_from([lambda text: text, lambda text: f" {text}\n", lambda text: text.replace(" {", "  {")])

REQUEST = st.builds(
    Request,
    path=st.sampled_from(TEXTS["http.request.uri.path"]),
    host=st.sampled_from(TEXTS["http.host"]),
    method=st.sampled_from(TEXTS["http.request.method"]),
    user_agent=st.sampled_from(TEXTS["http.user_agent"]),
    source=st.sampled_from(["192.0.2.5", "192.0.2.99", "198.51.100.7", "203.0.113.1", "2001:db8::1"]),
)
REQUESTS = st.lists(REQUEST, min_size=1, max_size=8, unique=True)


def rule_of(expressions: Sequence[str], odd: bool) -> st.SearchStrategy[dict[str, Any]]:
    """A rule without an id. An odd one may have an unknown action, products or a deleted filter."""
    products = st.lists(st.sampled_from([*PRODUCTS, "rain"] if odd else PRODUCTS), min_size=0 if odd else 1, max_size=2)
    expression = st.builds(lambda space, text: space(text), SPACED, st.sampled_from(expressions))
    condition: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
        {"id": st.just("f"), "expression": expression, "paused": st.sampled_from([False, False, False, True])}
    )
    if odd:
        condition |= st.just({"id": "f", "deleted": True})
    actions = st.sampled_from([*PRECEDENCE, *(["simulate"] if odd else [])])
    rule = st.fixed_dictionaries(
        {"action": actions, "filter": condition, "products": products},
        optional={
            "priority": st.sampled_from([None, 0, 1, 1, 2, 3]),
            "paused": st.sampled_from([False, False, False, True]),
            "ref": st.sampled_from(["", "x", "y", "r1"]),
            "description": st.text(max_size=3),
        },
    )
    return rule.map(without_idle_products)


def without_idle_products(rule: dict[str, Any]) -> dict[str, Any]:
    return rule if rule["action"] == "bypass" else {name: value for name, value in rule.items() if name != "products"}


def pair_of(expressions: Sequence[str], odd: bool) -> st.SearchStrategy[list[dict[str, Any]]]:
    """A bypass, something or nothing, and an allow, often so that the first and the last belong together."""
    rule = rule_of(expressions, odd)
    like_first = st.sampled_from([True, True, True, False])
    return st.builds(paired, rule, st.lists(rule, max_size=1), rule, like_first, st.integers(0, 3))


def paired(
    first: dict[str, Any], between: list[dict[str, Any]], last: dict[str, Any], like_first: bool, priority: int
) -> list[dict[str, Any]]:
    expression = (first if like_first else last)["filter"].get("expression", 'http.host eq "deleted"')
    bypass = {**first, "action": "bypass", "products": first.get("products", ["hot"])}
    allow = {**last, "action": "allow", "filter": {**last["filter"], "expression": expression}}
    rules = [bypass, *between, without_idle_products(allow)]
    return [{**rule, "priority": priority + rank} for rank, rule in enumerate(rules)]


@st.composite
def zones(draw: st.DrawFn, odd: bool = False) -> list[dict[str, Any]]:
    """The firewall rules of a zone, of which several have the same expression."""
    expressions = draw(st.lists(EXPRESSION, min_size=1, max_size=3))
    single = rule_of(expressions, odd).map(lambda rule: [rule])
    parts = draw(st.lists(single | pair_of(expressions, odd), max_size=4))
    rules = draw(st.permutations([rule for part in parts for rule in part]))
    return [{"id": f"r{number}", **rule} for number, rule in enumerate(rules)]


def becoming(outcome: Outcome, migration: Migration) -> Outcome:
    """An outcome under firewall rules, with the ref of the custom rule in the place of the firewall rule's id."""
    refs = {entry["id"]: entry["becomes"] for entry in migration.entries}
    return replace(outcome, by=refs.get(outcome.by))


def rule(id_: str, action: str, expression: str = 'http.host eq "example.com"', **fields: Any) -> dict[str, Any]:
    return {"id": id_, "action": action, "filter": {"id": "f", "expression": expression}, **fields}


ALL = [Request()]
MANY = settings(max_examples=max(300, settings().max_examples))  # pairs and ties need some luck


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
def test_a_request_meets_what_it_met(rules: list[dict[str, Any]], requests: list[Request]) -> None:
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
def test_a_request_meets_what_it_met_or_the_report_says_why_not(
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
def test_where_the_list_may_be_the_order_each_difference_is_noted(
    rules: list[dict[str, Any]], requests: list[Request]
) -> None:
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


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from([*PRECEDENCE, "waf"]),
    lambda parts: st.lists(parts, max_size=2) | st.dictionaries(st.text(max_size=3), parts, max_size=2),
    max_leaves=3,
)
CONDITION = st.fixed_dictionaries({}, optional=dict.fromkeys(("id", "expression", "paused", "deleted"), ANYTHING))
ODD_RULE = st.fixed_dictionaries(
    {"id": st.sampled_from(["a", "b", "c", "d"])},
    optional={
        "filter": CONDITION | ANYTHING,
        "action": st.sampled_from(PRECEDENCE) | ANYTHING,
        "products": st.lists(ANYTHING | st.sampled_from(PRODUCTS), max_size=3) | ANYTHING,
        **dict.fromkeys(("priority", "paused", "description"), ANYTHING),
        "ref": st.sampled_from(["a", "b", "x"]) | ANYTHING,
        "surplus": ANYTHING,
    },
)


@MANY
@given(rules=st.lists(ODD_RULE, max_size=6))
def test_whatever_the_service_says_becomes_rules_and_a_report(rules: list[dict[str, Any]]) -> None:
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

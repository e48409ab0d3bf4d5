# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What becomes of firewall rules, kind by kind; that requests meet the same is for the functional tests."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._migration.migrate import migrate

from tests.support.migration_model import OTHER, Rule, rule


def only(*rules: Rule) -> tuple[Rule, Rule]:
    """The one custom rule and the one entry of one firewall rule."""
    migration = migrate(rules)
    (custom,), (entry,) = migration.rules, migration.entries
    return custom, entry


def notes(*rules: Rule) -> dict[str, list[str]]:
    return {entry["id"]: entry["notes"] for entry in migrate(rules).entries}


def refs(*rules: Rule) -> list[str]:
    return [custom["ref"] for custom in migrate(rules).rules]


@pytest.mark.parametrize(
    ("rules", "order"),
    [
        ([rule("a", priority=2), rule("b", priority=1)], "ba"),
        ([rule("a"), rule("b", priority=2147483647)], "ba"),
        ([rule("a", priority=None), rule("b", priority=0)], "ba"),
        ([rule("a", priority=1.5), rule("b", priority=1.0), rule("c", priority=1)], "bca"),
        ([rule("a", priority=10), rule("b", priority="9")], "ba"),
        ([rule("a", priority=1), rule("b", "allow", priority=2)], "ab"),
        ([rule("a", priority=1), rule("b", priority=1), rule("c", priority=1)], "abc"),
        ([rule("g", "block"), rule("f", "js_challenge"), rule("e", "managed_challenge"), rule("d", "challenge"), rule("c", "allow", OTHER),
         rule("b", "bypass", products=["waf"]), rule("a", "log")], "abcdefg"),
    ],
)  # fmt: skip
def test_priority_and_precedence_become_order(rules: Any, order: str) -> None:
    migration = migrate(rules)
    assert "".join(custom["ref"] for custom in migration.rules) == order
    assert [(entry["id"], entry["position"]) for entry in migration.entries] == [
        (id_, position) for position, id_ in enumerate(order, start=1)
    ]


@pytest.mark.parametrize(
    ("paused", "filter_paused", "enabled", "noted"),
    [(False, False, True, False), (True, False, False, False), (True, True, False, False), (False, True, False, True)],
)
def test_paused_rules_and_filters_become_disabled_rules(
    paused: Any, filter_paused: bool, enabled: bool, noted: Any
) -> None:
    custom, entry = only(rule(paused=paused, filter_paused=filter_paused))
    assert custom["enabled"] is enabled
    assert (entry["paused"], entry["filter_paused"]) == (paused, filter_paused)
    assert ["conversion enables it" in note for note in entry["notes"]] == [True] * noted


def test_a_bypass_and_the_allow_after_it_become_one_skip() -> None:
    migration = migrate(
        [
            rule("1", "bypass", 'http.host  eq "a  b"', priority=1, ref="by", products=["bic"]),
            rule("2", "bypass", OTHER, priority=1, products=["hot"]),
            rule("3", "log", OTHER, priority=2),
            rule("4", "bypass", 'http.host eq\n"a  b"', priority=3, products=["waf", "bic"]),
            rule("5", "allow", 'http.host eq "a  b"', priority=4, ref="let-in", description="partner"),
        ]
    )
    assert [custom["ref"] for custom in migration.rules] == ["2", "3", "let-in"]
    assert migration.rules[2] == {
        "ref": "let-in",
        "action": "skip",
        "action_parameters": {"ruleset": "current", "products": ["bic", "waf"]},
        "expression": 'http.host eq "a  b"',
        "description": "partner",
        "enabled": True,
        "logging": {"enabled": True},
    }
    assert [(entry["becomes"], entry["position"]) for entry in migration.entries] == [
        ("let-in", 3),
        ("2", 1),
        ("3", 2),
        ("let-in", 3),
        ("let-in", 3),
    ]


BYPASS = rule("b", "bypass", priority=1, products=["waf"])
ALLOW = rule("a", "allow", priority=9)


@pytest.mark.parametrize(
    "rules",
    [
        [BYPASS, {**ALLOW, "priority": 0}],
        [BYPASS, rule("a", "allow", OTHER, priority=9)],
        [BYPASS, {**ALLOW, "paused": True}],
        [{**BYPASS, "paused": True}, ALLOW],
        [BYPASS, rule("a", "allow", priority=9, filter_paused=True)],
        [rule("b", "bypass", priority=1, products=["waf"], filter_paused=True), ALLOW],
        [BYPASS, rule("c", "block", OTHER, priority=2), ALLOW],
        [BYPASS, rule("c", "challenge", OTHER, priority=2), ALLOW],
        [BYPASS, rule("c", "allow", OTHER, priority=2), ALLOW],
        [BYPASS, rule("c", "block", OTHER, priority=2, paused=True), ALLOW],
        [BYPASS, rule("c", "simulate", OTHER, priority=2), ALLOW],
    ],
)
def test_a_pair_with_something_between_or_against_it_stays_two_rules(rules: Any) -> None:
    custom = {custom["ref"]: custom.get("action_parameters") for custom in migrate(rules).rules}
    assert custom["b"] == {"products": ["waf"]}
    assert custom["a"] == {"ruleset": "current"}


@pytest.mark.parametrize(
    ("one", "other", "merged"),
    [
        (r'http.host eq r"\" or http.host eq "a  b"', r'http.host eq r"\" or http.host eq "a b"', False),
        (r'http.host eq r"\" or http.host eq "a b"', r'http.host eq r"\" or http.host eq "a b"', True),
        ('http.host  in {"for" "r"}', 'http.host in {"for" "r"}', True),
        ('http.host in { "a" }', 'http.host in {"a"}', True),
        ('http.user_agent eq r#"a "  b"#', 'http.user_agent eq r#"a " b"#', False),
        ('http.user_agent matches "["]  x"', 'http.user_agent matches "["] x"', False),
        ('http.host  eq "for"', 'http.host eq "for"', True),
    ],
)
def test_raw_strings_are_compared_letter_by_letter(one: str, other: str, merged: bool) -> None:
    rules = migrate([rule("b", "bypass", one, products=["waf"]), rule("a", "allow", other)]).rules
    assert len(rules) == (1 if merged else 2)


@pytest.mark.parametrize(
    ("rules", "expected", "noted"),
    [
        ([rule("a", ref="x"), rule("b", ref="y")], ["x", "y"], ""),
        ([rule("a", ref="x"), rule("b", ref="x")], ["a", "b"], "ab"),
        ([rule("a", ref=""), rule("b", ref=None), rule("c", ref="  "), rule("d", ref=5)], ["a", "b", "c", "d"], ""),
        ([rule("a", ref="b"), rule("b")], ["a", "b"], "a"),
        ([rule("a", ref="b"), rule("b", ref="x")], ["a", "x"], "a"),
        ([rule("a", ref="a"), rule("b", ref="B")], ["a", "B"], ""),
    ],
)
def test_refs_are_the_rules_own_if_nothing_else_goes_by_them(rules: Any, expected: Any, noted: Any) -> None:
    assert refs(*rules) == expected
    assert "".join(id_ for id_, noted_rules in notes(*rules).items() if noted_rules) == noted


@pytest.mark.parametrize(
    ("odd", "note"),
    [
        (rule(action="simulate"), "action 'simulate' is unknown"),
        (rule(action="bypass", products=["rain"]), "skip 'rain'"),
    ],
)
def test_a_rule_that_no_custom_rule_replaces_is_left_out_and_noted(odd: dict[str, Any], note: str) -> None:
    migration = migrate([odd, rule("z", priority=1)])
    assert [custom["ref"] for custom in migration.rules] == ["z"]
    entry = migration.entries[1]
    assert (entry["becomes"], entry["position"]) == (None, None)
    assert note in " ".join(entry["notes"])


def test_without_priorities_the_list_itself_may_be_the_order() -> None:
    noted_rules = notes(rule("block"), rule("allow", "allow"), rule("log", "log"), rule("other", "log"))
    assert list(noted_rules) == ["log", "other", "allow", "block"]
    assert [note.partition("list, ")[2] for note in noted_rules["block"]] == [
        "it evaluates this one before allow, log, other, not after; move it then."
    ]
    assert [note.partition("list, ")[2] for note in noted_rules["allow"]] == [
        "it evaluates this one after block, not before; move it then.",
        "it evaluates this one before log, other, not after; move it then.",
    ]
    assert [len(noted_rules[id_]) for id_ in ("log", "other")] == [1, 1]


@pytest.mark.parametrize(
    "rules",
    [
        [rule("a", "allow"), rule("b", "block")],
        [rule("a", "block"), rule("b", "allow", priority=1)],
        [rule("a", "block", paused=True), rule("b", "allow")],
        [rule("a", "block"), rule("b", "allow", filter_paused=True)],
        [rule("a", "bypass", products=["waf"]), rule("b", "log")],
        [rule(str(number), "block") for number in range(200)] + [rule("b", "allow")],
    ],
)
def test_other_rules_have_a_certain_order(rules: Any) -> None:
    assert [note for noted_rules in notes(*rules).values() for note in noted_rules if "order of the list" in note] == []

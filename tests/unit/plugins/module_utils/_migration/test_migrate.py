# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What becomes of firewall rules, kind by kind; that requests meet the same is for the functional tests."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._migration.migrate import migrate

from tests.support.migration_model import OFFICE, OTHER, Rule, rule


def only(*rules: Rule) -> tuple[Rule, Rule]:
    """The one custom rule and the one entry of one firewall rule."""
    migration = migrate(rules)
    (custom,), (entry,) = migration.rules, migration.entries
    return custom, entry


def notes(*rules: Rule) -> dict[str, list[str]]:
    return {entry["id"]: entry["notes"] for entry in migrate(rules).entries}


def refs(*rules: Rule) -> list[str]:
    return [custom["ref"] for custom in migrate(rules).rules]


def test_a_rule_becomes_a_custom_rule() -> None:
    custom, entry = only(rule(ref="scrapers", description="no scrapers", priority=7, paused=False))
    assert custom == {
        "ref": "scrapers",
        "action": "block",
        "expression": OFFICE,
        "description": "no scrapers",
        "enabled": True,
    }
    assert entry == {
        "id": "a",
        "description": "no scrapers",
        "action": "block",
        "priority": 7,
        "paused": False,
        "filter_paused": False,
        "becomes": "scrapers",
        "position": 1,
        "notes": [],
    }


@pytest.mark.parametrize(
    ("action", "fields", "expected"),
    [
        ("log", {}, {"action": "log"}),
        ("challenge", {}, {"action": "challenge"}),
        ("managed_challenge", {}, {"action": "managed_challenge"}),
        ("js_challenge", {}, {"action": "js_challenge"}),
        ("block", {"products": ["waf"]}, {"action": "block"}),
        (
            "allow",
            {},
            {"action": "skip", "action_parameters": {"ruleset": "current"}, "logging": {"enabled": True}},
        ),
        (
            "bypass",
            {"products": ["waf", "bic", "waf"]},
            {"action": "skip", "action_parameters": {"products": ["waf", "bic"]}, "logging": {"enabled": True}},
        ),
    ],
)
def test_actions(action: str, fields: dict[str, Any], expected: Any) -> None:
    custom, entry = only(rule(action=action, **fields))
    always = {"ref": "a", "expression": OFFICE, "description": "", "enabled": True}
    assert custom == {**always, **expected}
    assert entry["action"] == action and entry["notes"] == []


def test_a_long_description_is_kept() -> None:
    custom, dummy = only(rule(description="x" * 5000))
    assert custom["description"] == "x" * 5000


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
        (
            [
                rule("g", "block"),
                rule("f", "js_challenge"),
                rule("e", "managed_challenge"),
                rule("d", "challenge"),
                rule("c", "allow", OTHER),
                rule("b", "bypass", products=["waf"]),
                rule("a", "log"),
            ],
            "abcdefg",
        ),
    ],
)
def test_priority_and_precedence_become_order(rules: Any, order: str) -> None:
    migration = migrate(rules)
    assert "".join(custom["ref"] for custom in migration.rules) == order
    assert [(entry["id"], entry["position"]) for entry in migration.entries] == [
        (id_, position) for position, id_ in enumerate(order, start=1)
    ]


@pytest.mark.parametrize(
    ("paused", "filter_paused", "enabled", "noted"),
    [
        (False, False, True, False),
        (True, False, False, False),
        (True, True, False, False),
        (False, True, False, True),
    ],
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


def test_only_the_first_allow_of_two_takes_the_bypass() -> None:
    migration = migrate([BYPASS, ALLOW, rule("c", "allow", priority=10)])
    assert [custom["action_parameters"] for custom in migration.rules] == [
        {"ruleset": "current", "products": ["waf"]},
        {"ruleset": "current"},
    ]


@pytest.mark.parametrize(("length", "noted"), [(4096, False), (4097, True)])
def test_an_expression_that_no_custom_rule_takes_is_noted(length: int, noted: Any) -> None:
    expression = "ip.src in {" + " " * (length - 12) + "}"
    assert bool(notes(rule("a", expression=expression))["a"]) is noted


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
        ({"id": "a"}, "action '' is unknown"),
        (rule(action="simulate"), "action 'simulate' is unknown"),
        (rule(action=None), "action '' is unknown"),
        (rule(action=["block"]), "is unknown"),
        ({"id": "a", "action": "block"}, "filter is deleted or shows no expression"),
        ({"id": "a", "action": "block", "filter": None}, "filter is deleted or shows no expression"),
        ({"id": "a", "action": "block", "filter": "f"}, "filter is deleted or shows no expression"),
        ({"id": "a", "action": "block", "filter": {"id": "f", "deleted": True}}, "filter is deleted"),
        ({"id": "a", "action": "block", "filter": {"expression": "x", "deleted": True}}, "filter is deleted"),
        (rule(expression=" "), "shows no expression"),
        (rule(expression=7), "shows no expression"),
        (rule(action="bypass"), "no product"),
        (rule(action="bypass", products=[]), "no product"),
        (rule(action="bypass", products="waf"), "no product"),
        (rule(action="bypass", products=["rain"]), "skip 'rain'"),
    ],
)
def test_a_rule_that_no_custom_rule_replaces_is_left_out_and_noted(odd: dict[str, Any], note: str) -> None:
    migration = migrate([odd, rule("z", priority=1)])
    assert [custom["ref"] for custom in migration.rules] == ["z"]
    entry = migration.entries[1]
    assert (entry["becomes"], entry["position"]) == (None, None)
    assert note in " ".join(entry["notes"])


def test_a_bypass_keeps_the_products_that_can_be_skipped() -> None:
    custom, entry = only(rule(action="bypass", products=["rain", "waf", None, ["bic"]]))
    assert custom["action_parameters"] == {"products": ["waf"]}
    assert custom["enabled"] is True
    assert [note.partition(",")[0] for note in entry["notes"]] == [
        "Custom rules cannot skip 'rain'",
        "Custom rules cannot skip None",
        "Custom rules cannot skip ['bic']",
    ]


@pytest.mark.parametrize(
    ("paused", "enabled", "noted"),
    [(None, True, 0), ("false", True, 0), ("True", False, 0), ("yes", False, 1), (1, False, 1), ([], False, 1)],
)
def test_a_rule_that_may_be_paused_is_disabled(paused: Any, enabled: bool, noted: Any) -> None:
    custom, entry = only(rule(paused=paused))
    assert custom["enabled"] is enabled
    assert len(entry["notes"]) == noted


def test_a_rule_that_stands_twice_becomes_one() -> None:
    migration = migrate([rule("a", ref="x"), rule("a", "allow", ref="x", priority=1)])
    assert [(custom["ref"], custom["action"]) for custom in migration.rules] == [("x", "block")]
    assert [(entry["becomes"], len(entry["notes"])) for entry in migration.entries] == [(None, 1), ("x", 0)]


def test_a_rule_that_stands_twice_adds_nothing_to_a_pair() -> None:
    rules = [rule("b", "bypass", products=["waf"]), rule("b", "bypass", products=["hot"]), rule("a", "allow")]
    (custom,) = migrate(rules).rules
    assert custom["action_parameters"] == {"ruleset": "current", "products": ["waf"]}


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


def test_many_rules_are_not_named_one_by_one() -> None:
    noted_rules = notes(*[rule(str(number)) for number in range(199)], rule("a", "allow"))
    assert "after 0, 1, 2 and 196 more, not before" in noted_rules["a"][0]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("rules", "firewall rules are a list, such as rules of firewall_rules_info, not a text"),
        (b"rules", "not a text"),
        (True, "not true or false"),
        ({1}, "not a set"),
        ({"rules": []}, "not a mapping"),
        (None, "not null"),
        (7, "not a number"),
        ([rule(), "b"], "number 2 of the firewall rules is not a mapping, but a text"),
        ([[]], "number 1 of the firewall rules is not a mapping, but a list"),
        ([{}], "number 1 of the firewall rules has no id"),
        ([rule(), rule(id_=None)], "number 2 of the firewall rules has no id"),
        ([rule(id_=" ")], "number 1 of the firewall rules has no id"),
        ([rule(id_=5)], "number 1 of the firewall rules has no id"),
    ],
)
def test_data_that_are_no_list_of_rules_are_refused(rules: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        migrate(rules)


def test_no_rules_become_no_rules() -> None:
    migration = migrate([])
    assert migration == ([], [])


def test_the_rules_given_stay_as_they_are() -> None:
    rules = [rule("b", "bypass", products=["waf"], ref="x"), rule("a", "allow")]
    before = json.dumps(rules)
    migrate(rules).rules[0]["action_parameters"]["products"].append("bic")
    assert json.dumps(rules) == before

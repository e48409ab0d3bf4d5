# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way of a request through the rules of its account, of its zone, and of the rulesets that both execute, as one list."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.rules_in_force import (
    REASON_OF_UNREAD,
    rules_in_force,
    zone_values,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.zone_rule import REST_OF_THE_LIST, ZoneRule

OFFICE = "a" * 32
ENTERPRISE = {"name": "shop.example", "plan": {"legacy_id": "enterprise"}}


def rule(ref: str, action: str = "block", expression: str = "ssl", **fields: Any) -> dict[str, Any]:
    return {"ref": ref, "id": ref, "action": action, "expression": expression, **fields}


def skip(ref: str, expression: str = "ssl", **parameters: Any) -> dict[str, Any]:
    return rule(ref, "skip", expression, action_parameters=parameters)


def execute(ref: str, expression: str = "true", **fields: Any) -> dict[str, Any]:
    return rule(ref, "execute", expression, **{"action_parameters": {"id": OFFICE}, **fields})


def ruleset(*rules: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"id": OFFICE, "name": "Office", "kind": "custom", "rules": list(rules), **fields}


def flat(*zone: dict[str, Any], rulesets: Any = (), account: Any = (), **state: Any) -> list[ZoneRule]:
    whole = {"custom_rules": list(zone), "executed_rulesets": list(rulesets), "account_custom_rules": list(account)}
    return rules_in_force({**whole, **state})


def shown(rules: list[ZoneRule]) -> list[tuple[str, str]]:
    return [(rule.entry, rule.expression.text) for rule in rules if rule.active]


def test_the_rules_of_a_ruleset_stand_where_it_is_executed() -> None:
    rules = flat(
        rule("first"), execute("deploy", "http.host eq \"a\""), rule("last"), rulesets=[ruleset(rule("bots"), rule("geo"))]
    )  # fmt: skip
    assert shown(rules) == [
        ("first", "ssl"),
        ("bots of the ruleset Office", '(http.host eq "a") and (ssl)'),
        ("geo of the ruleset Office", '(http.host eq "a") and (ssl)'),
        ("last", "ssl"),
    ]
    assert [rule.via for rule in rules] == [None, ("deploy",), ("deploy",), None]
    assert len({rule.key for rule in rules}) == 4


def test_a_ruleset_that_is_executed_twice_has_its_rules_twice() -> None:
    rules = flat(execute("one"), execute("two"), rulesets=[ruleset(rule("bots"))])
    assert [rule.entry for rule in rules] == ["bots of the ruleset Office"] * 2
    assert len({rule.key for rule in rules}) == 2


def test_disabled_rules_contribute_nothing() -> None:
    rules = flat(execute("off", enabled=False), execute("on"), rulesets=[ruleset(rule("bots", enabled=False))])
    assert shown(rules) == []


@pytest.mark.parametrize(
    ("executes", "rulesets", "unknown"),
    [
        (execute("e"), [], ["the action execute"]),
        (execute("e"), [ruleset(kind="managed")], ["the action execute"]),
        (
            execute("e", action_parameters={"id": OFFICE, "overrides": {}}),
            [ruleset()],
            ["the action parameter overrides"],
        ),
        (execute("e"), [{"id": OFFICE, REASON_OF_UNREAD: "403"}], [f"the ruleset {OFFICE} that it executes (403)"]),
        (execute("e"), [ruleset(execute("inner"))], ["the action execute"]),
    ],
)
def test_a_ruleset_that_is_not_known_is_a_doubt(executes: Any, rulesets: Any, unknown: list[str]) -> None:
    (found,) = flat(executes, rulesets=rulesets)
    assert found.unknown == unknown


BOTS, GEO, SKIPPING = "bots of the ruleset Office", "geo of the ruleset Office", "s of the ruleset Office"


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ([skip("s", "S", ruleset="current"), rule("bots")], [(SKIPPING, "S"), (BOTS, "(ssl) and not (S)")]),
        ([skip("s", "S", phase="current"), rule("bots")], [(SKIPPING, "S"), (BOTS, "ssl")]),
        ([skip("s", "S", phases=["http_ratelimit"]), rule("bots")], [(SKIPPING, "S"), (BOTS, "ssl")]),
        ([{**skip("s", "S", ruleset="current"), "enabled": False}, rule("bots")], [(BOTS, "ssl")]),
        ([skip("s", "S", ruleset="current", products=["waf"])], [(SKIPPING, "S")]),
        (
            [skip("s", "S", rules={OFFICE: ["geo"]}), rule("bots"), rule("geo")],
            [(SKIPPING, "S"), (BOTS, "ssl"), (GEO, "(ssl) and not (S)")],
        ),
    ],
)
def test_skips_of_an_executed_ruleset(inner: Any, expected: list[tuple[str, str]]) -> None:
    state = {"zone": [ENTERPRISE]}
    rules = flat(execute("deploy"), rule("last"), rulesets=[ruleset(*inner)], **state)
    assert shown(rules) == [*expected, ("last", "ssl")]
    ends = [rule.entry for rule in rules if rule.active and REST_OF_THE_LIST in rule.skips]
    assert ends == ([SKIPPING] if "phase" in inner[0].get("action_parameters", {}) else [])


def test_a_skip_names_the_rulesets_and_rules_behind_it() -> None:
    skips = [skip("one", "S", rulesets=[OFFICE]), skip("two", "T", rules={OFFICE: ["geo"]})]
    rules = flat(*skips, execute("deploy", "D"), rulesets=[ruleset(rule("bots"), rule("geo"))])
    assert shown(rules)[2:] == [
        (BOTS, "((D) and not (S)) and (ssl)"),
        (GEO, "(((D) and not (S)) and (ssl)) and not (T)"),
    ]


def test_a_skip_with_a_condition_leaves_a_doubt() -> None:
    inner = [{**skip("s", "S", ruleset="current"), "odd": {"x": 1}}, rule("bots")]
    _skip, found = flat(execute("deploy"), rulesets=[ruleset(*inner)])
    assert (found.entry, found.conditions) == (BOTS, ["odd"])


def test_rules_of_the_account_come_first_and_skip_only_themselves() -> None:
    account = [
        skip("pass", "S", ruleset="current", phases=["http_ratelimit"]),
        execute("deploy", '(cf.zone.plan eq "ENT") and cf.zone.name eq "shop.example"'),
    ]
    rules = flat(rule("own"), account=account, rulesets=[ruleset(rule("bots"))], zone=[ENTERPRISE])
    assert shown(rules) == [
        ("pass of the account", "S"),
        (
            "bots of the ruleset Office of the account",
            '(((true) and cf.zone.name eq "shop.example") and not (S)) and (ssl)',
        ),
        ("own", "ssl"),
    ]
    assert not any(REST_OF_THE_LIST in rule.skips for rule in rules)
    assert flat(account=[skip("odd", "S", phase="current")])[0].unknown == ["the action parameter phase"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('(cf.zone.plan eq "ENT")', [("bots of the ruleset Office of the account", "ssl")]),
        ('cf.zone.plan eq "ENT" and cf.zone.name eq "other.example"', []),
        ("ip.src eq 192.0.2.1", [("bots of the ruleset Office of the account", "(ip.src eq 192.0.2.1) and (ssl)")]),
    ],
)
def test_a_deployment_of_the_account_is_decided_for_the_zone(expression: str, expected: list[Any]) -> None:
    account, rulesets = [execute("deploy", expression)], [ruleset(rule("bots"))]
    assert shown(flat(account=account, rulesets=rulesets, zone=[ENTERPRISE])) == expected


def test_rules_of_the_account_that_cannot_be_read_may_do_anything() -> None:
    (found,) = flat(account=[{REASON_OF_UNREAD: "403"}])
    assert (found.entry, found.expression.text) == ("any of the account", "true")
    assert found.unknown == ["what the custom rules of the account do (403)"]


@pytest.mark.parametrize(
    ("zone", "values"),
    [
        ([], {}),
        ([{}], {}),
        ([ENTERPRISE], {"cf.zone.plan": b"ENT", "cf.zone.name": b"shop.example"}),
        ([{"plan": {"legacy_id": "later"}}], {}),
        ([{**ENTERPRISE, "name": "münchen.example"}], {"cf.zone.plan": b"ENT"}),
    ],
)
def test_values_that_requests_have_by_their_zone(zone: Any, values: Any) -> None:
    assert zone_values({"zone": zone}) == values

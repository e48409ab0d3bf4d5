# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Planned rules and past requests: what would newly be blocked, what would pass, and what is not known."""

from __future__ import annotations

import ipaddress
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.backtest import Backtest, BacktestRecord
from ansible_collections.edgeops.protection.plugins.module_utils._protection.past_requests import Group
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import items_of
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import ZONE

PATH, COUNTRY, BOT = "http.request.uri.path", "ip.src.country", "cf.client.bot"
REQUESTS = [
    Group({PATH: b"/", COUNTRY: b"DE"}, 600, 60),
    Group({PATH: b"/admin", COUNTRY: b"DE"}, 300, 30),
    Group({PATH: b"/admin", COUNTRY: b"FR"}, 100, 10),
]
ADMIN = f'{PATH} eq "/admin"'
FRANCE = f'{COUNTRY} eq "FR"'


def rule(ref: str, expression: str, action: str = "block", **more: Any) -> dict[str, Any]:
    return {"ref": ref, "action": action, "expression": expression, "enabled": True, **more}


def skip(ref: str, expression: str) -> dict[str, Any]:
    return rule(ref, expression, "skip", action_parameters={"ruleset": "current"})


def backtest(before: list[Any], after: list[Any], **state: Any) -> BacktestRecord:
    tried = Backtest({"custom_rules": before, **state}, {"custom_rules": after, **state})
    tried.add(REQUESTS)
    return tried.record((None, None), ())


def numbers(record: BacktestRecord) -> tuple[Any, ...]:
    return tuple(record[name]["requests"] for name in ("newly_blocked", "newly_passed", "undecided"))


HEADER = 'http.request.headers["x"][0] eq "1"'
CASES = {
    "a new rule blocks": ([], [rule("a", ADMIN)], (400, 0, 0)),
    "a new rule challenges": ([], [rule("a", ADMIN, "managed_challenge")], (400, 0, 0)),
    "a new rule logs": ([], [rule("a", ADMIN, "log")], (0, 0, 0)),
    "a disabled rule does nothing": ([], [rule("a", ADMIN, enabled=False)], (0, 0, 0)),
    "a rule goes": ([rule("a", ADMIN)], [], (0, 400, 0)),
    "a rule becomes narrower": ([rule("a", ADMIN)], [rule("a", f"{ADMIN} and {FRANCE}")], (0, 300, 0)),
    "another rule blocks it already": ([rule("a", FRANCE)], [rule("a", FRANCE), rule("b", ADMIN)], (300, 0, 0)),
    "a challenge becomes a block": ([rule("a", ADMIN, "managed_challenge")], [rule("a", ADMIN)], (400, 0, 0)),
    "a block becomes a challenge": ([rule("a", ADMIN)], [rule("a", ADMIN, "managed_challenge")], (0, 0, 0)),
    "a skip in front": ([], [skip("s", FRANCE), rule("a", ADMIN)], (300, 0, 0)),
    "a skip behind": ([], [rule("a", ADMIN), skip("s", FRANCE)], (400, 0, 0)),
    "a field that is not known": ([], [rule("a", f"{ADMIN} and {BOT}")], (0, 0, 400)),
    "a rule that stays may match": ([rule("h", HEADER)], [rule("h", HEADER), rule("a", ADMIN)], (0, 0, 400)),
    "a rule that stays makes no difference": ([rule("h", HEADER)], [rule("h", HEADER), rule("a", "false")], (0, 0, 0)),
    "a rule moves behind one that does the same": ([rule("a", ADMIN), rule("h", HEADER)], [rule("h", HEADER), rule("a", ADMIN)], (0, 0, 0)),
    "a skip that may match": ([skip("b", BOT)], [skip("b", BOT), rule("a", ADMIN)], (0, 0, 400)),
    "a rule that may match goes": ([rule("h", HEADER)], [], (0, 0, 1000)),
    "a rule that may be narrower goes, behind one of its expression": ([rule("b", BOT), rule("c", BOT, odd_field=1)], [rule("b", BOT)], (0, 0, 0)),
    "an action that is not known": ([], [rule("a", ADMIN, "serve_error")], (0, 0, 400)),
    "an action that is not known stays": ([rule("a", ADMIN, "rewrite")], [rule("a", ADMIN, "rewrite")], (0, 0, 0)),
    "an expression that cannot be read": ([], [rule("a", "ip.src eq")], (0, 0, 1000)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_requests_change_as_the_rules_do(case: str) -> None:
    before, after, expected = CASES[case]
    assert numbers(backtest(before, after)) == expected


def test_shares_are_of_what_passes_today() -> None:
    record = backtest([rule("a", FRANCE)], [rule("a", FRANCE), rule("b", ADMIN)])
    assert (record["requests"], record["samples"]) == (1000, 100)
    assert record["newly_blocked"] == {"requests": 300, "percent": 33.333}


def test_rules_name_what_they_stop_with_the_heaviest_examples() -> None:
    wide = rule("wide", f'{ADMIN} and {COUNTRY} in {{"DE" "FR"}}')
    (found,) = backtest([rule("a", FRANCE)], [rule("a", FRANCE), wide])["rules"]
    assert (found["ref"], found["action"]) == ("wide", "block")
    assert (found["requests"], found["already"], found["undecided"]) == (300, 0, 0)
    assert found["examples"] == [{PATH: "/admin", COUNTRY: "DE", "requests": 300}]


def test_a_rule_in_front_stops_what_others_stop_already() -> None:
    first, *others = backtest([rule("a", FRANCE)], [rule("b", ADMIN), rule("a", FRANCE)])["rules"]
    assert (first["ref"], first["requests"], first["already"], others) == ("b", 300, 100, [])


def test_examples_name_the_fields_of_their_rule_alone() -> None:
    rules = backtest([], [rule("f", FRANCE), rule("p", ADMIN)])["rules"]
    assert {one["ref"]: one["examples"] for one in rules} == {
        "p": [{PATH: "/admin", "requests": 300}],
        "f": [{COUNTRY: "FR", "requests": 100}],
    }


def test_a_new_rule_that_nothing_matches_is_listed() -> None:
    (found,) = backtest([], [rule("a", f'{PATH} eq "/nothing"')])["rules"]
    assert (found["requests"], found["already"], found["examples"]) == (0, 0, [])


def test_undecided_requests_name_what_is_not_known() -> None:
    record = backtest([], [rule("a", f"{ADMIN} and ({BOT} or ip.src in $office)"), rule("b", ADMIN, "serve_error")])
    assert record["undecided"]["fields"] == [BOT, "ip.src", "the action serve_error"]
    (found, *_others) = record["rules"]
    assert (found["undecided"], found["examples"]) == (400, [{PATH: "/admin", "requests": 400}])


def test_lists_are_resolved_before_and_after() -> None:
    office = items_of("office").plural
    source = {"ip.src": ipaddress.ip_address("192.0.2.1")}
    rules = [rule("a", "ip.src in $office")]
    tried = Backtest({"custom_rules": rules, office: []}, {"custom_rules": rules, office: [{"ip": "192.0.2.0/24"}]})
    tried.add([Group(source, 7, 7)])
    assert numbers(tried.record((None, None), ())) == (7, 0, 0)


def test_the_zone_is_known() -> None:
    zone = {ZONE.plural: [{"name": "example.com", "plan": {"legacy_id": "enterprise"}}]}
    expression = 'cf.zone.plan eq "ENT" and cf.zone.name eq "example.com"'
    assert numbers(backtest([], [rule("a", expression)], **zone)) == (1000, 0, 0)


def test_requests_add_up_over_parts() -> None:
    whole, parts = (Backtest({"custom_rules": []}, {"custom_rules": [rule("a", ADMIN)]}) for dummy in range(2))
    whole.add(REQUESTS)
    for group in REQUESTS:
        parts.add([group])
    assert whole.record((None, None), ()) == parts.record((None, None), ())


def test_unread_requests_are_undecided() -> None:
    tried = Backtest({"custom_rules": []}, {"custom_rules": [rule("a", ADMIN)]})
    tried.add(REQUESTS)
    tried.add_unread(10, "malformed lines")
    undecided = tried.record((None, None), ())["undecided"]
    assert (undecided["requests"], undecided["fields"]) == (10, ["malformed lines"])


@pytest.mark.parametrize("after", [rule("a", BOT), rule("a", FRANCE, "serve_error")])
def test_of_the_requests_that_pass_today_at_most_all_may_be_stopped(after: dict[str, Any]) -> None:
    tried = Backtest({"custom_rules": [rule("a", ADMIN)]}, {"custom_rules": [after]})
    tried.add(REQUESTS)
    passing = 600
    assert tried.requests["passing"] == passing
    assert tried.may_or_may_not_block <= tried.requests["may_block"] <= passing
    undecided = tried.record((None, None), ())["undecided"]
    assert 0 <= (undecided["percent"] or 0) <= 100
    assert tried.may_or_may_not_block == (passing if after["action"] == "block" else 0)

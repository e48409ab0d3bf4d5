# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from tests.support.requests_evaluator import Outcome, Request, under_custom_rules, under_firewall_rules

REQUEST = Request(path="/login", host="example.com", method="POST", user_agent='a "bot"', source="192.0.2.7")


HIT, MISS = 'http.host eq "example.com"', 'http.host eq "example.org"'


def firewall(id_: str, action: str, expression: str = HIT, **fields: Any) -> dict[str, Any]:
    return {"id": id_, "action": action, "filter": {"expression": expression}, **fields}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([], Outcome()),
        ([firewall("a", "block", MISS)], Outcome()),
        ([firewall("a", "block"), firewall("b", "allow")], Outcome(action="allow", by="b")),
        ([firewall("a", "block", priority=1), firewall("b", "allow")], Outcome(action="block", by="a")),
        ([firewall("a", "allow"), firewall("b", "block", priority=9)], Outcome(action="block", by="b")),
        ([firewall("a", "block"), firewall("b", "block")], Outcome(action="block", by="a")),
        (
            [firewall("a", "log"), firewall("b", "log", priority=1, filter={"expression": f" {HIT}"})],
            Outcome((f" {HIT}", HIT)),
        ),
        (
            [
                firewall("a", "block"),
                firewall("b", "bypass", products=["waf"]),
                firewall("c", "bypass", products=["bic"]),
            ],
            Outcome((), frozenset({"waf", "bic"}), "block", "a"),
        ),
        (
            [firewall("a", "block", priority=1), firewall("b", "bypass", products=["waf"])],
            Outcome(action="block", by="a"),
        ),
        ([firewall("a", "block", paused=True)], Outcome()),
        ([firewall("a", "block", filter={"expression": HIT, "paused": True})], Outcome()),
        ([firewall("a", "block", filter={"deleted": True})], Outcome()),
    ],
)
def test_firewall_rules(rules: list[dict[str, Any]], expected: Outcome) -> None:
    assert under_firewall_rules(rules, REQUEST) == expected


def custom(ref: str, action: str, enabled: bool = True, expression: str = HIT, **parameters: Any) -> dict[str, Any]:
    return {"ref": ref, "action": action, "enabled": enabled, "expression": expression, "action_parameters": parameters}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([], Outcome()),
        ([custom("a", "block", expression=MISS)], Outcome()),
        ([custom("a", "block", enabled=False)], Outcome()),
        ([custom("a", "block"), custom("b", "skip", ruleset="current")], Outcome(action="block", by="a")),
        ([custom("a", "skip", ruleset="current"), custom("b", "block")], Outcome(action="allow", by="a")),
        ([custom("a", "log"), custom("b", "block"), custom("c", "log")], Outcome((HIT,), action="block", by="b")),
        (
            [custom("a", "skip", products=["waf"]), custom("b", "skip", ruleset="current", products=["bic"])],
            Outcome((), frozenset({"waf", "bic"}), "allow", "b"),
        ),
    ],
)
def test_custom_rules(rules: list[dict[str, Any]], expected: Outcome) -> None:
    assert under_custom_rules(rules, REQUEST) == expected

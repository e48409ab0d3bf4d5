# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from tests.support.requests_evaluator import Outcome, Request, matches, under_custom_rules, under_firewall_rules

REQUEST = Request(path="/login", host="example.com", method="POST", user_agent='a "bot"', source="192.0.2.7")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('http.host eq "example.com"', True),
        ('http.host == "example.org"', False),
        ('http.request.method ne "GET"', True),
        ('http.request.method != "POST"', False),
        ('http.request.uri.path contains "log"', True),
        ('http.request.uri.path contains "LOG"', False),
        ('http.request.uri.path matches "^/log(in|out)$"', True),
        ('http.request.uri.path ~ "^/out"', False),
        (r'http.user_agent eq "a \"bot\""', True),
        (r'http.request.uri.path matches "^/\w+$"', True),
        ('http.host in {"example.org" "example.com"}', True),
        ('http.host in {"example.org"}', False),
        ("http.host in {}", False),
        ("ip.src in {198.51.100.0/24 192.0.2.0/29}", True),
        ("ip.src in {192.0.2.8/29 2001:db8::/32}", False),
        ("ip.src in {192.0.2.1..192.0.2.7}", True),
        ("ip.src in {192.0.2.8..192.0.2.9 ::1..::9}", False),
        ("ip.src eq 192.0.2.7", True),
        ("ip.src ne 192.0.2.7", False),
        ("not ip.src eq 192.0.2.7", False),
        ("not not ip.src eq 192.0.2.7", True),
        ('not http.host eq "x" and http.host eq "example.com"', True),
        ('not (http.host eq "x" or http.host eq "example.com")', False),
        ('http.host eq "example.com" or http.host eq "x" and http.host eq "y"', True),
        ('(http.host eq "example.com" or http.host eq "x") and http.host eq "y"', False),
        ("true and ssl and not cf.client.bot", True),
        ("true xor ssl", False),
        ("true or ssl xor ssl", True),
        ("ssl xor true and not true", True),
        ('http.host\neq  "example.com"', True),
        ('http.host eq "example.com or x"', False),
    ],
)
def test_expressions(expression: str, expected: bool) -> None:
    assert matches(expression, REQUEST) is expected


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "false",
        "http.host",
        'http.host eq "a',
        "http.host eq a",
        'http.host lt "a"',
        '(http.host eq "a"',
        'http.host eq "a" "b"',
        'http.host in "a"',
        'http.host in {"a"',
        'http.host eq "example.com" or cf.score eq "1"',
        "ip.src eq %",
    ],
)
def test_expressions_beyond_the_subset_are_refused(expression: str) -> None:
    with pytest.raises(SyntaxError):
        matches(expression, REQUEST)


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

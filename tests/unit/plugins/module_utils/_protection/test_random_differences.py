# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random pairs of custom rules, whose difference is that of all requests of a small universe, one by one."""

from __future__ import annotations

from itertools import product
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._protection.difference import traffic_difference
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expectation import parse_expectations
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expected import find
from hypothesis import given
from hypothesis import strategies as st

from tests.support.requests_evaluator import Request, matches

PATHS, HOSTS = ("/", "/admin", "/admin/x", "/login"), ("shop.example", "www.shop.example", "other.example")
SOURCES, AGENTS = ("203.0.113.1", "203.0.113.200", "198.51.100.1", "2001:db8::1"), ("", "Mozilla/5.0", "bot")
UNIVERSE = [
    Request(path=path, host=host, source=source, user_agent=agent, ssl=ssl)
    for path, host, source, agent, ssl in product(PATHS, HOSTS, SOURCES, AGENTS, (True, False))
]
CHALLENGES = ("managed_challenge", "js_challenge")
COMPARISONS = (
    'http.request.uri.path eq "/admin"',
    'http.request.uri.path in {"/admin" "/login"}',
    'starts_with(http.request.uri.path, "/admin")',
    'http.host eq "shop.example"',
    'ends_with(http.host, "shop.example")',
    "ip.src in {203.0.113.0/24}",
    "ip.src in {203.0.113.0/25 198.51.100.0/24}",
    "ip.src eq 2001:db8::1",
    'http.user_agent contains "bot"',
    'http.user_agent eq ""',
    "ssl",
    "true",
)
EXPRESSIONS = st.recursive(
    st.sampled_from(COMPARISONS),
    lambda parts: (
        st.builds("not ({})".format, parts)
        | st.builds("({}) and ({})".format, parts, parts)
        | st.builds("({}) or ({})".format, parts, parts)
        | st.builds("({}) xor ({})".format, parts, parts)
    ),
    max_leaves=4,
)
RULES = st.fixed_dictionaries(
    {
        "action": st.sampled_from(("block", "block", "skip", "log", *CHALLENGES)),
        "expression": EXPRESSIONS,
        "enabled": st.sampled_from((True, True, True, False)),
    }
)


def with_parameters(rules: list[dict[str, Any]]) -> dict[str, Any]:
    """A state with these custom rules; a skip is one of the rules behind it."""
    skipping = {"action_parameters": {"ruleset": "current"}}
    objects = [
        {"ref": f"r{place}", **rule, **(skipping if rule["action"] == "skip" else {})}
        for place, rule in enumerate(rules)
    ]
    return {"zone": [{"name": "shop.example", "plan": {"legacy_id": "pro"}}], "custom_rules": objects}


def outcome(rules: list[dict[str, Any]], request: Request) -> str:
    """What becomes of a request: the first rule that it matches and that is no log decides."""
    for rule in rules:
        if rule["enabled"] and rule["action"] != "log" and matches(rule["expression"], request):
            return {"block": "blocked", "skip": "passing"}.get(rule["action"], "challenged")
    return "passing"


STRENGTH = {"passing": 0, "challenged": 1, "blocked": 2}


@st.composite
def pairs(draw: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rules, and the same after some changes: one is changed, moved, removed or added."""
    before = draw(st.lists(RULES, min_size=1, max_size=5))
    after = [dict(rule) for rule in before]
    for _number in range(draw(st.integers(1, 2))):
        place = draw(st.integers(0, len(after)))
        change = draw(st.sampled_from(("change", "move", "remove", "add")))
        if change == "add" or not after:
            after.insert(place, draw(RULES))
            continue
        place = min(place, len(after) - 1)
        if change == "change":
            after[place] = draw(RULES)
        else:
            rule = after.pop(place)
            if change == "move":
                after.insert(draw(st.integers(0, len(after))), rule)
    return before, after


def described(request: dict[str, Any]) -> Request:
    """A request as an example describes it."""
    return Request(
        path=request["path"],
        host=request["host"],
        source=request["source"],
        user_agent=request.get("user_agent", ""),
        ssl=request.get("scheme", "https") == "https",
    )


@given(pairs())
def test_a_difference_is_that_of_single_requests(pair: tuple[list[dict[str, Any]], list[dict[str, Any]]]) -> None:
    before, after = pair
    changes = traffic_difference(with_parameters(before), with_parameters(after))
    assert changes.known
    weaker = stronger = False
    for request in UNIVERSE:
        former, latter = (STRENGTH[outcome(rules, request)] for rules in pair)
        weaker, stronger = weaker or latter < former, stronger or latter > former
    assert not weaker or changes.passes, "a request passes, and nothing says so"
    assert not stronger or changes.stopped, "a request is stopped, and nothing says so"
    for change in (*changes.passes, *changes.stopped):
        if change.certain:
            assert change.example
            request = described(dict(change.example))
            was, becomes = (outcome(rules, request) for rules in pair)
            is_weaker = STRENGTH[becomes] < STRENGTH[was]
            assert is_weaker is (change in changes.passes)
            assert change.what.startswith(was)


@given(st.lists(RULES, max_size=5), EXPRESSIONS, st.sampled_from(("blocked", "challenged", "allowed")))
def test_an_outcome_of_all_requests_is_that_of_single_ones(
    rules: list[dict[str, Any]], every: str, expect: str
) -> None:
    try:
        expectations = parse_expectations({"expectations": [{"every": every, "expect": expect}]})
    except OptionError:  # nothing matches it
        assert not any(matches(every, request) for request in UNIVERSE)
        return
    (finding,) = find(expectations, with_parameters(rules))
    words = {outcome(rules, request) for request in UNIVERSE if matches(every, request)}
    expected = "passing" if expect == "allowed" else expect
    assert finding.met is not None, finding.reasons
    if finding.met:
        assert words <= {expected}
    else:
        request = described(dict(finding.example or {}))
        assert matches(every, request) and outcome(rules, request) != expected


@given(pairs())
def test_a_difference_of_plain_expressions_is_certain(pair: tuple[list[dict[str, Any]], list[dict[str, Any]]]) -> None:
    """Of these comparisons, each difference has an example, or it is none."""
    before, after = pair
    changes = traffic_difference(with_parameters(before), with_parameters(after))
    uncertain = [change for change in (*changes.passes, *changes.stopped) if not change.certain]
    assert not uncertain

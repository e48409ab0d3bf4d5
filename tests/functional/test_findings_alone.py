# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the variables of a host show by themselves: all mistakes, and beside them all that is probably not meant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import part_of, stand_ins
from ansible_collections.edgeops.protection.plugins.plugin_utils._module_options import problems_alone

ZONE, ACCOUNT = "b" * 32, "a" * 32


def findings(**variables: Any) -> tuple[list[str], list[str]]:
    """The mistakes and doubts about a host with these variables of the role, in words."""
    values: dict[str, Any] = {"edge_account_id": ACCOUNT, "edge_zone_id": ZONE}
    for name, value in variables.items():
        values[name if name.startswith("edge_") else f"baseline_{name}"] = value
    part = part_of({**stand_ins(values), **values})
    found = problems_alone(f"edgeops.protection.{part.module}", part.options, part.context, {})
    return [problem.error.text for problem in found.problems], [doubt.text for doubt in found.doubts]


def block(ref: str, expression: str, **fields: Any) -> dict[str, Any]:
    return {"ref": ref, "action": "block", "expression": expression, **fields}


PATH = 'http.request.uri.path eq "/a"'
SKIP = {"action": "skip", "action_parameters": {"ruleset": "current"}}
OFTEN = {"ref": "often", "action": "block", "expression": PATH}
LIMIT = {"characteristics": ["ip.src", "cf.colo.id"], "period": 60, "requests_per_period": 10, "mitigation_timeout": 60}
# What is described, and for each doubt its beginning and an excerpt.
DOUBTS: Mapping[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "nothing": ({"custom_rules": [block("a", PATH)]}, []),
    "a field that is misspelt": (
        {"custom_rules": [block("a", 'http.request.uri.pth eq "/a"')]},
        [("baseline_custom_rules[0]", "did you mean http.request.uri.path?")],
    ),
    "a field of packets in a rule for requests": (
        {"custom_rules": [block("a", "tcp.dstport eq 22")]},
        [("baseline_custom_rules[0]", "'tcp.dstport'")],
    ),
    "a value that the field never has": (
        {"custom_rules": [block("a", 'http.request.method eq "get"')]},
        [("baseline_custom_rules[0].expression", "never true")],
    ),
    "a skip of nothing": (
        {"custom_rules": [{"ref": "a", "action": "skip", "expression": PATH}]},
        [("baseline_custom_rules[0]", "a new custom rule a is refused, since it has the action skip")],
    ),
    "a copy": (
        {"custom_rules": [block("a", PATH), block("b", PATH)]},
        [("baseline_custom_rules[1]", "cannot work: it has the same expression as a")],
    ),
    "a rule behind a wider one": (
        {"custom_rules": [block("a", "ip.src in {192.0.2.0/24}"), {**block("b", "ip.src eq 192.0.2.7"), **SKIP}]},
        [("baseline_custom_rules[1]", "a already decides every request that it matches")],
    ),
    "a rule behind one that is there for a time": (
        {
            "custom_rules": [
                block("a", "ip.src in {192.0.2.0/24}", expires="2098-01-01T00:00:00Z"),
                block("b", "ip.src eq 192.0.2.7"),
            ]
        },
        [],
    ),
    "a rule that others may have put at its place": (
        {"custom_rules": [block("a", PATH, position="after theirs"), block("b", PATH)]},
        [],
    ),
    "private sources": (
        {"custom_rules": [block("a", "ip.src in {10.0.0.0/8}")]},
        [("baseline_custom_rules[0]", "names only private or reserved sources")],
    ),
    "a rule of a ruleset": (
        {"custom_rulesets": [{"name": "bots", "rules": [block("a", PATH), block("b", PATH)]}]},
        [("baseline_custom_rulesets[0].rules[1]", "does the same")],
    ),
    "a rule of a list that is described as a whole": (
        {
            "ip_lists": [{"name": "office", "items": [{"ip": "192.0.2.7"}], "purge": True}],
            "network_firewall_rules": [block("a", "ip.src in $office"), block("b", "ip.src eq 192.0.2.7")],
        },
        [("baseline_network_firewall_rules[1]", "it matches the same packets as a, and does the same")],
    ),
    "a rule of a list to which others may add": (
        {
            "ip_lists": [{"name": "office", "items": [{"ip": "192.0.2.7"}]}],
            "network_firewall_rules": [block("b", "ip.src eq 192.0.2.7"), block("a", "ip.src in $office")],
        },
        [],
    ),
    "an item within another one": (
        {"ip_lists": [{"name": "office", "items": [{"ip": "192.0.2.0/24"}, {"ip": "192.0.2.7"}], "purge": True}]},
        [("baseline_ip_lists[0].items[1]", "192.0.2.0/24 covers it")],
    ),
    "an entry of the allowlist within another one": (
        {"allowlist": [{"prefix": "198.51.100.0/24"}, {"prefix": "198.51.100.7"}]},
        [("baseline_allowlist[1]", "198.51.100.0/24 covers it")],
    ),
    "a network that others may announce": ({"prefixes": [{"prefix": "192.0.2.0/24", "excluded": True}]}, []),
    "a filter of nothing": (
        {
            "filters": [
                {"kind": "syn_flood", "mode": "enabled", "expression": "tcp.dstport eq 80 and tcp.dstport eq 81"}
            ]
        },
        [("baseline_filters[0]", "cannot work")],
    ),
}


@pytest.mark.parametrize("name", DOUBTS)
def test_what_is_described_is_doubted_by_itself(name: str) -> None:
    described, expected = DOUBTS[name]
    mistakes, doubts = findings(**described)
    assert not mistakes
    assert len(doubts) == len(expected), doubts
    for doubt, (beginning, excerpt) in zip(doubts, expected, strict=True):
        assert doubt.startswith(f"{beginning}: ") and excerpt in doubt


# By the plan of the zone in the inventory: what is described, and each mistake.
OF_PLAN: Mapping[str, tuple[str, dict[str, Any], list[str]]] = {
    "as many rules": ("free", {"custom_rules": [block(f"r{n}", f"ip.src eq 1.1.1.{n}") for n in range(5)]}, []),
    "more rules": (
        "free",
        {"custom_rules": [block(f"r{n}", f"ip.src eq 1.1.1.{n}") for n in range(7)]},
        ["baseline_custom_rules[5]: the plan Free of the zone takes 5 custom rules, and 7 are described"],
    ),
    "a log": (
        "pro",
        {"custom_rules": [block("a", PATH), {"ref": "b", "action": "log", "expression": PATH}]},
        ["baseline_custom_rules[1]: the plan Pro of the zone does not have the action log"],
    ),
    "a log of a rate limit": (
        "business",
        {"rate_limit_rules": [{**OFTEN, "action": "log"}]},
        ["baseline_rate_limit_rules[0]: the plan Business of the zone does not have the action log"],
    ),
    "a log where the plan has it": (
        "enterprise",
        {"custom_rules": [{"ref": "b", "action": "log", "expression": PATH}]},
        [],
    ),
    "an unknown plan": ("", {"custom_rules": [{"ref": "b", "action": "log", "expression": PATH}]}, []),
    "a long period": (
        "free",
        {"rate_limit_rules": [{**OFTEN, "ratelimit": LIMIT}]},
        [
            "baseline_rate_limit_rules[0]: the plan Free of the zone does not have a mitigation_timeout above 10 s",
            "baseline_rate_limit_rules[0]: the plan Free of the zone does not have a period above 10 s",
        ],
    ),
}


@pytest.mark.parametrize("name", OF_PLAN)
def test_a_plan_that_the_inventory_names_takes_what_is_described_or_it_is_a_mistake(name: str) -> None:
    plan, described, expected = OF_PLAN[name]
    mistakes, _doubts = findings(edge_zone_plan=plan, **described)
    assert mistakes == expected


@pytest.mark.parametrize(
    ("plan", "hint"), [("fre", " (did you mean free?)"), ("enterprize", " (did you mean enterprise?)"), ("gold", "")]
)
def test_a_plan_that_is_not_known_is_doubted(plan: str, hint: str) -> None:
    mistakes, doubts = findings(edge_zone_plan=plan, custom_rules=[block("a", PATH)])
    text = f"edge_zone_plan: the plan '{plan}' is not known{hint}, so that nothing is compared with it"
    assert (mistakes, doubts) == ([], [text])


# Mistakes beside which all other findings are told.
BESIDE: Mapping[str, dict[str, Any]] = {
    "an expression": {"custom_rules": [block("a", PATH), block("c", 'http.host eq a"'), block("b", PATH)]},
    "a choice": {"custom_rules": [block("a", PATH), {**block("c", PATH), "action": "blok"}, block("b", PATH)]},
    "a field": {"custom_rules": [block("a", PATH), block("c", "ssl", descr="x"), block("b", PATH)]},
    "no dictionary": {"custom_rules": [block("a", PATH), "c", block("b", PATH)]},
    "a key": {"custom_rules": [block("a", PATH), {"action": "block", "expression": "ssl"}, block("b", PATH)]},
    "a position": {"custom_rules": [block("a", PATH), block("c", "ssl", position="top"), block("b", PATH)]},
    "another option": {"custom_rules": [block("a", PATH), block("c", "ssl"), block("b", PATH)], "retries": "many"},
    "another list": {"custom_rules": [block("a", PATH), block("c", "ssl"), block("b", PATH)], "rate_limit_rules": {}},
    "an expectation": {
        "custom_rules": [block("a", PATH), block("c", "ssl"), block("b", PATH)],
        "expectations": [{"description": "x", "request": {"path": "a"}, "expect": "permitted"}],
    },
    "a rule of a ruleset": {
        "custom_rules": [block("a", PATH), block("c", "ssl"), block("b", PATH)],
        "custom_rulesets": [{"name": "bots", "rules": [block("a", "ssl and")]}, {"name": 3}],
    },
    "a purge": {"custom_rules": [block("a", PATH), block("c", "ssl"), block("b", PATH)], "purge": ["custm_rules"]},
    "a limit": {"custom_rules": [block("a", PATH), block("c", "ssl"), block("b", PATH)], "limits": {"max": 3}},
}


@pytest.mark.parametrize("name", BESIDE)
def test_an_entry_with_a_mistake_hides_nothing_of_the_others(name: str) -> None:
    mistakes, doubts = findings(**BESIDE[name])
    assert mistakes
    assert [doubt for doubt in doubts if doubt.startswith("baseline_custom_rules[2]: the custom rule b cannot work")]

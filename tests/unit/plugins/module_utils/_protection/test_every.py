# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Expectations of all requests or packets that match an expression, by a table: proven, refuted with an example, not known."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expectation import parse_expectations
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expected import (
    Evaluated,
    expectation_records,
    expectation_results,
    find,
    unmet_expectations,
)

ADMIN, LOGIN = 'http.request.uri.path eq "/admin"', 'http.request.uri.path eq "/login"'
NETWORK, HALF = "ip.src in {203.0.113.0/24}", "ip.src in {203.0.113.0/25}"
UDP, OFFICE = 'ip.proto eq "udp"', "ip.src in $office"


def rule(expression: str, action: str = "block", ref: str = "a", **values: Any) -> dict[str, Any]:
    return {"ref": ref, "action": action, "expression": expression, "enabled": True, **values}


def skip(expression: str, ref: str = "s", **parameters: Any) -> dict[str, Any]:
    return rule(expression, "skip", ref, action_parameters=parameters or {"ruleset": "current"})


def zone(*rules: dict[str, Any], **collections: Any) -> dict[str, Any]:
    plan = {"name": "shop.example", "plan": {"legacy_id": "enterprise"}}
    return {"zone": [plan], "custom_rules": list(rules), **collections}


def firewall(*rules: dict[str, Any]) -> dict[str, Any]:
    return {"network_firewall_rules": list(rules)}


def with_office(*rules: dict[str, Any], addresses: tuple[str, ...] = ("203.0.113.0/25",)) -> dict[str, Any]:
    items = {"items of office": [{"ip": address} for address in addresses]}
    return zone(*rules, ip_lists=[{"name": "office", "kind": "ip"}], **items)


def evaluated(state: dict[str, Any], every: str, expect: str, traffic: str | None = None) -> Evaluated:
    entry = {"every": every, "expect": expect, **({"traffic": traffic} if traffic else {})}
    (finding,) = find(parse_expectations({"expectations": [entry]}), state)
    return finding


DEPLOY = rule("true", "execute", "deploy", action_parameters={"id": "b" * 32})
BOTS = {"id": "b" * 32, "name": "Bots", "kind": "custom", "rules": [rule(LOGIN, "managed_challenge", "c")]}
CLOSED = f"{ADMIN} and not {NETWORK}"
PROVEN: list[tuple[str, dict[str, Any], str, str]] = [
    ("by one rule", zone(rule(ADMIN)), ADMIN, "blocked"),
    ("by a wider rule", zone(rule('starts_with(http.request.uri.path, "/a")')), ADMIN, "blocked"),
    ("by two rules together", zone(rule(f"{ADMIN} and ssl"), rule(f"{ADMIN} and not ssl", ref="b")), ADMIN, "blocked"),
    ("but for a network", zone(skip(NETWORK), rule(ADMIN)), CLOSED, "blocked"),
    ("but for a list", with_office(skip(OFFICE), rule(ADMIN)), f"{ADMIN} and not {OFFICE}", "blocked"),
    ("but for the networks of a list", with_office(skip(HALF), rule(ADMIN)), f"{ADMIN} and not {OFFICE}", "blocked"),
    ("by rules of a ruleset", zone(DEPLOY, executed_rulesets=[BOTS]), LOGIN, "challenged"),
    ("by either challenge", zone(rule(LOGIN, "js_challenge"), rule(LOGIN, "challenge", "b")), LOGIN, "challenged"),
    ("skipped", zone(skip(NETWORK), rule("true")), f"{ADMIN} and {HALF}", "skipped"),
    ("skipped ones are allowed", zone(skip(NETWORK), rule("true")), NETWORK, "allowed"),
    ("no rule matches", zone(rule(ADMIN)), LOGIN, "allowed"),
    ("logged", zone(rule(LOGIN, "log")), LOGIN, "logged"),
    ("logged, allowed or skipped", zone(rule(LOGIN, "log"), skip(HALF)), f"not {ADMIN}", "allowed"),
    ("an unknown action elsewhere", zone(rule(ADMIN, "odd"), rule(LOGIN, ref="b")), LOGIN, "blocked"),
    ("a field that nobody knows, in front", zone(rule("odd.field", ref="b"), rule(ADMIN)), ADMIN, "blocked"),
    ("of the zone by its name", zone(rule(f'{ADMIN} and cf.zone.name eq "shop.example"')), ADMIN, "blocked"),
]
PROVEN_PACKETS: list[tuple[str, dict[str, Any], str, str]] = [
    ("packets by port", firewall(rule("tcp.dstport in {23 2323}")), "tcp.dstport eq 23", "blocked"),
    (
        "packets of a network",
        firewall(skip("ip.src in {192.0.2.0/24}"), rule("true")),
        f"{UDP} and ip.src eq 192.0.2.7",
        "allowed",
    ),
    ("packets without ports", firewall(rule("tcp.dstport eq 23")), 'ip.proto eq "icmp"', "allowed"),
]
REFUTED: list[tuple[str, dict[str, Any], str, str, tuple[str, str | None]]] = [
    ("without a rule", zone(), ADMIN, "blocked", ("allowed", None)),
    ("a network more", zone(skip(NETWORK), rule(ADMIN)), f"{ADMIN} and not {HALF}", "blocked", ("skipped", "s")),
    ("half of a network", zone(rule(f"{ADMIN} and {HALF}")), f"{ADMIN} and {NETWORK}", "blocked", ("allowed", None)),
    ("a list", with_office(skip(NETWORK), rule(ADMIN)), f"{ADMIN} and not {OFFICE}", "blocked", ("skipped", "s")),
    ("a challenge", zone(rule(ADMIN, "managed_challenge")), ADMIN, "blocked", ("challenged", "a")),
    ("a log", zone(rule(ADMIN, "log")), ADMIN, "blocked", ("logged", "a")),
    ("disabled", zone(rule(ADMIN, enabled=False)), ADMIN, "blocked", ("allowed", None)),
    ("another rule", zone(rule("ssl", ref="tls"), skip(LOGIN)), LOGIN, "allowed", ("blocked", "tls")),
    ("a gap of two rules", zone(rule(f"{ADMIN} and {HALF}"), rule(f"{ADMIN} and not {NETWORK}", ref="b")), ADMIN, "blocked",
     ("allowed", None)),
    ("of a ruleset", zone(DEPLOY, executed_rulesets=[BOTS]), f"not {ADMIN}", "allowed", ("challenged", "c of the ruleset Bots")),
]  # fmt: skip
REFUTED_PACKETS: list[tuple[str, dict[str, Any], str, str, tuple[str, str | None]]] = [
    ("packets of UDP", firewall(rule("tcp.dstport eq 53")), "udp.dstport eq 53", "blocked", ("allowed", None))
]
NOT_KNOWN: list[tuple[str, dict[str, Any], str, str, str | None, str]] = [
    ("an unknown action", zone(rule(ADMIN, "odd")), ADMIN, "blocked", None, "rule a: the action odd is not known"),
    ("a list that is not read", zone(skip(OFFICE), rule(ADMIN)), ADMIN, "blocked", None, "the content of the list $office is not known"),
    ("an empty list", with_office(rule(ADMIN), addresses=()), OFFICE, "blocked", None, "nothing matches the expression"),
    ("the routing", firewall(rule("not tcp.dstport in {80 443}")), UDP, "blocked", "packets",
     "the expression not tcp.dstport in {80 443}, which depends on the routing (unified or legacy)"),
    ("what nobody can read", zone(rule("odd(http.host) eq ssl"), ), ADMIN, "blocked", None, "no example shows whether"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "state", "every", "expect"), [*PROVEN, *PROVEN_PACKETS])
def test_all_traffic_is_proven_to_have_an_outcome(name: str, state: dict[str, Any], every: str, expect: str) -> None:
    finding = evaluated(state, every, expect, "packets" if "network_firewall_rules" in state else None)
    assert (finding.met, finding.example, finding.reasons) == (True, None, [])


@pytest.mark.parametrize(("name", "state", "every", "expect", "actual"), [*REFUTED, *REFUTED_PACKETS])
def test_an_example_refutes_an_outcome(
    name: str, state: dict[str, Any], every: str, expect: str, actual: tuple[str, str | None]
) -> None:
    traffic = "packets" if "network_firewall_rules" in state else "requests"
    finding = evaluated(state, every, expect, traffic)
    assert (finding.met, finding.actual, finding.rule) == (False, *actual)
    assert finding.example
    # A copy of the example into an expectation of a single one says the same.
    single = {traffic[:-1]: finding.example, "expect": expect}
    (copied,) = find(parse_expectations({"expectations": [single]}), state)
    assert (copied.met, copied.actual, copied.rule) == (False, *actual)


@pytest.mark.parametrize(("name", "state", "every", "expect", "traffic", "reason"), NOT_KNOWN)
def test_what_cannot_be_decided_has_a_reason(
    name: str, state: dict[str, Any], every: str, expect: str, traffic: str | None, reason: str
) -> None:
    finding = evaluated(state, every, expect, traffic)
    assert (finding.met, finding.example) == (None, None)
    assert reason in "; ".join(finding.reasons)


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"every": 'http.host eq "a" and http.host eq "b"', "expect": "blocked"}, "every: nothing matches the expression"),
        ({"every": f'ip.proto eq "tcp" and {UDP}', "traffic": "packets", "expect": "blocked"}, "every: nothing matches the expression"),
        ({"every": "http.host eq", "expect": "blocked"}, "expectations[0].every: "),
        ({"every": "ssl", "traffic": "packets", "expect": "blocked"}, "is a field of requests"),
        ({"every": "ssl", "expect": "mitigated"}, "'mitigated' is none of allowed, skipped"),
        ({"every": UDP, "traffic": "packets", "expect": "mitigated"}, "'mitigated' is none of allowed, skipped, logged, blocked"),
        ({"every": "ssl", "expect": "blocked", "rule": "a"}, "rule: several rules may decide"),
        ({"every": "ssl", "request": {"path": "/"}, "expect": "blocked"}, "it takes either a request or a packet, or the expression"),
        ({"request": {"path": "/"}, "traffic": "requests", "expect": "blocked"}, "traffic: it says what every is about"),
    ],
)  # fmt: skip
def test_mistakes_in_expectations_of_all_traffic_are_errors(entry: dict[str, Any], problem: str) -> None:
    with pytest.raises(OptionError) as error:
        parse_expectations({"expectations": [entry]})
    assert problem in error.value.message


def test_the_refusal_has_the_example() -> None:
    expectations = parse_expectations({"expectations": [{"every": ADMIN, "expect": "blocked"}]})
    before, after = zone(rule(ADMIN)), zone(rule(f"{ADMIN} and ssl"))
    records = expectation_results(expectations, before, after)
    refusal = unmet_expectations(expectations, records, Plan(before, ()))
    assert f"expectations[0], every {ADMIN}: expected blocked, but allowed: GET http://" in refusal
    assert "/admin from 203.0.113." in refusal
    (record,) = expectation_records(expectations, before, after)
    assert (record["before"]["met"], record["before"]["example"]) == (True, None)
    assert record["example"] and record["example"]["path"] == "/admin"

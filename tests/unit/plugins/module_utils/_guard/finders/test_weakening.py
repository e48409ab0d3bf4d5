# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules that stop nothing any more of the traffic that each decides about, by a table of states before and after."""

from __future__ import annotations

from typing import Any, Dict

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.solve import Diagrams
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.base import Change, PlanTraffic
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.rulesets import (
    weakens_network_firewall,
    weakens_zone,
)
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finding import FinderAnswer
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.declaration import Limits
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._protection.compared_ways import compared_ways
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils._protection.difference import difference_on
from ansible_collections.edgeops.protection.plugins.module_utils._protection.worse import worse

State = Dict[str, Any]
ZONE = [{"name": "shop.example", "plan": {"legacy_id": "enterprise"}}]


def change_between(before: State, after: State) -> Change:
    ways = compared_ways(before, after)
    traffic = PlanTraffic(difference_on(ways, before, after), ways)
    return Change(Plan(before, ()), Coverage(before), Coverage(after), worse, traffic=traffic)


def answer(before: State, after: State) -> FinderAnswer:
    change = change_between(before, after)
    return weakens_zone.find(change, Limits()) or weakens_network_firewall.find(change, Limits())


def rule(ref: str, expression: str, action: str = "block", **values: Any) -> dict[str, Any]:
    return {"ref": ref, "action": action, "expression": expression, "enabled": True, **values}


def skip(expression: str, ref: str = "s", **parameters: Any) -> dict[str, Any]:
    return rule(ref, expression, "skip", action_parameters=parameters or {"ruleset": "current"})


def zone(*rules: dict[str, Any], **collections: Any) -> State:
    return {"zone": ZONE, "custom_rules": list(rules), **collections}


def with_list(*addresses: str) -> State:
    items = [{"ip": address} for address in addresses]
    return zone(rule("a", "ip.src in $bad"), **{"ip_lists": [{"name": "bad", "kind": "ip"}], "items of bad": items})


def with_ruleset(*rules: dict[str, Any]) -> State:
    ruleset = {"id": "b" * 32, "name": "Bots", "kind": "custom", "rules": list(rules)}
    deploy = rule("deploy", "true", "execute", action_parameters={"id": "b" * 32})
    return zone(deploy, executed_rulesets=[ruleset])


def packets(*rules: dict[str, Any]) -> State:
    return {"network_firewall_rules": list(rules)}


PATHS = ('http.request.uri.path eq "/admin"', 'http.request.uri.path eq "/login"', 'http.request.uri.path eq "/form"')
ADMIN, LOGIN, FORM = PATHS
THREE = [rule(ref, path) for ref, path in zip("abc", PATHS)]
NOWHERE = 'http.host eq "nowhere.invalid"'
NETWORK, HALF = "ip.src in {203.0.113.0/24}", "ip.src in {203.0.113.0/25}"
DNS, NOT_HTTP = "udp.dstport eq 53", "not tcp.dstport eq 80"
SSH, TELNET = "tcp.dstport eq 22", "tcp.dstport eq 23"
OF_TCP = [rule(ref, f"tcp.dstport eq {port}") for ref, port in (("a", 22), ("b", 23), ("c", 25))]
OF_UDP = [rule(ref, f"udp.dstport eq {port}") for ref, port in (("u", 53), ("v", 123), ("w", 161))]
WEAKENED = [
    ("removed", zone(*THREE), zone(), "abc", "a removed"),
    ("the only one disabled", zone(rule("a", ADMIN)), zone(rule("a", ADMIN, enabled=False)), "a", "a disabled"),
    ("turned into log", zone(rule("a", ADMIN)), zone(rule("a", ADMIN, "log")), "a", "a turned into log"),
    ("turned into a skip", zone(rule("a", ADMIN)), zone(skip(ADMIN, "a")), "a", "a turned into skip"),
    ("narrowed to a host of nobody", zone(*THREE), zone(*(rule(one["ref"], f"{one['expression']} and {NOWHERE}") for one in THREE)), "abc",
     "a matching other traffic"),
    ("narrowed to a private source", zone(rule("a", ADMIN)), zone(rule("a", f"{ADMIN} and ip.src in {{10.0.0.0/8}}")), "a", "a matching other traffic"),
    ("narrowed to nothing", zone(rule("a", ADMIN)), zone(rule("a", f"{ADMIN} and ssl and not ssl")), "a", "a matching nothing"),
    ("overtaken by a new skip", zone(rule("a", 'starts_with(http.request.uri.path, "/admin")'), rule("b", LOGIN, "managed_challenge")),
     zone(skip('starts_with(http.request.uri.path, "/admin") or http.request.uri.path eq "/login"'),
          rule("a", 'starts_with(http.request.uri.path, "/admin")'), rule("b", LOGIN, "managed_challenge")), "ab", "a not met any more"),
    ("overtaken by a skip and its opposite", zone(rule("a", ADMIN)), zone(skip("ssl"), skip("not ssl", "t"), rule("a", ADMIN)), "a", "a not met any more"),
    ("one that another one is behind, both overtaken", zone(rule("a", ADMIN), rule("b", ADMIN)), zone(skip("true"), rule("a", ADMIN), rule("b", ADMIN)),
     "a", "a not met any more"),
    ("the one that decides, with another one behind it", zone(rule("a", ADMIN), rule("b", ADMIN)), zone(), "a", "a removed"),
    ("one of a ruleset", with_ruleset(rule("a", ADMIN)), with_ruleset(), ["a of the ruleset Bots"], "Bots removed"),
    ("the items of its list", with_list("203.0.113.7"), with_list(), "a", "a not met any more"),
    ("other items of its list", with_list("203.0.113.7"), with_list("203.0.113.8"), "a", "a not met any more"),
    ("of three rules with a part that a rule which stays stops as well",
     zone(*(rule(ref, f"({path}) or {NETWORK}") for ref, path in zip("abc", PATHS)), rule("d", NETWORK)), zone(rule("d", NETWORK)), "abc", "a removed"),
    ("narrowed to a host of nobody, in other words", zone(rule("a", ADMIN)), zone(rule("a", f'{ADMIN} and not http.host ne "nowhere.invalid"')),
     "a", "a matching other traffic"),
    ("overtaken by a skip that lets a host of nobody be stopped", zone(rule("a", f'{ADMIN} or {NOWHERE}')),
     zone(skip(ADMIN), rule("a", f'{ADMIN} or {NOWHERE}')),
     "a", "a not met any more"),
    ("of three rules with a part that a rule which only moves stops as well",
     zone(*(rule(ref, f"({path}) or {NETWORK}") for ref, path in zip("abc", PATHS)), skip("not ssl"), rule("d", NETWORK)),
     zone(rule("d", NETWORK), skip("not ssl")), "abc", "a removed"),
    ("narrowed to a host of nobody whose name comes after that of the zone", zone(rule("a", ADMIN)), zone(rule("a", f'{ADMIN} and http.host eq "www.invalid"')),
     "a", "a matching other traffic"),
    ("packets", packets(rule("a", SSH), rule("b", TELNET)), packets(), "ab", "a removed"),
    ("packets of another port", packets(rule("a", SSH)), packets(rule("a", "tcp.dstport eq 2222")), "a", "a matching other traffic"),
    ("packets that a negation stops in one kind of routing", packets(rule("a", DNS)), packets(rule("a", NOT_HTTP)), "a",
     "would no longer do so with legacy routing (a matching other traffic)"),
    ("packets that a skip takes past it in one kind of routing", packets(rule("a", DNS)), packets(skip(NOT_HTTP), rule("a", DNS)), "a",
     "would no longer do so with unified routing (a not met any more)"),
    ("packets that nothing stops in both kinds of routing", packets(rule("a", NOT_HTTP)), packets(rule("a", "tcp.dstport eq 80")), "a",
     "would no longer do so (a matching other traffic)"),
    ("packets of the only one that decides in one kind of routing", packets(rule("a", NOT_HTTP), *OF_UDP), packets(skip(NOT_HTTP), *OF_UDP), "a",
     "1 of 1 Network Firewall rule that blocks would no longer do so with unified routing (a removed)"),
    ("packets of more rules in one kind of routing than in the other", packets(*OF_TCP, *OF_UDP), packets(skip(NOT_HTTP), *OF_UDP), "abcuvw",
     "3 of 6 Network Firewall rules that block would no longer do so with legacy routing (a removed, b removed, c removed), which is more than 30 %; "
     "6 of 6 Network Firewall rules that block would no longer do so with unified routing ("),
]  # fmt: skip
KEPT = [
    ("other refs", zone(*THREE), zone(*({**one, "ref": f"new-{one['ref']}"} for one in THREE))),
    ("merged", zone(*THREE), zone(rule("m", " or ".join(f"({path})" for path in PATHS)))),
    ("split", zone(rule("a", ADMIN)), zone(rule("b", f"{ADMIN} and ssl"), rule("c", f"{ADMIN} and not ssl"))),
    ("a part is still stopped", zone(rule("a", NETWORK)), zone(rule("a", HALF))),
    ("a part is still stopped by a new rule", zone(rule("a", NETWORK)), zone(rule("b", HALF))),
    ("a skip for a part", zone(rule("a", ADMIN)), zone(skip(HALF), rule("a", ADMIN))),
    ("a skip for a part, and another ref", zone(rule("a", ADMIN)), zone(skip(HALF), rule("b", ADMIN))),
    ("a block turned into a challenge", zone(rule("a", ADMIN)), zone(rule("a", ADMIN, "managed_challenge"))),
    ("one behind a wider block", zone(rule("a", "true"), rule("b", ADMIN)), zone(rule("a", "true"))),
    ("one behind a skip of everything", zone(skip("true"), rule("b", ADMIN)), zone(skip("true"))),
    ("one that matches nothing", zone(rule("a", "ssl and not ssl")), zone()),
    ("narrowed to a host of the zone", zone(rule("a", ADMIN)), zone(rule("a", f'{ADMIN} and http.host eq "www.shop.example"'))),
    ("one of two, of which the other one is met now", zone(rule("a", f"({ADMIN}) or ({LOGIN})"), rule("b", LOGIN)), zone(rule("b", LOGIN))),
    ("two of ten", zone(*(rule(f"r{number}", f"ip.src eq 10.0.0.{number}") for number in range(10))),
     zone(*(rule(f"r{number}", f"ip.src eq 10.0.0.{number}") for number in range(8)))),
    ("packets narrowed to a private source, which packets may have", packets(rule("a", SSH)), packets(rule("a", f"{SSH} and ip.src in {{10.0.0.0/8}}"))),
    ("packets of a part", packets(rule("a", "tcp.dstport in {22 23}")), packets(rule("a", SSH))),
    ("packets of a negation, of which a part is stopped in both kinds of routing", packets(rule("a", NOT_HTTP)),
     packets(rule("a", f"{NOT_HTTP} and not tcp.dstport eq 443"))),
    ("packets that both kinds of routing stop", packets(rule("a", DNS)), packets(rule("a", NOT_HTTP), rule("b", "udp"))),
    ("packets under another ref", packets(rule("a", SSH)), packets(rule("b", SSH))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "refs", "words"), [row[1:] for row in WEAKENED], ids=[row[0] for row in WEAKENED]
)
def test_a_rule_is_weakened_if_nothing_of_its_traffic_is_stopped(
    before: State, after: State, refs: list[str], words: str
) -> None:
    found = answer(before, after)
    assert ([entry.text for entry in found[2]] if found else []) == [*refs]
    assert found is None or words in found[0]


@pytest.mark.parametrize(("before", "after"), [row[1:] for row in KEPT], ids=[row[0] for row in KEPT])
def test_a_rule_is_not_weakened_if_a_part_is_stopped_or_another_rule_stops_it(before: State, after: State) -> None:
    assert answer(before, after) is None


def test_without_a_comparison_of_traffic_the_rules_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule has too many cases to be compared; the others count if they do not block any more."""
    monkeypatch.setattr(Diagrams, "MOST_STEPS", 0)
    rules = [rule(f"r{number}", f'http.host eq "a{number}" or http.user_agent contains "b"') for number in range(4)]
    change = change_between(zone(*rules), zone(rules[0]))
    assert change.traffic and change.traffic.changes.unknown
    found = weakens_zone.find(change, Limits())
    assert found and [entry.text for entry in found[2]] == ["r1", "r2", "r3"]

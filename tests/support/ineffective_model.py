# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random lists of rules over a universe of requests, or of packets, that is small enough to enumerate.

A universe has one request for each way in which the expressions of the lists can tell requests apart, so that what holds
for all of it holds for all requests. Each expression comes with its predicate, which knows nothing of the language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from ipaddress import ip_address, ip_network
from itertools import combinations, product
from random import Random
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._protection.ineffective import (
    IneffectiveRecord,
    ineffective_records,
)

Traffic = Mapping[str, Any]
Predicate = Callable[[Traffic], bool]
Expression = tuple[str, Predicate]

NETWORKS = (
    "0.0.0.0/0",
    "::/0",
    "192.0.2.0/24",
    "192.0.2.0/25",
    "192.0.2.128/25",
    "198.51.100.0/24",
    "10.0.0.0/8",
    "2001:db8::/32",
)
SOURCES = ("192.0.2.1", "192.0.2.200", "198.51.100.7", "10.1.2.3", "100.1.1.1", "2001:db8::1", "2600::1")
HOSTS = ("a.example", "b.example", "c.example")
COUNTRIES = ("DE", "FR", "IT")
SCORES = (1, 9, 10, 49, 50, 75, 100)
REQUESTS: Sequence[Traffic] = [
    {"ip.src": ip_address(source), "http.host": host, "ip.src.country": country, "cf.waf.score": score, "ssl": ssl, "bot": bot}
    for source, host, country, score, ssl, bot in product(
        SOURCES, (*HOSTS, "z.example"), (*COUNTRIES, "JP"), SCORES, (True, False), (True, False)
    )
]  # fmt: skip
PORTS = (1, 52, 53, 54, 443, 8000)
# A fragment of a packet has no port.
PACKETS: Sequence[Traffic] = [
    {"ip.src": source, "ip.dst": destination, "ip.proto": protocol, "port": port}
    for source, destination in product(map(ip_address, SOURCES), map(ip_address, SOURCES))
    if source.version == destination.version
    for protocol, ports in (("tcp", (*PORTS, None)), ("udp", (*PORTS, None)), ("icmp", (None,)), ("gre", (None,)))
    for port in ports
]


def _in_networks(random: Random, name: str) -> Expression:
    chosen = random.sample(NETWORKS, random.choice([1, 1, 2, 3]))
    parsed = [ip_network(network) for network in chosen]
    return f"{name} in {{{' '.join(chosen)}}}", lambda one: any(one[name] in network for network in parsed)


def _text(random: Random, name: str, known: Sequence[str]) -> Expression:
    chosen = random.sample(known, random.choice([1, 1, 2]))
    if random.random() < 0.2:
        return f'{name} ne "{chosen[0]}"', lambda one: one[name] != chosen[0]
    if len(chosen) == 1 and random.random() < 0.5:
        return f'{name} eq "{chosen[0]}"', lambda one: one[name] == chosen[0]
    quoted = " ".join(f'"{text}"' for text in chosen)
    return f"{name} in {{{quoted}}}", lambda one: one[name] in chosen


def _number(random: Random, written: str, value: Callable[[Traffic], int | None], limits: Sequence[int]) -> Expression:
    limit = random.choice(limits)
    operator, compare = random.choice(
        [("lt", int.__lt__), ("le", int.__le__), ("gt", int.__gt__), ("ge", int.__ge__), ("eq", int.__eq__)]
    )

    def holds(one: Traffic) -> bool:
        number = value(one)
        return number is not None and compare(number, limit)

    return f"{written} {operator} {limit}", holds


def request_atom(random: Random) -> Expression:
    """A comparison of a field of requests."""
    return random.choice(
        [
            lambda: _in_networks(random, "ip.src"),
            lambda: _in_networks(random, "ip.src"),
            lambda: _text(random, "http.host", HOSTS),
            lambda: _text(random, "ip.src.country", COUNTRIES),
            lambda: _number(random, "cf.waf.score", lambda one: one["cf.waf.score"], (0, 10, 50, 100)),
            lambda: ("ssl", lambda one: one["ssl"]),
            lambda: ('http.user_agent contains "bot"', lambda one: one["bot"]),
        ]
    )()  # type: ignore[no-untyped-call]


def _without_routing(text: str, holds: Predicate) -> Expression:
    """All else of the protocol, or family, of packets that a comparison names; the rest depends on the routing of the account."""
    field_name, _in, compared = text.partition(" ")
    protocol, _dot, port = field_name.partition(".")
    if port == "dstport":
        return f"({protocol} and not {text})", lambda one: one["ip.proto"] == protocol and not holds(one)
    versions = (
        {6 if ":" in network else 4 for network in compared.split() if "/" in network}
        if field_name in ("ip.src", "ip.dst")
        else set()
    )
    if len(versions) != 1:
        return f"not {text}", lambda one: not holds(one)
    (version,) = versions
    family = "::/0" if version == 6 else "0.0.0.0/0"
    return (
        f"({field_name} in {{{family}}} and not {text})",
        lambda one: one[field_name].version == version and not holds(one),
    )


def packet_atom(random: Random) -> Expression:
    """A comparison of a field of packets."""
    protocol = random.choice(["tcp", "udp"])
    return random.choice(
        [
            lambda: _in_networks(random, "ip.src"),
            lambda: _in_networks(random, "ip.dst"),
            lambda: (f'ip.proto eq "{protocol}"', lambda one: one["ip.proto"] == protocol),
            lambda: (protocol, lambda one: one["ip.proto"] == protocol),
            lambda: _number(
                random,
                f"{protocol}.dstport",
                lambda one: one["port"] if one["ip.proto"] == protocol else None,
                (53, 443),
            ),
        ]
    )()  # type: ignore[no-untyped-call]


def expression(random: Random, atom: Callable[[Random], Expression], depth: int = 2) -> Expression:
    """A comparison, or a combination of some."""
    if depth == 0 or random.random() < 0.45:
        text, holds = atom(random)
        if random.random() >= 0.12:
            return text, holds
        return _without_routing(text, holds) if atom is packet_atom else (f"not {text}", lambda one: not holds(one))
    parts = [expression(random, atom, depth - 1) for _part in range(random.choice([2, 2, 3]))]
    operator, every = random.choice([("and", all), ("and", all), ("or", any)])
    predicates = [part for _text, part in parts]
    return f"({f' {operator} '.join(text for text, _part in parts)})", lambda one: every(
        part(one) for part in predicates
    )


@dataclass
class Rules:
    """Rules as Cloudflare shows them, and the traffic that each matches, as a bit for each request or packet."""

    universe: Sequence[Traffic]
    objects: list[dict[str, Any]] = field(default_factory=list)
    matches: dict[str, int] = field(default_factory=dict)

    def add(self, ref: str, action: str, written: Expression, **more: Any) -> None:
        text, holds = written
        enabled = more.pop("enabled", True)
        self.objects.append({"ref": ref, "action": action, "expression": text, "enabled": enabled, **more})
        self.matches[ref] = sum(1 << place for place, one in enumerate(self.universe) if holds(one))


REST = {"action_parameters": {"ruleset": "current"}}
LIMITS_SKIPPED = {"action_parameters": {"phases": ["http_ratelimit"]}}
ACTIONS: Sequence[tuple[str, Mapping[str, Any]]] = [
    ("block", {}), ("block", {}), ("managed_challenge", {}), ("js_challenge", {}), ("log", {}), ("skip", REST),
    ("skip", LIMITS_SKIPPED), ("skip", {"action_parameters": {"products": ["waf"]}}),
]  # fmt: skip


def random_list(random: Random, atom: Callable[[Random], Expression], universe: Sequence[Traffic], size: int) -> Rules:
    """A list of rules, some of them off or written twice."""
    rules = Rules(universe)
    written: list[Expression] = []
    for index in range(size):
        again = random.choice(written) if written and random.random() < 0.15 else expression(random, atom)
        written.append(again)
        action, more = random.choice(ACTIONS)
        rules.add(f"r{index}", action, again, enabled=random.random() > 0.1, **more)
    return rules


def ends(rule: Mapping[str, Any]) -> bool:
    """Whether the evaluation of what a rule matches ends with it."""
    if not rule["enabled"]:
        return False
    return rule["action"] in ("block", "managed_challenge", "js_challenge") or rule.get("action_parameters") == {
        "ruleset": "current"
    }


def union(sets: Iterator[int] | Sequence[int]) -> int:
    return reduce(int.__or__, sets, 0)


def fewest(traffic: int, sets: Sequence[int]) -> int:
    """How many of some sets it takes to have all of some traffic, up to two; 3 for more, and 0 if all do not do it."""
    if traffic & ~union(sets):
        return 0
    return next((size for size in (1, 2) for some in combinations(sets, size) if not traffic & ~union(some)), 3)


def check_list(random: Random, packets: bool = False) -> Counter[str]:
    """Every claim on a random list is true, and every rule that never decides is claimed, by the fewest rules."""
    atom, universe = (packet_atom, PACKETS) if packets else (request_atom, REQUESTS)
    plural = "network_firewall_rules" if packets else "custom_rules"
    rules = random_list(random, atom, universe, random.choice([3, 5, 8, 12]))
    claims = {record["key"]: record for record in ineffective_records({plural: rules.objects})}
    return _checked(rules, claims, rules.objects)


def _checked(
    rules: Rules, claims: Mapping[str, IneffectiveRecord], judged: Sequence[Mapping[str, Any]]
) -> Counter[str]:
    counts: Counter[str] = Counter(rules=len(judged))
    assert not claims.keys() - {rule["ref"] for rule in judged}
    for place, rule in enumerate(judged):
        ref, claim = rule["ref"], claims.get(rule["ref"])
        before = [one for one in judged[:place] if ends(one)]
        counts[claim["kind"] if claim else "working"] += 1
        needed = fewest(rules.matches[ref], [rules.matches[one["ref"]] for one in before])
        if claim:
            _check_claim(rules, claim, rule, judged[:place], needed)
        else:
            case = f"{rule['expression']} is not claimed; before it {[one['expression'] for one in before]}"
            assert not rule["enabled"] or (needed == 0 and rules.matches[ref]), case
    return counts


def _check_claim(
    rules: Rules, claim: IneffectiveRecord, rule: Mapping[str, Any], before: Sequence[Mapping[str, Any]], needed: int
) -> None:
    own, case = rules.matches[rule["ref"]], f"{claim}: {rule}: {before}"
    by_ref = {one["ref"]: one for one in before}
    by = [rules.matches[ref] for ref in claim["by"]]
    assert rule["enabled"], case
    if claim["kind"] == "never":
        assert not own and not by, case
    elif claim["kind"] == "duplicate":
        (other,) = [by_ref[ref] for ref in claim["by"]]
        alike = [{**one, "ref": "", "expression": ""} for one in (rule, other)]
        assert by == [own] and alike[0] == alike[1], case
    elif claim["kind"] == "shadowed":
        assert own and not own & ~union(by), case
        assert all(ends(by_ref[ref]) for ref in claim["by"]), case
        assert min(len(by), 3) == needed, case
        assert all(own & ~union([*by[:at], *by[at + 1 :]]) for at in range(len(by))), case
    else:
        assert claim["kind"] == "unreachable", case
        assert not needed, case
        named = {one["ip.src"] for place, one in enumerate(rules.universe) if own >> place & 1}
        assert named == {ip_address("10.1.2.3")}, case


def random_chain(random: Random) -> tuple[Rules, dict[str, list[dict[str, Any]]]]:
    """The custom rules of a zone, of which some execute rulesets, and its rate limits."""
    rules = random_list(random, request_atom, REQUESTS, random.choice([2, 4, 6]))
    zone, rulesets = rules.objects, []
    for name in ("one", "two")[: random.choice([1, 1, 2])]:
        inner = random_list(random, request_atom, REQUESTS, random.choice([2, 3]))
        rules.matches.update({f"{ref} of the ruleset {name}": bits for ref, bits in inner.matches.items()})
        objects = [{**rule, "id": f"{name}-{rule['ref']}"} for rule in inner.objects]
        rulesets.append({"id": name * 8, "name": name, "kind": "custom", "rules": objects})
        for turn in range(random.choice([1, 1, 2])):
            ref, written = (
                f"run-{name}-{turn}",
                random.choice([("true", lambda one: True), expression(random, request_atom)]),
            )
            deploying = Rules(REQUESTS)
            deploying.add(ref, "execute", written, action_parameters={"id": name * 8}, enabled=random.random() > 0.1)
            rules.matches.update(deploying.matches)
            zone.insert(random.randint(0, len(zone)), deploying.objects[0])
    limits = random_list(random, request_atom, REQUESTS, 2)
    for rule in limits.objects:
        limit = {"period": 10, "requests_per_period": random.choice([3, 4])}
        rule.update(action="block", ref=f"limit-{rule['ref']}", action_parameters={}, ratelimit=limit)
    rules.matches.update({f"limit-{ref}": bits for ref, bits in limits.matches.items()})
    return rules, {"custom_rules": zone, "executed_rulesets": rulesets, "rate_limit_rules": limits.objects}


def met(rules: Rules, chain: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, int]:
    """The requests that each rule of a chain meets and matches, by the vendor's words on the actions."""
    rulesets = {ruleset["id"]: ruleset for ruleset in chain["executed_rulesets"]}
    decided: dict[str, int] = {}
    going_on, not_limited = (1 << len(rules.universe)) - 1, 0
    for rule in chain["custom_rules"]:
        reached = going_on & rules.matches[rule["ref"]] if rule["enabled"] else 0
        decided[rule["ref"]] = reached
        if rule["action"] == "execute":
            ruleset, inside = rulesets[rule["action_parameters"]["id"]], reached
            for inner in ruleset["rules"]:
                name = f"{inner['ref']} of the ruleset {ruleset['name']}"
                here = inside & rules.matches[name] if inner["enabled"] else 0
                decided[name] = decided.get(name, 0) | here
                not_limited |= here if takes_past_limits(inner) else 0
                inside &= ~here if ends(inner) else -1
                going_on &= ~here if ends(inner) and inner["action"] != "skip" else -1
        else:
            not_limited |= reached if takes_past_limits(rule) else 0
            going_on &= ~reached if ends(rule) else -1
    for rule in chain["rate_limit_rules"]:
        if rule["enabled"]:
            decided[rule["ref"]] = rules.matches[rule["ref"]] & ~not_limited
    return decided


def takes_past_limits(rule: Mapping[str, Any]) -> bool:
    """Whether what a rule matches meets no rate limit; a challenge can be solved."""
    return rule["action"] == "block" or rule.get("action_parameters") == LIMITS_SKIPPED["action_parameters"]


def check_chain(random: Random) -> Counter[str]:
    """A rule of a chain is claimed never to decide if, and only if, no request meets and matches it."""
    rules, chain = random_chain(random)
    decided, claims = met(rules, chain), {record["key"]: record for record in ineffective_records(chain)}
    counts: Counter[str] = Counter(chains=1)
    for key, claim in claims.items():
        counts[claim["kind"]] += 1
        case = f"{claim}: {chain}"
        if claim["kind"] in ("never", "shadowed"):
            assert not decided[key], case
            assert claim["kind"] == "never" or claim["by"], case
    active = {rule["ref"]: rule for rule in (*chain["custom_rules"], *chain["rate_limit_rules"]) if rule["enabled"]}
    for key, rule in active.items():
        is_idle = not decided[key] and rule["action"] != "execute"
        is_blocked = key.startswith("limit-")  # before it, perhaps, which is no claim
        assert not is_idle or is_blocked or key in claims, f"{rule} is not claimed: {chain}"
    counts["working"] = len(active.keys() - claims.keys())
    return counts

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What accounts and zones do to traffic, as the pages of docs/ say: a few packets and requests, which differ in all that
the random states ask for, stand for all others. Risks and reports follow from what becomes of them. It shares no code with
the collection but the evaluation of expressions on requests, which the vendor's engine judges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from itertools import product
from typing import Any, NamedTuple

from tests.evidence.models.plan_model import Item, same_text
from tests.evidence.models.zone_model import L4, L7, LEVELS, Managed
from tests.support.module_run import ZONE
from tests.support.requests_evaluator import Request, matches

State = Mapping[str, Any]  # of an account: enabled, prefixes, allowlist; rules, filters by kind
STRONGEST = ("enabled", "monitoring", "disabled")


class Packet(NamedTuple):
    """A packet, and where it arrives."""

    source: str
    destination: str
    port: int
    region: str
    data_center: str


SOURCES = ("10.0.0.1", "10.1.0.1", "172.16.0.1", "203.0.113.9")
DESTINATIONS = (
    "192.0.2.1",
    "192.0.2.200",
    "198.51.100.1",
    "198.51.100.200",
    "198.51.100.201",
    "203.0.113.1",
    "203.0.113.53",
)
PORTS = (80, 443, 22, 53)
PACKETS = [Packet(*item) for item in product(SOURCES, DESTINATIONS, PORTS, ("weur", "eeur", "enam"), ("lax", "fra"))]
ADDRESSES = (*SOURCES, *DESTINATIONS, "192.0.2.2", "2001:db8::1", "::1")
MET_BY: Mapping[str, Callable[[Packet], bool]] = {
    "tcp.dstport eq 80": lambda packet: packet.port == 80,
    "tcp.dstport eq 443": lambda packet: packet.port == 443,
    "ip.dst in {192.0.2.0/25}": lambda packet: packet.destination == "192.0.2.1",
    "ip.dst eq 198.51.100.200": lambda packet: packet.destination == "198.51.100.200",
    "ip.dst eq 10.9.9.9": lambda packet: False,
    "ip.src eq 10.0.0.1 and tcp.dstport eq 443": lambda packet: packet.source == "10.0.0.1" and packet.port == 443,
}
MET_BY_OVERRIDES: Mapping[str, Callable[[Packet], bool]] = {  # without their white space
    "ip.dstin{203.0.113.0/24}": lambda packet: packet.destination.startswith("203.0.113."),
    "ip.dstin{203.0.113.53}": lambda packet: packet.destination == "203.0.113.53",
    "true": lambda packet: True,
    "udp.dstportin{53}": lambda packet: packet.port == 53,
}


def networks(items: Iterable[Item], flag: str, value: bool) -> Iterator[IPv4Network | IPv6Network]:
    """Those of the items that have this value, which an item without it has if it is the usual one; a malformed prefix
    has none."""
    for item in items:
        if item.get(flag, flag == "enabled") is value and ".x/" not in item["prefix"]:
            yield ip_network(item["prefix"], strict=False)


def within(those: Iterable[IPv4Network | IPv6Network]) -> set[str]:
    """Which of the addresses are in one of the networks."""
    return {address for network in those for address in ADDRESSES if ip_address(address) in network}


def own(prefixes: Sequence[Item]) -> set[str]:
    return within(networks(prefixes, "excluded", False))


def protected(prefixes: Sequence[Item]) -> set[str]:
    """Which of the addresses are in a protected prefix, and in no excluded one."""
    return own(prefixes) - within(networks(prefixes, "excluded", True))


def passing(allowlist: Sequence[Item]) -> set[str]:
    return within(networks(allowlist, "enabled", True))


def mode_of(state: State, kind: str, packet: Packet) -> str:
    """What a component does with a packet to a protected address: a filter decides before the rules, and the most specific
    rule before others."""
    filters = [item["mode"] for item in state["filters"][kind] if MET_BY[item["expression"]](packet)]
    if filters:
        return str(min(filters, key=STRONGEST.index))
    for scope, name in (("datacenter", packet.data_center), ("region", packet.region), ("global", "global")):
        for rule in state["rules"][kind]:
            if (rule["scope"], rule["name"].lower()) == (scope, name):
                return str(rule["mode"])
    return "disabled"


def loses(described: State, existing: State) -> bool:
    """Whether the existing state protects less than the described one."""
    of_described, of_existing = protected(described["prefixes"]), protected(existing["prefixes"])
    return (
        bool(described["enabled"] and not existing["enabled"])
        or bool(passing(existing["allowlist"]) - passing(described["allowlist"]))
        or bool(of_described - of_existing)
        or any(
            mode_of(described, kind, packet) == "enabled" != mode_of(existing, kind, packet)
            for kind, packet in product(described["rules"], PACKETS)
            if packet.destination in of_described & of_existing
        )
    )


def is_unprotected(state: State) -> bool:
    """Whether the protection is off, protects no address, or a component does nothing for a protected one."""
    addresses = protected(state["prefixes"]) & set(DESTINATIONS)
    does = {
        (kind, packet.destination)
        for kind, packet in product(state["rules"], PACKETS)
        if packet.destination in addresses and mode_of(state, kind, packet) != "disabled"
    }
    return not state["enabled"] or not addresses or does != set(product(state["rules"], addresses))


CLIENTS = ("192.0.2.1", "192.0.2.2", "198.51.100.1", "64.0.0.1", "128.0.0.1", "200.0.0.1", "2001:db8::1", "9000::1")
HOSTS = ("", "a", "b", "c", "a.example", "b.example", "other.example")
REQUESTS = [
    Request(source=source, host=host, ssl=ssl, bot=bot)
    for source, host, ssl, bot in product(CLIENTS, HOSTS, (False, True), (False, True))
]
ENFORCING = {"block", "challenge", "js_challenge", "managed_challenge"}
THE_REST = "the remaining rules"
WITHOUT_EFFECT = {THE_REST, "the rest of the phase", "http_ratelimit"}  # on what stands behind; no rate limits do


@cache
def met(expression: str) -> frozenset[Request]:
    """The requests that match an expression."""
    return frozenset(request for request in REQUESTS if matches(expression, request))


class Level(NamedTuple):
    """What an override sets for a managed rule: the action, and how far the sensitivity is lowered."""

    action: str = "default"
    lowered: int = 0

    @property
    def stops(self) -> bool:
        return self.action not in ("default", "log") and LEVELS[self.lowered] != "eoff"


CHALLENGES = ("challenge", "managed_challenge")


def level_of(override: Item, managed: str, categories: Sequence[str]) -> Level | None:
    """What an override sets for a managed rule, if anything; a rule comes before its last category."""
    overrides = override.get("action_parameters", {}).get("overrides", {})  # none in a rule of another kind
    rules = [item for item in overrides.get("rules", ()) if item["id"] == managed]
    of_categories = [item for item in overrides.get("categories", ()) if item["category"] in categories]
    if not (rules or of_categories or {"action", "sensitivity_level"} & overrides.keys()):
        return None
    said: Item = {}
    for item in (*rules, *reversed(of_categories), overrides):
        said = {**item, **said}
    return Level(said.get("action", "default"), LEVELS.index(said.get("sensitivity_level", "default")))


def weakens(override: Item) -> bool:
    """Whether an override lets more pass than the managed rules do by themselves."""
    levels = [level_of(override, *rule) for managed in (L4, L7) for rule in managed.rules.items()]
    return any(level and (level.action == "log" or level.lowered) for level in levels)


def weaker_overrides(managed: Managed, before: Sequence[Item], after: Sequence[Item]) -> bool:
    """docs/risks.md, "weakens_ddos_rules": whether something meets a weaker managed rule than before."""
    return any(
        is_weaker(level_met(before, one, *rule), level_met(after, one, *rule), own)
        for one in (PACKETS if managed.id == L4.id else REQUESTS)
        for rule, own in zip(managed.rules.items(), managed.own, strict=True)
    )


def is_weaker(was: Level, now: Level, own: str) -> bool:
    """`own` is what the managed rule does by itself."""
    by_itself = own == "block" or (own in CHALLENGES and was.action in CHALLENGES)
    return (
        (now.lowered > was.lowered and was.action != "log")
        or (now.action == "log" != was.action)
        or (now.action in CHALLENGES and was.action == "block" and was.stops)
        or (now.action == "default" and was.stops and not by_itself)
    )


def level_met(overrides: Sequence[Item], one: Packet | Request, *rule: Any) -> Level:
    for override in overrides:
        text = override["expression"]
        matching = (
            one in met(text) | plain(text) if isinstance(one, Request) else MET_BY_OVERRIDES[same_text(text)](one)
        )
        level = level_of(override, *rule) if override.get("enabled", True) and matching else None
        if level:
            return level
    return Level()


def blocks_all(managed: Managed, overrides: Sequence[Item], category: str) -> bool:
    """docs/risks.md, "blocks_everything": whether a managed rule of a category, or of none, is set to block for all plain
    traffic; of that to UDP ports nothing is plain."""
    traffic = [packet for packet in PACKETS if packet.port != 53] if managed.id == L4.id else PLAIN
    categories = (category,) if category else ()
    levels = {one: level_met(overrides, one, "unnamed", categories) for one in traffic}
    blocked = {one for one, level in levels.items() if level.action == "block" and level.stops}
    if managed.id == L4.id:
        return len(blocked) == len(levels)
    return is_half({one for one in blocked if isinstance(one, Request)})


class Rule(NamedTuple):
    """A rule as requests meet it; `skips` is what a request that it matches passes, and it `is_narrowed` by a field that
    nobody but its author knows."""

    key: str
    action: str
    expression: str
    enabled: bool
    skips: frozenset[str]
    is_narrowed: bool = False

    @property
    def enforces(self) -> bool:
        return self.enabled and self.action in ENFORCING

    @property
    def lets_pass(self) -> bool:
        return self.enabled and self.action in ("skip", "allow", "bypass")

    @property
    def ends(self) -> bool:
        return self.enforces or (self.lets_pass and THE_REST in self.skips)

    @property
    def stopped(self) -> frozenset[Request]:
        return met(self.expression) if self.enforces else frozenset()

    @property
    def passed(self) -> frozenset[Request]:
        return met(self.expression) if self.lets_pass else frozenset()


class Case(NamedTuple):
    """A request, and whether it meets the condition that only its author knows."""

    request: Request
    meets_condition: bool


CASES = frozenset(Case(*values) for values in product(REQUESTS, (False, True)))


def cases_of(rule: Rule) -> set[Case]:
    """The cases that a rule matches while it is enabled."""
    requests = met(rule.expression) if rule.enabled else ()
    return {case for case in CASES if case.request in requests and (case.meets_condition or not rule.is_narrowed)}


def met_in_turn(rules: Iterable[Rule]) -> Iterator[tuple[Rule, set[Case]]]:
    """Each rule with the cases that it matches, and that no rule in front of it stops or lets pass."""
    left = set(CASES)
    for rule in rules:
        cases = left & cases_of(rule)
        yield rule, cases
        if rule.ends:
            left -= cases


class Treatment(NamedTuple):
    """What becomes of a case: whether it passes, is challenged or is blocked, and, if it passes, what else it skips."""

    strength: int
    skips: frozenset[str]

    def is_stricter(self, other: Treatment) -> bool:
        """Whether the other treatment lets the case pass, or have it skip something, and this one does not."""
        return self.strength > other.strength or bool(not self.strength and other.skips - self.skips)


def treated(rules: Iterable[Rule]) -> dict[Case, Treatment]:
    """What becomes of each case."""
    treatments = dict.fromkeys(CASES, Treatment(0, frozenset()))
    for rule, cases in met_in_turn(rules):
        for case in cases:
            if rule.enforces:
                treatments[case] = Treatment(2 if rule.action == "block" else 1, frozenset())
            elif rule.lets_pass:
                skips = treatments[case].skips | rule.skips - WITHOUT_EFFECT
                treatments[case] = Treatment(0, skips)
    return treatments


def nothing_is_stricter(first: Sequence[Rule], second: Sequence[Rule]) -> bool:
    """Whether the second rules treat no case stricter than the first ones; the other way round, nothing passes newly."""
    was = treated(first)
    return not any(treatment.is_stricter(was[case]) for case, treatment in treated(second).items())


def is_newly_skipped(product: str, before: Sequence[Rule], after: Sequence[Rule]) -> bool:
    """Whether a case that passes before and after skips a product only after."""
    was = treated(before)
    return any(
        product in treatment.skips - was[case].skips and not was[case].strength and not treatment.strength
        for case, treatment in treated(after).items()
    )


def custom_in_order(rules: Sequence[Item]) -> list[Rule]:
    """Custom rules, in the order of their list."""
    return [
        Rule(
            rule["ref"],
            rule["action"],
            rule["expression"],
            rule.get("enabled", True),
            frozenset(skipped_by(rule)),
            "score_per_period" in rule,
        )
        for rule in rules
    ]


def skipped_by(rule: Item) -> Iterator[str]:
    parameters = rule.get("action_parameters", {}) if rule["action"] == "skip" else {}
    yield from (*parameters.get("products", ()), *parameters.get("phases", ()))
    if "ruleset" in parameters or "phase" in parameters:
        yield THE_REST
    if "phase" in parameters:
        yield "the rest of the phase"


PRECEDENCE = ("log", "bypass", "allow", "challenge", "managed_challenge", "js_challenge", "block")


def firewall_in_order(rules: Sequence[Item]) -> list[Rule]:
    """Firewall rules, by priority and then by action; as docs/custom_rules.md says."""

    def turn(rule: Item) -> tuple[bool, int, int]:
        return (rule["priority"] is None, rule["priority"] or 0, PRECEDENCE.index(rule["action"]))

    return [
        Rule(
            rule["id"],
            rule["action"],
            rule["filter"]["expression"],
            not (rule["paused"] or rule["filter"]["paused"]),
            frozenset({"allow": [THE_REST], "bypass": rule.get("products") or []}.get(rule["action"], [])),
        )
        for rule in sorted(rules, key=turn)
    ]


SIZES: Sequence[Mapping[str, int]] = [  # of the sources that no random rule tells apart, by family
    {"64.0.0.1": 2**31, "128.0.0.1": 2**30, "200.0.0.1": 2**30 - 256, "192.0.2.1": 256},
    {"2001:db8::1": 2**127, "9000::1": 2**127},
]
NAMES = (f"zone-{ZONE[:6]}.example", f"www.zone-{ZONE[:6]}.example")
PLAIN = frozenset(
    Request(source=source, host=host, bot=bot)
    for family, host, bot in product(SIZES, (*NAMES, *HOSTS), (False, True))
    for source in family
)


@cache
def plain(expression: str) -> frozenset[Request]:
    """The plain requests that match an expression."""
    return frozenset(request for request in PLAIN if matches(expression, request))


KINDS = [  # plain requests to the same host, or to any, by their source
    {source: frozenset(one for one in PLAIN if one.source == source and one.host in hosts) for source in family}
    for family, hosts in product(SIZES, [*((name,) for name in NAMES), (*NAMES, *HOSTS)])
]


def kinds_in(requests: Set[Request]) -> Iterator[frozenset[Request]]:
    """Of these requests all plain ones of a kind from half of a family of sources, or more."""
    for kind in KINDS:
        (sizes,) = (family for family in SIZES if family.keys() == kind.keys())
        matched = [source for source in kind if kind[source] <= requests]
        if 2 * sum(sizes[source] for source in matched) >= sum(sizes.values()):
            yield frozenset().union(*(kind[source] for source in matched))


def is_half(requests: Set[Request]) -> bool:
    """Whether they are all plain requests to one host of the zone from half of a family, or more."""
    return any(True for kind in kinds_in(requests))


def plain_met_in_turn(rules: Iterable[Rule]) -> Iterator[tuple[Rule, frozenset[Request]]]:
    """Each rule that stops or lets pass with the plain requests that it matches, and that none in front of it does for
    good."""
    left = PLAIN
    for rule in rules:
        if rule.enforces or rule.lets_pass:
            requests = left & plain(rule.expression)
            yield rule, requests
            left -= requests if rule.ends else frozenset()


def met_by_all(rules: Sequence[Rule]) -> Iterator[Rule]:
    """The rules that all plain requests of a kind match and meet."""
    left = PLAIN
    for rule in rules:
        if (rule.enforces or rule.lets_pass) and is_half(left & plain(rule.expression)):
            yield rule
            left -= plain(rule.expression) if rule.ends else frozenset()


def is_wider(before: Rule, after: Rule) -> bool:
    """Whether all plain requests of one more kind, or half, match a rule."""
    return is_half(plain(after.expression) - plain(before.expression))

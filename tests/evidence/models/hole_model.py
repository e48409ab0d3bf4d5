# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A small model of docs/report.md: single packets and single requests, and whether somebody takes protection away from
them. It shares no code with the collection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_address, ip_network
from itertools import product
from typing import Any, NamedTuple

Item = dict[str, Any]
State = Mapping[str, Any]  # enabled, prefixes, allowlist; rules, filters by kind
KINDS = ("syn_flood", "out_of_state_tcp")
STRONGEST = ("enabled", "monitoring", "disabled")


class Packet(NamedTuple):
    """A packet, and where it arrives."""

    source: str
    destination: str
    port: int
    region: str
    data_center: str


SOURCES = ("10.0.0.1", "10.1.0.1", "172.16.0.1", "203.0.113.9")
DESTINATIONS = ("192.0.2.1", "192.0.2.200", "198.51.100.1", "198.51.100.200", "203.0.113.1")
PACKETS = [Packet(*item) for item in product(SOURCES, DESTINATIONS, (80, 443, 22), ("weur", "eeur"), ("lax", "fra"))]
FILTERS: Mapping[str, Callable[[Packet], bool]] = {
    "tcp.dstport eq 80": lambda packet: packet.port == 80,
    "tcp.dstport eq 443": lambda packet: packet.port == 443,
    "ip.dst in {192.0.2.0/25}": lambda packet: packet.destination == "192.0.2.1",
    "ip.dst eq 198.51.100.200": lambda packet: packet.destination == "198.51.100.200",
    "ip.dst eq 10.9.9.9": lambda packet: False,
    "ip.src eq 10.0.0.1 and tcp.dstport eq 443": lambda packet: packet.source == "10.0.0.1" and packet.port == 443,
}


def inside(address: str, entries: Sequence[Item]) -> bool:
    return any(ip_address(address) in ip_network(entry["prefix"]) for entry in entries)


def is_protected(state: State, address: str) -> bool:
    excluded = [entry for entry in state["prefixes"] if entry.get("excluded")]
    return inside(address, [entry for entry in state["prefixes"] if not entry.get("excluded")]) and not inside(
        address, excluded
    )


def passes(state: State, source: str) -> bool:
    return inside(source, [entry for entry in state["allowlist"] if entry.get("enabled", True)])


def mode_of(state: State, kind: str, packet: Packet) -> str:
    """What a component does with a packet to a protected address: a filter decides before the rules, and the most specific
    rule before others."""
    filters = [item["mode"] for item in state["filters"][kind] if FILTERS[item["expression"]](packet)]
    if filters:
        return str(min(filters, key=STRONGEST.index))
    places = {"datacenter": packet.data_center, "region": packet.region, "global": "global"}
    for scope, name in places.items():
        modes = [
            rule["mode"] for rule in state["rules"][kind] if (rule["scope"], rule["name"].lower()) == (scope, name)
        ]
        if modes:
            return str(modes[0])
    return "disabled"


def loses(described: State, existing: State) -> bool:
    """Whether the existing state protects less than the described one."""
    if described["enabled"] and not existing["enabled"]:
        return True
    if any(passes(existing, source) and not passes(described, source) for source in SOURCES):
        return True
    for address in DESTINATIONS:
        if is_protected(described, address) and not is_protected(existing, address):
            return True
    return any(
        mode_of(described, kind, packet) == "enabled" != mode_of(existing, kind, packet)
        for kind in KINDS
        for packet in PACKETS
        if is_protected(described, packet.destination) and is_protected(existing, packet.destination)
    )


def is_unprotected(state: State) -> bool:
    """Whether the protection is off, protects no address, or a component does nothing for a protected one."""
    protected = [address for address in DESTINATIONS if is_protected(state, address)]
    idle = any(
        all(mode_of(state, kind, packet) == "disabled" for packet in PACKETS if packet.destination == address)
        for kind in KINDS
        for address in protected
    )
    return not state["enabled"] or not protected or idle


class Request(NamedTuple):
    """A request for a host."""

    host: str
    source: str


HOSTS = ("a", "b", "c")
REQUESTS = [Request(*item) for item in product(HOSTS, ("192.0.2.1", "192.0.2.2", "198.51.100.1"))]
EXPRESSIONS: Mapping[str, Callable[[Request], bool]] = {
    "true": lambda request: True,
    "false": lambda request: False,
    'http.host eq "a"': lambda request: request.host == "a",
    'http.host eq "b"': lambda request: request.host == "b",
    'http.host in {"a" "b"}': lambda request: request.host in ("a", "b"),
    "ip.src in {192.0.2.0/24}": lambda request: request.source.startswith("192.0.2."),
    "ip.src eq 192.0.2.1": lambda request: request.source == "192.0.2.1",
    'http.host eq "a" and ip.src eq 192.0.2.1': lambda request: request == Request("a", "192.0.2.1"),
}


def requests_of(rule: Item, *actions: str) -> set[Request]:
    """The requests that a rule takes, if it is on and has one of these actions."""
    if not rule.get("enabled", True) or rule["action"] not in actions:
        return set()
    return {request for request in REQUESTS if EXPRESSIONS[rule["expression"]](request)}


STOPPING = ("block", "managed_challenge")


def stops(rule: Item) -> set[Request]:
    return requests_of(rule, *STOPPING)


def lets_pass(rule: Item) -> set[Request]:
    return requests_of(rule, "skip")


def lets_pass_too_much(rule: Item, behind: Sequence[Item]) -> bool:
    """Whether a rule lets requests pass that one of the baseline's rules behind it stops."""
    return any(lets_pass(rule) & stops(other) for other in behind)


def rule_lacks(described: Item, existing: Item | None) -> bool:
    """Whether a rule of the baseline is off, missing, narrower than described, or lets more pass."""
    is_stopping = described["enabled"] and described["action"] in STOPPING
    if existing is None or not existing["enabled"]:
        return bool(is_stopping)
    if existing["action"] == "skip" and not described["enabled"]:
        return True
    return bool(stops(described) - stops(existing)) or bool(lets_pass(existing) - lets_pass(described))

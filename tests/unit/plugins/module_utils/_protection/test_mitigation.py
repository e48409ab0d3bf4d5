# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic that a component no longer mitigates, compared with single packets."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Dict, List, NamedTuple, Tuple

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.components import component
from ansible_collections.edgeops.protection.plugins.module_utils._protection.lost_mitigation import no_longer_mitigated
from ansible_collections.edgeops.protection.plugins.module_utils._protection.modes import Component
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import (
    Ranges,
    counted,
    networks,
    overlaps,
    range_of,
    union,
)
from hypothesis import given
from hypothesis import strategies as st

from tests.support.coverage_model import HALF, Entry, account_state, filter_, rule
from tests.support.work import calls_of

ALL: Ranges = union(filter(None, [range_of("192.0.2.0/24")]))
BOTH: Ranges = union(filter(None, map(range_of, ["192.0.2.0/24", "2001:db8::/32"])))


def protection(rules: list[Entry], filters: list[Entry]) -> Component:
    return component("syn_flood", account_state(syn_flood_rules=rules, syn_flood_filters=filters))


ON, WATCHED, OFF = rule("enabled"), rule("monitoring"), rule("disabled")
WEUR_ON, WEUR_OFF = rule("enabled", "region", "WEUR"), rule("disabled", "region", "weur")
LAX_ON, LAX_OFF = rule("enabled", "datacenter", "lax"), rule("monitoring", "datacenter", "lax")
NOT_SSH = "tcp.dstport ne 22"
Rows = List[Tuple[str, Tuple[List[Entry], List[Entry]], Tuple[List[Entry], List[Entry]], Dict[str, str]]]
WHOLE = "192.0.2.0/24"
CHANGES: Rows = [
    ("nothing", ([ON], []), ([ON], []), {}),
    ("the global rule", ([ON], []), ([WATCHED], []), {"": WHOLE}),
    ("the global rule, but not that of a region", ([ON, WEUR_ON], []), ([WATCHED, WEUR_ON], []), {"outside region WEUR": WHOLE}),
    ("the rule of a region", ([ON, WEUR_ON], []), ([ON, WEUR_OFF], []), {"in region WEUR": WHOLE}),
    ("a new rule of a region", ([ON], []), ([ON, WEUR_OFF], []), {"in region WEUR": WHOLE}),
    ("a new rule of a data center", ([ON], []), ([ON, LAX_OFF], []), {"in data center LAX": WHOLE}),
    ("a data center whose region may only monitor", ([ON, WEUR_OFF, LAX_ON], []), ([ON, WEUR_OFF], []), {"in data center LAX": WHOLE}),
    ("the rule of a region that monitored", ([ON, WEUR_OFF], []), ([ON], []), {}),
    ("one port", ([ON], []), ([ON], [filter_("disabled", "tcp.dstport eq 22")]), {"to port 22": WHOLE}),
    ("all ports but one", ([ON], []), ([ON], [filter_("disabled", NOT_SSH)]), {"to ports 0-21, 23-65535": WHOLE}),
    ("two filters that take all ports", ([OFF, WEUR_ON], []),
     ([OFF, WEUR_ON], [filter_("monitoring", "tcp.dstport eq 22"), filter_("disabled", NOT_SSH)]), {"in region WEUR": WHOLE}),
    ("a filter for one port of half of the addresses", ([ON], []), ([ON], [filter_("monitoring", f"{HALF} and tcp.dstport eq 22")]),
     {"to port 22": "192.0.2.0/25"}),
    ("the filter that mitigates", ([WATCHED], [filter_("enabled", HALF)]), ([WATCHED], []), {"": "192.0.2.0/25"}),
    ("the filter that mitigates as the rule does", ([ON], [filter_("enabled", HALF)]), ([ON], []), {}),
    ("one source", ([ON], []), ([ON], [filter_("disabled", "ip.src eq 198.51.100.7")]), {"from 198.51.100.7/32": WHOLE}),
    ("sources of the other family", ([ON], []), ([ON], [filter_("disabled", "ip.src in {2001:db8::/32}")]), {}),
    ("a source port", ([ON], []), ([ON], [filter_("disabled", "tcp.srcport lt 1024 and tcp.dstport eq 53")]),
     {"to port 53, from ports 0-1023": WHOLE}),
    ("a filter that is not understood", ([ON], []), ([ON], [filter_("disabled", "tcp.flags eq 2")]), {"a part of the traffic": WHOLE}),
    ("a filter that is not understood, as before", ([ON], [filter_("disabled", "tcp.flags eq 2")]),
     ([ON], [filter_("disabled", "tcp.flags eq 2"), filter_("disabled", "tcp.dstport eq 22")]), {"to port 22": WHOLE}),
    ("a filter behind another", ([ON], [filter_("enabled", "true")]), ([ON], [filter_("enabled", "true"), filter_("disabled", HALF)]), {}),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "lost"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_a_part_of_the_traffic_is_lost(
    before: tuple[list[Entry], list[Entry]], after: tuple[list[Entry], list[Entry]], lost: dict[str, str]
) -> None:
    parts = no_longer_mitigated(protection(*before), protection(*after), ALL)
    assert {what: ", ".join(networks(ranges)) for what, ranges in parts.items()} == lost


class Packet(NamedTuple):
    destination: str
    source: str
    port: int
    region: str
    data_center: str


PACKETS = [
    Packet(*item)
    for item in product(
        ["192.0.2.1", "192.0.2.200"], ["198.51.100.7", "203.0.113.9"], [22, 80, 443], ["", "WEUR"], ["", "lax"]
    )
] + [Packet("2001:db8::1", "2001:db8::9", *item) for item in product([22, 80, 443], ["", "WEUR"], ["", "lax"])]
MATCHES: dict[str, Callable[[Packet], bool]] = {
    "true": lambda packet: True,
    "ip.dst in {192.0.2.0/25}": lambda packet: packet.destination == "192.0.2.1",
    "not ip.dst in {192.0.2.0/25}": lambda packet: packet.destination != "192.0.2.1",
    "tcp.dstport eq 22": lambda packet: packet.port == 22,
    "tcp.dstport ne 22": lambda packet: packet.port != 22,
    "tcp.dstport in {80 443} and ip.src eq 198.51.100.7": lambda packet: packet.port in (80, 443) and "100.7" in packet.source,
    "ip.src eq 198.51.100.7 xor tcp.dstport lt 100": lambda packet: ("100.7" in packet.source) != (packet.port < 100),
}  # fmt: skip
MODES = st.sampled_from(["enabled", "monitoring", "disabled"])
FILTERS = st.dictionaries(st.sampled_from(sorted(MATCHES)), MODES, max_size=4)
RULES = st.dictionaries(st.sampled_from(["global", "region WEUR", "datacenter lax"]), MODES)


def mode_of(packet: Packet, filters: dict[str, str], rules: dict[str, str]) -> str:
    """What decides on one packet, as docs/coverage.md describes it."""
    for mode in ("enabled", "monitoring", "disabled"):
        if any(MATCHES[expression](packet) for expression, own in filters.items() if own == mode):
            return mode
    for label in (f"datacenter {packet.data_center}", f"region {packet.region}", "global"):
        if label in rules:
            return rules[label]
    return "off"


def as_component(filters: dict[str, str], rules: dict[str, str]) -> Component:
    listed = [rule(mode, *(label.split() if " " in label else ("global", "global"))) for label, mode in rules.items()]
    return protection(listed, [filter_(mode, expression) for expression, mode in filters.items()])


@given(FILTERS, RULES, FILTERS, RULES)
def test_the_named_destinations_are_those_that_lose_mitigation(
    filters: dict[str, str], rules: dict[str, str], new_filters: dict[str, str], new_rules: dict[str, str]
) -> None:
    parts = no_longer_mitigated(as_component(filters, rules), as_component(new_filters, new_rules), BOTH)
    lost = {
        packet.destination
        for packet in PACKETS
        if mode_of(packet, filters, rules) == "enabled" != mode_of(packet, new_filters, new_rules)
    }
    named = {
        packet.destination
        for packet in PACKETS
        if any(overlaps(packet.destination, ranges) for ranges in parts.values())
    }
    assert named == lost


def test_traffic_that_cannot_be_compared_is_not_taken_for_harmless() -> None:
    several: list[Any] = [
        filter_("enabled", f"tcp.dstport eq {2 * number} and tcp.srcport in {{{number}..{number + 3000}}}")
        for number in range(1000)
    ]
    ((what, ranges),) = no_longer_mitigated(protection([ON], several), protection([ON], several[1:]), ALL).items()
    assert counted(ranges) == "256 IPv4 addresses"
    assert what == "a part of the traffic, since the filters are too many to compare"


def test_filters_for_other_addresses_make_no_comparison_unknown() -> None:
    ports = "tcp.dstport eq {0} and tcp.srcport eq {0}"
    several = [
        filter_("enabled", f"ip.dst in {{10.{number // 250}.{number % 250}.0/24}} and {ports.format(2 * number)}")
        for number in range(600)
    ]
    after = protection([ON], [*several, filter_("disabled", HALF)])
    parts = no_longer_mitigated(protection([ON], several), after, ALL)
    assert {what: networks(ranges) for what, ranges in parts.items()} == {"": ["192.0.2.0/25"]}


def calls_for(count: int) -> int:
    """The calls of functions that compare so many filters, each for a network of its own."""
    filters = [
        filter_("monitoring", f"ip.dst in {{10.{number // 250}.{number % 250}.0/24}}") for number in range(count)
    ]
    before, after = protection([ON], []), protection([ON], filters)
    networks_compared = union(filter(None, [range_of("10.0.0.0/8")]))
    mitigated_parts: list[str] = []

    def compare() -> None:
        parts = no_longer_mitigated(before, after, networks_compared)
        mitigated_parts.extend(map(counted, parts.values()))

    calls = calls_of(compare)
    assert mitigated_parts == [f"{256 * count} IPv4 addresses"]
    return calls


def test_five_times_as_many_filters_take_less_than_ten_times_the_work() -> None:
    assert calls_for(5000) < 10 * calls_for(1000)

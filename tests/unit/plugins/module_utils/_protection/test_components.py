# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils._protection.decide_packet import decide_packet
from ansible_collections.edgeops.protection.plugins.module_utils._protection.request import parse_packet
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

PACKET = {"destination": "192.0.2.7", "destination_port": 443, "source": "198.51.100.9", "source_port": 40000}
GLOBAL = {"scope": "global", "name": "global", "mode": "enabled"}
FRA = {"scope": "datacenter", "name": "FRA", "mode": "monitoring"}
WEUR = {"scope": "region", "name": "WEUR", "mode": "disabled"}
STATE: dict[str, Any] = {
    "status": [{"enabled": True}],
    "prefixes": [{"prefix": "192.0.2.0/24", "excluded": False}],
    "allowlist": [],
    "syn_flood_rules": [GLOBAL],
    "syn_flood_filters": [],
    "out_of_state_tcp_rules": [],
    "out_of_state_tcp_filters": [],
}


def decided(packet: dict[str, Any], component: str = "syn_flood", **state: Any) -> Any:
    read = parse_packet(Option("packet"), {**PACKET, **packet})
    decision = decide_packet(Coverage({**STATE, **state}), read, component)
    return decision.word, decision.by, list(decision.reasons)


@pytest.mark.parametrize(
    ("packet", "state", "word", "by"),
    [
        ({}, {}, "mitigated", "rule global"),
        ({}, {"status": [{"enabled": False}]}, "unprotected", "TCP protection is off"),
        ({"destination": "203.0.113.1"}, {}, "unprotected", "no protected prefix"),
        ({}, {"prefixes": [*STATE["prefixes"], {"prefix": "192.0.2.0/28", "excluded": True}]}, "unprotected", "an excluded prefix"),
        ({}, {"allowlist": [{"prefix": "198.51.100.9/32", "enabled": True}]}, "bypassed", "allowlist entry 198.51.100.9/32"),
        ({}, {"allowlist": [{"prefix": "198.51.100.9/32", "enabled": False}]}, "mitigated", "rule global"),
        ({}, {"allowlist": [{"prefix": "198.51.100.8/32", "enabled": True}]}, "mitigated", "rule global"),
        ({}, {"syn_flood_rules": []}, "unprotected", "no rule"),
        ({"data_center": "FRA"}, {"syn_flood_rules": [GLOBAL, FRA]}, "monitored", "rule datacenter FRA"),
        ({"data_center": "MUC"}, {"syn_flood_rules": [GLOBAL, FRA]}, "mitigated", "rule global"),
        ({"region": "weur"}, {"syn_flood_rules": [GLOBAL, WEUR]}, "unprotected", "rule region WEUR"),
        ({}, {"syn_flood_filters": [{"expression": "tcp.dstport eq 443", "mode": "monitoring"}]}, "monitored", "filter tcp.dstport eq 443"),
        ({}, {"syn_flood_filters": [{"expression": "tcp.dstport eq 443", "mode": "monitoring"},
         {"expression": "ip.src in {198.51.100.0/24}", "mode": "enabled"}]}, "mitigated", "filter ip.src in {198.51.100.0/24}"),
    ],
)  # fmt: skip
def test_packets_are_treated_in_the_order_of_the_vendor(packet: Any, state: Any, word: str, by: str) -> None:
    assert decided(packet, **state) == (word, by, [])


@pytest.mark.parametrize(
    ("packet", "state", "reason"),
    [
        ({}, {"syn_flood_rules": [GLOBAL, FRA]}, "there is a rule datacenter FRA, and the data_center is not given"),
        ({"data_center": "MUC"}, {"syn_flood_rules": [GLOBAL, WEUR]}, "there is a rule region WEUR, and the region is not given"),
        ({}, {"syn_flood_rules": [GLOBAL, {**GLOBAL, "mode": "disabled"}]}, "the mode of the rule global is not known"),
        ({}, {"syn_flood_rules": [{**GLOBAL, "mode": "odd"}]}, "the mode of the rule global is not known"),
        ({}, {"syn_flood_rules": [{**GLOBAL, "scope": "planet"}]}, "the scope of the rule planet GLOBAL is not known"),
        ({}, {"syn_flood_rules": None}, "filter : its mode or expression is not known"),
        ({}, {"prefixes": None}, "the protected prefixes are not known"),
        ({}, {"status": None}, "whether TCP protection is on is not known"),
        ({}, {"allowlist": None}, "the allowlist is not known"),
        ({}, {"allowlist": [{"prefix": "odd", "enabled": True}]}, "the allowlist entry odd is malformed"),
        ({}, {"prefixes": [*STATE["prefixes"], {"prefix": "odd", "excluded": True}]}, "the excluded prefix odd is malformed"),
        ({}, {"syn_flood_filters": [{"expression": "udp.dstport eq 1", "mode": "disabled"}]},
         "filter udp.dstport eq 1: the field udp.dstport is not given (destination_port and protocol: udp)"),
    ],
)  # fmt: skip
def test_unknown_parts_leave_a_packet_undecided(packet: Any, state: Any, reason: str) -> None:
    word, dummy, reasons = decided(packet, **state)
    assert (word, reason in reasons) == ("undecided", True)


def test_a_source_that_is_not_given_may_be_allowed() -> None:
    packet = parse_packet(Option("packet"), {"destination": "192.0.2.7"})
    state = {**STATE, "allowlist": [{"prefix": "198.51.100.9/32", "enabled": True}]}
    decision = decide_packet(Coverage(state), packet, "syn_flood")
    assert (decision.word, list(decision.reasons)) == ("undecided", ["the field ip.src is not given (source)"])


def test_dns_protection_is_known_if_it_was_read() -> None:
    assert decided({"destination_port": 53}, "dns")[0] == "undecided"
    assert decided({"destination_port": 53}, "dns", dns_rules=[GLOBAL])[:2] == ("mitigated", "rule global")
    off = {"dns_rules": [GLOBAL], "status": [{"enabled": False}]}
    assert decided({"destination_port": 53}, "dns", **off)[0] == "mitigated"
    allowed = {"dns_rules": [GLOBAL], "allowlist": [{"prefix": "198.51.100.9/32", "enabled": True}]}
    assert decided({"destination_port": 53}, "dns", **allowed)[0] == "undecided"


def test_a_list_in_a_filter_is_undecided_and_the_reason_says_why() -> None:
    filters = [{"expression": "ip.dst in $games", "mode": "monitoring"}]
    account = {**STATE, "syn_flood_filters": filters}
    packet = parse_packet(Option("packet"), {"destination": "192.0.2.7"})
    decided = decide_packet(Coverage(account), packet, "syn_flood")
    assert (decided.word, decided.reasons[-1]) == (
        "undecided",
        "filter ip.dst in $games: filters are documented with addresses in braces, and without lists",
    )

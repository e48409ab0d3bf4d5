# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.decide_packet import PacketDecisions
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expectation import parse_expectations
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expected import find
from ansible_collections.edgeops.protection.plugins.module_utils._protection.request import parse_packet
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

GLOBAL = {"scope": "global", "name": "global", "mode": "enabled"}
ACCOUNT: dict[str, Any] = {
    "status": [{"enabled": True}], "prefixes": [{"prefix": "203.0.113.0/24"}], "allowlist": [],
    "syn_flood_rules": [GLOBAL], "syn_flood_filters": [], "out_of_state_tcp_rules": [], "out_of_state_tcp_filters": [],
}  # fmt: skip


def in_firewall(expect: Any, *rules: dict[str, Any], **packet: Any) -> tuple[Any, Any, Any]:
    options = {"expectations": [{"packet": {"destination": "203.0.113.53", **packet}, "expect": expect}]}
    state = {"network_firewall_rules": [{"ref": f"r{index}", **rule} for index, rule in enumerate(rules)]}
    (finding,) = find(parse_expectations(options), state)
    return finding.actual, finding.rule, finding.met


UDP = {"action": "block", "expression": "udp.srcport in {123}"}
CURRENT = {"action": "skip", "action_parameters": {"ruleset": "current"}, "expression": "ip.src in {192.0.2.0/24}"}


@pytest.mark.parametrize(
    ("expect", "packet", "expected"),
    [
        ("blocked", {"protocol": "udp", "source_port": 123, "source": "198.51.100.1"}, ("blocked", "r1", True)),
        ("blocked", {"protocol": "udp", "source_port": 123, "source": "192.0.2.1"}, ("skipped", "r0", False)),
        ("allowed", {"protocol": "udp", "source_port": 123, "source": "192.0.2.1"}, ("skipped", "r0", True)),
        ("allowed", {"protocol": "tcp", "source_port": 123, "source": "198.51.100.1"}, ("allowed", None, True)),
        ("blocked", {"protocol": "udp", "source_port": 123}, ("undecided", None, None)),
        ("mitigated", {"protocol": "tcp", "source": "198.51.100.1"}, ("allowed", None, True)),
        ({"dns": "mitigated"}, {"protocol": "udp", "source_port": 123, "source": "198.51.100.1"}, ("blocked", "r1", False)),
    ],
)  # fmt: skip
def test_a_packet_meets_the_network_firewall_first(expect: Any, packet: dict[str, Any], expected: Any) -> None:
    assert in_firewall(expect, CURRENT, UDP, **packet) == expected


TELNET = {"action": "block", "expression": "tcp.dstport in {23 53}"}
BOTH = {"action": "block", "expression": "tcp.dstport eq 53 or udp.dstport eq 53"}


@pytest.mark.parametrize(
    ("expect", "rule", "packet", "expected"),
    [
        ("blocked", TELNET, {"destination_port": 23}, ("undecided", None, None)),
        ("allowed", TELNET, {"destination_port": 23}, ("undecided", None, None)),
        ("blocked", TELNET, {"destination_port": 23, "protocol": "tcp"}, ("blocked", "r0", True)),
        ("allowed", TELNET, {"fields": {"ip.proto": "icmp"}}, ("allowed", None, True)),
        ("blocked", BOTH, {"destination_port": 53}, ("blocked", "r0", True)),
        ("allowed", TELNET, {"destination_port": 99}, ("allowed", None, True)),
        ("mitigated", TELNET, {"destination_port": 23}, ("blocked", "r0", False)),
        ({"dns": "mitigated"}, TELNET, {"destination_port": 53}, ("allowed", None, True)),
    ],
)
def test_ports_without_a_protocol_are_of_either(expect: Any, rule: dict[str, Any], packet: Any, expected: Any) -> None:
    assert in_firewall(expect, rule, **packet) == expected


def blocking(expression: str) -> dict[str, Any]:
    return {"action": "block", "expression": expression}


DNS_PACKET = {"destination_port": 53, "protocol": "udp", "source": "198.51.100.1"}
WEB_PACKET = {"destination_port": 8080, "protocol": "tcp", "source": "198.51.100.1"}
UNDECIDED = ("undecided", None, None)


@pytest.mark.parametrize(
    ("expression", "packet", "expected"),
    [
        ("not tcp.dstport in {80 443}", DNS_PACKET, UNDECIDED),
        ("not tcp.dstport in {80 443}", WEB_PACKET, ("blocked", "r0", True)),
        ("tcp.dstport ne 80", DNS_PACKET, UNDECIDED),
        ("not udp.srcport eq 123", WEB_PACKET, UNDECIDED),
        ("tcp.dstport eq 53", DNS_PACKET, ("allowed", None, False)),
        ("udp.dstport eq 53 or not tcp.dstport eq 53", DNS_PACKET, ("blocked", "r0", True)),
        ('ip.proto eq "tcp" and not tcp.dstport in {80 443}', DNS_PACKET, ("allowed", None, False)),
        ("not ip.src in {10.0.0.0/8}", DNS_PACKET, ("blocked", "r0", True)),
        ("not ip.src in {2001:db8::/32}", DNS_PACKET, UNDECIDED),
        ("ip.src ne 2001:db8::1", DNS_PACKET, UNDECIDED),
        ("not ip.src in {2001:db8::/32 10.0.0.0/8}", DNS_PACKET, ("blocked", "r0", True)),
        ("ip.src in {0.0.0.0/0} and not ip.dst in {192.0.2.0/24}", DNS_PACKET, ("blocked", "r0", True)),
    ],
)  # fmt: skip
def test_a_rule_for_another_protocol_or_family_depends_on_the_routing(
    expression: str, packet: dict[str, Any], expected: Any
) -> None:
    assert in_firewall("blocked", blocking(expression), **packet) == expected


@pytest.mark.parametrize(
    ("expression", "source", "destination", "expected"),
    [
        ('ip.geoip.country eq "DE"', "DE", "FR", ("blocked", "r0", True)),
        ('ip.geoip.country in {"DE"}', "FR", "DE", ("blocked", "r0", True)),
        ('ip.geoip.country eq "DE"', "FR", "FR", ("allowed", None, False)),
        ('not ip.geoip.country eq "DE"', "FR", "DE", ("allowed", None, False)),
        ('ip.geoip.country eq "DE" and ip.geoip.country eq "FR"', "FR", "DE", ("blocked", "r0", True)),
        ('ip.geoip.country ne "DE"', "FR", "FR", UNDECIDED),
        ('ip.src.country eq "DE"', "FR", "DE", ("allowed", None, False)),
    ],
)
def test_a_country_of_either_end_is_that_of_source_or_destination(
    expression: str, source: str, destination: str, expected: Any
) -> None:
    fields = {"ip.src.country": source, "ip.dst.country": destination}
    assert in_firewall("blocked", blocking(expression), fields=fields) == expected


def test_a_country_of_one_end_leaves_the_other_open() -> None:
    packet = {"fields": {"ip.src.country": "FR"}}
    ((word, _by, reasons),) = before_components([""], blocking('ip.geoip.country eq "DE"'), **packet).values()
    not_given = "the field ip.dst.country is not given (fields: {ip.dst.country: ...})"
    assert (word, reasons) == ("undecided", [f"rule r0: {not_given}"])


@pytest.mark.parametrize(
    ("expression", "condition"),
    [("not tcp.dstport in {80 443}", 'ip.proto eq "tcp"'), ("not ip.src in {2001:db8::/32}", "ip.src in {::/0}")],
)
def test_the_condition_that_decides_is_said(expression: str, condition: str) -> None:
    ((word, _by, reasons),) = before_components([""], blocking(expression), **DNS_PACKET).values()
    doubt = "whether it meets the packet depends on the routing of the account, unified or legacy"
    assert (word, reasons) == ("undecided", [f"rule r0: {doubt}; write {condition} and ..."])


def before_components(components: list[str], *rules: dict[str, Any], **packet: Any) -> dict[str, tuple[Any, Any, Any]]:
    firewall = [{"ref": f"r{index}", **rule} for index, rule in enumerate(rules)]
    state = {**ACCOUNT, "network_firewall_rules": firewall}
    seen = parse_packet(Option("packet"), {"destination": "203.0.113.53", **packet})
    decisions = PacketDecisions(state).decide(seen, components)
    return {name: (one.word, one.by, list(one.reasons)) for name, one in decisions.items()}


BOTH_KINDS = ["syn_flood", "out_of_state_tcp"]
NOT_GIVEN = ["rule r0: the field tcp.dstport is not given (destination_port)"]


@pytest.mark.parametrize(
    ("rules", "packet", "syn_flood", "out_of_state"),
    [
        ([], {}, ("mitigated", "rule global", []), ("unprotected", "no rule", [])),
        ([TELNET], {"destination_port": 23}, ("blocked", "r0", []), ("blocked", "r0", [])),
        ([TELNET], {"destination_port": 80}, ("mitigated", "rule global", []), ("unprotected", "no rule", [])),
        ([TELNET], {}, ("undecided", None, NOT_GIVEN), ("undecided", None, NOT_GIVEN)),
        ([{**CURRENT, "expression": "tcp.dstport eq 23"}], {}, ("mitigated", "rule global", []), ("unprotected", "no rule", [])),
    ],
)  # fmt: skip
def test_packets_that_pass_meet_the_components(rules: Any, packet: Any, syn_flood: Any, out_of_state: Any) -> None:
    expected = {"syn_flood": syn_flood, "out_of_state_tcp": out_of_state}
    assert before_components(BOTH_KINDS, *rules, **packet) == expected


def test_packets_that_no_component_sees_meet_the_network_firewall_alone() -> None:
    ntp = {"protocol": "udp", "source_port": 123, "source": "198.51.100.1"}
    assert before_components([""], UDP, **ntp) == {"": ("blocked", "r0", [])}
    assert before_components([""], TELNET, **ntp) == {"": ("allowed", None, [])}

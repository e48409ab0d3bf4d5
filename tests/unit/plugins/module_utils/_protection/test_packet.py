# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import ipaddress
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import MISSING
from ansible_collections.edgeops.protection.plugins.module_utils._protection.request import parse_packet
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

OPTION = Option("expectations", 0, "packet")
TCP = ["syn_flood", "out_of_state_tcp"]


def test_a_packet_has_fields() -> None:
    values = {"destination": "203.0.113.53", "destination_port": "53", "source": "192.0.2.1", "source_port": 40000}
    packet = parse_packet(OPTION, {**values, "data_center": "FRA", "region": "WEUR", "protocol": "udp"})
    assert packet.fields.values == {
        "ip.dst": ipaddress.ip_address("203.0.113.53"),
        "udp.dstport": 53,
        "tcp.dstport": MISSING,
        "ip.src": ipaddress.ip_address("192.0.2.1"),
        "udp.srcport": 40000,
        "tcp.srcport": MISSING,
        "ip.proto": b"udp",
    }
    other = parse_packet(OPTION, {"destination": "203.0.113.53", "source_port": 1, "fields": {"ip.len": 40}})
    assert {**other.fields.values, "ip.dst": None} == {"ip.dst": None, "tcp.srcport": 1, "ip.len": 40}
    icmp = parse_packet(OPTION, {"destination": "203.0.113.53", "fields": {"ip.proto": "icmp"}}).fields.values
    assert {name: value for name, value in icmp.items() if name != "ip.dst"} == {
        "ip.proto": b"icmp",
        **dict.fromkeys(("tcp.dstport", "udp.dstport", "tcp.srcport", "udp.srcport"), MISSING),
    }
    assert (packet.data_center, packet.region, packet.components) == ("fra", "weur", ["dns"])


@pytest.mark.parametrize(
    ("values", "components"),
    [
        ({}, TCP),
        ({"destination_port": 53}, [*TCP, "dns"]),
        ({"destination_port": 53, "protocol": "tcp"}, TCP),
        ({"destination_port": 80, "protocol": "udp"}, []),
        ({"fields": {"ip.proto": "icmp"}}, []),
    ],
)
def test_components_see_packets(values: dict[str, Any], components: Any) -> None:
    assert parse_packet(OPTION, {"destination": "203.0.113.53", **values}).components == components


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"destination": None}, "packet.destination: None is no text"),
        ({"destination": "example.com"}, "packet.destination: 'example.com' is no address"),
        ({"port": 53}, "packet.port: there is no such field; the fields are destination, destination_port"),
        ({"destination_port": 70000}, "packet.destination_port: '70000' is no port"),
        ({"destination_port": True}, "packet.destination_port: 'True' is no port"),
        ({"protocol": "icmp"}, "packet.protocol: 'icmp' is not one of tcp, udp"),
        ({"protocol": "tcp", "fields": {"ip.proto": "icmp"}}, "packet.fields.ip.proto: give it as protocol"),
        ({"fields": {"ip.proto": "udp"}}, "packet.fields.ip.proto: give it as protocol"),
        ({"fields": {"ip.proto": 1}}, "packet.fields.ip.proto: it is no text such as icmp"),
        (
            {"source_port": 1, "fields": {"ip.proto": "gre"}},
            "packet.source_port: a packet of the protocol gre has no port",
        ),
        ({"fields": {"udp.dstport": 53}}, "packet.fields.udp.dstport: give it as destination_port and protocol: udp"),
        ({"fields": {"ip.src": "x"}}, "packet.fields.ip.src: give it as source"),
        (
            {"fields": {"ip.geoip.country": "DE"}},
            "packet.fields.ip.geoip.country: give it as ip.src.country and ip.dst.country",
        ),
        ({"fields": {"ip.src.countri": "DE"}}, "'ip.src.countri' is no field of packets that this collection knows"),
        ({"fields": {"http.host": "x"}}, "'http.host' is no field of packets that this collection knows"),
        ({"data_center": "Frankfurt"}, "packet.data_center: 'Frankfurt' is no code of a data center"),
        ({"source": "2001:db8::1"}, "2001:db8::1 sends no packet to 203.0.113.53, of another family"),
    ],
)
def test_wrong_packets_are_errors_with_their_place(values: dict[str, Any], problem: str) -> None:
    with pytest.raises(OptionError) as error:
        parse_packet(OPTION, {"destination": "203.0.113.53", **values})
    assert problem in error.value.message


def test_a_packet_needs_a_destination() -> None:
    with pytest.raises(OptionError, match="it lacks destination"):
        parse_packet(OPTION, {"source": "192.0.2.1"})


def test_fields_have_keys_that_give_them() -> None:
    fields = parse_packet(OPTION, {"destination": "192.0.2.1"}).fields
    names = ("ip.src", "udp.dstport", "ip.len")
    assert [fields.not_given(name).rpartition("given ")[2] for name in names] == [
        "(source)",
        "(destination_port and protocol: udp)",
        "(fields: {ip.len: ...})",
    ]

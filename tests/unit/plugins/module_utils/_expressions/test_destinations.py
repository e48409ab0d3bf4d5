# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The destinations that an expression matches, against the evaluation of single packets."""

from __future__ import annotations

import ipaddress
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.expression import Expression
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import Fields
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.solve import SOME, MatchedDestinations
from ansible_collections.edgeops.protection.plugins.module_utils._text import Unread
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import (
    EVERYTHING,
    difference,
    intersection,
    networks,
    range_of,
)
from hypothesis import given
from hypothesis import strategies as st

ADDRESSES = [f"192.0.2.{last}" for last in range(16)] + [f"2001:db8::{last:x}" for last in range(16)]
NETWORKS = st.one_of(
    st.builds("192.0.2.{}/{}".format, st.integers(0, 15), st.integers(28, 32)),
    st.builds("2001:DB8::{:x}/{}".format, st.integers(0, 15), st.integers(124, 128)),
    st.sampled_from(["0.0.0.0/0", "::/0"]),
).map(lambda text: str(ipaddress.ip_network(text, strict=False))) | st.sampled_from(["192.0.2.3", "2001:DB8::5"])


def in_set(ranges: Any, address: str) -> bool:
    single = range_of(address)
    assert single is not None
    return bool(intersection(ranges, [single]))


PORTS = [22, 80, 443]
SOURCES = ["192.0.2.1", "192.0.2.9", "2001:db8::1", "2001:db8::9"]
ATOMS = st.one_of(
    st.builds("ip.dst in {{{}}}".format, st.lists(NETWORKS, max_size=3).map(" ".join)),
    st.builds("ip.dst eq {}".format, st.sampled_from(ADDRESSES)),
    st.builds("ip.dst ne {}".format, st.sampled_from(ADDRESSES)),
    st.builds("ip.src in {{{}}}".format, NETWORKS),
    st.builds("tcp.dstport {} {}".format, st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge", "==", "<"]), st.sampled_from([0, *PORTS])),
    st.builds("tcp.dstport in {{{}..{}}}".format, st.integers(0, 80), st.integers(80, 65535)),
    st.builds("tcp.srcport in {{{}}}".format, st.sampled_from(PORTS)),
)  # fmt: skip
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["and", "or", "xor", "&&", "||"]), inner),
        st.builds("{} or {} and {}".format, inner, inner, inner).map("({})".format),
        st.builds("(not ({}))".format, inner),
    ),
    max_leaves=5,
)


def packets(destination: str) -> list[Fields]:
    to = ipaddress.ip_address(destination)
    return [
        Fields({"ip.src": ipaddress.ip_address(source), "ip.dst": to, "tcp.srcport": near, "tcp.dstport": far})
        for source in SOURCES
        if (":" in source) == (":" in destination)
        for near in PORTS
        for far in [0, *PORTS, 65535]
    ]


@given(EXPRESSIONS)
def test_an_expression_matches_the_packets_that_are_evaluated_so(expression: str) -> None:
    matches = MatchedDestinations.of(Expression.of(expression))
    assert difference(matches.always, matches.sometimes) == []
    for destination in ADDRESSES:
        met = [Expression.of(expression).evaluate(packet) is True for packet in packets(destination)]
        if in_set(matches.always, destination):
            assert all(met)
        if not in_set(matches.sometimes, destination):
            assert not any(met)


@pytest.mark.parametrize(
    ("expression", "always", "sometimes"),
    [
        ("ip.dst in {192.0.2.0/24 2001:db8::/32}", "192.0.2.0/24 2001:db8::/32", "192.0.2.0/24 2001:db8::/32"),
        ("ip.dst in {192.0.2.0..192.0.2.5}", "192.0.2.0/30 192.0.2.4/31", "192.0.2.0/30 192.0.2.4/31"),
        ("ip.dst in {192.0.2.0/24} and tcp.dstport eq 80", "", "192.0.2.0/24"),
        ("ip.dst in {192.0.2.0/24} and not ip.dst in {192.0.2.0/25}", "192.0.2.128/25", "192.0.2.128/25"),
        ("ip.src in {192.0.2.0/24}", "", "0.0.0.0/0"),
        ("not ip.src in {192.0.2.0/24}", "::/0", "0.0.0.0/0 ::/0"),
        ("tcp.dstport ge 0", "0.0.0.0/0 ::/0", "0.0.0.0/0 ::/0"),
        ("tcp.dstport lt 0", "", ""),
        ("!(tcp.dstport lt 0) && ip.dst == 192.0.2.1", "192.0.2.1/32", "192.0.2.1/32"),
        ("true", "0.0.0.0/0 ::/0", "0.0.0.0/0 ::/0"),
        ("not " * 5000 + "true", "0.0.0.0/0 ::/0", "0.0.0.0/0 ::/0"),
        ("ip.dst in {} or ip.src in {}", "", ""),
        ("tcp.dstport le 70000", "0.0.0.0/0 ::/0", "0.0.0.0/0 ::/0"),
        ("tcp.dstport ne 70000", "0.0.0.0/0 ::/0", "0.0.0.0/0 ::/0"),
        ("tcp.dstport gt 65535", "", ""),
        ("tcp.dstport in {}", "", ""),
        ("tcp.dstport in {0..80 81..65535}", "0.0.0.0/0 ::/0", "0.0.0.0/0 ::/0"),
        ("ip.src ne 192.0.2.1", "::/0", "0.0.0.0/0 ::/0"),
    ],
)
def test_which_destinations_an_expression_matches(expression: str, always: str, sometimes: str) -> None:
    assert [" ".join(networks(part)) for part in MatchedDestinations.of(Expression.of(expression))] == [
        always,
        sometimes,
    ]


@pytest.mark.parametrize(
    "expression",
    [
        "", "ip.dst", "ip.dst in", "ip.dst in {", "ip.dst in {192.0.2.0/24", "ip.dst in $list", "ip.dst in {203.0.113/24}",
        "ip.dst lt 192.0.2.1", "ip.dst in {192.0.2.9..192.0.2.1}", "ip.dst in {192.0.2.1..2001:db8::1}",
        "tcp.dstport eq http", "tcp.dstport contains 80", "tcp.dstport in {9..1}", "http.host eq \"a\"", "ip.dst eq 192.0.2.1)",
        "(ip.dst eq 192.0.2.1", "ip.dst eq 192.0.2.1 ip.dst eq 192.0.2.2", "len(ip.dst) eq 4", "(" * 5000 + "true", "%",
        "tcp.dstport in {0..065535}", "tcp.dstport eq 080", "tcp.dstport ge 0100000", "tcp.dstport eq 0x50", "tcp.dstport eq -1",
        "tcp.dstport eq \u0668\u0660", "tcp.dstport eq " + "9" * 5000, "tcp.dstport eq 80..90", "tcp.dstport eq {80 90}",
        "tcp.dstport in 80", "tcp.dstport\teq 80", "ip.dst\u00a0eq 192.0.2.1", "ip.dst eq 192.0.2.0/24",
        "ip.dst ne 192.0.2.1..192.0.2.9", "ip.dst eq {192.0.2.1}", "ip.dst in 192.0.2.0/24", "ip.dst in {192.0.2.7/24}",
        "ip.dst eq 192.0.2.1 and true eq 1", "tcp.dstport & 3", "notip.dst eq 192.0.2.1",
    ],
)  # fmt: skip
def test_an_undocumented_form_is_undecided(expression: str) -> None:
    with pytest.raises(Unread):
        MatchedDestinations.of(Expression.of(expression))


@pytest.mark.parametrize("condition", ["ge 0", "le 65535", "in {0..65535}", "in {0 1..65535}"])
def test_every_port_is_all_traffic(condition: str) -> None:
    assert MatchedDestinations.of(Expression.of(f"tcp.dstport {condition}")) == MatchedDestinations(
        EVERYTHING, EVERYTHING
    )


@pytest.mark.parametrize("condition", ["ge 1", "le 65534", "ne 0", "ne 65535", "in {1..65535}", "in {0..65534}"])
def test_every_port_but_one_is_some_traffic(condition: str) -> None:
    assert MatchedDestinations.of(Expression.of(f"tcp.dstport {condition}")) == SOME


def test_a_destination_is_of_one_part_of_an_exclusive_or() -> None:
    one, two, three = (f"ip.dst eq 192.0.2.{last}" for last in (1, 2, 3))
    assert MatchedDestinations.of(Expression.of(f"({one} xor {two} xor {three})")) == MatchedDestinations.of(
        Expression.of("ip.dst in {192.0.2.1 192.0.2.2 192.0.2.3}")
    )


@pytest.mark.parametrize("address", ["192.0.2.1", "2001:db8::1", "2001:db8:0:1::1"])
def test_an_address_is_itself(address: str) -> None:
    assert MatchedDestinations.of(Expression.of(f"ip.dst eq {address}")).always == [range_of(address)]

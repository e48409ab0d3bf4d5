# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.evaluation import decider_of
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.expression import Expression
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import Fields
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.solve import (
    matches_every_request,
    unmatched,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.losses import matches_nothing
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import EVERYTHING, Ranges

PROVEN = [
    "true", "not false", "true or ssl", "true and (true)", "false xor true",
    "ip.src in {0.0.0.0/0 ::/0}", "ip.src in {0.0.0.0/1 128.0.0.0/1 ::/0}", "ip.src in {::/1 8000::/1} or ip.src in {0.0.0.0/0}",
    "ip.src in {0.0.0.0..9.255.255.255 10.0.0.0..255.255.255.255 ::/0}", "not ip.src in {}", "ip.src ne 192.0.2.1 or ip.src eq 192.0.2.1",
    "ip.src ne 192.0.2.1 or ip.src in {192.0.2.0/24}", "ip.src ne 192.0.2.1 or ip.src ne 192.0.2.2",
    "not (ip.src in {192.0.2.0/24} and ip.src in {198.51.100.0/24})", "ip.src in {0.0.0.0/0} xor ip.src in {::/0}",
    "ssl or not ssl", "not (ssl and not ssl)", "ssl xor not ssl", "not (ssl xor ssl)", "(ssl and cf.client.bot) or not ssl or not cf.client.bot",
    'http.host ne "a" or http.host ne "b"', 'http.host ne "a" or http.host in {"a" "b"}', 'not (http.host eq "a" and http.host == "b")',
    'http.host contains "a" or not http.host contains "a"', 'h["x"][0] eq "a" || !(h["x"][0] eq "a")', 'not http.host in {}',
    'lower(http.host) eq "a" or not (lower( http.host ) == "a")', "x ne 5 or x in {1..9}", "not (x lt 5 and x gt 6)", "not (x lt 5 and x ge 5)",
    'http.host ~ "[\\"]" or not http.host matches "[\\"]"', "tcp.dstport ge 80 or not tcp.dstport in {80..65535}",
    " or ".join(f"a{number} or not a{number}" for number in range(60)),
    " and ".join(f"(a{number} or not a{number})" for number in range(60)),
    " xor ".join([*(f"a{number}" for number in range(8))] * 2) + " xor true",
]  # fmt: skip
NOT_PROVEN = [
    "", "false", "ssl", "not true", "(true", "ssl or cf.client.bot", "ssl and not ssl", "true xor true", "ssl xor cf.client.bot",
    "ip.src in {0.0.0.0/0}", "ip.src in {0.0.0.0/1 128.0.0.0/2 ::/0}", "ip.src ne 192.0.2.1", "ip.src in $everyone", "ip.src in {}",
    "ip.src in {0.0.0.0/0 ::/0} and ssl", "ip.src ne 192.0.2.1 or ip.src eq 192.0.2.2", "ip.src in {0.0.0.0/0 ::/0} or x & 1 == 1",
    'http.host contains ""', 'http.host matches ".*"', 'http.host wildcard "*"', 'http.host ne "a"', 'http.host in {"a" "b"}',
    'http.host ne "a" or http.host eq "b"', 'http.host eq "a" or not http.host eq "A"', 'http.host ne "\\x61" and http.host eq "a"',
    'http.host eq "a" or not http.uri eq "a"', "x ge 0", "x lt 5 or x ge 5", "x in {0..999999999999999999}", "x gt 5 or x le 4",
    'h["x"][0] eq "a" or not h["x"][1] eq "a"', "ssl or notssl", "tcp.dstport gt 0", "tcp.dstport in {0..065535}",
    "tcp.dstport ge 0", "tcp.dstport in {0..79 80..65535}", "not tcp.dstport in {0..65535}",  # packets of UDP have none
    " or ".join(f"a{number}" for number in range(300)),
]  # fmt: skip


@pytest.mark.parametrize("expression", PROVEN)
def test_an_expression_that_every_request_matches_is_proven(expression: str) -> None:
    assert matches_every_request(Expression.of(expression)) is True
    assert matches_every_request(Expression.of(f"not not ({expression})")) is True
    assert matches_every_request(Expression.of(f"({expression}) and not (unknown and not ({expression}))")) is True
    assert matches_every_request(Expression.of(f"not ({expression})")) is False


# What no request or packet has: addresses of both families, two protocols, a number out of its range.
NOTHING = [
    "ip.src in {2001:db8::/32} and ip.src in {10.0.0.0/8}", "ip.src in {10.0.0.0/8} and ip.dst in {::/0}", "ip.src lt 0.0.0.0", "ip.src gt 255.255.255.255",
    "ip.src ge 10.0.0.0 and ip.src in {::/0}", "ip.src lt 10.0.0.0 and ip.src gt 10.0.0.1", "cidr(ip.src, 8, 8) eq 10.0.0.1",
    "cidr(ip.src, 24, 64) eq 192.0.2.0 and ip.src in {198.51.100.0/24}", "ip.len lt 0", "ip.ttl gt 255", "ip.proto.num eq 256", "cf.threat_score gt 100",
    "tcp and udp", "icmp and tcp", 'udp.srcport eq 53 and ip.proto eq "tcp"', "tcp.dstport eq 80 and udp.dstport eq 53", "tcp.dstport eq 80 and not tcp",
    "tcp.flags.syn and udp", 'ip.proto.num eq 6 and ip.proto eq "udp"', "icmp.type eq 8 and udp", "udp.dstport gt 65535", 'tcp and ip.proto ne "tcp"',
]  # fmt: skip
SOMETHING = [
    "udp.srcport ne 53 and tcp", 'udp.srcport eq 53 and ip.proto eq "udp"', "not udp.srcport eq 53 and icmp", "ip.proto.num eq 6 and tcp.flags.syn",
    "ip.src ge 10.0.0.0 and ip.src le 10.0.0.0", "cidr(ip.src, 8, 8) eq 10.0.0.0 and ip.src eq 10.1.2.3", "cidr(ip.src, 33, 8) eq 10.0.0.1",
    "ip.ttl eq 0", "udp.dstport ge 0", "not (icmp or tcp or udp)", "score lt 0", 'icmp and ip.proto eq "icmp"',
]  # fmt: skip


@pytest.mark.parametrize("expression", NOTHING)
def test_what_nothing_matches_is_proven(expression: str) -> None:
    assert matches_nothing(Expression.of(expression)) is True
    assert matches_nothing(Expression.of(f"({expression}) or ip.src eq 192.0.2.1")) is False


@pytest.mark.parametrize("expression", SOMETHING)
def test_what_something_may_match_is_not_taken_for_nothing(expression: str) -> None:
    assert matches_nothing(Expression.of(expression)) is False


@pytest.mark.parametrize("expression", NOT_PROVEN)
def test_everything_else_is_not(expression: str) -> None:
    assert matches_every_request(Expression.of(expression)) is False


PLAIN = Fields({"http.request.method": b"GET", "ssl": True})
BOTH, IPV4, IPV6 = EVERYTHING, EVERYTHING[:1], EVERYTHING[1:]
REST = [(1 << 31, (1 << 32) - 1)]


@pytest.mark.parametrize(
    ("expression", "left"),
    [
        ('ssl and http.request.method in {"GET" "HEAD"}', []),
        ('lower(http.request.method) eq "get"', []),
        ('http.host ne "b.example" and ip.src ne 2001:db8::1', []),
        ('http.host eq "a.example"', IPV4),
        ("not ssl", IPV4),
        ("ip.src in {0.0.0.0/1}", REST),
        ("ip.src in {0.0.0.0/1} or not ssl", REST),
        ('http.request.uri.path contains "/login"', IPV4),
        ('ip.src in {0.0.0.0/1} or http.request.uri.path contains "/"', REST),
        ("ip.src in $office", IPV4),
        ("ip.dst in {0.0.0.0/0}", []),
        ("(", IPV4),
    ],
)
def test_the_sources_of_plain_requests_that_may_not_match_are_known(expression: str, left: Ranges) -> None:
    condition = 'http.host in {"a.example" "www.a.example"} and ip.src in {0.0.0.0/0}'
    parts = unmatched(Expression.of(expression), Expression.of(condition), lambda leaf: decider_of(leaf)(PLAIN))
    assert parts == ([(IPV4, left)] if left else [])


def test_the_sources_are_told_by_destinations() -> None:
    assert unmatched(Expression.of("ip.dst in {0.0.0.0/1} or ip.src in {0.0.0.0/1 ::/0}")) == [(REST, REST)]
    assert unmatched(Expression.of("ip.src in {0.0.0.0/1}")) == [(IPV4, REST), (IPV6, IPV6)]
    assert unmatched(Expression.of(" or ".join(f"a{number}" for number in range(300)))) == [(BOTH, BOTH)]

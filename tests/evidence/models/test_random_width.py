# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random rules against an enumeration of plain requests and packets, as docs/risks.md describes them. Sources stand
for the addresses that no comparison tells from them, and count as many; those of IPv6 are in use. `make plans` compares 15,000."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import ip_address
from itertools import product
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.expression import Expression
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import MISSING, Fields
from ansible_collections.edgeops.protection.plugins.module_utils._protection.ordinary_traffic import (
    OWN_PREFIXES,
    depends_on_owner,
    rules_matching_all_traffic,
    width,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.zone_rule import in_order_of
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import ZONE
from ansible_collections.edgeops.protection.plugins.module_utils._schema.network_firewall import NETWORK_FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from hypothesis import given
from hypothesis import strategies as st

from tests.evidence.models.random_plans import plans

pytestmark = pytest.mark.ends("wide", "narrow", of="width")

SHOP, OWN, OWN_IPV6 = "shop.example", "198.51.100.0/24", "2001:db8::/48"
STATE: dict[str, list[dict[str, Any]]] = {
    ZONE.plural: [{"name": SHOP}],
    OWN_PREFIXES.plural: [{"prefix": OWN}, {"prefix": OWN_IPV6}, {"prefix": "203.0.113.0/24", "excluded": True}],
}
SOURCES: Sequence[Mapping[str, int]] = [  # by family, each with the number of the addresses that it stands for
    {"1.1.1.1": 2**30, "65.1.1.1": 2**30, "129.1.1.1": 2**30, "193.1.1.1": 2**30 - 256, "192.0.2.9": 255, "192.0.2.1": 1},
    {"2001::1": 2**123, "2801::1": 2**123, "3001::1": 2**123, "3801::1": 2**123},
]  # fmt: skip
OF_SOURCES = [
    "ip.src in {0.0.0.0/0}", "ip.src in {::/0}", "ip.src in {0.0.0.0/1}", "ip.src in {64.0.0.0/2 192.0.2.0/24}", "ip.src in {128.0.0.0/1}",
    "ip.src ne 192.0.2.1", "ip.src in {192.0.2.0/24}", "ip.src in {3000::/4 0.0.0.0/2}", "ip.src in {2800::/5 192.0.0.0/2}", "true",
    "ip.src in {2000::/3}", "ip.src in {8000::/1}", "ip.src ge 0.0.0.0", "ip.src lt 128.0.0.0", "ip.src gt 63.255.255.255", "ip.src le ffff::",
    "ip.src ge 3000::",
    "cidr(ip.src, 1, 4) in {0.0.0.0 3000::}", "cidr(ip.src, 24, 5) eq 192.0.2.0", "cidr6(ip.src, 5) ne 2000::", "ip.src.asnum ge 0", "ip.src.asnum gt 9",
]  # fmt: skip
OF_REQUESTS = [
    "ssl", 'http.host eq "shop.example"', 'http.host eq "www.shop.example"', 'http.host contains "shop"', 'http.host eq "other.example"',
    'http.request.full_uri wildcard "https://shop.example/*"', 'http.request.method in {"GET" "HEAD"}', 'http.request.method eq "POST"',
    'http.request.uri.path wildcard "/*"', 'starts_with(http.request.uri.path, "/")', 'http.request.uri.path contains "/"',
    'http.request.uri.path eq "/login"', 'http.request.uri.path in {"/" "/login"}', 'not starts_with(http.request.uri.path, "api")',
    'http.user_agent contains "bot"', 'ip.src.country eq "DE"', "cf.client.bot",
    "len(http.request.uri.path) ge 1", "len(lower(http.request.uri.path)) eq 0", 'substring(http.request.uri.path, 0, 1) eq "/"',
    'http.request.uri.path ge "/"',
    'lower(http.host) in {"shop.example" "a"}', 'upper(http.host) eq "WWW.SHOP.EXAMPLE"', 'concat(http.host, http.request.uri.path) wildcard "shop.example/*"',
    'http.request.full_uri wildcard "*"', 'http.request.full_uri matches "^https?://"', 'substring(http.request.full_uri, 0, 12) eq "https://shop"',
    'remove_bytes(url_decode(http.request.uri.path), "a") contains "/"', 'http.request.uri.path matches "^/.*$"', r'http.request.uri.path matches r"^\/"',
    'starts_with(http.user_agent, "")', "len(http.referer) ge 0", "len(http.referer) gt 9", 'http.request.uri.query wildcard "*"', "cf.threat_score ge 0",
    'starts_with(http.request.uri.query, "a")', "cf.threat_score gt 14", "cf.threat_score in {0..100}", 'http.request.method matches "^(GET|HEAD)$"',
]  # fmt: skip
OF_PACKETS = [
    f"ip.dst in {{{OWN}}}", "ip.dst in {198.51.0.0/16 2001:db8::/32}", "ip.dst in {198.51.100.0/25}", "ip.dst in {203.0.113.0/24}",
    'ip.proto eq "tcp"', 'ip.proto in {"udp" "icmp"}', "tcp", "udp", "tcp.dstport eq 443", "tcp.dstport in {1..65535}", "tcp.srcport gt 0",
    "ip.len ge 0", "ip.len gt 20", "ip.len gt 1000", "ip.ttl gt 0", "ip.ttl in {0..255}", "ip.hdr_len ge 20", "ip.proto.num in {6 17}", "ip.proto.num lt 17",
    'ip.proto ne "icmp"', 'ip.proto wildcard "t*"', "icmp.type ne 8", "icmp.code eq 0", "tcp.dstport ne 0", "udp.dstport ne 443", "tcp.flags ge 0",
    "cidr(ip.dst, 24, 48) eq 198.51.100.0", "cidr(ip.dst, 25, 32) in {198.51.100.128 2001:db8::}", "ip.dst ge 198.51.100.0", "ip.dst lt 198.51.100.100",
    "tcp.srcport in {1..1023}", "udp.dstport in {1..65535}", "udp.srcport eq 53", "ip.ttl lt 64", "icmp", 'ip.src.country eq "DE"',
]  # fmt: skip


def combined(atoms: Sequence[str]) -> st.SearchStrategy[str]:
    every = st.sampled_from([*atoms, *OF_SOURCES, *OF_SOURCES[:3]])
    return st.recursive(
        st.one_of(every, every, every.map(lambda text: f"not {text}")),
        lambda part: st.builds("({} {} {})".format, part, st.sampled_from(["and", "or", "or", "xor"]), part),
        max_leaves=5,
    )


def requests(host: str, source: str) -> Iterator[dict[str, Any]]:
    """Plain requests that differ in all that no kind fixes."""
    every = product(
        ("/", "/login", "/api"),
        (b"", b"a bot"),
        (b"DE", b"FR"),
        (True, False),
        (b"", b"a=b"),
        (b"", b"https://b/"),
        (0,),  # always, as its own page says
        (0, 64512),
    )
    for path, agent, country, bot, query, referer, score, network in every:
        yield {
            "ip.src": ip_address(source), "http.host": host.encode(), "http.request.method": b"GET", "ssl": True,
            "http.request.uri.path": path.encode(), "http.request.full_uri": f"https://{host}{path}".encode(),
            "http.user_agent": agent, "ip.src.country": country, "cf.client.bot": bot, "http.request.uri.query": query,
            "http.referer": referer, "cf.threat_score": score, "ip.src.asnum": network,
        }  # fmt: skip


def packets(protocol: str, destinations: Sequence[str], source: str) -> Iterator[dict[str, Any]]:
    """Plain packets to some destinations."""
    other = "udp" if protocol == "tcp" else "tcp"
    for destination, port, own, ttl, country, length, network in product(
        destinations, (1, 443, 65535), (1, 53, 1024), (9, 99), (b"DE", b"FR"), (40, 1400), (0, 64512)
    ):
        yield {
            "ip.src": ip_address(source), "ip.dst": ip_address(destination), "ip.proto": protocol.encode(), "icmp": False,
            protocol: True, other: False, f"{other}.dstport": MISSING, f"{other}.srcport": MISSING,
            f"{protocol}.dstport": port, f"{protocol}.srcport": own, "ip.ttl": ttl, "ip.src.country": country,
            "ip.len": length, "ip.hdr_len": 20, "ip.proto.num": {"tcp": 6, "udp": 17}[protocol], "icmp.type": MISSING, "icmp.code": MISSING,
            "tcp.flags": 2 if protocol == "tcp" else MISSING, "ip.src.asnum": network,
        }  # fmt: skip


def is_half(expression: str, family: Mapping[str, int], kind: Callable[[str], Iterator[dict[str, Any]]]) -> bool:
    """Whether all traffic of a kind matches from half of a family or more."""
    decide = Expression.of(expression).evaluate
    number = sum(size for source, size in family.items() if all(decide(Fields(one)) is True for one in kind(source)))
    return 2 * number >= sum(family.values())


def are_wide_requests(expression: str) -> bool:
    hosts = (SHOP, f"www.{SHOP}")
    kinds = product(hosts, SOURCES)
    return any(is_half(expression, family, lambda source, host=host: requests(host, source)) for host, family in kinds)  # type: ignore[misc]


def are_wide_packets(expression: str, lets_pass: bool) -> bool:
    own = (("198.51.100.1", "198.51.100.110", "198.51.100.200"), ("2001:db8::1", "2001:db8:0:f::1"))
    kinds = product(("tcp", "udp") if lets_pass else ("tcp",), zip(own, SOURCES, strict=True))
    return any(
        is_half(expression, family, lambda source, protocol=protocol, to=to: packets(protocol, to, source))  # type: ignore[misc]
        for protocol, (to, family) in kinds
    )


def check(resource: Resource, action: str, expression: str, is_wide: bool, outcomes: Counter[str]) -> None:
    parameters = {"action_parameters": {"ruleset": "current"}} if action == "skip" else {}
    (rule,) = in_order_of(resource)([{"ref": "a", "action": action, "expression": expression, **parameters}])
    assert bool(width(resource, rule, STATE)) is is_wide, expression
    assert depends_on_owner(resource, rule) or bool(width(resource, rule, {})) is is_wide, expression
    outcomes["wide" if is_wide else "narrow"] += 1


@given(expression=combined(OF_REQUESTS))
@plans(8.5)
def test_a_rule_of_a_zone_is_wide_exactly_if_all_plain_requests_of_a_half_match(
    expression: str, outcomes: Counter[str]
) -> None:
    check(CUSTOM_RULES, "block", expression, are_wide_requests(expression), outcomes)


@given(expression=combined(OF_PACKETS), action=st.sampled_from(["block", "skip"]))
@plans(8.5)
def test_a_rule_of_an_account_is_wide_exactly_if_all_plain_packets_of_a_half_match(
    expression: str, action: str, outcomes: Counter[str]
) -> None:
    check(NETWORK_FIREWALL_RULES, action, expression, are_wide_packets(expression, action == "skip"), outcomes)


@given(expressions=st.lists(combined(OF_REQUESTS), min_size=2, max_size=3))
@plans(8.5)
def test_rules_are_wide_together_exactly_if_all_plain_requests_of_a_half_match_one_of_them(
    expressions: list[str], outcomes: Counter[str]
) -> None:
    rules = [{"ref": str(number), "action": "block", "expression": one} for number, one in enumerate(expressions)]
    is_wide = are_wide_requests(" or ".join(f"({one})" for one in expressions))
    met = rules_matching_all_traffic(CUSTOM_RULES, in_order_of(CUSTOM_RULES)(rules), STATE)
    assert bool(met) is is_wide, expressions
    outcomes["wide" if is_wide else "narrow"] += 1

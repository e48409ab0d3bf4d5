# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules that all plain traffic of a kind matches, in words, and their narrow neighbours."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.expression import Expression
from ansible_collections.edgeops.protection.plugins.module_utils._protection.ordinary_traffic import (
    OWN_PREFIXES,
    depends_on_owner,
    plain_traffic,
    rules_matching_all_traffic,
    wide_groups,
    width,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.zone_rule import ZoneRule, in_order_of
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import ZONE
from ansible_collections.edgeops.protection.plugins.module_utils._schema.network_firewall import NETWORK_FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource

SHOP, GET, TO_SHOP = "shop.example", "every GET request over HTTPS", "every GET request to https://shop.example/..."
OWN = "198.51.100.0/24"
STATE: dict[str, list[dict[str, Any]]] = {
    ZONE.plural: [{"name": SHOP}],
    OWN_PREFIXES.plural: [{"prefix": OWN}, {"prefix": "2001:db8::/48"}, {"prefix": "203.0.113.0/24", "excluded": True}],
}
WIDE_REQUESTS = {
    "true": "every request",
    "ip.src in {0.0.0.0/0}": "every request from 0.0.0.0/0",
    "ip.src in {0.0.0.0/1 128.0.0.0/1}": "every request from 0.0.0.0/0",
    "ip.src in {0.0.0.0/1}": "every request from 0.0.0.0/1",
    "ip.src in {2000::/3}": "every request from 2000::/3",
    "ip.src in {2000::/5 3000::/4}": "every request from 2000::/5, 3000::/4",
    "ip.src in {::/2}": "every request from ::/2",
    "ip.src ge 0.0.0.0": "every request from 0.0.0.0/0",
    "ip.src ge ::": "every request from ::/0",
    "ip.src lt 128.0.0.0": "every request from 0.0.0.0/1",
    "not ip.src le 0.0.0.0": "every request but those from 0.0.0.0/32",
    "ip.src in {0.0.0.0..255.255.255.255}": "every request from 0.0.0.0/0",
    "cidr(ip.src, 1, 1) in {0.0.0.0 128.0.0.0}": "every request from 0.0.0.0/0",
    "cidr(ip.src, 24, 64) in {0.0.0.0/0}": "every request from 0.0.0.0/0",
    "cidr(ip.src, 24, 64) ne 192.0.2.0": "every request but those from 192.0.2.0/24",
    "cidr(ip.src, 8, 3) eq 2000::": "every request from 2000::/3",
    "cidr6(ip.src, 3) ne 2000::": "every request from 0.0.0.0/0",
    "cf.threat_score ge 0": "every request",
    "cf.threat_score lt 10": "every request",
    "cf.waf.score le 100": "every request",
    "cf.waf.score ge 1": "every request",
    "cf.bot_management.score le 99": "every request",
    'http.request.method ne "get"': "every request",
    'not ip.src.continent eq "Europe"': "every request",
    'not lower(http.user_agent) contains "Bot"': "every request",
    'ip.geoip.country eq "DE" or ip.src.country ne "DE"': "every request",
    "cf.bot_management.verified_bot or not cf.client.bot": "every request",
    "not cf.threat_score gt 100": "every request",
    "ip.src.asnum ge 0": "every request",
    "http.request.body.size ge 0": "every request",
    "not http.request.timestamp.sec lt 0": "every request",
    'ip.src.country eq "DE" or ip.src.country ne "DE"': "every request",
    "cf.client.bot xor not cf.client.bot": "every request",
    "ip.src in {0.0.0.0/2 128.0.0.0/2}": "every request from 0.0.0.0/2, 128.0.0.0/2",
    "not ip.src in {203.0.113.0/24}": "every request but those from 203.0.113.0/24",
    "ip.src in {0.0.0.0/0} and not ip.src in {203.0.113.0/24}": "every request from 0.0.0.0/0 but those from 203.0.113.0/24",
    "ip.src ne 192.0.2.1": "every request but those from 192.0.2.1/32",
    "ssl": GET,
    "not not ssl": GET,
    "ssl and ip.src in {0.0.0.0/0}": f"{GET} from 0.0.0.0/0",
    'http.request.method in {"GET" "POST"}': GET,
    'http.request.uri.path wildcard "/*"': GET,
    'http.request.uri.path strict wildcard "*"': GET,
    'http.request.uri wildcard r"/*"': GET,
    'starts_with(http.request.uri.path, "/")': GET,
    'starts_with(lower(raw.http.request.uri.path), "/")': GET,
    'http.request.uri.path contains "/"': GET,
    'http.request.uri.path contains ""': GET,
    'http.request.uri.path matches "^/.*$"': GET,
    'http.request.uri.path matches r".*"': GET,
    'http.request.uri.path ne ""': GET,
    'http.request.uri.path ne "admin"': GET,
    'not starts_with(http.request.uri.path, "admin")': GET,
    'not http.request.uri.path wildcard "admin/*"': GET,
    'http.request.uri.path lt "0"': GET,
    'http.request.uri.path ge "/"': GET,
    "len(http.request.uri.path) ge 1": GET,
    "len(http.request.uri.path) gt 0": GET,
    "not len(http.request.uri.path) in {0..0}": GET,
    "len(lower(http.request.uri)) ne 0": GET,
    "len(http.request.method) eq 3": GET,
    'substring(http.request.uri.path, 0, 1) eq "/"': GET,
    'substring(http.request.uri.path, 0) wildcard "/*"': GET,
    'lower(substring(http.request.uri.path, 0, 1)) in {"/" "a"}': GET,
    'ends_with(http.request.uri.path, "")': GET,
    'not starts_with(url_decode(http.request.uri.path), "admin")': GET,
    'remove_bytes(http.request.uri.path, ".") contains "/"': GET,
    'url_decode(http.request.uri.path) wildcard "/*"': GET,
    'concat("a", http.request.uri.path, http.user_agent) wildcard "a/*"': GET,
    r'http.request.uri.path matches "^\/"': GET,
    'http.request.uri.path matches "^.+$"': GET,
    'http.request.uri.path matches "^(/.*)$"': GET,
    'http.request.uri.path matches "(?i)^/|^x.*$"': GET,
    'http.request.uri.path wildcard r"*/*"': GET,
    'not http.request.uri.path in {"" "*"}': GET,
    'http.request.method eq "GET"': GET,
    'lower(http.request.method) matches "^(get|post)$"': GET,
    'http.user_agent wildcard "*"': GET,
    "len(http.user_agent) ge 0": GET,
    'http.request.version wildcard "*"': GET,
    'http.x_forwarded_for contains ""': GET,
    'starts_with(http.referer, "")': GET,
    'http.cookie matches ".*"': GET,
    'http.request.uri.query ge ""': GET,
    'ip.src.country contains ""': GET,
    "cf.edge.server_port ge 1": "every request",
    "cf.edge.server_port le 443": GET,
    'any(http.request.headers.names[*] eq "a") or ssl': GET,
    'lower(http.host) eq "shop.example"': TO_SHOP,
    'upper(http.host) in {"SHOP.EXAMPLE" "A"}': TO_SHOP,
    r'http.host matches r"^(www\.)?shop\.example$"': TO_SHOP,
    'http.host wildcard "*shop.example"': TO_SHOP,
    'http.request.full_uri wildcard "*"': TO_SHOP,
    'http.request.full_uri wildcard "https*"': TO_SHOP,
    r'http.request.full_uri matches r"^https?:\/\/"': TO_SHOP,
    'substring(http.request.full_uri, 0, 5) eq "https"': TO_SHOP,
    "len(http.request.full_uri) gt 8": TO_SHOP,
    'concat(http.host, http.request.uri.path) wildcard "shop.example/*"': TO_SHOP,
    'starts_with(concat("https://", http.host), "https://shop")': TO_SHOP,
    "cf.edge.server_port in {80 443}": GET,
    'http.host eq "shop.example"': TO_SHOP,
    'http.host eq "www.shop.example"': "every GET request to https://www.shop.example/...",
    'http.host ne "shop.example"': "every GET request to https://www.shop.example/...",
    'http.host contains "shop"': TO_SHOP,
    'ends_with(http.host, ".example") and http.request.uri.path contains "/"': TO_SHOP,
    'cf.zone.name eq "shop.example"': TO_SHOP,
    'http.request.full_uri wildcard "https://shop.example/*"': TO_SHOP,
    'http.request.full_uri wildcard r"http*://*shop.example/*"': TO_SHOP,
    'http.request.full_uri contains "shop.example"': TO_SHOP,
    'not http.request.full_uri wildcard "http://*"': TO_SHOP,
    'http.host eq "shop.example" and ip.src in {0.0.0.0/1}': f"{TO_SHOP} from 0.0.0.0/1",
}
NARROW_REQUESTS = [
    "false", "(", "not ssl", "ip.src in {10.0.0.0/8}", "ip.src in {0.0.0.0/2 64.0.0.0/3}", "ip.src eq 192.0.2.1", "ip.src in $office",
    'ip.src.country eq "DE"', 'ip.src.country ne "DE"', "cf.client.bot", 'http.user_agent contains "x"', 'http.user_agent ne ""',
    'http.request.method eq "POST"', 'http.host eq "api.shop.example"', 'http.host eq "other.example"',
    'http.request.uri.path eq "/"', 'http.request.uri.path ne "/"', 'http.request.uri.path in {"/" "/login"}',
    'starts_with(http.request.uri.path, "/admin")', 'not starts_with(http.request.uri.path, "/admin")',
    'http.request.uri.path wildcard "/a*"', 'http.request.uri.path wildcard "/"', 'http.request.uri.path wildcard "*/"',
    r'http.request.uri.path wildcard r"/\*"', 'http.request.uri.path contains "/login"', 'http.request.uri.path matches "^/$"',
    'http.request.uri.path matches "^/a.*$"', 'not http.request.uri.path contains "/"', 'ends_with(http.request.uri.path, "/")',
    'upper(http.request.full_uri) eq "HTTPS://SHOP.EXAMPLE/A"', "len(http.request.uri.path) gt 1",
    'http.request.uri.query contains "a"', 'http.request.full_uri wildcard "https://other.example/*"',
    'http.host eq "shop.example" and http.request.uri.path eq "/login"', 'ip.src in {0.0.0.0/0} and ip.src.country eq "DE"',
    "ip.src in {8000::/1}", "ip.src in {::/3 4000::/2 8000::/1}", "ip.src in {2000::/5}", "ip.src gt 128.0.0.0", "ip.src lt ::", "ip.src ge $all",
    "cidr(ip.src, 8, 64) eq 10.0.0.0", "cidr(ip.src, 8, 64) eq 10.1.0.0", "cidr(ip.src, 33, 64) in {0.0.0.0/0}", "cidr(ip.src, 0, 0) eq 0.0.0.0",
    "not cf.client.bot", "cf.threat_score gt 0", "ip.src.asnum ne 0", "cf.bot_management.score ge 1", "len(http.request.uri.path) le 9",
    "len(http.request.uri.path) ne 9", "len(http.request.uri.path) in {1..4096}", "len(http.user_agent) gt 0", "len(len(http.host)) gt 0",
    'substring(http.request.uri.path, 1, 2) eq "a"', 'substring(http.request.uri.path, -1) eq "/"', 'substring(http.request.uri.path, 0, 2) ne "/a"',
    'substring(http.request.uri.path, 0, -1) ne "x"', 'ends_with(http.request.uri.path, "/")', 'starts_with("/a", http.request.uri.path)',
    'url_decode(http.request.uri.path) eq "/"', 'remove_bytes(http.request.uri.path, "/") eq ""', 'remove_bytes(http.request.uri.path, "/") ne "a"',
    'concat(http.request.uri.path, "/") eq "//"', 'http.request.uri.path lt "/a"', 'http.request.uri.path le "/"', 'http.request.uri.path gt "/"',
    'http.request.uri.path matches "^/$|^/a"', r'http.request.uri.path matches "^/\.*$"', 'http.request.uri.path matches "^(/|a.*)$"',
    r'http.request.uri.path matches "^/\b"', 'http.request.uri.path matches "^/[^.]*$"', 'http.request.full_uri wildcard "*/"', 'ip.src.country wildcard "D*"',
    'http.request.uri.path wildcard "/**"', 'http.request.full_uri matches "^https://shop.example/$"', 'http.request.full_uri wildcard "http://*"',
]  # fmt: skip
WIDE_PACKETS = {
    "true": "every packet",
    "ip.src in {0.0.0.0/0}": "every packet from 0.0.0.0/0",
    "not ip.src in {10.0.0.0/8}": "every packet but those from 10.0.0.0/8",
    "ip.dst in {0.0.0.0/0}": "every packet from 0.0.0.0/0",
    'ip.proto eq "tcp"': "every TCP packet",
    'ip.proto in {"tcp" "udp"}': "every TCP packet",
    "ip.proto.num eq 6": "every TCP packet",
    "tcp": "every TCP packet",
    "not udp": "every TCP packet",
    "tcp.dstport in {1..65535}": "every TCP packet",
    "tcp.srcport gt 0 and tcp": "every TCP packet",
    "ip.src ge 0.0.0.0": "every packet from 0.0.0.0/0",
    "ip.src in {2000::/3}": "every packet from 2000::/3",
    "ip.dst le 255.255.255.255": "every packet from 0.0.0.0/0",
    "cidr(ip.src, 1, 1) in {0.0.0.0 128.0.0.0}": "every packet from 0.0.0.0/0",
    "ip.len ge 0": "every packet",
    "not ip.len gt 65535": "every packet",
    "ip.ttl in {0..255}": "every packet",
    "ip.proto.num le 255": "every packet",
    "ip.src.asnum ge 0": "every packet",
    "ip.dst.asnum ge 0": "every packet",
    'ip.dst.country wildcard "*"': "every TCP packet",
    "tcp.flags.syn or not tcp.flags.syn": "every packet",
    "ip.len gt 20": "every TCP packet",
    "ip.ttl in {1..255}": "every TCP packet",
    "ip.hdr_len ge 20": "every TCP packet",
    "tcp.flags ge 0": "every TCP packet",
    "ip": "every TCP packet",
    "not icmp": "every TCP packet",
    "icmp.type ne 8": "every TCP packet",
    "not udp.dstport eq 53": "every TCP packet",
    'ip.proto ne "gre"': "every TCP packet",
    'ip.proto wildcard "t*"': "every TCP packet",
    'lower(ip.proto) matches "tcp|udp"': "every TCP packet",
    "ip.proto.num lt 50": "every TCP packet",
    "tcp.dstport ne 0": "every TCP packet",
    "tcp.dstport lt 1024 or tcp.dstport ge 1024": "every TCP packet",
    'ip.src.country wildcard "*"': "every TCP packet",
    "ip.dst in {198.51.100.0..198.51.100.255}": f"every TCP packet to {OWN}",
    "cidr(ip.dst, 24, 48) eq 198.51.100.0": f"every TCP packet to {OWN}",
    "cidr(ip.dst, 16, 32) in {198.51.0.0}": f"every TCP packet to {OWN}",
    "ip.dst ge 198.51.100.0 and ip.dst lt 198.51.101.0": f"every TCP packet to {OWN}",
    "tcp and ip.src in {::/0}": "every TCP packet from ::/0",
    f"ip.dst in {{{OWN}}}": f"every TCP packet to {OWN}",
    "ip.dst in {198.51.0.0/16}": f"every TCP packet to {OWN}",
    "ip.dst in {2001:db8::/32}": "every TCP packet to 2001:db8::/48",
    f"ip.dst in {{{OWN}}} and ip.src in {{128.0.0.0/1}}": f"every TCP packet to {OWN} from 128.0.0.0/1",
    f"ip.dst in {{{OWN}}} and not ip.src in {{10.0.0.0/8}}": f"every TCP packet to {OWN} but those from 10.0.0.0/8",
}
UDP_PACKETS = {  # which are kinds of plain traffic for a skip
    'ip.proto eq "udp"': "every UDP packet",
    "udp.dstport in {1..65535}": "every UDP packet",
    f"udp and ip.dst in {{{OWN}}}": f"every UDP packet to {OWN}",
    f"not tcp and ip.dst in {{{OWN} 192.0.2.0/24}}": f"every UDP packet to {OWN}",
}
NARROW_PACKETS = [
    "udp and tcp.flags ge 0", "udp and tcp.dstport ge 0", "tcp and udp.dstport ge 0", "tcp and icmp.type ge 0",
    "ip.len gt 40", "ip.len lt 0", "ip.ttl gt 1", "ip.hdr_len gt 20", "tcp.flags gt 0", "ip.proto.num gt 17", 'ip.proto wildcard "i*"',
    "udp.dstport ge 2", "udp.dstport le 1024", "tcp.dstport lt 65535", "icmp.type eq 8", "ip.src in {8000::/1}", "ip.dst gt 2001:db8::",
    "cidr(ip.dst, 25, 48) eq 198.51.100.0", "cidr(ip.src, 8, 8) eq 10.0.0.0", 'tcp and ip.proto eq "udp"',
    "false", "tcp.dstport eq 443", "tcp.dstport in {2..65535}", "tcp.srcport in {1..1023}", "ip.src in {10.0.0.0/8}", 'ip.proto eq "icmp"', "icmp",
    "ip.dst in {198.51.100.0/25}", "ip.dst in {198.51.100.7}", "ip.dst in {203.0.113.0/24}", "ip.dst in {192.0.2.0/24}", "sip", "ip.len gt 100",
    f"ip.dst in {{{OWN}}} and ip.src in {{10.0.0.0/8}}", f"ip.dst in {{{OWN}}} and ip.src in {{::/0}}", f"ip.dst in {{{OWN}}} and tcp.dstport eq 80",
    f'ip.dst in {{{OWN}}} and ip.src.country eq "DE"', "tcp.flags.syn", "ip.ttl lt 10",
]  # fmt: skip


def in_words(resource: Resource, expression: str, lets_pass: bool = False) -> str:
    names = [item["name"] for item in STATE[ZONE.plural]] if resource is CUSTOM_RULES else [OWN, "2001:db8::/48"]
    return plain_traffic(Expression.of(expression), resource.traffic, lets_pass, tuple(names))


@pytest.mark.parametrize(("expression", "words"), WIDE_REQUESTS.items())
def test_a_rule_that_all_plain_requests_match_is_wide(expression: str, words: str) -> None:
    assert in_words(CUSTOM_RULES, expression) == words
    assert in_words(CUSTOM_RULES, f"({expression}) and cf.client.bot") == ""


MUNICH, IN_PUNYCODE = "münchen.example", "xn--mnchen-3ya.example"
TO_MUNICH = f"every GET request to https://{IN_PUNYCODE}/..."
OF_MUNICH = {
    f'http.host in {{"{IN_PUNYCODE}" "www.{IN_PUNYCODE}"}}': TO_MUNICH,
    f'http.host eq "www.{IN_PUNYCODE}"': f"every GET request to https://www.{IN_PUNYCODE}/...",
    f'ends_with(http.host, ".{IN_PUNYCODE}")': f"every GET request to https://www.{IN_PUNYCODE}/...",
    f'cf.zone.name eq "{IN_PUNYCODE}"': TO_MUNICH,
    f'cf.zone.name eq "{MUNICH}"': TO_MUNICH,
    f'http.host eq "{MUNICH}"': "",
    f'http.host eq "shop.{IN_PUNYCODE}"': "",
}


@pytest.mark.parametrize(("expression", "words"), OF_MUNICH.items())
def test_requests_have_the_name_of_a_zone_in_punycode(expression: str, words: str) -> None:
    assert plain_traffic(Expression.of(expression), "request", False, (MUNICH,)) == words


@pytest.mark.parametrize("expression", NARROW_REQUESTS)
def test_a_rule_that_some_plain_requests_may_not_match_is_narrow(expression: str) -> None:
    assert in_words(CUSTOM_RULES, expression) == ""


@pytest.mark.parametrize(("expression", "words"), WIDE_PACKETS.items())
def test_a_rule_that_all_plain_packets_match_is_wide(expression: str, words: str) -> None:
    assert in_words(NETWORK_FIREWALL_RULES, expression) == words
    assert in_words(NETWORK_FIREWALL_RULES, f"({expression}) and tcp.dstport eq 443") == ""


@pytest.mark.parametrize(("expression", "words"), UDP_PACKETS.items())
def test_udp_is_plain_traffic_for_a_skip(expression: str, words: str) -> None:
    assert in_words(NETWORK_FIREWALL_RULES, expression) == ""
    assert in_words(NETWORK_FIREWALL_RULES, expression, lets_pass=True) == words


@pytest.mark.parametrize("expression", NARROW_PACKETS)
def test_a_rule_that_some_plain_packets_may_not_match_is_narrow(expression: str) -> None:
    assert in_words(NETWORK_FIREWALL_RULES, expression, lets_pass=True) == ""


def rules_of(resource: Resource, *rules: tuple[str, str]) -> list[ZoneRule]:
    objects: list[dict[str, Any]] = [
        {"ref": str(number), "action": action, "expression": expression, "action_parameters": {"ruleset": "current"}}
        for number, (action, expression) in enumerate(rules)
    ]
    return in_order_of(resource)(objects)


@pytest.mark.parametrize(
    ("rules", "met"),
    [
        ([("block", "true"), ("block", "ssl")], {"0": "every request"}),
        ([("block", "ssl"), ("block", "true")], {"0": GET}),
        ([("log", "true"), ("block", "ssl")], {"1": GET}),
        (
            [("block", "ip.src in {0.0.0.0/1}"), ("skip", "ip.src in {0.0.0.0/0}"), ("block", "true")],
            {"0": "every request from 0.0.0.0/1", "1": "every request from 128.0.0.0/1", "2": "every request from ::/0"},
        ),
        ([("block", 'http.host eq "shop.example"'), ("block", "ssl")], {"0": TO_SHOP, "1": "every GET request to https://www.shop.example/..."}),
        ([("block", 'http.request.uri.path eq "/login"'), ("block", "true")], {"1": "every request"}),
    ],
)  # fmt: skip
def test_plain_traffic_meets_no_rule_behind_one_that_ends_its_way(
    rules: list[tuple[str, str]], met: dict[str, str]
) -> None:
    in_order = rules_of(CUSTOM_RULES, *rules)
    assert {
        rule.entry: what for rule, what, _others in rules_matching_all_traffic(CUSTOM_RULES, in_order, STATE)
    } == met


HALVES = ('starts_with(http.request.uri.path, "/a")', 'not starts_with(http.request.uri.path, "/a")')
LOGIN = ("block", 'http.request.uri.path eq "/login"')


@pytest.mark.parametrize(
    ("rules", "together"),
    [
        ([("block", HALVES[0]), LOGIN, ("block", HALVES[1])], {"0": "every request", "2": "every request"}),
        ([("block", HALVES[0]), ("managed_challenge", HALVES[1])], {"0": "every request", "1": "every request"}),
        ([("skip", HALVES[0]), ("skip", HALVES[1])], {"0": "every request", "1": "every request"}),
        ([("block", HALVES[0]), ("skip", HALVES[1])], {}),
        ([("block", HALVES[0]), ("log", HALVES[1])], {}),
        ([LOGIN, ("block", HALVES[1])], {}),
        (
            [("block", f"ip.src in {{{network}}}") for network in ("0.0.0.0/3", "32.0.0.0/3", "64.0.0.0/3", "96.0.0.0/3")],
            dict.fromkeys("0123", "every request from 0.0.0.0/1"),
        ),
        (
            [("block", f"ssl and {half}") for half in HALVES] + [("block", "true")],
            {"0": GET, "1": GET},
        ),
        ([("block", half) for half in HALVES] + [("block", "true"), ("block", "ssl")], dict.fromkeys("01", "every request")),
        ([("block", "true"), *(("block", half) for half in HALVES)], {"0": "every request"}),
    ],
)  # fmt: skip
def test_narrow_rules_are_wide_together(rules: list[tuple[str, str]], together: dict[str, str]) -> None:
    met = rules_matching_all_traffic(CUSTOM_RULES, rules_of(CUSTOM_RULES, *rules), STATE)
    assert {rule.entry: what for rule, what, _others in met} == together
    of_others = [others for _rule, _what, others in met if others]
    assert not of_others or {len(others) for others in of_others} == {len(of_others) - 1}


@pytest.mark.parametrize(
    ("parameters", "together"),
    [
        ([{"products": ["waf"]}, {"products": ["waf", "bic"]}], ["0", "1"]),
        ([{"products": ["waf"]}, {"products": ["bic"]}], []),
        ([{"ruleset": "current"}, {"phase": "current"}], ["0", "1"]),
    ],
)
def test_skips_are_wide_together_if_they_skip_the_same(parameters: list[dict[str, Any]], together: list[str]) -> None:
    objects = [
        {"ref": str(number), "action": "skip", "expression": half, "action_parameters": skipped}
        for number, (half, skipped) in enumerate(zip(HALVES, parameters))
    ]
    met = rules_matching_all_traffic(CUSTOM_RULES, in_order_of(CUSTOM_RULES)(objects), STATE)
    assert [rule.entry for rule, _what, _others in met] == together


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("true", "every packet"),
        ("tcp", "every TCP packet"),
        ("ip.src in {0.0.0.0/0}", "every packet"),
        ("ip.dst ne 203.0.113.1", f"every TCP packet to {OWN}"),
        ("ip.src in {::/0} or tcp", "every TCP packet"),
        ("ip.src in {::/0}", ""),
    ],
)
def test_the_family_of_plain_packets_is_that_of_the_own_prefixes(expression: str, words: str) -> None:
    assert plain_traffic(Expression.of(expression), "packet", False, (OWN,)) == words


@pytest.mark.parametrize(("prefix", "words"), [(OWN, f"every TCP packet to {OWN}"), ("203.0.113.0/24", "")])
def test_an_excluded_prefix_is_no_plain_destination(prefix: str, words: str) -> None:
    (rule,) = rules_of(NETWORK_FIREWALL_RULES, ("block", f"ip.dst in {{{prefix}}}"))
    assert width(NETWORK_FIREWALL_RULES, rule, STATE) == words


HOSTS = " or ".join(f'http.host eq "{letter}"' for letter in "abcdefg")


@pytest.mark.parametrize(
    ("resource", "action", "expression", "depends"),
    [
        (CUSTOM_RULES, "block", 'http.host eq "shop.example"', True),
        (CUSTOM_RULES, "block", 'http.host ne "a" and http.host eq "b"', True),
        (CUSTOM_RULES, "block", 'http.request.full_uri contains "x"', True),
        (CUSTOM_RULES, "block", HOSTS, True),
        (CUSTOM_RULES, "block", f"({HOSTS}) and not ssl", False),
        (CUSTOM_RULES, "block", f"not ({HOSTS})", True),
        (CUSTOM_RULES, "block", f"({HOSTS}) xor ssl", True),
        (CUSTOM_RULES, "block", 'http.host eq "a" and http.request.uri.path eq "/"', False),
        (CUSTOM_RULES, "block", 'http.host eq "a" and ip.src in {10.0.0.0/8}', False),
        (CUSTOM_RULES, "block", 'http.host eq "a" or ssl', False),
        (CUSTOM_RULES, "block", 'http.host eq "a" (', False),
        (CUSTOM_RULES, "log", 'http.host eq "shop.example"', False),
        (CUSTOM_RULES, "block", "ip.src in {0.0.0.0/0}", False),
        (NETWORK_FIREWALL_RULES, "block", "ip.dst in {198.51.100.0/24}", True),
        (NETWORK_FIREWALL_RULES, "block", "not ip.dst in {198.51.100.0/24}", True),
        (NETWORK_FIREWALL_RULES, "block", "not ip.dst in {198.51.100.0/24} or tcp", False),
        (NETWORK_FIREWALL_RULES, "block", "not ip.dst in {198.51.100.0/24 ::/0}", True),
        (NETWORK_FIREWALL_RULES, "skip", "udp and ip.dst in {198.51.100.0/24}", True),
        (NETWORK_FIREWALL_RULES, "block", "udp and ip.dst in {198.51.100.0/24}", False),
        (NETWORK_FIREWALL_RULES, "block", "ip.dst in {198.51.100.0/24} and tcp.dstport eq 80", False),
        (NETWORK_FIREWALL_RULES, "block", "ip.dst in {198.51.100.0/24} and ip.src in {10.0.0.0/8}", False),
        (NETWORK_FIREWALL_RULES, "block", "ip.dst in {0.0.0.0/0}", True),
        (NETWORK_FIREWALL_RULES, "block", "ip.dst in {0.0.0.0/0 ::/0}", False),
        (NETWORK_FIREWALL_RULES, "block", "tcp", False),
    ],
)
def test_names_are_needed_only_if_the_width_depends_on_them(
    resource: Resource, action: str, expression: str, depends: bool
) -> None:
    (rule,) = rules_of(resource, (action, expression))
    assert depends_on_owner(resource, rule) is depends
    assert any(wide_groups(resource, [rule, *rules_of(resource, (action, "false"))])) or not depends


@pytest.mark.parametrize(
    ("expression", "may_be"),
    [
        ('ip.src in {192.0.2.0/24} and http.host eq "a"', False),
        ('ip.src in {192.0.2.0/24} or http.host eq "a"', True),
        ("not ip.src in {192.0.2.0/24}", True),
        ('not (ip.src in {0.0.0.0/2 ::/0} or http.host eq "a")', True),
        ("not (ip.src in {0.0.0.0/1 ::/0} or not ip.src in {0.0.0.0/0})", True),
        ("not (ip.src in {0.0.0.0/0 2000::/4} and ssl)", True),
        ("not (ip.src in {0.0.0.0/0 2000::/4} or not ssl)", True),
        ("not (ip.src in {0.0.0.0/0 2000::/3} or not ssl)", False),
        ("ip.src eq 192.0.2.1 xor ssl", True),
        ("ip.src ne 192.0.2.1", True),
        ("ip.src in $office", False),
        ("ip.src in {0.0.0.0/2} or ip.src in {64.0.0.0/2}", True),
        ("ip.src in {0.0.0.0/2} or ip.src in {64.0.0.0/3}", False),
        ("ip.src in {2000::/4}", True),
        ("ip.src in {2000::/5}", False),
    ],
)
def test_a_rule_for_less_than_half_of_all_sources_is_not_wide(expression: str, may_be: bool) -> None:
    (rule,) = rules_of(CUSTOM_RULES, ("block", expression))
    assert any(wide_groups(CUSTOM_RULES, [rule])) is may_be


def test_no_rule_is_wide_if_all_together_are_not() -> None:
    narrow = [f'http.host eq "{letter}" and ip.src in {{192.0.2.1}}' for letter in "ab"]
    rules = rules_of(CUSTOM_RULES, *[("block", expression) for expression in narrow])
    assert not any(wide_groups(CUSTOM_RULES, rules))
    (wide,) = rules_of(CUSTOM_RULES, ("block", 'http.host eq "c"'))
    assert any(wide_groups(CUSTOM_RULES, [*rules, wide]))

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules that all plain traffic of a kind matches, in words, and their narrow neighbours."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.plain import (
    OWN_PREFIXES,
    depends_on_owner,
    met_by_plain,
    plain_traffic,
    width,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import ZONE
from ansible_collections.edgeops.protection.plugins.module_utils._schema.network_firewall import NETWORK_FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import ZoneRule, in_order_of
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES

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
    "ip.src in {8000::/1}": "every request from 8000::/1",
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
    "false", "tcp.dstport eq 443", "tcp.dstport in {2..65535}", "tcp.srcport in {1..1023}", "ip.src in {10.0.0.0/8}", 'ip.proto eq "icmp"', "icmp",
    "ip.dst in {198.51.100.0/25}", "ip.dst in {198.51.100.7}", "ip.dst in {203.0.113.0/24}", "ip.dst in {192.0.2.0/24}", "sip", "ip.len gt 100",
    f"ip.dst in {{{OWN}}} and ip.src in {{10.0.0.0/8}}", f"ip.dst in {{{OWN}}} and ip.src in {{::/0}}", f"ip.dst in {{{OWN}}} and tcp.dstport eq 80",
    f'ip.dst in {{{OWN}}} and ip.src.country eq "DE"', "tcp.flags.syn", "ip.ttl lt 10",
]  # fmt: skip


def in_words(resource: Resource, expression: str, lets_pass: bool = False) -> str:
    names = [item["name"] for item in STATE[ZONE.plural]] if resource is CUSTOM_RULES else [OWN, "2001:db8::/48"]
    return plain_traffic(expression, resource.traffic, lets_pass, tuple(names))


@pytest.mark.parametrize(("expression", "words"), WIDE_REQUESTS.items())
def test_a_rule_that_all_plain_requests_match_is_wide(expression: str, words: str) -> None:
    assert in_words(CUSTOM_RULES, expression) == words
    assert in_words(CUSTOM_RULES, f"({expression}) and cf.client.bot") == ""


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
    assert {rule.entry: what for rule, what in met_by_plain(CUSTOM_RULES, in_order, STATE)} == met


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
        (CUSTOM_RULES, "block", f"({HOSTS}) and not ssl", True),
        (CUSTOM_RULES, "block", 'http.host eq "a" and http.request.uri.path eq "/"', False),
        (CUSTOM_RULES, "block", 'http.host eq "a" and ip.src in {10.0.0.0/8}', False),
        (CUSTOM_RULES, "block", 'http.host eq "a" or ssl', False),
        (CUSTOM_RULES, "block", 'http.host eq "a" (', False),
        (CUSTOM_RULES, "log", 'http.host eq "shop.example"', False),
        (CUSTOM_RULES, "block", "ip.src in {0.0.0.0/0}", False),
        (NETWORK_FIREWALL_RULES, "block", "ip.dst in {198.51.100.0/24}", True),
        (NETWORK_FIREWALL_RULES, "block", "not ip.dst in {198.51.100.0/24}", False),
        (NETWORK_FIREWALL_RULES, "block", "not ip.dst in {198.51.100.0/24 ::/0}", True),
        (NETWORK_FIREWALL_RULES, "skip", "udp and ip.dst in {198.51.100.0/24}", True),
        (NETWORK_FIREWALL_RULES, "block", "udp and ip.dst in {198.51.100.0/24}", False),
        (NETWORK_FIREWALL_RULES, "block", "ip.dst in {198.51.100.0/24} and tcp.dstport eq 80", False),
        (NETWORK_FIREWALL_RULES, "block", "ip.dst in {198.51.100.0/24} and ip.src in {10.0.0.0/8}", False),
        (NETWORK_FIREWALL_RULES, "block", "ip.dst in {0.0.0.0/0}", False),
        (NETWORK_FIREWALL_RULES, "block", "tcp", False),
    ],
)
def test_names_are_needed_only_if_the_width_depends_on_them(
    resource: Resource, action: str, expression: str, depends: bool
) -> None:
    (rule,) = rules_of(resource, (action, expression))
    assert depends_on_owner(resource, rule) is depends

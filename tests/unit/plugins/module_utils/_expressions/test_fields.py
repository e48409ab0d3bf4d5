# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields that expressions name."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.fields import doubts, unknown_names
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import Comparison, parse
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.networks_and_ports import (
    FILTER_FIELDS,
    values_of,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import Unread
from ansible_collections.edgeops.protection.plugins.module_utils._vendor.fields import PACKET_FIELDS


@pytest.mark.parametrize("name", FILTER_FIELDS)
def test_a_field_has_every_value(name: str) -> None:
    everything = parse(f"{name} in {{{'0.0.0.0/0 ::/0' if name.startswith('ip.') else '0..65535'}}}")
    assert isinstance(everything, Comparison)
    assert values_of(everything) == FILTER_FIELDS[name]
    with pytest.raises(Unread):
        values_of(everything._replace(operator="contains"))


DOCUMENTED_ONLY = {"ip.proto.num", "ip.geoip.country"}  # by the vendor's page, and not in the library


def test_the_fields_are_those_of_the_vendors_engine() -> None:
    library = pytest.importorskip("octorules_wirefilter")
    known = {field["name"] for field in library.get_schema_info("magic_firewall")["fields"]}
    assert known == PACKET_FIELDS - DOCUMENTED_ONLY


def test_fields_of_requests_are_none_of_packets() -> None:
    assert unknown_names('ip.proto eq "udp" and http.host eq "a"', PACKET_FIELDS) == ["http.host"]


@pytest.mark.parametrize(
    "expression",
    [
        'http.host eq "a.example" and not ssl',
        'any(lower(http.request.headers["x-a"][*])[*] contains "b.c") or starts_with(http.request.uri.path, "/x.y")',
        'ip.src in {192.0.2.0/24 198.51.100.1..198.51.100.9 2001:db8::/32} and ip.geoip.country in {"DE" "FR"}',
        "ip.src in $office.list or cf.bot_management.score lt 30",
        'http.request.jwt.claims.anything_at_all["x"][0] eq "1"',
        'http.user_agent matches "htp.hots" or raw.http.request.uri.path eq r"htp.hots"',
        "true",
        'http.hots eq "without end',
    ],
)
def test_fields_of_the_vendor_texts_and_addresses_raise_no_doubt(expression: str) -> None:
    assert doubts(expression) == ""


def test_an_unknown_field_is_named_once_with_the_one_that_is_close() -> None:
    expression = 'http.hots eq "x" or lower(http.hots) eq "y"'
    assert unknown_names(expression) == ["http.hots"]
    assert doubts(expression) == (
        "reads a field that this collection does not know: 'http.hots' (did you mean http.host?)"
    )


def test_several_unknown_fields_are_all_named() -> None:
    assert doubts('HTTP.Host eq "x" and my.own.thing eq 1') == (
        "reads fields that this collection does not know: 'HTTP.Host' (did you mean http.host?), 'my.own.thing'"
    )


PLAIN_WORDS = [  # an expression, the words that are told, and the field that may be meant
    ('country eq "KP"', "'country' (did you mean ip.src.country?)"),
    ('not host eq "a"', "'host' (did you mean http.host?)"),
    ('(ssl and !host == "a")', "'host' (did you mean http.host?)"),
    ('ssl && path contains "/a"', "'path' (did you mean http.request.uri.path?)"),
    ('lower(user_agent) contains "a"', "'user_agent' (did you mean http.user_agent?)"),
    ('concat("a", referer) eq "ab"', "'referer' (did you mean http.referer?)"),
    ("sll", "'sll' (did you mean ssl?)"),
    ("not foo", "'foo'"),
    ('Foo_9["x"] eq "a" or foo', "'Foo_9', 'foo'"),
    ('any(headers["a"][*] eq "b")', "'headers' (did you mean http.request.headers?)"),
]


@pytest.mark.parametrize(("expression", "names"), PLAIN_WORDS)
def test_a_word_without_a_dot_in_the_place_of_a_field_is_told(expression: str, names: str) -> None:
    assert doubts(expression).rpartition("does not know: ")[2] == names


@pytest.mark.parametrize(
    "expression",
    [
        "true or false and not ssl",
        'ip.src in $office and http.host in $hosts and ip.src.asnum in {64500} or http.host eq "country eq x"',
        'http.user_agent matches "(foo|host) and sll" or http.host eq r#"and host eq "a""#',
        "ip.src.country in {DE FR} or http.host eq host or tcp.dstport in {0x50 ab:cd}",
        'any(http.request.headers["a"][*] strict wildcard "b*") xor all(http.request.headers["a"][*] contains "b")',
        'has_key(http.request.headers, "host") or len(http.host) gt 0 and http.host wildcard "a"',
        'http.request.cookies["host"][0] eq "country"',
    ],
)
def test_other_words_without_a_dot_are_no_fields(expression: str) -> None:
    assert [name for name in unknown_names(expression) if "." not in name] == []


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ('country eq "KP"', "'country' (did you mean ip.dst.country?)"),
        ("dstport eq 53", "'dstport' (did you mean tcp.dstport?)"),
        ("sip and tcp and udp.dstport eq 53", ""),
    ],
)
def test_packets_have_fields_without_a_dot(expression: str, names: str) -> None:
    assert doubts(expression, PACKET_FIELDS).rpartition("does not know: ")[2] == names

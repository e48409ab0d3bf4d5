# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import ipaddress

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.expression import Expression
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import NotKnown
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import (
    MISSING,
    Fields,
    Items,
    Pairs,
)
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import Contents

FIELDS = Fields(
    {
        "http.host": b"Shop.example",
        "http.request.uri.path": b"/cart",
        "ip.src": ipaddress.ip_address("192.0.2.7"),
        "ssl": True,
        "cf.threat_score": 10,
        "http.request.headers": Pairs({b"x": Items((b"a", b"bc"))}, (b"cookie",)),
        "names": Items((b"x",), False),
        "most": Items((b"x",), True, (b"cookie",)),
        "flags": Items((True, False)),
        "gone": MISSING,
    },
    {"office": Contents([(int(ipaddress.ip_address("192.0.2.0")), int(ipaddress.ip_address("192.0.2.255")))])},
)


@pytest.mark.parametrize(
    ("expression", "truth"),
    [
        ("true", True),
        ("ssl", True),
        ("not ssl", False),
        ('http.host eq "Shop.example"', True),
        ('http.host ne "Shop.example"', False),
        ('http.host lt "T"', True),
        ('http.host in {"a" "Shop.example"}', True),
        ('http.host contains "op."', True),
        ('http.host matches "^Shop"', True),
        ('http.host wildcard "shop.*"', True),
        ('http.host strict wildcard "shop.*"', False),
        ('lower(http.host) == "shop.example"', True),
        ("len(http.host) eq 12", True),
        ('starts_with(http.host, "Sh") and ends_with(http.host, "le")', True),
        ("ip.src in {192.0.2.0/24 2001:db8::/32}", True),
        ("ip.src in {192.0.2.1..192.0.2.6}", False),
        ("ip.src in {}", False),
        ("ip.src eq 2001:db8::1", False),
        ("ip.src ne 2001:db8::1", True),
        ("ip.src lt 192.0.2.8", True),
        ("ip.src lt 2001:db8::1", False),
        ("ip.src in $office", True),
        ("not ip.src in $office", False),
        ("cf.threat_score ge 10 and cf.threat_score lt 0xb", True),
        ("cf.threat_score in {1..3 10}", True),
        ("cf.threat_score in {7..12}", True),
        ('any(http.request.headers["x"][*] contains "c")', True),
        ('all(http.request.headers["x"][*] contains "c")', False),
        ('any(lower(http.request.headers["x"][*])[*] eq "bc")', True),
        ('any(http.request.headers["z"][*] eq "a")', False),
        ('all(http.request.headers["z"][*] eq "a")', True),
        ('any(not http.request.headers["x"][*] eq "a")', True),
        ('all(not http.request.headers["x"][*] eq "a")', False),
        ("any(flags)", True),
        ("all(flags)", False),
        ('any(names[*] eq "x")', True),
        ('any(most[*] eq "y")', False),
        ('any(most[*] eq "x")', True),
        ('all(most[*] ne "y")', True),
        ('gone eq "x"', False),
        ('gone ne "x"', True),
        ('not gone eq "x"', True),
        ('http.request.headers["z"][0] ne "a"', True),
        ('other eq "x" or ssl', True),
        ('other eq "x" and not ssl', False),
        ("any(gone)", False),
    ],
)
def test_requests_match_as_in_the_engine(expression: str, truth: bool) -> None:
    assert Expression.of(expression).evaluate(FIELDS) is truth


@pytest.mark.parametrize(
    ("expression", "reasons"),
    [
        ('other eq "x"', ["the field other is not given"]),
        ('not (other eq "x" or third eq 1)', ["the field other is not given", "the field third is not given"]),
        ('other eq "x" xor ssl', ["the field other is not given"]),
        ("ip.src in $staff", ["the content of the list $staff is not known"]),
        ("http.host in $office", ["a text is compared to addresses"]),
        ("sha256(http.host) eq 1", ["the function sha256 is not known"]),
        ('cf.threat_score eq "10"', ["a number is compared to a text"]),
        ("http.host eq 10", ["a text is compared to a number"]),
        ("ssl eq 1", ["true or false is compared to a number"]),
        ("http.host", ["a text is neither true nor false"]),
        ("cf.threat_score & 4", ["'&' is not an operator"]),
        ("http.host eq 01:2e", ["'01:2e' is not a network: '01:2e' does not appear to be an IPv4 or IPv6 network"]),
        ('http.host in "a"', ["'in' is not known with these values"]),
        ('http.host eq {"a"}', ["'eq' is not known with these values"]),
        ("ip.src contains 192.0.2.1", ["'contains' is not known with these values"]),
        ("cf.threat_score contains 1", ["'contains' is not known with these values"]),
        ("ssl eq true", ["'true' is not understood as a value"]),
        ('names[*] eq "x"', ["[*] is used without any() or all()"]),
        ('any(names[*] eq "y")', ["not all elements of an array are given"]),
        ('any(most[*] eq "cookie")', ["not all elements of an array are given"]),
        ('any(upper(most[*])[*] eq "COOKIE")', ["not all elements of an array are given"]),
        ('all(most[*] eq "x")', ["not all elements of an array are given"]),
        ('most[0] eq "x"', ["the order of the elements of an array is not known"]),
        ('any(names[*] eq "x" or ssl)', ["any() of more than one comparison is not understood"]),
        ('any(names eq "x")', ["any() takes a comparison of each element, with [*]"]),
        ('any(names[*] eq "x") eq "x"', ["any() is compared to something"]),
        ("any(http.host)", ["a text has no elements"]),
        ("all(flags", ["the expression cannot be read: it ends where ')' is expected"]),
        ('http.host matches "(?=a)"', ["'(?=a)' in the regular expression '(?=a)' is not understood"]),
    ],
)
def test_the_reasons_name_what_is_not_known(expression: str, reasons: list[str]) -> None:
    truth = Expression.of(expression).evaluate(FIELDS)
    assert isinstance(truth, NotKnown)
    assert list(truth.reasons) == reasons

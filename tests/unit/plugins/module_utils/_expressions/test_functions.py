# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import ipaddress

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import NotKnown
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import (
    FUNCTIONS,
    FieldValue,
    Items,
)

ADDRESS = ipaddress.ip_address("113.10.0.2")
IPV6 = ipaddress.ip_address("2001:0:130f::9c0:876a:130b")


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("lower", ["AbÉ".encode()], "abÉ".encode()),
        ("upper", [b"Ab"], b"AB"),
        ("len", ["é".encode()], 2),
        ("len", [Items((b"a", b"b"))], 2),
        ("starts_with", [b"/blog/x", b"/blog"], True),
        ("ends_with", [b"/a.html", b".htm"], False),
        ("concat", [b"a", b" ", b"b"], b"a b"),
        ("concat", [Items((b"a",)), Items((b"b",), False)], Items((b"a", b"b"), False)),
        ("substring", [b"asdfghjk", 2, 5], b"dfg"),
        ("substring", [b"asdfghjk", 2], b"dfghjk"),
        ("substring", [b"asdfghjk", -2], b"jk"),
        ("substring", [b"asdfghjk", 0, -2], b"asdfgh"),
        ("url_decode", [b"John%20+Doe%zz%2520"], b"John  Doe%zz%20"),
        ("remove_bytes", [b"www.example.com", b".w"], b"examplecom"),
        ("to_string", [5], b"5"),
        ("to_string", [True], b"true"),
        ("to_string", [IPV6], b"2001:0:130f::9c0:876a:130b"),
        ("cidr", [ADDRESS, 24, 24], ipaddress.ip_address("113.10.0.0")),
        ("cidr6", [IPV6, 24], ipaddress.ip_address("2001::")),
        ("cidr6", [ADDRESS, 24], ADDRESS),
    ],
)
def test_functions_return_what_the_vendor_describes(name: str, arguments: list[FieldValue], result: FieldValue) -> None:
    assert FUNCTIONS[name].call(*arguments) == result


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("lower", [5]),
        ("len", [5]),
        ("len", [Items((b"a",), False)]),
        ("concat", [b"a", Items(())]),
        ("substring", [b"abc", 2, 9]),
        ("substring", [b"abc", 2, 1]),
        ("substring", [b"abc", True]),
        ("to_string", [b"a"]),
        ("to_string", [ipaddress.ip_address("::ffff:192.0.2.1")]),
        ("cidr", [b"a", 24, 24]),
        ("cidr", [ADDRESS, 33, 24]),
    ],
)
def test_other_arguments_have_no_result(name: str, arguments: list[FieldValue]) -> None:
    with pytest.raises(NotKnown):
        FUNCTIONS[name].call(*arguments)

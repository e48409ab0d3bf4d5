# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Literals, functions, fields and elements of arrays and maps."""

from __future__ import annotations

import ipaddress

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import (
    number_of,
    text_of,
    tokens_of,
)
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import (
    FUNCTIONS,
    MISSING,
    Fields,
    FieldValue,
    Items,
    NotGiven,
    Pairs,
    literal_of,
    operand,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import Unread


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ('"a b"', b"a b"),
        (r'"say \"x\" \\"', b'say "x" \\'),
        (r'"\x41\102\x00"', b"AB\x00"),
        (r'r"a\d"', rb"a\d"),
        ('r#"a"b"#', b'a"b'),
        ('"é"', "é".encode()),
        ("80", 80),
        ("-7", -7),
        ("0", 0),
        ("010", 8),
        ("0x1f", 31),
    ],
)
def test_literals_have_the_values_of_the_engine(literal: str, value: FieldValue) -> None:
    (token,) = tokens_of(literal)
    assert literal_of(token) == value
    assert type(literal_of(token)) is type(value)


@pytest.mark.parametrize("literal", [r'"\n"', r'"\x4"', "$list", "99999999999999999999", "192.0.2.1", "abc"])
def test_other_literals_have_no_value(literal: str) -> None:
    (token,) = tokens_of(literal)
    with pytest.raises(Unread):
        literal_of(token)


def test_a_word_is_no_text_and_no_number() -> None:
    (token,) = tokens_of("example")
    with pytest.raises(Unread, match="'example' is not text"):
        text_of(token)
    with pytest.raises(Unread, match="'08' is not a number"):
        number_of("08")
    assert number_of(str(2**63 - 1)) == 2**63 - 1
    for text in (str(2**63), "1" * 5000):
        with pytest.raises(Unread, match="is too large a number"):
            number_of(text)


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
    with pytest.raises(Unread):
        FUNCTIONS[name].call(*arguments)


FIELDS = Fields(
    {
        "host": b"Example",
        "n": 5,
        "names": Items((b"A", b"b")),
        "some": Items((b"A",), False),
        "headers": Pairs({b"x": Items((b"A", b"b")), b"y": Items(())}, (b"cookie",)),
        "gone": MISSING,
    }
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("host", b"Example"),
        ("lower(host)", b"example"),
        ("upper(lower(host))", b"EXAMPLE"),
        ("names[1]", b"b"),
        ("names[7]", MISSING),
        ('headers["x"][0]', b"A"),
        ('headers["z"][0]', MISSING),
        ("names[*]", Items((b"A", b"b"))),
        ("lower(names[*])", Items((b"a", b"b"))),
        ("lower(names[*])[*]", Items((b"a", b"b"))),
        ('lower(headers["x"][*])[*]', Items((b"a", b"b"))),
        ('headers["z"][*]', Items(())),
        ("headers[*][*]", Items((b"A", b"b"), False)),
        ("headers[*][1]", Items((b"b",), False)),
        ("some[*]", Items((b"A",), False)),
        ("gone[0]", MISSING),
        ("gone[*]", Items(())),
        ("lower(gone)", MISSING),
        ('concat(host, "-", gone)', b"Example-"),
        ("concat(gone, gone)", MISSING),
        ("substring(host, 0, 2)", b"Ex"),
        ('starts_with(names[*], "A")[*]', Items((True, False))),
    ],
)
def test_operands_have_values(text: str, value: FieldValue) -> None:
    assert operand(tokens_of(text)).evaluate(FIELDS) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("port", "the field port is not given"),
        ('headers["cookie"][0]', "cookie is not given"),
        ("some[0]", "the order of the elements of an array is not known"),
        ("n[0]", "a number has no element 0"),
        ("n[*]", "a number has no elements"),
        ("lower(n)", "a function takes a text, and gets a number"),
        ("len(some)", "the number of the elements of an array is not known"),
    ],
)
def test_values_that_are_not_known_have_a_reason(text: str, reason: str) -> None:
    with pytest.raises(Unread, match=reason.replace("[", r"\[")):
        operand(tokens_of(text)).evaluate(FIELDS)


def test_the_reason_of_a_field_that_is_not_given_knows_the_field_in_any_words() -> None:
    for fields in (Fields({}), Fields({}, keys={"tcp.dstport": "port: 443"})):
        with pytest.raises(Unread) as caught:
            fields.value("tcp.dstport")
        (reason,) = caught.value.reasons
        assert isinstance(reason, NotGiven) and reason.field == "tcp.dstport"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("sha256(host)", "the function sha256 is not known"),
        ("lower(host, host)", "the function lower is not known with 2 arguments"),
        ("lower()", "the function lower is not known with 0 arguments"),
        ("concat(host, names[*])", "the function concat takes .* in its first argument only"),
        ("lower(names[*])[0]", "a function of each element needs .* behind it"),
        ("host host", "'host' is not understood there"),
        ("names[x]", "'x' is not a number"),
        ("names[0 1]", "an index is not understood"),
        ("names[0", "a bracket is not closed"),
        ('"x"', "the left side of a comparison is not understood"),
    ],
)
def test_other_forms_are_not_evaluated(text: str, reason: str) -> None:
    with pytest.raises(Unread, match=reason):
        operand(tokens_of(text))

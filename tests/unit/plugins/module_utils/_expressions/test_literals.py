# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import ipaddress

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import NotKnown, tokens_of
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import (
    FieldValue,
    literal_of,
    number_of,
    text_of,
)


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
        ("192.0.2.1", ipaddress.ip_address("192.0.2.1")),
        ("2001:db8::1", ipaddress.ip_address("2001:db8::1")),
    ],
)
def test_literals_have_the_values_of_the_engine(literal: str, value: FieldValue) -> None:
    (token,) = tokens_of(literal)
    assert literal_of(token) == value
    assert type(literal_of(token)) is type(value)


@pytest.mark.parametrize("literal", [r'"\n"', r'"\x4"', "$list", "99999999999999999999", "192.0.2.0/24", "abc"])
def test_other_literals_have_no_value(literal: str) -> None:
    (token,) = tokens_of(literal)
    with pytest.raises(NotKnown):
        literal_of(token)


def test_a_word_is_no_text_and_no_number() -> None:
    (token,) = tokens_of("example")
    with pytest.raises(NotKnown, match="'example' is not text"):
        text_of(token)
    with pytest.raises(NotKnown, match="'08' is not a number"):
        number_of("08")

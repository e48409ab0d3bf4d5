# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils.language.tokens import (
    Unread,
    normalise_expression,
    place_of,
    tokens_of,
)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("ip.dst in {192.0.2.0/24 2001:db8::1}", ["ip.dst", "in", "{", "192.0.2.0/24", "2001:db8::1", "}"]),
        ("(tcp.dstport>=80)&&!(ssl)", ["(", "tcp.dstport", ">=", "80", ")", "&&", "!", "(", "ssl", ")"]),
        ("tcp.dstport in {80..90}", ["tcp.dstport", "in", "{", "80..90", "}"]),
        ("http.host eq \"a b\"\r\n and ssl", ["http.host", "eq", '"a b"', "and", "ssl"]),
        (r'x eq "a\"b" and y', ["x", "eq", r'"a\"b"', "and", "y"]),
        (r'x eq r"a\" and y', ["x", "eq", r'r"a\"', "and", "y"]),
        ('x eq r#"a" b"# and y', ["x", "eq", 'r#"a" b"#', "and", "y"]),
        ('x matches "["]" and y', ["x", "matches", '"["]"', "and", "y"]),
        (r'x ~ "[\]"]" and y', ["x", "~", r'"[\]"]"', "and", "y"]),
        ('x eq "[" and y', ["x", "eq", '"["', "and", "y"]),
        ('any(h["x"][*] contains "y")', ["any", "(", "h", "[", '"x"', "]", "[", "*", "]", "contains", '"y"', ")"]),
        ("ip.src in $office", ["ip.src", "in", "$office"]),
        ("", []),
    ],
)  # fmt: skip
def test_words_are_those_of_the_engine(expression: str, words: list[str]) -> None:
    tokens = tokens_of(expression)
    assert [token.text for token in tokens] == words
    assert all(expression.startswith(token.text, token.start) for token in tokens)


@pytest.mark.parametrize(
    ("expression", "start", "problem"),
    [
        ("ip.dst\teq 192.0.2.1", 6, "a tab is no white space in expressions; write a space"),
        ("ip.dst\u00a0eq 192.0.2.1", 6, "NO-BREAK SPACE is no white space"),
        ("ip.dst\x0beq 192.0.2.1", 6, "U+000B is no white space"),
        ("tcp.dstport eq \u0668\u0660", 15, "'\u0668' is not expected there"),
        ("ip.dst = 192.0.2.1", 7, "'=' is not expected there"),
        ('http.host eq "a', 13, "the text that starts there has no end"),
        ('http.host eq r#"a"', 14, "the text that starts there has no end"),
        ('x matches "["', 10, "the text that starts there has no end"),
    ],
)
def test_what_is_outside_of_the_language_is_named_with_its_place(expression: str, start: int, problem: str) -> None:
    with pytest.raises(Unread) as caught:
        tokens_of(expression)
    assert problem in caught.value.problem
    assert (caught.value.start, caught.value.malformed) == (start, True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ip.src  in\n{192.0.2.0/24}", " ip.src in {192.0.2.0/24}\r\n"),
        ("tcp.dstport in {80 443}", "tcp.dstport in { 80   443 }"),
        ("(ssl) and not(ssl)", "( ssl )and not (ssl)"),
        ("ip.dst==192.0.2.1", "ip.dst == 192.0.2.1"),
        ('a eq "x  y"   and\nb eq "z  w"  or  c', 'a eq "x  y" and b eq "z  w" or c'),
        ('h["x"][0] eq "y"', 'h [ "x" ] [ 0 ] eq "y"'),
    ],
)
def test_white_space_outside_of_text_makes_no_difference(one: str, other: str) -> None:
    assert normalise_expression(one) == normalise_expression(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('http.host eq "a  b"', 'http.host eq "a b"'),
        ('a eq "x" or b eq "y  z"', 'a eq "x" or b eq "y z"'),
        ('x eq r#"a" "  b"#', 'x eq r#"a" " b"#'),
        ('x eq r"\\" and y eq "a  b"', 'x eq r"\\" and y eq "a b"'),
        ('x matches "["]  x"', 'x matches "["] x"'),
        ('x matches "["]  x" and  y', 'x matches "["]  x" and y'),
        ('x eq "a  b', 'x eq "a b'),
        ("x eq 'a  b'", "x eq 'a b'"),
        ("ip.dst eq\t192.0.2.1", "ip.dst eq 192.0.2.1"),
        ("tcp.dstport in {8 0}", "tcp.dstport in {80}"),
        ("not ssl", "notssl"),
        ("ip.dst eq 192.0.2.1", "ip.dst == 192.0.2.1"),
        (None, "None"),
    ],
)
def test_everything_else_is_compared_as_text(one: str, other: str) -> None:
    assert normalise_expression(one) != normalise_expression(other)


@pytest.mark.parametrize(
    ("expression", "start", "label"),
    [
        ("ip.dst eq 1", 7, "column 8, at 'eq 1'"),
        ("ip.dst eq", 9, "column 10, at the end"),
        ("ssl\nand\n not x", 9, "line 3, column 2, at 'not x'"),
        ("x eq " + "1" * 40, 5, "column 6, at '" + "1" * 27 + "...'"),
    ],
)
def test_a_place_is_said_as_people_count(expression: str, start: int, label: str) -> None:
    assert place_of(expression, start) == label

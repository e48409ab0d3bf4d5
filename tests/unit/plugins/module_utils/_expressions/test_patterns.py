# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import tokens_of
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.patterns import (
    regular_expression,
    wildcard,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import Unread


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ('"^/api"', b"/api/x", True),
        ('"^/api"', b"x/api", False),
        ('"b+"', b"abbc", True),
        ('"^b+$"', b"abbc", False),
        ('"a$"', b"a\n", False),  # the end of the text only
        ('"a.c"', b"a\nc", False),
        ('"(?s)a.c"', b"a\nc", True),
        ('"(?i)ADMIN"', b"/admin", True),
        ('"a(?i:B)c"', b"abc", True),
        ('"a(?i:B)C"', b"abc", False),
        ('"^(a|bc)*d{2,3}$"', b"abcadd", True),
        ('"^(/x.*)?$"', b"", True),
        ('"^(ab)+$"', b"abab", True),
        ('"^(ab|c){1}$"', b"c", True),
        ('"^d{2,3}$"', b"dddd", False),
        ('"^d{2}$"', b"dd", True),
        ('"^d{2,}$"', b"dddd", True),
        (r'"^[a-f\d-]+$"', b"a-9f", True),
        ('"^[^/]+$"', b"a/b", False),
        (r'"\bcat\b"', b"a cat.", True),
        (r'"\bcat\b"', b"concat", False),
        (r'"\Bcat"', b"concat", True),
        (r'"\B"', b"", True),
        (r'"^\z"', b"", True),
        ('"[a-c-]+z"', b"b-z", True),
        (r'"\x41\."', b"A.", True),
        (r'"\w+\s\S"', b"ab c", True),
        (r'r"\d\d"', b"12", True),
        (r'"say \"[\"]"', b'say ""', True),
        ('"a||b"', b"", True),
        ('"."', "é".encode(), True),
        ('"^.$"', "é".encode(), False),  # bytes
    ],
)
def test_regular_expressions_match_as_in_the_engine(pattern: str, text: bytes, matches: bool) -> None:
    token = tokens_of(f"x matches {pattern}")[2]
    assert regular_expression(token)(text) is matches


@pytest.mark.parametrize(
    "pattern",
    [
        r'"(?=a)"', r'"(?P<n>a)"', '"a**"', '"a{3,2}"', '"a{x}"', '"[[:alpha:]]"', '"[a&&b]"', '"[]a]"', '"[z-a]"', '"a{2000}"',
        r'"\pL"', r'"\1"', r'"\u0041"', '"(a"', '"a)"', '"é"', '"[é]"', '"*"', '"(?m)^a"', r'"\b{start}"',
        '"[\\d-z]"', '"[a||b]"', '"[[a]"', '"^*"', '"(|*)"', '"a{1}{2}"', '"a*+"',
        '"a(?i)b|C"', '"(a|ab)*c"', '"(?i)(a|Ab)*c"', '"(.|b)*c"', '"(a|)*c"', '"((a|a))*c"', '"(a*)*b"', '"(a+){2}"', '"((a?))*"',
        '"' + "(" * 51 + ")" * 51 + '"',
    ],
)  # fmt: skip
def test_other_syntax_is_not_evaluated(pattern: str) -> None:
    token = tokens_of(f"x matches {pattern}")[2]
    with pytest.raises(Unread):
        regular_expression(token)


@pytest.mark.parametrize(
    ("pattern", "length"),
    [('"a*a*a*a*b"', 200), ('"(a?a?a?a?a?a?a?a?a?a?)b"', 100_000), ('"a{1,900}a{1,900}a{1,900}b"', 1)],
)
def test_a_text_that_may_take_long_is_not_evaluated(pattern: str, length: int) -> None:
    is_match = regular_expression(tokens_of(f"x matches {pattern}")[2])
    with pytest.raises(Unread, match="the text is long for the regular expression"):
        is_match(b"a" * length)


def test_the_longest_search_that_is_tried_ends_soon() -> None:
    is_match = regular_expression(tokens_of('x matches "a*a*[ab]*c"')[2])
    assert is_match(b"a" * 200) is False


@pytest.mark.parametrize(
    ("pattern", "text", "matches", "strictly"),
    [
        (b"/a/*", b"/a/b", True, True),
        (b"/a/*", b"/A/b", True, False),
        (b"/a/*", b"/a", False, False),
        (b"a*a", b"a", False, False),
        (b"a*a", b"aa", True, True),
        (b"*b*d", b"abcd", True, True),
        (b"*b*b", b"ab", False, False),
        (rb"a\*", b"a*", True, True),
        (rb"a\*", b"ab", False, False),
        (b"a?", b"ab", False, False),
        (b"ab", b"abc", False, False),
    ],
)
def test_wildcards_match_the_whole_text(pattern: bytes, text: bytes, matches: bool, strictly: bool) -> None:
    assert (wildcard(pattern, False)(text), wildcard(pattern, True)(text)) == (matches, strictly)


@pytest.mark.parametrize("pattern", [b"a**b", rb"a\b"])
def test_odd_wildcards_are_not_evaluated(pattern: bytes) -> None:
    with pytest.raises(Unread):
        wildcard(pattern, False)

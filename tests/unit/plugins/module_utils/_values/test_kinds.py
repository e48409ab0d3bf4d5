# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any, Mapping

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._values.kinds import (
    CODE,
    FLAG,
    ID,
    NETWORK,
    PRIORITY,
    TEXT,
    Value,
    choice,
    mapping,
    same_value,
    several,
)

MODE = choice("enabled", "monitoring", "disabled")
PRODUCTS = several("waf", "bic")


@pytest.mark.parametrize(
    ("value", "one", "other"),
    [
        (NETWORK, "192.0.2.7/24", "192.0.2.0/24"),
        (NETWORK, "192.0.2.1", "192.0.2.1/32"),
        (NETWORK, "2001:DB8::/32", "2001:db8::/32"),
        (NETWORK, "2001:db8:0:0::1", "2001:db8::1/128"),
        (NETWORK, " 192.0.2.0/24 ", "192.0.2.0/24"),
        (NETWORK, "203.0.113/24", "203.0.113.0/24"),  # as a service may list it; a task may not write it
        (NETWORK, "10/8", "10.0.0.0/8"),
        (CODE, "WEUR", "weur"),
        (MODE, "Monitoring", "monitoring"),
        (TEXT, None, ""),
        (FLAG, None, False),
        (PRODUCTS, ["waf", "bic"], ["bic", "waf", "waf"]),
        (PRODUCTS, None, []),
        (PRIORITY, 7.0, 7),
        (ID, "F2D427378E7542ACB295380D352E2EBD", "f2d427378e7542acb295380d352e2ebd"),
    ],
)
def test_equal_meanings_compare_as_equal(value: Value, one: Any, other: Any) -> None:
    assert value.normalise(one) == value.normalise(other)


@pytest.mark.parametrize(
    ("value", "one", "other"),
    [
        (NETWORK, "192.0.2.0/24", "192.0.2.0/25"),
        (NETWORK, "::/0", "0.0.0.0/0"),
        (NETWORK, "203.0.113/25", "203.0.113.0/25"),
        (NETWORK, "203.0.113", "203.0.113.0"),
        (TEXT, "Frankfurt", "frankfurt"),
        (FLAG, True, False),
        (PRIORITY, None, 0),
        (MODE, "enabled", "mitigation"),
    ],
)
def test_different_meanings_do_not(value: Value, one: Any, other: Any) -> None:
    assert value.normalise(one) != value.normalise(other)


@pytest.mark.parametrize(
    ("value", "written", "sent"),
    [
        (NETWORK, "192.0.2.7/24", "192.0.2.0/24"),
        (NETWORK, "192.0.2.1", "192.0.2.1/32"),
        (NETWORK, "2001:DB8::/32", "2001:db8::/32"),
        (CODE, " WEUR ", "WEUR"),
        (TEXT, "  kept as it is ", "  kept as it is "),
        (PRIORITY, "12", 12),
        (PRIORITY, 0, 0),
        (PRIORITY, 2147483647, 2147483647),
        (PRIORITY, "", None),
        (PRODUCTS, ["waf", "waf", "bic"], ["waf", "bic"]),
        (ID, " F2D427378E7542ACB295380D352E2EBD", "f2d427378e7542acb295380d352e2ebd"),
    ],
)
def test_values_are_sent_as_the_user_writes_them(value: Value, written: Any, sent: Any) -> None:
    assert value.parse(written) == sent


@pytest.mark.parametrize(
    ("value", "written", "reason"),
    [
        (NETWORK, "203.0.113/24", "did you mean 203.0.113.0/24?"),
        (NETWORK, "10/8", "did you mean 10.0.0.0/8?"),
        (NETWORK, "203.0.113/23", "did you mean 203.0.113.0/23?"),
        (NETWORK, "192.0.2.0/33", "is not a network"),
        (NETWORK, "192.0.2.256", "is not a network"),
        (NETWORK, "192.0.2.0/255.255.255.0", "CIDR notation"),
        (NETWORK, "fe80::1%eth0", "CIDR notation"),
        (NETWORK, "192.0.2.0/", "CIDR notation"),
        (NETWORK, "", "is not a network"),
        (NETWORK, 3221225985, "is not a text"),
        (CODE, "  ", "it is empty"),
        (PRIORITY, "soon", "whole number"),
        (PRIORITY, -1, "whole number"),
        (PRIORITY, 2147483648, "whole number"),
        (PRIORITY, True, "whole number"),
        (FLAG, "yes", "neither true nor false"),
        (ID, "../prefixes", "is not an id"),
        (ID, "", "is not an id"),
        (ID, "f2d427378e7542acb295380d352e2ebd0", "is not an id"),
    ],
)
def test_a_malformed_value_is_refused_with_a_reason(value: Value, written: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason.replace("?", r"\?")):
        value.parse(written)


def refuse_odd(value: Mapping[str, Any]) -> None:
    if "odd" in value:
        raise ValueError("it is odd")


STRUCTURE = mapping({"response": {"type": "dict"}}, refuse_odd)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"),
        ({"b": 1, "a": "x"}, "{a:'x',b:1}"),
        ({"words": ["b", "a"]}, "{words:['a','b']}"),
        ({"words": ("b", "a"), "deep": {"d": None, "c": [True]}}, "{deep:{c:[True],d:None},words:['a','b']}"),
        ([], "[]"),
        ("[]", "'[]'"),
        (None, "None"),
    ],
)
def test_a_structure_is_compared_as_text_with_everything_sorted(value: Any, text: str) -> None:
    assert STRUCTURE.normalise(value) == text


def test_a_structure_is_sent_without_what_is_null_and_checked_as_it_is_sent() -> None:
    written = {"response": {"content": None, "deep": {"status": None, "words": [1]}}, "odd": None}
    assert STRUCTURE.parse(written) == {"response": {"deep": {"words": [1]}}}
    assert STRUCTURE.option == {"type": "dict", "options": {"response": {"type": "dict"}}}
    with pytest.raises(ValueError, match="it is odd"):
        STRUCTURE.parse({"odd": 0})


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (True, True, True),
        (True, 1, False),
        (0, False, False),
        ("a", "a", True),
        ("1", 1, False),
        (None, None, True),
        ({"a": {"b": 1}, "c": [1]}, {"c": [1], "a": {"b": 1}}, True),
        ({"a": {"b": 1}}, {"a": {"b": True}}, False),
        ([1, 2], [2, 1], False),
    ],
)
def test_values_are_the_same_if_their_json_is(one: Any, other: Any, same: bool) -> None:
    assert [same_value(*values) for values in ((one, other), (other, one))] == [same, same]

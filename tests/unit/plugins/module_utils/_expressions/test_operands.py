# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import NotKnown, tokens_of
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import (
    MISSING,
    Fields,
    FieldValue,
    Items,
    Pairs,
    operand,
)

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
    with pytest.raises(NotKnown, match=reason.replace("[", r"\[")):
        operand(tokens_of(text)).evaluate(FIELDS)


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
    with pytest.raises(NotKnown, match=reason):
        operand(tokens_of(text))

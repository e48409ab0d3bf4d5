# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils.language import vendor_parser
from ansible_collections.edgeops.protection.plugins.module_utils.language.vendor_parser import vendor_refusal


def answering(error: str) -> Any:
    return lambda expression, scheme: {"error": error, "fields": []}


@pytest.mark.parametrize(
    ("expression", "error", "start", "problem"),
    [
        ("ip.dst eq", "Filter parsing error (1:10):\nip.dst eq\n         ^ expected IP address character\n", 9, "expected IP address character"),
        ("ssl\nand x y", "Filter parsing error (2:7):\nand x y\n      ^ unrecognised input\n", 10, "unrecognised input"),
        ('x eq "\u00e4" y', 'Filter parsing error (1:11):\nx eq "\u00e4" y\n          ^ unrecognised input\n', 9, "unrecognised input"),
        ('x ~ "(a"', 'Filter parsing error (1:8):\nx ~ "(a"\n       ^ regex parse error:\n    (a\n    ^\nerror: unclosed group\n', 7,
         "regex parse error: (a ^ error: unclosed group"),
    ],
)  # fmt: skip
def test_a_refusal_has_its_place_in_characters(
    expression: str, error: str, start: int, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vendor_parser, "vendor_parser", answering(error))
    refusal = vendor_refusal(expression, None)
    assert refusal is not None
    assert (refusal.start, refusal.malformed) == (start, True)
    assert refusal.problem == f"{problem} (so says the parser of the vendor's engine)"


UNRECOGNISED = "Filter parsing error (1:1):\nx\n^ unrecognised input\n"


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("x eq 1", ""),
        ("x eq 1", None),
        ("x eq 1", "Another form of errors"),
        ("x eq 1", "Filter parsing error (1:1):\nx eq 1\n^ unknown identifier\n"),
        ("len(x) eq 1", "Filter parsing error (1:5):\nlen(x) eq 1\n    ^^ invalid type of argument #0: expected value of type Bytes, but got Ip\n"),
        ("x contains 1", "Filter parsing error (1:3):\nx contains 1\n  ^^^^^^^^ cannot perform this operation on type Int\n"),
        ("x or true", UNRECOGNISED),
        ('is_timed_hmac_valid_v0("key", x)', UNRECOGNISED),
    ],
)  # fmt: skip
def test_what_the_library_may_not_know_is_not_refused(
    expression: str, error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vendor_parser, "vendor_parser", answering(error))
    assert vendor_refusal(expression, None) is None


def test_without_the_library_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendor_parser, "vendor_parser", None)
    assert vendor_refusal("x eq", None) is None


def test_a_library_that_fails_refuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(expression: str, scheme: str) -> Any:
        raise TypeError("another interface")

    monkeypatch.setattr(vendor_parser, "vendor_parser", fail)
    assert vendor_refusal("x eq", None) is None

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Iterable

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._messages import Message, Option
from ansible_collections.edgeops.protection.plugins.module_utils._text import (
    capitalised,
    excerpt,
    first_few,
    plural,
    sentence,
    visible,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("as it is: äöü 漢字 😀 \\x1b", "as it is: äöü 漢字 😀 \\x1b"),
        ("\x1b[31mred\x07\x9b", "\\x1b[31mred\\x07\\x9b"),
        ("line\r\n\tbreak\u2028", "line\\r\\n\\tbreak\\u2028"),
        ("\u202egpj.exe\u2066\u200f\ufeff", "\\u202egpj.exe\\u2066\\u200f\\ufeff"),
        ("\ud800\U000e0041\x00", "\\ud800\\U000e0041\\x00"),
    ],
)
def test_what_a_terminal_would_obey_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [("abcd", "abcd"), ("abcde", "abcd... (1 more character)"), ("a" * 9, "aaaa... (5 more characters)")],
)
def test_a_long_text_is_cut_and_the_rest_counted(text: str, shown: str) -> None:
    assert excerpt(text, 4) == shown


@pytest.mark.parametrize(
    ("names", "most", "shown"),
    [
        ([], 2, ""),
        (["a", "b"], 2, "a, b"),
        (["a", "b", "c"], 2, "a, b and 1 more"),
        (map(str, range(9)), 5, "0, 1, 2, 3, 4 and 4 more"),
    ],
)
def test_the_first_names_are_shown_and_the_others_counted(names: Iterable[str], most: int, shown: str) -> None:
    assert first_few(names, most) == shown


@pytest.mark.parametrize(("number", "shown"), [(0, "0 rules"), (1, "1 rule"), (2, "2 rules")])
def test_a_number_has_its_noun(number: int, shown: str) -> None:
    assert plural(number, "rule", "rules") == shown


@pytest.mark.parametrize(
    ("text", "shown"), [("", ""), ("iPv4", "IPv4"), ("SYN flood", "SYN flood"), ("7 rules", "7 rules")]
)
def test_only_the_first_letter_becomes_a_capital(text: str, shown: str) -> None:
    assert capitalised(text) == shown
    assert sentence(text) == shown + "."


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (Message(Option("accept_risks", 0), ": it expired"), "accept_risks[0]: it expired."),
        (Message("the option ", Option("enabled")), "The option enabled."),
        (Message(), "."),
    ],
)
def test_the_name_of_an_option_does_not_become_a_capital(message: Message, shown: str) -> None:
    assert sentence(message) == shown
    assert isinstance(capitalised(message), Message)

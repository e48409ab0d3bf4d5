# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils.text import excerpt, visible


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
def test_what_a_terminal_would_obey_is_escaped(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [("abcd", "abcd"), ("abcde", "abcd... (1 more character)"), ("a" * 9, "aaaa... (5 more characters)")],
)
def test_a_long_text_is_cut_and_the_rest_counted(text, shown):
    assert excerpt(text, 4) == shown

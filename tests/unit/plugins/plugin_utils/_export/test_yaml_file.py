# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._files import variables_file

from tests.support.host_parts import read_back


@pytest.mark.parametrize(
    "text",
    [
        "yes", "2026-01-01", "1_000", "{{ 1 + 1 }}", "{% raw %}", "a: b # c", "it's", 'say "x"', "two\nlines", "", " ",
        "a\u2028b", "\x85", "\u202e", "\x07",
    ],
)  # fmt: skip
def test_a_text_is_read_back_as_it_was(text: str) -> None:
    variables = {"name": text, "entries": [{"comment": text}]}
    assert read_back(variables_file(variables)) == variables


def test_a_text_that_looks_like_a_template_is_marked() -> None:
    assert 'name: !unsafe "{{ 1 + 1 }}"' in variables_file({"name": "{{ 1 + 1 }}"})


def test_a_comment_stays_a_comment_in_one_line() -> None:
    text = variables_file({"name": 1}, ["one\ntwo: 3", "\x1b[31m\u202ered"])
    assert text.splitlines() == ["---", "# one two: 3", r"# \x1b[31m\u202ered", "name: 1"]
    assert read_back(text) == {"name": 1}

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The undefined names of a template: its own, and those of the variables that it reads."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._undefined import undefined_names

VARIABLES = {"shared": [1], "inner": "{{ shared + own }}", "itself": "{{ itself }}", "text": "a {{ brace"}


@pytest.mark.parametrize(
    ("template", "names"),
    [
        ("{{ shared + own }}", ["own"]),
        ("{{ shared + inner }}", ["own"]),
        ("{{ own.prefixes + theirs[0] }}", ["own", "theirs"]),
        ("{{ shared | combine(own) }}", ["own"]),
        ("{{ shared + (own | default([])) + 5 }}", []),
        ("{{ shared + [item] if own is defined else 5 }}", ["item"]),
        ("{% for entry in shared %}{{ entry + own }}{% endfor %}", ["own"]),
        ("{{ lookup('env', 'X') + range(3) }}", []),
        ("{{ shared + itself + text }}", []),
        ("no template", []),
        ("{{ shared + ", []),
        ([1], []),
    ],
)
def test_undefined_names_are_found(template: Any, names: list[str]) -> None:
    assert sorted(undefined_names(template, VARIABLES)) == names

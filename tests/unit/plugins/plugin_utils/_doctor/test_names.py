# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Only short words are shown, and none that could be a secret."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.reads import shown_name, shown_names

NAMES = [
    ("x_region", "x_region"),
    ("managed-challenge", "managed-challenge"),
    ("023e105f4ecef8ad9ca31a8372d0c353", "(a text of 32 characters)"),
    ("192.0.2.1", "(a text of 9 characters)"),
    ("a b", "(a text of 3 characters)"),
    ("AS64500", "(a text of 7 characters)"),
    ("", "(a text of 0 characters)"),
    (5, "(int)"),
    (None, "(NoneType)"),
]


@pytest.mark.parametrize(("name", "expected"), NAMES, ids=[str(name) for name, _expected in NAMES])
def test_only_a_short_word_is_shown(name: object, expected: str) -> None:
    assert shown_name(name) == expected


def test_each_name_is_shown_once_in_order() -> None:
    assert shown_names(["b", "a", "b"]) == ["a", "b"]

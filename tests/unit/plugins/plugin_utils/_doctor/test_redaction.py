# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Nothing private leaves a text."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.reads import redacted

TEXTS = [
    ("No route for 192.0.2.0/24", "No route for (address)"),
    ("No route for 2001:db8:f0::/48", "No route for (address)"),
    ("the zone shop.example.com is unknown", "the zone (name) is unknown"),
    ("write to alice@example.com", "write to (e-mail)"),
    ("account 023e105f4ecef8ad9ca31a8372d0c353", "account (id)"),
    ("object 31c70c65-9f81-4669-94ed-1e1e041e7b06", "object (id)"),
    ("token Sn3lZJTBX6kkg7OdcBUAxOO963GEIyGQqnFTOFYY", "token (text)"),
    ("at 12:30:05", "at (address)"),  # as if it were one
    ("Authentication error", "Authentication error"),
    ("line\none\x1b[31m", "line one\\x1b[31m"),
]


@pytest.mark.parametrize(("text", "expected"), TEXTS, ids=[text for text, _expected in TEXTS])
def test_a_private_part_of_a_text_becomes_a_word(text: str, expected: str) -> None:
    assert redacted(text) == expected

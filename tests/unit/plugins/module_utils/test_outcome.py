# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils.outcome import redact

SECRETS = ("a-token-of-some-length", "a-token")


@pytest.mark.parametrize(
    ("value", "redacted"),
    [
        ("nothing to hide", "nothing to hide"),
        ("a-token", "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"),
        ("not a-token-of-some-length, but a-token", "not ********, but ********"),
        ({"a-token of": {"x": ["is a-token"]}}, {"******** of": {"x": ["is ********"]}}),
        (("x a-token", 7, None, True), ["x ********", 7, None, True]),
    ],
)
def test_no_secret_is_left_wherever_it_stands(value: object, redacted: object) -> None:
    assert redact(value, SECRETS) == redacted

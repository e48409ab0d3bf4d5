# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.overview import (
    MAX_VALUE,
    operation_texts,
    value_text,
)

UPDATE: Any = {
    "module": "custom_rules",
    "action": "update",
    "resource": "custom_rule",
    "title": "custom rule",
    "key": "login",
    "name": "login",
    "fields": {"enabled": True, "note": "x"},
    "before": {"enabled": False},
}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        ("", '""'),
        (True, "true"),
        (["\u00e4"], '["\u00e4"]'),
        ("a\nb", "a\\nb"),
        ("x" * (MAX_VALUE + 2), "x" * MAX_VALUE + "... (2 more characters)"),
    ],
)
def test_a_value_is_text_that_controls_nothing_and_ends(value: Any, text: str) -> None:
    assert value_text(value) == text


def test_an_operation_is_told_with_its_sign_and_its_fields() -> None:
    texts = operation_texts(UPDATE)
    assert (texts.action, texts.sign, texts.title, texts.name) == ("update", "~", "Custom rule", "login")
    assert [tuple(field) for field in texts.fields] == [("enabled", "false", "true"), ("note", None, "x")]


def test_an_object_that_there_is_once_has_no_name() -> None:
    status: Any = {**UPDATE, "resource": "tcp_protection_status"}
    assert operation_texts(status).name == ""

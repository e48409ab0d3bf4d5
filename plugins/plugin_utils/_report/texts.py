# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Operations and their values as people read them, on the page and in Markdown."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ansible_collections.edgeops.protection.plugins.module_utils._text import (
    capitalised,
    excerpt,
    visible,
)

from .operations import RESOURCES, field_changes
from .record import Difference

ACTION_SIGNS = {"create": "+", "update": "~", "delete": "\u2212"}
MAX_VALUE = 600  # characters of a value are shown


class FieldTexts(NamedTuple):
    """A field that an operation sets; `before` is None if the object has no value now."""

    path: str
    before: str | None
    after: str


class OperationTexts(NamedTuple):
    """An operation; the name is empty for an object that there is once."""

    action: str
    sign: str
    title: str
    name: str
    fields: list[FieldTexts]


def operation_texts(operation: Difference) -> OperationTexts:
    """An operation with its sign, the object, and its fields."""
    action, name = operation["action"], operation["name"]
    fields = [
        FieldTexts(
            change.path,
            value_text(change.before) if change.exists else None,
            value_text(change.after),
        )
        for change in field_changes(operation)
    ]
    resource = RESOURCES.get(operation["resource"])
    shown_name = "" if resource and not resource.key else value_text(name)
    title = capitalised(operation["title"])
    return OperationTexts(action, ACTION_SIGNS[action], title, shown_name, fields)


def value_text(value: Any) -> str:
    """A value of a field as people read it; characters that control text are escaped."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return (
        (text if text.isprintable() else visible(text))
        if 0 < len(text) <= MAX_VALUE
        else _unusual(text)
    )


def _unusual(text: str) -> str:
    return excerpt(visible(text), MAX_VALUE) or '""'

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The schema of a value of JSON, in the words of JSON Schema: types, fields, the forms of texts,
and the words of enumerations. It has no other text of the value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from ipaddress import ip_network
from typing import Any

Schema = dict[str, Any]

# The fields whose words are enumerations of Cloudflare, and no text of a user.
ENUMERATIONS = frozenset(
    [
        "action",
        "burst_sensitivity",
        "kind",
        "legacy_id",
        "mitigation_type",
        "mode",
        "phase",
        "phases",
        "product",
        "products",
        "profile_sensitivity",
        "rate_sensitivity",
        "ruleset",
        "scope",
        "sensitivity_level",
        "status",
        "type",
    ]
)
WORD = re.compile(r"[a-z]+(?:_[a-z0-9]{1,12}){0,5}")
LONGEST_WORD = 40
# The name of a field; one of another form, such as that of a header or an id, may be a value.
PLAIN_FIELD = re.compile(r"(?!.*[0-9]{4})[A-Za-z][A-Za-z0-9_]{0,39}")
OTHER_FIELD = "(name)"
# Objects whose fields are named by users.
OF_ANY_FIELDS = frozenset(("cookies", "headers", "metadata"))
WORDS_OF_TYPES: Mapping[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
    type(None): "null",
}


def _is_time(text: str) -> bool:
    datetime.fromisoformat(text.replace("Z", "+00:00"))
    return len(text) > len("2026-01-01")


def _is_network(text: str) -> bool:
    ip_network(text, strict=False)
    return True


def _has_form_of_id(text: str) -> bool:
    return bool(re.fullmatch(r"[0-9a-f]{32}", text))


def _has_form_of_uuid(text: str) -> bool:
    return bool(re.fullmatch(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", text))


FORMATS: Mapping[str, Callable[[str], bool]] = {  # the first that fits is told
    "id": _has_form_of_id,
    "uuid": _has_form_of_uuid,
    "date-time": _is_time,
    "network": _is_network,
}


def _format_of(text: str) -> str:
    for name, fits in FORMATS.items():
        try:
            if fits(text):
                return name
        except ValueError:
            continue
    return "empty" if not text else "text"


def schema_of(value: Any, name: str = "") -> Schema:
    """The schema of the value of the field with this name."""
    schema: Schema = {"type": [WORDS_OF_TYPES.get(type(value), "null")]}
    if isinstance(value, Mapping):
        fields = [(_plain_name(field, name), inner) for field, inner in value.items()]
        schema["properties"] = _properties(fields)
        schema["required"] = sorted(schema["properties"])
    elif isinstance(value, list):
        schema["items"] = merged_all(schema_of(element, name) for element in value)
    elif isinstance(value, str):
        is_word = name in ENUMERATIONS and len(value) <= LONGEST_WORD and WORD.fullmatch(value)
        schema.update({"enum": [value]} if is_word else {"format": [_format_of(value)]})
    return schema


def _plain_name(field: str, name: str) -> str:
    """The name of a field in an object that is the value of the field `name`."""
    return field if PLAIN_FIELD.fullmatch(field) and name not in OF_ANY_FIELDS else OTHER_FIELD


def _properties(fields: Iterable[tuple[str, Any]]) -> dict[str, Schema]:
    properties: dict[str, Schema] = {}
    for field, value in fields:
        properties[field] = merged(properties.get(field, {}), schema_of(value, field))
    return properties


def merged_all(schemas: Iterable[Schema]) -> Schema:
    """The schema of all values that have one of these schemas."""
    whole: Schema = {}
    for schema in schemas:
        whole = merged(whole, schema)
    return whole


def merged(first: Schema, second: Schema) -> Schema:
    """The schema of all values of both schemas; an empty one has none."""
    if not first or not second:
        return first or second
    whole: Schema = {}
    for keyword in ("type", "format", "enum"):
        if keyword in first or keyword in second:
            whole[keyword] = sorted({*first.get(keyword, ()), *second.get(keyword, ())})
    if "properties" in first and "properties" in second:
        whole["required"] = sorted({*first["required"]} & {*second["required"]})
    elif "properties" in first or "properties" in second:
        whole["required"] = first.get("required", second.get("required"))
    if "properties" in first or "properties" in second:
        fields, more = first.get("properties", {}), second.get("properties", {})
        whole["properties"] = {
            name: merged(fields.get(name, {}), more.get(name, {}))
            for name in sorted({*fields, *more})
        }
    if "items" in first or "items" in second:
        whole["items"] = merged(first.get("items", {}), second.get("items", {}))
    return whole

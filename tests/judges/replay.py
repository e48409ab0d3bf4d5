# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A recording of the doctor as answers of the local service: objects with the types, forms and words that it has."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.fake_service import LocalService

Schema = Mapping[str, Any]
OTHER_FIELD = "other-name"  # the doctor shows no name of this form


def replay(service: LocalService, document: Mapping[str, Any]) -> None:
    """Let the local service answer each call as the recording tells, with the first status of several."""
    service.switch(checked_against_contract=False)
    for call, by_status in document["answers"].items():
        method, _space, path = call.partition(" ")
        status, told = next(iter(by_status.items()))
        pattern = re.escape(path).replace(r"\{\}", "[^/]+") + "$"
        body = json.dumps(envelope(told["schema"]))
        service.misbehave("raw", method=method, path="^" + pattern, status=int(status), body=body)


def envelope(schema: Schema) -> Any:
    """An answer with this schema, whose counts of objects are true."""
    body = sample(schema, 0)
    if isinstance(body, dict) and isinstance(body.get("result_info"), dict):
        number = len(body["result"]) if isinstance(body.get("result"), list) else 1
        counts = {"page": 1, "per_page": 1000, "count": number, "total_count": number, "total_pages": 1}
        body["result_info"] = {name: counts[name] for name in body["result_info"] if name in counts}
    return body


def sample(schema: Schema, number: int) -> Any:
    """One of the values with this schema: those with consecutive numbers have all types, forms and words. An object with
    the number -1 has the fields that each has, and no other."""
    types = schema.get("type") or ["null"]
    kind = types[number % len(types)]
    if kind == "object":
        required = schema.get("required", ())
        fields = {name: inner for name, inner in schema["properties"].items() if number >= 0 or name in required}
        return {OTHER_FIELD if name == "(name)" else name: sample(inner, number) for name, inner in fields.items()}
    if kind == "array":
        items = schema.get("items")
        return [sample(items, each) for each in (*range(choices(items)), -1)] if items else []
    if kind == "string":
        texts = [*schema.get("enum", ()), *(text_of_form(form, number) for form in schema.get("format", ()))]
        return texts[number % len(texts)]
    return {"boolean": number % 2 == 0, "integer": number + 2, "number": number + 2.5, "null": None}[kind]


def choices(schema: Schema) -> int:
    """How many values show each type, form and word of a schema."""
    inner = [*schema.get("properties", {}).values(), schema.get("items") or {}]
    alternatives = len(schema.get("enum", ())) + len(schema.get("format", ()))
    own = max(len(schema.get("type", ())), alternatives, 1)
    return max([own, *(choices(part) for part in inner if part)])


def text_of_form(form: str, number: int) -> str:
    texts = {
        "id": f"{number + 1:032x}",
        "uuid": f"00000000-0000-4000-8000-{number + 1:012x}",
        "date-time": "2026-01-02T03:04:05.678901Z",
        "network": f"192.0.2.{number + 1}/32",
        "empty": "",
    }
    return texts.get(form, f"text {number + 1}")

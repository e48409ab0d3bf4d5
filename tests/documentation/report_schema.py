# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""docs/report.schema.json and docs/plan.schema.json, from the declarations of the report's record and of the plan page."""

from __future__ import annotations

import json
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from ansible_collections.edgeops.protection.plugins.plugin_utils._report.plan_document import PlanDocument
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import Report

SCHEMA = Path(__file__).parents[2] / "docs" / "report.schema.json"
PLAN_SCHEMA = SCHEMA.with_name("plan.schema.json")
Schema = dict[str, Any]
# What results of later modules may add to a record.
OPEN = {"HostRisk", "Step", "Unmanaged"}
SIMPLE: dict[Any, Schema] = {
    float: {"type": "number"},
    Any: {},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": 0},
}


def report_schema() -> str:
    """The schema of report.json as text."""
    return _text_of_schema("Report of edgeops.protection", Report)


def plan_schema() -> str:
    """The schema of plan.json as text."""
    return _text_of_schema("Plan page of edgeops.protection", PlanDocument)


def _text_of_schema(title: str, document: Any) -> str:
    shapes: dict[str, Schema] = {}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    schema = _dictionary(document, shapes)
    return json.dumps({**head, **schema, "$defs": dict(sorted(shapes.items()))}, indent=2) + "\n"


def _dictionary(shape: Any, shapes: dict[str, Schema]) -> Schema:
    hints = get_type_hints(shape, include_extras=True)
    return {
        "description": " ".join((shape.__doc__ or "").split()),
        "type": "object",
        "required": sorted(shape.__required_keys__, key=list(hints).index),
        **({} if shape.__name__ in OPEN else {"additionalProperties": False}),
        "properties": {name: _schema(hint, shapes) for name, hint in hints.items()},
    }


def _schema(hint: Any, shapes: dict[str, Schema]) -> Schema:
    """The schema of one type; a TypedDict goes to `shapes` under its name."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        texts = [item for item in arguments[1:] if isinstance(item, str)]
        return {**_schema(arguments[0], shapes), **({"description": texts[0]} if texts else {})}
    if origin in (Union, UnionType):
        (kind,) = (_schema(item, shapes) for item in arguments if item is not NoneType)
        return {"type": [kind["type"], "null"]} if kind.keys() == {"type"} else {"oneOf": [{"type": "null"}, kind]}
    if origin is Literal:
        return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0], shapes)}
    if origin is dict:
        keys = get_args(arguments[0])
        values = _schema(arguments[1], shapes)
        named = {"required": list(keys), "propertyNames": {"enum": list(keys)}} if keys else {}
        return {"type": "object", **named, **({"additionalProperties": values} if values else {})}
    if is_typeddict(hint):
        shapes[hint.__name__] = {}
        shapes[hint.__name__] = _dictionary(hint, shapes)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    return SIMPLE[hint]

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The schema of the report, as tests hold reports to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tests.support.ansible_run import REPOSITORY

SCHEMA = REPOSITORY / "docs" / "report.schema.json"


def _object(required: Any, **optional: Any) -> dict[str, Any]:
    properties = {**required, **optional}
    return {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def validate_report(report: Any, schema_file: Path = SCHEMA) -> None:
    """Raises ValidationError for what is not a report, and SchemaError where the schema itself is none."""
    schema = json.loads(schema_file.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(json.loads(json.dumps(report)))


# The parts of SARIF 2.1.0 that we write, as its schema has them, and no others.
SARIF: dict[str, Any] = {
    "$defs": {
        "text": {"type": "string", "minLength": 1},
        "message": _object({"text": {"$ref": "#/$defs/text"}}),
        "uri": {"type": "string", "format": "uri-reference", "pattern": "^[^ ]+$"},
        "location": _object(
            {
                "logicalLocations": _list(_object({"fullyQualifiedName": {"$ref": "#/$defs/text"}})),
                "physicalLocation": _object(
                    {
                        "artifactLocation": _object({"uri": {"$ref": "#/$defs/uri"}}),
                        "region": _object({"startLine": {"type": "integer", "minimum": 1}}),
                    }
                ),
            }
        ),
        "suppression": _object({"kind": {"const": "external"}, "justification": {"$ref": "#/$defs/text"}}),
        "result": _object(
            {
                "ruleId": {"$ref": "#/$defs/text"},
                "level": {"enum": ["none", "note", "warning", "error"]},
                "message": {"$ref": "#/$defs/message"},
                "locations": _list({"$ref": "#/$defs/location"}),
            },
            suppressions=_list({"$ref": "#/$defs/suppression"}),
        ),
        "rule": _object({"id": {"$ref": "#/$defs/text"}, "helpUri": {"$ref": "#/$defs/uri"}}),
        "driver": _object(
            {
                "name": {"$ref": "#/$defs/text"},
                "informationUri": {"$ref": "#/$defs/uri"},
                "rules": _list({"$ref": "#/$defs/rule"}),
            }
        ),
        "run": _object(
            {"tool": _object({"driver": {"$ref": "#/$defs/driver"}}), "results": _list({"$ref": "#/$defs/result"})},
            automationDetails=_object({"id": {"$ref": "#/$defs/text"}}),
        ),
    },
    **_object({"$schema": {"type": "string"}, "version": {"const": "2.1.0"}, "runs": _list({"$ref": "#/$defs/run"})}),
}


def validate_sarif(document: Any) -> None:
    """Raises ValidationError for what is no SARIF as code hosts take it, and for a rule that has no declaration."""
    Draft202012Validator(SARIF).validate(json.loads(json.dumps(document)))
    for run in document["runs"]:
        declared = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
        assert {result["ruleId"] for result in run["results"]} == declared


def validate_plan(document: Any) -> None:
    """Raises ValidationError for what is not the content of plan.json."""
    validate_report(document, SCHEMA.with_name("plan.schema.json"))

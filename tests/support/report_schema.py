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


def validate_report(report: Any, schema_file: Path = SCHEMA) -> None:
    """Raises ValidationError for what is not a report, and SchemaError where the schema itself is none."""
    schema = json.loads(schema_file.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(json.loads(json.dumps(report)))


def validate_plan(document: Any) -> None:
    """Raises ValidationError for what is not the content of plan.json."""
    validate_report(document, SCHEMA.with_name("plan.schema.json"))

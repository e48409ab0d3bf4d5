# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract of the local service against the vendor's command line, npm's cf."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.fake_service.calls import Call
from tests.fake_service.contract import Contract
from tests.judges.cf import (
    PROTECTION,
    Field,
    Operation,
    Operations,
    faults_in,
    operation_of,
    operations_of_cf,
    pattern_of,
)

OPERATIONS = sorted(Contract.shared().operations())
QUERIES = "POST /graphql: the program has no such operation"  # GraphQL is no part of the vendor's OpenAPI
BEYOND = {"dry_run"}  # younger than the program: "Rulesets API: Dry run", and the parameters of the SDK's types


def operation_at(method: str, path: str) -> Any:
    return Contract.shared().spec / "paths" / path / method.lower()


def parameters_of(operation: Any) -> set[str]:
    listed = operation / "parameters" if "parameters" in operation else ()
    return {(entry / "name").read_str() for entry in listed if (entry / "in").read_str() == "query"}


def fields_of(operation: Any) -> Mapping[str, Field]:
    """The fields of a body of the contract; none of a body that is a list."""
    if "requestBody" not in operation:
        return {}
    schema = operation / "requestBody" / "content" / "application/json" / "schema"
    if (schema / "type").read_str() != "object":
        return {}
    required = (schema / "required").read_value() if "required" in schema else []
    properties = schema / "properties"
    return {name: field_of(properties / name, name in required) for name in properties.str_keys()}


def field_of(schema: Any, is_required: bool) -> Field:
    words = tuple((schema / "enum").read_value()) if "enum" in schema else ()
    return Field(is_required, (schema / "type").read_str() if "type" in schema else "string", words)


def differences(operations: Operations) -> Iterator[str]:
    """What the contract has otherwise than the command line."""
    met = set()
    for method, path in OPERATIONS:
        found = operation_of(operations, method, pattern_of(path).replace("{}", "x"))
        if found is None:
            yield f"{method} {path}: the program has no such operation"
            continue
        met.add(found[0])
        ours, theirs = operation_at(method, path), found[1]
        yield from (f"{method} {path}: {name}" for name in parameters_of(ours) - {*theirs.parameters} - BEYOND)
        if re.fullmatch(PROTECTION, pattern_of(path)):
            yield from differences_of_fields(f"{method} {path}", fields_of(ours), theirs)
    of_protection = {name for name in operations if re.fullmatch(rf"\w+ {PROTECTION}", name)}
    yield from (f"{name}: the local service has none" for name in sorted(of_protection - met))


def differences_of_fields(place: str, ours: Mapping[str, Field], theirs: Operation) -> Iterator[str]:
    for name in sorted(ours.keys() | theirs.fields.keys()):
        field, expected = ours.get(name), theirs.fields.get(name)
        if field is None or expected is None:
            yield f"{place}: {name} is a field of one of them"
        elif field[:2] != expected[:2]:
            yield f"{place}: {name} is {field.text()}, and {expected.text()} for the program"
        elif expected.words and {*field.words} != {*expected.words}:
            yield f"{place}: {name} takes {field.words}, and {expected.words} for the program"


def test_the_contract_is_as_the_command_line_has_it() -> None:
    assert [*differences(operations_of_cf())] == [QUERIES]


def changed(operation: Operation, kind: str) -> Operation:
    """An operation with a row of it changed."""
    name = next(iter(operation.fields), "")
    field = operation.fields.get(name, Field(False, "string"))
    fields = {
        "type": field._replace(kind="number"),
        "required": field._replace(is_required=not field.is_required),
        "words": field._replace(words=(*field.words, "another")),
    }
    if kind == "new":
        return operation._replace(fields={**operation.fields, "new": Field(True, "string")})
    return operation._replace(fields={**operation.fields, name: fields[kind]})


BODIES = [
    name
    for name, operation in operations_of_cf().items()
    if re.fullmatch(rf"\w+ {PROTECTION}", name) and operation.fields
]


@pytest.mark.parametrize("kind", ["type", "required", "words", "new"])
@pytest.mark.parametrize("name", BODIES)
def test_a_changed_row_of_the_program_is_a_difference(name: str, kind: str) -> None:
    operations = operations_of_cf()
    differing = {**operations, name: changed(operations[name], kind)}
    assert [*differences(differing)] != [QUERIES]


def test_an_operation_that_is_added_or_missing_is_a_difference() -> None:
    operations = dict(operations_of_cf())
    name = BODIES[0]
    assert f"{name}/x: the local service has none" in differences({**operations, f"{name}/x": operations[name]})
    del operations[name]
    assert any(
        line.endswith("the program has no such operation") for line in differences(operations) if line != QUERIES
    )


A, Z = "1" * 32, "2" * 32
TCP = f"/accounts/{A}/magic/advanced_tcp_protection/configs"
ENTRY = {"prefix": "192.0.2.0/24", "comment": "", "enabled": True}
RULE = {
    "scope": "global",
    "name": "global",
    "mode": "monitoring",
    "rate_sensitivity": "low",
    "burst_sensitivity": "low",
}
CALLS: list[tuple[str, str, dict[str, Any], Any, list[str]]] = [
    ("GET", f"/zones/{Z}/rulesets", {"per_page": "9"}, None, []),
    ("GET", f"/zones/{Z}/rulesets", {"perpage": "9"}, None, ["no parameter perpage"]),
    ("GET", f"/zones/{Z}/rule_sets", {}, None, ["there is no such operation"]),
    ("PUT", f"{TCP}/allowlist", {}, ENTRY, ["there is no such operation"]),
    ("POST", f"{TCP}/allowlist", {}, ENTRY, []),
    ("POST", f"{TCP}/allowlist", {}, {**ENTRY, "enabled": "yes"}, ["enabled: 'yes' is no boolean"]),
    ("POST", f"{TCP}/allowlist", {}, {"prefix": "192.0.2.1", "comment": ""}, ["enabled: it is missing"]),
    ("POST", f"{TCP}/allowlist", {}, {**ENTRY, "note": ""}, ["note: there is no such field"]),
    ("POST", f"{TCP}/syn_protection/rules", {}, RULE, []),
    ("POST", f"{TCP}/syn_protection/rules", {}, {**RULE, "mode": "off"}, ["mode: 'off' is none of ('enabled', 'disabled', 'monitoring')"]),
    ("POST", f"/accounts/{A}/rules/lists", {}, {"kind": "ip"}, ["name: it is missing"]),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "query", "body", "faults"), CALLS)
def test_calls_are_read_strictly(method: str, path: str, query: dict[str, Any], body: Any, faults: list[str]) -> None:
    """They judge the calls of test_idempotence.py."""
    call = Call(1, method, path, query, body, {}, None, None, 0)
    assert faults_in([call]) == [f"{method} {path}: {fault}" for fault in faults]

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declared resources against the contract: what an option takes Cloudflare takes, and the other way round."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rulesets import rules_of_ruleset
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import ITEM_FIELDS, items_of
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import BY_NAME
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import (
    ByCursor,
    Field,
    InFiles,
    Resource,
    Write,
)
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from jsonschema_path import SchemaPath

from tests.fake_service.contract import Contract

SPEC = Contract.shared().spec
PLACEHOLDER = re.compile(r"\{\w+\}")
PATHS = {PLACEHOLDER.sub("{}", path): item for path, item in (SPEC / "paths").str_items()}
RESOURCES = [
    *(resource for resource in BY_NAME.values() if resource.parent is None),
    *(items_of("office", kind) for kind in ITEM_FIELDS),
    *(rules_of_ruleset(owner, "office") for owner in ("account_id", "zone_id")),
]
# Fields of bodies that no option sets: ids, and parts that Cloudflare gets back as it showed them.
OF_CLOUDFLARE = {"id", "exposed_credential_check", "logging", "ratelimit", "rules"}
# An option takes less: what it names is read, and has a meaning that the contract does not tell.
TAKE_LESS = {"expression", "ip", "hostname", "asn", "prefix", "id", "filter", "action", "ref", "kind", "name"}


class Body(NamedTuple):
    """The body of a write: the declared fields, and the contract of the fields of one object; the contract has them in
    another shape if the resource has a shape."""

    name: str
    fields: tuple[Field, ...]
    write: Write
    schema: SchemaPath
    most: int | None
    has_shape: bool


def bodies() -> Iterator[Body]:
    for resource in RESOURCES:
        if isinstance(resource.listing, InFiles):
            continue
        for action in ("create", "update"):
            write: Write | None = getattr(resource, action)
            if write:
                yield body_of(
                    f"{action} {resource.name} {''.join(resource.key)}", resource, resource.path, resource.fields, write
                )
        if resource.nested:
            fields = resource.field(resource.nested.field).fields
            yield body_of(resource.nested.field, resource, resource.nested.path, fields, resource.nested.write)


def body_of(name: str, resource: Resource, path: str, fields: tuple[Field, ...], write: Write) -> Body:
    alone = "/{}" if write.by_id and write.batch == 1 else ""
    operation = PATHS[PLACEHOLDER.sub("{}", f"/{path}{write.suffix}") + alone] / write.method.lower()
    schema = operation / "requestBody" / "content" / "application/json" / "schema"
    most = (schema / "maxItems").read_value() if "maxItems" in schema else None
    if resource.is_ordered:
        schema = schema / "properties" / "rules"
    schema = schema / "items" if "items" in schema else schema
    has_shape = resource.shape is not None and not isinstance(resource.listing, ByCursor)
    return Body(name, fields, write, schema / "properties", most, has_shape)


BODIES = [*bodies()]


def plain(schema: SchemaPath) -> dict[str, Any]:
    """A schema without references."""
    value = dict(schema.read_value())
    if "items" in value:
        value["items"] = plain(schema / "items")
    if "properties" in value:
        value["properties"] = {name: plain(part) for name, part in (schema / "properties").str_items()}
    return value


def samples(schema: dict[str, Any]) -> list[Any]:
    """Values at the edges of a schema, on both sides."""
    if schema.get("type") == "array":
        items = [*samples(schema["items"])]
        return [[], *([item] for item in items), *([item, item] for item in items)]
    if schema.get("type") == "object":
        return []
    if schema.get("type") == "boolean":
        return [True, False]
    edges = {schema[name] + more for name in ("minimum", "maximum") if name in schema for more in (-1, 0, 1)}
    lengths = {0, 1, 2000, *(schema.get(name, 0) + more for name in ("minLength", "maxLength") for more in (0, 1))}
    letters = [letter * length for length in sorted({*lengths, 50, 51}) for letter in ("a", "Z", "-")]
    texts = [*letters, " ", "a b", "a\n", "_", "9", *schema.get("enum", ()), "other"]
    return [*sorted(edges), *([] if "integer" in schema.get("type", ()) else texts)]


def sent(field: Field, value: Any) -> Any:
    """What is sent for a value of a task; raises ValueError if it is refused."""
    choices = field.value.option.get("choices")
    parts = value if isinstance(value, list) else [value]
    if choices and not all(part in choices for part in parts):
        raise ValueError("not among the choices")
    parsed = field.value.parse(value)
    field.value.examine(parsed)
    return parsed


@pytest.mark.parametrize("body", BODIES, ids=[body.name for body in BODIES])
def test_the_fields_of_a_body_are_those_of_the_contract(body: Body) -> None:
    known = {name for name, _part in body.schema.str_items()}
    declared = {field.name for field in body.fields}
    update = body.name.startswith("update")  # in which the key goes by the path, or does not change
    if body.has_shape:
        return
    others = {*ITEM_FIELDS} if body.fields[0] in ITEM_FIELDS.values() else set()  # of lists of another kind
    assert known <= declared | OF_CLOUDFLARE | others
    assert update or declared <= known
    assert body.most is None or body.write.batch <= body.most


@pytest.mark.parametrize("body", BODIES, ids=[body.name for body in BODIES])
def test_an_option_takes_what_the_contract_takes_and_nothing_else(body: Body) -> None:
    by_name = dict(body.schema.str_items())
    for field in [one for one in body.fields if one.name in by_name and not one.fields]:
        schema = plain(by_name[field.name])
        contract = Draft202012Validator(schema)
        for value in samples(schema):
            is_valid = contract.is_valid(value)
            try:
                parsed = sent(field, value)
            except ValueError:
                assert not is_valid or field.name in TAKE_LESS, (field.name, value)
            else:
                assert contract.is_valid(parsed), (field.name, value)
                assert is_valid or parsed != value, (field.name, value)


@pytest.mark.parametrize("resource", [one for one in RESOURCES if one.page_size], ids=lambda one: str(one.name))
def test_pages_are_as_long_as_the_contract_allows(resource: Resource) -> None:
    operation = PATHS[PLACEHOLDER.sub("{}", f"/{resource.path}")] / "get"
    (size,) = (one / "schema" for one in operation / "parameters" if (one / "name").read_str() == "per_page")
    assert Draft202012Validator(plain(size)).is_valid(resource.page_size)

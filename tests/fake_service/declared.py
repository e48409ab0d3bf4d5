# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain objects of accounts and zones, a row each: state documents, routes and the contract follow from the rows.

A setting is one object, which is read and changed. A list has objects that are created, changed and deleted one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from .clock import Clock
from .identity import content_name, new_id

Item = dict[str, Any]


class Declared(NamedTuple):
    """A setting or a list: its name in state documents, its path with the name of the owner's id, and the permission.

    `fields` are those that calls may set, each with its schema in the contract; `required` of them stand in every body that
    creates an object or is a setting's. `defaults` are the setting as it is at first, or the fields of an object that is
    created without them. `method` is that of changes: a PUT replaces all fields, a PATCH those that it names.
    """

    name: str
    path: str
    permission: str
    fields: Mapping[str, Mapping[str, Any]]
    defaults: Mapping[str, Any]
    required: Sequence[str] = ()
    is_list: bool = False
    method: str = "PATCH"

    @property
    def owner(self) -> str:
        """The name of the owner's id in the path."""
        return "account_id" if self.path.startswith("accounts/") else "zone_id"

    @property
    def item_path(self) -> str:
        """The path of one object of a list."""
        return f"{self.path}/{{item_id}}"

    def initial(self) -> Any:
        """What an owner has of it at first."""
        return [] if self.is_list else dict(deepcopy(self.defaults))

    def item(self, fields: Mapping[str, Any], clock: Clock) -> Item:
        """A whole object of a list; raises ValueError for a field that it does not have."""
        unknown = fields.keys() - self.defaults.keys() - {"id"}
        if unknown:
            raise ValueError(f"{self.name} have no {', '.join(sorted(unknown))}")
        whole = {**deepcopy(dict(self.defaults)), **fields}
        stamp(whole, clock)
        return {"id": new_id(self.name, content_name(fields)), **whole}


DECLARED: Sequence[Declared] = (
    Declared(
        name="security_level",
        path="zones/{zone_id}/settings/security_level",
        permission="Zone Settings",
        fields={"value": {"enum": ["off", "essentially_off", "low", "medium", "high", "under_attack"]}},
        required=("value",),
        defaults={"id": "security_level", "value": "medium", "editable": True, "modified_on": None},
    ),
)


def declared_of(owner: str) -> list[Declared]:
    """The rows of accounts or zones, by the name of their id in paths."""
    return [row for row in DECLARED if row.owner == owner]


def initial_objects(owner: str) -> dict[str, Any]:
    """What a new account or zone has of all of them, by name."""
    return {row.name: row.initial() for row in declared_of(owner)}


def seed_objects(objects: dict[str, Any], contents: Mapping[str, Any], clock: Clock, owner: str) -> None:
    """Add what a state document has of them: fields to a setting, objects to a list."""
    for row in declared_of(owner):
        if row.name not in contents:
            continue
        if row.is_list:
            objects[row.name].extend(row.item(fields, clock) for fields in contents[row.name])
        else:
            objects[row.name].update(contents[row.name])


def stamp(obj: Item, clock: Clock) -> None:
    """Note the time of a change in an object that shows it."""
    if "modified_on" in obj:
        obj["modified_on"] = clock.timestamp()


def contract_paths() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The paths of the contract, each with its operations."""
    for row in DECLARED:
        # An answer may have words of the future.
        shown = _answer({"type": "object", "required": [*row.defaults]})
        every_field = row.required if row.method == "PUT" or not row.is_list else ()
        change = _operation(f"Change what {row.name} names", shown, _body(row, every_field, row.is_list))
        owner = {"$ref": f"openapi/parameters.yaml#/{row.owner}"}
        if not row.is_list:
            reading = _operation(f"Read {row.name}", shown)
            yield f"/{row.path}", {"parameters": [owner], "get": reading, row.method.lower(): change}
            continue
        listing = _operation(f"List {row.name}", _answer({"type": "array", "items": {"type": "object"}}))
        creation = _operation(f"Create one of {row.name}", shown, _body(row, row.required))
        yield f"/{row.path}", {"parameters": [owner], "get": listing, "post": creation}
        item = {"$ref": "openapi/parameters.yaml#/item_id"}
        deletion = _operation(f"Delete one of {row.name}", {"$ref": "openapi/answers.yaml#/Deleted"})
        yield f"/{row.item_path}", {"parameters": [owner, item], row.method.lower(): change, "delete": deletion}


def _operation(summary: str, answer: Item, body: Item | None = None) -> Item:
    """An operation of the contract."""
    responses = {"200": answer, "default": {"$ref": "openapi/answers.yaml#/Refused"}}
    operation: Item = {"summary": summary, "responses": responses}
    if body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return operation


def _body(row: Declared, required: Sequence[str], with_id: bool = False) -> Item:
    """The schema of a body, which has no other fields; a whole object that comes back may have its id."""
    fields = {**row.fields, **({"id": {"type": "string"}} if with_id else {})}
    return {"type": "object", "required": [*required], "properties": fields, "additionalProperties": False}


def _answer(result: Item) -> Item:
    """An answer in the envelope, with the schema of its result."""
    schema = {"allOf": [{"$ref": "openapi/envelope.yaml#/Success"}, {"properties": {"result": result}}]}
    return {"description": "Done", "content": {"application/json": {"schema": schema}}}

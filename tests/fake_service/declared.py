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
    """A setting or a list: its name in state documents, and its path with the name of the owner's id.

    `contract` names an entry of a file below openapi; that of a list has the entries `collection` and `item` below it.
    `defaults` are the setting as it is at first, or the fields of an object that is created without them. `method` is
    that of changes: a PUT replaces all fields, a PATCH those that it names.
    """

    name: str
    path: str
    area: str
    contract: str
    defaults: Mapping[str, Any]
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
        area="zone_settings",
        contract="settings.yaml#/security_level",
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


def contract_paths() -> Iterator[tuple[str, str]]:
    """The paths of the contract, each with the entry that describes it."""
    for row in DECLARED:
        if row.is_list:
            yield f"/{row.path}", f"openapi/{row.contract}/collection"
            yield f"/{row.item_path}", f"openapi/{row.contract}/item"
        else:
            yield f"/{row.path}", f"openapi/{row.contract}"

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A nested object that several objects have: its changes are merged, and each of these objects
shows all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, Hashable, Iterable, Mapping, Sequence

from .._errors import OptionError
from .._schema.resource import Key, Object, Resource, Values
from .._text import Message, Option
from .plan import Operation, Returned, differences, overlay

Merged = Dict[Hashable, Dict[str, Any]]  # values of nested objects, by the normalised id of each


def merge_nested(
    resource: Resource,
    objects: Mapping[Key, Values],
    paths: Mapping[Key, Option],
    existing: Mapping[Key, Object],
) -> Merged:
    """The values that a task names for nested objects, by id; raises OptionError where two entries
    contradict.

    Without `existing` objects it knows the nested objects whose ids the task names.
    """
    merged: Merged = {}
    sources: dict[tuple[Hashable, str], Option] = {}
    for key, values in objects.items():
        identity = nested_id(resource, values) or nested_id(resource, existing.get(key))
        if identity is None or not resource.nested or not values.get(resource.nested.field):
            continue
        field = resource.field(resource.nested.field)
        desired, path = values[field.name], paths[key].at(field.name)
        known = merged.setdefault(identity, {})
        for name in differences(
            [item for item in field.fields if item.name in known], known, desired
        ):
            about = f"; both entries are about the {field.name} {identity}. Keep one of them"
            problem = Message("it contradicts ", sources[identity, name], about)
            raise OptionError(path.at(name), problem)
        for name in desired:
            sources.setdefault((identity, name), path.at(name))
            # Of several spellings of one value, the same is taken in whatever order the entries
            # come.
            known[name] = min(known.get(name, desired[name]), desired[name], key=repr)
    return merged


def unread_nested(
    resource: Resource, objects: Iterable[Values], existing: Sequence[Object]
) -> list[str]:
    """The ids of the nested objects that a task names, and that no existing object has."""
    named, known = ({nested_id(resource, obj) for obj in some} for some in (objects, existing))
    return sorted(map(str, named - known - {None}))


def share_nested(
    resource: Resource,
    merged: Merged,
    existing: Sequence[Object],
    operations: Sequence[Operation],
    others: Sequence[Object] = (),
) -> list[Operation]:
    """The operations, each with its nested object as all of them leave it, and with the objects
    that change along.

    `others` are nested objects that the operations name, and that no existing object has.
    """
    if not resource.nested:
        return list(operations)
    field = resource.field(resource.nested.field)
    known: dict[Hashable, Object] = {}
    for obj in (*existing, *({field.name: nested} for nested in others)):
        known.setdefault(nested_id(resource, obj), obj.get(field.name) or {})
    changes = {key: differences(field.fields, known.get(key), merged[key]) for key in merged}
    final = {key: overlay(field.fields, known.get(key, {}), changes[key]) for key in changes}
    along: dict[Hashable, list[Operation]] = {}
    own = {operation.index for operation in operations}
    for index, obj in enumerate(existing):
        identity = nested_id(resource, obj)
        if changes.get(identity) and index not in own:
            shared = {field.name: final[identity]}
            other = Operation("update", resource, {}, obj, index, shared=shared)
            along.setdefault(identity, []).append(other)
    planned: list[Operation] = []
    for operation in operations:
        identity = nested_id(resource, operation.fields) or nested_id(resource, operation.existing)
        beside = along.pop(identity, []) if field.name in operation.fields else []
        shared = {field.name: final[identity]} if identity in final else {}
        planned.append(replace(operation, shared=shared, along=tuple(beside)))
    return planned


def spread_nested(returned: Returned) -> dict[Operation, Object]:
    """Objects that Cloudflare returned, with its last answer on a nested object in every object
    that has it."""
    every = dict(returned)
    for operation in returned:
        every.update({other: other.planned or {} for other in operation.along})
    last = {nested_id(operation.resource, obj): obj for operation, obj in returned.items()}
    for operation, obj in every.items():
        nested, identity = operation.resource.nested, nested_id(operation.resource, obj)
        if nested and identity in last and identity is not None:
            every[operation] = {**obj, nested.field: last[identity][nested.field]}
    return every


def nested_id(resource: Resource, obj: Object | None) -> Hashable:
    """The normalised id of the nested object of `obj`; None where it names none."""
    nested = (obj or {}).get(resource.nested.field) if resource.nested else None
    if not resource.nested or not isinstance(nested, Mapping):
        return None
    fields = resource.field(resource.nested.field).fields
    return next(item for item in fields if item.name == "id").normalised(nested) or None

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
from .._schema.resource import Field, Key, Object, Resource, Values
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
    if not resource.nested:
        return merged
    field = resource.field(resource.nested.field)
    for key, values in objects.items():
        desired = values.get(field.name)
        identity = _identity(field, values) or _identity(field, existing.get(key))
        if not isinstance(desired, Mapping) or identity is None:
            continue
        known = merged.setdefault(identity, {})
        path = paths[key].at(field.name)
        contradicting = differences(
            [item for item in field.fields if item.name in known], known, desired
        )
        for name in contradicting:
            other = sources[identity, name]
            about = f"; both entries are about the {field.name} {identity}. Keep one of them"
            raise OptionError(path.at(name), Message("it contradicts ", other, about))
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
    if not resource.nested:
        return []
    field = resource.field(resource.nested.field)
    named = {_identity(field, values) for values in objects}
    return sorted(map(str, named - {_identity(field, obj) for obj in existing} - {None}))


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
    for obj in existing:
        known.setdefault(_identity(field, obj), obj.get(field.name) or {})
    for nested in others:
        known.setdefault(_identity(field, {field.name: nested}), nested)
    changes = {
        key: differences(field.fields, known.get(key), values) for key, values in merged.items()
    }
    final = {
        key: overlay(field.fields, known.get(key, {}), values) for key, values in changes.items()
    }
    along: dict[Hashable, list[Operation]] = {}
    own = {operation.index for operation in operations}
    for index, obj in enumerate(existing):
        identity = _identity(field, obj)
        if changes.get(identity) and index not in own:
            other = Operation(
                "update", resource, {}, obj, index, shared={field.name: final[identity]}
            )
            along.setdefault(identity, []).append(other)
    shared: list[Operation] = []
    for operation in operations:
        identity = _identity(field, operation.fields) or _identity(field, operation.existing)
        if identity in final:
            beside = along.pop(identity, []) if field.name in operation.fields else []
            operation = replace(
                operation, shared={field.name: final[identity]}, along=tuple(beside)
            )
        shared.append(operation)
    return shared


def spread_nested(returned: Returned) -> dict[Operation, Object]:
    """What Cloudflare returned, with its last answer on a nested object in every object that has
    it."""
    every = dict(returned)
    for operation in returned:
        every.update({other: other.planned or {} for other in operation.along})
    last = {_nested_of(operation, obj): obj for operation, obj in returned.items()}
    for operation, obj in every.items():
        nested = _nested_of(operation, obj)
        if nested and nested in last:
            name = nested[1]
            every[operation] = {**obj, name: last[nested][name]}
    return every


def _nested_of(operation: Operation, obj: Object) -> tuple[str, str, Hashable] | None:
    """What tells the nested object of an object from others; None where it has none."""
    resource = operation.resource
    if not resource.nested:
        return None
    identity = _identity(resource.field(resource.nested.field), obj)
    return None if identity is None else (resource.plural, resource.nested.field, identity)


def _identity(field: Field, obj: Object | None) -> Hashable:
    """The normalised id of the nested object of `obj`; None where it names none."""
    nested = (obj or {}).get(field.name)
    identity = next(item for item in field.fields if item.name == "id")
    return (identity.normalised(nested) or None) if isinstance(nested, Mapping) else None

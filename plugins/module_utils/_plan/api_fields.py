# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields of an object that the collection does not declare: what they are, and how a task sets
them.

Objects of an ordered list are sent as a whole, so that such fields can be sent too. A task gives
them in `api_fields`, with the names and values of the API.
"""

from __future__ import annotations

from typing import Any, Container, Mapping, Sequence

from .._errors import OptionError
from .._schema.resource import API_FIELDS, Object, OptionSpec, Resource, Values, without
from .._text import Message, Option
from .._values.kinds import same_value


def undeclared(resource: Resource, obj: Object) -> dict[str, Any]:
    """The part of an object that no option describes, without what only Cloudflare sets; of a
    declared field with suboptions, what these do not describe."""
    rest = _split(resource.field_options, obj)[1]
    if resource.nested and resource.nested.field in rest:
        inner = without(rest.pop(resource.nested.field), *resource.read_only)
        rest.update({resource.nested.field: inner} if inner else {})
    return without(rest, *resource.assigned)


def declared(resource: Resource, obj: Object) -> dict[str, Any]:
    """The part of an object that options describe."""
    return _split(resource.field_options, obj)[0]


def _split(spec: OptionSpec, obj: Object) -> tuple[dict[str, Any], dict[str, Any]]:
    known: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for name, value in obj.items():
        suboptions = spec.get(name, {}).get("options")
        if name not in spec:
            rest[name] = value
        elif suboptions and isinstance(value, Mapping):
            known[name], inner = _split(suboptions, value)
            rest.update({name: inner} if inner else {})
        elif suboptions and isinstance(value, (list, tuple)):
            known[name] = [
                _split(suboptions, item)[0] if isinstance(item, Mapping) else item for item in value
            ]
        else:
            known[name] = value
    return known, rest


def with_api_fields(
    resource: Resource, path: Option, values: Values, fields: Mapping[str, Any]
) -> dict[str, Any]:
    """The values of a task with its `api_fields` laid over them; raises OptionError for a field
    that has an option, or that only Cloudflare sets."""
    option = path.at(API_FIELDS)
    for name in fields:
        if name in resource.assigned:
            raise OptionError(option, f"only Cloudflare sets {name}; leave it out")
    known = _paths_of(_split(resource.field_options, fields)[0])
    if known:
        own = path.at(*known[0])
        raise OptionError(option, Message("there is an option ", own, "; give it there"))
    return overlaid(values, fields)


def _paths_of(known: Mapping[str, Any], path: Sequence[str] = ()) -> list[Sequence[str]]:
    """The paths of the values in a structure; of a dictionary those that it holds."""
    names: list[Sequence[str]] = []
    for name, value in known.items():
        own = [*path, name]
        names += _paths_of(value, own) if isinstance(value, Mapping) else [own]
    return names


def overlaid(values: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """A structure with another one laid over it, dictionary by dictionary."""
    merged = dict(values)
    for name, value in more.items():
        inner = merged.get(name)
        both = isinstance(inner, Mapping) and isinstance(value, Mapping)
        merged[name] = overlaid(inner, value) if both else value  # type: ignore[arg-type]
    return merged


def undeclared_changes(
    declared: Container[str], existing: Object | None, desired: Values
) -> dict[str, Any]:
    """The desired values of fields that are not declared and differ; null for one to remove."""
    return {
        name: value
        for name, value in desired.items()
        if name not in declared and not same_value(value, (existing or {}).get(name))
    }

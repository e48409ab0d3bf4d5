# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields of an object: those with an option, as a task names them, and those that the
collection does not declare.

Objects of an ordered list are sent as a whole, so that such fields can be sent too. A task gives
them in `api_fields`, with the names and values of the API.
"""

from __future__ import annotations

from typing import AbstractSet, Any, Container, Mapping, Sequence

from .._arguments import ReadOptions, errors_in, raise_any_in
from .._errors import OptionError, as_one
from .._schema.resource import API_FIELDS, Field, Object, OptionSpec, Resource, Values, without
from .._text import Message, Option
from .._values.kinds import same_value


def completed_values(
    resource: Resource, path: Option, options: Mapping[str, Any], values: Values
) -> dict[str, Any]:
    """The fields with those that the task does not name; raises OptionError."""
    if options.get(API_FIELDS) and API_FIELDS in resource.extra_options:
        values = with_api_fields(resource, path, values, options[API_FIELDS])
    try:
        return resource.semantics.complete(values)
    except OptionError as exc:
        if exc.errors[0] in errors_in(values):  # which has its whole path
            raise
        raise OptionError(path.at(*exc.option.path), exc.problem) from exc


def read_values(resource: Resource, path: Option, options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an object that the options name, ReadOptions if some are wrong."""
    others = resource.extra_options
    return _read_fields(resource.fields, path, options, resource.title, others)


def _read_fields(
    fields: tuple[Field, ...],
    path: Option,
    options: Mapping[str, Any],
    title: str,
    others: AbstractSet[str] = frozenset(),
) -> dict[str, Any]:
    """The fields that the options name; `others` are the names of other options."""
    values: dict[str, Any] = {}
    errors: list[OptionError] = []
    wrong: set[str] = set()
    is_partial = isinstance(options, ReadOptions)
    for item in fields:
        try:
            option = options.get(item.name)
            if option is None:
                continue
            if item.fields:
                inner = _read_fields(item.fields, path.at(item.name), option, item.name)
                values[item.name] = inner
                errors += errors_in(inner)
            else:
                if is_partial:
                    raise_any_in(options, item.name)
                values[item.name] = item.value.parse(option)
        except ValueError as exc:
            wrong.add(item.name)
            errors.append(OptionError(path.at(item.name), str(exc)))
        except OptionError as exc:
            wrong.add(item.name)
            errors += exc.errors
    unread = [name for name in options if name not in values and options[name] is not None]
    for name in unread:
        if name not in others and all(name != item.name for item in fields):
            errors.append(OptionError(path.at(name), f"{title} has no such field; leave it out"))
    return ReadOptions(values, errors, wrong, len(path)) if errors else values


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
    problems: list[str] = [
        f"only Cloudflare sets {name}; leave it out" for name in fields if name in resource.assigned
    ]
    for known in _paths_of(_split(resource.field_options, fields)[0]):
        problems.append(Message("there is an option ", path.at(*known), "; give it there"))
    if problems:
        raise as_one([OptionError(option, problem) for problem in problems])
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

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
    return _read_fields(
        resource.fields, path, options, resource.title, further_names=resource.extra_options
    )


def _read_fields(
    fields: tuple[Field, ...],
    path: Option,
    options: Mapping[str, Any],
    title: str,
    further_names: AbstractSet[str] = frozenset(),
) -> dict[str, Any]:
    """The fields that the options name; `further_names` are those of options that are no fields."""
    values: dict[str, Any] = {}
    errors: list[OptionError] = []
    wrong: set[str] = set()
    for field in fields:
        name = field.name
        try:
            if options.get(name) is None:
                continue
            values[name] = _read_field(field, path, options)
            if field.fields:
                errors += errors_in(values[name])
        except ValueError as exc:
            wrong.add(name)
            errors.append(OptionError(path.at(name), str(exc)))
        except OptionError as exc:
            wrong.add(name)
            errors += exc.errors
    names = {field.name for field in fields}
    unread = [name for name in options if name not in values and options[name] is not None]
    for name in unread:
        if name not in further_names and name not in names:
            errors.append(OptionError(path.at(name), f"{title} has no such field; leave it out"))
    return ReadOptions(values, errors, wrong, len(path)) if errors else values


def _read_field(field: Field, path: Option, options: Mapping[str, Any]) -> Any:
    """The value of a field that the options name; raises ValueError or OptionError."""
    option = options[field.name]
    if field.fields:
        return _read_fields(field.fields, path.at(field.name), option, field.name)
    if isinstance(options, ReadOptions):
        raise_any_in(options, field.name)
    return field.value.parse(option)


def undeclared(resource: Resource, obj: Object) -> dict[str, Any]:
    """The part of an object that no option describes, without what only Cloudflare sets; of a
    declared field with suboptions, what these do not describe."""
    _declared, remaining = _split(resource.field_options, obj)
    nested = resource.nested
    if nested and nested.field in remaining:
        inner = without(remaining.pop(nested.field), *resource.read_only)
        if inner:
            remaining[nested.field] = inner
    return without(remaining, *resource.assigned)


def declared(resource: Resource, obj: Object) -> dict[str, Any]:
    """The part of an object that options describe."""
    described, _undeclared = _split(resource.field_options, obj)
    return described


def _split(spec: OptionSpec, obj: Object) -> tuple[dict[str, Any], dict[str, Any]]:
    """The part of an object that these options describe, and that which they do not."""
    described: dict[str, Any] = {}
    remaining: dict[str, Any] = {}
    for name, value in obj.items():
        suboptions = spec.get(name, {}).get("options")
        if name not in spec:
            remaining[name] = value
        elif suboptions and isinstance(value, Mapping):
            described[name], inner = _split(suboptions, value)
            if inner:
                remaining[name] = inner
        elif suboptions and isinstance(value, (list, tuple)):
            described[name] = [_described(suboptions, element) for element in value]
        else:
            described[name] = value
    return described, remaining


def _described(spec: OptionSpec, element: Any) -> Any:
    """An element of a list, of a dictionary the part that these options describe."""
    if not isinstance(element, Mapping):
        return element
    described, _remaining = _split(spec, element)
    return described


def with_api_fields(
    resource: Resource, path: Option, values: Values, fields: Mapping[str, Any]
) -> dict[str, Any]:
    """The values of a task with its `api_fields` laid over them; raises OptionError for a field
    that has an option, or that only Cloudflare sets."""
    option = path.at(API_FIELDS)
    problems: list[str] = [
        f"only Cloudflare sets {name}; leave it out" for name in fields if name in resource.assigned
    ]
    described, _remaining = _split(resource.field_options, fields)
    for declared_path in _paths_of(described):
        declared_option = path.at(*declared_path)
        problems.append(Message("there is an option ", declared_option, "; give it there"))
    if problems:
        raise as_one([OptionError(option, problem) for problem in problems])
    return overlaid(values, fields)


def _paths_of(values: Mapping[str, Any], path: Sequence[str] = ()) -> list[Sequence[str]]:
    """The paths of the values in a structure; of a dictionary those that it holds."""
    paths: list[Sequence[str]] = []
    for name, value in values.items():
        value_path = [*path, name]
        if isinstance(value, Mapping):
            paths += _paths_of(value, value_path)
        else:
            paths.append(value_path)
    return paths


def overlaid(values: Mapping[str, Any], overlay: Mapping[str, Any]) -> dict[str, Any]:
    """A structure with another one laid over it, dictionary by dictionary."""
    merged = dict(values)
    for name, value in overlay.items():
        inner = merged.get(name)
        if isinstance(inner, Mapping) and isinstance(value, Mapping):
            value = overlaid(inner, value)
        merged[name] = value
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

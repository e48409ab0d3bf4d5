# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields of an object: those with an option, as a task names them, and those that the
collection does not declare.

Objects of an ordered list are sent as a whole, so that such fields can be sent too. A task gives
them in `api_fields`, with the names and values of the API. A file that was written before a field
was declared has it there, and it counts as the option.
"""

from __future__ import annotations

from typing import AbstractSet, Any, Container, Iterator, Mapping, NamedTuple, Sequence

from .._arguments import ReadOptions, errors_in, raise_any_in, read_value, unless_wrong
from .._errors import OptionError, OptionProblems
from .._schema.resource import API_FIELDS, Field, Object, OptionSpec, Resource, Values, without
from .._text import Message, Option
from .._values.kinds import same_value


def completed_values(
    resource: Resource, path: Option, options: Mapping[str, Any], values: Values
) -> dict[str, Any]:
    """The `values`, completed with the `api_fields`, and with values that the task does not name;
    raises OptionError.
    """
    if options.get(API_FIELDS) and API_FIELDS in resource.extra_options:
        values = overlaid(values, options[API_FIELDS])
    try:
        return resource.semantics.complete(values)
    except OptionError as exc:
        if exc.errors[0] in errors_in(values):  # which has its whole path
            raise
        raise OptionError(path.at(*exc.option.path), exc.problem) from exc


def read_values(resource: Resource, path: Option, options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an object that the options set; a ReadOptions, with the errors, if some are
    wrong.
    """
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
    """The fields that the options set; `further_names` are the names of options that are not
    fields.
    """
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
    if not errors:
        return values
    return ReadOptions(values, errors, wrong, len(path))


def _read_field(field: Field, path: Option, options: Mapping[str, Any]) -> Any:
    """The value of a field that the options set; raises ValueError or OptionError."""
    option = options[field.name]
    if field.fields:
        return _read_fields(field.fields, path.at(field.name), option, field.name)
    if isinstance(options, ReadOptions):
        raise_any_in(options, field.name)
    return field.value.parse(option)


def undeclared(resource: Resource, obj: Object) -> dict[str, Any]:
    """The part of an object that no option describes, without values that only Cloudflare sets. Of
    a declared field with suboptions, the part that these do not describe.
    """
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


def _split(
    spec: OptionSpec, obj: Object, whole_lists: bool = False
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two parts of an object: the part that these options describe, and the rest. With
    `whole_lists`, the elements of lists are not split.
    """
    described: dict[str, Any] = {}
    remaining: dict[str, Any] = {}
    for name, value in obj.items():
        suboptions = spec.get(name, {}).get("options")
        if name not in spec:
            remaining[name] = value
        elif suboptions and isinstance(value, Mapping):
            inner_described, inner = _split(suboptions, value, whole_lists)
            if inner_described or not whole_lists:
                described[name] = inner_described
            if inner:
                remaining[name] = inner
        elif suboptions and isinstance(value, (list, tuple)) and not whole_lists:
            described[name] = [_described_part(suboptions, element) for element in value]
        else:
            described[name] = value
    return described, remaining


def _described_part(spec: OptionSpec, element: Any) -> Any:
    """An element of a list; if it is a dictionary, only the part that these options describe."""
    if not isinstance(element, Mapping):
        return element
    described, _remaining = _split(spec, element)
    return described


class EntryOptions(NamedTuple):
    """The options of an object, and remarks on how they were read."""

    options: Mapping[str, Any]
    remarks: Sequence[Message] = ()


def with_declared_options(
    resource: Resource, path: Option, options: Mapping[str, Any]
) -> EntryOptions:
    """The options of an object, in which each field of `api_fields` that has an option fills it.

    A file that an older version wrote has it there, since the option is younger. What Cloudflare
    alone sets is left out. Raises OptionError for a value that the option does not take, or that
    differs from the one that the option has.
    """
    fields = unless_wrong(options, API_FIELDS)
    if not fields or API_FIELDS not in resource.extra_options:
        return EntryOptions(options)
    if resource.shape:
        fields = resource.shape.lifted(fields)
    for name in fields:
        if name in resource.extra_options.difference(resource.assigned):
            problem = Message("there is the option ", path.at(name), ", which is no field")
            raise OptionError(path.at(API_FIELDS), problem)
    assigned = [name for name in fields if name in resource.assigned]
    declared_fields, undeclared_fields = _split(
        resource.field_options, without(fields, *assigned), whole_lists=True
    )
    if not declared_fields and not assigned:
        return EntryOptions(options)
    completed = {**options, API_FIELDS: undeclared_fields or None}
    completed.update(_filled_options(resource, path, options, _without_nulls(declared_fields)))
    if isinstance(options, ReadOptions):
        completed = options.filled(completed)
    return EntryOptions(completed, [*_remarks_on(path, declared_fields, assigned)])


def _remarks_on(
    path: Option, fields: Mapping[str, Any], assigned: Sequence[str]
) -> Iterator[Message]:
    """A remark on each of the `api_fields` that has an option, or that only Cloudflare sets."""
    api_path = path.at(API_FIELDS)
    for name in assigned:
        yield Message(api_path, f": only Cloudflare sets {name}; it has no effect.")
    for option_path, value in _values_in(fields):
        option = path.at(*option_path)
        if value is None:
            yield Message(api_path, ": there is the option ", option, "; null has no effect.")
        else:
            yield Message(
                api_path, ": there is the option ", option, ", which it fills; move it there."
            )


def _filled_options(
    resource: Resource, path: Option, options: Mapping[str, Any], fields: Mapping[str, Any]
) -> dict[str, Any]:
    """The options with the values of these fields in them; raises OptionError."""
    filled: dict[str, Any] = {}
    problems = OptionProblems()
    for name, value in fields.items():
        option = path.at(name)
        existing = unless_wrong(options, name)
        with problems.collected():
            _check_agreement(option, existing, value, path.at(API_FIELDS))
            whole = _laid_over(existing, value)
            filled[name] = read_value(option, resource.field_options[name], whole)
    problems.raise_any()
    return filled


def _check_agreement(option: Option, existing: Any, value: Any, api_path: Option) -> None:
    """Raise OptionError if an option has one value, and `api_fields` another value for the same
    field.
    """
    if isinstance(existing, Mapping) and isinstance(value, Mapping):
        for name, inner in value.items():
            _check_agreement(option.at(name), existing.get(name), inner, api_path)
    elif existing is not None and not same_value(existing, value):
        problem = Message("it has another value than in ", api_path, "; keep one of them")
        raise OptionError(option, problem)


def _laid_over(existing: Any, value: Any) -> Any:
    """The value of an option after the value from `api_fields` is laid over it."""
    if isinstance(existing, Mapping) and isinstance(value, Mapping):
        return overlaid(existing, value)
    return value


def _values_in(
    values: Mapping[str, Any], path: Sequence[str] = ()
) -> Iterator[tuple[Sequence[str], Any]]:
    """The values in a structure, each with its path; dictionaries are replaced by the values in
    them.
    """
    for name, value in values.items():
        value_path = [*path, name]
        if isinstance(value, Mapping):
            yield from _values_in(value, value_path)
        else:
            yield value_path, value


def _without_nulls(values: Mapping[str, Any]) -> dict[str, Any]:
    """A structure without the fields that are null, dictionary by dictionary."""
    filled: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            inner = _without_nulls(value)
            if inner or not value:
                filled[name] = inner
        elif value is not None:
            filled[name] = value
    return filled


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
    """The desired values of undeclared fields that differ from the existing ones; null for a field
    that is to be removed.
    """
    return {
        name: value
        for name, value in desired.items()
        if name not in declared and not same_value(value, (existing or {}).get(name))
    }

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The state of an account or zone as roles know it: its collections with what they hold, and its
objects as options."""

from __future__ import annotations

from itertools import chain
from typing import Any, Container, Iterable, Iterator, Mapping, Sequence

from .._arguments import read_options
from .._errors import OptionError, as_one
from .._plan.api_fields import declared, undeclared, undeclared_changes
from .._plan.desired import check_values, parse_desired
from .._plan.plan import differences
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.firewall_rules import has_deleted_filter
from .._schema.registry import BY_PLURAL, MANAGED
from .._schema.resource import API_FIELDS, CONTENTS, OWNERS, Object, Resource, State, Values
from .._text import Option
from .._values.kinds import FLAG


def collections_of(plurals: Container[str], owners: Container[str] = OWNERS) -> list[Resource]:
    """The collections with these plurals, in the order of the registry; if rulesets are among them,
    the rules that may deploy rulesets are added.
    """
    by_plural: dict[str, Resource] = {}
    for managed in MANAGED:
        whole = managed.resource
        if whole.plural in plurals and whole.owner in owners:
            by_plural.update({resource.plural: resource for resource in whole.collections})
    return [*by_plural.values()]


def all_inside(holders: Iterable[Resource], state: State) -> list[Resource]:
    """The items of all lists of a state, and the rules of all its rulesets."""
    return [*chain.from_iterable(holder.contents_in(state) for holder in holders)]


def whole_state(state: State) -> dict[str, Sequence[Object]]:
    """A state in the form of files: each list has its items in it, and each ruleset its rules and
    its deployment, as far as these were read.
    """
    whole: dict[str, Sequence[Object]] = {}
    for plural, objects in state.items():
        if plural not in BY_PLURAL:
            continue
        holder = BY_PLURAL[plural].collections[0]
        contents = holder.contents_in(state)
        if holder.contents and all(resource.plural in state for resource in contents):
            objects = [
                holder.semantics.assembled(obj, state) for obj in holder.our_objects_in(state)
            ]
            if holder.holds_rules:
                objects = [_with_rules_as_options(obj) for obj in objects]
        whole[plural] = objects
    return whole


def _with_rules_as_options(ruleset: Object) -> Object:
    return {**ruleset, CONTENTS: [_as_options(rule) for rule in ruleset[CONTENTS]]}


def _as_options(rule: Object) -> dict[str, Any]:
    options = dict(declared(CUSTOM_RULES, rule))
    api_fields = undeclared(CUSTOM_RULES, rule)
    if api_fields:
        options[API_FIELDS] = api_fields
    return options


def options_for(resource: Resource, obj: Object) -> dict[str, Any]:
    """The options that describe an object as it is, so that a module with them changes nothing.
    Fields without an option are in `api_fields` if the resource has that option, and left out
    otherwise. Fields without effect are left out, such as the products in a rule that blocks.
    """
    obj = resource.semantics.describable(obj)
    fields = resource.declared_values(declared(resource, obj))
    normalised = resource.semantics.normalise(fields, fields, frozenset())
    options = {
        name: _without_null_fields(value)
        for name, value in fields.items()
        if value is not None and name in normalised
    }
    if resource.nested:
        nested_field = resource.nested.field
        if not options.get(nested_field) or has_deleted_filter(obj):
            options.pop(nested_field, None)
    if "priority" in fields and fields["priority"] is None:
        options["priority"] = ""  # the option's way to say that a rule has none
    if resource.is_ordered:
        api_fields = undeclared(resource, obj)
        api_fields = {name: value for name, value in api_fields.items() if value is not None}
        if api_fields:
            options[API_FIELDS] = api_fields
    return options


def why_not_described(resource: Resource, obj: Object, options: Mapping[str, Any]) -> str:
    """The reason why the options do not describe an object; empty if they do, so that a module with
    these options changes nothing."""
    if not resource.key:  # a single object must be known for sure
        for field in resource.fields:
            value = options.get(field.name)
            if field.value is FLAG and isinstance(value, str):
                return f"{field.name} is {value!r}"
    checked_options = read_options(resource.options, options)
    if checked_options.errors:
        return as_one(checked_options.errors).message
    task_fields = {name: value for name, value in checked_options.items() if value is not None}
    try:
        desired = parse_desired(resource, [(Option(), task_fields)])
        check_values([desired])
    except OptionError as exc:
        return exc.message
    ((key, values),) = desired.objects.items()
    names: list[str] = []
    if not resource.key:
        names += _fields_without_options(resource, obj, task_fields)
    if key != resource.key_of(obj):
        names += resource.key
    names += differences(resource.mutable, obj, values)
    names += undeclared_changes(resource.fields_by_name, obj, values)
    names += _unlike_default(resource, obj, values)
    return "; ".join(f"no option stands for {name}: {obj.get(name)!r}" for name in names)


def _fields_without_options(resource: Resource, obj: Object, options: Values) -> list[str]:
    """The fields of a single object that no option describes. A field that an object lacks is no
    such field: its owner does not have that feature.
    """
    names = [field.name for field in resource.fields if field.name not in options]
    if resource.is_whole and options:
        return [name for name in names if obj.get(name) is not None]
    return names


def _unlike_default(resource: Resource, obj: Object, values: Values) -> Iterator[str]:
    """The fields that these values leave out although their default differs from the object's
    value.
    """
    for field in resource.mutable:
        if field.default is None or field.name in values:
            continue
        if field.normalised(obj) != field.value.normalise(field.default):
            yield field.name


def _without_null_fields(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    filled = {name: field for name, field in value.items() if field is not None}
    return {name: _without_null_fields(field) for name, field in filled.items()}


def name_of(resource: Resource, obj: Object) -> str:
    """The title of an object in sentences, with its id if that is not its key."""
    title = resource.title_of(obj)
    if not obj.get("id") or not resource.key or "id" in resource.key:
        return title
    return f"{title} (id {obj['id']})"

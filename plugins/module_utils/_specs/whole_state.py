# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The state of an account or zone as roles know it: its collections with what they hold, and its
objects as options."""

from __future__ import annotations

from typing import Any, Container, Iterable, Mapping, Sequence

from .._arguments import read_options
from .._errors import OptionError, as_one
from .._plan.api_fields import declared, undeclared, undeclared_changes
from .._plan.desired import check_values, parse_desired
from .._plan.plan import differences
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.registry import BY_PLURAL, MANAGED
from .._schema.resource import API_FIELDS, CONTENTS, OWNERS, Object, Resource, State
from .._text import Option
from .._values.kinds import FLAG


def collections_of(plurals: Container[str], owners: Container[str] = OWNERS) -> list[Resource]:
    """The collections of a state, in the order of the registry: rulesets with the rules that may
    deploy them."""
    named = [item.resource for item in MANAGED if item.resource.plural in plurals]
    every = [one for item in named if item.owner in owners for one in item.collections]
    return [*{one.plural: one for one in every}.values()]


def all_inside(holders: Iterable[Resource], state: State) -> list[Resource]:
    """The items of all lists of a state, and the rules of all its rulesets."""
    return [one for holder in holders for one in holder.contents_in(state)]


def whole_state(state: State) -> dict[str, Sequence[Object]]:
    """A state as files have it: lists with their items, and rulesets with their rules and their
    deployment; no others are without them."""
    whole: dict[str, Sequence[Object]] = {}
    for plural in (plural for plural in state if plural in BY_PLURAL):
        holder = BY_PLURAL[plural].collections[0]
        whole[plural] = state[plural]
        if holder.contents and all(one.plural in state for one in holder.contents_in(state)):
            objects = [
                holder.semantics.assembled(obj, state) for obj in holder.our_objects_in(state)
            ]
            whole[plural] = [
                {**obj, CONTENTS: [*map(_as_options, obj[CONTENTS])]} if holder.holds_rules else obj
                for obj in objects
            ]
    return whole


def _as_options(rule: Object) -> dict[str, Any]:
    rest = undeclared(CUSTOM_RULES, rule)
    return {**declared(CUSTOM_RULES, rule), **({API_FIELDS: rest} if rest else {})}


def options_for(resource: Resource, obj: Object) -> dict[str, Any]:
    """The options under which a module leaves an object as it is, in the order of the declaration.

    Fields without an option stand in `api_fields` if the resource takes it, and else are left out;
    so are those that mean nothing beside the others, such as products of a rule that blocks.
    """
    obj = resource.semantics.describable(obj)
    known = resource.declared_values(declared(resource, obj))
    meant = resource.semantics.normalise(known, known, frozenset())
    options = {
        name: _without_nulls(value)
        for name, value in known.items()
        if value is not None and name in meant
    }
    if resource.nested and not (options.get(resource.nested.field) or {}).get("expression"):
        options.pop(resource.nested.field, None)  # a filter that is deleted
    if "priority" in known and known["priority"] is None:
        options["priority"] = ""  # the option's way to say that a rule has none
    rest = undeclared(resource, obj) if resource.is_ordered else {}
    rest = {name: value for name, value in rest.items() if value is not None}
    return {**options, API_FIELDS: rest} if rest else options


def why_not_described(resource: Resource, obj: Object, options: Mapping[str, Any]) -> str:
    """The reason why the options do not describe an object; an empty text if they do, so that a
    module which gets them changes nothing."""
    flags = [item.name for item in resource.fields if item.value is FLAG]
    texts = [name for name in flags if isinstance(options.get(name), str)]
    if not resource.key and texts:  # a single object must be known for sure
        return f"{texts[0]} is {options[texts[0]]!r}"
    read = read_options(resource.options, options)
    if read.errors:
        return as_one(read.errors).message
    try:
        named = {name: value for name, value in read.items() if value is not None}
        desired = parse_desired(resource, [(Option(), named)])
        check_values([desired])
    except OptionError as exc:
        return exc.message
    ((key, values),) = desired.objects.items()
    changed = [
        *(item.name for item in resource.fields if not resource.key and item.name not in named),
        *([] if key == resource.key_of(obj) else resource.key),
        *differences(resource.mutable, obj, values),
        *undeclared_changes(resource.fields_by_name, obj, values),
        *(  # which the object lacks, and a new one with these values would have
            item.name
            for item in resource.mutable
            if item.default is not None
            and item.name not in values
            and item.normalised(obj) != item.value.normalise(item.default)
        ),
    ]
    return "; ".join(f"no option stands for {name}: {obj.get(name)!r}" for name in changed)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    return value


def name_of(resource: Resource, obj: Object) -> str:
    """An object in sentences, with an id that is not its key."""
    is_shown = obj.get("id") and resource.key and "id" not in resource.key
    return f"{resource.title_of(obj)} (id {obj['id']})" if is_shown else resource.title_of(obj)

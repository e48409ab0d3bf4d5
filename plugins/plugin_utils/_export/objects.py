# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Single objects of Cloudflare as options of the modules: which part of an object they describe,
and why they do not describe it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._plan.api_fields import (
    declared,
    undeclared,
    undeclared_changes,
)
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.diff import differences
from ansible_collections.edgeops.protection.plugins.module_utils._plan.validate import examine
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import (
    API_FIELDS,
    Object,
    Resource,
)
from ansible_collections.edgeops.protection.plugins.module_utils._specs.arguments import validate
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import object_options
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

from .._plain import plain


def options_for(resource: Resource, obj: Object) -> dict[str, Any]:
    """The options under which a module leaves an object as it is, in the order of the declaration.

    Fields without an option stand in `api_fields` if the resource takes it, and else are left out.
    """
    known = resource.managed(declared(resource, plain(obj)))
    options = {name: _without_nulls(value) for name, value in known.items() if value is not None}
    if resource.nested and not (options.get(resource.nested.field) or {}).get("expression"):
        options.pop(resource.nested.field, None)  # a filter that is deleted
    if "priority" in known and known["priority"] is None:
        options["priority"] = ""  # the option's way to say that a rule has none
    rest = unknown_fields(resource, obj) if resource.list_field else {}
    rest = {name: value for name, value in rest.items() if value is not None}
    return {**options, API_FIELDS: rest} if rest else options


def unknown_fields(resource: Resource, obj: Object) -> dict[str, Any]:
    """The part of an object for which there is no option."""
    return undeclared(resource, plain(obj))


def why_not_described(resource: Resource, obj: Object, options: Mapping[str, Any]) -> str:
    """Why the options do not describe an object; an empty text if they do, so that a module which
    gets them changes nothing."""
    texts = [item.name for item in resource.fields if isinstance(options.get(item.name), str)]
    if not resource.key and texts:  # a single object must be known for sure
        return f"{texts[0]} is {options[texts[0]]!r}"
    validated, error = validate(object_options(resource), resource.name, options)
    if error:
        return error
    try:
        named = {name: value for name, value in validated.items() if value is not None}
        desired = parse_desired(resource, [(Option(), named)])
        examine([desired])
    except OptionError as exc:
        return exc.message
    ((key, values),) = desired.objects.items()
    existing = plain(obj)
    changed = [
        *(item.name for item in resource.fields if not resource.key and item.name not in named),
        *([] if key == resource.key_of(existing) else resource.key),
        *differences(resource.mutable, existing, values),
        *undeclared_changes(resource, existing, values),
        *_made_otherwise(resource, existing, values),
    ]
    return "; ".join(f"no option stands for {name}: {existing.get(name)!r}" for name in changed)


def _made_otherwise(resource: Resource, obj: Object, values: Mapping[str, Any]) -> list[str]:
    """The fields that an object lacks, and that a new one made with these values would have."""
    return [
        item.name
        for item in resource.mutable
        if item.default is not None
        and item.name not in values
        and item.normalised(obj) != item.value.normalise(item.default)
    ]


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    return value

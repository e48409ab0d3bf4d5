# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations of a plan for people: what each object is called, and what each of its fields is
now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ansible_collections.edgeops.protection.plugins.module_utils._schema import account
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import (
    CUSTOM_RULES,
    FIREWALL_RULES,
)

from .record import Difference

RESOURCES = {
    resource.name: resource for resource in (*account.RESOURCES, CUSTOM_RULES, FIREWALL_RULES)
}


class FieldChange(NamedTuple):
    """A field that an operation sets: its path, such as `filter.expression`, and its values."""

    path: str
    exists: bool  # whether the object has a value now
    before: Any
    after: Any


def differences(results: Mapping[str, Mapping[str, Any]]) -> list[Difference]:
    """The operations of the results by module."""
    return [
        _difference(module, operation, result.get("diff") or {})
        for module, result in results.items()
        for operation in result.get("operations") or ()
    ]


def field_changes(operation: Mapping[str, Any]) -> list[FieldChange]:
    """The fields of an operation that say something: no empty value of a new object, and not its
    key again."""
    before = dict(flattened(operation["before"]))
    return [
        FieldChange(path, path in before, before.get(path), value)
        for path, value in flattened(operation["fields"])
        if path in before or (value not in ("", None) and value != operation["key"])
    ]


def rule_name(key: str, obj: Mapping[str, Any]) -> str:
    """What people call an object: its description where its key is an id of Cloudflare, or says
    less."""
    description = obj.get("description")
    if not description or description == key:
        return key
    return str(description) if obj.get("id") == key else f"{key} ({description})"


def sides(diff: Mapping[str, Any], plural: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The objects of a collection before and after, by key."""
    before, after = ((diff.get(side) or {}).get(plural) or {} for side in ("before", "after"))
    return before, after


def flattened(fields: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """The fields with their paths, such as `filter.expression`."""
    for name, value in fields.items():
        if isinstance(value, Mapping) and value:
            yield from flattened(value, f"{path}{name}.")
        else:
            yield path + name, value


def _difference(module: str, operation: Mapping[str, Any], diff: Mapping[str, Any]) -> Difference:
    resource, key = RESOURCES.get(operation["resource"]), str(operation["key"])
    before, after = sides(diff, resource.plural if resource else "")
    existing = before if resource and not resource.key else before.get(key) or {}
    return Difference(
        module=module,
        action=operation["action"],
        resource=operation["resource"],
        title=resource.title if resource else operation["resource"],
        key=key,
        name=rule_name(key, existing if existing.get("description") else after.get(key) or {}),
        fields=dict(operation.get("fields") or {}),
        before=dict(operation.get("before") or {}),
    )

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What differs between an existing object and the desired values, and the object that an update
makes of it."""

from __future__ import annotations

from typing import Any, Iterable, Mapping

from .._schema.resource import Field, Object, Values
from .._values.kinds import same_value


def differences(
    fields: Iterable[Field], existing: Object | None, desired: Values
) -> dict[str, Any]:
    """The desired values whose normalised value differs; of a nested object the part that
    differs."""
    changed: dict[str, Any] = {}
    known = existing or {}
    for item in fields:
        if item.name not in desired:
            continue
        if item.name in known and same_value(known[item.name], desired[item.name]):
            continue
        if item.fields:
            part = _nested_differences(item, known.get(item.name), desired[item.name])
            changed.update({item.name: part} if part else {})
        elif item.normalised(existing) != item.normalised(desired):
            changed[item.name] = desired[item.name]
    return changed


def _nested_differences(item: Field, existing: Any, desired: Values) -> Values:
    part = differences(item.fields, existing if isinstance(existing, Mapping) else {}, desired)
    return desired if "id" in part else part  # with another id it is another object


def values_before(fields: Iterable[Field], existing: Object, planned: Object) -> dict[str, Any]:
    """The existing values of the fields that differ between two objects, null for one that is
    lacking; of a nested object the part that differs."""
    before: dict[str, Any] = {}
    for item in fields:
        old, new = existing.get(item.name), planned.get(item.name)
        if item.fields and isinstance(old, Mapping) and isinstance(new, Mapping):
            part = values_before(item.fields, old, new)
            before.update({item.name: part} if part else {})
        elif item.normalised(existing) != item.normalised(planned):
            before[item.name] = old
    return before


def overlay(fields: Iterable[Field], existing: Object, changes: Values) -> dict[str, Any]:
    """The existing object with the changes laid over it; a nested object that names its id replaces
    the former one."""
    merged = {**existing, **changes}
    for item in fields:
        nested, change = existing.get(item.name), changes.get(item.name)
        if (
            item.fields
            and isinstance(nested, Mapping)
            and isinstance(change, Mapping)
            and "id" not in change
        ):
            merged[item.name] = overlay(item.fields, nested, change)
    return merged

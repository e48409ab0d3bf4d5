# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fingerprint of a plan: equal for two plans exactly if they do the same."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Iterable, Mapping

from .._schema.resource import Field, Key, Object, Values
from .plan import Operation, Plan


def plan_id(owner: Mapping[str, str], plan: Plan) -> str:
    """SHA-256, in 64 hexadecimal digits, over the account or zone and the ordered operations; empty
    for an empty plan.

    Normalised values count, so that spelling makes no difference. Of an existing object its id and
    the values count that the operation changes or deletes; of an ordered list the order before and
    after, where it changes. Credentials, the base URL and the order of a dictionary do not count.
    """
    if not plan.operations:
        return ""
    text = _text([dict(owner), [_operation(item) for item in plan.operations], _orders(plan)])
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def is_rest_of(rest: Plan, plan: Plan) -> bool:
    """Whether `rest` does nothing but what `plan` does: some of its operations, or some of their
    fields."""
    known = {_text(item[:4]): item[4:] for item in map(_operation, plan.operations)}
    orders = _orders(plan)
    return all(
        all(map(_is_part, item[4:], known.get(_text(item[:4]), (None, None, None))))
        for item in map(_operation, rest.operations)
    ) and all(orders.get(plural) == order for plural, order in _orders(rest).items())


def _is_part(part: Any, whole: Any) -> bool:
    if isinstance(part, Mapping) and isinstance(whole, Mapping):
        return all(name in whole and _is_part(value, whole[name]) for name, value in part.items())
    return bool(part == whole)


def _text(document: Any) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), default=str)


def _operation(operation: Operation) -> list[Any]:
    """What is done to which object, and then the values before, the values afterwards, and what
    changes along."""
    fields, existing, planned = operation.resource.fields, operation.existing, operation.planned
    if existing is None or planned is None:
        before, after = (
            None if obj is None else _normalised(fields, obj) for obj in (existing, planned)
        )
    else:
        before, after = _changed(fields, existing, planned)
    identity = None if existing is None else str(existing.get("id"))
    along = [[other.key, str((other.existing or {}).get("id"))] for other in operation.along]
    return [
        operation.action,
        operation.resource.name,
        operation.key,
        identity,
        before,
        after,
        along,
    ]


def _orders(plan: Plan) -> dict[str, list[list[Key]]]:
    """The keys before and after, by collection, of each ordered list that gets a new object, or in
    which one moves."""
    resources = {item.resource.plural: item.resource for item in plan.operations}
    orders = {}
    for plural in plan.order.keys() & resources.keys():
        after = list(plan.order[plural])
        kept = set(after)
        before = [key for key in map(resources[plural].key_of, plan.before[plural]) if key in kept]
        if before != after:
            orders[plural] = [before, after]
    return orders


def _changed(fields: Iterable[Field], existing: Object, planned: Object) -> tuple[Values, Values]:
    """The normalised values that differ, before and after; with those of a nested object, its
    id."""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for item in fields:
        old, new = existing.get(item.name), planned.get(item.name)
        if item.fields and isinstance(old, Mapping) and isinstance(new, Mapping):
            inner = _changed(item.fields, old, new)
            if inner[1]:
                before[item.name], after[item.name] = ({"id": old.get("id"), **inner[0]}, inner[1])
        elif item.normalised(existing) != item.normalised(planned):
            before[item.name], after[item.name] = _value(item, existing), _value(item, planned)
    return before, after


def _normalised(fields: Iterable[Field], obj: Object) -> Values:
    """The normalised values of the fields that an object has; of a nested object those of its own
    fields."""
    return {item.name: _value(item, obj) for item in fields if item.name in obj}


def _value(item: Field, obj: Object) -> Any:
    nested = obj.get(item.name)
    return (
        _normalised(item.fields, nested)
        if item.fields and isinstance(nested, Mapping)
        else item.normalised(obj)
    )

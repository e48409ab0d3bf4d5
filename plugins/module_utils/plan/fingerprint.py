# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fingerprint of a plan: equal for two plans exactly if they do the same."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Iterable, Mapping

from ..schema.resource import Field, Object, Values
from .plan import Operation, Plan


def plan_id(owner: Mapping[str, str], plan: Plan) -> str:
    """SHA-256, in hexadecimal digits, over the account or zone and the ordered operations; empty for an empty plan.

    Normalised values count, so that spelling makes no difference. Of an existing object its id and the values count
    that the operation changes or deletes. Credentials, the base URL and the order of a dictionary do not count.
    """
    if not plan.operations:
        return ""
    document = [dict(owner), [_operation(item) for item in plan.operations]]
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _operation(operation: Operation) -> list[Any]:
    fields, existing = operation.resource.fields, operation.existing
    names = [item.name for item in fields] if operation.action == "delete" else operation.fields
    declared = {item.name for item in fields}
    return [
        operation.action,
        operation.resource.name,
        operation.key,
        None if existing is None else str(existing.get("id")),
        None if existing is None else _normalised(fields, existing, names),
        None if operation.action == "delete" else _normalised(fields, operation.fields, names),
        {name: value for name, value in operation.fields.items() if name not in declared},  # a position in a list
    ]


def _normalised(fields: Iterable[Field], obj: Object, names: Iterable[str]) -> Values:
    """The normalised values of the named fields; of a nested object those of its own fields."""
    chosen = set(names)
    return {item.name: _value(item, obj) for item in fields if item.name in chosen}


def _value(item: Field, obj: Object) -> Any:
    nested = obj.get(item.name)
    if item.fields and isinstance(nested, Mapping):
        return _normalised(item.fields, nested, nested)
    return item.normalised(obj)

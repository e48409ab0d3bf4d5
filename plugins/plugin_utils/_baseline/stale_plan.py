# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What differs between the operations of an approved plan and those of today's plan, in words: pure
functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import RESOURCES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.evaluation import RULESETS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import (
    LISTS,
    items_of,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._text import excerpt, visible

Operation = Mapping[str, Any]  # an operation of a result, or of a plan file

OF_LISTS = (LISTS, items_of(""))
TITLES = {item.name: item.title for item in (*RESOURCES, FIREWALL_RULES, *RULESETS, *OF_LISTS)}
MAX_DIFFERENCES = 5
MAX_VALUE = 60  # characters
DONE = {"create": "created", "update": "updated", "delete": "deleted"}


def describe_differences(approved: Sequence[Operation], current: Sequence[Operation]) -> str:
    """What is another one than approved, as sentences."""
    differences = list(_differences(approved, current))
    if not differences:
        return (
            "The operations are the approved ones, but an object has other values that they leave"
            " alone, the order of the rules is another one, or the plan is of another account or"
            " zone. The diff shows the objects as they are."
        )
    more = len(differences) - MAX_DIFFERENCES
    rest = [f"and {more} more"] if more > 0 else []
    return "; ".join([*differences[:MAX_DIFFERENCES], *rest]) + "."


def _differences(approved: Sequence[Operation], current: Sequence[Operation]) -> Iterator[str]:
    before, now = _by_object(approved), _by_object(current)
    for target in dict.fromkeys([*before, *now]):
        if target not in now:
            yield f"{target} was to be {_done(before[target])}, which is not needed now"
        elif target not in before:
            yield f"{target} is to be {_done(now[target])}, which was not approved"
        elif _done(before[target]) != _done(now[target]):
            yield (
                f"{target} was to be {_done(before[target])} when approved, and is to be"
                f" {_done(now[target])} now"
            )
        else:
            yield from _changed_values(target, before[target], now[target])


def _by_object(operations: Sequence[Operation]) -> dict[str, Operation]:
    named = {}
    for operation in operations:
        resource = str(operation.get("resource"))
        title = f"{TITLES.get(resource, resource)} {visible(str(operation.get('key')))}"
        named[f"{title} (again)" if title in named else title] = operation
    return named


def _done(operation: Operation) -> str:
    action = str(operation.get("action"))
    return DONE.get(action, action)


def _changed_values(target: str, approved: Operation, current: Operation) -> Iterator[str]:
    """The values that the operation finds, and then those that it sends."""
    sides = [dict(_flattened(item.get("before") or {})) for item in (approved, current)]
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        was, is_now = (_value(side, name) for side in sides)
        if was != is_now:
            yield f"{target}: {name} was {was} when approved, and is {is_now} now"
    sides = [dict(_flattened(item.get("fields") or {})) for item in (approved, current)]
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        was, is_now = (_value(side, name) for side in sides)
        if was != is_now and name in sides[0] and name in sides[1]:
            yield f"{target}: {name} was to become {was}, and would become {is_now} now"


def _flattened(values: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _flattened(value, f"{path}{name}.")
        else:
            yield f"{path}{name}", value


def _value(values: Mapping[str, Any], name: str) -> str:
    """A value as people read it; one that does not differ from the desired one is not listed."""
    return repr(_short(values[name])) if name in values else "as desired"


def _short(value: Any) -> Any:
    return excerpt(visible(value), MAX_VALUE) if isinstance(value, str) else value

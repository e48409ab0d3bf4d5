# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan as its readers see it: the operations and the diff of a result."""

from __future__ import annotations

from typing import Any, Iterable, Sequence

from .declaration import Object, Resource, State
from .plan import Operation


def described(operations: Iterable[Operation]) -> list[dict[str, Any]]:
    """Operations in the shape that results carry: action, resource, key and the values of the fields sent."""
    return [
        {
            "action": operation.action,
            "resource": operation.resource.name,
            "key": operation.label,
            "fields": dict(operation.fields),
        }
        for operation in operations
    ]


def diff(operations: Iterable[Operation]) -> dict[str, Any]:
    """The managed fields of the objects concerned before and after, by collection and key, sorted by key."""
    before: dict[str, dict[str, Any]] = {}
    after: dict[str, dict[str, Any]] = {}
    for operation in sorted(operations, key=lambda operation: operation.order):
        for side, holder in ((before, operation.live), (after, operation.foreseen)):
            if holder is not None:
                _enter(side.setdefault(operation.resource.plural, {}), operation, holder)
    return {"before": before, "after": after}


def with_order(shown: dict[str, Any], resources: Sequence[Resource], before: State, after: State) -> dict[str, Any]:
    """A diff together with the order of lists in which order matters, where it changes."""
    for resource in (resource for resource in resources if resource.inside):
        orders = [[resource.label_of(item) for item in state[resource.plural]] for state in (before, after)]
        if orders[0] != orders[1]:
            shown["before"][f"{resource.plural}_order"], shown["after"][f"{resource.plural}_order"] = orders
    return shown


def _enter(collection: dict[str, Any], operation: Operation, holder: Object) -> None:
    managed = operation.resource.managed(holder)
    if not operation.resource.key:
        collection.update(managed)
    elif operation.label in collection:  # a twin, which its id alone tells from the other
        collection[f"{operation.label} (id {holder.get('id')})"] = managed
    else:
        collection[operation.label] = managed

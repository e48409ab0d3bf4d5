# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a module returns of a plan: the operations, and the diff."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence, TypedDict

from ._messages import Message
from ._plan.desired import Desired
from ._plan.plan import Operation, Plan
from ._schema.resource import Object, Resource, State
from ._timestamps import write_timestamp


class OperationRecord(TypedDict):
    """An operation as results show it; `fields` holds the values that are sent."""

    action: str
    resource: str
    key: str
    fields: dict[str, Any]


class Diff(TypedDict):
    """The managed fields of the objects concerned, by collection and then by key."""

    before: dict[str, Any]
    after: dict[str, Any]


def operation_records(operations: Iterable[Operation]) -> list[OperationRecord]:
    """Operations in the shape that results carry."""
    return [
        OperationRecord(
            action=operation.action,
            resource=operation.resource.name,
            key=operation.label,
            fields=dict(operation.fields),
        )
        for operation in operations
    ]


class Expired(TypedDict):
    """An object that counts as absent since `expires`, a timestamp in UTC."""

    resource: str
    key: str
    expires: str


def expired_records(desired: Iterable[Desired]) -> list[Expired]:
    """What expired, in the order of the task."""
    return [
        Expired(
            resource=item.resource.name,
            key=item.resource.label_of(item.objects[key]),
            expires=write_timestamp(expires),
        )
        for item in desired
        for key, expires in item.expires.items()
        if key in item.expired
    ]


def expiry_warnings(desired: Iterable[Desired], plan: Plan) -> list[str]:
    """What expired and does not exist, since the task can do without it; and what nobody knows to
    have expired."""
    deleted = {
        (item.resource.plural, item.key) for item in plan.operations if item.action == "delete"
    }
    warnings: list[str] = []
    for item in desired:
        for key, expires in item.expires.items():
            option, until = item.paths[key].at("expires"), write_timestamp(expires)
            what = f"{item.resource.title} {item.resource.label_of(item.objects[key])}"
            if key in item.undecided:
                text = (
                    f": whether {what} expired ({until}) is not known, since the service does not"
                    " tell its time. An existing one stays, and a new one is not created."
                )
                warnings.append(Message(option, text))
            elif key in item.expired and (item.resource.plural, key) not in deleted:
                text = (
                    f": {what} expired at {until} and does not exist. Remove it from the task, or"
                    " give it a later expires."
                )
                warnings.append(Message(option, text))
    return warnings


def make_diff(operations: Iterable[Operation]) -> Diff:
    """The objects concerned before and after, sorted by key; one that changes twice, before the
    first change."""
    diff = Diff(before={}, after={})
    first: dict[tuple[object, ...], Operation] = {}
    last: dict[tuple[object, ...], Operation] = {}
    for item in (item for operation in operations for item in (operation, *operation.along)):
        last[item.order] = item
        first.setdefault(item.order, item)
    for order in sorted(first):
        operation = first[order]
        for side, obj in (
            (diff["before"], operation.existing),
            (diff["after"], last[order].planned),
        ):
            if obj is not None:
                _enter(side.setdefault(operation.resource.plural, {}), operation, obj)
    return diff


def add_orders(diff: Diff, resources: Sequence[Resource], before: State, after: State) -> Diff:
    """The diff, and with it the keys of each ordered list whose order changes."""
    for resource in resources:
        if resource.list_field:
            orders = [
                [resource.label_of(item) for item in state[resource.plural]]
                for state in (before, after)
            ]
            if orders[0] != orders[1]:
                (
                    diff["before"][f"{resource.plural}_order"],
                    diff["after"][f"{resource.plural}_order"],
                ) = orders
    return diff


def add_to_diff(diff: Diff, name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Diff:
    """The diff with one more section; of what is equal on both sides, nothing."""
    changed = [key for key in before if before[key] != after[key]]
    if not changed:
        return diff
    sections = ({key: facts[key] for key in changed} for facts in (before, after))
    return Diff(
        before={**diff["before"], name: next(sections)},
        after={**diff["after"], name: next(sections)},
    )


def _enter(collection: dict[str, Any], operation: Operation, obj: Object) -> None:
    managed = operation.resource.managed(obj)
    if not operation.resource.key:
        collection.update(managed)
    elif operation.label in collection:  # a duplicate, which only its id tells from the other
        collection[f"{operation.label} (id {obj.get('id')})"] = managed
    else:
        collection[operation.label] = managed


def readable_failure(details: Mapping[str, Any]) -> dict[str, Any]:
    """The details of a failure without what fills screens: its diff if nothing was written, all of
    the coverage but its summary."""
    left_out = () if "done" in details else ("diff",)
    readable = {name: value for name, value in details.items() if name not in left_out}
    if "coverage" in readable:
        readable["coverage"] = {"after": {"summary": readable["coverage"]["after"]["summary"]}}
    return readable

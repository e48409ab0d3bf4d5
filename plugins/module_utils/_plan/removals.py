# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The removals of what rules refer to: they come last in a plan, after the changes of these rules,
unless no rule refers to an object whose room is needed."""

from __future__ import annotations

from typing import AbstractSet, Mapping, Sequence

from .._schema.resource import NO_ITEMS, Resource, State
from .._text import first_few
from .plan import Operation


def is_removal(operation: Operation) -> bool:
    """Return whether an operation deletes an object to which rules refer, or an object inside of
    one that stays, such as an item of a list."""
    resource = operation.resource
    referred = resource.parent or resource
    return operation.action == "delete" and referred.is_referred_to and not resource.is_ordered


def split_at_removals(
    operations: Sequence[Operation],
) -> tuple[Sequence[Operation], Sequence[Operation]]:
    """The operations before the removals at the end of a plan, and these removals."""
    number = len(operations)
    while number and is_removal(operations[number - 1]):
        number -= 1
    return operations[:number], operations[number:]


def split_after_room(
    operations: Sequence[Operation],
) -> tuple[Sequence[Operation], Sequence[Operation]]:
    """The operations up to the last removal that makes room for others, and those after it."""
    made, _removals = split_at_removals(operations)
    number = len(made)
    while number and not is_removal(made[number - 1]):
        number -= 1
    return operations[:number], operations[number:]


def waits_for_room(operations: Sequence[Operation], before: State) -> bool:
    """Return whether a plan has removals at its end, and may not have room before them."""
    _made, removals = split_at_removals(operations)
    resources = {removal.resource.plural: removal.resource for removal in removals}
    referred = [resource.parent or resource for resource in resources.values()]
    return any(_lacks_room(resource, operations, before) for resource in referred)


Freed = Mapping[str, Mapping[str, int]]  # by plural and name: so many rules refer to it no more


def removals_for_room(
    operations: Sequence[Operation], before: State, freed: Freed
) -> list[Operation]:
    """The removals of what no rule refers to, where some owner would not have room for what is new
    beside it. Before these removals, rules have stopped to refer to what is `freed`.
    """
    unused: dict[str, AbstractSet[str]] = {}  # names, by plural
    first: list[Operation] = []
    for operation in filter(is_removal, operations):
        referred = operation.resource.parent or operation.resource
        plural, name = referred_by(operation)
        if plural not in unused:
            freed_here = freed.get(plural, NO_ITEMS)
            lacks_room = _lacks_room(referred, operations, before)
            unused[plural] = _unused(referred, before, freed_here) if lacks_room else set()
        if name in unused[plural]:
            first.append(operation)
    return first


def referred_by(removal: Operation) -> tuple[str, str]:
    """The plural and the name of the object to which rules refer, of a removal of it, or of an
    object inside of it."""
    resource = removal.resource
    if resource.parent:
        return resource.parent.plural, resource.parent_name
    return resource.plural, removal.label


def _lacks_room(resource: Resource, operations: Sequence[Operation], before: State) -> bool:
    """Return whether some owner would not have room for the new objects of a collection, or for new
    objects inside of them, beside those that it has."""
    new = [operation.resource for operation in operations if operation.action == "create"]
    existing = resource.our_objects_in(before)
    number_of_new = len([created for created in new if created.plural == resource.plural])
    most = resource.quota or resource.least_quota
    if most and number_of_new and len(existing) + number_of_new > most:
        return True
    new_inside = len([created for created in new if created.parent is resource])
    number_inside = new_inside + sum(map(resource.semantics.number_inside, existing))
    return 0 < resource.least_quota_inside < number_inside and new_inside > 0


def _unused(resource: Resource, before: State, freed: Mapping[str, int]) -> set[str]:
    """The names of objects to which no rule refers."""
    names = {resource.label_of(obj): obj for obj in resource.our_objects_in(before)}
    is_unused = resource.semantics.is_unused
    return {name for name in names if is_unused(names[name], before, freed.get(name, 0))}


def two_runs(names: Sequence[str]) -> str:
    """The way to room for what is new beside removed objects with these names."""
    return (
        f"Rules still refer to {first_few(names)}, which the plan removes. Make room by another"
        " object, or make it two runs, of which the first one leaves out what is new."
    )

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The removals of what rules refer to: they come last in a plan, after the changes of these rules,
unless no rule refers to an object whose room is needed."""

from __future__ import annotations

from typing import Mapping, Sequence

from .._schema.resource import State
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


def removals_for_room(
    operations: Sequence[Operation], before: State, freed: Mapping[str, int]
) -> list[Operation]:
    """The removals of what no rule refers to, where some owner would not have room for what is new
    beside it. `freed` are, by list, how many rules of other owners refer to it no more by then.
    """
    new = [operation.resource.plural for operation in operations if operation.action == "create"]
    first: list[Operation] = []
    for operation in filter(is_removal, operations):
        resource, existing = operation.resource, operation.existing
        most = resource.quota or resource.least_quota
        number_of_new = new.count(resource.plural)
        if not (most and number_of_new and existing):
            continue
        number = len(resource.our_objects_in(before)) + number_of_new
        number_freed = freed.get(operation.label, 0)
        if number > most and resource.semantics.is_unused(existing, before, number_freed):
            first.append(operation)
    return first

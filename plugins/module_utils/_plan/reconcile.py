# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares existing and desired state and plans the operations between them: pure functions, from
data to data."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Iterator, Optional, Sequence

from .._errors import OptionError, PlanError
from .._schema.resource import (
    CONTENTS,
    NO_ITEMS,
    Key,
    Object,
    Resource,
    State,
    Values,
    reused_if_equal,
)
from .._text import Message, Option
from .api_fields import undeclared_changes
from .desired import Desired
from .matching import check_fixed, matches_and_values
from .order_in_list import order_operations, predecessors_in
from .plan import Operation, Plan, differences, share_nested
from .removals import Freed, is_removal, removals_for_room

PHASES = ("create", "update", "delete")  # nothing is deleted before what replaces it exists

Adjust = Callable[[Resource, Optional[Object], Values], Values]
Make = Callable[[Sequence[Desired], Adjust], Plan]


def as_desired(resource: Resource, existing: Object | None, values: Values) -> Values:
    """The values as the task names them. This is the `adjust` of a plan that no rollout changes."""
    return values


def make_plan(
    before: State,
    desired: Sequence[Desired],
    adjust: Adjust = as_desired,
    nested: State | None = None,
    inner: Sequence[Resource] = (),
    begun: Plan | None = None,
    freed: Freed = NO_ITEMS,
) -> Plan:
    """The plan for several collections; within a phase, in the order of `desired`.

    `nested` has, by collection, nested objects that the task names and no existing object has.
    `inner` are collections inside of objects, which go along with these objects. `begun` is the
    first plan of the run, if this is a later one: it keeps the order of that. When the plan
    begins, rules of other owners have stopped to refer to what is `freed`.

    `adjust` takes the resource, the existing object or None, and the desired values, and returns
    those to set now. Raises PlanError where the desired state cannot be reached without guessing: a
    rule that must exist and does not, duplicates.
    """
    operations: list[Operation] = []
    order: dict[str, Sequence[Key]] = {}
    problems: list[PlanError] = []
    by_plural: dict[str, list[Desired]] = {}
    for collection in desired:
        by_plural.setdefault(collection.resource.plural, []).append(collection)
    for plural, collections in by_plural.items():
        existing, unused_nested = before[plural], (nested or {}).get(plural, ())
        try:
            changes: list[Operation] = []
            for collection in collections:
                changes += _changes_of_collection(collection, existing, adjust, unused_nested)
            problems += _invalid(collections, changes)
            if collections[0].resource.is_ordered:
                predecessors = predecessors_in(begun, plural) if begun else NO_ITEMS
                ordered = order_operations(collections, existing, changes, predecessors)
                changes, order[plural] = ordered
            else:
                changes = _in_turn(changes)
        except PlanError as exc:
            problems.append(exc)
        else:
            operations += changes
    if problems:
        raise problems[0].joined(problems[1:])
    operations = sorted(_with_inner(operations, inner, before), key=_turn_in_plan)
    return Plan(before, _with_room(operations, before, freed), order)


def _with_room(
    operations: Sequence[Operation], before: State, freed: Freed
) -> tuple[Operation, ...]:
    """The operations, of which some removals go first if new objects need their room."""
    if not any(map(is_removal, operations)):
        return tuple(operations)
    first = removals_for_room(operations, before, freed)
    return (*first, *(operation for operation in operations if operation not in first))


def _changes_of_collection(
    desired: Desired, existing: Sequence[Object], adjust: Adjust, unused_nested: Sequence[Object]
) -> Sequence[Operation]:
    """The operations on the objects of a collection that one section of a host describes, not yet
    sorted.
    """
    resource, changes = desired.resource, _reconcile(desired, existing, adjust)
    if not resource.nested:
        return changes
    try:
        return share_nested(
            resource, desired.objects, desired.paths, existing, changes, unused_nested
        )
    except OptionError as exc:
        raise PlanError(Message(exc.message, ".")) from exc


def _in_turn(changes: Sequence[Operation]) -> list[Operation]:
    """The operations sorted by network, so that an exclusion is created after the prefix around
    it, and deleted before it."""
    ordered = sorted(changes, key=lambda operation: operation.order)
    deletions = [operation for operation in ordered if operation.action == "delete"]
    writes = [operation for operation in ordered if operation.action != "delete"]
    return writes + deletions[::-1]


def _turn_in_plan(operation: Operation) -> tuple[int, bool, bool]:
    """The sort key of an operation. A removal of what rules refer to comes after the changes of
    these rules, of which deleted rulesets have some.
    """
    resource = operation.resource
    phase, is_last = PHASES.index(operation.action), is_removal(operation)
    return phase, is_last, is_last and resource.is_referred_to and not resource.holds_rules


def _with_inner(
    operations: Sequence[Operation], inner: Sequence[Resource], before: State
) -> list[Operation]:
    """The operations; if one deletes an object, the deletion of all objects inside of it is added
    to it.
    """
    completed = [_with_along(operation, inner, before) for operation in operations]
    taken_along: set[str] = set()
    for operation in completed:
        taken_along.update(follower.resource.plural for follower in operation.along)
    return [
        operation
        for operation in completed
        if not operation.resource.parent or operation.resource.plural not in taken_along
    ]


def _with_along(operation: Operation, inner: Sequence[Resource], before: State) -> Operation:
    existing = operation.existing or {}
    if operation.action != "delete" or CONTENTS in existing:
        return operation
    contents: list[Operation] = []
    for resource in inner:
        is_inside = resource.parent is operation.resource
        if not is_inside or resource.parent_name != operation.label:
            continue
        for index, obj in enumerate(before[resource.plural]):
            deletion = Operation("delete", resource, {}, obj, index)
            contents.append(deletion)
    if not contents:
        return operation
    return replace(operation, along=(*operation.along, *contents))


def _reconcile(desired: Desired, existing: Sequence[Object], adjust: Adjust) -> list[Operation]:
    resource = desired.resource
    operations: list[Operation] = []
    previous: Values = NO_ITEMS
    defaults = resource.defaults()
    for match, values in matches_and_values(desired, existing):
        if match is None:
            operations.append(creation(resource, {**defaults, **adjust(resource, None, values)}))
        elif not match.stays:
            operations.append(match.change("delete", resource, {}, values))
        else:
            adjusted = adjust(resource, match.obj, values)
            fields = differences(resource.mutable, match.obj, adjusted)
            fields.update(undeclared_changes(resource.fields_by_name, match.obj, adjusted))
            if fields:
                check_fixed(resource, match.obj, values)
                previous = reused_if_equal(previous, fields)
                operations.append(match.change("update", resource, previous, values))
    return operations


def creation(resource: Resource, values: Values) -> Operation:
    """The operation that creates an object with these values."""
    fields = {name: values[name] for name in resource.fields_by_name if name in values}
    fields.update(undeclared_changes(resource.fields_by_name, None, values))
    return Operation("create", resource, fields)


def _invalid(desired: Sequence[Desired], changes: Sequence[Operation]) -> Iterator[PlanError]:
    """An error for each object that Cloudflare would reject, with the option that names it."""
    for operation in changes:
        resource, planned = operation.resource, operation.planned
        reason = resource.semantics.invalid_reason(planned) if planned else ""
        if planned and reason:
            path = _path_of(desired, resource.key_of(planned))
            sentence = f"The {resource.title_of(planned)} {reason}."
            yield PlanError(Message(path, ": ", sentence) if path else sentence)


def _path_of(desired: Sequence[Desired], key: Key) -> Option:
    """The option that names an object; an empty option if none names the object."""
    for collection in desired:
        if key in collection.entries:
            return collection.entries[key].path
    return Option()

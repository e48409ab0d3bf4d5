# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes that time makes due: ends of objects, steps of a staged rollout, and postures with
their ends. Pure functions.

A run for these alone plans the whole desired state, sees which changes are due, and plans again for
the objects of these changes; it leaves all others alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import AbstractSet, Container, Mapping, NamedTuple, Sequence

from .._context import Context, PostureValues, key_text
from .._plan.desired import Desired, Position
from .._plan.plan import POSITION, Operation, Plan
from .._plan.rollout import Target
from .._protection.monitoring import ladder_of
from .._schema.resource import Key, Resource, Values, without


class Due(NamedTuple):
    """Decides which changes are due by time, including those of the postures of a host; a
    monitoring object is enabled by time only if the task asks for stages (`is_staged`), and a rule
    that logs gets its action if it asks for them itself (`staged_rules`).
    """

    context: Context
    is_staged: bool
    staged_rules: Container[Target] = ()

    def desired(self, plan: Plan, desired: Sequence[Desired]) -> list[Desired]:
        """The part of the `desired` state that is due; `plan` is the plan for the whole state."""
        return [self._due_part(plan, collection) for collection in desired]

    def _due_part(self, plan: Plan, collection: Desired) -> Desired:
        resource = collection.resource
        due_keys: set[Key] = set()
        new_keys: set[Key] = set()
        for operation in plan.operations:
            if operation.resource.plural != resource.plural:
                continue
            if operation.key in collection.entries and self._is_due(operation, collection):
                due_keys.add(operation.key)
                if operation.existing is None:
                    new_keys.add(operation.key)
        due = replace(collection, exclusive=False, ignore=(), order=(), own_order=False)
        order = plan.order.get(resource.plural)
        if order is None:
            return due.only(due_keys)
        return _due_in_list(due, plan, due_keys, new_keys)

    def _is_due(self, operation: Operation, collection: Desired) -> bool:
        """Return whether an operation on a desired object is due by time."""
        if operation.action == "delete":
            return operation.key in collection.expired
        if operation.fields.keys() == {POSITION}:
            return False
        return self._is_step(operation) or self._is_of_posture(operation)

    def _is_step(self, operation: Operation) -> bool:
        """Return whether an operation only enables a monitoring object, or only gives a rule that
        logs its action, the last step of a staged rollout.
        """
        ladder, names = ladder_of(operation.resource), set(operation.fields)
        if ladder is None or not names <= {ladder.field, *ladder.of_last_alone}:
            return False
        is_rule = not operation.resource.mode_field
        is_staged = operation.target in self.staged_rules if is_rule else self.is_staged
        monitors = ladder.is_at_earlier(operation.existing)
        return is_staged and monitors and ladder.is_at_last(operation.planned)

    def _is_of_posture(self, operation: Operation) -> bool:
        """Return whether an operation only sets values of a posture that holds now, or only takes
        back values that a posture set that no longer holds.
        """
        for posture in self.context.postures.values:
            if (posture.plural, posture.key) != (
                operation.resource.plural,
                key_text(operation.key),
            ):
                continue
            if posture.holds and _sets_no_more(operation, posture):
                return True
            if not posture.holds and _takes_posture_back(operation, posture):
                return True
        return False


def _sets_no_more(operation: Operation, posture: PostureValues) -> bool:
    """Return whether an operation sets only fields that the posture has values for; defaults of a
    new object do not count.
    """
    names = operation.named if operation.existing is None else operation.fields
    return set(names) - {POSITION} <= posture.values.keys()


def _takes_posture_back(operation: Operation, posture: PostureValues) -> bool:
    """Return whether all existing values that an operation changes come from a posture."""
    before = without(operation.before, POSITION)
    return bool(before) and _has_posture_values(operation.resource, posture.values, before)


def _has_posture_values(resource: Resource, values: Values, before: Values) -> bool:
    for name, value in before.items():
        if name not in values:
            return False
        field, posture_value = resource.fields_by_name.get(name), values[name]
        if isinstance(value, Mapping) and isinstance(posture_value, Mapping):
            if any(posture_value.get(inner) != value[inner] for inner in value):
                return False
        elif field is None or field.normalised({name: value}) != field.normalised(values):
            return False
    return True


def _due_in_list(
    due: Desired, plan: Plan, due_keys: AbstractSet[Key], new_keys: AbstractSet[Key]
) -> Desired:
    """The due part of an ordered list. Each new object is placed behind its nearest predecessor in
    the whole plan that exists already or is due as well.
    """
    resource = due.resource
    order = plan.order[resource.plural]
    existing_keys = set(map(resource.key_of, plan.before[resource.plural]))
    positions: dict[Key, Position] = {}
    predecessor: Key | None = None
    for key in order:
        if key in new_keys:
            positions[key] = ("after", str(predecessor[0])) if predecessor else ("first", "")
        if key in new_keys or key in existing_keys:
            predecessor = key
    deleted_keys = due_keys - set(order)
    in_order = [*(key for key in order if key in due_keys), *deleted_keys]
    entries = {key: due.entries[key] for key in in_order}
    return replace(due, entries=entries).at_positions(positions)


def left_alone(whole: Plan, due: Plan) -> list[Operation]:
    """The operations of the plan `whole` that the plan `due`, with only the changes that are due,
    does not make.
    """
    due_fields = {operation.target: operation.fields for operation in due.operations}
    remaining: list[Operation] = []
    for operation in whole.operations:
        is_left = operation.target not in due_fields
        is_moved = POSITION in operation.fields and operation.existing is not None
        if is_left or (is_moved and POSITION not in due_fields[operation.target]):
            remaining.append(operation)
    return remaining

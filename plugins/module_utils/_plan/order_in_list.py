# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order of objects in a list in which order matters, after a plan: pure functions."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from typing import AbstractSet, List, Mapping, Sequence, Tuple

from .._errors import PlanError
from .._schema.resource import NO_ITEMS, Key, Object
from .desired import Desired, Position, Presence
from .plan import POSITION, Operation, Plan
from .task_order import LAST, in_task_order, insert_at, neighbour_key

Order = Tuple[List[Key], Sequence[Key]]  # all keys in their order, and those that do not move


def order_operations(
    desired: Sequence[Desired],
    existing: Sequence[Object],
    changes: Sequence[Operation],
    predecessors: Mapping[Key, Key] = NO_ITEMS,
) -> tuple[list[Operation], Sequence[Key]]:
    """The operations on an ordered list, which set the positions of objects that are new or move,
    and all keys in their final order. Several sections of a host may describe objects of the same
    list. `predecessors` has, for new objects of a plan that was begun, the object in front of each.
    Raises PlanError for a position beside an object that does not exist.
    """
    resource = desired[0].resource
    deletions = [operation for operation in changes if operation.action == "delete"]
    deleted = {operation.key for operation in deletions}
    before = [key for key in map(resource.key_of, existing) if key not in deleted]
    collections = [_without_gone(collection, before) for collection in desired]
    order, unmoved = _arranged(collections, before, predecessors)
    places = {key: place for place, key in enumerate(order, start=1)}
    moving = set(order) - set(unmoved)
    by_key = {operation.key: operation for operation in changes if operation.action != "delete"}
    for index, obj in enumerate(existing if moving else ()):
        key = resource.key_of(obj)
        if key in moving:
            by_key.setdefault(key, Operation("update", resource, {}, obj, index))
    for key in moving:
        fields = {**by_key[key].fields, POSITION: places[key]}
        by_key[key] = replace(by_key[key], fields=fields)
    in_order = sorted(by_key.values(), key=lambda operation: places[operation.key])
    return in_order + deletions, order


def _without_gone(desired: Desired, before: Sequence[Key]) -> Desired:
    existing_keys = set(before)
    keys = set()
    for key, desired_object in desired.entries.items():
        if key in existing_keys or desired_object.presence is Presence.NEEDED:
            keys.add(key)
    return desired.only(keys)


def _arranged(
    desired: Sequence[Desired], before: Sequence[Key], predecessors: Mapping[Key, Key]
) -> Order:
    """The keys in their new order. An exclusive list has the order of its section; keys of other
    sections of a host are inserted into it unless that section names them.
    """
    order, unmoved = list(before), before
    for collection in desired:
        if collection.exclusive:
            order, unmoved = _exclusive_order(collection, before, _desired_keys(desired))
    inserted = [
        collection for collection in desired if not collection.exclusive and not collection.absent
    ]
    insert_new(inserted, order, predecessors)
    for collection in inserted:
        if collection.own_order:
            order = in_task_order(collection, desired, order)
            places = {key: place for place, key in enumerate(order)}
            unmoved = longest_ascending(before, places)
    return order, unmoved


def _desired_keys(desired: Sequence[Desired]) -> set[Key]:
    """The keys of all objects that must exist."""
    keys: set[Key] = set()
    for collection in desired:
        if not collection.absent:
            keys.update(collection.objects)
    return keys


def _exclusive_order(
    desired: Desired, before: Sequence[Key], desired_keys: AbstractSet[Key]
) -> Order:
    """The order of the task, which may name keys that other sections of the host bring, and moves
    these as well. Keys that it ignores do not move; those that it names stay between their
    neighbours of the task, those that it does not name behind all keys that are in front of them,
    so that no skip among them comes in front of a block.

    Raises PlanError if the task names ignored keys in another order than theirs.
    """
    existing_keys = set(before)
    present = existing_keys | desired_keys
    order = [key for key in desired.order or desired.objects if key in present]
    anchors = {key for key in order if key not in desired_keys and key in existing_keys}
    _require_order_of_ignored(desired, [key for key in order if key in anchors], before)
    ignored = existing_keys - set(order)
    furthest = -1  # the place, in the new order, of the last one in front of a key
    for index, key in enumerate(before):
        if key in ignored:
            later_anchors = [order.index(later) for later in before[index:] if later in anchors]
            furthest += 1
            order.insert(min([furthest, *later_anchors]), key)
        elif key in order:
            furthest = max(furthest, order.index(key))
    places = {key: place for place, key in enumerate(order)}
    unmoved = _unmoved_around(anchors | ignored, before, places)
    return order, [key for key in before if key in unmoved]


def _require_order_of_ignored(
    desired: Desired, ignored: Sequence[Key], before: Sequence[Key]
) -> None:
    order = [key for key in before if key in ignored]
    if order != list(ignored):
        refs = ", ".join(str(key[0]) for key in order)
        raise PlanError(
            f"The task names {desired.resource.title}s that it ignores, and that stand in another"
            f" order: {refs}. The module does not move them; name them in this order."
        )


def _unmoved_around(
    anchors: AbstractSet[Key], before: Sequence[Key], places: Mapping[Key, int]
) -> set[Key]:
    """The anchors and, between any two of them, as many of the other keys as need not move."""
    unmoved = set(anchors)
    between: list[Key] = []
    low = -1
    for key in before:
        if key in anchors:
            inside = [candidate for candidate in between if low < places[candidate] < places[key]]
            unmoved.update(longest_ascending(inside, places))
            low, between = places[key], []
        elif key in places:
            between.append(key)
    behind = [candidate for candidate in between if low < places[candidate]]
    return unmoved.union(longest_ascending(behind, places))


def insert_new(
    desired: Sequence[Desired], order: list[Key], predecessors: Mapping[Key, Key] = NO_ITEMS
) -> None:
    """Insert the new keys at their positions; keys with the same position keep the order of the
    task. A key follows a predecessor that an earlier plan made, since by its position alone,
    such as `first`, it would come in front of it. Raises PlanError for positions beside
    something that does not exist yet."""
    last_keys: dict[Position, Key] = {}  # the last new key at each position
    existing_keys = set(order)
    waiting: list[tuple[Desired, Key]] = []
    for collection in desired:
        waiting += [(collection, key) for key in collection.objects if key not in existing_keys]
    while waiting:
        still_waiting = []
        for collection, key in waiting:
            predecessor = _existing_predecessor(key, order, predecessors)
            if predecessor is not None:
                order.insert(order.index(predecessor) + 1, key)
            elif not _try_to_place(collection, key, order, last_keys):
                still_waiting.append((collection, key))
        if len(still_waiting) == len(waiting):
            errors = [_misplaced(collection, key) for collection, key in waiting]
            raise errors[0].joined(errors[1:])
        waiting = still_waiting


def _existing_predecessor(
    key: Key, order: Sequence[Key], predecessors: Mapping[Key, Key]
) -> Key | None:
    """The nearest of the predecessors of a key that is already in the order; None if there is
    none."""
    predecessor = predecessors.get(key)
    while predecessor is not None and predecessor not in order:
        predecessor = predecessors.get(predecessor)
    return predecessor


def predecessors_in(plan: Plan, plural: str) -> dict[Key, Key]:
    """For each object that a plan creates directly behind another new object of an ordered list,
    that other object.
    """
    created: set[Key] = set()
    for operation in plan.operations:
        if operation.action == "create" and operation.resource.plural == plural:
            created.add(operation.key)
    order = plan.order.get(plural, ())
    predecessors: dict[Key, Key] = {}
    for predecessor, key in zip(order, order[1:]):
        if predecessor in created and key in created:
            predecessors[key] = predecessor
    return predecessors


def _try_to_place(
    desired: Desired, key: Key, order: list[Key], last_keys: dict[Position, Key]
) -> bool:
    """Insert a key into the order; return False if its neighbour is not there yet."""
    position = desired.positions.get(key, (LAST, ""))
    neighbour = neighbour_key(desired, position[1])
    if position[1] and neighbour not in order:
        if neighbour in desired.objects:
            raise _misplaced(desired, key)
        return False
    insert_at(position, key, order, last_keys, neighbour)
    return True


def _misplaced(desired: Desired, key: Key) -> PlanError:
    """The error for a position beside an object that does not exist, or that comes later in the
    task.
    """
    resource = desired.resource
    _where, neighbour_name = desired.positions[key]
    reason = "which is not there."
    if neighbour_key(desired, neighbour_name) in desired.objects:
        reason = "which comes later in the task; move it up."
    return PlanError(
        f"The position of {resource.title_of(desired.objects[key])} names the"
        f" {resource.key[0]} {neighbour_name}, {reason}"
    )


def longest_ascending(before: Sequence[Key], places: Mapping[Key, int]) -> list[Key]:
    """The largest set of keys that can stay in place: a longest sequence of keys whose new `places`
    ascend.
    """
    ends: list[int] = []  # the lowest last place of an ascending sequence, by its length
    links: dict[Key, Key | None] = {}
    heads: list[Key] = []
    for key in before:
        if key not in places:
            continue
        length = bisect_left(ends, places[key])
        links[key] = heads[length - 1] if length else None
        ends[length : length + 1] = [places[key]]
        heads[length : length + 1] = [key]
    unmoved: list[Key] = []
    link = heads[-1] if heads else None
    while link is not None:
        unmoved.append(link)
        link = links[link]
    return unmoved

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order of a list in which order matters: where new objects go, and which of the others
move."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from typing import AbstractSet, List, Mapping, Sequence, Tuple

from .._errors import PlanError
from .._schema.resource import Key, Object
from .desired import Desired, Position, Presence
from .plan import POSITION, Operation


def order_operations(
    desired: Sequence[Desired], existing: Sequence[Object], changes: Sequence[Operation]
) -> tuple[list[Operation], Sequence[Key]]:
    """The operations on an ordered list, with the positions of what is new or moves; and all keys
    in their order. Several parts of a host may describe objects of one list.

    Raises PlanError for a position beside something that does not exist.
    """
    resource = desired[0].resource
    deleted = {item.key for item in changes if item.action == "delete"}
    before = [key for key in map(resource.key_of, existing) if key not in deleted]
    order, unmoved = _arranged([_without_gone(item, before) for item in desired], before)
    places = {key: index for index, key in enumerate(order, start=1)}
    moving = set(order) - set(unmoved)
    by_key = {item.key: item for item in changes if item.action != "delete"}
    for index, obj in enumerate(existing):
        key = resource.key_of(obj)
        if key in moving:
            by_key.setdefault(key, Operation("update", resource, {}, obj, index))
    for key in moving:
        by_key[key] = replace(by_key[key], fields={**by_key[key].fields, POSITION: places[key]})
    kept = sorted(by_key.values(), key=lambda item: places[item.key])
    return kept + [item for item in changes if item.action == "delete"], order


def _without_gone(desired: Desired, before: Sequence[Key]) -> Desired:
    known = set(before)
    entries = desired.entries.items()
    return desired.only(
        {key for key, one in entries if key in known or one.presence is Presence.NEEDED}
    )


def _arranged(desired: Sequence[Desired], before: Sequence[Key]) -> Order:
    """An exclusive list has its own order, into which the others are put unless it names them."""
    order, unmoved = list(before), before
    for item in desired:
        if item.exclusive:
            others = {key for one in desired if not one.absent for key in one.objects}
            order, unmoved = _exclusive_order(item, before, others)
    insert_new([item for item in desired if not (item.exclusive or item.absent)], order)
    for item in desired:
        if item.own_order and not (item.exclusive or item.absent):
            order = in_own_order(item, order)
            unmoved = longest_ascending(before, {key: index for index, key in enumerate(order)})
    return order, unmoved


Order = Tuple[List[Key], Sequence[Key]]  # all keys in their order, and those that do not move


def _exclusive_order(desired: Desired, before: Sequence[Key], others: AbstractSet[Key]) -> Order:
    """The order of the task, which may name keys that `others` bring. Keys that it ignores do not
    move; those that it names stay between their neighbours of the task, the others behind all keys
    that are in front of them, so that no skip of others comes in front of a block.

    Raises PlanError if the task names ignored keys in another order than theirs.
    """
    known = set(before)
    there = known | others
    order = [key for key in desired.order or desired.objects if key in there]
    anchors = {key for key in order if key not in desired.objects and key in known}
    _require_order_of_ignored(desired, [key for key in order if key in anchors], before)
    ignored = known - set(order)
    furthest = -1  # the place, in the new order, of the last one in front of a key
    for index, key in enumerate(before):
        if key in ignored:
            later = [order.index(one) for one in before[index:] if one in anchors]
            furthest += 1
            order.insert(min([furthest, *later]), key)
        elif key in order:
            furthest = max(furthest, order.index(key))
    places = {key: index for index, key in enumerate(order)}
    unmoved = _unmoved_around(anchors | ignored, before, places)
    return order, [key for key in before if key in unmoved]


def _require_order_of_ignored(
    desired: Desired, named: Sequence[Key], before: Sequence[Key]
) -> None:
    order = [key for key in before if key in named]
    if order != list(named):
        refs = ", ".join(str(key[0]) for key in order)
        raise PlanError(
            f"The task names {desired.resource.title}s that it ignores, and that stand in another"
            f" order: {refs}. The module does not move them; name them in this order."
        )


def _unmoved_around(
    anchors: AbstractSet[Key], before: Sequence[Key], places: Mapping[Key, int]
) -> set[Key]:
    """The anchors, and as many keys between two of them as need not move."""
    unmoved = set(anchors)
    between: list[Key] = []
    low = -1
    for key in before:
        if key in anchors:
            inside = [item for item in between if low < places[item] < places[key]]
            unmoved.update(longest_ascending(inside, places))
            low, between = places[key], []
        elif key in places:
            between.append(key)
    rest = [item for item in between if low < places[item]]
    return unmoved.union(longest_ascending(rest, places))


def insert_new(desired: Sequence[Desired], order: list[Key]) -> None:
    """Insert the new keys at their positions, those with one position in the order of the task.

    Raises PlanError for one beside something that is not there yet.
    """
    predecessors: dict[Position, Key] = {}  # the last new key at each position
    known = set(order)
    waiting = [(item, key) for item in desired for key in item.objects if key not in known]
    while waiting:
        later = [one for one in waiting if not _is_placed(*one, order, predecessors)]
        if len(later) == len(waiting):
            raise _misplaced(*waiting[0])
        waiting = later


def _is_placed(
    desired: Desired, key: Key, order: list[Key], predecessors: dict[Position, Key]
) -> bool:
    """Put a key into its place, unless its neighbour is not there yet."""
    where, other = position = desired.positions.get(key, ("last", ""))
    neighbour = desired.resource.key_of({desired.resource.key[0]: other})
    if other and neighbour not in order:
        if neighbour in desired.objects:
            raise _misplaced(desired, key)
        return False
    if where == "last":
        order.append(key)
    elif where == "before":
        order.insert(order.index(neighbour), key)
    elif position in predecessors:
        order.insert(order.index(predecessors[position]) + 1, key)
    else:
        order.insert(order.index(neighbour) + 1 if other else 0, key)
    predecessors[position] = key
    return True


def _misplaced(desired: Desired, key: Key) -> PlanError:
    """The error of a position whose neighbour is not there, or comes later in the task."""
    resource, (_where, other) = desired.resource, desired.positions[key]
    later = resource.key_of({resource.key[0]: other}) in desired.objects
    return PlanError(
        f"The position of {resource.named(desired.objects[key])} names the"
        f" {resource.key[0]} {other}, "
        + ("which comes later in the task; move it up." if later else "which is not there.")
    )


def in_own_order(desired: Desired, order: Sequence[Key]) -> list[Key]:
    """The keys with those of the task in its order, at the places that these have together."""
    own = iter([key for key in desired.objects if key in order])
    return [next(own) if key in desired.objects else key for key in order]


def longest_ascending(before: Sequence[Key], places: Mapping[Key, int]) -> list[Key]:
    """As many keys as possible that need not move: a longest ascending sequence of their new
    places."""
    known = [key for key in before if key in places]
    ends: list[int] = []  # the lowest last place of an ascending sequence, by its length
    links: dict[Key, Key | None] = {}
    heads: list[Key] = []
    for key in known:
        length = bisect_left(ends, places[key])
        links[key] = heads[length - 1] if length else None
        ends[length : length + 1] = [places[key]]
        heads[length : length + 1] = [key]
    unmoved: list[Key] = []
    last = heads[-1] if heads else None
    while last is not None:
        unmoved.append(last)
        last = links[last]
    return unmoved

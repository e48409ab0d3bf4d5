# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order in which a task describes the objects of an ordered list: one after the other, but for
those that have a position."""

from __future__ import annotations

from typing import AbstractSet, Mapping, Sequence

from .._schema.resource import Key
from .desired import Desired, Position

FIRST, LAST, BEFORE = "first", "last", "before"


def in_task_order(
    desired: Desired, collections: Sequence[Desired], order: Sequence[Key]
) -> list[Key]:
    """The keys in `order`, but those of a section stand as its task would place them if they were
    new. Together they, and the keys beside which the task places them, keep their places, so that
    no other key moves. `collections` are those of all sections that describe objects of the list.
    """
    positions = _binding_positions(desired, collections, order)
    section_keys = [key for key in desired.order or desired.objects if key in order]
    concerned = {*section_keys, *_neighbours(desired, positions)}
    if (FIRST, "") in positions.values():
        for collection in collections:
            concerned.update(collection.order or collection.objects)
    arranged = _in_places(
        [key for key in order if key in concerned],
        [key for key in section_keys if key not in positions],
    )
    return _in_places(order, _at_positions(desired, positions, arranged))


def _binding_positions(
    desired: Desired, collections: Sequence[Desired], order: Sequence[Key]
) -> Mapping[Key, Position]:
    """The positions of the task that say where an object stands, by keys in the order in which the
    objects are placed. `last` is where an entry stands without a position; of two entries that
    are each placed beside the other one, none has a place. A bare ref in another section says
    more than the position of a deployment, which is for a new one."""
    ordered_elsewhere: set[Key] = set()
    for collection in collections:
        if collection is not desired and collection.order:
            ordered_elsewhere.update(collection.order)
    waiting: dict[Key, Position] = {}
    for key, position in desired.positions.items():
        is_placed = key in order and position[0] != LAST
        if is_placed and key not in ordered_elsewhere and _has_neighbour(desired, position, order):
            waiting[key] = position
    binding: dict[Key, Position] = {}
    while waiting:
        placeable = _placeable(desired, waiting)
        if not placeable:
            break
        for key in placeable:
            binding[key] = waiting.pop(key)
    return binding


def _has_neighbour(desired: Desired, position: Position, order: Sequence[Key]) -> bool:
    """Return whether the object beside which a position is exists, or the position needs none."""
    return position[0] == FIRST or neighbour_key(desired, position[1]) in order


def _placeable(desired: Desired, waiting: Mapping[Key, Position]) -> list[Key]:
    """The keys of which the neighbour does not wait, or has its place by an earlier entry."""
    placeable: list[Key] = []
    for key, position in waiting.items():
        neighbour = neighbour_key(desired, position[1])
        if position[0] == FIRST or neighbour not in waiting or neighbour in placeable:
            placeable.append(key)
    return placeable


def _neighbours(desired: Desired, positions: Mapping[Key, Position]) -> AbstractSet[Key]:
    """The keys beside which the positions are."""
    return {neighbour_key(desired, name) for _where, name in positions.values() if name}


def _at_positions(
    desired: Desired, positions: Mapping[Key, Position], arranged: Sequence[Key]
) -> list[Key]:
    """The keys, of which those with a position are taken out and inserted there; several at the
    same position keep the order of the task."""
    order = [key for key in arranged if key not in positions]
    last_keys: dict[Position, Key] = {}
    for key, position in positions.items():
        insert_at(position, key, order, last_keys, neighbour_key(desired, position[1]))
    return order


def insert_at(
    position: Position, key: Key, order: list[Key], last_keys: dict[Position, Key], neighbour: Key
) -> None:
    """Insert a key into the order at its position, beside a neighbour that is there; `last_keys`
    has the last key inserted at each position."""
    where, neighbour_name = position
    if where == LAST:
        order.append(key)
    elif where == BEFORE:
        order.insert(order.index(neighbour), key)
    elif position in last_keys:
        order.insert(order.index(last_keys[position]) + 1, key)
    elif neighbour_name:
        order.insert(order.index(neighbour) + 1, key)
    else:
        order.insert(0, key)
    last_keys[position] = key


def neighbour_key(desired: Desired, name: str) -> Key:
    """The key of the object that a position names."""
    resource = desired.resource
    return resource.key_of({resource.key[0]: name})


def _in_places(order: Sequence[Key], arranged: Sequence[Key]) -> list[Key]:
    """The keys in `order`, of which the `arranged` ones stand in their own order at the places that
    they have together."""
    in_turn = iter(arranged)
    chosen = set(arranged)
    return [next(in_turn) if key in chosen else key for key in order]

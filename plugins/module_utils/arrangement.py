# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order of a list in which order matters: where new objects go, and which of the others move."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from typing import Sequence

from .declaration import Key, Object
from .errors import PlanError
from .plan import Operation
from .wishes import Wishes


def arranged(
    wishes: Wishes, live: Sequence[Object], changes: Sequence[Operation]
) -> tuple[list[Operation], Sequence[Key]]:
    """The changes of an ordered list with the positions (from 1) of what is new or moves, and the keys in their order.

    Raises PlanError for a position beside something that is not there, and for an object that would not be whole.
    """
    resource = wishes.resource
    gone = {item.key for item in changes if item.action == "delete"}
    before = [key for key in map(resource.key_of, live) if key not in gone]
    order = list(wishes.wanted) if wishes.exact else _inserted(wishes, before)
    places = {key: place for place, key in enumerate(order, start=1)}
    moving = set(order) - set(_staying(before, places))
    by_key = {item.key: item for item in changes if item.action != "delete"}
    for held in live:
        if resource.key_of(held) in moving:
            by_key.setdefault(resource.key_of(held), Operation("update", resource, {}, held))
    for key in moving:
        by_key[key] = replace(by_key[key], fields={**by_key[key].fields, "position": places[key]})
    for item in by_key.values():
        flaw = resource.flaw(item.foreseen or {})
        if flaw:
            raise PlanError(f"The {resource.title} {item.label} {flaw}.")
    inserted = sorted(by_key.values(), key=lambda item: places[item.key])
    return inserted + [item for item in changes if item.action == "delete"], order


def _inserted(wishes: Wishes, before: Sequence[Key]) -> list[Key]:
    """The keys with the new ones where they are wished for, those with one wish in the order of the wishes."""
    if wishes.absent:
        return list(before)
    resource = wishes.resource
    order = list(before)
    behind: dict[str, int] = {}
    first = 0
    for key, values in wishes.wanted.items():
        if key in before:
            continue
        place, ref = wishes.positions.get(key, ("last", ""))
        if place == "first":
            order.insert(first, key)
            first += 1
            continue
        if place == "last":
            order.append(key)
            continue
        beside = resource.key_of({resource.key[0]: ref})
        if beside not in order:
            raise PlanError(
                f"The position of {resource.title} {resource.label_of(values)} names the ref {ref}, which is not there."
            )
        index = order.index(beside)
        if place == "after":
            behind[ref] = behind.get(ref, 0) + 1
            index += behind[ref]
        order.insert(index, key)
    return order


def _staying(before: Sequence[Key], places: dict[Key, int]) -> list[Key]:
    """As many keys as possible that need not move: a longest ascending sequence of their new places."""
    known = [key for key in before if key in places]
    ends: list[int] = []  # the lowest last place of an ascending sequence, by its length
    links: dict[Key, Key | None] = {}
    heads: list[Key] = []
    for key in known:
        length = bisect_left(ends, places[key])
        links[key] = heads[length - 1] if length else None
        ends[length : length + 1] = [places[key]]
        heads[length : length + 1] = [key]
    staying: list[Key] = []
    last = heads[-1] if heads else None
    while last is not None:
        staying.append(last)
        last = links[last]
    return staying

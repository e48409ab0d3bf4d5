# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads collections completely, and single objects inside of others."""

from __future__ import annotations

from typing import Mapping, Sequence

from ._api.client import Client
from ._concurrency import concurrently
from ._plan.desired import Desired
from ._plan.plan import unread_nested
from ._schema.lists import LISTS, REFERENCES
from ._schema.resource import Object, Resource, State


def read_state(client: Client, resources: Sequence[Resource]) -> State:
    """A complete listing of each collection, read concurrently."""
    return dict(
        zip([resource.plural for resource in resources], concurrently(client.read, resources))
    )


def read_nested(client: Client, desired: Sequence[Desired], existing: State) -> State:
    """By collection: the nested objects that a task names and that no existing object has."""
    nested: dict[str, Sequence[Object]] = {}
    for item in desired:
        resource = item.resource
        ids = unread_nested(resource, item.objects.values(), existing[resource.plural])
        objects = concurrently(client.read, [resource.nested_object(one) for one in ids])
        if ids:
            nested[resource.plural] = [obj for (obj,) in objects]
    return nested


def with_references(state: State, changes: Mapping[str, int]) -> State:
    """A state as the modules before this one leave it: more or fewer rules refer to its lists."""
    lists = [
        {**obj, REFERENCES: max(0, int(obj.get(REFERENCES) or 0) + changes[LISTS.label_of(obj)])}
        if changes.get(LISTS.label_of(obj))
        else obj
        for obj in state.get(LISTS.plural, ())
    ]
    return {**state, LISTS.plural: lists} if changes and lists else state

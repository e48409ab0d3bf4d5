# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""New rules that take the place of rules which the same plan deletes, such as one with another ref:
they stop nothing that is not stopped today, so that they do not log first, which would let it
pass."""

from __future__ import annotations

from typing import Iterable, Sequence

from .._plan.desired import Desired
from .._plan.plan import differences
from .._plan.rollout import Target
from .._protection.monitoring import ladder_of
from .._schema.resource import Key, Object, Resource, State, Values
from .widened_rules import may_stop_more


def rules_in_place_of_others(existing: State, desired: Iterable[Desired]) -> frozenset[Target]:
    """The new rules with stages that stop no more than a rule which the desired state deletes."""
    found: set[Target] = set()
    for collection in desired:
        resource = collection.resource
        if not collection.stages:
            continue
        objects = existing.get(resource.plural, ())
        keys = {resource.key_of(obj) for obj in objects}
        deleted = [obj for obj in objects if _stops_until_deleted(collection, obj)]
        for key in collection.stages.keys() - keys:
            if _is_in_place_of_one(resource, collection.objects[key], deleted):
                found.add((resource.plural, key))
    return frozenset(found)


def _stops_until_deleted(collection: Desired, obj: Object) -> bool:
    """Return whether an existing rule stops traffic, and the desired state deletes it."""
    resource, ladder = collection.resource, ladder_of(collection.resource)
    is_kept = str(obj.get("id")) in collection.ignore_ids
    if ladder is None or is_kept or not ladder.is_at_last(obj):
        return False
    return _deletes(collection, resource.key_of(obj))


def _deletes(collection: Desired, key: Key) -> bool:
    return key in collection.gone | collection.expired or collection.drops(key)


def _is_in_place_of_one(resource: Resource, values: Values, deleted: Sequence[Object]) -> bool:
    """Return whether one of these rules, which are deleted, stops all that a new one would."""
    new = {**resource.defaults(), **values}
    return any(not _stops_more(resource, obj, new) for obj in deleted)


def _stops_more(resource: Resource, deleted: Object, new: Object) -> bool:
    names = differences(resource.fields, deleted, new).keys() - {*resource.key}
    return may_stop_more(resource, deleted, new, names)

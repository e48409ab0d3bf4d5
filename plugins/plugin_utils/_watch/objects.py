# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The objects of a change that a watch follows, and those that nobody could follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...module_utils._schema.registry import BY_NAME, title_of_operation
from ...module_utils._schema.resource import ENFORCING, ZONE_OPTION, Object, Resource
from ...module_utils._text import first_few
from .set_back import ABOUT_OBJECTS, PlannedChange, collections_of_change
from .verdict import WatchedObject

PASSES = ("log",)  # actions that neither stop a request nor keep others from it


def why_not_watched(operations: Sequence[Mapping[str, Any]]) -> str:
    """The reason why nobody could watch a change; empty if its zone's analytics show all of it."""
    titles = [
        title_of_operation(operation)
        for operation in operations
        if may_stop(operation) and BY_NAME[operation["resource"]].owner != ZONE_OPTION
    ]
    if not titles:
        return ""
    return (
        f"baseline_watch: the analytics of a zone do not show what {first_few(titles)} of the"
        " account stops, so that nobody could watch this change. Apply the change of the account"
        " by a run of its own with -e '{\"baseline_watch\": null}'."
    )


def may_stop(operation: Mapping[str, Any]) -> bool:
    """Return whether an operation may stop traffic: it changes more than inert fields, and
    more than what is said of an object."""
    inert = {*BY_NAME[operation["resource"]].inert, *ABOUT_OBJECTS}
    return operation["action"] != "update" or not operation["fields"].keys() <= inert


def watched_objects(change: PlannedChange) -> list[WatchedObject]:
    """The objects of a change in a zone that a watch follows, each with the id by which events name
    it, as far as the state after the change is known."""
    objects: dict[tuple[str, str], WatchedObject] = {}
    for operation in filter(may_stop, change.operations):
        name, key = str(operation["resource"]), str(operation["key"])
        objects[name, key] = WatchedObject(name, key)
    for collection in collections_of_change(change):
        name = collection.resource.name
        for key in collection.after:
            if (name, key) in objects:
                rule = _rule_of(
                    collection.resource, collection.before.get(key), collection.after[key]
                )
                objects[name, key] = WatchedObject(name, key, rule)
    return list(objects.values())


def replaced_objects(
    change: PlannedChange, objects: Sequence[WatchedObject]
) -> list[WatchedObject]:
    """The watched rules that are gone after a change, or have other ids, by which events name
    them."""
    identities: dict[tuple[str, str], Any] = {}
    for collection in collections_of_change(change):
        for key, obj in collection.after.items():
            identities[collection.resource.name, key] = obj.get("id")
    ruled = [watched for watched in objects if watched.rule is not None]
    return [
        watched
        for watched in ruled
        if identities.get((watched.resource, watched.key)) != watched.rule
    ]


def _rule_of(resource: Resource, before: Object | None, after: Object) -> str | None:
    """The id of a rule that alone stops more than before; None if other rules may as well: events
    of a deployment or an override have the ids of the managed rules."""
    stops_itself = resource.traffic and resource.is_ordered and after.get("action") in ENFORCING
    if not stops_itself or (before and not _is_neutral(before)):
        return None
    return str(after["id"]) if after.get("id") else None


def _is_neutral(rule: Object) -> bool:
    """Return whether a rule lets the rules behind it see each request that it does not stop."""
    action = rule.get("action")
    return rule.get("enabled") is False or action in PASSES or action in ENFORCING


def titles_of(objects: Sequence[WatchedObject]) -> Iterator[str]:
    """The titles of watched objects."""
    for watched in objects:
        yield title_of_operation({"resource": watched.resource, "key": watched.key})

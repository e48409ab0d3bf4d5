# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The objects of a change that a watch follows, and those that nobody could follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...module_utils._schema.account import ACCOUNT_RESOURCES, DNS_RULES, ENABLED
from ...module_utils._schema.network_firewall import NETWORK_FIREWALL_RULES
from ...module_utils._schema.products import TCP
from ...module_utils._schema.registry import BY_NAME, title_of_operation
from ...module_utils._schema.resource import ENFORCING, ZONE_OPTION, Object, Resource
from ...module_utils._text import first_few
from ...module_utils._traffic.queries import FIREWALL, NODES, node_of
from ...module_utils._traffic.watched import THE_ZONE
from .set_back import ABOUT_OBJECTS, PlannedChange, collections_of_change
from .verdict import WatchedObject

PASSES = ("log",)  # actions that neither stop a request nor keep others from it


def why_not_watched(operations: Sequence[Mapping[str, Any]]) -> str:
    """The reason why nobody could watch a change; empty if the analytics show all of it."""
    titles = [
        title_of_operation(operation)
        for operation in filter(may_stop, operations)
        if not sources_of(BY_NAME[operation["resource"]])
    ]
    if not titles:
        return ""
    return (
        f"baseline_watch: the analytics do not show what {first_few(titles)} of the account stops,"
        " so that nobody could watch this change. Apply it by a run of its own with -e"
        " '{\"baseline_watch\": null}'."
    )


def sources_of(resource: Resource, with_dns: bool = False) -> list[str]:
    """The sources of the samples that show what objects of a collection stop; none if no analytics
    do. What the account protects concerns each component; DNS protection if it has rules."""
    if resource.owner == ZONE_OPTION:
        return [THE_ZONE]
    if resource is NETWORK_FIREWALL_RULES:
        return [FIREWALL.name]
    if resource.component:
        return [node_of(resource.component).name]
    shared = [node.name for node in NODES if with_dns or node.product == TCP]
    return shared if resource in ACCOUNT_RESOURCES else []


def may_stop(operation: Mapping[str, Any]) -> bool:
    """Return whether an operation may stop traffic: it changes more than inert fields, and
    more than what is said of an object."""
    resource = BY_NAME[operation["resource"]]
    if _stops_nothing(resource, operation):
        return False
    inert = {*resource.inert, *ABOUT_OBJECTS}
    return operation["action"] != "update" or not operation["fields"].keys() <= inert


def _stops_nothing(resource: Resource, operation: Mapping[str, Any]) -> bool:
    """Return whether an object stops no traffic after an operation, nor has others stop more: it
    monitors, or it is a new rule that logs or is off."""
    fields, mode = operation["fields"], resource.mode_field
    if mode and fields.get(mode) not in (None, ENABLED):
        return True
    is_idle = fields.get("action") in PASSES or fields.get("enabled") is False
    return is_idle and operation["action"] == "create"


def watched_objects(change: PlannedChange) -> list[WatchedObject]:
    """The objects of a change that a watch follows, each with the id by which events name it, as
    far as the state after the change is known, and once for each source that shows what it
    stops."""
    with_dns = bool((change.after or change.before).get(DNS_RULES.plural))
    rules = _stricter_rules(change)
    objects: dict[WatchedObject, None] = {}
    for operation in filter(may_stop, change.operations):
        name, key = str(operation["resource"]), str(operation["key"])
        for source in sources_of(BY_NAME[name], with_dns):
            objects[WatchedObject(name, key, rules.get((name, key)), source)] = None
    return list(objects)


def _stricter_rules(change: PlannedChange) -> dict[tuple[str, str], str | None]:
    """The ids of rules that alone stop more than before, by the names of resources and keys."""
    rules: dict[tuple[str, str], str | None] = {}
    for collection in collections_of_change(change):
        resource = collection.resource
        for key, after in collection.after.items():
            rules[resource.name, key] = _rule_of(resource, collection.before.get(key), after)
    return rules


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


def titles_by_rule(change: PlannedChange) -> dict[str, str]:
    """The titles of all rules after a change, as far as they are known, by their ids."""
    titles: dict[str, str] = {}
    for collection in collections_of_change(change):
        for obj in collection.after.values():
            if obj.get("id"):
                titles[str(obj["id"])] = collection.resource.title_of(obj)
    return titles

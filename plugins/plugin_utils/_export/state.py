# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The state of a host: which modules read what others may change, and what they return by
resource."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    LISTS,
    STATUS,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import WHOLE_LISTS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import (
    Object,
    Resource,
    State,
)
from ansible_collections.edgeops.protection.plugins.module_utils._specs.account import SUBSETS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS

from .._baseline.variables import (
    ACCOUNT,
    CUSTOM,
    IP_LISTS,
    MODULES,
    RULESETS,
    Part,
    connection_options,
)

Result = Mapping[str, Any]

ACCOUNT_READER = "protection_info"  # of the account; any other module has one of its own name


def touched(module: str, options: Mapping[str, Any]) -> Sequence[Resource]:
    """The resources that a module may change with these options; lists with their items."""
    if module == IP_LISTS:
        return [WHOLE_LISTS]
    return list(MODULE_SPECS[module].reads(options))


_EVERYTHING: Mapping[str, Any] = {name: [] for name in SUBSETS}
RESOURCES: Mapping[str, Resource] = {
    resource.plural: resource for module in MODULES for resource in touched(module, _EVERYTHING)
}


def resource_of(plural: str) -> Resource:
    """The resource with this plural, of those that the role baseline manages; raises ValueError."""
    if plural not in RESOURCES:
        raise ValueError(f"this release of the collection does not know {plural}")
    return RESOURCES[plural]


def reader_of(part: Part) -> Part:
    """The module that reads all that a part may change; one that is given no rules reads them."""
    connection = connection_options(part)
    if part.module == IP_LISTS:
        return Part(ACCOUNT_READER, {**connection, "gather_subset": [WHOLE_LISTS.plural]})
    if part.module in RULESETS and part.module != CUSTOM:
        return Part(part.module, {**connection, RULESETS[part.module]: []})
    if part.module != ACCOUNT:
        return Part(f"{part.module}_info", connection)
    resources = touched(part.module, part.options)
    subsets = [name for name, items in SUBSETS.items() if any(item in resources for item in items)]
    return Part(ACCOUNT_READER, {**connection, "gather_subset": subsets})


def state_of(part: Part, result: Result) -> dict[str, list[Object]]:
    """What a part may change, by the plural of each resource, out of what its reader returned."""
    if part.module == ACCOUNT:
        return account_state(result)
    if part.module == IP_LISTS:
        return {WHOLE_LISTS.plural: list(result[WHOLE_LISTS.plural])}
    (resource,) = touched(part.module, part.options)
    return {resource.plural: list(result[RULESETS.get(part.module, "rules")])}


def account_state(result: Any) -> dict[str, list[Object]]:
    """The objects in a result of protection_info, by the plural of each resource; raises
    ValueError for a result that lacks a subset which is read by default."""
    status = result.get(STATUS.plural) if isinstance(result, Mapping) else None
    if not isinstance(status, Mapping):
        raise ValueError("the account is not the result of protection_info with all of its subsets")
    state: dict[str, list[Object]] = {STATUS.plural: [status]}
    for name, resources in LISTS.items():
        objects = result.get(name)
        if name not in result and all(item.on_demand for item in resources):
            continue
        if not isinstance(objects, Sequence) or isinstance(objects, str):
            raise ValueError(f"{name} is not a list; read it with protection_info")
        state.update({item.plural: _of_kind(item, objects) for item in resources})
    return state


def _of_kind(resource: Resource, objects: Sequence[Object]) -> list[Object]:
    """The objects of one resource, as Cloudflare has them, in a list of several kinds."""
    if resource.kind is None:
        return list(objects)
    own = [obj for obj in objects if obj.get("kind") == resource.kind]
    return [{name: value for name, value in obj.items() if name != "kind"} for obj in own]


def merged(states: Sequence[State]) -> dict[str, Sequence[Object]]:
    """Several states as one."""
    return {plural: objects for state in states for plural, objects in state.items()}

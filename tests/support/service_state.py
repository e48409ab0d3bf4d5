# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the local service has before and after a run, in a form that can be compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ACCOUNT_RESOURCES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import MANAGED, OF_ACCOUNT_ALONE
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import ZONE_OPTION, Resource
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import HOST_MODULE

from tests.fake_service import LocalService
from tests.fake_service.accounts import Account
from tests.fake_service.zones import Zone
from tests.support.module_run import ACCOUNT, AREA_B, ZONE

Item = dict[str, Any]
LEFT_TO_THE_SERVICE = {
    "id", "created_on", "modified_on", "mitigation_type", "not_before", "version", "last_updated",
    "num_referencing_filters", "existing",
    *(name for managed in MANAGED if managed.plain for name in managed.resource.read_only),
}  # fmt: skip
# Of what state documents have under another name than diffs.
IN_DOCUMENTS = {
    "status": "enabled",
    "firewall_rules": "rules",
    "ip_lists": "lists",
    "account_custom_rulesets": "custom_rulesets",
}
PLACEHOLDER = re.compile(r"\{\w+\}")
RESOURCES = (*(managed.resource for managed in MANAGED), *OF_ACCOUNT_ALONE)
# Paths whose DELETE would clear a whole collection.
COLLECTIONS = tuple(
    re.compile("/" + PLACEHOLDER.sub("[^/]+", collection.path) + "$")
    for resource in RESOURCES
    for collection in resource.collections
)


def seed(service: LocalService, module: str, existing: Mapping[str, Any]) -> None:
    """Let the module's account or zone have this existing state; a host has one of both."""
    if module == HOST_MODULE:
        service.account(ACCOUNT).seed(**existing["account"])
        service.zone(ZONE).seed(**existing["zone"])
        return
    owner = service.zone(ZONE) if module in AREA_B else service.account(ACCOUNT)
    owner.seed(**existing)


def collections_of(service: LocalService) -> dict[str, list[Item]]:
    """All objects that the service holds, by the names that diffs give to collections."""
    collections: dict[str, list[Item]] = {}
    for resource in RESOURCES:
        owner = service.zone(ZONE) if resource.owner == ZONE_OPTION else service.account(ACCOUNT)
        try:
            objects = objects_in(owner, resource)
        except LookupError:
            continue  # test_resource_samples names what the service lacks
        collections[resource.plural] = _as_seen(resource, objects)
        contents_of = resource.contents
        if contents_of is None:
            continue
        for obj in objects:
            contents = contents_of(obj)
            collections[contents.plural] = _as_seen(contents, obj[_field_of(contents)])
    return collections


def name_in_documents(resource: Resource) -> str:
    """The name of a resource in state documents of its owner, such as `prefixes` or `syn_flood.rules`."""
    if resource.kind:
        return resource.plural.replace(f"{resource.kind}_", f"{resource.kind}.")
    return IN_DOCUMENTS.get(resource.plural, resource.plural)


def objects_in(owner: Account | Zone, resource: Resource) -> list[Item]:
    """The objects of a resource that an account or zone holds; raises LookupError if state documents lack it."""
    if resource.is_ordered:
        rules: list[Item] = owner.entry_points[resource.phase]["rules"] if resource.phase in owner.entry_points else []
        return rules
    contents: Any = owner.document()
    for part in name_in_documents(resource).split("."):
        contents = contents[part]
    if resource.key:
        objects: list[Item] = contents
        return objects
    return [contents if isinstance(contents, dict) else {resource.fields[0].name: contents}]


def _field_of(contents: Resource) -> str:
    """The field of an object in which the service holds a collection."""
    return contents.document.field if contents.is_ordered else contents.path.rpartition("/")[2]


def _as_seen(resource: Resource, objects: list[Item]) -> list[Item]:
    """Objects of the service in the shape in which the collection knows them."""
    return [resource.shape.from_api(obj) for obj in objects] if resource.shape else objects


def comparable(value: Any) -> Any:
    """A result without what only the service can know."""
    if isinstance(value, Mapping):
        timed = {"message"} if "not_before" in value else set()
        return {name: comparable(item) for name, item in value.items() if name not in LEFT_TO_THE_SERVICE | timed}
    return [comparable(item) for item in value] if isinstance(value, list) else value


def differences(value: Any, other: Any, path: str = "") -> list[str]:
    """The places in which two comparable results differ, each with both values."""
    if isinstance(value, Mapping) and isinstance(other, Mapping):
        names = [*value, *(name for name in other if name not in value)]
        return [line for name in names for line in differences(value.get(name), other.get(name), f"{path}.{name}")]
    if isinstance(value, list) and isinstance(other, list) and len(value) == len(other):
        pairs = enumerate(zip(value, other, strict=True))
        return [line for number, pair in pairs for line in differences(*pair, f"{path}[{number}]")]
    return [] if value == other else [f"{path.removeprefix('.')}: predicted {value!r}, then {other!r}"]


def clearances(service: LocalService) -> list[str]:
    """The paths of the calls that deleted a whole collection."""
    deletions = [call.path for call in service.calls if call.method == "DELETE"]
    return [path for path in deletions if any(collection.search(path) for collection in COLLECTIONS)]


def assert_no_duplicates_and_no_clearance(service: LocalService) -> None:
    """No object is there twice, and no call deleted a whole collection."""
    assert clearances(service) == []
    for resource in ACCOUNT_RESOURCES:
        keys = Counter(resource.key_of(item) for item in collections_of(service)[resource.plural])
        assert max(keys.values(), default=0) <= 1

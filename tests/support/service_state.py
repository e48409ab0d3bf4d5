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
from ansible_collections.edgeops.protection.plugins.module_utils._schema.ddos_overrides import (
    L4_OVERRIDES,
    L7_OVERRIDES,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import items_of
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import SECURITY_LEVEL
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import HOST_MODULE

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, AREA_B, ZONE

LEFT_TO_THE_SERVICE = {
    "id", "created_on", "modified_on", "mitigation_type", "not_before", "version", "last_updated",
    "num_referencing_filters",
}  # fmt: skip
COLLECTION = re.compile(r"/(prefixes|allowlist|rules|filters)$")


def seed(service: LocalService, module: str, existing: Mapping[str, Any]) -> None:
    """Let the module's account or zone have this existing state; a host has one of both."""
    if module == HOST_MODULE:
        service.account(ACCOUNT).seed(**existing["account"])
        service.zone(ZONE).seed(**existing["zone"])
        return
    owner = service.zone(ZONE) if module in AREA_B else service.account(ACCOUNT)
    owner.seed(**existing)


def collections_of(service: LocalService) -> dict[str, list[dict[str, Any]]]:
    """All objects that the service holds, by the names that diffs give to collections."""
    account, zone = service.account(ACCOUNT), service.zone(ZONE)
    kinds = ("syn_flood", "out_of_state_tcp")
    return {
        "status": [{"enabled": account.enabled}],
        "prefixes": account.prefixes,
        "allowlist": account.allowlist,
        **{f"{kind}_rules": account.rules[kind] for kind in kinds},
        **{f"{kind}_filters": account.filters[kind] for kind in kinds},
        "dns_rules": account.dns_rules,
        "firewall_rules": zone.rules,
        "custom_rules": zone.custom_rules,
        "custom_rulesets": zone.custom_rulesets,
        **{f"rules of {each['name']}": each["rules"] for each in (*account.custom_rulesets, *zone.custom_rulesets)},
        "account_custom_rulesets": account.custom_rulesets,
        "account_custom_rules": account.rules_of("custom_rules"),
        "rate_limit_rules": zone.rules_of("rate_limit_rules"),
        "managed_rules": zone.rules_of("managed_rules"),
        "network_firewall_rules": account.rules_of("network_firewall_rules"),
        "ip_lists": account.ip_lists.lists,
        **{f"items of {each['name']}": _as_seen(items_of(""), each["items"]) for each in account.ip_lists.lists},
        "ddos_l4_overrides": _as_seen(L4_OVERRIDES, account.rules_of("ddos_l4_overrides")),
        "ddos_l7_overrides": _as_seen(L7_OVERRIDES, zone.ddos_l7_overrides),
        "security_level": _as_seen(SECURITY_LEVEL, [zone.declared["security_level"]]),
    }


def _as_seen(resource: Resource, rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rules of the service in the shape in which the collection knows them."""
    return [resource.shape.from_api(rule) for rule in rules] if resource.shape else rules


def comparable(value: Any) -> Any:
    """A result without what only the service can know."""
    if isinstance(value, Mapping):
        timed = {"message"} if "not_before" in value else set()
        return {name: comparable(item) for name, item in value.items() if name not in LEFT_TO_THE_SERVICE | timed}
    return [comparable(item) for item in value] if isinstance(value, list) else value


def assert_no_duplicates_and_no_clearance(service: LocalService) -> None:
    """No object is there twice, and no call deleted a whole collection."""
    assert not [call for call in service.calls if call.method == "DELETE" and COLLECTION.search(call.path)]
    for resource in ACCOUNT_RESOURCES:
        keys = Counter(resource.key_of(item) for item in collections_of(service)[resource.plural])
        assert max(keys.values(), default=0) <= 1

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects against the declarations of the schema."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import ACCOUNTS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES, FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.objects import is_managed, observe_objects
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.reads import Answer, Read

RULE: dict[str, Any] = {
    "id": "r1", "ref": "a", "action": "skip", "expression": "true", "enabled": True, "version": "1",
    "last_updated": "2027-01-29T09:15:02Z", "action_parameters": {"ruleset": "current"},
}  # fmt: skip
FIREWALL: dict[str, Any] = {
    "id": "1" * 32, "action": "block", "filter": {"id": "2" * 32, "expression": "true", "paused": False, "deleted": True}
}  # fmt: skip


def problems(resource: Resource, *objects: dict[str, Any]) -> dict[str, str]:
    result: Any = {"id": "x", "rules": list(objects)} if resource.is_ordered else list(objects)
    read = Read(resource, Request("GET", resource.path, resource=resource))
    answer = Answer(read, 200, document={"success": True, "result": result})
    return {item.assumption: item.problem for item in observe_objects(answer)}


@pytest.mark.parametrize(
    ("resource", "item"), [(CUSTOM_RULES, RULE), (FIREWALL_RULES, FIREWALL)], ids=["custom", "firewall"]
)
def test_an_object_with_only_what_it_always_has_is_as_expected(resource: Resource, item: dict[str, Any]) -> None:
    seen = problems(resource, item)
    assert seen and not any(seen.values())


@pytest.mark.parametrize(
    ("changed", "assumption", "problem"),
    [
        ({"action": None, "score": 1}, "fields_known", "unknown field score in 1 of 2 objects"),
        ({"action_parameters": {"phases": ["x"], "odd": 1}}, "fields_known", "unknown field action_parameters.odd"),
        ({"expression": "ip.src eq"}, "expressions", "an expression that cannot be read in 1 of 2"),
        ({"ref": "A"}, "keys", ""),
        ({"enabled": 1}, "types", "enabled is a int"),
        ({"last_updated": 5}, "times", "an unreadable last_updated"),
    ],
)
def test_an_odd_object_is_counted(changed: dict[str, Any], assumption: str, problem: str) -> None:
    seen = problems(CUSTOM_RULES, RULE, {**RULE, "ref": "b", **changed})
    assert seen[assumption].startswith(problem) and bool(seen[assumption]) is bool(problem)


def test_only_what_the_collection_writes_must_be_known_to_its_fields() -> None:
    assert not is_managed(ACCOUNTS)
    seen = problems(ACCOUNTS, {"id": "1" * 32, "name": "x", "type": "enterprise", "settings": {}})
    assert "fields_known" not in seen and not any(seen.values())
    assert problems(ACCOUNTS) == {}

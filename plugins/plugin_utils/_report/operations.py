# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The differences of a host as the report shows them: what a person calls the object, and what each
field is now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema import account
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import (
    CUSTOM_RULES,
    ENFORCING,
    FIREWALL_RULES,
    SKIPPING,
)

RESOURCES = {
    resource.name: resource for resource in (*account.RESOURCES, CUSTOM_RULES, FIREWALL_RULES)
}


def described_operations(results: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The operations of the results by module, each with its `module`, `title`, `name`, and
    `before` for its fields."""
    return [
        {"module": module, **_described(operation, result.get("diff") or {})}
        for module, result in results.items()
        for operation in result.get("operations") or ()
    ]


def weaker_rules(results: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The rules of a zone that enforce less than the baseline, a sentence each."""
    sentences = []
    for resource in (CUSTOM_RULES, FIREWALL_RULES):
        for result in results.values():
            before, after = _sides(result.get("diff") or {}, resource.plural)
            for key in dict.fromkeys([*before, *after]):
                existing, desired = before.get(key), after.get(key)
                if _enforcement(existing) < _enforcement(desired):
                    rule = f"The {resource.title} {rule_name(key, existing or desired or {})}"
                    sentences.append(f"{rule} {_lack(existing, desired)}.")
    return sentences


def rule_name(key: str, obj: Mapping[str, Any]) -> str:
    """What people call an object: its description where its key is an id of the service, or says
    less."""
    description = obj.get("description")
    if not description or description == key:
        return key
    return str(description) if obj.get("id") == key else f"{key} ({description})"


def _described(operation: Mapping[str, Any], diff: Mapping[str, Any]) -> dict[str, Any]:
    resource, key = RESOURCES.get(operation["resource"]), str(operation["key"])
    before, after = _sides(diff, resource.plural if resource else "")
    existing = before if resource and not resource.key else before.get(key) or {}
    fields = dict(operation.get("fields") or {})
    return {
        "action": operation["action"],
        "resource": operation["resource"],
        "title": resource.title if resource else operation["resource"],
        "key": key,
        "name": rule_name(key, existing if existing.get("description") else after.get(key) or {}),
        "fields": fields,
        "before": dict(operation.get("before") or {}),
    }


def _sides(diff: Mapping[str, Any], plural: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The objects of a collection before and after, by key."""
    before, after = ((diff.get(side) or {}).get(plural) or {} for side in ("before", "after"))
    return before, after


def flattened(fields: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """The fields with their paths, such as `filter.expression`."""
    for name, value in fields.items():
        if isinstance(value, Mapping) and value:
            yield from flattened(value, f"{path}{name}.")
        else:
            yield path + name, value


def _is_off(rule: Mapping[str, Any]) -> bool:
    condition = rule.get("filter")
    paused = bool(rule.get("paused")) or (
        isinstance(condition, Mapping) and bool(condition.get("paused"))
    )
    return paused or rule.get("enabled") is False


def _enforcement(rule: Mapping[str, Any] | None) -> int:
    """1 for a rule that blocks or challenges, -1 for one that lets requests skip others, 0 for what
    does neither."""
    if rule is None or _is_off(rule):
        return 0
    return 1 if rule.get("action") in ENFORCING else -1 if rule.get("action") in SKIPPING else 0


def _lack(existing: Mapping[str, Any] | None, desired: Mapping[str, Any] | None) -> str:
    if existing is None:
        return "does not exist"
    if desired is None or _is_off(desired):
        return "lets requests pass, and the baseline does not"
    if _is_off(existing):
        return "is off, and the baseline turns it on"
    return f"has the action {existing.get('action')}, and the baseline says {desired.get('action')}"

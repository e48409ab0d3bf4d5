# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an account and a zone hold, as the variables of the role baseline: pure functions from
results to data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._messages import Option
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_values
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    LISTS,
    STATUS,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import (
    Key,
    Object,
    Resource,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import (
    CUSTOM_RULES,
    FIREWALL_RULES,
    PARAMETERS,
)

from .._plain import plain

Results = Mapping[str, Any]


@dataclass
class Export:
    """Variables of the role baseline, a sentence for each object that they cannot describe, and the
    lists of those."""

    variables: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    undescribed: set[str] = field(
        default_factory=set
    )  # collections with an object that no variable describes
    incomplete: list[str] = field(
        default_factory=list
    )  # the lists of these collections: prefixes, rules, custom_rules


def export_baseline(
    account: Results | None,
    custom_rules: Sequence[Object] | None = None,
    firewall_rules: Sequence[Object] | None = None,
    purge: bool = False,
) -> Export:
    """The variables under which the role baseline changes nothing.

    `account` is the result of protection_info, the others are lists of rules as their _info modules
    return them; None leaves a part out. With `purge` the lists are exact: entries that are not
    named are deleted. Raises ValueError for input of another shape.
    """
    export = Export()
    if account is not None:
        _export_account(account, purge, export)
    if custom_rules is not None:
        export.variables["baseline_custom_rules"] = _described(
            CUSTOM_RULES, custom_rules, export, _custom_rule
        )
        export.incomplete += export.undescribed & {CUSTOM_RULES.plural}
        export.variables["baseline_custom_rules_state"] = "exact" if purge else "present"
    if firewall_rules is not None:
        rules = _described(FIREWALL_RULES, firewall_rules, export, _firewall_rule)
        export.variables["baseline_firewall_rules"] = rules
    if not export.variables:
        raise ValueError(
            "there is nothing to export; give the result of protection_info, or lists of rules"
        )
    return export


def _export_account(account: Results, purge: bool, export: Export) -> None:
    if not isinstance(account, Mapping) or not isinstance(account.get("status"), Mapping):
        raise ValueError("the account is not the result of protection_info with all of its subsets")
    export.variables["baseline_enabled"] = bool(account["status"].get(STATUS.fields[0].name))
    read = [
        name
        for name, items in LISTS.items()
        if name in account or not any(item.on_demand for item in items)
    ]
    for option in read:
        resources, entries = LISTS[option], account.get(option)
        if not isinstance(entries, Sequence) or isinstance(entries, str):
            raise ValueError(f"{option} is not a list; read it with protection_info")
        described = []
        for resource in resources:
            objects = [
                entry
                for entry in entries
                if resource.kind is None or entry.get("kind") == resource.kind
            ]
            kind = {"kind": resource.kind} if resource.kind else {}
            described += [
                {**kind, **values}
                for values in _sorted(resource, _described(resource, objects, export))
            ]
        export.variables["baseline_" + option] = described
        export.incomplete += (
            [option] if export.undescribed & {resource.plural for resource in resources} else []
        )
    export.variables["baseline_purge"] = read if purge else []


def _described(
    resource: Resource,
    objects: Iterable[Object],
    export: Export,
    adjust: Callable[[dict[str, Any], list[str]], dict[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """The managed fields of the objects, in their order; without those that options cannot
    describe."""
    described: dict[Key, dict[str, Any]] = {}
    for item in objects:
        values = resource.managed(plain(item))
        notes: list[str] = []
        values = (
            adjust(values, notes)
            if adjust
            else {key: value for key, value in values.items() if value is not None}
        )
        what = f"The {resource.title} {resource.label_of(item)}"
        try:
            key = resource.key_of(parse_values(resource, Option(), values))
        except (OptionError, KeyError) as exc:
            export.notes.append(f"{what} cannot be described: {exc}.")
            export.undescribed.add(resource.plural)
            continue
        if key in described:
            export.notes.append(
                f"{what} exists more than once (id {item.get('id')}); it is described once."
            )
            continue
        export.notes += [f"{what} {note}." for note in notes]
        described[key] = values
    return list(described.values())


def _sorted(resource: Resource, described: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(described, key=resource.key_of)


def _custom_rule(values: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    rule = {name: value for name, value in values.items() if value is not None}
    unmanaged = sorted(set(rule.get("action_parameters") or {}) - set(PARAMETERS))
    if unmanaged:
        notes.append(f"has {', '.join(unmanaged)} in action_parameters, which stay as they are")
        del rule["action_parameters"]
    return rule


def _firewall_rule(values: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    """An empty priority says that the rule has none; a filter that is deleted is left out."""
    rule = {name: value for name, value in values.items() if value is not None}
    if "priority" in values and values["priority"] is None:
        rule["priority"] = ""
    condition = {
        name: value for name, value in (rule.get("filter") or {}).items() if value is not None
    }
    if "expression" in condition:
        return {**rule, "filter": condition}
    notes.append("has a filter without an expression, which stays as it is")
    return {name: value for name, value in rule.items() if name != "filter"}

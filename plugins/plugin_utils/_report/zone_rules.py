# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of a zone that enforce less than the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ansible_collections.edgeops.protection.plugins.module_utils._schema.evaluation import (
    EVALUATION,
    ZoneRule,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource

from .operations import rule_name, sides


class ChangedRule(NamedTuple):
    """A rule of a zone before and after a plan; None if there is none."""

    title: str
    before: ZoneRule | None
    after: ZoneRule | None

    @property
    def is_weaker(self) -> bool:
        """Whether the rule enforces less before the plan than after it."""
        return _enforcement(self.before) < _enforcement(self.after)


def changed_rules(diff: Mapping[str, Any]) -> list[ChangedRule]:
    """The rules in the diff of a module's result."""
    changed = []
    for resource, in_order in EVALUATION:
        before, after = sides(diff, resource.plural)
        existing = {rule.entry: rule for rule in in_order(list(before.values()))}
        desired = {rule.entry: rule for rule in in_order(list(after.values()))}
        for key in dict.fromkeys([*before, *after]):
            title = _title(resource, key, before.get(key) or after.get(key) or {})
            changed.append(ChangedRule(title, existing.get(key), desired.get(key)))
    return changed


def planned_rules(module: str, result: Mapping[str, Any]) -> list[ZoneRule]:
    """The rules in the result of a module for a zone, after its plan."""
    return [
        rule
        for resource, in_order in EVALUATION
        if resource.plural == module
        for rule in in_order(list(result.get("rules") or ()))
    ]


def weaker_rules(rules: Sequence[ChangedRule]) -> list[str]:
    """The rules that enforce less than the baseline, a sentence each; the module itself says what a
    rule takes away that the plan deletes."""
    return [
        f"{rule.title} {_lack(rule.before, rule.after)}."
        for rule in rules
        if rule.after is not None and rule.is_weaker
    ]


def _title(resource: Resource, key: str, rule: Mapping[str, Any]) -> str:
    return f"The {resource.title} {rule_name(key, rule)}"


def _enforcement(rule: ZoneRule | None) -> int:
    """1 for a rule that blocks or challenges, -1 for one that lets requests skip others, 0 for one
    that does neither."""
    if rule is None:
        return 0
    return 1 if rule.enforces else -1 if rule.lets_pass else 0


def _lack(existing: ZoneRule | None, desired: ZoneRule) -> str:
    if existing is None:
        return "does not exist"
    if not desired.active:
        return "lets requests pass, and the baseline does not"
    if not existing.active:
        return "is off, and the baseline turns it on"
    return f"has the action {existing.action}, and the baseline says {desired.action}"

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Custom rules that the zone has, beside those that stand for its firewall rules."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from .._expressions.grammar import normalise_expression

CustomRule = Mapping[str, Any]
LISTS = ("phases", "products")


def by_ref(rules: Any) -> dict[str, CustomRule]:
    """The zone's custom rules by their refs; raises ValueError where `rules` is not a list of
    mappings."""
    if isinstance(rules, (str, bytes)) or not isinstance(rules, Sequence):
        raise ValueError("custom_rules is a list, such as rules of custom_rules_info")
    if not all(isinstance(rule, Mapping) for rule in rules):
        raise ValueError("custom_rules holds something that is not a mapping")
    return {str(rule["ref"]): rule for rule in rules if rule.get("ref")}


def same(existing: CustomRule, rendered: CustomRule) -> bool:
    """Whether a request meets the same under both."""
    return _matches(existing, rendered) and _parameters(existing) == _parameters(rendered)


def at_least(existing: CustomRule, rendered: CustomRule) -> bool:
    """Whether a request that meets the rendered rule meets the same, or skips yet more, under the
    one of the zone."""
    existing_parameters = _parameters(existing)
    return _matches(existing, rendered) and all(
        value <= existing_parameters.get(name, frozenset())
        if name in LISTS
        else existing_parameters.get(name) == value
        for name, value in _parameters(rendered).items()
    )


def _matches(existing: CustomRule, rendered: CustomRule) -> bool:
    expressions = {normalise_expression(rule.get("expression")) for rule in (existing, rendered)}
    return existing.get("action") == rendered["action"] and len(expressions) == 1


def _parameters(rule: CustomRule) -> dict[str, Any]:
    """What the action needs, in a form that can be compared: lists without their order, and nothing
    that is empty."""
    raw = rule.get("action_parameters")
    parameters = raw if isinstance(raw, Mapping) else {}
    return {
        name: frozenset(map(str, value))
        if name in LISTS and isinstance(value, (list, tuple))
        else value
        for name, value in parameters.items()
        if value
    }

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import changed_rules, weaker_rules

BLOCK = {"ref": "login", "action": "block", "expression": "ssl", "enabled": True}
SKIP = {**BLOCK, "action": "skip", "action_parameters": {"ruleset": "current"}}
OFF = {**BLOCK, "enabled": False}


def custom(before: dict[str, Any] | None, after: dict[str, Any] | None) -> list[str]:
    sides = {"before": before, "after": after}
    diff = {side: {"custom_rules": {"login": rule}} if rule else {} for side, rule in sides.items()}
    return weaker_rules(changed_rules(diff))


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (None, BLOCK, "does not exist"),
        (OFF, BLOCK, "is off, and the baseline turns it on"),
        ({**BLOCK, "action": "log"}, BLOCK, "has the action log, and the baseline says block"),
        (SKIP, {**SKIP, "enabled": False}, "lets requests pass, and the baseline does not"),
        (SKIP, BLOCK, "has the action skip, and the baseline says block"),
    ],
)
def test_a_rule_that_enforces_less_is_named_with_its_reason(before: Any, after: Any, reason: str) -> None:
    assert custom(before, after) == [f"The custom rule login {reason}."]


@pytest.mark.parametrize(
    ("before", "after"),
    [(BLOCK, None), (BLOCK, OFF), (BLOCK, {**BLOCK, "expression": "not ssl"}), (OFF, None), (None, SKIP), (SKIP, None)],
)
def test_a_rule_that_enforces_no_less_is_not_named(before: Any, after: Any) -> None:
    assert custom(before, after) == []


@pytest.mark.parametrize("paused", [True, "true"])
@pytest.mark.parametrize("place", ["rule", "filter"])
def test_flags_are_compared_as_values(paused: Any, place: str) -> None:
    rule: dict[str, Any] = {"id": "a" * 32, "action": "block", "paused": False, "filter": {"expression": "ssl"}}
    off = {**rule, "paused": paused} if place == "rule" else {**rule, "filter": {"expression": "ssl", "paused": paused}}
    diff = {side: {"firewall_rules": {"a" * 32: item}} for side, item in (("before", off), ("after", rule))}
    assert weaker_rules(changed_rules(diff)) == [f"The firewall rule {'a' * 32} is off, and the baseline turns it on."]

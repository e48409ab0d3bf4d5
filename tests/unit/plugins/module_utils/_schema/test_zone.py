# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The resources of a zone: which fields go with which action, and which rules are not valid."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES

SKIP = {
    "action": "skip",
    "expression": "true",
    "action_parameters": {"ruleset": "current"},
    "logging": {"enabled": False},
}
BLOCK = {"action": "block", "expression": "true"}


@pytest.mark.parametrize(
    ("existing", "changes", "named", "expected"),
    [
        (SKIP, {"action": "block"}, set(), BLOCK),
        (SKIP, {"action": "block"}, {"logging"}, {**BLOCK, "logging": SKIP["logging"]}),
        (SKIP, {"action": "block"}, {"action_parameters"}, {**BLOCK, "action_parameters": SKIP["action_parameters"]}),
        (SKIP, {"expression": "false"}, set(), {**SKIP, "expression": "false"}),
        (SKIP, {"position": 3}, set(), SKIP),
        (BLOCK, {"action": "skip"}, set(), {**BLOCK, "action": "skip", "logging": {"enabled": True}}),
        ({}, {**SKIP, "position": 1}, set(SKIP), SKIP),
    ],
)
def test_parameters_and_logging_go_with_their_action_unless_the_task_names_them(
    existing: dict[str, Any], changes: dict[str, Any], named: set[str], expected: dict[str, Any]
) -> None:
    assert CUSTOM_RULES.semantics.normalise({**existing, **changes}, existing, named | changes.keys()) == expected


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (SKIP, ""),
        (BLOCK, ""),
        ({**BLOCK, "action_parameters": {"response": {}}}, ""),
        ({**SKIP, "action_parameters": {"rules": {}}}, ""),
        ({"action": "rewrite", "expression": "true", "action_parameters": {"uri": {}}}, ""),
        ({"expression": "true"}, "is new and needs action"),
        ({**SKIP, "action_parameters": {"phase": "current", "response": {}}}, "has the action skip, and only block has a response"),
    ],
)  # fmt: skip
def test_which_custom_rules_are_not_valid(rule: dict[str, Any], reason: str) -> None:
    assert CUSTOM_RULES.semantics.invalid_reason(rule) == reason

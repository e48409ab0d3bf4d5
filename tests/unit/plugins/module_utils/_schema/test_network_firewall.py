# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of the Network Firewall: what goes with an action, and which rules are not valid or odd."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.network_firewall import NETWORK_FIREWALL_RULES

BLOCK = {"action": "block", "expression": "tcp.flags.syn"}
SKIP = {
    "action": "skip",
    "expression": "sip",
    "action_parameters": {"ruleset": "current"},
    "logging": {"enabled": True},
}


@pytest.mark.parametrize(
    ("existing", "changes", "expected"),
    [
        ({}, {"action": "skip", "expression": "sip"}, SKIP),
        ({**SKIP, "action_parameters": {}}, {"expression": "udp"}, {**SKIP, "expression": "udp"}),
        (BLOCK, {"action": "skip"}, {**SKIP, "expression": "tcp.flags.syn"}),
        (SKIP, {"action": "block"}, {"action": "block", "expression": "sip"}),
        (SKIP, {"logging": {"enabled": False}}, {**SKIP, "logging": {"enabled": False}}),
    ],
)
def test_a_skip_skips_the_current_ruleset(
    existing: dict[str, Any], changes: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert NETWORK_FIREWALL_RULES.semantics.normalise({**existing, **changes}, existing, changes.keys()) == expected


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (BLOCK, ""),
        (SKIP, ""),
        ({**SKIP, "action": "block"}, "has the action block, and only skip says what is skipped"),
        ({**SKIP, "action_parameters": {}}, "skips nothing: its action_parameters are empty; leave them out"),
        ({"expression": "sip"}, "is new and needs action"),
    ],
)
def test_which_rules_are_not_valid(rule: dict[str, Any], reason: str) -> None:
    assert NETWORK_FIREWALL_RULES.semantics.invalid_reason(rule) == reason


def test_an_unknown_field_is_odd() -> None:
    assert NETWORK_FIREWALL_RULES.semantics.unusual(BLOCK) == ""
    assert "did you mean tcp.dstport?" in NETWORK_FIREWALL_RULES.semantics.unusual(
        {**BLOCK, "expression": "tcp.dst_port eq 1"}
    )

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Conflicts between hosts."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import conflicts, sources_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import host_results

BLOCK = {"ref": "a", "action": "block", "expression": "ip.src in {203.0.113.0/24}", "enabled": True}
SKIP = {**BLOCK, "action": "skip", "action_parameters": {"ruleset": "current"}}


def record(
    host: str, protected: Any = (), bypassing: Any = (), passed: Any = (), blocked: Any = (), **more: Any
) -> Any:
    coverage = {"protected": list(protected), "bypassing": list(bypassing)}
    sources = {"passed": list(passed), "blocked": list(blocked)}
    owners = {"account_id": f"id of {host}", "zone_id": None}
    return {"host": host, **owners, "coverage": coverage, "sources": sources, **more}


def found(*records: Any) -> list[Any]:
    return [(item["kind"], item["network"], item["hosts"], item["against"]) for item in conflicts(records)]


@pytest.mark.parametrize(
    ("rule", "passed", "blocked"),
    [
        (BLOCK, [], ["203.0.113.0/24"]),
        (SKIP, ["203.0.113.0/24"], []),
        ({**BLOCK, "action": "managed_challenge", "expression": "ip.src eq 203.0.113.7"}, [], ["203.0.113.7/32"]),
        ({**BLOCK, "expression": "ip.src in {203.0.113.0..203.0.113.255}"}, [], ["203.0.113.0/24"]),
        ({**BLOCK, "expression": "ip.src ne 203.0.113.7"}, [], []),
        ({**BLOCK, "expression": "ip.src in $office"}, [], []),
        ({**BLOCK, "expression": "ip.src eq 203.0.113.7 and ssl"}, [], []),
        ({**BLOCK, "expression": "not a rule ("}, [], []),
        ({**BLOCK, "enabled": False}, [], []),
        ({**BLOCK, "action": "log"}, [], []),
    ],
)
def test_the_sources_of_a_rule_that_looks_at_them_alone_count(rule: Any, passed: Any, blocked: Any) -> None:
    host = host_results("lima", {}, {"custom_rules": {"rules": [rule]}})
    assert sources_of(host) == {"passed": passed, "blocked": blocked}


def test_a_host_without_rules_of_a_zone_has_no_sources() -> None:
    assert sources_of(host_results("lima", {}, {"account_protection": {"plan_id": ""}})) is None


def test_a_host_does_not_contradict_itself() -> None:
    both = record("lima", bypassing=["203.0.113.0/24"], blocked=["203.0.113.0/24"])
    assert found(both) == []
    passes, blocks = record("oslo", passed=["203.0.113.0/24"]), record("kyiv", blocked=["203.0.113.0/24"])
    assert found(both, blocks) == [("passed_and_blocked", "203.0.113.0/24", ["lima"], ["kyiv"])]
    assert found(both, passes) == [("passed_and_blocked", "203.0.113.0/24", ["oslo"], ["lima"])]
    assert found(both, passes, blocks) == [("passed_and_blocked", "203.0.113.0/24", ["lima", "oslo"], ["kyiv", "lima"])]


def test_each_host_that_passes_a_blocked_network_is_told() -> None:
    lima, kyiv = record("lima", bypassing=["203.0.113.0/24"]), record("kyiv", bypassing=["203.0.0.0/16"])
    passed = found(lima, kyiv, record("oslo", blocked=["203.0.113.64/26"]))
    assert passed == [("passed_and_blocked", "203.0.113.64/26", [host], ["oslo"]) for host in ("kyiv", "lima")]

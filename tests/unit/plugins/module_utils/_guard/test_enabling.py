# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which objects a plan enables, and whether they have monitored long enough."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.base import (
    enabled_too_soon,
    enabling,
    key_of,
    not_known,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import RULES

from tests.support.changes import NOON, change_of
from tests.support.coverage_model import account_state, rule


def enabled_by(existing: Any, desired: Any) -> list[Any]:
    state = account_state(syn_flood_rules=[{"id": "1", **existing}])
    return enabling(change_of(state, RULES[0], [desired]).plan)


def test_a_plan_enables_objects_that_did_not_mitigate_before() -> None:
    monitoring, enabled = rule("monitoring"), rule("enabled")
    assert [key_of(item) for item in enabled_by(monitoring, enabled)] == [("syn_flood_rules", RULES[0].key_of(enabled))]
    assert enabled_by(enabled, enabled) == enabled_by(enabled, monitoring) == enabled_by(monitoring, monitoring) == []
    assert enabled_by(enabled, {**enabled, "rate_sensitivity": "high"}) == []


@pytest.mark.parametrize(
    ("existing", "reason"),
    [
        (None, "would be new and enabled at once"),
        ({"mode": "enabled"}, ""),
        ({"mode": "Enabled"}, ""),
        ({"mode": "disabled"}, "would go from disabled straight to enabled"),
        ({"mode": "testing"}, "would go from testing straight to enabled"),
        ({"mode": "monitoring", "modified_on": "2026-01-02T07:00:00Z"}, ""),
        ({"mode": "monitoring", "modified_on": "yesterday"}, "has monitored for an unknown time"),
        (
            {"mode": "monitoring", "modified_on": "2026-01-02T09:00:00Z"},
            "has monitored since 2026-01-02T09:00:00+00:00 only",
        ),
        ({"mode": "monitoring", "modified_on": "2026-01-02T08:00:00Z"}, ""),
    ],
)
def test_an_object_that_has_not_monitored_is_enabled_too_soon(existing: Any, reason: str) -> None:
    assert enabled_too_soon(RULES[0], existing, NOON, timedelta(hours=4)) == reason


def test_a_verdict_without_knowledge_says_why() -> None:
    verdict = not_known("Nobody looked.", [(1, 2)], restarts=True)
    assert (verdict.reason, verdict.ranges, verdict.restarts) == ("unknown", [(1, 2)], True)
    assert verdict.message == "It is not known what it would drop. Nobody looked."

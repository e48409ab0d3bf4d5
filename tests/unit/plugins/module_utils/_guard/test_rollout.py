# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.base import enabled_too_soon
from ansible_collections.edgeops.protection.plugins.module_utils._guard.rollout import Pending, StagedRollout
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import Desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import RULES

NOON = datetime(2026, 1, 2, 12, tzinfo=timezone.utc)
DAY = timedelta(hours=24)
RULE = {"scope": "global", "name": "global"}
UNKNOWN = "has monitored for an unknown time"


def pending(now: datetime | None, modified_on: Any, local_time: datetime = NOON) -> list[Pending]:
    """What is pending of a monitoring rule that the task wants enabled."""
    rollout = StagedRollout(now, DAY, local_time)
    rule = {"id": "1", **RULE, "mode": "monitoring", "modified_on": modified_on}
    desired = [Desired(RULES[0], {RULES[0].key_of(RULE): {**RULE, "mode": "enabled"}})]
    plan = make_plan({RULES[0].plural: [rule]}, desired, rollout.adjust)
    assert not plan.operations or plan.operations[0].fields == {"mode": "enabled"}
    return rollout.pending(plan, desired)


@pytest.mark.parametrize(
    ("now", "modified_on"),
    [
        (NOON, None),
        (NOON, "soon"),
        (NOON, 20260101),
        (NOON, "0001-01-01T00:00:00Z"),
        (NOON, "1970-01-01T00:00:00Z"),
        (NOON, "9999-12-31T23:59:59Z"),
        (NOON, "2026-01-03T12:00:00Z"),
        (None, "2025-12-24T12:00:00Z"),
    ],
)
def test_a_rule_that_has_monitored_for_an_unknown_time_is_not_enabled(now: datetime | None, modified_on: Any) -> None:
    rule = {"mode": "monitoring", "modified_on": modified_on}
    assert enabled_too_soon(RULES[0], rule, now, DAY) == UNKNOWN
    assert enabled_too_soon(RULES[0], rule, now, timedelta()) == ""
    (item,) = pending(now, modified_on)
    assert item["not_before"] is None
    assert item["message"].endswith("is enabled by the first run that finds out since when.")


@pytest.mark.parametrize(
    ("modified_on", "not_before"),
    [
        ("2026-01-02T11:00:00Z", "2026-01-03T11:00:00+00:00"),
        ("2026-01-02T12:03:00Z", "2026-01-03T12:03:00+00:00"),
        ("2026-01-01T12:00:01Z", "2026-01-02T12:00:01+00:00"),
    ],
)
def test_a_monitoring_rule_is_enabled_at_a_time_that_comes(modified_on: str, not_before: str) -> None:
    rule = {"mode": "monitoring", "modified_on": modified_on}
    assert "has monitored since" in enabled_too_soon(RULES[0], rule, NOON, DAY)
    assert [item["not_before"] for item in pending(NOON, modified_on)] == [not_before]


def test_a_rule_that_has_monitored_long_enough_is_enabled_at_once() -> None:
    assert pending(NOON, "2026-01-01T12:00:00Z") == []


def test_a_pending_step_names_no_past_time_if_the_clock_is_behind() -> None:
    (item,) = pending(NOON - timedelta(hours=5), "2026-01-01T11:00:00Z")
    assert item["not_before"] is None

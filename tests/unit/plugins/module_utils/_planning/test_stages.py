# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rollout in stages, and not against the traffic; the traffic is asked for once a task, beside what is left to read."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Response
from ansible_collections.edgeops.protection.plugins.module_utils._context import TASK
from ansible_collections.edgeops.protection.plugins.module_utils._guard.acceptance import parse_acceptances
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.declaration import Limits
from ansible_collections.edgeops.protection.plugins.module_utils._guard.terms import Pending, Terms
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import (
    Desired,
    DesiredObject,
    parse_desired,
)
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.rollout import EvidenceLimits, Planned
from ansible_collections.edgeops.protection.plugins.module_utils._planning.planner import Planner, Situation
from ansible_collections.edgeops.protection.plugins.module_utils._planning.reading import SurroundingsReader
from ansible_collections.edgeops.protection.plugins.module_utils._planning.stages import Rollout, changes_protection
from ansible_collections.edgeops.protection.plugins.module_utils._protection.monitoring import enabled_too_soon
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, RULES, STATUS
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

from tests.support.changes import NOON
from tests.support.coverage_model import account_state
from tests.support.coverage_model import rule as rule_of
from tests.support.scripted import Scripted, enveloped

DAY = timedelta(hours=24)
A_DAY = Limits({"min_monitoring_hours": 24})
RULE = {"scope": "global", "name": "global"}
UNKNOWN = "has monitored for an unknown time"


def pending(now: datetime | None, modified_on: Any, local_time: datetime = NOON) -> list[Pending]:
    """What is pending of a monitoring rule that the task wants enabled."""
    rollout = Rollout(Terms(A_DAY, is_staged=True), now, local_time)
    rule = {"id": "1", **RULE, "mode": "monitoring", "modified_on": modified_on}
    desired = [Desired(RULES[0], {RULES[0].key_of(RULE): DesiredObject({**RULE, "mode": "enabled"})})]
    state = account_state(syn_flood_rules=[rule])
    planned = Planner(TASK, rollout).draft(Situation(state, desired))
    operations = planned.plan.operations
    assert not operations or operations[0].fields == {"mode": "enabled"}
    return rollout.pending(planned, desired)


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


ENTRY = {"id": "1", "prefix": "10.0.0.1", "comment": "a", "enabled": True}


@pytest.mark.parametrize(
    ("operations", "changes"),
    [
        ([], False),
        ([Operation("update", ALLOWLIST, {"comment": "b"}, ENTRY, 0)], False),
        ([Operation("update", ALLOWLIST, {"comment": "b", "enabled": False}, ENTRY, 0)], True),
        ([Operation("create", ALLOWLIST, {"prefix": "10.0.0.2"})], True),
        ([Operation("delete", ALLOWLIST, {}, ENTRY, 0)], True),
        ([Operation("update", STATUS, {"enabled": True}, {"enabled": False}, 0)], True),
    ],
)
def test_a_plan_may_change_the_protection_unless_its_fields_are_inert(operations: Any, changes: bool) -> None:
    assert changes_protection(Plan(account_state(allowlist=[ENTRY]), tuple(operations))) is changes


LISTING = enveloped([], result_info={"total_count": 0})
NO_TRAFFIC = Response(200, {}, b'{"data": {"viewer": {"accounts": [{"tcp": []}]}}, "errors": null}')


def run(modified_on: Any, *accepted: Any, more: Any = None) -> tuple[list[str], Planned]:
    """What the plan of a task asked for, that enables a rule which monitors since then, and asks for evidence; and the plan."""
    service = Scripted(lambda request: NO_TRAFFIC if request.about else LISTING)
    client = Client(service, {"account_id": "0" * 32})
    acceptances = parse_acceptances(Option("accept_risks"), accepted, ["drops_traffic"])
    terms = Terms(A_DAY, acceptances, evidence=EvidenceLimits(24.0, 0.1, None), is_staged=True)
    rollout = Rollout(terms, NOON)
    state = account_state(syn_flood_rules=[{"id": "1", **rule_of("monitoring"), "modified_on": modified_on}])
    state.pop("allowlist")
    desired = [parse_desired(RULES[0], [(Option(), {**rule_of("enabled"), **(more or {})})])]
    planner, reader = Planner(TASK, rollout), SurroundingsReader(client, TASK, terms, rollout, desired, False)
    situation = Situation(state, desired)
    draft = planner.draft(situation)
    surroundings = reader.read(draft.plan)
    planned = planner.plan(situation, draft, surroundings)
    reader.read(planner.draft(Situation(planned.plan.before, desired)).plan, surroundings.traffic)
    return [request.path.rpartition("/")[2] for request in service.asked], planned


LONG_AGO = (NOON - timedelta(hours=25)).isoformat()


def test_the_rest_is_read_and_the_traffic_asked_for_once() -> None:
    asked, planned = run(LONG_AGO)
    assert sorted(asked) == ["allowlist", "graphql"]
    assert (planned.plan.before["allowlist"], planned.plan.operations) == ([], ())
    [verdict] = list(planned.against.values())
    assert verdict.reason == "unknown" and "The analytics saw no traffic to 192.0.2.0/24." in verdict.message


@pytest.mark.parametrize("modified_on", [(NOON - timedelta(hours=23)).isoformat(), None])
def test_nothing_is_asked_for_what_waits_for_its_time(modified_on: str | None) -> None:
    asked, planned = run(modified_on)
    assert (asked, planned.plan.operations, planned.against) == ([], (), {})


def test_no_traffic_speaks_for_what_changes_while_it_would_be_enabled() -> None:
    asked, planned = run(LONG_AGO, more={"burst_sensitivity": "high"})
    [verdict] = list(planned.against.values())
    assert (verdict.reason, verdict.restarts, asked) == ("unknown", True, ["allowlist"])
    assert "It changes while it would be enabled" in verdict.message
    assert [item.fields for item in planned.plan.operations] == [{"burst_sensitivity": "high"}]


def test_an_accepted_verdict_is_not_against_the_plan() -> None:
    _asked, planned = run(LONG_AGO, "drops_traffic")
    assert planned.against == {} and [item.fields for item in planned.plan.operations] == [{"mode": "enabled"}]
    assert [verdict.reason for verdict in planned.verdicts.values()] == ["unknown"]


@pytest.mark.parametrize(
    ("existing", "reason"),
    [
        (None, "would be new and enabled at once"),
        ({"mode": "Enabled"}, ""),
        ({"mode": "disabled"}, "would go from disabled straight to enabled"),
        ({"mode": "testing"}, "would go from testing straight to enabled"),
    ],
)
def test_an_object_that_has_not_monitored_is_enabled_too_soon(existing: Any, reason: str) -> None:
    assert enabled_too_soon(RULES[0], existing, NOON, timedelta(hours=4)) == reason

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes of an account for the finders of risks, planned from what a task says."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.base import Change
from ansible_collections.edgeops.protection.plugins.module_utils._guard.traffic import plan_traffic
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import Desired, numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils._protection.described_traffic import weaker_records
from ansible_collections.edgeops.protection.plugins.module_utils._protection.difference import traffic_difference
from ansible_collections.edgeops.protection.plugins.module_utils._protection.worse import worse
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource, State

from tests.support.coverage_model import Entry

NOON = datetime(2026, 1, 2, 12, tzinfo=timezone.utc)


def change_of(state: Mapping[str, Any], resource: Resource, entries: list[Entry], purge: bool = False) -> Change:
    return changes_of(state, parse_desired(resource, numbered("entries", entries), exclusive=purge))


def changes_of(state: Mapping[str, Any], *desired: Desired) -> Change:
    return change_from(make_plan(state, desired))


def change_from(plan: Plan) -> Change:
    before, after = Coverage(plan.before), Coverage(plan.after())
    return Change(plan, before, after, worse, NOON, traffic=plan_traffic(plan))


def hosts(count: int) -> list[Entry]:
    return [{"id": str(number), "prefix": f"10.0.0.{2 * number}/32", "enabled": True} for number in range(count)]


def weaker_in(existing: State, described: State) -> list[dict[str, Any]]:
    """What results say of the objects of an existing state that protect less than described."""
    return weaker_records(existing, described, traffic_difference(existing, described))

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The mode of a rule or filter, and whether it has monitored long enough to be enabled."""

from __future__ import annotations

from datetime import datetime, timedelta

from .._plan.plan import Operation, Plan
from .._schema.account import ENABLED, MONITORING
from .._schema.resource import Object, Resource
from .._timestamps import started_before


def mode_of(resource: Resource, obj: Object | None) -> str:
    """The mode of an object; empty if the object is None or has no mode."""
    return str((obj or {}).get(resource.mode_field or "")).casefold()


def enabling(plan: Plan) -> list[Operation]:
    """The operations of a plan after which an object mitigates that did not mitigate before."""
    return [operation for operation in plan.operations if _enables(operation)]


def _enables(operation: Operation) -> bool:
    resource = operation.resource
    return bool(resource.component) and mode_of(resource, operation.fields) == ENABLED


def enabled_too_soon(
    resource: Resource, existing: Object | None, now: datetime | None, monitoring: timedelta
) -> str:
    """The reason for which an object must not be enabled yet; empty if it may be."""
    mode = mode_of(resource, existing)
    if existing is None:
        return "would be new and enabled at once"
    if mode == ENABLED:
        return ""
    if mode != MONITORING:
        return f"would go from {mode} straight to enabled"
    if not monitoring:
        return ""
    since = started_before(now, existing.get("modified_on"))
    if since is None or now is None:
        return "has monitored for an unknown time"
    return f"has monitored since {since.isoformat()} only" if now - since < monitoring else ""

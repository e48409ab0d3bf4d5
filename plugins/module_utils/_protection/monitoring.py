# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The stages of rules and filters: the last one stops traffic, and at the earlier one an object
monitors, or logs, what it would stop. And whether it has done so long enough."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import AbstractSet, NamedTuple

from .._plan.plan import Operation, Plan
from .._schema.account import ENABLED, MONITORING
from .._schema.resource import ACTION, LOG, Object, Resource
from .._timestamps import started_before

UNDECIDING = ("description",)  # fields that change nothing of what a rule matches


class Ladder(NamedTuple):
    """The stages of the objects of a collection. `field` names the stage; `last` are its values at
    which an object stops traffic, `earlier` is the one at which it only would. `changed_at` is the
    field with the time since when an object is as it is, `of_last_alone` are fields that only go
    with the last stage. For messages, it `monitors`, has `monitored` and `is_raised`."""

    field: str
    earlier: str
    last: AbstractSet[str]
    changed_at: str
    of_last_alone: tuple[str, ...]
    monitors: str
    monitored: str
    is_raised: str
    is_not_raised: str

    def stage_of(self, obj: Object | None) -> str:
        """The stage of an object; empty if the object is None or has none. A rule that is switched
        off is disabled."""
        fields = obj or {}
        if self.field in fields and fields.get("enabled") is False:
            return "disabled"
        return str(fields.get(self.field) or "").casefold()

    def is_at_last(self, obj: Object | None) -> bool:
        """Return whether an object stops traffic."""
        return self.stage_of(obj) in self.last

    def is_at_earlier(self, obj: Object | None) -> bool:
        """Return whether an object monitors, or logs, what it would stop."""
        return self.stage_of(obj) == self.earlier


OF_MODES = (  # what a ladder of modes has beside its field
    MONITORING,
    frozenset({ENABLED}),
    "modified_on",
    (),
    "monitors",
    "monitored",
    "is enabled",
    "is not enabled yet",
)


def ladder_of(resource: Resource) -> Ladder | None:
    """The stages of the objects of a collection; None if they have none."""
    if resource.mode_field:
        return Ladder(resource.mode_field, *OF_MODES)
    if not resource.may_be_staged:
        return None
    return Ladder(
        field=ACTION,
        earlier=LOG,
        last=resource.enforcing,
        changed_at="last_updated",
        of_last_alone=("action_parameters",),
        monitors="logs",
        monitored="logged",
        is_raised="gets its action",
        is_not_raised="does not get its action yet",
    )


def mode_of(resource: Resource, obj: Object | None) -> str:
    """The mode of an object; empty if the object is None or has no mode."""
    return str((obj or {}).get(resource.mode_field or "")).casefold()


def enabling(plan: Plan) -> list[Operation]:
    """The operations of a plan after which an object mitigates that did not mitigate before."""
    return [operation for operation in plan.operations if _enables(operation)]


def _enables(operation: Operation) -> bool:
    resource = operation.resource
    return bool(resource.component) and mode_of(resource, operation.fields) == ENABLED


def raises_rule(operation: Operation) -> bool:
    """Return whether a rule stops traffic after an operation that did not stop any before."""
    ladder = None if operation.resource.mode_field else ladder_of(operation.resource)
    if ladder is None or operation.action == "delete":
        return False
    return ladder.is_at_last(operation.planned) and not ladder.is_at_last(operation.existing)


def enabled_too_soon(
    resource: Resource, existing: Object | None, now: datetime | None, monitoring: timedelta
) -> str:
    """The reason for which an object must not be enabled yet; empty if it may be."""
    if existing is None:
        return "would be new and enabled at once"
    ladder = ladder_of(resource)
    if ladder is None or ladder.is_at_last(existing):
        return ""
    if not ladder.is_at_earlier(existing):
        return f"would go from {ladder.stage_of(existing)} straight to enabled"
    if not monitoring:
        return ""
    since = started_before(now, existing.get(ladder.changed_at))
    if since is None or now is None:
        return f"has {ladder.monitored} for an unknown time"
    is_early = now - since < monitoring
    if not is_early:
        return ""
    return f"has {ladder.monitored} since {since.isoformat()} only"

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way to enabled: a rule or filter monitors first and learns of connections (facts.md, section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Sequence

from .clock import read_timestamp, write_timestamp
from .component import ENABLED, MONITORING
from .declaration import Object, Resource
from .plan import Plan
from .risks import MODAL, too_soon
from .wishes import Values, Wishes


@dataclass(frozen=True)
class Ladder:
    """`now` is the service's time, None where it does not say; `monitoring` is how long monitoring lasts."""

    now: datetime | None
    monitoring: timedelta

    def step(self, resource: Resource, live: Object | None, values: Values) -> Values:
        """The wanted values, with the mode that may be had now; without a mode where the live one is to stay."""
        if resource.plural not in MODAL or values.get("mode") != ENABLED:
            return values
        if not too_soon(live, self.now, self.monitoring):
            return values
        if str((live or {}).get("mode")).casefold() == MONITORING:
            return {name: value for name, value in values.items() if name != "mode"}
        return {**values, "mode": MONITORING}

    def pending(self, plan: Plan, wishes: Sequence[Wishes]) -> list[dict[str, Any]]:
        """What is to be enabled and is not yet: resource, key, mode, and the time before which it stays so."""
        touched = {(item.resource.plural, item.key) for item in plan.operations}
        after = plan.after()
        found = []
        for resource, wanted in ((wish.resource, wish.wanted) for wish in wishes if not wish.absent):
            if resource.plural not in MODAL:
                continue
            held = {resource.key_of(item): item for item in after[resource.plural]}
            for key in (key for key, values in wanted.items() if values.get("mode") == ENABLED):
                if str(held[key].get("mode")).casefold() != ENABLED:
                    begun = read_timestamp(held[key].get("modified_on"))
                    found.append(
                        self._left(resource, held[key], self.now if (resource.plural, key) in touched else begun)
                    )
        return found

    def _left(self, resource: Resource, item: Object, since: datetime | None) -> dict[str, Any]:
        not_before = write_timestamp(since + self.monitoring) if since else None
        until = f"after {not_before}" if since else "that finds out since when"
        return {
            "resource": resource.name,
            "key": resource.label_of(item),
            "mode": ENABLED,
            "not_before": not_before,
            "message": f"{resource.title} {resource.label_of(item)} monitors, and is enabled by the first run {until}.",
        }

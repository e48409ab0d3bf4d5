# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The staged rollout: a rule or filter goes from disabled to monitoring, learns of connections, and
is then enabled.

The vendor describes it on its page "Advanced TCP Protection: concepts".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Iterable, Mapping, NamedTuple, Sequence, TypedDict

from .._errors import OptionError, OptionProblems
from .._plan.desired import Desired
from .._plan.plan import Plan
from .._schema.account import ENABLED, MONITORING
from .._schema.resource import Key, Object, OptionSpec, Resource, Values
from .._text import Option, plural
from .._timestamps import started_before, write_timestamp
from .._values.address_set import networks
from .risks.base import Verdict, Verdicts, enabled_too_soon

HIGHEST_HOURS = 24 * 90  # which no account keeps its analytics for
EVIDENCE = Option("rollout_evidence")
ROLLOUT_EVIDENCE: OptionSpec = {
    "rollout_evidence": {
        "type": "dict",
        "options": {
            "hours": {"type": "float", "default": 24.0},
            "max_would_drop_percent": {"type": "float", "default": 0.1},
            "max_would_drop_packets": {"type": "int"},
        },
    }
}


class EvidenceLimits(NamedTuple):
    """What a task asks of the traffic: for how many hours, and how much of it may be lost."""

    hours: float
    max_percent: float
    max_packets: int | None

    @property
    def time(self) -> timedelta:
        """How far to look back, and how long an object monitors at least."""
        return timedelta(hours=self.hours)

    @property
    def allowed(self) -> str:
        """The limits, in a sentence."""
        packets = (
            f" and {plural(self.max_packets, 'packet', 'packets')}"
            if self.max_packets is not None
            else ""
        )
        return f"{self.max_percent:g} %{packets}"


def parse_evidence(options: Mapping[str, Any]) -> EvidenceLimits | None:
    """What the option says, None where a task does not ask; raises OptionError."""
    chosen = options.get("rollout_evidence")
    if chosen is None:
        return None
    hours, percent = chosen["hours"], chosen["max_would_drop_percent"]
    packets = chosen["max_would_drop_packets"]
    checks = {
        "hours": (hours, 0 < hours <= HIGHEST_HOURS, f"above 0 and at most {HIGHEST_HOURS}"),
        "max_would_drop_percent": (percent, 0 <= percent <= 100, "between 0 and 100"),
        "max_would_drop_packets": (packets, packets is None or packets >= 0, "0 or more"),
    }
    problems = OptionProblems()
    for name, (value, fits, bounds) in checks.items():
        with problems.collected():
            if not fits:
                raise OptionError(EVIDENCE.at(name), f"{value} is not {bounds}")
    problems.raise_any()
    return EvidenceLimits(hours, percent, packets)


class Pending(TypedDict):
    """A rule or filter that is to be enabled, and the `reason` why it is not yet: `time`,
    `evidence` or `unknown`.

    `not_before` is None until it is known since when it monitors. What would have been dropped is
    None where the traffic was not asked for, or is not known; `networks` are those concerned.
    """

    resource: str
    key: str
    mode: str
    reason: str
    not_before: str | None
    would_drop_percent: float | None
    would_drop_packets: int | None
    networks: list[str]
    advice: list[str]
    message: str


@dataclass(frozen=True)
class StagedRollout:
    """The rollout at one moment.

    `now` is Cloudflare's time, None where it is not known; `monitoring` is how long an object
    monitors first. `local_time` is this machine's, by which nobody is told to wait for a time in
    the past; it decides nothing else. `against` are the objects of which the traffic says that they
    go on monitoring.
    """

    now: datetime | None
    monitoring: timedelta
    local_time: datetime | None = None
    against: Verdicts = field(default_factory=dict)

    def adjust(self, resource: Resource, existing: Object | None, values: Values) -> Values:
        """The desired values with the mode of this stage; without a mode where the existing one
        stays."""
        mode = resource.mode_field
        if (
            not mode
            or values.get(mode) != ENABLED
            or not (
                enabled_too_soon(resource, existing, self.now, self.monitoring)
                or (resource.plural, resource.key_of(values)) in self.against
            )
        ):
            return values
        if _mode(resource, existing) == MONITORING:
            return {name: value for name, value in values.items() if name != mode}
        return {**values, mode: MONITORING}

    def pending(self, plan: Plan, desired: Iterable[Desired]) -> list[Pending]:
        """The objects that the task wants enabled, and that the plan leaves at an earlier stage."""
        changed = {(item.resource.plural, item.key) for item in plan.operations}
        after = plan.after()
        pending: list[Pending] = []
        for resource, keys in _to_be_enabled(desired):
            objects = {resource.key_of(obj): obj for obj in after[resource.plural]}
            for key in (key for key in keys if _mode(resource, objects[key]) != ENABLED):
                started = started_before(self.now, objects[key].get("modified_on"))
                since = self.now if (resource.plural, key) in changed else started
                verdict = self.against.get((resource.plural, key))
                pending.append(
                    _kept_back(resource, objects[key], verdict)
                    if verdict and not verdict.restarts
                    else self._pending(resource, objects[key], since)
                )
        return pending

    def _pending(self, resource: Resource, obj: Object, since: datetime | None) -> Pending:
        end = since + self.monitoring if since else None
        if end and self.local_time and end < self.local_time:
            end = None  # Cloudflare's clock is behind, so that nobody knows when it gets there
        not_before = write_timestamp(end) if end else None
        until = f"after {not_before}" if end else "that finds out since when"
        label = resource.label_of(obj)
        return Pending(
            resource=resource.name,
            key=label,
            mode=ENABLED,
            reason="time",
            not_before=not_before,
            would_drop_percent=None,
            would_drop_packets=None,
            networks=[],
            advice=[],
            message=f"{resource.title} {label} monitors, and is enabled by the first run {until}.",
        )


def _kept_back(resource: Resource, obj: Object, verdict: Verdict) -> Pending:
    """What the traffic keeps back."""
    label = resource.label_of(obj)
    subject = f"{resource.title} {label} monitors, and is not enabled yet."
    return Pending(
        resource=resource.name,
        key=label,
        mode=ENABLED,
        reason=verdict.reason,
        not_before=None,
        would_drop_percent=verdict.percent,
        would_drop_packets=verdict.packets,
        networks=networks(list(verdict.ranges)),
        advice=list(verdict.advice),
        message=" ".join([subject, verdict.message, *verdict.advice]),
    )


def _mode(resource: Resource, obj: Object | None) -> str:
    return str((obj or {}).get(resource.mode_field or "")).casefold()


def _to_be_enabled(desired: Iterable[Desired]) -> Iterable[tuple[Resource, Sequence[Key]]]:
    """The keys with the desired mode enabled, by resource."""
    for item in desired:
        field = item.resource.mode_field
        if field and not item.absent:
            yield (
                item.resource,
                [key for key, values in item.objects.items() if values.get(field) == ENABLED],
            )

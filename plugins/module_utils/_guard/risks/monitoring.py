# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of enabling a rule or filter: without monitoring, or although its traffic speaks
against it."""

from __future__ import annotations

from datetime import timedelta

from ..._protection.monitoring import enabled_too_soon, enabling
from ..._text import Advice, Message, Option, first_few
from ..._values.address_set import Ranges, union
from .base import Change, FinderAnswer, Limit, Limits, entries_of, has_modes, risk

MIN_MONITORING = Limit(
    "min_monitoring_hours",
    4.0,
    24 * 365,
    (
        "The hours that a rule or filter must monitor before it is enabled.",
        "The hours count from the last change of the rule or filter, by the clock of Cloudflare.",
    ),
)


def monitoring_time(limits: Limits) -> timedelta:
    """The time that a rule or filter monitors before it is enabled."""
    return timedelta(hours=limits[MIN_MONITORING])


@risk(
    "The plan would enable a rule or filter that is new, was disabled, or has not monitored for"
    " O(limits.min_monitoring_hours).",
    has_modes,
    MIN_MONITORING,
)
def skips_monitoring(change: Change, limits: Limits) -> FinderAnswer:
    """A rule or filter drops traffic before it has learned of it."""
    monitoring = monitoring_time(limits)
    reasons = []
    enabled = []
    for operation in enabling(change.plan):
        resource, existing = operation.resource, operation.existing
        reason = enabled_too_soon(resource, existing, change.now, monitoring)
        if reason:
            reasons.append(f"{operation.title} {reason}")
            enabled.append(operation)
    if not reasons:
        return None
    message = Message(
        f"{first_few(reasons)}. A rule or filter enabled without monitoring for"
        f" {limits[MIN_MONITORING]:g} hours drops traffic that it has not learned of",
        Advice("; set monitoring first, or let ", Option("staged_rollout"), ": true do it"),
        ".",
    )
    return message, [], entries_of(enabled)


@risk(
    "The plan would enable a rule or filter that would have dropped more of the traffic to a"
    " network than C(rollout_evidence) allows, or of which that is not known.",
    has_modes,
)
def drops_traffic(change: Change, limits: Limits) -> FinderAnswer:
    """A rule or filter drops traffic that passes today."""
    reasons = []
    concerned = []
    ranges: Ranges = []
    for operation in enabling(change.plan):
        verdict = change.verdicts.get(operation.target)
        if verdict and verdict.reason:
            reasons.append(f"{operation.title}: {' '.join([verdict.message, *verdict.advice])}")
            concerned.append(operation)
            ranges += verdict.ranges
    if not reasons:
        return None
    return Message(first_few(reasons)), union(ranges), entries_of(concerned)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of enabling a rule or filter: without monitoring, or although its traffic speaks
against it."""

from __future__ import annotations

from ..._protection.monitoring import enabled_too_soon, enabling
from ..._text import Advice, Message, Option, first_few
from ..._values.address_set import Ranges, union
from ..finding import FinderAnswer, entries_of
from ..risks.account import DROPS_TRAFFIC, MIN_MONITORING, SKIPS_MONITORING, monitoring_time
from ..risks.declaration import Limits
from .base import Change, finds


@finds(SKIPS_MONITORING)
def skips_monitoring(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that a rule or filter drops traffic before it has monitored for long enough."""
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


@finds(DROPS_TRAFFIC)
def drops_traffic(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that a rule or filter drops traffic that passes today."""
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

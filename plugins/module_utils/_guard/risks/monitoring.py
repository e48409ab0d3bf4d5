# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk of a rule or filter that drops traffic before it has learned of it.

The vendor warns of it on its page "Troubleshooting" of Advanced TCP Protection.
"""

from __future__ import annotations

from datetime import timedelta

from ..._schema.account import ENABLED
from ..._text import Advice, Message, Option, first_few
from ..enabling import enabled_too_soon
from .base import Change, Finding, Limit, Limits, entries_of, risk

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
    """How long a rule or filter monitors before it is enabled."""
    return timedelta(hours=limits[MIN_MONITORING])


@risk(
    "The plan would enable a rule or filter that is new, was disabled, or has not monitored for"
    " O(min_monitoring_hours).",
    MIN_MONITORING,
)
def skips_monitoring(change: Change, limits: Limits) -> Finding | None:
    """A rule or filter drops traffic before it has learned of it."""
    reasons = []
    enabled = []
    for item in change.plan.operations:
        mode_field = item.resource.mode_field
        if not mode_field or (item.planned or {}).get(mode_field) != ENABLED:
            continue
        reason = enabled_too_soon(item.resource, item.existing, change.now, monitoring_time(limits))
        if reason:
            reasons.append(f"{item.resource.title} {item.label} {reason}")
            enabled.append(item)
    if not reasons:
        return None
    message = Message(
        f"{first_few(reasons)}. A rule or filter enabled without monitoring for"
        f" {limits[MIN_MONITORING]:g} hours drops traffic that it has not learned of",
        Advice("; set monitoring first, or let ", Option("staged_rollout"), ": true do it"),
        ".",
    )
    return Finding(message, [], entries_of(enabled))


MONITORING_RISKS = (skips_monitoring,)

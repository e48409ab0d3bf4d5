# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The verdict on a rule by the traffic that it would have stopped. Not known counts as too much."""

from __future__ import annotations

from fractions import Fraction
from typing import Sequence

from .._plan.rollout import EvidenceLimits, Verdict
from .._traffic.queries import percentage
from .._traffic.stopped import WOULD_HAVE_STOPPED, StoppedLimits, StoppedTraffic


def verdict_on(
    traffic: StoppedTraffic,
    limits: EvidenceLimits,
    unknown: Sequence[str] = (),
    advice: Sequence[str] = (),
    verb: str = WOULD_HAVE_STOPPED,
) -> Verdict:
    """The verdict on a rule that would have stopped this traffic within the hours of the limits;
    `unknown` are the reasons why it may be more, and the `verb` says if it may be less."""
    stopped, percent = traffic.stopped, percentage(traffic.stopped, traffic.requests)
    if stopped * 100 > Fraction(str(limits.max_percent)) * traffic.requests:
        within = traffic._replace(when=f"within {limits.hours:g} h")
        most = StoppedLimits(limits.max_percent, limits.max_packets)
        message = f"It {within.beyond(most, verb)}."
        return Verdict("evidence", message, percent, stopped, advice=advice)
    if unknown:
        return Verdict.unknown(" ".join(unknown), [], verb="stop")
    return Verdict("", "", percent, stopped)

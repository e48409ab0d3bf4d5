# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk of a rule or filter that would drop more traffic than the task allows."""

from __future__ import annotations

from ..._text import Message, first_few
from ..._values.address_set import union
from ..enabling import enabling, key_of
from .base import Change, Finding, Limits, entries_of, risk


@risk(
    "The plan would enable a rule or filter that would have dropped more of the traffic to a"
    " network than C(rollout_evidence) allows, or of which that is not known."
)
def drops_traffic(change: Change, limits: Limits) -> Finding | None:
    """A rule or filter drops traffic that passes today."""
    verdicts = {item: change.verdicts.get(key_of(item)) for item in enabling(change.plan)}
    against = {item: verdict for item, verdict in verdicts.items() if verdict and verdict.reason}
    if not against:
        return None
    reasons = [
        f"{item.resource.title} {item.label}: {' '.join([verdict.message, *verdict.advice])}"
        for item, verdict in against.items()
    ]
    ranges = union(network for verdict in against.values() for network in verdict.ranges)
    return Finding(Message(first_few(reasons)), ranges, entries_of(list(against)))


TRAFFIC_RISKS = (drops_traffic,)

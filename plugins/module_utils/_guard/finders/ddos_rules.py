# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk that overrides let a larger part of an attack pass managed DDoS rules."""

from __future__ import annotations

from ..._protection.modes import Loss
from ..._protection.overrides import DOUBTED, GONE
from ..._protection.traffic_changes import TrafficChange
from ..._protection.walk import OVERRIDDEN
from ..._schema.ddos_overrides import L4_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT
from ..._schema.lists import LISTS
from ..._schema.registry import DDOS_OVERRIDES
from ..._text import capitalised, first_few
from ..._values.address_set import EVERYTHING, Range, networks, union
from ..finding import Entry, FinderAnswer, entries_of
from ..risks.declaration import Limits
from ..risks.rules import WEAKENS_DDOS_RULES
from .base import Change, finds
from .passing import passing_traffic, traffic_of


@finds(WEAKENS_DDOS_RULES)
def weakens_ddos_rules(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that managed DDoS rules let a larger part of an attack pass."""
    reasons: list[str] = []
    entries: list[Entry] = []
    ranges: list[Range] = []
    for resource in DDOS_OVERRIDES:
        losses = [loss for loss in change.losses(resource) if loss.how != DOUBTED]
        for loss in losses:
            reasons.append(_clause(loss))
            overrides = _overrides_changed(change, loss)
            entries += [override for override in overrides if override not in entries]
            if resource is L4_OVERRIDES:
                ranges += loss.ranges
    if not reasons:
        return passing_traffic(change, _by_lists(change))
    message = f"{capitalised(first_few(reasons))}: an attack may pass that is stopped now."
    return message, union(ranges), entries


def _by_lists(change: Change) -> list[TrafficChange]:
    """The traffic that overrides treat less strictly because of other contents of lists."""
    traffic = traffic_of(change)
    passes = traffic.passes if traffic else ()
    overridden = [passed for passed in passes if passed.family == OVERRIDDEN]
    return [
        passed
        for passed in overridden
        if not passed.is_softer and any(source.resource == LISTS.name for source in passed.sources)
    ]


def _overrides_changed(change: Change, loss: Loss) -> list[Entry]:
    """The changed overrides that cause a loss; if it is not known which ones do, all that
    change.
    """
    operations = change.plan.operations
    changed = {operation.key for operation in operations}
    deciding = loss.deciding_before
    if loss.key in changed:
        deciding = [(loss.key, loss.label)]
    entries = [Entry(loss.resource, key, label) for key, label in deciding if key in changed]
    return entries or entries_of(operations)


def _clause(loss: Loss) -> str:
    subject = f"{loss.resource.title} {loss.label} {loss.reason}"
    if loss.resource is L7_OVERRIDES_OF_ACCOUNT:
        return (
            f"{subject}, {'hidden by' if loss.how == GONE else 'in force without'} one of the zone"
        )
    if loss.resource is not L4_OVERRIDES or not loss.ranges:
        return subject
    ranges = list(loss.ranges)
    if ranges == EVERYTHING:
        return f"{subject} and all destinations"
    return f"{subject} and {first_few(networks(ranges))}"

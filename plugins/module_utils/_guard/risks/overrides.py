# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk of overrides of managed DDoS rules."""

from __future__ import annotations

from ..._coverage.overrides import Weakening, weakenings
from ..._schema.overrides import L4_OVERRIDES, L7_OVERRIDES
from ..._schema.resource import Resource
from ..._text import capitalised, first_few
from ..._values.address_set import EVERYTHING, networks, union
from .base import Change, Entry, Finding, Limits, risk


@risk(
    "The plan would set an override of managed DDoS rules to log, C(eoff) or a lower sensitivity"
    " than before, or for more traffic."
)
def weakens_ddos_rules(change: Change, limits: Limits) -> Finding | None:
    """Managed DDoS rules would let more of an attack pass."""
    reasons: list[str] = []
    entries: list[Entry] = []
    ranges = []
    for resource in (L4_OVERRIDES, L7_OVERRIDES):
        before, after = (
            state.state.get(resource.plural) or () for state in (change.before, change.after)
        )
        for item in weakenings(resource, before, after):
            reasons.append(_sentence(resource, item))
            entries.append(Entry(resource, item.key, item.label))
            ranges += item.ranges if resource is L4_OVERRIDES else []
    if not reasons:
        return None
    message = f"{capitalised(first_few(reasons))}: an attack may pass that is stopped now."
    return Finding(message, union(ranges), entries)


def _sentence(resource: Resource, item: Weakening) -> str:
    where = ""
    if resource is L4_OVERRIDES and item.ranges:
        shown = first_few(networks(item.ranges))
        where = f" and {'all destinations' if item.ranges == EVERYTHING else shown}"
    return f"{resource.title} {item.label} {item.reason}{where}"


OVERRIDE_RISKS = (weakens_ddos_rules,)

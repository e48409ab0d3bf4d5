# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk of overrides of managed DDoS rules."""

from __future__ import annotations

from ..._coverage.overrides import Weakening, weakenings
from ..._schema.overrides import (
    HIDDEN,
    L4_OVERRIDES,
    L7_OVERRIDES,
    L7_OVERRIDES_OF_ACCOUNT,
    strengthens,
)
from ..._schema.resource import Resource
from ..._text import capitalised, first_few
from ..._values.address_set import EVERYTHING, networks, union
from .base import Change, Entry, Finding, Limits, entries_of, risk


@risk(
    "The plan would set an override of managed DDoS rules to log, C(eoff) or a lower sensitivity"
    " than before, or for more traffic, or would hide overrides of the account by the first one of"
    " a zone."
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
    hidden = _hidden(change)
    if hidden:
        reasons.append(hidden)
        created = change.plan.operations  # there is nothing else to change or delete
        entries += [entry for entry in entries_of(created) if entry not in entries]
    if not reasons:
        return None
    message = f"{capitalised(first_few(reasons))}: an attack may pass that is stopped now."
    return Finding(message, union(ranges), entries)


def _hidden(change: Change) -> str:
    """A clause for overrides of an account that stop more than the managed rules, and that a zone's
    first override hides; empty without such."""
    labels = [
        L7_OVERRIDES_OF_ACCOUNT.label_of(obj)
        for hidden in change.before.state.get(HIDDEN, ())
        for obj in hidden["overrides"]
        if strengthens(obj)
    ]
    if not labels:
        return ""
    return (
        f"the first HTTP DDoS override of the zone hides those of its account, {first_few(labels)}"
    )


def _sentence(resource: Resource, item: Weakening) -> str:
    where = ""
    if resource is L4_OVERRIDES and item.ranges:
        shown = first_few(networks(item.ranges))
        where = f" and {'all destinations' if item.ranges == EVERYTHING else shown}"
    return f"{resource.title} {item.label} {item.reason}{where}"


OVERRIDE_RISKS = (weakens_ddos_rules,)

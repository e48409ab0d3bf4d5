# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk of overrides of managed DDoS rules."""

from __future__ import annotations

from ..._protection.overrides import Weakening, weakenings
from ..._schema.overrides import (
    L4_OVERRIDES,
    L7_OVERRIDES,
    L7_OVERRIDES_OF_ACCOUNT,
    strengthens,
)
from ..._schema.resource import Object, Resource
from ..._text import capitalised, first_few
from ..._values.address_set import EVERYTHING, networks, union
from .base import Change, Entry, Finding, Limits, entries_of, risk


@risk(
    "The plan would set an override of managed DDoS rules to log, C(eoff) or a lower sensitivity"
    " than before, or for more traffic, or would hide overrides of the account by the first one of"
    " a zone, or have weaker ones of the account applied by deleting the last one of a zone."
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
            reasons.append(_clause(resource, item))
            entries.append(Entry(resource, item.key, item.label))
            ranges += item.ranges if resource is L4_OVERRIDES else []
    beside = [clause for clause in (_hidden(change), _applied(change)) if clause]
    if beside:
        reasons += beside
        every = change.plan.operations  # which create the first ones, or delete the last ones
        entries += [entry for entry in entries_of(every) if entry not in entries]
    if not reasons:
        return None
    message = f"{capitalised(first_few(reasons))}: an attack may pass that is stopped now."
    return Finding(message, union(ranges), entries)


def _hidden(change: Change) -> str:
    """A clause for overrides of an account that stop more than the managed rules, and that a zone's
    first override hides; empty without such."""
    labels = [
        L7_OVERRIDES_OF_ACCOUNT.label_of(obj)
        for obj in _overrides_of_account(change)
        if strengthens(obj) and not change.before.state[L7_OVERRIDES.plural]
    ]
    if not labels:
        return ""
    return (
        f"the first HTTP DDoS override of the zone hides those of its account, {first_few(labels)}"
    )


def _applied(change: Change) -> str:
    """A clause for overrides of an account that let more pass than the last ones of a zone, which
    the plan deletes; empty without such."""
    overrides, existing = (
        _overrides_of_account(change),
        change.before.state.get(L7_OVERRIDES.plural),
    )
    if not overrides or not existing:
        return ""
    reasons = [
        f"{item.label} {item.reason}"
        for item in weakenings(L7_OVERRIDES_OF_ACCOUNT, existing, overrides)
    ]
    if not reasons:
        return ""
    return (
        "without its last HTTP DDoS override, the zone has those of its account, of which"
        f" {first_few(reasons)}"
    )


def _overrides_of_account(change: Change) -> list[Object]:
    """Those that the first override of a zone hides, and that apply without the last one."""
    return list(change.before.state.get(L7_OVERRIDES_OF_ACCOUNT.plural, ()))


def _clause(resource: Resource, item: Weakening) -> str:
    where = ""
    if resource is L4_OVERRIDES and item.ranges:
        shown = first_few(networks(item.ranges))
        where = f" and {'all destinations' if item.ranges == EVERYTHING else shown}"
    return f"{resource.title} {item.label} {item.reason}{where}"


OVERRIDE_RISKS = (weakens_ddos_rules,)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of a plan for who is protected, and for what is mitigated.

The vendor warns of them on its page "Advanced TCP Protection: concepts". The finders know no
module: the same change carries the same risks through whatever module it comes.
"""

from __future__ import annotations

from ..._coverage.coverage import has_flag
from ..._coverage.modes import UNDECIDED, Component
from ..._plan.plan import Operation
from ..._schema.account import ENABLED, MONITORING, PREFIXES, STATUS
from ..._schema.resource import Object
from ..._text import first_few, sentence
from ..._values.address_set import (
    Ranges,
    counted,
    difference,
    intersection,
    networks,
    overlaps,
    union,
)
from .base import Change, Finding, Limits, entries_of, risk

WORKING = (ENABLED, MONITORING, UNDECIDED)


@risk("The plan would leave addresses outside protection that were inside it.")
def unprotects_addresses(change: Change, limits: Limits) -> Finding | None:
    """Addresses leave the protection."""
    lost = difference(change.before.protected, change.after.protected)
    if not lost:
        return None
    operations = [item for item in change.plan.operations if _takes_out(item, lost)]
    sharing = [
        f"; {item.title} shares the prefixes"
        for item in change.before.components
        if not item.is_switched
    ]
    message = (
        f"{counted(lost)} ({first_few(networks(lost))}) would no longer be"
        f" protected{''.join(sharing)}."
    )
    return Finding(message, lost, entries_of(operations))


def _takes_out(item: Operation, lost: Ranges) -> bool:
    """Whether an operation takes some of these addresses out of protection."""
    if item.resource is not PREFIXES or not overlaps(item.address, lost):
        return False
    was_protected = item.existing is not None and not has_flag(item.existing, "excluded")
    is_excluded = item.planned is not None and has_flag(item.planned, "excluded")
    was_excluded = item.existing is not None and not was_protected
    return (was_protected and item.planned is None) or (is_excluded and not was_excluded)


@risk("The plan would leave addresses whose attacks a component mitigates with monitoring only.")
def stops_mitigation(change: Change, limits: Limits) -> Finding | None:
    """A component that mitigates attacks on addresses would do less; what disables it altogether is
    not this risk."""
    before, after = change.before, change.after
    is_off = before.enabled is False or after.enabled is False
    still_protected = intersection(before.protected, after.protected)
    lost_by_component: dict[str, Ranges] = {}
    reasons = []
    for was, becomes in zip(before.components, after.components):
        idle = is_off and was.is_switched
        lost = (
            []
            if idle or _last_of(was, becomes)
            else _no_longer_mitigated(was, becomes, still_protected)
        )
        if lost:
            lost_by_component[was.kind] = lost
            reasons.append(
                f"{was.title} would no longer mitigate attacks on {counted(lost)}"
                f" ({first_few(networks(lost))})"
            )
    if not reasons:
        return None
    operations = [
        item
        for item in change.plan.operations
        if item.resource.component in lost_by_component
        and (item.action != "update" or item.resource.mode_field in item.fields)
    ]
    lost = union(item for ranges in lost_by_component.values() for item in ranges)
    return Finding(sentence("; ".join(reasons)), lost, entries_of(operations))


def _no_longer_mitigated(was: Component, becomes: Component, space: Ranges) -> Ranges:
    """Addresses whose ordinary traffic is mitigated before and not after, or of whose traffic
    nothing is any more."""
    return union(
        [
            *difference(was.mitigated(space), becomes.mitigated(space)),
            *difference(was.partly_mitigated(space), becomes.partly_mitigated(space)),
        ]
    )


@risk(
    "The plan would turn the protection off, or take the last working rule from a component, or the"
    " last protected prefix from the account."
)
def disables_protection(change: Change, limits: Limits) -> Finding | None:
    """The switch, a component or the last prefix goes."""
    before, after, operations = change.before, change.after, change.plan.operations
    reasons = []
    concerned: list[Operation] = []
    if before.enabled and after.enabled is False:
        reasons.append("TCP protection would be switched off")
        concerned += [item for item in operations if item.resource is STATUS]
    if before.protected and not after.protected:
        reasons.append("no address would be protected any more")
        concerned += [item for item in operations if _takes_out(item, before.protected)]
    for was, becomes in zip(before.components, after.components):
        was_off = was.is_switched and before.enabled is False
        lost = None if was_off else _last_of(was, becomes)
        if lost:
            reasons.append(f"{was.title} would have no working {lost} left")
            of_component = [item for item in operations if item.resource.component == was.kind]
            concerned += [item for item in of_component if _stops_working(item)] or of_component
    if not reasons:
        return None
    return Finding(sentence("; ".join(reasons)), before.protected, entries_of(concerned))


def _stops_working(item: Operation) -> bool:
    """Whether a rule or filter works before an operation and not after it."""
    return _mode(item, item.existing) in WORKING and _mode(item, item.planned) not in WORKING


def _mode(item: Operation, obj: Object | None) -> str:
    return str((obj or {}).get(item.resource.mode_field or "")).casefold()


def _last_of(was: Component, becomes: Component) -> str | None:
    """What that makes a component work would be gone with its last one; None where the component
    goes on working."""
    left = _working(becomes)
    return next((what for what, there in _working(was).items() if there and not left[what]), None)


def _working(item: Component) -> dict[str, bool]:
    """What of a component works, by its name in sentences; a mode that is not understood may be one
    that works."""
    rules = [rule for rule in item.rules if rule.mode in WORKING]
    filters = [filter_ for filter_ in item.filters if filter_.own_mode in WORKING]
    return {
        item.what_decides: bool(rules) or bool(filters),
        "rule": bool(rules),
        "global rule": any(rule.everywhere for rule in rules),
    }


PROTECTION_RISKS = (unprotects_addresses, stops_mitigation, disables_protection)

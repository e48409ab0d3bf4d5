# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of a plan for who is protected, and for what is mitigated.

The vendor warns of them on its page "Advanced TCP Protection: concepts". The finders know no
module: the same change carries the same risks through whatever module it comes.
"""

from __future__ import annotations

from typing import Iterator, Mapping

from ..._coverage.coverage import has_flag
from ..._coverage.mitigation import no_longer_mitigated
from ..._coverage.modes import UNDECIDED, Component
from ..._expressions.destinations import Undecided, matched
from ..._plan.plan import Operation
from ..._schema.account import ENABLED, MONITORING, PREFIXES, SHARING, STATUS
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
    message = (
        f"{counted(lost)} ({first_few(networks(lost))}) would no longer be protected."
        f" {SHARING.format(PREFIXES.titles)}."
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


@risk(
    "The plan would leave addresses, or a part of their traffic, that a component mitigates with"
    " less than that."
)
def stops_mitigation(change: Change, limits: Limits) -> Finding | None:
    """A component would mitigate less of the traffic to addresses; what disables it altogether is
    not this risk."""
    lost_by_component: dict[str, Ranges] = {}
    reasons = []
    for was, becomes in _components_that_may_stop(change):
        space = intersection(change.before.protected, change.after.protected)
        for ranges, what in no_longer_mitigated(was, becomes, space):
            lost_by_component.setdefault(was.kind, []).extend(ranges)
            part = f": {what}" if what else ""
            reasons.append(
                f"{was.title} would no longer mitigate attacks on {counted(ranges)}"
                f" ({first_few(networks(ranges))}){part}"
            )
    if not reasons:
        return None
    lost = {kind: union(ranges) for kind, ranges in lost_by_component.items()}
    operations = [item for item in change.plan.operations if _lowers(item, lost)]
    ranges = union(item for several in lost.values() for item in several)
    return Finding(sentence("; ".join(reasons)), ranges, entries_of(operations))


def _components_that_may_stop(change: Change) -> Iterator[tuple[Component, Component]]:
    """The components that a plan changes, and that work before and after it."""
    before, after = change.before, change.after
    is_off = before.enabled is False or after.enabled is False
    changed = {item.resource.component for item in change.plan.operations}
    for was, becomes in zip(before.components, after.components):
        is_idle = is_off and was.is_switched
        if was.kind in changed and not is_idle and not _last_of(was, becomes):
            yield was, becomes


def _lowers(item: Operation, lost: Mapping[str, Ranges]) -> bool:
    """Whether an operation on a rule or filter leaves some of these addresses, by component, with
    less: it ends a mitigation, or decides instead of what mitigated."""
    ranges = lost.get(item.resource.component or "")
    was_enabled = item.existing is None or _mode(item, item.existing) == ENABLED
    if not ranges or not was_enabled or _mode(item, item.planned) == ENABLED:
        return False
    expression = (item.existing or item.fields).get("expression")
    return expression is None or _may_match(str(expression), ranges)


def _may_match(expression: str, ranges: Ranges) -> bool:
    try:
        return bool(intersection(matched(expression).sometimes, ranges))
    except Undecided:
        return True


@risk(
    "The plan would turn the protection off, or take the last working rule from a component, or the"
    " last protected prefix from the account."
)
def disables_protection(change: Change, limits: Limits) -> Finding | None:
    """The switch, a component or the last prefix goes."""
    before, after, operations = change.before, change.after, change.plan.operations
    reasons = []
    shared = []
    concerned: list[Operation] = []
    if before.enabled and after.enabled is False:
        reasons.append("TCP protection would be switched off")
        shared.append("status")
        concerned += [item for item in operations if item.resource is STATUS]
    if before.protected and not after.protected:
        reasons.append("no address would be protected any more")
        shared.append(PREFIXES.titles)
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
    sentences = [sentence("; ".join(reasons))]
    sentences += [f"{SHARING.format(' and the '.join(shared))}."] if shared else []
    return Finding(" ".join(sentences), before.protected, entries_of(concerned))


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

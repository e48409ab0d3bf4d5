# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of a plan for who is protected, and for what is mitigated.

The vendor warns of them on its page "Advanced TCP Protection: concepts". The finders know no
module: the same change carries the same risks through whatever module it comes.
"""

from __future__ import annotations

from typing import Iterator, Mapping, NamedTuple, Sequence

from ..._expressions.expression import Expression
from ..._expressions.solve import MatchedDestinations
from ..._plan.plan import Operation
from ..._protection.coverage import has_flag
from ..._protection.modes import (
    LESS,
    LESS_SENSITIVE,
    UNDECIDED,
    UNMITIGATED,
    Component,
    Loss,
    counted_networks,
    ranges_of_losses,
    rule_of,
)
from ..._protection.monitoring import mode_of
from ..._schema.account import ENABLED, MONITORING, PREFIXES, SHARING, STATUS, rules_of_component
from ..._text import Unread, first_few, sentence
from ..._values.address_set import Ranges, intersection, overlaps, union
from ..finding import FinderAnswer, entries_of, entry_of
from ..risks.account import (
    DISABLES_PROTECTION,
    LOWERS_SENSITIVITY,
    STOPS_MITIGATION,
    UNPROTECTS_ADDRESSES,
)
from ..risks.declaration import Limits
from .allowlist import allowlists_own_prefix, broad_allowlist
from .base import Change, by_risk, finds
from .monitoring import drops_traffic, skips_monitoring

WORKING = (ENABLED, MONITORING, UNDECIDED)


@finds(UNPROTECTS_ADDRESSES)
def unprotects_addresses(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that addresses lose their protection."""
    lost = ranges_of_losses(change.losses(PREFIXES))
    if not lost:
        return None
    operations = [operation for operation in change.plan.operations if _takes_out(operation, lost)]
    message = (
        f"{counted_networks(lost)} would no longer be protected. {SHARING.format(PREFIXES.titles)}."
    )
    return message, lost, entries_of(operations)


def _takes_out(operation: Operation, lost: Ranges) -> bool:
    """Return whether an operation takes some of these addresses out of protection."""
    if operation.resource is not PREFIXES or not overlaps(operation.address, lost):
        return False
    if has_flag(operation.existing or {}, "excluded"):
        return False
    return operation.planned is None or has_flag(operation.planned, "excluded")


@finds(STOPS_MITIGATION)
def stops_mitigation(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that a component mitigates less of the traffic to addresses. A component that is
    disabled altogether is another risk (disables_protection).
    """
    lost_by_component: dict[str, Ranges] = {}
    lost: Ranges = []
    reasons = []
    for component in _components_that_may_stop(change):
        losses = [
            loss
            for loss in change.losses(rules_of_component(component.kind))
            if loss.how == UNMITIGATED
        ]
        ranges = ranges_of_losses(losses)
        lost_by_component[component.kind] = ranges
        lost = union([*lost, *ranges])
        stops = f"{component.title} would no longer mitigate attacks on"
        reasons += [f"{stops} {loss.reason}" for loss in losses]
    if not reasons:
        return None
    operations = [
        operation for operation in change.plan.operations if _lowers(operation, lost_by_component)
    ]
    return sentence("; ".join(reasons)), lost, entries_of(operations)


def _components_that_may_stop(change: Change) -> Iterator[Component]:
    """The components, as before a plan, that the plan changes, except for those that do not work
    before it or lose their last working object.
    """
    before, after = change.before, change.after
    is_off = before.enabled is False or after.enabled is False
    changed = {operation.resource.component for operation in change.plan.operations}
    for was, becomes in zip(before.components, after.components):
        if was.kind not in changed:
            continue
        is_idle = is_off and was.is_switched
        if not is_idle and not _last_of(was, becomes):
            yield was


def _lowers(operation: Operation, lost: Mapping[str, Ranges]) -> bool:
    """Return whether an operation on a rule or filter may be why its component mitigates less for
    the addresses in `lost` (by component): the object is not enabled afterwards, and may match
    them.
    """
    resource, existing = operation.resource, operation.existing
    ranges = lost.get(resource.component or "")
    becomes = mode_of(resource, operation.planned)
    if not ranges or becomes == ENABLED:
        return False
    if existing is not None and mode_of(resource, existing) != ENABLED:
        return False
    obj = existing or operation.fields
    if obj.get("expression") is None:
        return True
    return _may_match(Expression.of_object(obj), ranges)


def _may_match(expression: Expression, ranges: Ranges) -> bool:
    try:
        return bool(intersection(MatchedDestinations.of(expression).sometimes, ranges))
    except Unread:
        return True


class Disabled(NamedTuple):
    """A part of the protection that would be off: the `reason`, the operations, and in `shared` the
    noun for the part if other products share it (empty if none does).
    """

    reason: str
    operations: Sequence[Operation]
    shared: str = ""


@finds(DISABLES_PROTECTION)
def disables_protection(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that the protection, a component or the last prefix is disabled."""
    disabled = [*_disabled_account(change), *_disabled_components(change)]
    if not disabled:
        return None
    operations: list[Operation] = []
    for protection in disabled:
        operations += protection.operations
    sentences = [sentence("; ".join(protection.reason for protection in disabled))]
    shared = [protection.shared for protection in disabled if protection.shared]
    if shared:
        sentences.append(f"{SHARING.format(' and the '.join(shared))}.")
    return " ".join(sentences), change.before.protected, entries_of(operations)


def _disabled_account(change: Change) -> Iterator[Disabled]:
    """The status, if a plan switches it off, and the prefixes, if no address stays protected."""
    operations = change.plan.operations
    protected = change.before.protected
    if change.losses(STATUS):
        of_status = [operation for operation in operations if operation.resource is STATUS]
        yield Disabled("TCP protection would be switched off", of_status, "status")
    if protected and not change.after.protected:
        of_prefixes = [operation for operation in operations if _takes_out(operation, protected)]
        reason = "no address would be protected any more"
        yield Disabled(reason, of_prefixes, PREFIXES.titles)


def _disabled_components(change: Change) -> Iterator[Disabled]:
    """The components that would have no working rule, or no working global rule, any more."""
    before = change.before
    for was, becomes in zip(before.components, change.after.components):
        was_off = was.is_switched and before.enabled is False
        kind = "" if was_off else _last_of(was, becomes)
        if kind:
            reason = f"{was.title} would have no working {kind} left"
            yield Disabled(reason, _stopping_operations(change, was))


def _stopping_operations(change: Change, component: Component) -> list[Operation]:
    """The operations after which objects of a component no longer work; if there are none, all
    operations on its objects.
    """
    operations = [
        operation
        for operation in change.plan.operations
        if operation.resource.component == component.kind
    ]
    return list(filter(_stops_working, operations)) or operations


def _stops_working(operation: Operation) -> bool:
    """Return whether a rule or filter works before an operation and not after it."""
    was = mode_of(operation.resource, operation.existing)
    becomes = mode_of(operation.resource, operation.planned)
    return was in WORKING and becomes not in WORKING


def _last_of(was: Component, becomes: Component) -> str:
    """The kind of object, such as `global rule`, of which a component would have no working one
    left; empty if some of each kind are left. `was` and `becomes` are the component before and
    after.
    """
    works_after = _working(becomes)
    for kind, works in _working(was).items():
        if works and not works_after[kind]:
            return kind
    return ""


def _working(component: Component) -> dict[str, bool]:
    """The kinds of objects of a component, each with whether at least one such object works; an
    object whose mode is not understood counts as working.
    """
    rules = [rule for rule in component.rules if rule.mode in WORKING]
    has_filter = any(filter_.own_mode in WORKING for filter_ in component.filters)
    return {
        " or ".join(component.deciding_kinds): bool(rules) or has_filter,
        "rule": bool(rules),
        "global rule": any(rule.everywhere for rule in rules),
    }


@finds(LOWERS_SENSITIVITY)
def lowers_sensitivity(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that traffic is mitigated later, since a rule becomes less sensitive, or a less
    sensitive rule decides in its place.
    """
    reasons: list[str] = []
    concerned: dict[Operation, None] = {}
    for component in change.before.components:
        operations = _rule_operations(change, component)
        losses = change.losses(rules_of_component(component.kind)) if operations else []
        for loss in losses:
            causes = _causes_of(loss, operations, component.kind)
            is_staged = any(operation.target in change.staged for operation in causes)
            if loss.how == LESS_SENSITIVE or (loss.how in LESS and is_staged):
                reasons.append(f"{component.title}: {loss.label} ({loss.reason})")
                concerned.update(dict.fromkeys(causes))
    of_level = _lower_level(change)
    if not reasons:
        return of_level
    message = f"Attacks would be mitigated later by {first_few(reasons)}."
    entries = entries_of(concerned)
    if of_level is None:
        return message, [], entries
    level_message, _ranges, levels = of_level
    return f"{message} {level_message}", [], [*entries, *levels]


def _rule_operations(change: Change, component: Component) -> list[Operation]:
    """The operations on the rules of a component."""
    rules = rules_of_component(component.kind)
    return [operation for operation in change.plan.operations if operation.resource is rules]


def _causes_of(loss: Loss, operations: Sequence[Operation], kind: str) -> list[Operation]:
    """The operations on the rule that becomes weaker, or on rules that decided in front of it."""
    keys = {loss.key, *(key for key, _label in loss.deciding_before)}
    causes = []
    for operation in operations:
        rule = rule_of(operation.existing or operation.fields, kind)
        if rule.key in keys:
            causes.append(operation)
    return causes


def _lower_level(change: Change) -> FinderAnswer:
    """The risk that a protection level is lower than before, or may be since it is not known."""
    resources = change.plan.resources.values()
    levels = [resource for resource in resources if resource.levels]
    losses = change.losses(*levels)
    reasons: dict[str, list[str]] = {}  # by what becomes of traffic
    for loss in losses:
        field = loss.resource.field(loss.how)
        reasons.setdefault(field.lowered, []).append(f"the {loss.resource.title} {loss.reason}")
    if not reasons:
        return None
    sentences = [f"{consequence} if {first_few(reasons[consequence])}." for consequence in reasons]
    return " ".join(sentences), [], [entry_of(loss.resource, {}) for loss in losses]


ACCOUNT_FINDERS = by_risk(
    unprotects_addresses,
    stops_mitigation,
    disables_protection,
    lowers_sensitivity,
    skips_monitoring,
    drops_traffic,
    broad_allowlist,
    allowlists_own_prefix,
)

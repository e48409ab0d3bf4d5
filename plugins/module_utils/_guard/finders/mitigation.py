# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk that a component mitigates less of the traffic to addresses."""

from __future__ import annotations

from typing import Iterator, Mapping

from ..._expressions.expression import Expression
from ..._expressions.solve import MatchedDestinations
from ..._plan.plan import Operation
from ..._protection.modes import UNMITIGATED, Component, ranges_of_losses
from ..._protection.monitoring import mode_of
from ..._schema.account import ENABLED, rules_of_component
from ..._text import Unread, sentence
from ..._values.address_set import Ranges, intersection, union
from ..finding import FinderAnswer, entries_of
from ..risks.account import STOPS_MITIGATION
from ..risks.declaration import Limits
from .base import Change, finds
from .disabling import last_of


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
        if not is_idle and not last_of(was, becomes):
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

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk that a component becomes less sensitive."""

from __future__ import annotations

from typing import Sequence

from ..._plan.plan import Operation
from ..._protection.components import rule_of
from ..._protection.modes import LESS, LESS_SENSITIVE, Component, Loss
from ..._schema.account import rules_of_component
from ..._text import first_few
from ..finding import FinderAnswer, entries_of, entry_of
from ..risks.account import LOWERS_SENSITIVITY
from ..risks.declaration import Limits
from .base import Change, finds


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

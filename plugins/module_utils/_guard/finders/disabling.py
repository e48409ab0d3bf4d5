# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk that protection is off: that of an account, or of one of its components."""

from __future__ import annotations

from typing import Iterator, NamedTuple, Sequence

from ..._plan.plan import Operation
from ..._protection.modes import UNDECIDED, Component
from ..._protection.monitoring import mode_of
from ..._schema.account import ENABLED, MONITORING, PREFIXES, SHARING, STATUS
from ..._text import sentence
from ..finding import FinderAnswer, entries_of
from ..risks.account import DISABLES_PROTECTION
from ..risks.declaration import Limits
from .base import Change, finds
from .unprotecting import takes_out

WORKING = (ENABLED, MONITORING, UNDECIDED)


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
        of_prefixes = [operation for operation in operations if takes_out(operation, protected)]
        reason = "no address would be protected any more"
        yield Disabled(reason, of_prefixes, PREFIXES.titles)


def _disabled_components(change: Change) -> Iterator[Disabled]:
    """The components that would have no working rule, or no working global rule, any more."""
    before = change.before
    for was, becomes in zip(before.components, change.after.components):
        was_off = was.is_switched and before.enabled is False
        kind = "" if was_off else last_of(was, becomes)
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


def last_of(was: Component, becomes: Component) -> str:
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

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Applies a plan to an end that can be reported: done, not done and why, or not known.

After a lost answer, and after a change that somebody else made meanwhile, the state is read and
planned again, once. Nothing is created a second time on the mere suspicion that it was not created
the first time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Callable, Generic, Hashable, Protocol, TypeVar

from .._api.client import Client
from .._errors import ProtectionError, ServiceError
from .._messages import joined
from .._plan.plan import Operation, Plan
from .._result import make_diff, operation_records
from .._schema.resource import State
from .._text import first_few, plural
from .executor import Interrupted, Warn, apply_plan, changed_meanwhile


class HasPlan(Protocol):
    """What the second look returns: a plan, with whatever the caller wants to know of it
    afterwards."""

    @property
    def plan(self) -> Plan:
        """The plan for what is left."""


Again = TypeVar("Again", bound=HasPlan)


@dataclass(frozen=True)
class Applied(Generic[Again]):
    """The operations that were applied, the state afterwards, and the second look where one was
    needed.

    `before` is the state that the second look found, where nothing had been written until then.
    """

    operations: tuple[Operation, ...]
    state: State
    again: Again | None = None
    before: State | None = None


def apply_with_recovery(
    plan: Plan, plan_again: Callable[[], Again], client: Client, warn: Warn
) -> Applied[Again]:
    """Apply the plan; raises ProtectionError with `done`, `left` and `unknown`, which add up to
    `operations`.

    `plan_again` reads, plans and checks what is left; it raises ProtectionError. What the service
    refused is said in a warning, also where the state turns out as desired. A plan that another
    writer has made obsolete is made again.
    """
    try:
        changed = changed_meanwhile(plan, client)
        if changed:
            warn(changed)
        again = plan_again() if changed else None
    except ProtectionError as exc:
        raise exc.extended("Nothing was changed.") from exc
    if again is None:
        return _apply(plan, plan_again, client, warn)
    applied = _apply(again.plan, plan_again, client, warn)
    return replace(applied, again=applied.again or again, before=again.plan.before)


def _apply(
    plan: Plan, plan_again: Callable[[], Again], client: Client, warn: Warn
) -> Applied[Again]:
    try:
        return Applied(plan.operations, plan.after(apply_plan(plan, client, warn)))
    except Interrupted as interrupted:
        first = interrupted
    if not first.cause.needs_reread:
        raise _failure(first.cause, first) from first.cause
    try:
        again = plan_again()
    except ProtectionError as exc:
        raise _failure(exc, first) from first.cause
    rest = again.plan
    needed = {(item.resource.name, item.key) for item in rest.operations}
    done = first.done + tuple(
        item for item in first.unknown if (item.resource.name, item.key) not in needed
    )
    try:
        state = rest.after(apply_plan(rest, client, warn))
    except Interrupted as second:
        _warn_of_refusals(first, rest, warn, second.cause)
        raise _failure(second.cause, second, done) from first.cause
    _warn_of_refusals(first, rest, warn)
    return Applied(done + rest.operations, state, again)


def _warn_of_refusals(
    first: Interrupted, rest: Plan, warn: Warn, refusal: ServiceError | None = None
) -> None:
    """Warn of each refusal but the one that is said already, with what the second look found."""
    needed = {(item.resource.name, item.key) for item in rest.operations}
    by_answer: dict[Hashable, list[Operation]] = {}
    for operation, error in first.refusals.items():
        by_answer.setdefault(error.answer, []).append(operation)
    for answer, operations in by_answer.items():
        if refusal is not None and refusal.answer == answer:
            continue
        converged = [
            item.label for item in operations if (item.resource.name, item.key) not in needed
        ]
        planned = [item.label for item in operations if (item.resource.name, item.key) in needed]
        sentences = (
            first.refusals[operations[0]].message,
            (
                f"The module read again and found {first_few(converged)} as desired."
                if converged
                else ""
            ),
            f"The module read again and planned {first_few(planned)} again." if planned else "",
        )
        warn(joined(" ", filter(None, sentences)))


def _failure(
    cause: ProtectionError, interrupted: Interrupted, done_before: tuple[Operation, ...] = ()
) -> ProtectionError:
    done = done_before + interrupted.done
    operations = done + interrupted.unknown + interrupted.left
    return cause.extended(
        _progress(len(done), len(interrupted.left), len(interrupted.unknown)),
        changed=bool(done),
        diff=make_diff(operations),
        operations=operation_records(operations),
        done=operation_records(done),
        left=operation_records(interrupted.left),
        unknown=operation_records(interrupted.unknown),
    )


def _progress(done: int, left: int, unknown: int) -> str:
    """How far it came: `300 of 601 operations are done, 1 is left; whether 300 others were applied
    is not known.`"""
    if not done and not unknown:
        return ""
    if done or left:
        operations = plural(done + left + unknown, "operation", "operations")
        sentence = f"{done} of {operations} {'is' if done == 1 else 'are'} done"
        sentence += f", {plural(left, 'is', 'are')} left" if left else ""
        sentence += (
            f"; whether {plural(unknown, 'other was', 'others were')} applied is not known"
            if unknown
            else ""
        )
    else:
        sentence = (
            f"Whether {plural(unknown, 'operation was', 'operations were')} applied is not known"
        )
    return (
        f"{sentence}. Run the task again when the cause is gone: it reads first, and does only what"
        " is left."
    )

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Applies a plan to an end that can be reported: done, not done and why, or not known.

After a lost answer, and after a change that somebody else made meanwhile, the state is read and planned again, once.
Nothing is created a second time on the mere suspicion that it was not created the first time.
"""

from __future__ import annotations

from typing import Callable, NamedTuple

from ..api.client import Client
from ..errors import ProtectionError
from ..plan.plan import Operation, Plan
from ..result import make_diff, operation_records
from ..schema.resource import State
from ..text import plural
from .executor import Interrupted, Warn, apply_plan


class Applied(NamedTuple):
    """The operations that were applied, and the state afterwards."""

    operations: tuple[Operation, ...]
    state: State


def apply_with_recovery(plan: Plan, plan_again: Callable[[], Plan], client: Client, warn: Warn) -> Applied:
    """Apply the plan; raises ProtectionError with `done`, `left` and `unknown`, which add up to `operations`."""
    try:
        return Applied(plan.operations, plan.after(apply_plan(plan, client, warn)))
    except Interrupted as interrupted:
        first = interrupted
    if not first.cause.needs_reread:
        raise _failure(first.cause, first) from first.cause
    try:
        rest = plan_again()
    except ProtectionError as exc:
        raise _failure(exc, first) from first.cause
    done = first.done + _applied_after_all(first, rest)
    try:
        return Applied(done + rest.operations, rest.after(apply_plan(rest, client, warn)))
    except Interrupted as second:
        raise _failure(second.cause, second, done) from first.cause


def _applied_after_all(first: Interrupted, rest: Plan) -> tuple[Operation, ...]:
    """The operations whose outcome was unknown, and that the second plan does not need any more."""
    needed = {(item.resource.name, item.key) for item in rest.operations}
    return tuple(item for item in first.unknown if (item.resource.name, item.key) not in needed)


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
    """How far it came: `300 of 601 operations are done, 1 is left; whether 300 others were applied is not known.`"""
    if not done and not unknown:
        return ""
    sentence = f"{done} of {plural(done + left + unknown, 'operation is', 'operations are')} done"
    sentence += f", {plural(left, 'is', 'are')} left" if left else ""
    sentence += f"; whether {plural(unknown, 'other was', 'others were')} applied is not known" if unknown else ""
    return f"{sentence}. Run the task again when the cause is gone: it reads first, and does only what is left."

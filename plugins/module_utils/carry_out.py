# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan carried out to an end that can be told: done, not done and why, or not known.

An answer that got lost, and a change that somebody else made meanwhile, are settled by reading again and planning
again, once. Nothing is created a second time on the mere suspicion that it was not created the first time.
"""

from __future__ import annotations

from typing import Callable, NamedTuple

from .apply import Interrupted, apply_plan
from .client import Client
from .declaration import State
from .errors import ProtectionError
from .outcome import described, diff
from .plan import Operation, Plan


class Applied(NamedTuple):
    """The operations that were carried out, and the state afterwards."""

    operations: tuple[Operation, ...]
    state: State


def carry_out(plan: Plan, plan_again: Callable[[], Plan], client: Client, warn: Callable[[str], None]) -> Applied:
    """Carry out the plan; raises ProtectionError with `done`, `left` and `unknown`, which add up to `operations`."""
    try:
        return Applied(plan.operations, plan.after(apply_plan(plan, client, warn)))
    except Interrupted as interrupted:
        first = interrupted
    if not first.cause.needs_another_look:
        raise _failure(first.cause, first)
    try:
        rest = plan_again()
    except ProtectionError as exc:
        raise _failure(exc, first) from first.cause
    done = first.done + _carried_out_after_all(first, rest)
    try:
        return Applied(done + rest.operations, rest.after(apply_plan(rest, client, warn)))
    except Interrupted as second:
        raise _failure(second.cause, second, done) from first.cause


def _carried_out_after_all(first: Interrupted, rest: Plan) -> tuple[Operation, ...]:
    """What was not known to be done and need not be done any more."""
    needed = {(item.resource.name, item.key) for item in rest.operations}
    return tuple(item for item in first.unknown if (item.resource.name, item.key) not in needed)


def _failure(
    cause: ProtectionError, interrupted: Interrupted, done_before: tuple[Operation, ...] = ()
) -> ProtectionError:
    done = done_before + interrupted.done
    operations = done + interrupted.unknown + interrupted.left
    cause.message += _how_far(len(done), len(interrupted.unknown), len(operations))
    cause.details.update(
        changed=bool(done),
        diff=diff(operations),
        operations=described(operations),
        done=described(done),
        left=described(interrupted.left),
        unknown=described(interrupted.unknown),
    )
    return cause


def _how_far(done: int, unknown: int, all_in_all: int) -> str:
    if not done and not unknown:
        return ""
    unsure = f", of {unknown} it is not known" if unknown else ""
    return (
        f" {done} of {all_in_all} operations are done{unsure}. "
        "Run the task again when the cause is gone: it reads first, and does only what is left."
    )

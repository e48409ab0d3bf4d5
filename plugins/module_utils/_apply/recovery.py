# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Applies a plan to an end that can be reported: done, not done and why, or not known.

After a lost answer, and after a change that somebody else made meanwhile, the state is read and
planned again. Nothing is created a second time on the mere suspicion that it was not created
the first time.
"""

from __future__ import annotations

from typing import AbstractSet, Callable, Hashable, NamedTuple

from .._api.client import Client
from .._errors import ProtectionError, ServiceError
from .._plan.plan import Operation, Plan
from .._schema.resource import State
from .._text import Warn, first_few, joined
from .executor import BrokenOff, apply_plan, changed_meanwhile

MOST_LOOKS = 5  # at a state that others go on to change


class Applied(NamedTuple):
    """The operations that were applied, and the state afterwards.

    `before` is the state that a second look found, where nothing had been written until then.
    `made` are the ids of the objects that were created. `put_back` are the operations of a second
    plan, on what others wrote meanwhile.
    """

    operations: tuple[Operation, ...]
    state: State
    before: State | None = None
    made: AbstractSet[str] = frozenset()
    put_back: tuple[Operation, ...] = ()


def apply_with_recovery(
    plan: Plan, plan_again: Callable[[], Plan], client: Client, warn: Warn
) -> Applied:
    """Apply the plan; raises BrokenOff if it is not applied to its end, and ProtectionError if
    nothing was begun.

    `plan_again` reads, plans and checks what is left; it raises ProtectionError. What Cloudflare
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
    return _apply(again, plan_again, client, warn)._replace(before=again.before)


def _may_look(broken: BrokenOff, looks: int) -> bool:
    """Return whether another look may help: one after a lost answer, and some as long as others are
    faster."""
    is_known = isinstance(broken.cause, ServiceError) and not broken.cause.maybe_applied
    return broken.needs_reread and (looks == 0 or (looks < MOST_LOOKS and is_known))


def _apply(
    plan: Plan, plan_again: Callable[[], Plan], client: Client, warn: Warn, looks: int = 0
) -> Applied:
    try:
        sent = apply_plan(plan, client, warn)
        return Applied(plan.operations, sent.after(plan), made=sent.made)
    except BrokenOff as exc:
        first = exc
    if not _may_look(first, looks):
        raise first
    try:
        rest = plan_again()
    except ProtectionError as exc:
        raise BrokenOff(exc, first.done, first.left, first.unknown) from first.cause
    needed = {item.target for item in rest.operations}
    done = first.done + tuple(item for item in first.unknown if item.target not in needed)
    try:
        applied = _apply(rest, plan_again, client, warn, looks + 1)
    except BrokenOff as second:
        _warn_of_refusals(first, needed, warn, second.cause)
        # What Cloudflare has begun may end after it was read, and after its repetition was refused.
        begun = {i.target for i in first.unknown if i.resource.write_for(i.action).operation}
        left = [item for item in second.left if item.target not in begun]
        unknown = [*second.unknown, *(item for item in second.left if item.target in begun)]
        raise BrokenOff(second.cause, done + second.done, left, unknown) from first.cause
    _warn_of_refusals(first, needed, warn)
    return Applied(done + applied.operations, applied.state, made=applied.made | first.made)


def _warn_of_refusals(
    first: BrokenOff,
    needed: AbstractSet[object],
    warn: Warn,
    refusal: ProtectionError | None = None,
) -> None:
    """Warn of each refusal but the one that is said already, with what the second look found."""
    by_answer: dict[Hashable, list[Operation]] = {}
    for operation, error in first.refusals.items():
        by_answer.setdefault(error.answer, []).append(operation)
    for answer, operations in by_answer.items():
        if isinstance(refusal, ServiceError) and refusal.answer == answer:
            continue
        converged = [item.label for item in operations if item.target not in needed]
        planned = [item.label for item in operations if item.target in needed]
        sentences = [first.refusals[operations[0]].message]
        if converged:
            labels = first_few(converged)
            sentences.append(f"The module read again and found {labels} as desired.")
        if planned:
            sentences.append(f"The module read again and planned {first_few(planned)} again.")
        warn(joined(" ", sentences))

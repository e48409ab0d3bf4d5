# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All that may keep an account from taking a plan, and how any plan is checked."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Callable, Iterator, Sequence

from .._concurrency import concurrently
from .._errors import ServiceError
from .._plan.plan import Operation, Plan
from .._protection.coverage import has_flag
from .._schema.account import PREFIXES
from .._schema.neighbours import ONBOARDED, delegations_of, is_approved
from .._schema.resource import Object, ReadCollection
from .._text import Message, Unread
from .._values.address_set import overlaps, range_of

Check = Callable[[Plan, ReadCollection], str]  # returns why the owner would not take the plan


@contextmanager
def reading(prefix: str) -> Iterator[None]:
    """Raise Unread, with a sentence, if Cloudflare refuses to show something."""
    try:
        yield
    except ServiceError as exc:
        raise Unread(Message(prefix, exc.message)) from exc


def check_length(plan: Plan, _read: ReadCollection) -> str:
    """The reason why an owner would not take a plan that makes a list longer than its quota; one
    that is longer already has a larger quota."""
    for resource in (item for item in plan.resources.values() if item.quota):
        not_ours = resource.semantics.not_ours
        before, after = (
            len([obj for obj in state[resource.plural] if not not_ours(obj)])
            for state in (plan.before, plan.after())
        )
        if before <= resource.quota < after:
            return (
                f"The {resource.owner.partition('_')[0]} takes {resource.quota} {resource.titles},"
                f" and {after} would be there. Remove {after - resource.quota} or more."
            )
    return ""


ONBOARDING = "Whether the new prefixes are approved, and not delegated to other accounts,"
TO_DO = "Cloudflare protects only what is approved, and not delegated to another account."


def check_onboarding(plan: Plan, read: ReadCollection) -> str:
    """Check that Cloudflare takes the new prefixes of a plan; `read` is called only if there are
    some."""
    new = [str((item.planned or {}).get("prefix")) for item in plan.operations if _protects(item)]
    if not new:
        return ""
    with reading(f"{ONBOARDING} is not known: "):
        reasons = list(_reasons_of(new, read))
    return " ".join([*reasons, TO_DO]) if reasons else ""


def _protects(item: Operation) -> bool:
    """True if an operation begins to protect a prefix."""
    if item.resource is not PREFIXES or item.planned is None or has_flag(item.planned, "excluded"):
        return False
    return item.existing is None or has_flag(item.existing, "excluded")


def _reasons_of(new: Sequence[str], read: ReadCollection) -> Iterator[str]:
    """A sentence for each new prefix with a part that cannot be protected."""
    concerned = [prefix for prefix in read(ONBOARDED) if _meeting(prefix, new)]
    delegations = concurrently(read, [*map(delegations_of, concerned)])
    for prefix, delegated in zip(concerned, delegations):
        if not is_approved(prefix):
            yield from _refused(prefix, new, "is not approved yet")
        for part in delegated:
            yield from _refused(part, new, "is delegated to another account")


def _meeting(part: Object, new: Sequence[str]) -> list[str]:
    """The new prefixes that overlap with an onboarded one, or a part of it."""
    network = range_of(part.get("cidr"))
    return [text for text in new if overlaps(text, [network])] if network else []


def _refused(part: Object, new: Sequence[str], why: str) -> Iterator[str]:
    for text in _meeting(part, new):
        yield f"The prefix {text} cannot be protected: {part.get('cidr')} {why}."


CHECKS: Sequence[Check] = (check_length, check_onboarding)


def check_feasibility(
    plan: Plan, read: ReadCollection, checks: Sequence[Check] = CHECKS
) -> tuple[list[str], list[str]]:
    """The reasons why an account or zone would not take a plan, by these checks, and why that is
    not known; `read` is called only if a plan may be refused."""
    refusals, unknown = [], []
    for check in checks:
        try:
            refusals.append(check(plan, read))
        except Unread as exc:
            unknown.append(exc.reason)
    return refusals, unknown

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The reasons that may keep an account or zone from taking a plan, whatever its risks are."""

from __future__ import annotations

from typing import Iterator, Mapping, Sequence

from .._errors import ProtectionError, reading
from .._plan.plan import Check, Operation, Plan
from .._plan.removals import split_at_removals, two_runs
from .._protection.coverage import has_flag
from .._schema.account import PREFIXES
from .._schema.neighbours import ONBOARDED, delegations_of, is_approved
from .._schema.resource import Object, ReadCollection, Resource, State
from .._text import Unread
from .._values.address_set import overlaps, range_of
from .facts import CollectionPlace, ObjectsOrError, place_of_collection


def check_length(plan: Plan, _read: ReadCollection) -> str:
    """The reason why an account or zone would reject a plan that makes a list longer than its
    quota; empty if there is none. A list that already exceeds the quota must have a larger one.
    """
    for resource in plan.resources.values():
        quota = resource.quota
        longest = _before_removals(plan) if resource.is_referred_to else plan
        after = _number_of_counting_objects(resource, longest.after()) if quota else 0
        if after > quota and _number_of_counting_objects(resource, plan.before) <= quota:
            owner = resource.owner.partition("_")[0]
            return (
                f"The {owner} takes {quota} {resource.titles}, and {after} would be there."
                f" {_advice(plan, resource, after - quota)}"
            )
    return ""


def _before_removals(plan: Plan) -> Plan:
    """The plan without the removals at its end, when there is most of what rules refer to."""
    made, _removals = split_at_removals(plan.operations)
    return plan._replace(operations=tuple(made))


def _advice(plan: Plan, resource: Resource, surplus: int) -> str:
    _made, removals = split_at_removals(plan.operations)
    names = [removal.label for removal in removals if removal.resource is resource]
    return two_runs(names) if names else f"Remove {surplus} or more."


def _number_of_counting_objects(resource: Resource, state: State) -> int:
    """The number of objects of a collection that count towards its quota."""
    not_ours = resource.semantics.not_ours
    return len([obj for obj in state[resource.plural] if not not_ours(obj)])


ONBOARDING = "Whether the new prefixes are approved, and not delegated to other accounts,"
TO_DO = "Cloudflare protects only what is approved, and not delegated to another account."


def onboarded_to_read(plan: Plan) -> Sequence[Resource]:
    """The collection of onboarded prefixes if a plan has new prefixes; empty otherwise."""
    return [ONBOARDED] if _new_prefixes(plan) else []


def delegations_to_read(
    plan: Plan, answers: Mapping[CollectionPlace, ObjectsOrError]
) -> Sequence[Resource]:
    """The collections of delegations of those onboarded prefixes that overlap new prefixes of a
    plan.
    """
    onboarded = answers.get(place_of_collection(ONBOARDED), ())
    if isinstance(onboarded, ProtectionError):
        return []
    return _delegations(onboarded, _new_prefixes(plan))


def _delegations(onboarded: Sequence[Object], new: Sequence[str]) -> list[Resource]:
    return [delegations_of(prefix) for prefix in onboarded if _meeting(prefix, new)]


def _new_prefixes(plan: Plan) -> list[str]:
    """The prefixes that a plan begins to protect."""
    protecting = [operation for operation in plan.operations if _protects(operation)]
    return [str((operation.planned or {}).get("prefix")) for operation in protecting]


def check_onboarding(plan: Plan, read: ReadCollection) -> str:
    """The reason why Cloudflare would reject the new prefixes of a plan; empty if none. `read`
    is called only if there are new prefixes."""
    new = _new_prefixes(plan)
    if not new:
        return ""
    with reading(f"{ONBOARDING} is not known: "):
        reasons = list(_reasons_of(new, read))
    return " ".join([*reasons, TO_DO]) if reasons else ""


def _protects(operation: Operation) -> bool:
    """Return whether an operation begins to protect a prefix."""
    planned, existing = operation.planned, operation.existing
    if operation.resource is not PREFIXES or planned is None or has_flag(planned, "excluded"):
        return False
    return existing is None or has_flag(existing, "excluded")


def _reasons_of(new: Sequence[str], read: ReadCollection) -> Iterator[str]:
    """A sentence for each new prefix of which at least a part cannot be protected."""
    for prefix in read(ONBOARDED):
        if not _meeting(prefix, new):
            continue
        if not is_approved(prefix):
            yield from _unprotectable(prefix, new, "is not approved yet")
        for delegation in read(delegations_of(prefix)):
            yield from _unprotectable(delegation, new, "is delegated to another account")


def _meeting(onboarded: Object, new: Sequence[str]) -> list[str]:
    """The new prefixes that overlap an onboarded prefix, or a delegation in it."""
    network = range_of(onboarded.get("cidr"))
    return [prefix for prefix in new if overlaps(prefix, [network])] if network else []


def _unprotectable(onboarded: Object, new: Sequence[str], reason: str) -> Iterator[str]:
    for prefix in _meeting(onboarded, new):
        yield f"The prefix {prefix} cannot be protected: {onboarded.get('cidr')} {reason}."


CHECKS: Sequence[Check] = (check_length, check_onboarding)


def check_feasibility(
    plan: Plan, read: ReadCollection, checks: Sequence[Check] = CHECKS
) -> tuple[list[str], list[str]]:
    """The reasons why an account or zone would reject a plan, found by these `checks`, and the
    reasons why that is not known; `read` is called only if the plan may be rejected.
    """
    refusals, unknown = [], []
    for check in checks:
        try:
            refusals.append(check(plan, read))
        except Unread as exc:
            unknown.append(exc.reason)
    return refusals, unknown

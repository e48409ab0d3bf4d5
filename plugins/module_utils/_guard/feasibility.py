# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All that may keep an account or zone from taking a plan."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, Sequence

from .._concurrency import concurrently
from .._errors import ServiceError
from .._plan.plan import Operation, Plan
from .._protection.coverage import has_flag
from .._schema.account import PREFIXES
from .._schema.lists import LISTS, MOST_ITEMS
from .._schema.neighbours import ONBOARDED, ZONE, delegations_of, is_approved
from .._schema.resource import Object, ReadCollection, Resource
from .._schema.zone import LIMITED, QUOTAS, Quota, features, quota_of
from .._text import Message, first_few
from .._values.address_set import overlaps, range_of


class Unchecked(Exception):
    """It is not known whether an account or zone takes a plan; holds the sentence that says so."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


@contextmanager
def _unchecked(prefix: str) -> Iterator[None]:
    """Raise Unchecked if Cloudflare refuses to show something."""
    try:
        yield
    except ServiceError as exc:
        raise Unchecked(Message(prefix, exc.message)) from exc


def check_quota(plan: Plan, read: ReadCollection) -> str:
    """Check that the owner takes a plan; `read` is called only if some zones would not."""
    too_many = _too_many(plan)
    if too_many or not may_exceed_quota(plan):
        return too_many
    with _unchecked("The quota of the zone is not checked: "):
        (zone,) = plan.before.get(ZONE.plural) or read(ZONE)
    return exceeded_quota(plan, zone)


def _too_many(plan: Plan) -> str:
    """The reason why an owner would not take a plan that makes a list longer than its quota; one
    that is longer already has a larger quota."""
    resources = {item.resource.plural: item.resource for item in plan.operations}
    for resource in (item for item in resources.values() if item.quota):
        before, after = (len(state[resource.plural]) for state in (plan.before, plan.after()))
        if before <= resource.quota < after:
            return (
                f"The {resource.owner.partition('_')[0]} takes {resource.quota} {resource.titles},"
                f" and {after} would be there. Remove what is too much."
            )
    return ""


def may_exceed_quota(plan: Plan) -> bool:
    """True if there are zones that would not take this plan, so that the quota of its zone
    matters."""
    return any(_exceeded(plan, quota) for quota in QUOTAS.values())


def exceeded_quota(plan: Plan, zone: Object) -> str:
    """The reason why a zone would not take this plan, empty if it would; raises Unchecked if its
    quota is not known."""
    quota = quota_of(zone)
    if quota is None:
        raise Unchecked("The quota of the zone's plan is not known.")
    reasons = "; ".join(_exceeded(plan, quota))
    to_do = "Remove what is too much, or choose another plan for the zone."
    return f"The zone has the plan {quota.title}: {reasons}. {to_do}" if reasons else ""


def _exceeded(plan: Plan, quota: Quota) -> list[str]:
    """The parts of a plan beyond the quota of a zone; a zone that holds more already has a larger
    quota."""
    changed = [item for item in plan.operations if item.resource is LIMITED and item.planned]
    if not changed:
        return []
    before, after = (len(state[LIMITED.plural]) for state in (plan.before, plan.after()))
    crosses = before <= quota.rules < after
    reasons = (
        [f"it takes {quota.rules} {LIMITED.title}s, and {after} would be there"] if crosses else []
    )
    had = frozenset().union(*map(features, plan.before[LIMITED.plural]))
    for feature in sorted(quota.withheld - had):
        concerned = [item.label for item in changed if feature in features(item.planned or {})]
        reasons += (
            [f"it has not {feature}, which is in {first_few(concerned)}"] if concerned else []
        )
    return reasons


def check_catalogue(plan: Plan, read: ReadCollection) -> str:
    """Check that all that a plan names exists; `read` is called only if it names something anew."""
    resources = {item.resource.plural: item.resource for item in plan.operations}
    return " ".join(filter(None, (_check_names(plan, one, read) for one in resources.values())))


def _check_names(plan: Plan, resource: Resource, read: ReadCollection) -> str:
    catalogue = resource.catalogue
    naming = [
        item
        for item in plan.operations
        if catalogue
        and item.resource.plural == resource.plural
        and any(item.fields.get(name) for name in catalogue.fields)
    ]
    if not catalogue or not naming:
        return ""
    not_known = f"Whether all that the {resource.titles} name exists is not known: "
    try:
        with _unchecked(not_known):
            (listed,) = read(resource.catalogue_object())
        clauses = [
            f"{resource.title} {item.label} {clause}"
            for item in naming
            for clause in catalogue.unknown(item.planned or {}, listed)
        ]
    except ValueError as exc:
        raise Unchecked(f"{not_known}{exc}.") from exc
    return f"The {'; '.join(clauses)}. Correct them." if clauses else ""


NOT_KNOWN = (
    "Whether the new prefixes are approved, and not delegated to other accounts, is not known"
)

TO_DO = "Cloudflare protects only what is approved, and not delegated to another account."


def check_onboarding(plan: Plan, read: ReadCollection) -> str:
    """Check that Cloudflare takes the new prefixes of a plan; `read` is called only if there are
    some."""
    new = [str((item.planned or {}).get("prefix")) for item in plan.operations if _protects(item)]
    if not new:
        return ""
    with _unchecked(f"{NOT_KNOWN}: "):
        reasons = list(_reasons(new, read))
    return " ".join([*reasons, TO_DO]) if reasons else ""


def _protects(item: Operation) -> bool:
    """True if an operation begins to protect a prefix."""
    if item.resource is not PREFIXES or item.planned is None or has_flag(item.planned, "excluded"):
        return False
    return item.existing is None or has_flag(item.existing, "excluded")


def _reasons(new: Sequence[str], read: ReadCollection) -> Iterator[str]:
    """A sentence for each new prefix with a part that cannot be protected."""
    concerned = [prefix for prefix in read(ONBOARDED) if _meets(prefix, new)]
    delegations = concurrently(read, [delegations_of(str(item.get("id"))) for item in concerned])
    for prefix, delegated in zip(concerned, delegations):
        if not is_approved(prefix):
            yield from _refused(prefix, new, "is not approved yet")
        for part in delegated:
            yield from _refused(part, new, "is delegated to another account")


def _meets(prefix: Object, new: Sequence[str]) -> bool:
    network = range_of(prefix.get("cidr"))
    return network is not None and any(overlaps(text, [network]) for text in new)


def _refused(part: Object, new: Sequence[str], why: str) -> Iterator[str]:
    network = range_of(part.get("cidr"))
    for text in new:
        if network is not None and overlaps(text, [network]):
            yield f"The prefix {text} cannot be protected: {part.get('cidr')} {why}."


def check_list_items(plan: Plan, _read: ReadCollection) -> str:
    """Warn of a plan that gives the lists of an account more items than most accounts may have;
    this one may have a larger quota."""
    changes = [(item.resource, item.action) for item in plan.operations]
    changes += [(other.resource, "delete") for item in plan.operations for other in item.along]
    more = sum(
        {"create": 1, "delete": -1}.get(action, 0)
        for resource, action in changes
        if resource.parent is LISTS
    )
    if more > 0:
        before = sum(
            int(number)
            for number in (obj.get("num_items") for obj in plan.before[LISTS.plural])
            if isinstance(number, (int, float))
        )
        if before <= MOST_ITEMS < before + more:
            raise Unchecked(
                f"The lists of the account would have {before + more} items together, and most"
                f" accounts may have {MOST_ITEMS}. Cloudflare may refuse them."
            )
    return ""


CHECKS = (check_quota, check_onboarding, check_catalogue, check_list_items)


def check_feasibility(plan: Plan, read: ReadCollection) -> tuple[list[str], list[str]]:
    """The reasons why an account or zone would not take a plan, and why that is not known; `read`
    is called only if a plan may be refused."""
    refusals, unknown = [], []
    for check in CHECKS:
        try:
            refusals.append(check(plan, read))
        except Unchecked as exc:
            unknown.append(exc.text)
    return refusals, unknown

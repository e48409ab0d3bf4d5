# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan with its risks, checked on the terms of a task, and all that may keep an account from
taking it."""

from __future__ import annotations

from datetime import datetime
from typing import (
    TYPE_CHECKING,
    AbstractSet,
    Any,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
)

from .._concurrency import concurrently
from .._errors import reading
from .._plan.plan import Check, Operation, Plan
from .._protection.coverage import Coverage, has_flag
from .._protection.worse import worse
from .._schema.account import ACCOUNT, ENABLED, PREFIXES
from .._schema.neighbours import ONBOARDED, delegations_of, is_approved
from .._schema.resource import NO_ITEMS, Object, ReadCollection
from .._text import Option, Unread, joined
from .._values.address_set import overlaps, range_of
from .acceptance import Acceptance, accepting, risks_refusal
from .risks.base import Change, Finding, Found, VerdictKey, Verdicts, find_risks
from .terms import Terms

if TYPE_CHECKING:  # loaded by the tasks that ask for it: Ansible compiles it in every run
    pass

ACCEPTING = Option("accept_risks")


class Checked(NamedTuple):
    """A plan with its id and its risks, and the coverage before and after it.

    `risks` are those that the task accepts, `refused` all others. `expired` are acceptances that no
    longer count at `now`, Cloudflare's time; `unmet` are those for everything that met nothing.
    `unknown` says why it is not known whether the owner takes the plan, a sentence each. `expected`
    are the results of expectations, `backtest` that of a backtest, and `refusal` is why the plan
    must not be applied; if `lacks_acceptances`, it names nothing but risks. `described` is the
    coverage once all is enabled that the plan takes to an earlier stage first, if anything.
    `ineffective` are objects of the task that cannot work, None for a task whose objects always
    can.
    """

    plan: Plan
    before: Coverage
    after: Coverage
    now: datetime | None = None
    risks: Sequence[Finding] = ()
    refused: Sequence[Finding] = ()
    expired: Sequence[Acceptance] = ()
    unmet: Sequence[Acceptance] = ()
    unknown: Sequence[str] = ()
    expected: Mapping[str, Any] = NO_ITEMS
    backtest: Mapping[str, Any] = NO_ITEMS
    plan_id: str = ""
    refusal: str = ""
    lacks_acceptances: bool = False
    described: Coverage | None = None
    ineffective: Sequence[Mapping[str, object]] | None = None

    @property
    def shown_ineffective(self) -> Mapping[str, Any]:
        """The result on objects that cannot work; none of a task without such objects."""
        return {} if self.ineffective is None else {"ineffective": self.ineffective}

    @property
    def knows_account(self) -> bool:
        """Tell if all that decides on the protection of an account was read."""
        return all(resource.plural in self.before.state for resource in ACCOUNT)

    @property
    def expired_acceptances(self) -> list[str]:
        """A sentence for each acceptance that no longer counts."""
        return [item.expiry_warning(self.now) for item in self.expired]

    def refused_for(self, reasons: Iterable[str]) -> Checked:
        """The same plan, refused for these reasons; empty ones are none."""
        refusals = [reason for reason in reasons if reason]
        names_risks_alone = bool(self.refused) and len(refusals) == 1
        return self._replace(refusal=joined(" ", refusals), lacks_acceptances=names_risks_alone)

    @property
    def refused_risks(self) -> str:
        """The risks for which the guard refuses the plan, and what would accept them; empty if
        there are none."""
        if not self.refused:
            return ""
        risks = risks_refusal([item.record() for item in self.refused], ACCEPTING)
        return joined(" ", [*self.expired_acceptances, risks])


def check_plan(
    plan: Plan,
    terms: Terms,
    now: datetime | None,
    verdicts: Verdicts | None = None,
    staged: AbstractSet[VerdictKey] = frozenset(),
    backtest: Found = None,
) -> Checked:
    """The plan with its risks; `now` is Cloudflare's time, None if it is not known.

    `verdicts` are what the traffic says of the objects that the plan enables, `staged` the objects
    that the rollout enables later, `backtest` the risk that a backtest finds.
    """
    before = Coverage(plan.before)
    after = Coverage(plan.after()) if plan.operations else before
    change = Change(plan, before, after, worse, now, verdicts or {}, staged, backtest)
    risks = find_risks(change, terms.limits, terms.risks) if plan.operations else []
    acceptances = {item.code: accepting(item, terms.accepted, now) for item in risks}
    ends = {
        item: {**(item.planned or {}), str(item.resource.mode_field): ENABLED}
        for item in plan.operations
        if item.target in staged and item.resource.mode_field in item.fields
    }
    return Checked(
        plan,
        before,
        after,
        now,
        risks=[
            item._replace(reason=_reason(acceptances[item.code]))
            for item in risks
            if acceptances[item.code]
        ],
        refused=[item for item in risks if not acceptances[item.code]],
        expired=[item for item in terms.accepted if item.has_expired(now)],
        unmet=[item for item in terms.accepted if item.is_unbound and item.code not in acceptances],
        described=Coverage(plan.after(ends)) if ends else None,
    )


def _reason(acceptances: Sequence[Acceptance]) -> str | None:
    return "; ".join(dict.fromkeys(item.reason for item in acceptances if item.reason)) or None


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

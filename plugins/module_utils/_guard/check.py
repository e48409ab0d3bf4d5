# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan with its risks, checked on the terms of a task, and all that may keep an account from
taking it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, NamedTuple, Sequence

from .._errors import ProtectionError, reading
from .._plan.plan import Check, Operation, Plan
from .._plan.rollout import Planned
from .._protection.coverage import Coverage, has_flag
from .._protection.worse import worse
from .._schema.account import ACCOUNT, ENABLED, PREFIXES
from .._schema.neighbours import ONBOARDED, delegations_of, is_approved
from .._schema.resource import NO_ITEMS, Object, ReadCollection, Resource, State
from .._text import Option, Unread, joined
from .._values.address_set import overlaps, range_of
from .acceptance import Acceptance, accepting, risks_refusal
from .facts import Answer, CollectionPlace, place_of_collection
from .finders.base import Change, FinderAnswer, Finding
from .finders.registry import find_risks
from .terms import Terms

if TYPE_CHECKING:  # loaded by the tasks of rules, lists and overrides
    from .._protection.traffic_changes import TrafficChanges
    from .traffic import PlanTraffic

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
    can. `traffic` is what the plan treats differently, None for a task without rules.
    """

    planned: Planned
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
    traffic: TrafficChanges | None = None

    @property
    def plan(self) -> Plan:
        """The plan that is checked."""
        return self.planned.plan

    @property
    def shown_ineffective(self) -> Mapping[str, Any]:
        """The result on objects that cannot work; none of a task without such objects."""
        return {} if self.ineffective is None else {"ineffective": self.ineffective}

    @property
    def shown_traffic(self) -> Mapping[str, Any]:
        """The result on traffic that is treated differently; none of a task without rules."""
        return {} if self.traffic is None else {"traffic_changes": self.traffic.record()}

    @property
    def knows_account(self) -> bool:
        """Return whether all that decides on the protection of an account was read."""
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
    planned: Planned,
    terms: Terms,
    now: datetime | None,
    backtest: FinderAnswer = None,
    traffic: PlanTraffic | None = None,
) -> Checked:
    """The plan with its risks; `now` is Cloudflare's time, None if it is not known. `backtest` is
    the risk that a backtest finds, `traffic` what the plan treats differently."""
    plan = planned.plan
    before = Coverage(plan.before)
    after = Coverage(plan.after()) if plan.operations else before
    of_rollout = planned.verdicts, planned.staged
    change = Change(plan, before, after, worse, now, *of_rollout, backtest, traffic)
    findings = find_risks(change, terms.limits, terms.risks) if plan.operations else []
    accepted: list[Finding] = []
    refused: list[Finding] = []
    for finding in findings:
        acceptances = accepting(finding, terms.accepted, now)
        if acceptances:
            accepted.append(finding._replace(reason=_reason(acceptances)))
        else:
            refused.append(finding)
    codes = {finding.code for finding in findings}
    unmet = [item for item in terms.accepted if item.is_unbound and item.code not in codes]
    return Checked(
        planned,
        before,
        after,
        now,
        risks=accepted,
        refused=refused,
        expired=[item for item in terms.accepted if item.has_expired(now)],
        unmet=unmet,
        described=_coverage_once_enabled(planned),
        traffic=traffic and traffic.changes,
    )


def _reason(acceptances: Sequence[Acceptance]) -> str | None:
    reasons = [acceptance.reason for acceptance in acceptances if acceptance.reason]
    return "; ".join(dict.fromkeys(reasons)) or None


def _coverage_once_enabled(planned: Planned) -> Coverage | None:
    """The coverage once all is enabled that the plan takes to an earlier stage first."""
    enabled: dict[Operation, Object] = {}
    for operation in planned.plan.operations:
        mode = operation.resource.mode_field
        if mode in operation.fields and operation.target in planned.staged:
            enabled[operation] = {**(operation.planned or {}), str(mode): ENABLED}
    return Coverage(planned.plan.after(enabled)) if enabled else None


def check_length(plan: Plan, _read: ReadCollection) -> str:
    """The reason why an owner would not take a plan that makes a list longer than its quota; one
    that is longer already has a larger quota."""
    for resource in plan.resources.values():
        quota = resource.quota
        after = _number_of_counting_objects(resource, plan.after()) if quota else 0
        if after > quota and _number_of_counting_objects(resource, plan.before) <= quota:
            owner = resource.owner.partition("_")[0]
            return (
                f"The {owner} takes {quota} {resource.titles}, and {after} would be there."
                f" Remove {after - quota} or more."
            )
    return ""


def _number_of_counting_objects(resource: Resource, state: State) -> int:
    """The number of objects of a collection that count."""
    not_ours = resource.semantics.not_ours
    return len([obj for obj in state[resource.plural] if not not_ours(obj)])


ONBOARDING = "Whether the new prefixes are approved, and not delegated to other accounts,"
TO_DO = "Cloudflare protects only what is approved, and not delegated to another account."


def onboarded_to_read(plan: Plan) -> Sequence[Resource]:
    """The collection of onboarded prefixes, if a plan has new prefixes."""
    return [ONBOARDED] if _new_prefixes(plan) else []


def delegations_to_read(
    plan: Plan, answers: Mapping[CollectionPlace, Answer]
) -> Sequence[Resource]:
    """The delegations of the onboarded prefixes that new prefixes meet."""
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
    """Check that Cloudflare takes the new prefixes of a plan; `read` is called only if there are
    some."""
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
    """A sentence for each new prefix with a part that cannot be protected."""
    for prefix in read(ONBOARDED):
        if not _meeting(prefix, new):
            continue
        if not is_approved(prefix):
            yield from _refused(prefix, new, "is not approved yet")
        for delegation in read(delegations_of(prefix)):
            yield from _refused(delegation, new, "is delegated to another account")


def _meeting(onboarded: Object, new: Sequence[str]) -> list[str]:
    """The new prefixes that overlap with an onboarded one, or with a delegation in it."""
    network = range_of(onboarded.get("cidr"))
    return [prefix for prefix in new if overlaps(prefix, [network])] if network else []


def _refused(onboarded: Object, new: Sequence[str], reason: str) -> Iterator[str]:
    for prefix in _meeting(onboarded, new):
        yield f"The prefix {prefix} cannot be protected: {onboarded.get('cidr')} {reason}."


CHECKS: Sequence[Check] = (check_length, check_onboarding)


def check_feasibility(
    plan: Plan, read: ReadCollection, checks: Sequence[Check] = CHECKS
) -> tuple[list[str], list[str]]:
    """The reasons why an account or zone would not take a plan, by these checks, and why that is
    not known; `read` looks up what was read, only if a plan may be refused."""
    refusals, unknown = [], []
    for check in checks:
        try:
            refusals.append(check(plan, read))
        except Unread as exc:
            unknown.append(exc.reason)
    return refusals, unknown

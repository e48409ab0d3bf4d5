# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan with its risks, checked on the terms of a task."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, AbstractSet, Any, Mapping, NamedTuple, Sequence

from .._plan.plan import Plan
from .._protection.coverage import Coverage
from .._protection.worse import worse
from .._schema.account import ACCOUNT, ENABLED
from .._schema.resource import NO_ITEMS
from .._text import Option, joined
from .risks.base import Change, Found, Risk, VerdictKey, Verdicts, find_risks, key_of
from .terms import Acceptance, Terms, accepting, risks_refusal

if TYPE_CHECKING:  # loaded by the tasks that ask for it: Ansible compiles it in every run
    from .._api.client import Client
    from .._protection.ineffective import IneffectiveRecord
    from .backtest import Backtested

ACCEPTING = Option("accept_risks")


class Checked(NamedTuple):
    """A plan with its id and its risks, and the coverage before and after it.

    `risks` are those that the task accepts, `refused` all others. `expired` are acceptances that no
    longer count at `now`, Cloudflare's time; `unmet` are those for everything that met nothing.
    `unknown` says why it is not known whether the owner takes the plan, a sentence each. `expected`
    are the results of expectations, `backtest` that of a backtest, and `refusal` is why the plan
    must not be applied. `described` is the coverage once all is enabled that the plan takes to an
    earlier stage first, if anything. `ineffective` are objects of the task that cannot work, None
    for a task whose objects always can.
    """

    plan: Plan
    before: Coverage
    after: Coverage
    now: datetime | None = None
    risks: Sequence[Risk] = ()
    refused: Sequence[Risk] = ()
    expired: Sequence[Acceptance] = ()
    unmet: Sequence[Acceptance] = ()
    unknown: Sequence[str] = ()
    expected: Mapping[str, Any] = NO_ITEMS
    backtest: Mapping[str, Any] = NO_ITEMS
    plan_id: str = ""
    refusal: str = ""
    described: Coverage | None = None
    ineffective: Sequence[IneffectiveRecord] | None = None

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

    @property
    def refused_risks(self) -> str:
        """The risks for which the guard refuses the plan, and what would accept them; empty if
        there are none."""
        if not self.refused:
            return ""
        risks = risks_refusal([item.record() for item in self.refused], ACCEPTING)
        return joined(" ", [*self.expired_acceptances, risks])


def backtested(plan: Plan, client: Client, terms: Terms) -> Backtested | None:
    """The backtest of a plan; None if the task does not ask for it, or nothing is planned."""
    if not (terms.backtest and plan.operations):
        return None
    from .backtest import run_backtest  # loaded by the tasks that ask for it

    return run_backtest(plan, client, *terms.backtest)


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
        if key_of(item) in staged and item.resource.mode_field in item.fields
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

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan that is checked: its risks and coverage, and why it must not be applied."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Iterable, Mapping, NamedTuple, Sequence

from .._plan.plan import Plan
from .._plan.rollout import Planned
from .._protection.coverage import Coverage
from .._schema.account import ACCOUNT
from .._schema.resource import NO_ITEMS
from .._text import Option, joined
from .acceptance import Acceptance, risks_refusal
from .finding import Finding

if TYPE_CHECKING:  # loaded by the tasks of rules, lists and overrides
    from .._protection.traffic_changes import TrafficChanges

ACCEPTING = Option("accept_risks")


class Checked(NamedTuple):
    """A plan with its id and its risks, and the coverage before and after it.

    `risks` are accepted by the task, `refused` are all other risks. `expired` are acceptances that
    no longer count at `now`, Cloudflare's time; `unmet` are unlimited acceptances of risks that the
    plan does not have. `unknown` are sentences on why it is not known whether the account or zone
    accepts the plan. `expected` are the results of expectations, `past_requests` those of backtest
    and measured rate limits.
    `refusal` is why the plan must not be applied; with `lacks_acceptances`, it names only risks.
    `described` is the coverage once all objects are enabled that the plan leaves at an earlier
    stage; None if there are none. `ineffective` are objects of the task that cannot work, None for
    a task whose objects always can; `ineffective_afterwards` are those of the planned state, for
    reports. `traffic` is the traffic that the plan treats differently, None for a task without
    rules.
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
    past_requests: Mapping[str, Any] = NO_ITEMS
    plan_id: str = ""
    refusal: str = ""
    lacks_acceptances: bool = False
    described: Coverage | None = None
    ineffective: Sequence[Mapping[str, object]] | None = None
    ineffective_afterwards: Sequence[Mapping[str, object]] | None = None
    traffic: TrafficChanges | None = None

    @property
    def plan(self) -> Plan:
        """The plan that was checked."""
        return self.planned.plan

    @property
    def shown_ineffective(self) -> Mapping[str, Any]:
        """The result on objects that cannot work; empty for a task whose objects always can."""
        shown = {
            "ineffective": self.ineffective,
            "ineffective_afterwards": self.ineffective_afterwards,
        }
        return {name: records for name, records in shown.items() if records is not None}

    @property
    def shown_traffic(self) -> Mapping[str, Any]:
        """The result on traffic that is treated differently; empty for a task without rules."""
        return {} if self.traffic is None else {"traffic_changes": self.traffic.record()}

    @property
    def knows_account(self) -> bool:
        """Return whether everything was read that determines the protection of an account."""
        return all(resource.plural in self.before.state for resource in ACCOUNT)

    @property
    def expired_acceptances(self) -> list[str]:
        """A sentence for each acceptance that no longer counts."""
        return [item.expiry_warning(self.now) for item in self.expired]

    def refused_for(self, reasons: Iterable[str]) -> Checked:
        """The same plan, refused for these reasons; empty reasons are skipped."""
        refusals = [reason for reason in reasons if reason]
        names_risks_alone = bool(self.refused) and len(refusals) == 1
        return self._replace(refusal=joined(" ", refusals), lacks_acceptances=names_risks_alone)

    @property
    def refused_risks(self) -> str:
        """A message on the risks for which the guard refuses the plan, with acceptances of them;
        empty if there are no such risks.
        """
        if not self.refused:
            return ""
        risks = risks_refusal([item.record() for item in self.refused], ACCEPTING)
        return joined(" ", [*self.expired_acceptances, risks])

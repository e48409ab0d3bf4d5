# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A finder of a risk, and the change in which it looks for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, AbstractSet, Callable, Iterable, Mapping, NamedTuple, Sequence

from ..._plan.plan import Plan
from ..._plan.rollout import Target, Verdicts
from ..._protection.coverage import Coverage
from ..._protection.modes import Loss
from ..._schema.resource import Resource
from ..finding import FinderAnswer, Finding
from ..risks.declaration import Limits, Risk

if TYPE_CHECKING:  # loaded by the tasks of rules, lists and overrides
    from ..._protection.traffic_changes import TrafficChanges
    from ..._protection.ways import ComparedWay

CompareStates = Callable[[Coverage, Coverage, Resource], Iterable[Loss]]


class PlanTraffic(NamedTuple):
    """The traffic that a plan treats differently, and the ways of traffic on which that happens."""

    changes: TrafficChanges
    ways: Sequence[ComparedWay] = ()


@dataclass(frozen=True)
class Change:
    """A plan and its effect on the coverage; `compare` returns the protection that one state has
    and another lacks. `now` is Cloudflare's time, None if it is not known. `verdicts` say, if the
    task asks for it, whether past traffic speaks against the objects that the plan enables.
    `staged` are objects that are to be enabled later. `backtest` is the risk found by a backtest,
    `traffic` the traffic that the plan treats differently, None for a task without rules.
    """

    plan: Plan
    before: Coverage
    after: Coverage
    compare: CompareStates
    now: datetime | None = None
    verdicts: Verdicts = field(default_factory=dict)
    staged: AbstractSet[Target] = frozenset()
    backtest: FinderAnswer = None
    traffic: PlanTraffic | None = None
    _losses: dict[str, list[Loss]] = field(default_factory=dict, init=False)

    def losses(self, *resources: Resource) -> list[Loss]:
        """The protection that the plan takes away in these resources; each resource is compared
        only once.
        """
        losses: list[Loss] = []
        for resource in resources:
            if resource.plural not in self._losses:
                compared = self.compare(self.before, self.after, resource)
                self._losses[resource.plural] = list(compared)
            losses += self._losses[resource.plural]
        return losses


class Finder(NamedTuple):
    """A risk, and the function that finds this risk in a change, within the limits of a task."""

    risk: Risk
    find: Callable[[Change, Limits], FinderAnswer]

    def in_change(self, change: Change, limits: Limits) -> Finding | None:
        """The finding of this risk in a change; None if the change does not have it."""
        answer = self.find(change, limits)
        if answer is None:
            return None
        message, ranges, entries = answer
        return Finding(self.risk.code, message, ranges, entries)


def finds(risk: Risk) -> Callable[[Callable[[Change, Limits], FinderAnswer]], Finder]:
    """A decorator that turns a function which finds this risk into a Finder."""

    def finder(find: Callable[[Change, Limits], FinderAnswer]) -> Finder:
        return Finder(risk, find)

    return finder


def by_risk(*finders: Finder) -> Mapping[Risk, Finder]:
    """The finders by their risks."""
    return {finder.risk: finder for finder in finders}

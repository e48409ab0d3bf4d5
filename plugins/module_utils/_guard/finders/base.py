# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The change that a finder of a risk gets, and the finding that it makes, with its objects."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import (
    TYPE_CHECKING,
    AbstractSet,
    Callable,
    Iterable,
    Mapping,
    NamedTuple,
    Sequence,
    Tuple,
    TypedDict,
    Union,
)

from ..._plan.plan import Operation, Plan
from ..._plan.rollout import Target, Verdicts
from ..._protection.coverage import Coverage
from ..._protection.modes import Loss
from ..._schema.resource import Key, Object, Resource
from ..._values.address_set import Range, Ranges, counted, networks
from ..risks.declaration import Limits, Risk

if TYPE_CHECKING:  # loaded by the tasks of rules, lists and overrides
    from ..traffic import PlanTraffic

CompareStates = Callable[[Coverage, Coverage, Resource], Iterable[Loss]]


@dataclass(frozen=True)
class Change:
    """A plan with what it does to the coverage; `compare` gives the protection that one state has
    and another lacks. `now` is Cloudflare's time, None where it does not say. `verdicts` are what
    the traffic says of the objects that the plan enables, where the task asks for it. `staged` are
    the objects that are to be enabled, and are not yet. `backtest` is the risk that a backtest
    finds, `traffic` what the plan treats differently, None for a task without rules."""

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
        """The protection that it takes away, by these resources; each is compared once."""
        losses: list[Loss] = []
        for resource in resources:
            if resource.plural not in self._losses:
                compared = self.compare(self.before, self.after, resource)
                self._losses[resource.plural] = list(compared)
            losses += self._losses[resource.plural]
        return losses


class Entry(NamedTuple):
    """An object whose change is a risk: its resource, its key, and the key as people read it."""

    resource: Resource
    key: Key
    text: str


def entry_of(resource: Resource, obj: Object) -> Entry:
    """An object as risks name it."""
    return Entry(resource, resource.key_of(obj), resource.entry_of(obj))


def entries_of(operations: Iterable[Operation]) -> list[Entry]:
    """The objects that operations change."""
    entries = []
    for operation in operations:
        obj = operation.existing or operation.fields
        entries.append(entry_of(operation.resource, obj))
    return entries


# The message of a risk, the networks and the objects concerned; None if a plan does not have it.
FinderAnswer = Union[Tuple[str, Ranges, Sequence[Entry]], None]


class RiskObject(TypedDict):
    """An object whose change is a risk."""

    resource: str
    key: str


class RiskRecord(TypedDict):
    """A finding as results show it; `entries` are the keys of the objects whose change is the risk,
    and `objects` are these objects.

    `reason` is why the task accepts it, None where it does not say so.
    """

    code: str
    message: str
    networks: list[str]
    addresses: str
    entries: list[str]
    objects: list[RiskObject]
    reason: str | None


class Finding(NamedTuple):
    """A risk that a plan has, by its code, with the networks and the objects concerned; `reason` is
    why the task accepts it."""

    code: str
    message: str
    ranges: Sequence[Range] = ()
    entries: Sequence[Entry] = ()
    reason: str | None = None

    def record(self) -> RiskRecord:
        """The finding as results show it."""
        return RiskRecord(
            code=self.code,
            message=self.message,
            networks=networks(list(self.ranges)),
            addresses=counted(list(self.ranges)),
            entries=list(dict.fromkeys(entry.text for entry in self.entries)),
            objects=_risk_objects(self.entries),
            reason=self.reason,
        )


def _risk_objects(entries: Iterable[Entry]) -> list[RiskObject]:
    """The objects, each once."""
    names = dict.fromkeys((entry.resource.name, entry.text) for entry in entries)
    return [RiskObject(resource=resource, key=key) for resource, key in names]


class Finder(NamedTuple):
    """A risk with the function that finds it in a change, within the limits of a task."""

    risk: Risk
    find: Callable[[Change, Limits], FinderAnswer]

    def in_change(self, change: Change, limits: Limits) -> Finding | None:
        """The risk as this change has it; None where it does not."""
        answer = self.find(change, limits)
        if answer is None:
            return None
        message, ranges, entries = answer
        return Finding(self.risk.code, message, ranges, entries)


def finds(risk: Risk) -> Callable[[Callable[[Change, Limits], FinderAnswer]], Finder]:
    """Make a finder of the decorated function, which finds this risk."""

    def finder(find: Callable[[Change, Limits], FinderAnswer]) -> Finder:
        return Finder(risk, find)

    return finder


def by_risk(*finders: Finder) -> Mapping[Risk, Finder]:
    """The finders by what they find."""
    return {finder.risk: finder for finder in finders}

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The parts of a risk: a code, the function that finds it in a plan, its limits, a sentence, and
the resources whose plans can have it.

A risk is declared once, by the decorator of its finder. The codes, the options of the modules, the
documentation of these options and the tables of docs/risks.md follow from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import (
    TYPE_CHECKING,
    AbstractSet,
    Any,
    Callable,
    Iterable,
    Mapping,
    NamedTuple,
    Sequence,
    Tuple,
    TypedDict,
    Union,
)

from ..._errors import OptionError, OptionProblems
from ..._plan.plan import Operation, Plan
from ..._plan.rollout import Target, Verdicts
from ..._protection.coverage import Coverage
from ..._protection.modes import Loss
from ..._schema.resource import Key, Object, OptionSpec, Resource
from ..._text import Option
from ..._values.address_set import Range, Ranges, counted, networks

if TYPE_CHECKING:  # loaded by the tasks of rules, lists and overrides
    from ..._protection.traffic_changes import TrafficChanges

LIMITS = "limits"  # the option that takes them


def has_modes(resource: Resource) -> bool:
    """Return whether objects of a resource have a mode, in which they mitigate or do not."""
    return bool(resource.mode_field)


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
    traffic: TrafficChanges | None = None
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


class Limit(NamedTuple):
    """A limit from which on a change is a risk: a number from 0 to `highest`.

    `sentences` are what the documentation says of it; tables show the first.
    """

    name: str
    default: float
    highest: int
    sentences: tuple[str, ...]

    @property
    def option(self) -> dict[str, Any]:
        """The argument spec of the option; its type is that of the default."""
        return {"type": type(self.default).__name__, "default": self.default}


@dataclass(frozen=True)
class Limits:
    """The limits of a task: those that it sets, and the defaults of all others."""

    chosen: Mapping[str, float] = field(default_factory=dict)

    def __getitem__(self, limit: Limit) -> float:
        return self.chosen.get(limit.name, limit.default)


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
Finder = Callable[["Change", "Limits"], FinderAnswer]
Concerns = Callable[[Resource], bool]  # whether plans for a resource can have a risk


def any_of(*resources: Resource) -> Concerns:
    """The resources that a risk concerns, by their names."""
    names = frozenset(resource.name for resource in resources)
    return lambda resource: resource.name in names


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


class Risk(NamedTuple):
    """The declaration of a risk that plans can have for the resources that it `concerns`;
    `sentence` says what such a plan would do."""

    code: str
    sentence: str
    find: Finder
    concerns: Concerns
    limits: tuple[Limit, ...] = ()

    def in_change(self, change: Change, limits: Limits) -> Finding | None:
        """The risk as this change has it; None where it does not."""
        found = self.find(change, limits)
        if found is None:
            return None
        message, ranges, entries = found
        return Finding(self.code, message, ranges, entries)


def risk(sentence: str, concerns: Concerns, *limits: Limit) -> Callable[[Finder], Risk]:
    """Declares the risk that the decorated function finds, and that has the function's name."""

    def declare(find: Finder) -> Risk:
        return Risk(find.__name__, sentence, find, concerns, limits)

    return declare


def concerning(risks: Sequence[Risk], resources: Iterable[Resource]) -> tuple[Risk, ...]:
    """Those of the risks that plans for some resources can have."""
    concerned: dict[Risk, None] = {}
    for resource in resources:
        concerned.update((risk, None) for risk in risks if risk.concerns(resource))
    return tuple(risk for risk in risks if risk in concerned)


def codes_of(risks: Sequence[Risk]) -> tuple[str, ...]:
    """The codes of risks."""
    return tuple(risk.code for risk in risks)


def limits_of(risks: Sequence[Risk]) -> tuple[Limit, ...]:
    """The limits of risks, each once, in their order."""
    limits: dict[Limit, None] = {}
    for risk in risks:
        limits.update(dict.fromkeys(risk.limits))
    return tuple(limits)


def risk_options(risks: Sequence[Risk]) -> OptionSpec:
    """The argument spec of a module whose plans can have these risks; accept_risks takes codes and
    dictionaries."""
    spec: OptionSpec = {"accept_risks": {"type": "list", "elements": "raw", "default": []}}
    limits = {limit.name: limit.option for limit in limits_of(risks)}
    if limits:
        spec[LIMITS] = {"type": "dict", "options": limits}
    return spec


def parse_limits(options: Mapping[str, Any], risks: Sequence[Risk]) -> Limits:
    """The limits of these risks that a module's options set; raises OptionError for one out of
    range."""
    numbers = options.get(LIMITS) or {}
    problems = OptionProblems()
    chosen: dict[str, float] = {}
    for limit in limits_of(risks):
        number = numbers.get(limit.name)
        if number is None:
            continue
        chosen[limit.name] = number
        if not 0 <= number <= limit.highest:
            problem = f"{number} is not between 0 and {limit.highest}"
            problems.add(OptionError(Option(LIMITS, limit.name), problem))
    problems.raise_any()
    return Limits(chosen)


def find_risks(change: Change, limits: Limits, risks: Sequence[Risk]) -> list[Finding]:
    """The risks that a plan has, accepted or not."""
    findings = [risk.in_change(change, limits) for risk in risks]
    return [finding for finding in findings if finding]

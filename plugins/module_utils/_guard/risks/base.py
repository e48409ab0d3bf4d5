# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The parts of a risk: a code, the function that finds it in a plan, its limits, and a sentence;
and the risks of deletions, which plans for any list can have.

A risk is declared once, by the decorator of its finder. The codes, the options of the modules, the
documentation of these options and the tables of docs/risks.md follow from it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import (
    AbstractSet,
    Any,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
    Tuple,
    TypedDict,
    Union,
)

from ..._errors import OptionError, OptionProblems
from ..._plan.plan import Operation, Plan, with_along
from ..._protection.coverage import Coverage
from ..._protection.modes import Loss
from ..._schema.account import ENABLED, MONITORING
from ..._schema.lists import LISTS, uses_of
from ..._schema.resource import Key, Object, OptionSpec, Resource
from ..._text import Option, capitalised, first_few, plural
from ..._timestamps import started_before
from ..._values.address_set import Range, Ranges, counted, networks, range_of, union

LIMITS = "limits"  # the option that takes them
VerdictKey = Tuple[str, Key]  # the plural of the resource, and the key of the object


def mode_of(resource: Resource, obj: Object | None) -> str:
    """The mode of an object; empty if there is none."""
    return str((obj or {}).get(resource.mode_field or "")).casefold()


def enabling(plan: Plan) -> list[Operation]:
    """The operations of a plan after which an object mitigates that did not before."""
    changed = [item for item in plan.operations if item.resource.component]
    return [item for item in changed if mode_of(item.resource, item.fields) == ENABLED]


def enabled_too_soon(
    resource: Resource, existing: Object | None, now: datetime | None, monitoring: timedelta
) -> str:
    """The reason for which an object must not be enabled yet; empty if it may be."""
    mode = mode_of(resource, existing)
    if existing is None:
        return "would be new and enabled at once"
    if mode == ENABLED:
        return ""
    if mode != MONITORING:
        return f"would go from {mode} straight to enabled"
    if not monitoring:
        return ""
    since = started_before(now, existing.get("modified_on"))
    if since is None or now is None:
        return "has monitored for an unknown time"
    return f"has monitored since {since.isoformat()} only" if now - since < monitoring else ""


class EvidenceLimits(NamedTuple):
    """A task asks the traffic of some hours, of which so much may be lost."""

    hours: float
    max_percent: float
    max_packets: int | None

    @property
    def time(self) -> timedelta:
        """The time to look back, and for which an object monitors at least."""
        return timedelta(hours=self.hours)

    @property
    def allowed(self) -> str:
        """The limits, in a sentence."""
        percent = f"{self.max_percent:g} %"
        if self.max_packets is None:
            return percent
        return f"{percent} and {plural(self.max_packets, 'packet', 'packets')}"


class Verdict(NamedTuple):
    """The answer of the traffic to enabling one rule or filter.

    `reason` is empty where it may be enabled, `evidence` where too much would have been dropped,
    and `unknown` where that is not known. `restarts` says that the change itself makes it unknown,
    so that it monitors from now on. `percent` is of the worst network; `ranges` are the networks
    concerned.
    """

    reason: str = ""
    message: str = ""
    percent: float | None = None
    packets: int | None = None
    ranges: Sequence[Range] = ()
    advice: Sequence[str] = ()
    restarts: bool = False

    @classmethod
    def unknown(cls, why: str, ranges: Ranges, restarts: bool = False) -> Verdict:
        """The verdict where nobody can tell; `why` is one or more sentences."""
        message = f"It is not known what it would drop. {why}"
        return cls("unknown", message, ranges=ranges, restarts=restarts)


Verdicts = Mapping[VerdictKey, Verdict]
CompareStates = Callable[[Coverage, Coverage, Resource], Iterable[Loss]]


@dataclass(frozen=True)
class Change:
    """A plan with what it does to the coverage; `compare` gives the protection that one state has
    and another lacks. `now` is Cloudflare's time, None where it does not say. `verdicts` are what
    the traffic says of the objects that the plan enables, where the task asks for it. `staged` are
    the objects that are to be enabled, and are not yet. `backtest` is the risk that a backtest
    finds."""

    plan: Plan
    before: Coverage
    after: Coverage
    compare: CompareStates
    now: datetime | None = None
    verdicts: Verdicts = field(default_factory=dict)
    staged: AbstractSet[VerdictKey] = frozenset()
    backtest: Found = None
    _losses: dict[str, list[Loss]] = field(default_factory=dict, init=False)

    def losses(self, *resources: Resource) -> list[Loss]:
        """The protection that it takes away, by these resources; each is compared once."""
        for one in resources:
            if one.plural not in self._losses:
                self._losses[one.plural] = list(self.compare(self.before, self.after, one))
        return [loss for one in resources for loss in self._losses[one.plural]]


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
    return [entry_of(item.resource, item.existing or item.fields) for item in operations]


# The message of a risk, the networks and the objects concerned; None if a plan does not have it.
Found = Union[Tuple[str, Ranges, Sequence[Entry]], None]
Finder = Callable[["Change", "Limits"], Found]


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
            objects=_objects_of(self.entries),
            reason=self.reason,
        )


def _objects_of(entries: Iterable[Entry]) -> list[RiskObject]:
    """The objects, each once."""
    names = dict.fromkeys((entry.resource.name, entry.text) for entry in entries)
    return [RiskObject(resource=resource, key=key) for resource, key in names]


class Risk(NamedTuple):
    """The declaration of a risk that plans can have; `sentence` says what such a plan would do."""

    code: str
    sentence: str
    find: Finder
    limits: tuple[Limit, ...] = ()

    def in_change(self, change: Change, limits: Limits) -> Finding | None:
        """The risk as this change has it; None where it does not."""
        found = self.find(change, limits)
        if found is None:
            return None
        message, ranges, entries = found
        return Finding(self.code, message, ranges, entries)


def risk(sentence: str, *limits: Limit) -> Callable[[Finder], Risk]:
    """Declares the risk that the decorated function finds, and that has the function's name."""

    def declare(find: Finder) -> Risk:
        return Risk(find.__name__, sentence, find, limits)

    return declare


def codes_of(risks: Sequence[Risk]) -> tuple[str, ...]:
    """The codes of risks."""
    return tuple(item.code for item in risks)


def limits_of(risks: Sequence[Risk]) -> tuple[Limit, ...]:
    """The limits of risks, each once, in their order."""
    return tuple(dict.fromkeys(limit for item in risks for limit in item.limits))


def risk_options(risks: Sequence[Risk]) -> OptionSpec:
    """The argument spec of a module whose plans can have these risks; accept_risks takes codes and
    dictionaries."""
    spec: OptionSpec = {"accept_risks": {"type": "list", "elements": "raw", "default": []}}
    limits = {limit.name: limit.option for limit in limits_of(risks)}
    return {**spec, LIMITS: {"type": "dict", "options": limits}} if limits else spec


def parse_limits(options: Mapping[str, Any], risks: Sequence[Risk]) -> Limits:
    """The limits of these risks that a module's options set; raises OptionError for one out of
    range."""
    values, problems = options.get(LIMITS) or {}, OptionProblems()
    chosen = [limit for limit in limits_of(risks) if values.get(limit.name) is not None]
    for limit in chosen:
        if not 0 <= values[limit.name] <= limit.highest:
            problem = f"{values[limit.name]} is not between 0 and {limit.highest}"
            problems.add(OptionError(Option(LIMITS, limit.name), problem))
    problems.raise_any()
    return Limits({limit.name: values[limit.name] for limit in chosen})


def find_risks(change: Change, limits: Limits, risks: Sequence[Risk]) -> list[Finding]:
    """The risks that a plan has, accepted or not."""
    findings = [item.in_change(change, limits) for item in risks]
    return [item for item in findings if item]


FEWEST_MASS_DELETION = 5
MAX_DELETIONS = Limit(
    "max_deletions_percent",
    30,
    100,
    ("The percentage of a list above which deletions in one plan are a risk.",),
)


class Deletions(NamedTuple):
    """The operations that delete from one list, and how many objects it has before and after."""

    gone: Sequence[Operation]
    before: int
    after: int

    @property
    def title(self) -> str:
        """The name of the list at the beginning of a sentence."""
        return capitalised(self.gone[0].resource.titles)


@risk(
    "The plan would delete five objects or more, and more than O(limits.max_deletions_percent) of a"
    " list.",
    MAX_DELETIONS,
)
def mass_deletion(change: Change, limits: Limits) -> Found:
    """A good part of a list goes at once."""
    most = limits[MAX_DELETIONS]
    concerned = [
        item
        for item in _deletions(change)
        if len(item.gone) >= FEWEST_MASS_DELETION and len(item.gone) * 100 > item.before * most
    ]
    more = f"would be deleted, which is more than {most} %"
    reasons = [f"{one.title}: {len(one.gone)} of {one.before} {more}" for one in concerned]
    return _of_deletions(concerned, reasons)


@risk(
    "The plan would leave a list empty by a purge or an expiry, and not because the task names"
    " each object that it deletes."
)
def empties_list(change: Change, limits: Limits) -> Found:
    """Nothing is left of a list, and not because the task names what goes."""
    concerned = [
        item
        for item in _deletions(change)
        if not item.after and not all(operation.named for operation in item.gone)
    ]
    reasons = [f"{item.title}: none of {item.before} would be left" for item in concerned]
    return _of_deletions(concerned, reasons)


def _deletions(change: Change) -> Iterator[Deletions]:
    """The deletions of each list; those that lower no protection do not count."""
    by_list: dict[str, list[Operation]] = {}
    for item in change.plan.operations:
        if item.action == "delete" and not item.resource.semantics.protects_nobody(
            item.existing or {}
        ):
            by_list.setdefault(item.resource.plural, []).append(item)
    before, after = change.before.state, change.after.state
    for collection, gone in by_list.items():
        yield Deletions(gone, len(before[collection]), len(after[collection]))


def _of_deletions(concerned: Sequence[Deletions], reasons: Sequence[str]) -> Found:
    if not concerned:
        return None
    gone = [operation for item in concerned for operation in item.gone]
    ranges = union(filter(None, (range_of(item.address) for item in gone)))
    return "; ".join(reasons) + ".", ranges, entries_of(gone)


DELETION_RISKS = (mass_deletion, empties_list)


@risk("The plan would delete a list that rules refer to, or leave it empty.")
def removes_referenced_list(change: Change, limits: Limits) -> Found:
    """A rule would match nothing any more, or could not be read."""
    concerned = list(_lost_lists(change))
    if not concerned:
        return None
    reasons = []
    for obj, uses, outcome in concerned:
        rules = plural(uses, "rule refers", "rules refer")
        reasons.append(f"{LISTS.label_of(obj)} ({rules} to it, and it would be {outcome})")
    message = f"Lists that rules refer to: {first_few(reasons)}."
    return message, [], [entry_of(LISTS, obj) for obj, *_rest in concerned]


def _lost_lists(change: Change) -> Iterator[tuple[Object, int, str]]:
    """The lists that would lose all, each with the number of rules that refer to it after the plan,
    and with what becomes of it."""
    deleting = [item for item in change.plan.operations if item.action == "delete"]
    items = {
        item.resource.parent_name: item.resource
        for item in deleting
        if item.resource.parent is LISTS
    }
    lost = [(item.existing or {}, "deleted") for item in deleting if item.resource is LISTS]
    lost += [
        (obj, "empty")
        for obj in change.plan.before.get(LISTS.plural, ())
        for resource in [items.get(LISTS.label_of(obj))]
        if resource and not change.after.state[resource.plural]
    ]
    more = _reference_changes(change.plan) if lost else {}
    for obj, outcome in lost:
        uses = uses_of(obj) + more.get(LISTS.label_of(obj), 0)
        if uses_of(obj) and uses > 0:
            yield obj, uses, outcome


def _reference_changes(plan: Plan) -> Mapping[str, int]:
    """By list, how many more rules refer to it after a plan, or fewer."""
    from ..._protection.rules_in_force import lists_named_in  # loads all kinds of rules
    from ..._schema.registry import evaluated_as  # loads all kinds of rules

    changes: Counter[str] = Counter()
    for item in with_along(plan.operations):
        rules = evaluated_as(item.resource)
        if rules.traffic or rules.is_ordered:
            for obj, number in ((item.existing, -1), (item.planned, 1)):
                for name in lists_named_in({rules.plural: [obj]}) if obj else ():
                    changes[name] += number
    return changes


REFERENCED_LIST_RISKS = (removes_referenced_list,)

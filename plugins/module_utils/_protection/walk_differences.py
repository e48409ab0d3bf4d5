# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The differences between two walks of the same traffic: marks that traffic has in one, and that
are weaker or missing in the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Container, Generic, Iterator, NamedTuple, Sequence

from .._expressions.expression import Expression
from .._expressions.operands import Fields
from .._schema.lists import ListContents
from .._schema.rulesets import deployed
from .routing import met_in_each_routing
from .steps import WITHOUT_MARK, differing_parts, is_as_strong, is_softer
from .traffic_changes import Treatments
from .traffic_sets import SingleRequest, Split, TrafficSet, TrafficSets
from .walk import (
    CHECKED,
    COUNTED,
    LOGGED,
    OVERRIDDEN,
    SKIPPED,
    STOPPED,
    UNKNOWN,
    Mark,
    Marked,
    Walked,
)
from .ways import Way, walked_phases

PROTECTING = (STOPPED, UNKNOWN, COUNTED, CHECKED, OVERRIDDEN)  # families: without a mark is less


class KindOfDifference(NamedTuple):
    """A key by which differences are grouped: equal differences become one change in the
    results."""

    family: str
    is_passing: bool
    treatments: Treatments
    reverse: Treatments
    skipped: str


@dataclass(frozen=True)  # before Python 3.11, no NamedTuple is generic
class TrafficDifference(Generic[TrafficSet]):
    """Traffic that two states treat differently: the `treatments` from the first state to the
    second, and the `reverse`. If `is_passing`, the second state is weaker, else stricter. If it
    `is_softer`, one of the states challenges what the other blocks. `skipped` names what it skips
    in one state only; it is empty if the difference is another one."""

    family: str
    is_passing: bool
    treatments: Treatments
    reverse: Treatments
    traffic: TrafficSet
    certain: bool
    is_softer: bool = False
    skipped: str = ""

    @property
    def kind(self) -> KindOfDifference:
        """The key by which differences are grouped."""
        return KindOfDifference(
            self.family, self.is_passing, self.treatments, self.reverse, self.skipped
        )


def walk_differences(
    former: Walked[TrafficSet], latter: Walked[TrafficSet], read: Container[str]
) -> list[TrafficDifference[TrafficSet]]:
    """The differences between two walks. Skips of the phases named in `read` are left out, since
    the rules of these phases show their effect."""
    sets = former.sets
    found: list[TrafficDifference[TrafficSet]] = []
    for family in PROTECTING:
        if not (former.has(family) or latter.has(family)):
            continue
        looked_at = sets.everything
        if family not in (STOPPED, UNKNOWN):
            looked_at = sets.intersection(former.passing, latter.passing)
        for gone in _gone(family, former, latter, looked_at):
            found.append(_weakened(gone))
        for gone in _gone(family, latter, former, looked_at):
            found.append(_strengthened(gone))
    for gone in _newly_skipped(latter, former, read):
        found.append(_skipping_difference(gone, is_passing=True))
    for gone in _newly_skipped(former, latter, read):
        found.append(_skipping_difference(gone, is_passing=False))
    return found


def differences_by_kind(
    former: Walked[TrafficSet], latter: Walked[TrafficSet], read: Container[str]
) -> dict[KindOfDifference, list[TrafficDifference[TrafficSet]]]:
    """The differences between two walks, as `walk_differences` finds them, by their kinds."""
    by_kind: dict[KindOfDifference, list[TrafficDifference[TrafficSet]]] = {}
    for difference in walk_differences(former, latter, read):
        by_kind.setdefault(difference.kind, []).append(difference)
    return by_kind


@dataclass(frozen=True)  # before Python 3.11, no NamedTuple is generic
class Gone(Generic[TrafficSet]):
    """Traffic that has a `mark` in one walk, and a `weaker` mark or none (None) in the other."""

    mark: Mark
    weaker: Mark | None
    traffic: TrafficSet
    certain: bool


def _weakened(gone: Gone[TrafficSet]) -> TrafficDifference[TrafficSet]:
    treatments, reverse = _lost(gone), _regained(gone)
    return _difference(gone, is_passing=True, treatments=treatments, reverse=reverse)


def _strengthened(gone: Gone[TrafficSet]) -> TrafficDifference[TrafficSet]:
    treatments, reverse = _regained(gone), _lost(gone)
    return _difference(gone, is_passing=False, treatments=treatments, reverse=reverse)


def _lost(gone: Gone[TrafficSet]) -> Treatments:
    """The treatments, if the first state gives the mark and the second does not."""
    mark, weaker = gone.mark, gone.weaker
    without = WITHOUT_MARK.get(mark.family, ("", f"is not {mark.what}"))[1]
    return Treatments(mark.what, _unlike(weaker, mark) if weaker else without)


def _regained(gone: Gone[TrafficSet]) -> Treatments:
    """The treatments, if the second state gives the mark and the first does not."""
    mark, weaker = gone.mark, gone.weaker
    without = WITHOUT_MARK.get(mark.family, (f"not {mark.what}", ""))[0]
    return (
        Treatments(weaker.what, _unlike(mark, weaker)) if weaker else Treatments(without, mark.now)
    )


def _unlike(mark: Mark, former: Mark) -> str:
    """The treatment by a mark, with the parts in which it differs from a former one of the same
    words."""
    if mark.what != former.what:
        return mark.now
    parts = differing_parts(former, mark)
    if parts:
        return f"{mark.now}, with another {' and '.join(parts)}"
    return f"{mark.now}, in parts"


def _skipping_difference(gone: Gone[TrafficSet], is_passing: bool) -> TrafficDifference[TrafficSet]:
    """The difference for traffic that skips something in one state only; in the second state if
    `is_passing`."""
    skipped = Treatments(gone.mark.what, gone.mark.now)
    checked = Treatments(gone.mark.now, f"is {gone.mark.what}")
    treatments, reverse = (skipped, checked) if is_passing else (checked, skipped)
    return _difference(gone, is_passing, treatments, reverse)


def _difference(
    gone: Gone[TrafficSet], is_passing: bool, treatments: Treatments, reverse: Treatments
) -> TrafficDifference[TrafficSet]:
    return TrafficDifference(
        family=gone.mark.family,
        is_passing=is_passing,
        treatments=treatments,
        reverse=reverse,
        traffic=gone.traffic,
        certain=gone.certain,
        is_softer=gone.weaker is not None and is_softer(gone.mark, gone.weaker),
        skipped=str(gone.mark.key) if gone.mark.family == SKIPPED else "",
    )


def _gone(
    family: str, walked: Walked[TrafficSet], others: Walked[TrafficSet], looked_at: TrafficSet
) -> Iterator[Gone[TrafficSet]]:
    """The traffic within `looked_at` that has a mark of this family in `walked`, and a weaker mark
    or none in `others`."""
    sets = walked.sets
    other_marks = others.marked(family)
    loggings = others.marked(LOGGED) if family == STOPPED else []
    for marked in walked.marked(family):
        mark = marked.mark
        traffic = sets.intersection(marked.traffic, looked_at)
        strong = [one for one in other_marks if is_as_strong(mark, one.mark) is True]
        rest = sets.without(traffic, sets.union(one.traffic for one in strong))
        if family == COUNTED and _is_counted_apart(sets, sets.without(traffic, rest), strong):
            yield Gone(mark, mark, sets.without(traffic, rest), False)
        for weaker in (*other_marks, *loggings):
            part = sets.intersection(rest, weaker.traffic)
            if part != sets.nothing:
                is_less = weaker in loggings or is_as_strong(mark, weaker.mark) is False
                yield Gone(mark, weaker.mark, part, is_less and family != UNKNOWN)
                rest = sets.without(rest, part)
        if rest != sets.nothing:
            yield Gone(mark, None, rest, family != UNKNOWN)


def _is_counted_apart(
    sets: TrafficSets[TrafficSet], counted: TrafficSet, limits: Sequence[Marked[TrafficSet]]
) -> bool:
    """Return whether several rate limits each count a part of this traffic, and no limit counts all
    of it."""
    if counted == sets.nothing:
        return False
    return all(sets.without(counted, one.traffic) != sets.nothing for one in limits)


def _newly_skipped(
    walked: Walked[TrafficSet], others: Walked[TrafficSet], read: Container[str]
) -> Iterator[Gone[TrafficSet]]:
    """The traffic that passes in both, and skips something in `walked` alone."""
    sets = walked.sets
    both = sets.intersection(walked.passing, others.passing)
    for marked in walked.marked(SKIPPED):
        mark = marked.mark
        name = str(mark.key)
        if name in read:
            continue
        kind, _space, identity = name.partition(" ")
        passing = sets.intersection(marked.traffic, both)
        rest = sets.without(passing, others.traffic(mark.identity))
        ruleset = identity.partition(" ")[0] if kind == "rules" else ""
        for walk in (walked, others) if ruleset else ():
            rest = sets.intersection(rest, _checked_by(ruleset, walk))
        if rest != sets.nothing:
            yield Gone(mark, None, rest, bool(ruleset))


def _checked_by(ruleset: str, walked: Walked[TrafficSet]) -> TrafficSet:
    marked = walked.marked(CHECKED)
    return walked.sets.union(one.traffic for one in marked if deployed(one.mark.obj) == ruleset)


def is_confirmed(
    kind: KindOfDifference,
    way: Way,
    lists: tuple[ListContents, ListContents],
    read: Container[str],
    seen: Sequence[Fields],
) -> bool:
    """Return whether single requests or packets with the fields `seen`, evaluated in both states,
    have a difference of this kind."""
    evaluate = met_in_each_routing if way.depends_on_routing else Expression.evaluate
    for fields in seen:
        sets = [SingleRequest(fields._replace(lists=contents), evaluate) for contents in lists]
        if lists[0] == lists[1]:
            sets[1] = sets[0]  # most rules are those of both states, and are evaluated once
        walks = [
            walked_phases(request, phases, Split(1, 1))
            for request, phases in zip(sets, (way.former, way.latter))
        ]
        found = walk_differences(walks[0], walks[1], read)
        if not any(one.kind == kind and one.traffic.sure for one in found):
            return False
    return bool(seen)

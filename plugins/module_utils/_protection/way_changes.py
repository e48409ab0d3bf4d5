# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic of one way that two states treat differently, in words and with examples."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import Iterable, Iterator, Mapping

from .._expressions.solve import Diagrams, Set
from .._schema.lists import LISTS, ListContents
from .._text import Unread, first_few
from .._values.address_set import SOURCES_OF_REQUESTS, intersection
from .compared_ways import problem_of
from .example import Wanted, example_of
from .traffic_changes import NO_CHANGES, NotCompared, Source, TrafficChange, TrafficChanges
from .traffic_words import diagram_in_words
from .walk import Step, met_by
from .walk_differences import differences_by_kind, is_confirmed
from .ways import ComparedStates, ComparedWay, Replaced, Way


def changes_of(compared: ComparedWay) -> TrafficChanges:
    """The traffic of a way that two states treat differently, or why it cannot be compared."""
    problem = compared.problem
    if compared.states is not None:
        try:
            return _changes(compared.way, compared.states, compared.lists, compared.values)
        except (Unread, RecursionError) as exc:
            problem = problem_of(exc)
    steps = chain.from_iterable(one.steps for one in compared.way.changed)
    return TrafficChanges(not_compared=[_not_compared(problem, steps)])


def _not_compared(problem: str, steps: Iterable[Step]) -> NotCompared:
    sources = list(dict.fromkeys(step.source for step in steps))
    titles = first_few(source.title for source in sources)
    return NotCompared(f"the traffic of {titles} cannot be compared: {problem}", sources)


def _changes(
    way: Way,
    compared: ComparedStates,
    lists: tuple[ListContents, ListContents],
    values: Mapping[str, bytes],
) -> TrafficChanges:
    """The differences between the two walks of a way, in words and with examples."""
    if compared.changed_and_arriving == Diagrams.nothing:
        return NO_CHANGES
    read, names = frozenset(way.former), _names_of_fields(way, compared)
    passes: list[TrafficChange] = []
    stopped: list[TrafficChange] = []
    for kind, parts in differences_by_kind(*compared.walks, read).items():
        traffic = compared.sets[0].union(part.traffic for part in parts)
        traffic = compared.diagrams.combined("and", (traffic, compared.changed_and_arriving))
        if not _may_arrive(way, compared.diagrams, traffic):
            continue
        confirms = partial(is_confirmed, kind, way, lists, read)
        asked = Wanted(way.kind, traffic, values, names, compared.host)
        example = example_of(compared.diagrams, asked, confirms)
        if example.is_impossible:
            continue
        change = TrafficChange(
            treatments=kind.treatments,
            reverse=kind.reverse,
            family=kind.family,
            kind=way.kind,
            traffic=diagram_in_words(compared.diagrams, traffic, way.kind, names),
            example=example.described,
            addresses=example.addresses,
            sources=_reasons(way.changed, compared, traffic),
            certain=bool(example.described) and all(part.certain for part in parts),
            is_softer=all(part.is_softer for part in parts),
            skipped=kind.skipped,
        )
        (passes if kind.is_passing else stopped).append(change)
    return TrafficChanges(passes, stopped)


def _may_arrive(way: Way, diagrams: Diagrams, traffic: Set) -> bool:
    """Return whether some of this traffic may arrive: no request has a private or reserved source,
    and packets may have any."""
    sources = diagrams.values(traffic, Diagrams.SOURCE)
    return bool(intersection(sources, SOURCES_OF_REQUESTS) if way.kind == "request" else sources)


def _names_of_fields(way: Way, compared: ComparedStates) -> list[str]:
    """The fields that the changed rules use, and those of all rules that the changed traffic
    meets."""
    names: dict[str, None] = {}
    for replaced in way.changed:
        for step in replaced.steps:
            names.update(dict.fromkeys(step.expression.names))
    for sets, phases in zip(compared.sets, (way.former, way.latter)):
        for step in chain(*phases.values()):
            expressions = (step.expression, *step.unless)
            # A rule that no request meets says nothing of one that lacks its fields.
            is_idle = sets.matching(step.expression) == Diagrams.nothing
            if is_idle or met_by(sets, step, compared.changed_traffic) != Diagrams.nothing:
                for expression in expressions:
                    names.update(dict.fromkeys(expression.names))
    return [*names]


def _reasons(changed: Iterable[Replaced], compared: ComparedStates, traffic: Set) -> list[Source]:
    """The sources of a difference in this traffic: the changed rules that match it in at least one
    of the states, and the lists with other contents that these refer to. A rule that is the same in
    both states but for its lists is left out, unless nothing else is found."""
    of_all = list(dict.fromkeys(step.source for replaced in changed for step in replaced.steps))
    if len(of_all) == 1 and not any(step.lists for one in changed for step in one.steps):
        return of_all
    steps: list[Step] = []
    for replaced in changed:
        for sets, step in zip(compared.sets, replaced):
            if step is not None and met_by(sets, step, traffic) != Diagrams.nothing:
                steps.append(step)
    owns = [{one.own for one in side if one is not None} for side in zip(*changed)]
    in_both = owns[0] & owns[1]
    sources: dict[Source, None] = {}
    for step in steps:
        if step.own not in in_both:
            sources.setdefault(step.source)
        sources.update(dict.fromkeys(_lists_changed(step, changed)))
    return [*sources] or list(dict.fromkeys(step.source for step in steps))


def _lists_changed(step: Step, changed: Iterable[Replaced]) -> Iterator[Source]:
    """The lists that a changed step refers to, and whose contents are not the same in both
    states."""
    for replaced in changed:
        former, latter = replaced
        if former is None or latter is None or step not in replaced.steps:
            continue
        before, after = dict(former.lists), dict(latter.lists)
        for name in sorted(before.keys() & after.keys()):
            if before[name] != after[name]:
                yield Source(LISTS.name, name, f"{LISTS.title} {name}")

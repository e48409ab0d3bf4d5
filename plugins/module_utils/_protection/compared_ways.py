# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ways of requests and packets through the rules of two states: which rules differ, and the
traffic that meets one of them.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import chain
from typing import Hashable, Iterable, Iterator, Mapping, Sequence

from .._expressions.solve import Diagrams, Set
from .._schema.lists import ListContents
from .._schema.resource import Resource, State
from .._schema.rulesets import phase_of
from .._text import Unread
from .routing import AllPackets
from .rules_in_force import host_of_zone, zone_values
from .steps import RULES_BY_KIND, StateSteps
from .traffic_sets import AllTraffic, diagrams_of
from .walk import Step, ended_by, ends_certainly, met_by, stops
from .ways import ComparedStates, ComparedWay, Phases, Replaced, Way, walked_phases


def way_of(kind: str, former: Phases, latter: Phases) -> Way:
    """The way of requests or packets through the phases of two states, which have equal names."""
    changed = {name: changes_between(steps, latter[name]) for name, steps in former.items()}
    first = next((name for name in former if changed[name]), "")
    is_only = sum(map(bool, changed.values())) == 1
    ahead: list[Step] = []
    behind: tuple[dict[str, Sequence[Step]], dict[str, Sequence[Step]]] = ({}, {})
    is_ahead = bool(first)
    for name in former:
        number = number_ahead(former[name], latter[name]) if is_ahead else 0
        # A step that lets traffic pass decides about its own phase alone.
        decides = ends_certainly if is_only and name == first else stops
        ahead += filter(decides, former[name][:number])
        for phases, side in zip((former, latter), behind):
            others = [step for step in phases[name][:number] if not decides(step)]
            side[name] = [*others, *phases[name][number:]]
        is_ahead = is_ahead and name != first
    return Way(kind, former, latter, [*chain(*changed.values())], ahead, behind)


def compared_ways(before: State, after: State) -> list[ComparedWay]:
    """The ways of requests and packets with rules that differ between two states, each with the
    traffic of both states."""
    if before is after:
        return []
    sides = (StateSteps(before), StateSteps(after))
    ways = [_way(kind, resources, sides) for kind, resources in RULES_BY_KIND.items()]
    return [compared_way(way, sides, (before, after)) for way in ways if way.changed]


def _way(kind: str, resources: Sequence[Resource], sides: tuple[StateSteps, StateSteps]) -> Way:
    phases: tuple[dict[str, Sequence[Step]], dict[str, Sequence[Step]]] = ({}, {})
    for resource in resources:
        if any(side.has(resource) for side in sides):
            for steps, side in zip(phases, sides):
                steps[phase_of(resource)] = side.of(resource)
    return way_of(kind, *phases)


def number_ahead(former: Sequence[Step], latter: Sequence[Step]) -> int:
    """The number of steps at the start of both lists that are equal."""
    number, shortest = 0, min(len(former), len(latter))
    while number < shortest and former[number].content == latter[number].content:
        number += 1
    return number


def changes_between(former: Sequence[Step], latter: Sequence[Step]) -> list[Replaced]:
    """The steps that are new, removed, changed or moved between two lists."""
    start = number_ahead(former, latter)
    end, shortest = 0, min(len(former), len(latter)) - start
    while end < shortest and former[-1 - end].content == latter[-1 - end].content:
        end += 1
    before = former[start : len(former) - end]
    after = latter[start : len(latter) - end]
    contents: list[Sequence[Hashable]] = []
    for steps in (before, after):
        contents.append([step.content for step in steps])
    matcher = SequenceMatcher(None, contents[0], contents[1], autojunk=False)
    changed: list[Replaced] = []
    for tag, low, high, first, last in matcher.get_opcodes():
        if tag != "equal":
            changed += _replaced(before[low:high], after[first:last])
    return changed


def _replaced(former: Sequence[Step], latter: Sequence[Step]) -> Iterator[Replaced]:
    """Pairs for the steps that take the place of others. If a single step replaces a single step
    with the same effects, they are a pair, since traffic that matches both is not treated
    differently; every other step is paired with None."""
    if len(former) == len(latter) == 1 and _have_effects_alike(former[0], latter[0]):
        yield Replaced(former[0], latter[0])
        return
    for step in former:
        yield Replaced(step, None)
    for step in latter:
        yield Replaced(None, step)


def _have_effects_alike(step: Step, other: Step) -> bool:
    marks = [
        [(one.mark and one.mark.identity, one.ends, one.doubt) for one in every.effects]
        for every in (step, other)
    ]
    return marks[0] == marks[1]


def compared_way(
    way: Way, sides: tuple[StateSteps, StateSteps], states: tuple[State, State]
) -> ComparedWay:
    values = zone_values(states[1]) if way.kind == "request" else {}
    lists = (sides[0].lists, sides[1].lists)
    try:
        traffic = _compared_states(way, lists, values, host_of_zone(states[1]))
        return ComparedWay(way, lists, values, traffic)
    except (Unread, RecursionError) as exc:
        return ComparedWay(way, lists, values, None, problem_of(exc))


def problem_of(exc: Exception) -> str:
    return exc.reason if isinstance(exc, Unread) else Diagrams.TOO_MANY


def _compared_states(
    way: Way, lists: tuple[ListContents, ListContents], values: Mapping[str, bytes], host: str
) -> ComparedStates:
    """The traffic of both states and its walks through the rules; raises Unread or RecursionError
    if the traffic has too many pieces."""
    steps = chain(*(one.steps for one in way.changed), *way.former.values(), *way.latter.values())
    diagrams = diagrams_of(values, [step.expression for step in steps])
    kind_of_sets = AllPackets if way.depends_on_routing else AllTraffic
    former = kind_of_sets(diagrams, lists[0])
    latter = former if lists[0] == lists[1] else kind_of_sets(diagrams, lists[1])
    changed_traffic = _traffic_of_changes(way.changed, former, latter)
    if way.kind == "packet" and changed_traffic != Diagrams.nothing:
        for sets, phases in zip((former, latter), (way.former, way.latter)):
            for step in chain(*phases.values()):
                sets.matching(step.expression)  # its fields of protocols have facts, too
        facts = diagrams.combined("and", [diagrams.possible(), *diagrams.facts()])
        changed_traffic = diagrams.combined("and", [changed_traffic, facts])
    ended_ahead = ended_by(former, way.ahead, changed_traffic)
    arriving = diagrams.without(changed_traffic, ended_ahead)
    walked = changed_traffic if arriving != Diagrams.nothing else Diagrams.nothing
    changed_steps = chain.from_iterable(replaced.steps for replaced in way.changed)
    contents = {step.content for step in changed_steps}
    walks = (
        walked_phases(former, way.behind[0], walked, contents),
        walked_phases(latter, way.behind[1], walked, contents),
    )
    return ComparedStates(diagrams, (former, latter), changed_traffic, arriving, walks, host)


def _traffic_of_changes(changed: Iterable[Replaced], former: AllTraffic, latter: AllTraffic) -> Set:
    """The traffic that the two states may treat differently, as far as the changed steps tell."""
    pieces: list[Set] = []
    for replaced in changed:
        met = []
        if replaced.former is not None:
            met.append(met_by(former, replaced.former, Diagrams.everything))
        if replaced.latter is not None:
            met.append(met_by(latter, replaced.latter, Diagrams.everything))
        pieces.append(former.diagrams.combined("xor", met))
    return former.union(pieces)

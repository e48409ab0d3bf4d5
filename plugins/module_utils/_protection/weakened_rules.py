# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules that decide about traffic of which a second state stops nothing any more.

A rule decides about the traffic that it matches, and that no rule in front of it has stopped or
taken past it. Traffic that a rule which stays as it is stops as well is no loss, and neither is
traffic that never arrives. If the routing of an account decides which packets meet a rule, each
kind of it is looked at by itself.
"""

from __future__ import annotations

from itertools import chain
from typing import Collection, Hashable, Iterator, Mapping, NamedTuple, Sequence

from .._expressions.expression import Expression
from .._expressions.fields import possible_texts
from .._expressions.solve import Diagrams, Set
from .._text import Unread
from .._values.address_set import SOURCES_OF_REQUESTS, complement, networks
from .routing import traffic_by_routing
from .traffic_sets import AllTraffic, TrafficSet, TrafficSets
from .walk import SKIPPED, STOPPED, Step, Walked, met_by, stops
from .ways import ComparedStates, ComparedWay, Way

PlacesByPhase = Mapping[str, Sequence[int]]  # of rules in the order in which traffic meets them
ANY_ROUTING = ""  # whatever the routing is
HOST, ZONE_NAME = "http.host", "cf.zone.name"
RESERVED_SOURCES = Expression.of(
    f"ip.src in {{{' '.join(networks(complement(SOURCES_OF_REQUESTS)))}}}"
)


class LostRule(NamedTuple):
    """The place of a rule whose traffic is not stopped any more, and the kinds of routing in which
    that is so."""

    place: int
    routings: Collection[str]


def kinds_of_routing(compared: ComparedWay) -> Sequence[str]:
    """The kinds of routing that decide which packets meet a rule; ANY_ROUTING alone if they do not
    differ, or the traffic is not compared."""
    states = compared.states
    return [*traffic_by_routing(states.sets)] if states else [ANY_ROUTING]


def rules_without_effect(compared: ComparedWay) -> Mapping[str, Sequence[LostRule]]:
    """The rules of the first state, by phase, of whose traffic the second state stops nothing;
    raises Unread if that is not known."""
    way, states = compared.way, compared.states
    if states is None:
        raise Unread(compared.problem)
    try:
        suspects = _suspects(way, states)
        return Effects(compared, states, suspects).lost if suspects else {}
    except RecursionError as exc:
        raise Unread("too many to compare") from exc


def deciding_routings(
    compared: ComparedWay, is_latter: bool, phase: str, place: int
) -> Collection[str]:
    """The kinds of routing in which some traffic reaches and matches the rule at `place` in a
    phase, in the first state or, if `is_latter`, in the second; all kinds if that is not known."""
    states, way = compared.states, compared.way
    if states is None:
        return kinds_of_routing(compared)
    sets, phases = states.sets[is_latter], (way.former, way.latter)[is_latter]
    try:
        met = _possible(states, met_by(sets, phases[phase][place], Diagrams.everything))
        decided = traffic_by_step(sets, phases, met)[phase][place]
        return traffic_in_routings(sets, decided, traffic_by_routing(states.sets)).keys()
    except (Unread, RecursionError):
        return kinds_of_routing(compared)


def traffic_in_routings(
    sets: TrafficSets[TrafficSet], traffic: TrafficSet, routings: Mapping[str, TrafficSet]
) -> dict[str, TrafficSet]:
    """The parts of some traffic that exist in each kind of routing, without empty ones."""
    parts = {kind: sets.intersection(traffic, packets) for kind, packets in routings.items()}
    return {kind: part for kind, part in parts.items() if part != sets.nothing}


def _suspects(way: Way, states: ComparedStates) -> dict[str, list[int]]:
    """The places, by phase, of rules that stop traffic in the first state which the second state
    does not stop."""
    former, latter = (_stopped(walked) for walked in states.walks)
    diagrams, sets = states.diagrams, states.sets[0]
    lost = diagrams.combined("and", [states.changed_and_arriving, diagrams.without(former, latter)])
    suspects: dict[str, list[int]] = {}
    for phase, steps in way.former.items() if lost != Diagrams.nothing else ():
        places = [
            place
            for place, step in enumerate(steps)
            if stops(step) and met_by(sets, step, lost) != Diagrams.nothing
        ]
        if places:
            suspects[phase] = places
    return suspects


def _stopped(walked: Walked[Set]) -> Set:
    return walked.sets.union(marked.traffic for marked in walked.marked(STOPPED))


def _possible(states: ComparedStates, traffic: Set) -> Set:
    """The part of some traffic that can exist; requests can all exist."""
    diagrams = states.diagrams
    return diagrams.combined("and", [traffic, diagrams.possible(), *diagrams.facts()])


def traffic_by_step(
    sets: TrafficSets[TrafficSet], phases: Mapping[str, Sequence[Step]], arriving: TrafficSet
) -> dict[str, list[TrafficSet]]:
    """The traffic that meets each step, by phase: the part of the arriving traffic that the step
    matches, and that no earlier step has ended or let skip the phase."""
    met: dict[str, list[TrafficSet]] = {}
    skipping: dict[Hashable, list[TrafficSet]] = {}
    for phase, steps in phases.items():
        inside = sets.without(arriving, sets.union(skipping.get(phase, ())))
        met[phase] = list(_met_in_turn(sets, steps, inside))
        stopped = [traffic for step, traffic in zip(steps, met[phase]) if stops(step)]
        arriving = sets.without(arriving, sets.union(stopped))
        for step, traffic in zip(steps, met[phase]):
            for effect in step.effects:
                if effect.mark is not None and effect.mark.family == SKIPPED:
                    skipping.setdefault(effect.mark.key, []).append(traffic)
    return met


def _met_in_turn(
    sets: TrafficSets[TrafficSet], steps: Sequence[Step], inside: TrafficSet
) -> Iterator[TrafficSet]:
    for step in steps:
        met = met_by(sets, step, inside)
        yield met
        for effect in step.effects:
            if effect.ends and met != sets.nothing:
                ended = met
                if effect.doubt is not None:
                    ended = sets.intersection(met, sets.variable(effect.doubt))
                inside = sets.without(inside, ended)


class Effects:
    """Compares the effects of the suspected rules of the first state with the effects of all rules
    of the second state on the same traffic."""

    def __init__(
        self, compared: ComparedWay, states: ComparedStates, suspects: PlacesByPhase
    ) -> None:
        self._suspects, self._way = suspects, compared.way
        self._former, self._latter = states.sets
        matched = [
            met_by(self._former, self._way.former[phase][place], Diagrams.everything)
            for phase, places in suspects.items()
            for place in places
        ]
        reached = _possible(states, self._former.union(matched))
        self._before = traffic_by_step(self._former, self._way.former, reached)
        after = traffic_by_step(self._latter, self._way.latter, reached)
        self._stopped, self._unchanged = self._stopped_after(after)
        self._not_arriving = not_arriving(compared, states)
        self._routings = traffic_by_routing(states.sets)

    def _stopped_after(
        self, after: Mapping[str, Sequence[Set]]
    ) -> tuple[Set, Mapping[Hashable, Set]]:
        """The traffic that the second state stops, and the traffic that each unchanged rule stops
        in it."""
        former_steps = chain.from_iterable(self._way.former.values())
        identities = {_rule_and_content(step) for step in former_steps}
        stopped: list[Set] = []
        unchanged: dict[Hashable, Set] = {}
        for phase, steps in self._way.latter.items():
            for step, traffic in zip(steps, after[phase]):
                if stops(step):
                    stopped.append(traffic)
                    identity = _rule_and_content(step)
                    if identity in identities:
                        unchanged[identity] = traffic
        return self._latter.union(stopped), unchanged

    @property
    def lost(self) -> Mapping[str, Sequence[LostRule]]:
        """The suspected rules, by phase, of whose traffic nothing is stopped any more."""
        lost: dict[str, list[LostRule]] = {}
        for phase, places in self._suspects.items():
            for place in places:
                routings = self._routings_of_loss(self._decided(phase, place))
                if routings:
                    lost.setdefault(phase, []).append(LostRule(place, routings))
        return lost

    def _routings_of_loss(self, decided: Set) -> list[str]:
        """The kinds of routing in which some of the traffic `decided` exists, and nothing of it is
        stopped any more."""
        sets = self._former
        parts = traffic_in_routings(sets, decided, self._routings)
        stopped = traffic_in_routings(sets, self._stopped, parts)
        return [routing for routing in parts if routing not in stopped]

    def _decided(self, phase: str, place: int) -> Set:
        """The traffic that the rule at `place` decides about and that no unchanged rule stops as
        well."""
        sets, step = self._former, self._way.former[phase][place]
        identity = _rule_and_content(step)
        alike = [traffic for name, traffic in self._unchanged.items() if name != identity]
        decided = sets.without(self._before[phase][place], sets.union(alike))
        arriving = sets.without(decided, self._not_arriving)
        return decided if arriving == Diagrams.nothing else arriving


def _rule_and_content(step: Step) -> Hashable:
    """A key that is equal for the steps of an unchanged rule in both states."""
    return step.source, step.content


def not_arriving(compared: ComparedWay, states: ComparedStates) -> Set:
    """The requests that never arrive: those from reserved sources, and those to hosts that rules
    name and that do not belong to the zone. Empty for packets, which may have any source."""
    if compared.way.kind == "packet":
        return Diagrams.nothing
    sets = states.sets[0]
    pieces = [sets.matching(RESERVED_SOURCES)]
    if ZONE_NAME in compared.values:
        pieces += _to_other_zones(sets, compared.way, states.host)
    return sets.union(pieces)


def _to_other_zones(sets: AllTraffic, way: Way, zone_name: str) -> Iterator[Set]:
    texts: dict[str, None] = {}
    for step in chain(*way.former.values(), *way.latter.values()):
        for leaf in step.expression.comparisons:
            if leaf.field == HOST and leaf.operator in ("eq", "ne", "in"):
                texts.update(dict.fromkeys(possible_texts(leaf) or ()))
    for text in texts:
        host = text[1:-1].lower()
        if host != zone_name and not host.endswith(f".{zone_name}"):
            yield sets.matching(Expression.of(f"{HOST} eq {text}"))

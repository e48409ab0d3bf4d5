# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ways of traffic through the rules of two states, and what is known when they are compared."""

from __future__ import annotations

from typing import Container, Hashable, Mapping, NamedTuple, Sequence

from .._expressions.solve import Diagrams, Set
from .._schema.lists import ListContents
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.rulesets import phase_of
from .traffic_sets import AllTraffic, TrafficSet, TrafficSets
from .walk import SKIPPED, Step, Walked


class Replaced(NamedTuple):
    """A changed step: as it is in the first state, and as it is in the second; None if that state
    does not have it."""

    former: Step | None
    latter: Step | None

    @property
    def steps(self) -> list[Step]:
        """The step of each state that has it."""
        return [step for step in (self.former, self.latter) if step is not None]


Phases = Mapping[str, Sequence[Step]]  # by their names in skips, in their order


class Way(NamedTuple):
    """The phases that requests, or packets, pass in both states, and the steps that changed. The
    steps `ahead` of all changes end the walk of traffic in both states alike; the phases `behind`
    lack these steps."""

    kind: str
    former: Phases
    latter: Phases
    changed: Sequence[Replaced]
    ahead: Sequence[Step]
    behind: tuple[Phases, Phases]

    @property
    def depends_on_routing(self) -> bool:
        """True if the Network Firewall is part of the way."""
        return phase_of(NETWORK_FIREWALL_RULES) in self.former


class ComparedStates(NamedTuple):
    """All traffic, as sets for each of the two states, and its walks. `changed_traffic` matches a
    changed rule; `changed_and_arriving` is the part of it that no rule ahead of the changes
    ends."""

    diagrams: Diagrams
    sets: tuple[AllTraffic, AllTraffic]
    changed_traffic: Set
    changed_and_arriving: Set
    walks: tuple[Walked[Set], Walked[Set]]
    host: str


class ComparedWay(NamedTuple):
    """A way of traffic, the contents of lists in both states, the values of fields that the zone
    decides, and the traffic of both `states`. If it cannot be compared, `states` is None, and
    `problem` says why."""

    way: Way
    lists: tuple[ListContents, ListContents]
    values: Mapping[str, bytes]
    states: ComparedStates | None
    problem: str = ""


def walked_phases(
    sets: TrafficSets[TrafficSet],
    phases: Phases,
    arriving: TrafficSet,
    changed: Container[Hashable] = (),
) -> Walked[TrafficSet]:
    """The marks that traffic has after it passed all phases; traffic skips a phase if an earlier
    rule says so."""
    walked = Walked(sets, arriving)
    for name, steps in phases.items():
        walked.walk(steps, walked.traffic((SKIPPED, name)), changed)
    return walked

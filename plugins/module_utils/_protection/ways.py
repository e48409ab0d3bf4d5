# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ways of traffic through the rules of two states, and what is known when they are compared."""

from __future__ import annotations

from typing import Mapping, NamedTuple, Sequence

from .._expressions.solve import Diagrams, Set
from .._schema.lists import ListContents
from .traffic_sets import AllTraffic
from .walk import Step, Walked


class Replaced(NamedTuple):
    """A step of the first state and the one in its place in the second; None if there is none."""

    former: Step | None
    latter: Step | None

    @property
    def steps(self) -> list[Step]:
        """The steps that there are."""
        return [step for step in (self.former, self.latter) if step is not None]


Phases = Mapping[str, Sequence[Step]]  # by their names in skips, in their order


class Way(NamedTuple):
    """The phases that requests, or packets, pass, in both states, and the steps that are not
    alike. The steps `ahead` of all changes end the walk of traffic alike in both states, and the
    phases `behind` are without them."""

    kind: str
    former: Phases
    latter: Phases
    changed: Sequence[Replaced]
    ahead: Sequence[Step]
    behind: tuple[Phases, Phases]


class ComparedStates(NamedTuple):
    """The sets of all traffic in both states, and the walks of it. `changed_traffic` meets a rule
    that changes, and `changed_and_arriving` is the part of it that gets past the rules ahead of the
    changes."""

    diagrams: Diagrams
    sets: tuple[AllTraffic, AllTraffic]
    changed_traffic: Set
    changed_and_arriving: Set
    walks: tuple[Walked[Set], Walked[Set]]
    host: str


class ComparedWay(NamedTuple):
    """A way of traffic, the contents of lists and the values of fields in both states, and the
    traffic of both; if that cannot be compared, it is None, and `problem` says why."""

    way: Way
    lists: tuple[ListContents, ListContents]
    values: Mapping[str, bytes]
    states: ComparedStates | None
    problem: str = ""

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic that two states treat differently: it passes in the second state and is stopped in
the first one, or the other way round.

Traffic that meets none of the changed rules is treated alike, since the other rules keep their
order. All rules are cut to the traffic that meets a changed one, and most of them vanish.
"""

from __future__ import annotations

from itertools import chain
from typing import Iterable, Iterator

from .._schema.ddos_overrides import L4_OVERRIDES
from .._schema.resource import Resource, State
from .compared_ways import compared_way, compared_ways, way_of
from .override_steps import OVERRIDING, override_steps
from .overrides import alike_groups, managed_rules, overrides_in_force
from .rules_in_force import contents_in
from .steps import StateSteps
from .traffic_changes import NO_CHANGES, TrafficChanges
from .way_changes import changes_of
from .ways import ComparedWay


def traffic_difference(before: State, after: State) -> TrafficChanges:
    """The traffic that the state `after` treats differently from the state `before`."""
    return difference_on(compared_ways(before, after), before, after)


def difference_on(ways: Iterable[ComparedWay], before: State, after: State) -> TrafficChanges:
    """The traffic that the state `after` treats differently from the state `before`; `ways` is what
    `compared_ways` returned for them."""
    if before is after:
        return NO_CHANGES
    found = [changes_of(way) for way in ways]
    for resource in OVERRIDING:
        found += _of_overrides(resource, before, after)
    return _joined_changes(found)


def _joined_changes(found: Iterable[TrafficChanges]) -> TrafficChanges:
    parts = [*found]
    return TrafficChanges(
        [*chain.from_iterable(part.passes for part in parts)],
        [*chain.from_iterable(part.stopped for part in parts)],
        [*chain.from_iterable(part.not_compared for part in parts)],
    )


def _of_overrides(resource: Resource, before: State, after: State) -> Iterator[TrafficChanges]:
    """The differences that overrides of managed DDoS rules make, for each group of managed rules
    that the overrides set alike."""
    former, latter = (overrides_in_force(resource, state) for state in (before, after))
    if former.overrides == latter.overrides and contents_in(before) == contents_in(after):
        return
    managed = managed_rules(resource, after)
    kind = "packet" if resource is L4_OVERRIDES else "request"
    sides = (StateSteps(before), StateSteps(after))
    for (action, levels), is_known in alike_groups(former, latter, managed).items():
        steps = [
            override_steps(resource, state, side, set_levels, action)
            for state, side, set_levels in zip((before, after), sides, levels)
        ]
        way = way_of(kind, {resource.plural: steps[0]}, {resource.plural: steps[1]})
        if way.changed:
            found = changes_of(compared_way(way, sides, (before, after)))
            yield found if is_known else _doubted(found)


def _doubted(changes: TrafficChanges) -> TrafficChanges:
    """The same changes, none of them certain, since there may be no managed rule that they
    concern."""
    sides = [
        [change._replace(certain=False) for change in side]
        for side in (changes.passes, changes.stopped)
    ]
    return TrafficChanges(sides[0], sides[1], changes.not_compared)

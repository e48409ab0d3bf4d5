# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which traffic a component mitigates before a change and not after it.

The comparison is exact: each filter becomes the set of the packets that it matches. What is not
understood of an expression matches the same packets before and after.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import AbstractSet, Mapping, NamedTuple, Sequence

from .._expressions.solve import (
    PORT,
    SOURCE,
    SOURCE_PORT,
    Diagrams,
    Set,
    TooManyCases,
)
from .._schema.account import ENABLED, MODES
from .._text import first_few
from .._values.address_set import (
    Range,
    Ranges,
    count,
    difference,
    intersection,
    networks,
    union,
)
from .modes import DATA_CENTER, GLOBAL, REGION, UNDECIDED, Component, Filter, Place

IN_WORDS = (  # of one value, and of several
    (PORT, "to port {}", "to ports {}"),
    (SOURCE_PORT, "from port {}", "from ports {}"),
    (SOURCE, "from {}", "from {}"),
)
SCOPES = {REGION: "region", DATA_CENTER: "data center"}
ELSEWHERE = ("", "")  # a place that no rule names
UNKNOWN = "a part of the traffic, since the filters are too many to compare"


class Part(NamedTuple):
    """Traffic to some destinations; `what` names the part of it, and is empty for all of it."""

    ranges: Ranges
    what: str


def no_longer_mitigated(was: Component, becomes: Component, space: Ranges) -> list[Part]:
    """The traffic to some addresses that a component mitigates in the one state and not in the
    other."""
    space = _differing(was, becomes, space)
    filters = [_reaching(item.filters, space) for item in (was, becomes)]
    try:
        return _lost_parts(filters, _mitigating_places(was, becomes), space)
    except TooManyCases:
        return [Part(space, UNKNOWN)] if space else []


def _lost_parts(filters: Sequence[Sequence[Filter]], places: _Places, space: Ranges) -> list[Part]:
    diagrams = Diagrams()
    every = diagrams.combined("and", [diagrams.possible(), diagrams.to(space)])
    before, after = (_by_filters(diagrams, item, every) for item in filters)
    lost: list[tuple[Ranges, int, str]] = []
    for number, (one, other, place) in enumerate(
        (
            (before.mitigated, after.left, ""),
            (before.mitigated, after.by_rules, places.off_after),
            (before.by_rules, after.left, places.on_before),
            (before.by_rules, after.by_rules, places.lost),
        )
    ):
        if place is None:
            continue
        for ranges, packets in diagrams.by_destination(diagrams.combined("and", [one, other])):
            whole = diagrams.part(every, ranges[0][0])
            words = (_packets_in_words(diagrams, packets, whole), place)
            lost.append((ranges, number, ", ".join(filter(None, words))))
    parts: dict[str, Ranges] = {}
    for ranges, _number, what in sorted(lost):
        parts.setdefault(what, []).extend(ranges)
    return [Part(union(ranges), what) for what, ranges in parts.items()]


def never_mitigated(component: Component, space: Ranges) -> Ranges:
    """The addresses to which filters that do not mitigate take, together, all traffic."""
    partial = [item for item in component.filters if intersection(item.matches.sometimes, space)]
    if len(partial) < 2:  # what takes all traffic by itself is not a part of a piece that mitigates
        return []
    mitigating = replace(component, filters=partial)
    parts = no_longer_mitigated(mitigating, replace(component, filters=[], rules=[]), space)
    return difference(space, union(item for part in parts for item in part.ranges))


def _differing(was: Component, becomes: Component, space: Ranges) -> Ranges:
    """The addresses for which the two states may differ: those that a filter may match which only
    one of them has, or all if their rules differ."""
    if was.rules != becomes.rules:
        return space
    before, after = ({_as_key(item): item for item in one.filters} for one in (was, becomes))
    changed = [{**before, **after}[key] for key in before.keys() ^ after.keys()]
    return intersection(space, union(part for item in changed for part in item.matches.sometimes))


def _as_key(item: Filter) -> tuple[str, str, str]:
    """By which filters are equal; what an expression matches follows from it."""
    return item.expression, item.mode, item.own_mode


def _reaching(filters: Sequence[Filter], space: Ranges) -> list[Filter]:
    """The filters that match some traffic to these addresses; of all others nothing depends."""
    return [item for item in filters if intersection(item.matches.sometimes, space)]


class _Decided(NamedTuple):
    """What becomes of packets: those that an enabled filter mitigates, those that another filter
    takes, and those that the rules decide on."""

    mitigated: Set
    left: Set
    by_rules: Set


def _by_filters(diagrams: Diagrams, filters: Sequence[Filter], rest: Set) -> _Decided:
    """What filters make of packets, in the order of their modes; one whose mode is not known may be
    the first."""
    taken: dict[str, Set] = {}
    for mode in (UNDECIDED, *MODES):
        own = [diagrams.matching(item.expression) for item in filters if item.own_mode == mode]
        matching = diagrams.combined("or", own)
        taken[mode] = diagrams.combined("and", [rest, matching])
        rest = diagrams.without(rest, matching)
    mitigated = taken.pop(ENABLED)
    return _Decided(mitigated, diagrams.combined("or", taken.values()), rest)


def _packets_in_words(diagrams: Diagrams, packets: Set, every: Set) -> str:
    """The packets to a destination in words; empty for all of them."""
    words = []
    for name, one, several in IN_WORDS if packets != every else ():
        values = diagrams.values(packets, name)
        if values != diagrams.values(every, name):
            listed = networks(values) if name == SOURCE else map(_port_range, values)
            text = one if count(values) == 1 else several
            words.append(text.format(first_few(listed)))
    return ", ".join(words) or ("a part of the traffic" if packets != every else "")


def _port_range(values: Range) -> str:
    first, last = values
    return str(first) if first == last else f"{first}-{last}"


class _Places(NamedTuple):
    """Where rules mitigate before (`on_before`), where they do not after (`off_after`), and both
    (`lost`), in words: empty for all places, None for no place."""

    on_before: str | None
    off_after: str | None
    lost: str | None


def _mitigating_places(was: Component, becomes: Component) -> _Places:
    rules = {rule.key: rule for rule in (*was.rules, *becomes.rules, *was.rules)}
    titles = {
        rule.key: f"{title} {rule.place}"
        for scope, title in SCOPES.items()
        for rule in rules.values()
        if rule.scope == scope
    }
    regions, centers = (
        [ELSEWHERE, *(place for place in titles if place[0] == scope)] for scope in SCOPES
    )
    modes = [{rule.key: rule.mode for rule in one.rules} for one in (was, becomes)]
    places = list(product(regions, centers))
    before, after = ({place for place in places if _is_on(side, *place)} for side in modes)
    return _Places(
        _places_in_words(before, titles),
        _places_in_words({*places} - after, titles),
        _places_in_words(before - after, titles),
    )


def _is_on(modes: Mapping[Place, str], region: Place, center: Place) -> bool:
    """Whether the most specific rule mitigates."""
    deciding = [modes[place] for place in (center, region, (GLOBAL, "")) if place in modes]
    return deciding[:1] == [ENABLED]


def _places_in_words(
    places: AbstractSet[tuple[Place, Place]], titles: Mapping[Place, str]
) -> str | None:
    """Places in words, each with a region and a data center; `titles` are of those that rules
    name. A data center may be in any region."""
    concerned = {region for region, center in places if center == ELSEWHERE}
    concerned |= {center for _region, center in places}
    if (ELSEWHERE, ELSEWHERE) in places:
        others = [title for place, title in titles.items() if place not in concerned]
        return f"outside {first_few(others)}" if others else ""
    listed = [title for place, title in titles.items() if place in concerned]
    return f"in {first_few(listed)}" if listed else None

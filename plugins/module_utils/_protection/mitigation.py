# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which traffic a component mitigates before a change and not after it.

The comparison is exact: the values of each field are cut where some filter cuts them, and each
filter becomes the set of the combinations that it matches. Such a set is a number with a bit for
each combination, so that `and`, `or` and `not` are those of numbers. An expression that is not
understood is a field of its own, since it matches the same packets before and after.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from itertools import product
from typing import Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence

from .._expressions.fields import FIELDS
from .._expressions.grammar import Combination, Comparison, Constant, Negation, Tree, parse
from .._expressions.solve import Undecided, matched
from .._schema.account import ENABLED, MODES
from .._text import first_few
from .._values.address_set import (
    EVERYTHING,
    Range,
    Ranges,
    difference,
    intersection,
    networks,
    union,
)
from .modes import OFF, UNDECIDED, Component, Filter

DESTINATION, SOURCE, SOURCE_PORT, PORT = "ip.dst", "ip.src", "tcp.srcport", "tcp.dstport"
AXES = (SOURCE, SOURCE_PORT, PORT)
IN_WORDS = (  # of one value, and of several
    (PORT, "to port {}", "to ports {}"),
    (SOURCE_PORT, "from port {}", "from ports {}"),
    (SOURCE, "from {}", "from {}"),
)
UNREAD = "unread "  # before an expression that is a field of its own
MOST_COMBINATIONS = 1 << 20
UNKNOWN = "a part of the traffic, since the filters are too many to compare"


class Part(NamedTuple):
    """Traffic to some destinations; `what` names the part of it, and is empty for all of it."""

    ranges: Ranges
    what: str


def no_longer_mitigated(was: Component, becomes: Component, space: Ranges) -> list[Part]:
    """The traffic to some addresses that a component mitigates in the one state and not in the
    other."""
    space = _concerned(was, becomes, space)
    filters = [_reaching(item.filters, space) for item in (was, becomes)]
    traffic = _Traffic([*filters[0], *filters[1]])
    if traffic.combinations > MOST_COMBINATIONS:
        return [Part(space, UNKNOWN)] if space else []
    places = _Places(was, becomes)
    by_mode = list(map(_by_mode, filters))
    lost: dict[str, Ranges] = {}
    for destination, ranges in traffic.destinations(space):
        before, after = (traffic.decided(item, destination) for item in by_mode)
        for packets, place in (
            (before.mitigated & after.left, ""),
            (before.mitigated & after.by_rules, places.off_after),
            (before.by_rules & after.left, places.on_before),
            (before.by_rules & after.by_rules, places.lost),
        ):
            if packets and place is not None:
                what = ", ".join(filter(None, (traffic.named(packets, destination), place)))
                lost.setdefault(what, []).extend(ranges)
    return [Part(union(ranges), what) for what, ranges in lost.items()]


def never_mitigated(component: Component, space: Ranges) -> Ranges:
    """The addresses to which filters that do not mitigate take, together, all traffic."""
    partial = [item for item in component.filters if intersection(item.matches.sometimes, space)]
    if len(partial) < 2:  # what takes all traffic by itself is not a part of a piece that mitigates
        return []
    mitigating = replace(component, filters=partial)
    parts = no_longer_mitigated(mitigating, replace(component, filters=[], rules=[]), space)
    return difference(space, union(item for part in parts for item in part.ranges))


def _concerned(was: Component, becomes: Component, space: Ranges) -> Ranges:
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


def _by_mode(filters: Sequence[Filter]) -> Mapping[str, Sequence[Filter]]:
    """Filters in the order of their modes; one whose mode is not known may be the first."""
    order = (UNDECIDED, *MODES)
    return {mode: [item for item in filters if item.own_mode == mode] for mode in order}


class _Decided(NamedTuple):
    """What becomes of the packets to a destination: those that an enabled filter mitigates, those
    that another filter takes, and those that the rules decide on."""

    mitigated: int
    left: int
    by_rules: int


class _Axis(NamedTuple):
    """The values of a field in pieces that no filter cuts; combinations count them in steps of
    `stride`, and repeat after `period`."""

    pieces: Sequence[Range]
    stride: int
    period: int


class _Traffic:
    """The combinations of source, ports and not understood expressions that filters tell apart."""

    def __init__(self, filters: Sequence[Filter]) -> None:
        self._trees: dict[str, Tree | None] = {
            item.expression: _tree(item.expression) for item in filters
        }
        cuts = _cuts(filter(None, self._trees.values()))
        self._destinations = _pieces(EVERYTHING, cuts.get(DESTINATION, []))
        self._axes: dict[str, _Axis] = {}
        stride = 1
        unread = [UNREAD + text for text, tree in self._trees.items() if tree is None]
        self._masks: dict[int, int] = {}
        self._destinations_of: dict[int, Ranges] = {}
        for name in (*AXES, *unread):
            pieces = (
                _pieces(FIELDS[name].everything, cuts.get(name, []))
                if name in AXES
                else [(0, 0), (1, 1)]
            )
            self._axes[name] = _Axis(pieces, stride, stride * len(pieces))
            stride *= len(pieces)
        self.combinations = stride

    def destinations(self, space: Ranges) -> Iterator[tuple[Range, Ranges]]:
        """The destinations in pieces that no filter cuts, each with what a set has of it."""
        for piece in self._destinations:
            ranges = _common(piece, space)
            if ranges:
                yield piece, ranges

    def decided(self, by_mode: Mapping[str, Sequence[Filter]], destination: Range) -> _Decided:
        """What filters, in the order of their modes, make of the packets to a destination."""
        rest = self._possible(destination)
        taken: dict[str, int] = {}
        for mode, filters in by_mode.items():
            matching = 0
            for item in filters:
                matching |= self._matching(item, destination)
            taken[mode] = matching & rest
            rest &= ~matching
        mitigated = taken.pop(ENABLED, 0)
        return _Decided(mitigated, sum(taken.values()), rest)

    def named(self, packets: int, destination: Range) -> str:
        """The packets in words; empty for all packets to a destination."""
        possible = self._possible(destination)
        if packets == possible:
            return ""
        words = []
        for name, one, several in IN_WORDS:
            values, every = self._values(name, packets), self._values(name, possible)
            if values != every:
                listed = networks(values) if name == SOURCE else map(_numbers, values)
                text = one if sum(last - first + 1 for first, last in values) == 1 else several
                words.append(text.format(first_few(listed)))
        return ", ".join(words) or "a part of the traffic"

    def _values(self, name: str, packets: int) -> Ranges:
        pieces = self._axes[name].pieces
        return union(
            piece for index, piece in enumerate(pieces) if packets & self._with(name, [index])
        )

    def _possible(self, destination: Range) -> int:
        """The packets that there can be: source and destination are of one family."""
        family = next(item for item in EVERYTHING if item[0] <= destination[0] <= item[1])
        pieces = self._axes[SOURCE].pieces
        same = [index for index, piece in enumerate(pieces) if intersection([piece], [family])]
        return self._with(SOURCE, same)

    def _with(self, name: str, indices: Iterable[int]) -> int:
        """The combinations with one of these pieces of a field."""
        axis = self._axes[name]
        block = 0
        for index in indices:
            block |= ((1 << axis.stride) - 1) << (index * axis.stride)
        repeated = ((1 << self.combinations) - 1) // ((1 << axis.period) - 1)
        return block * repeated

    def _matching(self, item: Filter, destination: Range) -> int:
        tree = self._trees[item.expression]
        if tree is None:
            return self._with(UNREAD + item.expression, [1])
        return self._match(tree, destination)

    def _match(self, tree: Tree, destination: Range) -> int:
        every = (1 << self.combinations) - 1
        if isinstance(tree, Negation):
            return every ^ self._match(tree.part, destination)
        if isinstance(tree, Combination):
            packets = self._match(tree.parts[0], destination)
            for part in tree.parts[1:]:
                packets = COMBINED[tree.operator](packets, self._match(part, destination))
            return packets
        if isinstance(tree, Constant):
            return every if tree.value else 0
        if not isinstance(tree, Comparison):
            raise TypeError(f"{tree.field} is not understood")
        if tree.field == DESTINATION:
            return every if _within(destination, self._addresses(tree)) else 0
        return self._meeting(tree)

    def _addresses(self, comparison: Comparison) -> Ranges:
        """The destinations that meet a comparison, computed once."""
        if id(comparison) not in self._destinations_of:
            values = FIELDS[DESTINATION].values_of(comparison)
            self._destinations_of[id(comparison)] = values
        return self._destinations_of[id(comparison)]

    def _meeting(self, comparison: Comparison) -> int:
        """The combinations that meet a comparison, computed once."""
        if id(comparison) not in self._masks:
            values = FIELDS[comparison.field].values_of(comparison)
            pieces = self._axes[comparison.field].pieces
            indices = [index for index, piece in enumerate(pieces) if _within(piece, values)]
            self._masks[id(comparison)] = self._with(comparison.field, indices)
        return self._masks[id(comparison)]


COMBINED: Mapping[str, Callable[[int, int], int]] = {
    "or": int.__or__,
    "xor": int.__xor__,
    "and": int.__and__,
}


def _tree(expression: str) -> Tree | None:
    """The expression as a tree; None if it is not understood."""
    try:
        matched(expression)
    except Undecided:
        return None
    return parse(expression)


def _cuts(trees: Iterable[Tree]) -> dict[str, list[int]]:
    """By field: the values before which some comparison begins or ends."""
    cuts: dict[str, list[int]] = {}
    for tree in trees:
        for comparison in _comparisons(tree):
            for first, last in FIELDS[comparison.field].values_of(comparison):
                cuts.setdefault(comparison.field, []).extend((first, last + 1))
    return cuts


def _comparisons(tree: Tree) -> Iterator[Comparison]:
    if isinstance(tree, Negation):
        yield from _comparisons(tree.part)
    elif isinstance(tree, Combination):
        for part in tree.parts:
            yield from _comparisons(part)
    elif isinstance(tree, Comparison):
        yield tree


def _pieces(everything: Ranges, cuts: Iterable[int]) -> list[Range]:
    """All values of a field, cut before these."""
    places = sorted(set(cuts))
    pieces: list[Range] = []
    for first, last in everything:
        starts = [first, *(cut for cut in places if first < cut <= last)]
        ends = [*(start - 1 for start in starts[1:]), last]
        pieces += zip(starts, ends)
    return pieces


def _within(piece: Range, values: Ranges) -> bool:
    """Whether a piece, which is never cut, is one of the values."""
    index = bisect_right(values, (piece[0], EVERYTHING[-1][1])) - 1
    return index >= 0 and values[index][1] >= piece[0]


def _common(piece: Range, ranges: Ranges) -> Ranges:
    """What a set has of a piece, without a look at all of the set."""
    first, last = piece
    start = bisect_left(ranges, (first, first))
    start -= start > 0 and ranges[start - 1][1] >= first
    end = bisect_right(ranges, (last, EVERYTHING[-1][1]))
    return intersection([piece], ranges[start:end])


def _numbers(values: Range) -> str:
    first, last = values
    return str(first) if first == last else f"{first}-{last}"


class _Places:
    """Where rules mitigate, before and after: in a region, in a data center, and elsewhere.

    Each attribute names places: those where rules mitigate before (`on_before`), where they do not
    after (`off_after`), and both (`lost`); empty for all places, None for no place.
    """

    def __init__(self, was: Component, becomes: Component) -> None:
        self._before, self._after = _modes(was), _modes(becomes)
        labels = {**self._before, **self._after}
        self._regions = ["", *(label for label in labels if label.startswith("region "))]
        self._data_centers = ["", *(label for label in labels if label.startswith("datacenter "))]
        titles = {rule.label.casefold(): rule.label for rule in (*becomes.rules, *was.rules)}
        self._titles = {label: titles[label] for label in labels if label in titles}
        self.on_before = self._named(self._is_on_before)
        self.off_after = self._named(lambda region, center: not self._is_on_after(region, center))
        self.lost = self._named(
            lambda region, center: (
                self._is_on_before(region, center) and not self._is_on_after(region, center)
            )
        )

    def _is_on_before(self, region: str, data_center: str) -> bool:
        return _mode_in(self._before, region, data_center) == ENABLED

    def _is_on_after(self, region: str, data_center: str) -> bool:
        return _mode_in(self._after, region, data_center) == ENABLED

    def _named(self, concerns: Callable[[str, str], bool]) -> str | None:
        """The places that are concerned, in words; a data center may be in any region."""
        concerned = {region for region in self._regions[1:] if concerns(region, "")}
        concerned |= {
            center
            for center, region in product(self._data_centers[1:], self._regions)
            if concerns(region, center)
        }
        named = [*self._regions[1:], *self._data_centers[1:]]
        if concerns("", ""):
            others = [label for label in named if label not in concerned]
            return f"outside {first_few(map(self._title, others))}" if others else ""
        listed = [self._title(label) for label in named if label in concerned]
        return f"in {first_few(listed)}" if listed else None

    def _title(self, label: str) -> str:
        return self._titles[label].replace("datacenter ", "data center ", 1)


def _modes(component: Component) -> dict[str, str]:
    """The mode that the rules give, by label; `undecided` if rules of one label contradict."""
    modes: dict[str, str] = {}
    for rule in component.rules:
        label = rule.label.casefold()
        modes[label] = rule.mode if modes.get(label, rule.mode) == rule.mode else UNDECIDED
    return modes


def _mode_in(modes: Mapping[str, str], region: str, data_center: str) -> str:
    """The mode of the most specific rule for a place."""
    for label in (data_center, region, "global"):
        if label in modes:
            return modes[label]
    return OFF

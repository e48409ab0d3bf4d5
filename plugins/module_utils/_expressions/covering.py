# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fewest of some sets of traffic that hold all of another one.

Most sets of a long list have nothing in common with one of it; an index by the values of each
variable finds the others. Most of these leave out a sample of it, and then nothing is combined.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from functools import reduce
from itertools import accumulate, combinations
from typing import Iterable, Sequence

from .._errors import Unread
from .._values.address_set import Range, Ranges
from .solve import EMPTY, WHOLE, Diagrams, Set

MOST_TRIED = 2000  # combinations of one size
LARGEST_TRIED = 3
MOST_LEVELS = 200  # variables of sets that are combined


class _Index:
    """The places of sets in a list by their values of one variable."""

    def __init__(self, values: Iterable[tuple[Range, int]]) -> None:
        entries = sorted(values)
        self.places = {place for _range, place in entries}
        self._firsts = [first for (first, _last), _place in entries]
        self._entries = entries
        self._reaching = [*accumulate((last for (_first, last), _place in entries), max)]

    def meeting(self, ranges: Ranges) -> set[int]:
        """The places of the sets that have one of some values."""
        places = set()
        for first, last in ranges:
            at = bisect_right(self._firsts, last) - 1
            while at >= 0 and self._reaching[at] >= first:
                (_first, end), place = self._entries[at]
                if end >= first:
                    places.add(place)
                at -= 1
        return places


class Covering:
    """Sets of traffic, by their places in a list; `universe` has all traffic that there can be."""

    def __init__(self, diagrams: Diagrams, sets: Sequence[Set], universe: Set = WHOLE) -> None:
        self._diagrams, self._sets, self._universe = diagrams, sets, universe
        by_level: dict[int, list[tuple[Range, int]]] = defaultdict(list)
        for place, one in enumerate(sets):
            for level, ranges in diagrams.bounds(one).values.items():
                by_level[level] += [(one, place) for one in ranges]
        self._index = {level: _Index(values) for level, values in by_level.items()}

    def possible(self, traffic: Set) -> Set:
        """The part of a set that there can be."""
        return self._diagrams.combined("and", [self._universe, traffic])

    def fewest(self, traffic: Set, places: Sequence[int]) -> list[int]:
        """The places, among these, of the fewest sets that together have all of some traffic; none
        if that is not proven. Of more than three, none can be left out."""
        self._diagrams.steps = 0
        try:
            rest = self.possible(traffic)
            met = self._met(traffic, places) if rest != EMPTY else []
            return self._smallest(rest, met) if self._is_covered(rest, met) else []
        except Unread:
            return []

    def _met(self, traffic: Set, places: Sequence[int]) -> list[int]:
        """The places of the sets that may have something in common with some traffic."""
        values = self._diagrams.bounds(traffic).values
        kept, every = set(places), len(self._sets)
        for level in sorted(values, key=lambda one: every - len(self._index_of(one).places)):
            index = self._index_of(level)
            meeting = index.meeting(values[level])
            kept = {one for one in kept if one in meeting or one not in index.places}
        return sorted(kept)

    def _is_covered(self, rest: Set, met: Sequence[int]) -> bool:
        """Return whether sets together have all of some traffic: those that have one sample of it
        are taken from it, and again of what is left."""
        left, levels = [*met], self._diagrams.bounds(rest).levels
        while rest != EMPTY and left:
            sample = self._diagrams.sample(rest)
            holding = [one for one in left if self._diagrams.holds(self._sets[one], sample)]
            if not holding:
                return False
            levels = levels.union(
                *(self._diagrams.bounds(self._sets[one]).levels for one in holding)
            )
            if len(levels) > MOST_LEVELS:
                return False
            rest = self._without(rest, holding)
            left = [one for one in left if one not in holding]
        return rest == EMPTY and bool(met)

    def _index_of(self, level: int) -> _Index:
        return self._index.get(level) or _Index(())

    def _without(self, traffic: Set, places: Iterable[int]) -> Set:
        """Some traffic without that of sets."""
        return reduce(self._diagrams.without, (self._sets[one] for one in places), traffic)

    def _smallest(self, rest: Set, met: Sequence[int]) -> list[int]:
        for size in range(1, LARGEST_TRIED + 1):
            for tried, places in enumerate(combinations(met, size)):
                if self._without(rest, places) == EMPTY:
                    return [*places]
                if size > 1 and tried > MOST_TRIED:
                    break
        needed = [*met]
        for place in reversed(met):
            fewer = [one for one in needed if one != place]
            needed = fewer if self._without(rest, fewer) == EMPTY else needed
        return needed

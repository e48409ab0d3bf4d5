# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects of a list that decide about no traffic, and the fewest others that leave them none.

Most sets of a long list have nothing in common with one of it; an index by the values of each
variable finds the others. Most of these leave out a sample of it, and then nothing is combined.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from datetime import datetime, timezone
from functools import reduce
from itertools import accumulate, chain, combinations
from operator import and_
from typing import TYPE_CHECKING, Any, Hashable, Iterable, Iterator, NamedTuple, Sequence

from .._expressions.expression import Expression
from .._expressions.solve import Diagrams, Set, TruthOfText
from .._text import Unread, first_few
from .._values.address_set import Range, Ranges, intersection

if TYPE_CHECKING:
    from .routing import AllPackets

NEVER, SHADOWED, DUPLICATE = "never", "shadowed", "duplicate"
RANGE_OF_TRUE: Range = (1, Diagrams.BEYOND)  # of a comparison that is a variable
MOST_COMBINATIONS = 2000  # combinations of one size
LARGEST_TRIED = 3
MOST_LEVELS = 200  # variables of sets that are combined
MOST_COMPARED = 100_000
MOST_STEPS_OF_ALL = 8 * Diagrams.MOST_STEPS


# Of an object that ends at a time that is not known.
UNKNOWN_END = datetime.min.replace(tzinfo=timezone.utc)


def lasts_as_long(end: datetime | None, compared_end: datetime | None) -> bool:
    """Return whether an object with `end` certainly lasts as long as one with `compared_end`. An
    object whose end is None lasts forever."""
    if end is None:
        return True
    if compared_end is None or UNKNOWN_END in (end, compared_end):
        return False
    return compared_end <= end


class ListObject(NamedTuple):
    """An object of an ordered list. `does` is its effect on the traffic that it matches. If it
    `ends` the evaluation, it decides before all objects behind it; the objects at the places
    `before` decide before it. `whole` is its expression as written, if `expression` is narrower. An
    object that `is_beside` the list is compared, but not checked itself. `end` is when it
    expires."""

    key: Any
    name: str
    expression: Expression
    does: Hashable = None
    ends: bool = False
    before: Sequence[int] = ()
    whole: Expression | None = None
    is_beside: bool = False
    end: datetime | None = None


class Reach(NamedTuple):
    """The only values that some fields of packets can have: each packet has one of `values` in at
    least one of `fields`. `kind` and `reason` are those of the claim on an object that matches none
    of them."""

    fields: Sequence[str]
    values: Ranges
    kind: str
    reason: str


class Claim(NamedTuple):
    """An object that cannot work: its key, its label, the kind of problem, the names of the objects
    that cause it (empty: none), and the reason as a clause."""

    key: Any
    label: str
    kind: str
    by: Sequence[str]
    reason: str


class _Index:
    """Finds sets by their values of one variable. The sets are known by their places in a list;
    `others` are the places of the sets, among `every` place, that do not limit the variable."""

    def __init__(self, values: Iterable[tuple[Range, int]], every: set[int]) -> None:
        self._entries = sorted(values)
        self._firsts = [first for (first, _last), _place in self._entries]
        self._reaching = [*accumulate((last for (_first, last), _place in self._entries), max)]
        self.others = every.difference(place for _range, place in self._entries)

    def meeting(self, ranges: Ranges) -> set[int]:
        """The places of the sets that contain one of the values in `ranges`."""
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
    """Finds the objects of a list that cannot work, by the traffic that they match. `decide` and
    `truth_of_text` are those of Diagrams. With `filters`, all packets are of TCP; with
    `on_routing`, the packets that a rule of the Network Firewall matches depend on the routing."""

    def __init__(
        self,
        listed: Sequence[ListObject],
        decide: Any = None,
        packets: bool = False,
        filters: bool = False,
        truth_of_text: TruthOfText | None = None,
        on_routing: bool = False,
    ) -> None:
        self._listed, self._traffic = listed, "packet" if packets else "request"
        self._diagrams = diagrams = Diagrams(decide, filters, MOST_COMPARED, truth_of_text)
        self._all_packets = _all_packets(diagrams) if on_routing else None
        for candidate in listed:
            if truth_of_text and not candidate.expression.problem:
                diagrams.name_texts(candidate.expression)
        self._spent = 0
        self._sets = [self._matching(one.expression) for one in listed]
        self._universe = Diagrams.everything
        if packets:
            facts = [] if filters else diagrams.facts()
            self._universe = diagrams.combined("and", [diagrams.possible(), *facts])
        by_level: dict[int, list[tuple[Range, int]]] = defaultdict(list)
        for place, one in enumerate(self._sets):
            for level, ranges in diagrams.bounds(one).values.items():
                by_level[level] += [(one, place) for one in ranges]
        depending = Counter(chain(*(diagrams.bounds(one).levels for one in self._sets)))
        # A comparison that is only ever true in sets matters to no other traffic: what does not
        # meet it must be covered without these sets, and then so is what does.
        self._alone = {
            level: {place for _range, place in values}
            for level, values in by_level.items()
            if diagrams.variable_of(level).is_of_truth
            and [one for one, _place in values] == [RANGE_OF_TRUE] * depending[level]
        }
        self._ending = [place for place, one in enumerate(listed) if one.ends]
        every = {*range(len(listed))}
        self._others = every.difference(*self._alone.values())
        levels = by_level.keys() - self._alone.keys()
        self._index = {level: _Index(by_level[level], every) for level in levels}

    def claims(self, does_the_same: str, reach: Reach | None) -> Iterator[Claim]:
        """The claims on the objects that cannot work. `does_the_same` is a template for the reason
        of a duplicate, with `{}` for the name of the earlier object; `reach` (None: not known)
        limits the traffic that arrives."""
        alike: dict[tuple[Set, Hashable], list[int]] = {}
        for place, one in enumerate(self._listed):
            traffic = self._matching(one.whole) if one.whole else self._sets[place]
            earlier = alike.setdefault((traffic, one.does), [])
            lasting = [at for at in earlier if self._lasts_as_long(at, place)]
            same = lasting[0] if lasting else place
            earlier.append(place)
            if not one.is_beside:
                kind, by, reason = self._judged(place, traffic, same, does_the_same)
                if not kind and reach and self._is_beyond(traffic, reach):
                    kind, reason = reach.kind, reach.reason
                if kind:
                    yield Claim(one.key, one.name, kind, by, reason)

    def _judged(
        self, place: int, traffic: Set, same: int, does_the_same: str
    ) -> tuple[str, list[str], str]:
        """The kind of problem of an object, the names of the objects that cause it, and the reason;
        all are empty if the object can work. `same` is the place of an equal earlier object, or its
        own place."""
        rest = self._diagrams.combined("and", [self._universe, traffic])
        if rest == Diagrams.nothing:
            return NEVER, [], f"no {self._traffic} matches its expression"
        if same != place:
            earlier, name = self._listed[same], self._listed[same].name
            if earlier.expression != self._listed[place].expression:
                does_the_same = f"it matches the same {self._traffic}s as {{}}, and does the same"
            return DUPLICATE, [name], does_the_same.format(name)
        by = [self._listed[at].name for at in self._fewest(rest, place)]
        decide = "already decides" if len(by) == 1 else "together already decide"
        decided = f"{first_few(by)} {decide} every {self._traffic} that it matches"
        return (SHADOWED, by, decided) if by else ("", [], "")

    def _matching(self, expression: Expression) -> Set:
        """The traffic that an expression matches; an expression with too many comparisons becomes a
        variable."""
        self._diagrams.steps = 0
        if not expression.problem and len(expression.comparisons) > Diagrams.MOST_VARIABLES:
            return self._diagrams.variable(expression.text)
        return (self._all_packets or self._diagrams).matching(expression)

    def _is_beyond(self, traffic: Set, reach: Reach) -> bool:
        """Return whether traffic is limited in every field of `reach` to values that no arriving
        packet has."""
        values = self._diagrams.bounds(traffic).values
        for level in map(self._diagrams.level_of, reach.fields):
            if not values.get(level) or intersection(values[level], reach.values):
                return False
        return True

    def _fewest(self, rest: Set, place: int) -> list[int]:
        """The places of a few earlier objects that together decide all of `rest`, the traffic of
        the object at `place`; none of them can be left out. Empty if that is not proven."""
        if self._spent > MOST_STEPS_OF_ALL:
            return []
        self._diagrams.steps = 0
        try:
            met = self._met(rest, place)
            return self._smallest(rest, met) if self._is_covered(rest, met) else []
        except Unread:
            return []
        finally:
            self._spent += self._diagrams.steps

    def _met(self, traffic: Set, place: int) -> list[int]:
        """The places of the objects that decide before the object at `place`, and may match some of
        `traffic`."""
        values, levels = self._diagrams.bounds(traffic)
        indexes = [(self._index[one], values[one]) for one in values if one in self._index]
        fitting = [index.meeting(ranges) | index.others for index, ranges in indexes]
        if self._alone or not fitting:
            alone = (self._alone[level] for level in levels if level in self._alone)
            fitting.append(self._others.union(*alone))
        earlier = self._ending[: bisect_left(self._ending, place)]
        deciding = reduce(and_, fitting).intersection([*earlier, *self._listed[place].before])
        return sorted(one for one in deciding if self._lasts_as_long(one, place))

    def _lasts_as_long(self, one: int, place: int) -> bool:
        """Return whether the object at the place `one` lasts as long as the object at `place`."""
        return lasts_as_long(self._listed[one].end, self._listed[place].end)

    def _is_covered(self, rest: Set, met: Sequence[int]) -> bool:
        """Return whether the sets at the places `met` together contain all traffic of `rest`. It
        takes a sample of the traffic, subtracts all sets that contain the sample, and repeats this
        with the remainder."""
        left, levels = [*met], self._diagrams.bounds(rest).levels
        while rest != Diagrams.nothing and left:
            sample = self._diagrams.sample(rest)
            holding = [one for one in left if self._diagrams.holds(self._sets[one], sample)]
            if not holding:
                return False
            bounds = (self._diagrams.bounds(self._sets[one]) for one in holding)
            levels = levels.union(*(one.levels for one in bounds))
            if len(levels) > MOST_LEVELS:
                return False
            rest = self._without(rest, holding)
            left = [one for one in left if one not in holding]
        return rest == Diagrams.nothing and bool(met)

    def _without(self, traffic: Set, places: Iterable[int]) -> Set:
        """The traffic that remains when the sets at these places are subtracted."""
        return reduce(self._diagrams.without, (self._sets[one] for one in places), traffic)

    def _smallest(self, rest: Set, met: Sequence[int]) -> list[int]:
        for size in range(1, LARGEST_TRIED + 1):
            for tried, places in enumerate(combinations(met, size)):
                if self._without(rest, places) == Diagrams.nothing:
                    return [*places]
                if size > 1 and tried > MOST_COMBINATIONS:
                    break
        needed = [*met]
        for place in reversed(met):
            fewer = [one for one in needed if one != place]
            needed = fewer if self._without(rest, fewer) == Diagrams.nothing else needed
        return needed


def _all_packets(diagrams: Diagrams) -> AllPackets:
    from .routing import AllPackets  # loaded if there are rules of the Network Firewall

    return AllPackets(diagrams, {})

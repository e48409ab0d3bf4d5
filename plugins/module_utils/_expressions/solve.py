# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The requests or packets that expressions match, all of them at once.

A set of them is a decision diagram. Each node looks at one variable, such as the port of a packet,
cuts its values into pieces, and has a smaller diagram for each piece, down to nothing or all
traffic. Every diagram is kept once and has a number, so that equal sets have equal numbers. A
comparison of which no more is known than that it is true or false is a variable of its own: `x or
not x` is all traffic, whatever x is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import chain, repeat
from math import inf
from typing import Any, Callable, Hashable, Iterable, Iterator, List, Mapping, NamedTuple, Tuple

from .._text import Unread
from .._values.address_set import (
    EVERYTHING,
    Contents,
    Range,
    Ranges,
    complement,
    intersection,
    union,
)
from .._vendor.fields import GREATEST, RANGES, SAME_FIELD
from .expression import Expression
from .fields import possible_texts
from .grammar import Combination, Comparison, Constant, Negation, Tree, place_in_words
from .networks_and_ports import FILTER_FIELDS, met_addresses, numbers_of, values_of
from .plainest import plainest

Set = int
EMPTY: Set = 0
WHOLE: Set = 1
DESTINATION, SOURCE, SOURCE_PORT, PORT = "ip.dst", "ip.src", "tcp.srcport", "tcp.dstport"
FIRST_LEVELS = (DESTINATION, SOURCE, SOURCE_PORT, PORT)  # the variables of the nodes at the top
OPEN_LEVEL, LAST_LEVEL = 1 << 20, 1 << 40  # of comparisons that are variables, and of no variable
MISSING_NUMBER = (-2, -2)  # such as a port of a packet that is not of TCP; only `ne` is true for it
ANY_NUMBER: Range = (-1, GREATEST)  # -1 is any below 0
FACTS = Expression.of(
    " and ".join(
        f'not ({name} xor ip.proto eq "{name}") and not ({name} xor ip.proto.num eq {number})'
        f" and not (icmp and {name})"
        for name, number in (("tcp", 6), ("udp", 17))
    )
)
OF_PROTOCOLS = ("tcp", "udp", "icmp", "ip.proto")
CIDR = re.compile(r"cidr(?:6|) \( (ip\.src|ip\.dst) , (?:([1-9]\d?) , )?([1-9]\d{0,2}) \)")
ADDRESSES = (SOURCE, DESTINATION)
ALL_TEXTS: Ranges = [(0, GREATEST)]  # texts are numbered from 1; 0 is any that no expression names
EITHER: Ranges = [(0, 1)]
Settled = Callable[[Comparison], object]
Lists = Mapping[str, Contents]
MOST_NAMED_TEXTS = 64  # of a field, for which a comparison that is a variable is decided


UP_TO_ANY: Ranges = [(0, 1 << 200)]  # ends behind every value
MINUS = "without"  # an operator of sets, beside and, or and xor


class DiagramNode(NamedTuple):
    """A node of a decision diagram. For the variable of its `level`, each of `parts` is the set
    that applies to the values from the start at the same place in `starts` on."""

    level: int
    starts: tuple[int, ...]
    parts: tuple[Set, ...]

    def part(self, value: int) -> Set:
        """The set that applies if the variable has this value."""
        return self.parts[max(bisect_right(self.starts, value) - 1, 0)]


class _PairedNodes(NamedTuple):
    """Two nodes that are being combined: `pairs` of their parts are still to be combined, and
    `parts` are the results so far."""

    key: tuple[Set, Set]
    level: int
    starts: tuple[int, ...]
    pairs: Iterator[tuple[Set, Set]]
    parts: list[Set]


class VariableBounds(NamedTuple):
    """The bounds of a set: the `values` to which it limits variables, by level, and the `levels` of
    all variables on which it depends."""

    values: Mapping[int, Ranges]
    levels: frozenset[int]


class Variable(NamedTuple):
    """The variable that the nodes of a level decide by: a field with addresses, numbers or texts,
    or a condition of which only the truth is known. `leaf` is the comparison that makes the
    condition, None if there is none."""

    name: Hashable
    kind: str
    leaf: Comparison | None = None

    @property
    def is_of_numbers(self) -> bool:
        """Return whether the values of the variable are numbers, including addresses as numbers."""
        return self.kind == OF_NUMBERS

    @property
    def is_of_texts(self) -> bool:
        """Return whether the values of the variable stand for texts."""
        return self.kind == OF_TEXTS

    @property
    def is_of_truth(self) -> bool:
        """Return whether the variable is a condition that is only known to be true or false."""
        return self.kind == OF_TRUTH

    @property
    def is_of_protocol(self) -> bool:
        """Return whether the variable is about the protocol of packets, or a field of one
        protocol."""
        name = self.leaf.field if self.leaf is not None else str(self.name)
        return name.startswith(OF_PROTOCOLS)


OF_NUMBERS, OF_TEXTS, OF_TRUTH = "numbers", "texts", "truth"  # kinds of variables
TruthOfText = Callable[[Comparison, str, str], object]  # of a leaf, for a field with this text


_Trail = Tuple[Any, ...]  # the level and values of a node, and the trail to it; empty at the start


class MatchedDestinations(NamedTuple):
    """The destinations for which `always` all traffic matches, and those for which `sometimes`
    traffic matches or may match."""

    always: Ranges
    sometimes: Ranges

    @staticmethod
    def of(expression: Expression) -> MatchedDestinations:
        """The destinations of the packets that an expression matches; raises Unread if the
        expression has an undocumented form."""
        return _matched(expression)


class Diagrams:
    """Sets of requests or packets as decision diagrams; methods raise Unread if there are too many
    pieces.

    `decide` returns True for a comparison that all of the traffic meets, False for one that none of
    it meets, and anything else for other comparisons. With `filters`, all packets are of TCP and
    have ports; otherwise packets may lack ports. `most` is the highest number of variables.
    `truth_of_text` decides comparisons for the texts that `name_texts` has read. `BEYOND` is higher
    than every value of a variable.
    """

    nothing, everything = EMPTY, WHOLE
    DESTINATION, SOURCE, SOURCE_PORT, PORT = FIRST_LEVELS
    BEYOND = UP_TO_ANY[-1][1]
    MOST_VARIABLES = 250
    MOST_STEPS = 500_000
    TOO_MANY = "too many to compare"  # of expressions, which cut the traffic into too many pieces

    def __init__(
        self,
        decide: Settled | None = None,
        filters: bool = False,
        most: int = MOST_VARIABLES,
        truth_of_text: TruthOfText | None = None,
    ) -> None:
        self._decide = decide
        self._truth_of_text = truth_of_text
        self._named_texts: dict[str, dict[str, None]] = {}
        self._leaves: dict[int, Comparison] = {}
        self._names: dict[int, Hashable] = {}  # of variables, by their levels
        self._firsts: dict[int, int] = {}  # the lowest values of variables, by their levels
        self._most_variables = most
        self._missing: Ranges = [] if filters else [MISSING_NUMBER]
        self._levels: dict[Hashable, int] = {name: at for at, name in enumerate(FIRST_LEVELS)}
        self._texts: dict[str, int] = {}
        self._of_protocols: list[tuple[Comparison, Set]] = []
        end = DiagramNode(LAST_LEVEL, (), ())
        self._nodes = [end, end]
        self._numbers: dict[tuple[int, tuple[int, ...], tuple[Set, ...]], Set] = {}  # by nodes
        self._combined: dict[str, dict[tuple[Set, Set], Set]] = {}  # by operators and pairs
        self._bounds: dict[Set, VariableBounds] = {EMPTY: VariableBounds({}, frozenset())}
        self._bounds[WHOLE] = self._bounds[EMPTY]
        self.steps = 0  # that were taken, at most MOST_STEPS

    def matching(self, expression: Expression, lists: Lists | None = None) -> Set:
        """The traffic that an expression matches. An expression that cannot be read becomes a
        variable, and so does a comparison with a list that `lists` does not contain."""
        if expression.problem or any(leaf.problem for leaf in expression.comparisons):
            return self.variable(expression.normalised)
        return self.of(expression.tree, lists)

    def of(self, tree: Tree, lists: Lists | None = None) -> Set:
        """The traffic that a tree matches; no comparison in the tree may have a problem."""
        if isinstance(tree, Constant):
            return WHOLE if tree.value else EMPTY
        if isinstance(tree, Negation):
            return self.without(WHOLE, self.of(tree.part, lists))
        if isinstance(tree, Combination):
            return self.combined(tree.operator, [self.of(part, lists) for part in tree.parts])
        tree = plainest(tree)
        truth = self._decide(tree) if self._decide else None
        if isinstance(truth, bool):
            return WHOLE if truth else EMPTY
        contents = _contents_of(tree, lists) if lists else None
        met = self._compared(tree) if contents is None else self._in_list(tree, contents)
        if tree.plain and tree.field.startswith(OF_PROTOCOLS):
            self._of_protocols.append((tree, met))
        return met

    def combined(self, operator: str, sets: Iterable[Set]) -> Set:
        """The sets combined by `and`, `or` or `xor`."""
        left = list(sets) or [WHOLE if operator == "and" else EMPTY]
        while len(left) > 1:
            odd = left[-1:] if len(left) % 2 else []
            left = [
                self._combined_two(operator, *pair) for pair in zip(left[::2], left[1::2])
            ] + odd
        return left[0]

    def without(self, traffic: Set, subtracted: Set) -> Set:
        """The traffic that is in the set `traffic` and not in the set `subtracted`."""
        return self._combined_two(MINUS, traffic, subtracted)

    def destinations(self, traffic: Set) -> MatchedDestinations:
        """The destinations for which all packets are in the set, and those for which some packets
        are."""
        possible = self.possible()
        unmatched_ones = self.values(self.without(possible, traffic), DESTINATION)
        sometimes = self.values(self.combined("and", [possible, traffic]), DESTINATION)
        return MatchedDestinations(complement(unmatched_ones), sometimes)

    def to(self, destinations: Ranges) -> Set:
        """The packets whose destination is among these addresses."""
        return self._within(DESTINATION, EVERYTHING, destinations)

    def possible(self) -> Set:
        """The packets that can exist, since their source and destination are of the same family."""
        both = [
            [self._within(name, EVERYTHING, [family]) for name in (SOURCE, DESTINATION)]
            for family in EVERYTHING
        ]
        return self.combined("or", [self.combined("and", addresses) for addresses in both])

    def facts(self) -> list[Set]:
        """Sets that contain all packets that can exist. Each set excludes packets whose protocol
        contradicts a comparison that was read, such as UDP packets with a TCP port."""
        concerned = [*self._of_protocols]
        facts = [self.matching(FACTS)] if concerned else []
        for leaf, met in concerned:
            protocol, dot, _field = leaf.field.partition(".")
            if dot and protocol != "ip":
                missing = met if leaf.operator == "ne" else self.without(WHOLE, met)
                facts.append(self.combined("or", [self.matching(Expression.of(protocol)), missing]))
        return facts

    def values(self, traffic: Set, name: str) -> Ranges:
        """The values that the field `name` has in a set of packets."""
        everything = FILTER_FIELDS[name]
        ranges = self.bounds(traffic).values.get(self._levels[name], everything)
        return [] if traffic == EMPTY else intersection(ranges, everything)

    def by_destination(self, packets: Set) -> list[tuple[Ranges, Set]]:
        """The packets by destination: ranges of destinations with equal packets, each with the set
        of these packets."""
        node = self._nodes[packets]
        if node.level != self._levels[DESTINATION]:
            return [(EVERYTHING, packets)] if packets != EMPTY else []
        groups: dict[Set, Ranges] = {}
        for piece, part in _pieces_of_node(node, EVERYTHING):
            groups.setdefault(part, []).append(piece)
        groups.pop(EMPTY, None)
        return [(intersection(union(pieces), EVERYTHING), part) for part, pieces in groups.items()]

    def part(self, packets: Set, destination: int) -> Set:
        """The packets of a set that go to one destination, as a set that is independent of the
        destination."""
        return self._from(FIRST_LEVELS.index(DESTINATION), packets).part(destination)

    def bounds(self, traffic: Set) -> VariableBounds:
        """The values to which a set limits variables, and the variables on which it depends."""
        waiting = [traffic]
        while waiting:
            parts = self._nodes[waiting[-1]].parts
            unknown = [part for part in parts if part not in self._bounds]
            if unknown:
                waiting += unknown
            else:
                known = waiting.pop()
                if known not in self._bounds:
                    self._bounds[known] = self._bounds_of(self._nodes[known])
        return self._bounds[traffic]

    def _bounds_of(self, node: DiagramNode) -> VariableBounds:
        """The bounds of a node, from the bounds of its parts, which must be known."""
        pieces = [(one, part) for one, part in _pieces_of_node(node, UP_TO_ANY) if part != EMPTY]
        parts = [self._bounds[part] for part in {part for _piece, part in pieces}]
        values = dict(parts[0].values)
        if len(parts) > 1:
            shared = set.intersection(*(set(one.values) for one in parts))
            unions = {name: union(chain(*(one.values[name] for one in parts))) for name in shared}
            values = {name: ranges for name, ranges in unions.items() if ranges != UP_TO_ANY}
        if EMPTY in node.parts:
            values[node.level] = union(piece for piece, _part in pieces)
        levels = frozenset([node.level]).union(*(one.levels for one in parts))
        return VariableBounds(values, levels)

    def is_larger(self, traffic: Set, most: int) -> bool:
        """Return whether the diagram of a set has more than `most` nodes."""
        seen, left = {traffic}, [traffic]
        while left and len(seen) <= most:
            node = self._nodes[left.pop()]
            parts = set(node.parts) - seen
            seen |= parts
            left += parts
        return len(seen) > most

    def sample(self, traffic: Set) -> dict[int, int]:
        """A sample of a set, as values of variables by level; traffic with these values is in the
        set."""
        values: dict[int, int] = {}
        while traffic not in (EMPTY, WHOLE):
            node = self._nodes[traffic]
            kept = [item for item in zip(node.starts, node.parts) if item[1] != EMPTY]
            values[node.level], traffic = kept[-1] if node.level < OPEN_LEVEL else kept[0]
        return values

    def holds(self, traffic: Set, sample: Mapping[int, int]) -> bool:
        """Return whether a sample is in a set. A variable without a value in the sample counts as
        its last value, or as false."""
        while traffic not in (EMPTY, WHOLE):
            level, starts, parts = self._nodes[traffic]
            value = sample.get(level)
            if value is None:
                value = GREATEST if level < OPEN_LEVEL else 0
                value = EVERYTHING[-1][1] if level < 2 else value
            traffic = parts[max(bisect_right(starts, value) - 1, 0)]
        return traffic == WHOLE

    def _compared(self, leaf: Comparison) -> Set:
        """The traffic that meets a comparison; if the comparison cannot be decided by values, it is
        a variable."""
        name, is_other = SAME_FIELD.get(leaf.field, leaf.field), leaf.operator == "ne"
        try:
            cidr = CIDR.fullmatch(name)
            if cidr or name in ADDRESSES:
                named = cidr[1] if cidr else name
                return self._within(named, EVERYTHING, _of_networks(leaf, cidr))
            if name in FILTER_FIELDS:
                everything = union([*self._missing, *FILTER_FIELDS[name]])
                ranges = values_of(leaf)
                ranges = [*self._missing, *ranges] if is_other else ranges
                return self._within(name, everything, ranges)
            texts = possible_texts(leaf)
            if texts == []:
                return WHOLE if is_other else EMPTY
            if leaf.plain and texts is not None and leaf.operator != "contains":
                named = self._with_texts(name, texts)
                return self.without(WHOLE, named) if is_other else named
            if leaf.plain and leaf.operator:
                first, last = RANGES.get(name, ANY_NUMBER)
                is_sure = name in RANGES and not name.startswith(("udp", "icmp"))
                missing = [] if is_sure else [MISSING_NUMBER]
                everything = union([*missing, (first, last)])
                ranges = [*(missing if is_other else ()), *numbers_of(leaf, first, last)]
                return self._within((name, "number"), everything, union(ranges))
        except Unread:
            pass  # it is decided by itself
        words = tuple(token.text for token in leaf.operands)
        return self.variable((name, leaf.operator, leaf.in_braces, words), leaf)

    def name_texts(self, expression: Expression) -> None:
        """Remember the texts to which an expression compares fields. This must happen before the
        traffic of any expression is computed."""
        for leaf in map(plainest, expression.comparisons):
            texts = possible_texts(leaf) if leaf.plain and not leaf.problem else None
            if texts and leaf.operator != "contains":
                field = SAME_FIELD.get(leaf.field, leaf.field)
                named = self._named_texts.setdefault(field, {})
                named.update(dict.fromkeys(texts[: max(MOST_NAMED_TEXTS - len(named), 0)]))

    def _in_list(self, leaf: Comparison, contents: Contents) -> Set:
        """The traffic whose field has a value that a list contains."""
        name = SAME_FIELD.get(leaf.field, leaf.field)
        if contents.numbers and name in RANGES:
            numbers = union((number, number) for number in contents.numbers)
            return self._within((name, "number"), [RANGES[name]], numbers)
        if name in ADDRESSES and (contents.ranges or not contents.size):
            return self._within(name, EVERYTHING, contents.ranges)
        if not contents.size:
            return EMPTY
        if contents.hostnames and contents.size <= MOST_NAMED_TEXTS and leaf.plain:
            return self.combined("or", [self._of_hostname(name, one) for one in contents.written()])
        return self.variable((name, "in", tuple(contents.written())))

    def _of_hostname(self, field: str, hostname: str) -> Set:
        """The requests to a hostname, which may begin with a wildcard."""
        operator = "wildcard" if hostname.startswith("*") else "eq"
        return self.matching(Expression.of(f'{field} {operator} "{hostname}"'))

    def variable(self, name: Hashable, leaf: Comparison | None = None) -> Set:
        """The traffic that meets a condition of which only the name is known. If `leaf` is given,
        `truth_of_text` may decide it for some texts of its field."""
        level = self._levels.get(name, OPEN_LEVEL + len(self._levels))
        met = self._within(name, EITHER, [(1, 1)], level)
        if leaf is None:
            return met
        self._leaves[level] = leaf
        if not self._truth_of_text:
            return met
        return self._decided_for_texts(leaf, met)

    def _decided_for_texts(self, leaf: Comparison, met: Set) -> Set:
        """The traffic that meets the comparison `leaf`: decided by `truth_of_text` for texts that
        expressions name, and `met` for all other texts."""
        fields = [name for name in leaf.names if name in self._named_texts]
        if len(fields) != 1:
            return met
        (field,) = fields
        level = self._level_of_texts(field)
        parts: dict[int, Set] = {0: met}
        for text in self._named_texts[field]:
            truth = self._truth_of_text(leaf, field, text) if self._truth_of_text else None
            if isinstance(truth, bool):
                number = self._number_of_text(text)
                parts[number] = WHOLE if truth else EMPTY
                parts.setdefault(number + 1, met)
        return self._number_of_parts(level, dict(sorted(parts.items())))

    def _level_of_texts(self, field: str) -> int:
        level = self._levels.setdefault((field, "text"), len(self._levels))
        self._firsts[level] = ALL_TEXTS[0][0]
        return level

    def _number_of_text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts) + 1)

    def _with_texts(self, field: str, texts: Iterable[str]) -> Set:
        """The traffic whose field has one of these texts."""
        numbers = [*map(self._number_of_text, texts)]
        return self._within((field, "text"), ALL_TEXTS, union(zip(numbers, numbers)))

    @staticmethod
    def level_of(field: str) -> int:
        """The level of a field that has the same level in all diagrams, such as SOURCE."""
        return FIRST_LEVELS.index(field)

    def variable_of(self, level: int) -> Variable:
        """The variable that the nodes of a level decide by."""
        if len(self._names) < len(self._levels):
            self._names = {known: name for name, known in self._levels.items()}
        name = self._names[level]
        if level >= OPEN_LEVEL:
            return Variable(name, OF_TRUTH, self._leaves.get(level))
        if isinstance(name, tuple):
            return Variable(name[0], OF_TEXTS if name[1] == "text" else OF_NUMBERS)
        return Variable(name, OF_NUMBERS)

    def text_numbered(self, number: int) -> str:
        """The text with a number, with the quotes of expressions; empty if no expression names a
        text with this number."""
        return next((text for text, known in self._texts.items() if known == number), "")

    def number_of_named(self, text: str) -> int | None:
        """The number of a text; None if no expression compares a field to it."""
        return self._texts.get(f'"{text}"')

    def paths(self, traffic: Set) -> Iterator[dict[int, Ranges]]:
        """The pieces of some traffic, each as the values that the variables may have in it, by
        level."""
        waiting: list[tuple[Set, _Trail]] = [(traffic, ())]
        while waiting:
            reached, trail = waiting.pop()
            if reached == WHOLE:
                yield dict(_values_on(trail))
                continue
            node = self._nodes[reached]
            pieces: dict[Set, Ranges] = {}
            for piece, part in _pieces_of_node(node, UP_TO_ANY):
                pieces.setdefault(part, []).append(piece)
            pieces.pop(EMPTY, None)
            for part, ranges in reversed([*pieces.items()]):
                waiting.append((part, (node.level, ranges, trail)))

    def box(self, values: Mapping[int, Ranges]) -> Set:
        """The traffic whose variables have these values, given by level."""
        sets = [
            self._number_of_parts(level, _steps_of(ranges, self._firsts[level]))
            for level, ranges in values.items()
        ]
        return self.combined("and", sets)

    def _within(
        self, name: Hashable, everything: Ranges, ranges: Ranges, level: int | None = None
    ) -> Set:
        """The traffic in which a variable has one of the values in `ranges`; `everything` are all
        of its values. Raises Unread if there are too many variables."""
        level = self._levels.setdefault(name, len(self._levels) if level is None else level)
        if len(self._levels) > self._most_variables:
            raise Unread(self.TOO_MANY)
        self._firsts[level] = everything[0][0]
        ends = {last: first for (_first, last), (first, _last) in zip(everything, everything[1:])}
        parts = {everything[0][0]: EMPTY}
        for first, last in ranges:
            parts[first] = WHOLE
            parts[ends.get(last, last + 1)] = EMPTY
        parts.pop(everything[-1][1] + 1, None)
        return self._number_of_parts(level, parts)

    def _combined_two(self, operator: str, one: Set, other: Set) -> Set:
        """The combination of two sets by an operator; raises Unread after too many steps. Nodes
        with incomplete parts wait in a list, since Python limits the depth of calls."""
        at_once = _combined_at_once(operator, one, other)
        known = self._combined.setdefault(operator, {})
        made = at_once if at_once is not None else known.get((one, other))
        waiting = [] if made is not None else [self._paired(one, other)]
        while waiting:
            paired = waiting[-1]
            for pair in paired.pairs:
                left, right = pair
                made = None
                if left <= WHOLE or right <= WHOLE or left == right:
                    made = _combined_at_once(operator, left, right)
                if made is None:
                    made = known.get(pair)
                if made is None:
                    waiting.append(self._paired(left, right))
                    break
                paired.parts.append(made)
            else:
                waiting.pop()
                made = self._number(paired.level, paired.starts, tuple(paired.parts))
                known[paired.key] = made
                if operator != MINUS:
                    known[paired.key[::-1]] = made
                if waiting:
                    waiting[-1].parts.append(made)
        return EMPTY if made is None else made

    def _paired(self, one: Set, other: Set) -> _PairedNodes:
        """The parts of two nodes, paired by the values of the first variable of either, and still
        to be combined; raises Unread after too many steps."""
        left, right = self._nodes[one], self._nodes[other]
        pairs: Iterator[tuple[Set, Set]]
        if left.level < right.level:
            starts = left.starts
            pairs = zip(left.parts, repeat(other))
        elif right.level < left.level:
            starts = right.starts
            pairs = zip(repeat(one), right.parts)
        elif left.starts == right.starts:
            starts = left.starts
            pairs = zip(left.parts, right.parts)
        else:
            starts = tuple(sorted({*left.starts, *right.starts}))
            pairs = zip(_spread(left, starts), _spread(right, starts))
        self.steps += len(starts)
        if self.steps > self.MOST_STEPS:
            raise Unread(self.TOO_MANY)
        level = min(left.level, right.level)
        return _PairedNodes((one, other), level, starts, pairs, [])

    def _from(self, level: int, traffic: Set) -> DiagramNode:
        """The set as a node of `level`, which is at or above the set's own level."""
        node = self._nodes[traffic]
        return node if node.level == level else DiagramNode(level, (), (traffic,))

    def _number(self, level: int, starts: tuple[int, ...], parts: tuple[Set, ...]) -> Set:
        """The set that has these parts, each for the values from the start at its place on."""
        kept = [at for at, part in enumerate(parts) if not at or part != parts[at - 1]]
        if len(kept) == 1:
            return parts[0]
        if len(kept) < len(parts):
            starts, parts = tuple(starts[at] for at in kept), tuple(parts[at] for at in kept)
        number = self._numbers.get((level, starts, parts))
        if number is None:
            number = len(self._nodes)
            node = DiagramNode(level, starts, parts)
            self._numbers[node] = number
            self._nodes.append(node)
        return number

    def _number_of_parts(self, level: int, parts: Mapping[int, Set]) -> Set:
        """The set that has these parts, each for the values from its key on."""
        return self._number(level, tuple(parts), tuple(parts.values()))


def _spread(node: DiagramNode, starts: Iterable[int]) -> Iterator[Set]:
    """The part of a node that applies from each of `starts` on; these must include the starts of
    the node."""
    ends, place = (*node.starts[1:], inf), 0
    for start in starts:
        if start >= ends[place]:
            place += 1
        yield node.parts[place]


def _combined_at_once(operator: str, one: Set, other: Set) -> Set | None:
    """The combination of two sets if it follows without their parts; otherwise None."""
    if operator == MINUS:
        if one == EMPTY or other in (one, WHOLE):
            return EMPTY
        return one if other == EMPTY else None
    if one == other:
        return EMPTY if operator == "xor" else one
    neutral = WHOLE if operator == "and" else EMPTY
    if neutral in (one, other):
        return other if one == neutral else one
    if operator != "xor" and 1 - neutral in (one, other):
        return 1 - neutral
    return None


def _values_on(trail: _Trail) -> Iterator[tuple[int, Ranges]]:
    """The values of the variables on a trail, each with its level."""
    while trail:
        level, ranges, trail = trail
        yield level, ranges


def _pieces_of_node(node: DiagramNode, everything: Ranges) -> Iterable[tuple[tuple[int, int], Set]]:
    ends = [*(start - 1 for start in node.starts[1:]), everything[-1][1]]
    return zip(zip(node.starts, ends), node.parts)


def _steps_of(ranges: Ranges, lowest: int) -> dict[int, Set]:
    """The parts of a node that contains exactly the values of `ranges`, by start; `lowest` is the
    first value."""
    parts = {lowest: EMPTY}
    for first, last in ranges:
        parts[first] = WHOLE
        parts[last + 1] = EMPTY
    parts.pop(UP_TO_ANY[-1][1] + 1, None)
    return parts


def _contents_of(leaf: Comparison, lists: Lists) -> Contents | None:
    """The contents of the list that a comparison names; None if it names no list, or `lists` does
    not contain it."""
    if leaf.operator != "in" or leaf.in_braces or not leaf.operands:
        return None
    text = leaf.operands[0].text
    return lists.get(text[1:]) if text.startswith("$") else None


def _of_networks(leaf: Comparison, cidr: re.Match[str] | None) -> Ranges:
    """The addresses that meet a comparison. If the comparison is of `cidr()`, these are the
    addresses whose networks of that length meet it."""
    addresses = met_addresses(leaf)
    if not cidr:
        return addresses
    networks: Ranges = []
    for (start, end), bits, length in zip(EVERYTHING, (32, 128), (cidr[2] or 32, cidr[3])):
        if int(length) > bits:
            raise Unread(f"no network has the length {length}", at=leaf.start)
        size = 1 << (bits - int(length))
        for first, last in intersection(addresses, [(start, end)]):
            low, high = ((number - start) // size * size for number in (first + size - 1, last))
            networks += [(start + low, start + high + size - 1)] if low <= high else []
    return union(networks)


Flows = List[Tuple[Ranges, Ranges]]  # destinations, and the sources of some traffic to them


def unmatched(
    expression: Expression, condition: Expression | None = None, decide: Settled | None = None
) -> Flows:
    """The traffic that is not proven to match an expression, limited to traffic that meets
    `condition` (None: any). `decide` is that of Diagrams."""
    diagrams = Diagrams(decide)
    try:
        every = [diagrams.possible(), diagrams.matching(condition) if condition else WHOLE]
        match = diagrams.matching(expression)
        rest = diagrams.without(diagrams.combined("and", [*every, *diagrams.facts()]), match)
        return [(to, diagrams.values(one, SOURCE)) for to, one in diagrams.by_destination(rest)]
    except Unread:
        return [(EVERYTHING, EVERYTHING)]


@lru_cache(maxsize=4096)
def matches_every_request(expression: Expression) -> bool:
    """Return whether it is proven that an expression matches every request or packet."""
    return not unmatched(expression)


SOME = MatchedDestinations([], EVERYTHING)


@lru_cache(maxsize=4096)
def _matched(expression: Expression) -> MatchedDestinations:
    try:
        for leaf in expression.comparisons:
            values_of(leaf)
    except Unread as exc:
        raise Unread(f"{exc} ({place_in_words(expression.text, exc.at)})", at=exc.at) from exc
    diagrams = Diagrams(filters=True)
    try:
        return diagrams.destinations(diagrams.of(expression.tree))
    except Unread:
        return SOME

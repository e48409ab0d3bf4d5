# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One component, for example SYN flood protection: the modes that destinations meet, and the
traffic that it mitigates in one state and not in another. Any such difference is a `Loss`.

A filter that matches decides: enabled filters are asked first, then monitoring ones, then disabled
ones. If none matches, the most specific rule decides, and if there is no rule, the component
is off. The comparison of two states is exact: each filter becomes the set of the packets that it
matches. A part of an expression that is not understood matches the same packets before and after.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, FrozenSet, Iterable, Mapping, NamedTuple, Sequence, Tuple, TypedDict

from .._expressions.expression import Expression
from .._expressions.solve import MatchedDestinations
from .._schema.account import COMPONENTS, MODES, filters_of
from .._schema.resource import NO_ITEMS, Key, Object, Resource
from .._text import first_few
from .._values.address_set import Range, Ranges, counted, difference, intersection, networks, union

OFF = "off"  # there is neither a filter nor a rule
UNDECIDED = "undecided"
GLOBAL, REGION, DATA_CENTER = "global", "region", "datacenter"  # scopes of rules
MODES_IN_ORDER = (*MODES, OFF, UNDECIDED)
IN_TURN = (UNDECIDED, *MODES)  # of filters; one whose mode is not known may be the first
# Of an account: what becomes of its addresses and rules.
SWITCHED_OFF, UNPROTECTED, PASSING = "switched off", "unprotected", "passing"
UNMITIGATED = "unmitigated"
LESS = LESS_SENSITIVE, LESS_SENSITIVE_MONITOR = "less sensitive", "less sensitive while it monitors"

Modes = FrozenSet[str]
Piece = Tuple[Ranges, Modes]
RulePlace = Tuple[str, str]  # the scope of a rule, and its place in lower case


class Loss(NamedTuple):
    """Protection that one state has and another state lacks, by the object with this key and label.

    `reason` is a sentence without its subject; `certain` is false if the loss is not proven. `how`
    is the kind of the loss, such as `removed`. `ranges` are the addresses concerned.
    `deciding_before` are keys and labels of objects that decided before, if they are known.
    """

    resource: Resource
    key: Key
    label: str
    reason: str
    certain: bool = True
    how: str = ""
    ranges: Sequence[Range] = ()
    deciding_before: Sequence[tuple[Key, str]] = ()

    def record(self) -> dict[str, Any]:
        """The loss as results show it."""
        return {
            "resource": self.resource.name,
            "key": self.label,
            "certain": self.certain,
            "reason": self.reason,
        }


def ranges_of_losses(losses: Iterable[Loss], how: str = "") -> Ranges:
    """The addresses that losses are about; of losses of the kind `how` only, if it is given."""
    ranges: list[Range] = []
    for loss in losses:
        if how in ("", loss.how):
            ranges += loss.ranges
    return union(ranges)


def loss_by(resource: Resource, obj: Object, reason: str, certain: bool = True) -> Loss:
    """The loss that an object of a state causes."""
    return Loss(resource, resource.key_of(obj), resource.label_of(obj), reason, certain)


class Decider(TypedDict):
    """A filter or rule that decides about traffic: `decided_by` is its name, None if no object
    decides; `traffic` is `all` if it decides about all of the traffic, else `some`."""

    mode: str
    decided_by: str | None
    traffic: str


class Filter(NamedTuple):
    """A filter with its mode and the destinations that it matches. If one of these is not
    understood, `mode` is `undecided`; `own_mode` remains the mode that Cloudflare shows, if it is
    known."""

    expression: Expression
    mode: str
    matches: MatchedDestinations
    own_mode: str


class Rule(NamedTuple):
    """A rule for a scope: `global`, or the region or data center named in `place`. `levels` are its
    sensitivities, by field."""

    scope: str
    place: str
    mode: str
    levels: Mapping[str, str] = NO_ITEMS

    @property
    def everywhere(self) -> bool:
        """Return whether the rule is for all traffic."""
        return self.scope == GLOBAL

    @property
    def label(self) -> str:
        """The scope and, unless it is global, the name of the place."""
        return f"{self.scope} {self.place}" if self.place else self.scope

    @property
    def key(self) -> RulePlace:
        """The scope and the place; rules with equal keys decide about the same traffic."""
        return self.scope, self.place.casefold()


class Component(NamedTuple):
    """The filters and rules of one component; `undecided` contains a sentence on each one that is
    not understood."""

    kind: str
    filters: Sequence[Filter]
    rules: Sequence[Rule]
    undecided: Sequence[str]

    @property
    def title(self) -> str:
        """The name of the component in sentences."""
        return COMPONENTS[self.kind].title

    @property
    def is_switched(self) -> bool:
        """Return whether the component does nothing while TCP protection is off."""
        return COMPONENTS[self.kind].is_switched

    @property
    def deciding_kinds(self) -> Sequence[str]:
        """The kinds of objects that decide for the component: `rule`, and `filter` if it has
        filters."""
        return ("rule", "filter") if filters_of(self.kind) else ("rule",)

    @property
    def rule_modes(self) -> Modes:
        """All modes that traffic may meet by the rules, if no filter matches it."""
        everywhere = frozenset(rule.mode for rule in self.rules if rule.everywhere)
        return (everywhere or frozenset([OFF])) | frozenset(rule.mode for rule in self.rules)

    def pieces(self, space: Ranges) -> list[Piece]:
        """The addresses of `space`, divided into pieces; each piece has all modes that some of its
        traffic may meet."""
        open_pieces: list[Piece] = [(space, frozenset())]
        closed: list[Piece] = []
        for mode in IN_TURN:
            always, sometimes = self._matched_in(mode)
            next_pieces: list[Piece] = []
            for ranges, modes in open_pieces:
                closed.append((intersection(ranges, always), modes | {mode}))
                open_ranges = difference(ranges, always)
                next_pieces.append((intersection(open_ranges, sometimes), modes | {mode}))
                next_pieces.append((difference(open_ranges, sometimes), modes))
            open_pieces = [piece for piece in next_pieces if piece[0]]
        for ranges, modes in open_pieces:
            closed.append((ranges, modes | self.rule_modes))
        return gathered(closed)

    def _matched_in(self, mode: str) -> MatchedDestinations:
        """The destinations that the filters of a mode match; filters whose mode is not known match
        none for certain."""
        always: list[Range] = []
        sometimes: list[Range] = []
        for candidate in self.filters:
            if candidate.mode == mode:
                sometimes += candidate.matches.sometimes
                if mode != UNDECIDED:
                    always += candidate.matches.always
        return MatchedDestinations(union(always), union(sometimes))

    def deciders(self, network: Range) -> list[Decider]:
        """The objects that decide about traffic to `network`, in the order of precedence. The last
        one decides about all traffic that is left.

        A rule for one region or data center decides about some of the traffic.
        """
        deciders: list[Decider] = []
        for mode in IN_TURN:
            for candidate in self.filters:
                if candidate.mode != mode:
                    continue
                matches = candidate.matches
                always = matches.always if mode != UNDECIDED else []
                is_whole = intersection([network], always) == [network]
                if is_whole or intersection([network], matches.sometimes):
                    decided_by = f"filter {candidate.expression.text}"
                    deciders.append(_decider(mode, is_whole, decided_by))
                if is_whole:
                    return deciders
        for rule in sorted(self.rules, key=lambda rule: rule.everywhere):
            deciders.append(_decider(rule.mode, rule.everywhere, f"rule {rule.label}"))
        if not any(rule.everywhere for rule in self.rules):
            deciders.append(_decider(OFF, True))
        return deciders


def _decider(mode: str, is_whole: bool, decided_by: str | None = None) -> Decider:
    return Decider(mode=mode, decided_by=decided_by, traffic="all" if is_whole else "some")


def gathered(pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces, with those of equal modes joined into one, the best protected first."""
    by_modes: dict[Modes, Ranges] = {}
    for ranges, modes in pieces:
        if ranges:
            by_modes.setdefault(modes, []).extend(ranges)
    return [(union(by_modes[modes]), modes) for modes in sorted(by_modes, key=in_order)]


def union_of_modes(sets: Iterable[Modes]) -> Modes:
    """All modes that are in at least one of the sets."""
    return frozenset(chain(*sets))


def in_order(modes: Modes) -> list[str]:
    """The modes in a fixed order, from enabled to off."""
    return sorted(modes, key=MODES_IN_ORDER.index)


def counted_networks(ranges: Ranges) -> str:
    """The number of addresses, and the first few networks, in words."""
    return f"{counted(ranges)} ({first_few(networks(ranges))})"

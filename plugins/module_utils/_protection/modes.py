# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How one component, for example SYN flood protection, treats destinations.

A filter that matches decides: enabled filters are asked first, then monitoring ones, then disabled
ones. If none matches, the most specific rule decides, and if there is no rule, the component
is off.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import FrozenSet, Iterable, Mapping, Sequence, Tuple, TypedDict

from .._expressions.solve import Matches, Undecided, matched
from .._schema.account import COMPONENTS, MODES, filters_of, rules_of
from .._schema.resource import Object
from .._text import excerpt
from .._values.address_set import EVERYTHING, Range, Ranges, difference, intersection, union
from .._values.kinds import CODE

OFF = "off"  # there is neither a filter nor a rule
UNDECIDED = "undecided"
GLOBAL, REGION, DATA_CENTER = "global", "region", "datacenter"  # scopes of rules
WORDS = (*MODES, OFF, UNDECIDED)

Modes = FrozenSet[str]
Piece = Tuple[Ranges, Modes]
Place = Tuple[str, str]  # the scope of a rule, and its place in lower case


class Decider(TypedDict):
    """What decides for some traffic: a filter, a rule or (None) nothing; `traffic` is `all` or
    `some` of it."""

    mode: str
    decided_by: str | None
    traffic: str


@dataclass(frozen=True)
class Filter:
    """A filter as it decides: its mode, and what it matches; where that is not understood, the mode
    is `undecided`, and `own_mode` the one that Cloudflare shows."""

    expression: str
    mode: str
    matches: Matches
    own_mode: str


@dataclass(frozen=True)
class Rule:
    """A rule for a scope: for `global`, or for the region or data center that is its `place`."""

    scope: str
    place: str
    mode: str

    @property
    def everywhere(self) -> bool:
        """Whether it is the rule for all traffic."""
        return self.scope == GLOBAL

    @property
    def label(self) -> str:
        """The scope, with the name of the place."""
        return f"{self.scope} {self.place}" if self.place else self.scope

    @property
    def key(self) -> Place:
        """Scope and place; rules that have both in common decide on the same traffic."""
        return self.scope, self.place.casefold()


@dataclass(frozen=True)
class Component:
    """What decides for one component, and what of that is not understood."""

    kind: str
    filters: Sequence[Filter]
    rules: Sequence[Rule]
    undecided: Sequence[str]

    @property
    def title(self) -> str:
        """The name in sentences."""
        return COMPONENTS[self.kind].title

    @property
    def is_switched(self) -> bool:
        """Whether it does nothing while the status is off."""
        return COMPONENTS[self.kind].is_switched

    @property
    def what_decides(self) -> str:
        """What decides for it, in sentences."""
        return "rule or filter" if filters_of(self.kind) else "rule"

    @property
    def rule_modes(self) -> Modes:
        """The modes that rules give to what no filter matches, one or more."""
        everywhere = frozenset(rule.mode for rule in self.rules if rule.everywhere)
        return (everywhere or frozenset([OFF])) | frozenset(rule.mode for rule in self.rules)

    def pieces(self, space: Ranges) -> list[Piece]:
        """The space cut into pieces, each with all modes that some of its traffic may meet
        somewhere."""
        open_pieces: list[Piece] = [(space, frozenset())]
        closed: list[Piece] = []
        for mode in (UNDECIDED, *MODES):
            always = [] if mode == UNDECIDED else self._union(mode, "always")
            sometimes = self._union(mode, "sometimes")
            next_pieces: list[Piece] = []
            for ranges, modes in open_pieces:
                closed.append((intersection(ranges, always), modes | {mode}))
                rest = difference(ranges, always)
                next_pieces.append((intersection(rest, sometimes), modes | {mode}))
                next_pieces.append((difference(rest, sometimes), modes))
            open_pieces = [piece for piece in next_pieces if piece[0]]
        return gathered(
            closed + [(ranges, modes | self.rule_modes) for ranges, modes in open_pieces]
        )

    def _union(self, mode: str, part: str) -> Ranges:
        return union(
            item
            for filter_ in self.filters
            if filter_.mode == mode
            for item in getattr(filter_.matches, part)
        )

    def deciders(self, network: Range) -> list[Decider]:
        """What decides for a network, in the order of precedence; the list ends with the first that
        takes all traffic.

        A rule for one region or data center takes some of the traffic.
        """
        deciders: list[Decider] = []
        for mode in (UNDECIDED, *MODES):
            for item in (filter_ for filter_ in self.filters if filter_.mode == mode):
                whole = mode != UNDECIDED and intersection([network], item.matches.always) == [
                    network
                ]
                if whole or intersection([network], item.matches.sometimes):
                    deciders.append(
                        _decider(mode, "all" if whole else "some", "filter", item.expression)
                    )
                if whole:
                    return deciders
        everywhere = [
            _decider(rule.mode, "all", "rule", rule.label) for rule in self.rules if rule.everywhere
        ]
        elsewhere = [
            _decider(rule.mode, "some", "rule", rule.label)
            for rule in self.rules
            if not rule.everywhere
        ]
        return deciders + elsewhere + (everywhere or [_decider(OFF, "all")])


def _decider(mode: str, traffic: str, kind: str | None = None, name: str | None = None) -> Decider:
    by = None if kind is None else f"{kind} {name}"
    return Decider(mode=mode, decided_by=by, traffic=traffic)


def gathered(pieces: Iterable[Piece]) -> list[Piece]:
    """Pieces with the same modes as one, the best protected first."""
    by_modes: dict[Modes, Ranges] = {}
    for ranges, modes in pieces:
        if ranges:
            by_modes.setdefault(modes, []).extend(ranges)
    return [
        (union(ranges), modes)
        for modes, ranges in sorted(by_modes.items(), key=lambda item: in_order(item[0]))
    ]


def union_of_modes(several: Iterable[Modes]) -> Modes:
    """Every mode that one of several sets holds."""
    return frozenset(mode for modes in several for mode in modes)


def in_order(modes: Modes) -> list[str]:
    """Modes from enabled to off, and whether any is undecided."""
    return sorted(modes, key=WORDS.index)


def component(kind: str, state: Mapping[str, Sequence[Object]]) -> Component:
    """A component as an account's state has it; where its rules or filters are not known, neither
    are its modes."""
    title, lists = COMPONENTS[kind].title, {"rules": rules_of(kind), "filters": filters_of(kind)}
    objects = {name: state.get(resource.plural) for name, resource in lists.items() if resource}
    problems: list[str] = []
    read_filters = [_filter(item, title, problems) for item in objects.get("filters") or []]
    read_rules = [_read_rule(item, title, problems) for item in objects["rules"] or []]
    read_rules.extend(_contradictions(read_rules, title, problems))
    unknown = [name for name, listed in objects.items() if listed is None]
    if unknown:
        problems.append(f"The {' and '.join(unknown)} of {title} are not known.")
        read_filters.append(Filter("", UNDECIDED, Matches([], EVERYTHING), UNDECIDED))
    return Component(kind, read_filters, read_rules, problems)


def components(state: Mapping[str, Sequence[Object]]) -> list[Component]:
    """The components of an account; without those that are read on demand, where they were not
    read."""
    rules = {kind: rules_of(kind) for kind in COMPONENTS}
    return [
        component(kind, state)
        for kind, resource in rules.items()
        if not resource.on_demand or state.get(resource.plural) is not None
    ]


def _read_mode(obj: Object, what: str, problems: list[str]) -> str:
    mode = str(CODE.normalise(obj.get("mode")))
    if mode in MODES:
        return mode
    problems.append(f"The mode {obj.get('mode')!r} of {what} is not known.")
    return UNDECIDED


def _filter(obj: Object, title: str, problems: list[str]) -> Filter:
    expression = str(obj.get("expression") or "")
    what = f"the filter '{excerpt(expression)}' of {title}"
    mode = _read_mode(obj, what, problems)
    try:
        return Filter(expression, mode, matched(expression), mode)
    except Undecided as exc:
        problems.append(f"What {what} matches is not known: {exc}.")
        return Filter(expression, UNDECIDED, Matches([], EVERYTHING), mode)


def _read_rule(obj: Object, title: str, problems: list[str]) -> Rule:
    scope = str(CODE.normalise(obj.get("scope")))
    rule = Rule(scope, "" if scope == GLOBAL else str(obj.get("name")), "")
    mode = _read_mode(obj, f"the rule {rule.label} of {title}", problems)
    if scope not in (GLOBAL, REGION, DATA_CENTER):
        problems.append(f"The scope {obj.get('scope')!r} of a rule of {title} is not known.")
        mode = UNDECIDED
    return replace(rule, mode=mode)


def _contradictions(rules: Sequence[Rule], title: str, problems: list[str]) -> list[Rule]:
    """If two rules for one place have different modes, it is not known which of them counts."""
    first = {rule.key: rule.mode for rule in reversed(rules)}
    keys = dict.fromkeys(rule.key for rule in rules if rule.mode != first[rule.key])
    contradictory = [Rule(scope, place, UNDECIDED) for scope, place in keys]
    problems.extend(
        f"Two rules {rule.label} of {title} have different modes." for rule in contradictory
    )
    return contradictory

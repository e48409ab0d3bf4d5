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

from itertools import chain, product
from typing import (
    AbstractSet,
    Any,
    FrozenSet,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
    Tuple,
    TypedDict,
)

from .._expressions.expression import Expression
from .._expressions.solve import PORT, SOURCE, SOURCE_PORT, Diagrams, Matches, Set, matched
from .._schema.account import (
    COMPONENTS,
    DISABLED,
    ENABLED,
    LEVELS_OF_PROFILES,
    MODES,
    MONITORING,
    filters_of,
    levels_of_rule,
    rules_of,
)
from .._schema.resource import NO_ITEMS, Key, Object, Resource
from .._text import Unread, excerpt, first_few
from .._values.address_set import (
    EVERYTHING,
    Range,
    Ranges,
    count,
    counted,
    difference,
    intersection,
    networks,
    union,
)
from .._values.kinds import CODE

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
Place = Tuple[str, str]  # the scope of a rule, and its place in lower case


class Loss(NamedTuple):
    """Protection that one state has and another one lacks, by the object with this key and label.

    `reason` is a sentence without its subject; `certain` is false if the loss is not proven. `how`
    says what becomes of a rule that stops traffic, or of an override. `ranges` are the addresses
    concerned, and `others` the objects that decided before, as far as they are told.
    """

    resource: Resource
    key: Key
    label: str
    reason: str
    certain: bool = True
    how: str = ""
    ranges: Sequence[Range] = ()
    others: Sequence[tuple[Key, str]] = ()

    def record(self) -> dict[str, Any]:
        """The loss as results show it."""
        named = {"resource": self.resource.name, "key": self.label}
        return {**named, "certain": self.certain, "reason": self.reason}


def ranges_of_losses(losses: Iterable[Loss], how: str = "") -> Ranges:
    """The addresses of losses, of one kind if it is told."""
    return union(item for loss in losses if how in ("", loss.how) for item in loss.ranges)


def loss_by(resource: Resource, obj: Object, reason: str, certain: bool = True) -> Loss:
    """The loss by an object of a state."""
    return Loss(resource, resource.key_of(obj), resource.label_of(obj), reason, certain)


class Decider(TypedDict):
    """The filter or rule that decides for some traffic, None for nothing; `traffic` is `all` or
    `some` of it."""

    mode: str
    decided_by: str | None
    traffic: str


class Filter(NamedTuple):
    """A filter as it decides: its mode, and what it matches; where that is not understood, the mode
    is `undecided`, and `own_mode` the one that Cloudflare shows."""

    expression: Expression
    mode: str
    matches: Matches
    own_mode: str


class Rule(NamedTuple):
    """A rule for a scope: for `global`, or for the region or data center that is its `place`; its
    `levels` are the sensitivities by field."""

    scope: str
    place: str
    mode: str
    levels: Mapping[str, str] = NO_ITEMS

    @property
    def everywhere(self) -> bool:
        """True for the rule for all traffic."""
        return self.scope == GLOBAL

    @property
    def label(self) -> str:
        """The scope, with the name of the place."""
        return f"{self.scope} {self.place}" if self.place else self.scope

    @property
    def key(self) -> Place:
        """Scope and place; rules that have both in common decide on the same traffic."""
        return self.scope, self.place.casefold()


class Component(NamedTuple):
    """The filters and rules of one component; `undecided` has a sentence on each that is not
    understood."""

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
        """True if it does nothing while the status is off."""
        return COMPONENTS[self.kind].is_switched

    @property
    def what_decides(self) -> str:
        """The kinds of objects that decide for it, in sentences."""
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
        for mode in IN_TURN:
            matches = [item.matches for item in self.filters if item.mode == mode]
            certain = matches if mode != UNDECIDED else []
            always = union(ranges for one in certain for ranges in one.always)
            sometimes = union(ranges for one in matches for ranges in one.sometimes)
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

    def deciders(self, network: Range) -> list[Decider]:
        """The deciders for a network, in the order of precedence; the list ends with the first that
        takes all traffic.

        A rule for one region or data center takes some of the traffic.
        """
        deciders: list[Decider] = []
        for mode in IN_TURN:
            for item in (filter_ for filter_ in self.filters if filter_.mode == mode):
                always = item.matches.always if mode != UNDECIDED else []
                whole = intersection([network], always) == [network]
                if whole or intersection([network], item.matches.sometimes):
                    deciders.append(_decider(mode, whole, f"filter {item.expression.text}"))
                if whole:
                    return deciders
        for rule in sorted(self.rules, key=lambda rule: rule.everywhere):
            deciders.append(_decider(rule.mode, rule.everywhere, f"rule {rule.label}"))
        if not any(rule.everywhere for rule in self.rules):
            deciders.append(_decider(OFF, True))
        return deciders


def _decider(mode: str, whole: bool, decided_by: str | None = None) -> Decider:
    return Decider(mode=mode, decided_by=decided_by, traffic="all" if whole else "some")


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
    return sorted(modes, key=MODES_IN_ORDER.index)


def component(kind: str, state: Mapping[str, Sequence[Object]]) -> Component:
    """A component as an account's state has it; where its rules or filters are not known, neither
    are its modes."""
    title, lists = COMPONENTS[kind].title, {"rules": rules_of(kind), "filters": filters_of(kind)}
    objects = {name: state.get(resource.plural) for name, resource in lists.items() if resource}
    problems: list[str] = []
    read_filters = [_filter(item, title, problems) for item in objects.get("filters") or []]
    read_rules = [_read_rule(item, kind, problems) for item in objects["rules"] or []]
    read_rules.extend(_contradictions(read_rules, title, problems))
    unknown = [name for name, listed in objects.items() if listed is None]
    if unknown:
        problems.append(f"The {' and '.join(unknown)} of {title} are not known.")
        read_filters.append(
            Filter(Expression.of(""), UNDECIDED, Matches([], EVERYTHING), UNDECIDED)
        )
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


def watching(
    state: Mapping[str, Sequence[Object]], resource: Resource, key: Key | None = None
) -> Component:
    """The component of a resource as if all that monitors mitigated too; with a key, as if only
    this object of the resource did."""

    def watched(item: Resource, obj: Object) -> Object:
        if CODE.normalise(obj.get("mode")) not in (ENABLED, MONITORING):
            return obj
        is_meant = key is None or (item is resource and item.key_of(obj) == key)
        return {**obj, "mode": ENABLED if is_meant else MONITORING}

    kind = str(resource.component)
    lists = [item for item in (rules_of(kind), filters_of(kind)) if item]
    known = {item.plural: state.get(item.plural) or () for item in lists}
    seen = {item.plural: [watched(item, obj) for obj in known[item.plural]] for item in lists}
    return component(kind, seen)


def _read_mode(obj: Object, what: str, problems: list[str]) -> str:
    mode = str(CODE.normalise(obj.get("mode")))
    if mode in MODES:
        return mode
    problems.append(f"The mode {obj.get('mode')!r} of {what} is not known.")
    return UNDECIDED


def _filter(obj: Object, title: str, problems: list[str]) -> Filter:
    expression = Expression.of_object(obj)
    what = f"the filter '{excerpt(expression.text)}' of {title}"
    mode = _read_mode(obj, what, problems)
    try:
        return Filter(expression, mode, matched(expression), mode)
    except Unread as exc:
        problems.append(f"What {what} matches is not known: {exc}.")
        return Filter(expression, UNDECIDED, Matches([], EVERYTHING), mode)


def rule_of(obj: Object, kind: str) -> Rule:
    """A rule as an object has it, its mode left out."""
    scope = str(CODE.normalise(obj.get("scope")))
    place = "" if scope == GLOBAL else str(obj.get("name")).upper()
    return Rule(scope, place, "", levels_of_rule(kind, obj))


def _read_rule(obj: Object, kind: str, problems: list[str]) -> Rule:
    rule, title = rule_of(obj, kind), COMPONENTS[kind].title
    mode = _read_mode(obj, f"the rule {rule.label} of {title}", problems)
    if rule.scope not in (GLOBAL, REGION, DATA_CENTER):
        problems.append(f"The scope {obj.get('scope')!r} of a rule of {title} is not known.")
        mode = UNDECIDED
    return rule._replace(mode=mode)


def _contradictions(rules: Sequence[Rule], title: str, problems: list[str]) -> list[Rule]:
    """If two rules for one place have different modes, it is not known which of them counts."""
    first = {rule.key: rule for rule in reversed(rules)}
    keys = dict.fromkeys(rule.key for rule in rules if rule.mode != first[rule.key].mode)
    contradictory = [Rule(*key, UNDECIDED, first[key].levels) for key in keys]
    problems.extend(
        f"Two rules {rule.label} of {title} have different modes." for rule in contradictory
    )
    return contradictory


IN_WORDS = (  # of one value, and of several
    (PORT, "to port {}", "to ports {}"),
    (SOURCE_PORT, "from port {}", "from ports {}"),
    (SOURCE, "from {}", "from {}"),
)
SCOPES = {REGION: "region", DATA_CENTER: "data center"}
UNNAMED_PLACE = ("", "")  # a place that no rule names


def counted_networks(ranges: Ranges) -> str:
    """The number of addresses, and the first networks."""
    return f"{counted(ranges)} ({first_few(networks(ranges))})"


def no_longer_mitigated(was: Component, becomes: Component, space: Ranges) -> dict[str, Ranges]:
    """The traffic to some addresses that a component mitigates in the one state and not in the
    other: the destinations by the part of the traffic to them, which is empty for all of it."""
    space = _may_differ(was, becomes, space)
    filters = [_reaching(item.filters, space) for item in (was, becomes)]
    try:
        return _lost_parts(filters, was, becomes, space)
    except Unread as exc:
        unknown = f"a part of the traffic, since the filters are {exc}"
        return {unknown: space} if space else {}


def _lost_parts(
    filters: Sequence[Sequence[Filter]], was: Component, becomes: Component, space: Ranges
) -> dict[str, Ranges]:
    diagrams = Diagrams(filters=True)
    every = diagrams.combined("and", [diagrams.possible(), diagrams.to(space)])
    before, after = (_by_filters(diagrams, item, every) for item in filters)
    deciding, titles = list(_deciding_rules(was, becomes)), _titles(was, becomes)
    everywhere = {place for place, _rule, _other in deciding}
    earlier = {place for place, rule, _other in deciding if rule and rule.mode == ENABLED}
    later = {place for place, _other, rule in deciding if rule and rule.mode == ENABLED}
    # Packets that are mitigated before in some places, and those that are not after in others.
    mitigated = [(before.mitigated, everywhere), (before.by_rules, earlier)]
    passing = [(after.left, everywhere), (after.by_rules, everywhere - later)]
    lost: list[tuple[Ranges, int, str]] = []
    for number, ((one, some), (other, others)) in enumerate(product(mitigated, passing)):
        place = _places_in_words(some & others, titles)
        if place is None:
            continue
        for ranges, packets in diagrams.by_destination(diagrams.combined("and", [one, other])):
            whole = diagrams.part(every, ranges[0][0])
            words = (_packets_in_words(diagrams, packets, whole), place)
            lost.append((ranges, number, ", ".join(filter(None, words))))
    parts: dict[str, Ranges] = {}
    for ranges, _number, what in sorted(lost):
        parts.setdefault(what, []).extend(ranges)
    return {what: union(ranges) for what, ranges in parts.items()}


def never_mitigated(component: Component, space: Ranges) -> Ranges:
    """The addresses to which filters that do not mitigate take, together, all traffic."""
    partial = _reaching(component.filters, space)
    if len(partial) < 2:  # what takes all traffic by itself is not a part of a piece that mitigates
        return []
    rules = sorted(component.rules, key=lambda rule: rule.mode == ENABLED)  # which counts of two
    mitigating = component._replace(filters=partial, rules=rules)
    parts = no_longer_mitigated(mitigating, component._replace(filters=[], rules=[]), space)
    return difference(space, union(chain(*parts.values())))


def _may_differ(was: Component, becomes: Component, space: Ranges) -> Ranges:
    """The addresses for which the two states may differ: those that a filter may match which only
    one of them has, or all if their rules differ."""
    if [rule[:3] for rule in was.rules] != [rule[:3] for rule in becomes.rules]:
        return space
    # By which filters are equal; what an expression matches follows from it.
    before, after = (
        {(item.expression, item.mode, item.own_mode): item for item in one.filters}
        for one in (was, becomes)
    )
    changed = [{**before, **after}[key] for key in before.keys() ^ after.keys()]
    return intersection(space, union(part for item in changed for part in item.matches.sometimes))


def _reaching(filters: Sequence[Filter], space: Ranges) -> list[Filter]:
    """The filters that can match traffic to these addresses; the others cannot change the
    result."""
    return [item for item in filters if intersection(item.matches.sometimes, space)]


class _Fates(NamedTuple):
    """Packets by their fate: those that an enabled filter mitigates, those that another filter
    takes, and those that the rules decide on."""

    mitigated: Set
    left: Set
    by_rules: Set


def _by_filters(diagrams: Diagrams, filters: Sequence[Filter], rest: Set) -> _Fates:
    """The packets that filters take, in the order of their modes; one whose mode is not known may
    be the first."""
    taken: dict[str, Set] = {}
    for mode in IN_TURN:
        own = [diagrams.matching(item.expression) for item in filters if item.own_mode == mode]
        matching = diagrams.combined("or", own)
        taken[mode] = diagrams.combined("and", [rest, matching])
        rest = diagrams.without(rest, matching)
    mitigated = taken.pop(ENABLED)
    return _Fates(mitigated, diagrams.combined("or", taken.values()), rest)


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


def _titles(was: Component, becomes: Component) -> dict[Place, str]:
    """The regions and data centers that rules name, in words."""
    rules = {rule.key: rule for rule in (*was.rules, *becomes.rules, *was.rules)}
    return {
        rule.key: f"{title} {rule.place}"
        for scope, title in SCOPES.items()
        for rule in rules.values()
        if rule.scope == scope
    }


def _deciding_rules(
    was: Component, becomes: Component
) -> Iterator[tuple[tuple[Place, Place], Rule | None, Rule | None]]:
    """Each region with each data center, and the most specific rule for both in either state."""
    first, second = ({rule.key: rule for rule in one.rules} for one in (was, becomes))
    regions, centers = (
        [UNNAMED_PLACE, *(place for place in {**first, **second} if place[0] == scope)]
        for scope in SCOPES
    )
    for region, center in product(regions, centers):
        narrowing = (center, region, (GLOBAL, ""))
        before, after = (
            next((rules[place] for place in narrowing if place in rules), None)
            for rules in (first, second)
        )
        yield (region, center), before, after


def mitigation_losses(was: Component, becomes: Component, space: Ranges) -> Iterator[Loss]:
    """The losses by a component that mitigates less of the traffic to some addresses, or later;
    the label is the part of the traffic, or the rule that is less sensitive."""
    for what, ranges in no_longer_mitigated(was, becomes, space).items():
        shown = counted_networks(ranges) + (f": {what}" if what else "")
        yield Loss(rules_of(was.kind), (), what, shown, how=UNMITIGATED, ranges=ranges)
    by_places: dict[tuple[Place, Place], Loss] = {}
    for _place, before, after in (
        _deciding_rules(was, becomes) if was.rules != becomes.rules else ()
    ):
        loss = _less_sensitive(was.kind, before, after) if before and after else None
        if loss and before and after:
            by_places[before.key, after.key] = loss
    yield from by_places.values()


def _less_sensitive(kind: str, was: Rule, becomes: Rule) -> Loss | None:
    """The loss by a rule that decides with less sensitivity than another one, or it itself, did; a
    level that is not known is the lowest."""
    modes, is_same = {was.mode, becomes.mode}, was.key == becomes.key
    ranks = {level: rank for rank, level in enumerate(LEVELS_OF_PROFILES)}
    lower = [
        f"{name.replace('_', ' ')} {becomes.levels[name]} instead of {level}"
        for name, level in was.levels.items()
        if ranks.get(level, -1) > ranks.get(becomes.levels[name], -1)
    ]
    if not lower or not (modes == {ENABLED} or (is_same and DISABLED not in modes)):
        return None
    label = f"rule {becomes.label}" + ("" if is_same else f", in place of {was.label},")
    how = LESS_SENSITIVE_MONITOR if modes == {MONITORING} else LESS_SENSITIVE
    former = [(was.key, was.label)]
    return Loss(rules_of(kind), becomes.key, label, ", ".join(lower), how=how, others=former)


def _places_in_words(
    places: AbstractSet[tuple[Place, Place]], titles: Mapping[Place, str]
) -> str | None:
    """Places in words, each with a region and a data center: empty for all, None for none; `titles`
    are of those that rules name. A data center may be in any region."""
    concerned = {region for region, center in places if center == UNNAMED_PLACE}
    concerned |= {center for _region, center in places}
    if (UNNAMED_PLACE, UNNAMED_PLACE) in places:
        others = [title for place, title in titles.items() if place not in concerned]
        return f"outside {first_few(others)}" if others else ""
    listed = [title for place, title in titles.items() if place in concerned]
    return f"in {first_few(listed)}" if listed else None

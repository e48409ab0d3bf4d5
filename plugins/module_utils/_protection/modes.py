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
from .._expressions.solve import Diagrams, MatchedDestinations, Set
from .._schema.account import (
    COMPONENTS,
    DISABLED,
    ENABLED,
    LEVELS_OF_PROFILES,
    MODES,
    MONITORING,
    filters_of,
    levels_of_rule,
    rules_of_component,
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


def component(kind: str, state: Mapping[str, Sequence[Object]]) -> Component:
    """The component of this kind in the state of an account; if its rules or filters are not known,
    its modes are undecided."""
    title = COMPONENTS[kind].title
    objects = {"rules": state.get(rules_of_component(kind).plural)}
    filter_resource = filters_of(kind)
    if filter_resource:
        objects["filters"] = state.get(filter_resource.plural)
    problems: list[str] = []
    filters = [_filter(obj, title, problems) for obj in objects.get("filters") or []]
    rules = [_read_rule(obj, kind, problems) for obj in objects["rules"] or []]
    rules.extend(_contradictions(rules, title, problems))
    unknown = [name for name in objects if objects[name] is None]
    if unknown:
        problems.append(f"The {' and '.join(unknown)} of {title} are not known.")
        may_match = MatchedDestinations([], EVERYTHING)
        filters.append(Filter(Expression.of(""), UNDECIDED, may_match, UNDECIDED))
    return Component(kind, filters, rules, problems)


def components(state: Mapping[str, Sequence[Object]]) -> list[Component]:
    """The components of an account; a component that is read only on demand is left out if it was
    not read."""
    rules = {kind: rules_of_component(kind) for kind in COMPONENTS}
    return [
        component(kind, state)
        for kind, resource in rules.items()
        if not resource.on_demand or state.get(resource.plural) is not None
    ]


def watching(
    state: Mapping[str, Sequence[Object]], resource: Resource, key: Key | None = None
) -> Component:
    """The component of `resource`, with its monitoring objects as if they mitigated. If `key` is
    given, only this object mitigates, and all others only monitor."""

    def watched(collection: Resource, obj: Object) -> Object:
        mode = CODE.normalise(obj.get("mode"))
        if mode not in (ENABLED, MONITORING):
            return obj
        is_meant = True
        if key is not None:
            is_meant = collection is resource and collection.key_of(obj) == key
        return {**obj, "mode": ENABLED if is_meant else MONITORING}

    kind = str(resource.component)
    watched_state = {}
    for collection in (rules_of_component(kind), filters_of(kind)):
        if collection:
            objects = state.get(collection.plural) or ()
            watched_state[collection.plural] = [watched(collection, obj) for obj in objects]
    return component(kind, watched_state)


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
        return Filter(expression, mode, MatchedDestinations.of(expression), mode)
    except Unread as exc:
        problems.append(f"What {what} matches is not known: {exc}.")
        return Filter(expression, UNDECIDED, MatchedDestinations([], EVERYTHING), mode)


def rule_of(obj: Object, component_kind: str) -> Rule:
    """The rule that an object describes, without its mode."""
    scope = str(CODE.normalise(obj.get("scope")))
    place = "" if scope == GLOBAL else str(obj.get("name")).upper()
    return Rule(scope, place, "", levels_of_rule(component_kind, obj))


def _read_rule(obj: Object, component_kind: str, problems: list[str]) -> Rule:
    rule, title = rule_of(obj, component_kind), COMPONENTS[component_kind].title
    mode = _read_mode(obj, f"the rule {rule.label} of {title}", problems)
    if rule.scope not in (GLOBAL, REGION, DATA_CENTER):
        problems.append(f"The scope {obj.get('scope')!r} of a rule of {title} is not known.")
        mode = UNDECIDED
    return rule._replace(mode=mode)


def _contradictions(rules: Sequence[Rule], title: str, problems: list[str]) -> list[Rule]:
    """An undecided rule for each place that has rules with different modes; a sentence on it is
    added to `problems`."""
    rule_of_key: dict[RulePlace, Rule] = {}
    contradictory: dict[RulePlace, Rule] = {}
    for rule in rules:
        counting = rule_of_key.setdefault(rule.key, rule)
        if rule.mode != counting.mode and rule.key not in contradictory:
            undecided = Rule(*rule.key, UNDECIDED, counting.levels)
            contradictory[rule.key] = undecided
            problems.append(f"Two rules {undecided.label} of {title} have different modes.")
    return [*contradictory.values()]


class FieldInWords(NamedTuple):
    """A field of packets, with the words for one value and for several values."""

    name: str
    singular: str
    plural: str


IN_WORDS = (
    FieldInWords(Diagrams.PORT, "to port {}", "to ports {}"),
    FieldInWords(Diagrams.SOURCE_PORT, "from port {}", "from ports {}"),
    FieldInWords(Diagrams.SOURCE, "from {}", "from {}"),
)
SCOPES = {REGION: "region", DATA_CENTER: "data center"}
UNNAMED_PLACE = ("", "")  # a place that no rule names


def counted_networks(ranges: Ranges) -> str:
    """The number of addresses, and the first few networks, in words."""
    return f"{counted(ranges)} ({first_few(networks(ranges))})"


def no_longer_mitigated(was: Component, becomes: Component, space: Ranges) -> dict[str, Ranges]:
    """The destinations in `space` whose traffic is mitigated by `was`, but not by `becomes`. The
    keys say in words which part of the traffic that is; empty for all of it."""
    space = _may_differ(was, becomes, space)
    was_reaching = was._replace(filters=_reaching(was.filters, space))
    becomes_reaching = becomes._replace(filters=_reaching(becomes.filters, space))
    try:
        return _lost_parts(was_reaching, becomes_reaching, space)
    except Unread as exc:
        unknown = f"a part of the traffic, since the filters are {exc}"
        return {unknown: space} if space else {}


class PartOfTraffic(NamedTuple):
    """Packets, limited to some places; each place is a region with a data center."""

    packets: Set
    places: AbstractSet[tuple[RulePlace, RulePlace]]


def _lost_parts(was: Component, becomes: Component, space: Ranges) -> dict[str, Ranges]:
    diagrams = Diagrams(filters=True)
    to_space = diagrams.combined("and", [diagrams.possible(), diagrams.to(space)])
    before = _by_filters(diagrams, was.filters, to_space)
    after = _by_filters(diagrams, becomes.filters, to_space)
    everywhere, mitigating_before, mitigating_after = _places_that_mitigate(was, becomes)
    # Packets that are mitigated before in some places, and those that are not after in others.
    mitigated = [
        PartOfTraffic(before.mitigated, everywhere),
        PartOfTraffic(before.by_rules, mitigating_before),
    ]
    passing = [
        PartOfTraffic(after.by_other_filters, everywhere),
        PartOfTraffic(after.by_rules, everywhere - mitigating_after),
    ]
    titles = _titles(was, becomes)
    lost: list[tuple[Ranges, int, str]] = []
    for number, (former, latter) in enumerate(product(mitigated, passing)):
        place = _places_in_words(former.places & latter.places, titles)
        if place is None:
            continue
        lost_packets = diagrams.combined("and", [former.packets, latter.packets])
        for ranges, packets in diagrams.by_destination(lost_packets):
            whole = diagrams.part(to_space, ranges[0][0])
            words = (_packets_in_words(diagrams, packets, whole), place)
            lost.append((ranges, number, ", ".join(filter(None, words))))
    ranges_by_words: dict[str, list[Range]] = {}
    for ranges, _number, words_of_part in sorted(lost):
        ranges_by_words.setdefault(words_of_part, []).extend(ranges)
    return {part: union(ranges) for part, ranges in ranges_by_words.items()}


Places = AbstractSet[Tuple[RulePlace, RulePlace]]


def _places_that_mitigate(was: Component, becomes: Component) -> tuple[Places, Places, Places]:
    """All places, the places where the rules of `was` mitigate, and those where the rules of
    `becomes` do."""
    everywhere: set[tuple[RulePlace, RulePlace]] = set()
    mitigating_before: set[tuple[RulePlace, RulePlace]] = set()
    mitigating_after: set[tuple[RulePlace, RulePlace]] = set()
    for place, before, after in _deciding_rules(was, becomes):
        everywhere.add(place)
        if before and before.mode == ENABLED:
            mitigating_before.add(place)
        if after and after.mode == ENABLED:
            mitigating_after.add(place)
    return everywhere, mitigating_before, mitigating_after


def never_mitigated(component: Component, space: Ranges) -> Ranges:
    """The addresses in `space` whose traffic always matches a filter that does not mitigate."""
    partial = _reaching(component.filters, space)
    if len(partial) < 2:  # what takes all traffic by itself is not a part of a piece that mitigates
        return []
    rules = sorted(component.rules, key=lambda rule: rule.mode == ENABLED)  # which counts of two
    mitigating = component._replace(filters=partial, rules=rules)
    parts = no_longer_mitigated(mitigating, component._replace(filters=[], rules=[]), space)
    return difference(space, union(chain(*parts.values())))


def _may_differ(was: Component, becomes: Component, space: Ranges) -> Ranges:
    """The addresses in `space` for which the components may differ: those that differing filters
    may match, or all if the rules differ."""
    if [rule[:3] for rule in was.rules] != [rule[:3] for rule in becomes.rules]:
        return space
    before, after = _filters_by_identity(was), _filters_by_identity(becomes)
    filters = {**before, **after}
    ranges: list[Range] = []
    for identity in before.keys() ^ after.keys():
        ranges += filters[identity].matches.sometimes
    return intersection(space, union(ranges))


def _filters_by_identity(component: Component) -> dict[tuple[object, ...], Filter]:
    """The filters of a component, by their expression and modes."""
    return {
        (candidate.expression, candidate.mode, candidate.own_mode): candidate
        for candidate in component.filters
    }


def _reaching(filters: Sequence[Filter], space: Ranges) -> list[Filter]:
    """The filters that can match traffic to `space`."""
    return [candidate for candidate in filters if intersection(candidate.matches.sometimes, space)]


class _Fates(NamedTuple):
    """Packets, divided by what decides about them: those that an enabled filter mitigates, those
    that match another filter, and those left to the rules."""

    mitigated: Set
    by_other_filters: Set
    by_rules: Set


def _by_filters(diagrams: Diagrams, filters: Sequence[Filter], packets: Set) -> _Fates:
    """The packets, divided by the filters that match them. Filters apply in the order of their
    modes, a filter whose mode is not known at its place in that order."""
    taken: dict[str, Set] = {}
    for mode in IN_TURN:
        of_mode = [candidate for candidate in filters if candidate.own_mode == mode]
        sets = [diagrams.matching(candidate.expression) for candidate in of_mode]
        matching = diagrams.combined("or", sets)
        taken[mode] = diagrams.combined("and", [packets, matching])
        packets = diagrams.without(packets, matching)
    mitigated = taken.pop(ENABLED)
    return _Fates(mitigated, diagrams.combined("or", taken.values()), packets)


def _packets_in_words(diagrams: Diagrams, packets: Set, whole: Set) -> str:
    """The part of `whole` (all packets to a destination) that `packets` is, in words; empty if they
    are equal."""
    if packets == whole:
        return ""
    clauses = []
    for field in IN_WORDS:
        ranges = diagrams.values(packets, field.name)
        if ranges != diagrams.values(whole, field.name):
            words = networks(ranges) if field.name == Diagrams.SOURCE else map(_port_range, ranges)
            form = field.singular if count(ranges) == 1 else field.plural
            clauses.append(form.format(first_few(words)))
    return ", ".join(clauses) or "a part of the traffic"


def _port_range(ports: Range) -> str:
    lowest, highest = ports
    return str(lowest) if lowest == highest else f"{lowest}-{highest}"


def _titles(was: Component, becomes: Component) -> dict[RulePlace, str]:
    """The names, in words, of the regions and data centers that rules name."""
    rules = {rule.key: rule for rule in (*was.rules, *becomes.rules, *was.rules)}
    titles: dict[RulePlace, str] = {}
    for scope, title in SCOPES.items():
        for rule in rules.values():
            if rule.scope == scope:
                titles[rule.key] = f"{title} {rule.place}"
    return titles


def _deciding_rules(
    was: Component, becomes: Component
) -> Iterator[tuple[tuple[RulePlace, RulePlace], Rule | None, Rule | None]]:
    """Each pair of a region and a data center, with the rule that decides for it in `was` and in
    `becomes`; None if there is no such rule."""
    rules_before = {rule.key: rule for rule in was.rules}
    rules_after = {rule.key: rule for rule in becomes.rules}
    places = [*{**rules_before, **rules_after}]
    regions = [UNNAMED_PLACE, *(place for place in places if place[0] == REGION)]
    centers = [UNNAMED_PLACE, *(place for place in places if place[0] == DATA_CENTER)]
    for region, center in product(regions, centers):
        narrowing = (center, region, (GLOBAL, ""))
        before = _most_specific(rules_before, narrowing)
        after = _most_specific(rules_after, narrowing)
        yield (region, center), before, after


def _most_specific(rules: Mapping[RulePlace, Rule], places: Iterable[RulePlace]) -> Rule | None:
    """The rule for the first of these places that has a rule; None if there is none."""
    for place in places:
        if place in rules:
            return rules[place]
    return None


def mitigation_losses(was: Component, becomes: Component, space: Ranges) -> Iterator[Loss]:
    """The losses because `becomes` mitigates less of the traffic to `space` than `was`, or
    mitigates later. The label of a loss is the part of the traffic, or the rule that is less
    sensitive."""
    for part, ranges in no_longer_mitigated(was, becomes, space).items():
        reason = counted_networks(ranges)
        if part:
            reason += f": {part}"
        yield Loss(rules_of_component(was.kind), (), part, reason, how=UNMITIGATED, ranges=ranges)
    if was.rules == becomes.rules:
        return
    losses: dict[tuple[RulePlace, RulePlace], Loss] = {}
    for _place, before, after in _deciding_rules(was, becomes):
        if before and after:
            loss = _less_sensitive(was.kind, before, after)
            if loss:
                losses[before.key, after.key] = loss
    yield from losses.values()


def _less_sensitive(component_kind: str, was: Rule, becomes: Rule) -> Loss | None:
    """The loss because the rule `becomes`, which decides in place of `was`, is less sensitive; None
    if it is not. A level that is not known counts as the lowest."""
    modes, is_same = {was.mode, becomes.mode}, was.key == becomes.key
    if modes != {ENABLED} and (not is_same or DISABLED in modes):
        return None
    lower = []
    for field, level in was.levels.items():
        new_level = becomes.levels[field]
        if _rank_of_level(level) > _rank_of_level(new_level):
            lower.append(f"{field.replace('_', ' ')} {new_level} instead of {level}")
    if not lower:
        return None
    label = f"rule {becomes.label}"
    if not is_same:
        label += f", in place of {was.label},"
    return Loss(
        rules_of_component(component_kind),
        becomes.key,
        label,
        ", ".join(lower),
        how=LESS_SENSITIVE_MONITOR if modes == {MONITORING} else LESS_SENSITIVE,
        deciding_before=[(was.key, was.label)],
    )


def _rank_of_level(level: str) -> int:
    """The rank of a sensitivity level; -1 if it is not known."""
    ranks = {known_level: rank for rank, known_level in enumerate(LEVELS_OF_PROFILES)}
    return ranks.get(level, -1)


def _places_in_words(
    places: AbstractSet[tuple[RulePlace, RulePlace]], titles: Mapping[RulePlace, str]
) -> str | None:
    """Places in words, each a pair of a region and a data center; empty for all places, None for no
    place. `titles` names the places that rules name."""
    concerned = {region for region, center in places if center == UNNAMED_PLACE}
    concerned |= {center for _region, center in places}
    if (UNNAMED_PLACE, UNNAMED_PLACE) in places:
        excepted = [title for place, title in titles.items() if place not in concerned]
        return f"outside {first_few(excepted)}" if excepted else ""
    concerned_titles = [title for place, title in titles.items() if place in concerned]
    return f"in {first_few(concerned_titles)}" if concerned_titles else None

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic that a component mitigates in one state and not in another.

The comparison of two states is exact: each filter becomes the set of the packets that it matches. A
part of an expression that is not understood matches the same packets before and after.
"""

from __future__ import annotations

from itertools import chain, product
from typing import AbstractSet, Iterable, Iterator, Mapping, NamedTuple, Sequence, Tuple

from .._expressions.solve import Diagrams, Set
from .._schema.account import DISABLED, ENABLED, LEVELS_OF_PROFILES, MONITORING, rules_of_component
from .._text import Unread, first_few
from .._values.address_set import Range, Ranges, count, difference, intersection, networks, union
from .modes import (
    DATA_CENTER,
    GLOBAL,
    IN_TURN,
    LESS_SENSITIVE,
    LESS_SENSITIVE_MONITOR,
    REGION,
    UNMITIGATED,
    Component,
    Filter,
    Loss,
    Rule,
    RulePlace,
    counted_networks,
)


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
    titles = _titles_of_places(was, becomes)
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


def _titles_of_places(was: Component, becomes: Component) -> dict[RulePlace, str]:
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
    if not concerned_titles:
        return None
    return f"in {first_few(concerned_titles)}"

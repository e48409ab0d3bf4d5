# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic that two states treat differently: it passes in the second state and is stopped in
the first one, or the other way round.

Traffic that meets none of the changed rules is treated alike, since the other rules keep their
order. All rules are cut to the traffic that meets a changed one, and most of them vanish.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain
from typing import Container, Generic, Hashable, Iterable, Iterator, Mapping, NamedTuple, Sequence

from .._expressions.expression import Expression
from .._expressions.operands import Fields
from .._expressions.solve import Diagrams, Set
from .._schema.ddos_overrides import L4_OVERRIDES
from .._schema.lists import LISTS, ListContents
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.resource import Resource, State
from .._schema.rulesets import deployed
from .._text import Unread, first_few
from .example import Wanted, example_of
from .overrides import alike_groups, managed_rules, overrides_in_force
from .routing import AllPackets
from .routing import met_by as met_in_each_routing
from .rules_in_force import host_of_zone, phase_of, zone_values
from .steps import (
    OVERRIDING,
    RULES_BY_KIND,
    WITHOUT_MARK,
    StateSteps,
    is_as_strong,
    is_softer,
    override_steps,
)
from .traffic_changes import (
    NO_CHANGES,
    NotCompared,
    Source,
    TrafficChange,
    TrafficChanges,
    Treatments,
)
from .traffic_sets import AllTraffic, SingleRequest, Split, TrafficSet, TrafficSets, diagrams_of
from .traffic_words import diagram_in_words
from .walk import (
    CHECKED,
    COUNTED,
    LOGGED,
    OVERRIDDEN,
    SKIPPED,
    STOPPED,
    UNKNOWN,
    Mark,
    Marked,
    Step,
    Walked,
    ended_by,
    ends_certainly,
    met_by,
    stops,
)
from .ways import ComparedStates, ComparedWay, Phases, Replaced, Way

PROTECTING = (STOPPED, UNKNOWN, COUNTED, CHECKED, OVERRIDDEN)  # families: without a mark is less


def way_of(kind: str, former: Phases, latter: Phases) -> Way:
    """The way of requests or packets through the phases of two states, which have equal names."""
    changed = {name: changes_between(steps, latter[name]) for name, steps in former.items()}
    first = next((name for name in former if changed[name]), "")
    is_only = sum(map(bool, changed.values())) == 1
    ahead: list[Step] = []
    behind: tuple[dict[str, Sequence[Step]], dict[str, Sequence[Step]]] = ({}, {})
    is_ahead = bool(first)
    for name in former:
        number = number_ahead(former[name], latter[name]) if is_ahead else 0
        # A step that lets traffic pass decides about its own phase alone.
        decides = ends_certainly if is_only and name == first else stops
        ahead += filter(decides, former[name][:number])
        for phases, side in zip((former, latter), behind):
            others = [step for step in phases[name][:number] if not decides(step)]
            side[name] = [*others, *phases[name][number:]]
        is_ahead = is_ahead and name != first
    return Way(kind, former, latter, [*chain(*changed.values())], ahead, behind)


def compared_ways(before: State, after: State) -> list[ComparedWay]:
    """The ways of requests and packets with rules that differ between two states, each with the
    traffic of both states."""
    if before is after:
        return []
    sides = (StateSteps(before), StateSteps(after))
    ways = [_way(kind, resources, sides) for kind, resources in RULES_BY_KIND.items()]
    return [_compared(way, sides, (before, after)) for way in ways if way.changed]


def traffic_difference(before: State, after: State) -> TrafficChanges:
    """The traffic that the state `after` treats differently from the state `before`."""
    return difference_on(compared_ways(before, after), before, after)


def difference_on(ways: Iterable[ComparedWay], before: State, after: State) -> TrafficChanges:
    """The traffic that the state `after` treats differently from the state `before`; `ways` is what
    `compared_ways` returned for them."""
    if before is after:
        return NO_CHANGES
    found = [_changes_of(way) for way in ways]
    for resource in OVERRIDING:
        found += _of_overrides(resource, before, after)
    return _joined_changes(found)


def _joined_changes(found: Iterable[TrafficChanges]) -> TrafficChanges:
    parts = [*found]
    return TrafficChanges(
        [*chain.from_iterable(part.passes for part in parts)],
        [*chain.from_iterable(part.stopped for part in parts)],
        [*chain.from_iterable(part.not_compared for part in parts)],
    )


def _way(kind: str, resources: Sequence[Resource], sides: tuple[StateSteps, StateSteps]) -> Way:
    phases: tuple[dict[str, Sequence[Step]], dict[str, Sequence[Step]]] = ({}, {})
    for resource in resources:
        if any(side.has(resource) for side in sides):
            for steps, side in zip(phases, sides):
                steps[phase_of(resource)] = side.of(resource)
    return way_of(kind, *phases)


def number_ahead(former: Sequence[Step], latter: Sequence[Step]) -> int:
    """The number of steps at the start of both lists that are equal."""
    number, shortest = 0, min(len(former), len(latter))
    while number < shortest and former[number].content == latter[number].content:
        number += 1
    return number


def changes_between(former: Sequence[Step], latter: Sequence[Step]) -> list[Replaced]:
    """The steps that are new, removed, changed or moved between two lists."""
    start = number_ahead(former, latter)
    end, shortest = 0, min(len(former), len(latter)) - start
    while end < shortest and former[-1 - end].content == latter[-1 - end].content:
        end += 1
    before = former[start : len(former) - end]
    after = latter[start : len(latter) - end]
    contents: list[Sequence[Hashable]] = []
    for steps in (before, after):
        contents.append([step.content for step in steps])
    matcher = SequenceMatcher(None, contents[0], contents[1], autojunk=False)
    changed: list[Replaced] = []
    for tag, low, high, first, last in matcher.get_opcodes():
        if tag != "equal":
            changed += _replaced(before[low:high], after[first:last])
    return changed


def _replaced(former: Sequence[Step], latter: Sequence[Step]) -> Iterator[Replaced]:
    """Pairs for the steps that take the place of others. If a single step replaces a single step
    with the same effects, they are a pair, since traffic that matches both is not treated
    differently; every other step is paired with None."""
    if len(former) == len(latter) == 1 and _have_effects_alike(former[0], latter[0]):
        yield Replaced(former[0], latter[0])
        return
    for step in former:
        yield Replaced(step, None)
    for step in latter:
        yield Replaced(None, step)


def _have_effects_alike(step: Step, other: Step) -> bool:
    marks = [
        [(one.mark and one.mark.identity, one.ends, one.doubt) for one in every.effects]
        for every in (step, other)
    ]
    return marks[0] == marks[1]


def _compared(
    way: Way, sides: tuple[StateSteps, StateSteps], states: tuple[State, State]
) -> ComparedWay:
    values = zone_values(states[1]) if way.kind == "request" else {}
    lists = (sides[0].lists, sides[1].lists)
    try:
        traffic = _compared_states(way, lists, values, host_of_zone(states[1]))
        return ComparedWay(way, lists, values, traffic)
    except (Unread, RecursionError) as exc:
        return ComparedWay(way, lists, values, None, _problem_of(exc))


def _problem_of(exc: Exception) -> str:
    return exc.reason if isinstance(exc, Unread) else Diagrams.TOO_MANY


def _compared_states(
    way: Way, lists: tuple[ListContents, ListContents], values: Mapping[str, bytes], host: str
) -> ComparedStates:
    """The traffic of both states and its walks through the rules; raises Unread or RecursionError
    if the traffic has too many pieces."""
    steps = chain(*(one.steps for one in way.changed), *way.former.values(), *way.latter.values())
    diagrams = diagrams_of(values, [step.expression for step in steps])
    kind_of_sets = AllPackets if _depends_on_routing(way) else AllTraffic
    former = kind_of_sets(diagrams, lists[0])
    latter = former if lists[0] == lists[1] else kind_of_sets(diagrams, lists[1])
    changed_traffic = _traffic_of_changes(way.changed, former, latter)
    if way.kind == "packet" and changed_traffic != Diagrams.nothing:
        for sets, phases in zip((former, latter), (way.former, way.latter)):
            for step in chain(*phases.values()):
                sets.matching(step.expression)  # its fields of protocols have facts, too
        facts = diagrams.combined("and", [diagrams.possible(), *diagrams.facts()])
        changed_traffic = diagrams.combined("and", [changed_traffic, facts])
    ended_ahead = ended_by(former, way.ahead, changed_traffic)
    arriving = diagrams.without(changed_traffic, ended_ahead)
    walked = changed_traffic if arriving != Diagrams.nothing else Diagrams.nothing
    changed_steps = chain.from_iterable(replaced.steps for replaced in way.changed)
    contents = {step.content for step in changed_steps}
    walks = (
        _walked(former, way.behind[0], walked, contents),
        _walked(latter, way.behind[1], walked, contents),
    )
    return ComparedStates(diagrams, (former, latter), changed_traffic, arriving, walks, host)


def _depends_on_routing(way: Way) -> bool:
    """Return whether the Network Firewall is part of a way."""
    return phase_of(NETWORK_FIREWALL_RULES) in way.former


def _changes_of(compared: ComparedWay) -> TrafficChanges:
    problem = compared.problem
    if compared.states is not None:
        try:
            return _changes(compared.way, compared.states, compared.lists, compared.values)
        except (Unread, RecursionError) as exc:
            problem = _problem_of(exc)
    steps = chain.from_iterable(one.steps for one in compared.way.changed)
    return TrafficChanges(not_compared=[_not_compared(problem, steps)])


def _not_compared(problem: str, steps: Iterable[Step]) -> NotCompared:
    sources = list(dict.fromkeys(step.source for step in steps))
    titles = first_few(source.title for source in sources)
    return NotCompared(f"the traffic of {titles} cannot be compared: {problem}", sources)


def _traffic_of_changes(changed: Iterable[Replaced], former: AllTraffic, latter: AllTraffic) -> Set:
    """The traffic that the two states may treat differently, as far as the changed steps tell."""
    pieces: list[Set] = []
    for replaced in changed:
        met = []
        if replaced.former is not None:
            met.append(met_by(former, replaced.former, Diagrams.everything))
        if replaced.latter is not None:
            met.append(met_by(latter, replaced.latter, Diagrams.everything))
        pieces.append(former.diagrams.combined("xor", met))
    return former.union(pieces)


def _walked(
    sets: TrafficSets[TrafficSet],
    phases: Phases,
    arriving: TrafficSet,
    changed: Container[Hashable] = (),
) -> Walked[TrafficSet]:
    """The marks that traffic has after it passed all phases; traffic skips a phase if an earlier
    rule says so."""
    walked = Walked(sets, arriving)
    for name, steps in phases.items():
        walked.walk(steps, walked.traffic((SKIPPED, name)), changed)
    return walked


class KindOfDifference(NamedTuple):
    """A key by which differences are grouped: equal differences become one change in the
    results."""

    family: str
    is_passing: bool
    treatments: Treatments
    reverse: Treatments


@dataclass(frozen=True)  # before Python 3.11, no NamedTuple is generic
class TrafficDifference(Generic[TrafficSet]):
    """Traffic that two states treat differently: the `treatments` from the first state to the
    second, and the `reverse`. If `is_passing`, the second state is weaker, else stricter. If it
    `is_softer`, one of the states challenges what the other blocks."""

    family: str
    is_passing: bool
    treatments: Treatments
    reverse: Treatments
    traffic: TrafficSet
    certain: bool
    is_softer: bool = False

    @property
    def kind(self) -> KindOfDifference:
        """The key by which differences are grouped."""
        return KindOfDifference(self.family, self.is_passing, self.treatments, self.reverse)


def walk_differences(
    former: Walked[TrafficSet], latter: Walked[TrafficSet], read: Container[str]
) -> list[TrafficDifference[TrafficSet]]:
    """The differences between two walks. Skips of the phases named in `read` are left out, since
    the rules of these phases show their effect."""
    sets = former.sets
    passing = sets.intersection(former.passing, latter.passing)
    found: list[TrafficDifference[TrafficSet]] = []
    for family in PROTECTING:
        looked_at = sets.everything if family in (STOPPED, UNKNOWN) else passing
        for gone in _gone(family, former, latter, looked_at):
            found.append(_weakened(gone))
        for gone in _gone(family, latter, former, looked_at):
            found.append(_strengthened(gone))
    for gone in _newly_skipped(latter, former, read):
        found.append(_skipping_difference(gone, is_passing=True))
    for gone in _newly_skipped(former, latter, read):
        found.append(_skipping_difference(gone, is_passing=False))
    return found


@dataclass(frozen=True)  # before Python 3.11, no NamedTuple is generic
class Gone(Generic[TrafficSet]):
    """Traffic that has a `mark` in one walk, and a `weaker` mark or none (None) in the other."""

    mark: Mark
    weaker: Mark | None
    traffic: TrafficSet
    certain: bool


def _weakened(gone: Gone[TrafficSet]) -> TrafficDifference[TrafficSet]:
    treatments, reverse = _lost(gone), _regained(gone)
    return _difference(gone, is_passing=True, treatments=treatments, reverse=reverse)


def _strengthened(gone: Gone[TrafficSet]) -> TrafficDifference[TrafficSet]:
    treatments, reverse = _regained(gone), _lost(gone)
    return _difference(gone, is_passing=False, treatments=treatments, reverse=reverse)


def _lost(gone: Gone[TrafficSet]) -> Treatments:
    """The treatments, if the first state gives the mark and the second does not."""
    mark, weaker = gone.mark, gone.weaker
    without = WITHOUT_MARK.get(mark.family, ("", f"is not {mark.what}"))[1]
    return Treatments(mark.what, weaker.now if weaker else without)


def _regained(gone: Gone[TrafficSet]) -> Treatments:
    """The treatments, if the second state gives the mark and the first does not."""
    mark, weaker = gone.mark, gone.weaker
    without = WITHOUT_MARK.get(mark.family, (f"not {mark.what}", ""))[0]
    return Treatments(weaker.what if weaker else without, mark.now)


def _skipping_difference(gone: Gone[TrafficSet], is_passing: bool) -> TrafficDifference[TrafficSet]:
    """The difference for traffic that skips something in one state only; in the second state if
    `is_passing`."""
    skipped = Treatments(gone.mark.what, gone.mark.now)
    checked = Treatments(gone.mark.now, f"is {gone.mark.what}")
    treatments, reverse = (skipped, checked) if is_passing else (checked, skipped)
    return _difference(gone, is_passing, treatments, reverse)


def _difference(
    gone: Gone[TrafficSet], is_passing: bool, treatments: Treatments, reverse: Treatments
) -> TrafficDifference[TrafficSet]:
    return TrafficDifference(
        family=gone.mark.family,
        is_passing=is_passing,
        treatments=treatments,
        reverse=reverse,
        traffic=gone.traffic,
        certain=gone.certain,
        is_softer=gone.weaker is not None and is_softer(gone.mark, gone.weaker),
    )


def _gone(
    family: str, walked: Walked[TrafficSet], others: Walked[TrafficSet], looked_at: TrafficSet
) -> Iterator[Gone[TrafficSet]]:
    """The traffic within `looked_at` that has a mark of this family in `walked`, and a weaker mark
    or none in `others`."""
    sets = walked.sets
    other_marks = others.marked(family)
    loggings = others.marked(LOGGED) if family == STOPPED else []
    for marked in walked.marked(family):
        mark = marked.mark
        traffic = sets.intersection(marked.traffic, looked_at)
        strong = [one for one in other_marks if is_as_strong(mark, one.mark) is True]
        rest = sets.without(traffic, sets.union(one.traffic for one in strong))
        if family == COUNTED and _is_counted_apart(sets, sets.without(traffic, rest), strong):
            yield Gone(mark, mark, sets.without(traffic, rest), False)
        for weaker in (*other_marks, *loggings):
            part = sets.intersection(rest, weaker.traffic)
            if part != sets.nothing:
                is_less = weaker in loggings or is_as_strong(mark, weaker.mark) is False
                yield Gone(mark, weaker.mark, part, is_less and family != UNKNOWN)
                rest = sets.without(rest, part)
        if rest != sets.nothing:
            yield Gone(mark, None, rest, family != UNKNOWN)


def _is_counted_apart(
    sets: TrafficSets[TrafficSet], counted: TrafficSet, limits: Sequence[Marked[TrafficSet]]
) -> bool:
    """Return whether several rate limits each count a part of this traffic, and no limit counts all
    of it."""
    if counted == sets.nothing:
        return False
    return all(sets.without(counted, one.traffic) != sets.nothing for one in limits)


def _newly_skipped(
    walked: Walked[TrafficSet], others: Walked[TrafficSet], read: Container[str]
) -> Iterator[Gone[TrafficSet]]:
    """The traffic that skips something in `walked` and does not skip it in `others`."""
    sets = walked.sets
    for marked in walked.marked(SKIPPED):
        mark = marked.mark
        name = str(mark.key)
        if name in read:
            continue
        kind, _space, identity = name.partition(" ")
        rest = sets.without(marked.traffic, others.traffic(mark.identity))
        ruleset = identity.partition(" ")[0] if kind == "rules" else ""
        for walk in (walked, others) if ruleset else ():
            rest = sets.intersection(rest, _checked_by(ruleset, walk))
        if rest != sets.nothing:
            yield Gone(mark, None, rest, bool(ruleset))


def _checked_by(ruleset: str, walked: Walked[TrafficSet]) -> TrafficSet:
    marked = walked.marked(CHECKED)
    return walked.sets.union(one.traffic for one in marked if deployed(one.mark.obj) == ruleset)


def _changes(
    way: Way,
    compared: ComparedStates,
    lists: tuple[ListContents, ListContents],
    values: Mapping[str, bytes],
) -> TrafficChanges:
    """The differences between the two walks of a way, in words and with examples."""
    if compared.changed_and_arriving == Diagrams.nothing:
        return NO_CHANGES
    read, names = frozenset(way.former), _names_of_fields(way, compared)
    by_kind: dict[KindOfDifference, list[TrafficDifference[Set]]] = {}
    for one in walk_differences(*compared.walks, read):
        by_kind.setdefault(one.kind, []).append(one)
    passes: list[TrafficChange] = []
    stopped: list[TrafficChange] = []
    for kind, parts in by_kind.items():
        traffic = compared.sets[0].union(part.traffic for part in parts)
        traffic = compared.diagrams.combined("and", (traffic, compared.changed_and_arriving))
        if traffic == Diagrams.nothing:
            continue

        def confirms(fields: Sequence[Fields], kind: KindOfDifference = kind) -> bool:
            return _is_confirmed(kind, way, lists, fields, read)

        asked = Wanted(way.kind, traffic, values, names, compared.host)
        example = example_of(compared.diagrams, asked, confirms)
        if example.is_impossible:
            continue
        change = TrafficChange(
            treatments=kind.treatments,
            reverse=kind.reverse,
            family=kind.family,
            kind=way.kind,
            traffic=diagram_in_words(compared.diagrams, traffic, way.kind, names),
            example=example.described,
            addresses=example.addresses,
            sources=_reasons(way.changed, compared, traffic),
            certain=bool(example.described) and all(part.certain for part in parts),
            is_softer=all(part.is_softer for part in parts),
        )
        (passes if kind.is_passing else stopped).append(change)
    return TrafficChanges(passes, stopped)


def _names_of_fields(way: Way, compared: ComparedStates) -> list[str]:
    """The fields that the changed rules use, and those of all rules that the changed traffic
    meets."""
    names: dict[str, None] = {}
    for replaced in way.changed:
        for step in replaced.steps:
            names.update(dict.fromkeys(step.expression.names))
    for sets, phases in zip(compared.sets, (way.former, way.latter)):
        for step in chain(*phases.values()):
            expressions = (step.expression, *step.unless)
            # A rule that no request meets says nothing of one that lacks its fields.
            is_idle = sets.matching(step.expression) == Diagrams.nothing
            if is_idle or met_by(sets, step, compared.changed_traffic) != Diagrams.nothing:
                for expression in expressions:
                    names.update(dict.fromkeys(expression.names))
    return [*names]


def _is_confirmed(
    kind: KindOfDifference,
    way: Way,
    lists: tuple[ListContents, ListContents],
    seen: Sequence[Fields],
    read: Container[str],
) -> bool:
    """Return whether single requests or packets with the fields `seen`, evaluated in both states,
    have a difference of this kind."""
    evaluate = met_in_each_routing if _depends_on_routing(way) else Expression.evaluate
    for fields in seen:
        walks = [
            _walked(SingleRequest(fields._replace(lists=contents), evaluate), phases, Split(1, 1))
            for contents, phases in zip(lists, (way.former, way.latter))
        ]
        found = walk_differences(walks[0], walks[1], read)
        if not any(one.kind == kind and one.traffic.sure for one in found):
            return False
    return bool(seen)


def _reasons(changed: Iterable[Replaced], compared: ComparedStates, traffic: Set) -> list[Source]:
    """The changed objects that match this traffic in at least one of the states."""
    steps: list[Step] = []
    for replaced in changed:
        for sets, step in zip(compared.sets, replaced):
            if step is not None and met_by(sets, step, traffic) != Diagrams.nothing:
                steps.append(step)
    owns = [{one.own for one in side if one is not None} for side in zip(*changed)]
    in_both = owns[0] & owns[1]
    sources: dict[Source, None] = {}
    for step in steps:
        if step.own not in in_both:
            sources.setdefault(step.source)
        sources.update(dict.fromkeys(_lists_changed(step, changed)))
    return [*sources] or list(dict.fromkeys(step.source for step in steps))


def _lists_changed(step: Step, changed: Iterable[Replaced]) -> Iterator[Source]:
    """The lists that a changed step refers to, and whose contents are not the same in both
    states."""
    for replaced in changed:
        former, latter = replaced
        if former is None or latter is None or step not in replaced.steps:
            continue
        before, after = dict(former.lists), dict(latter.lists)
        for name in before.keys() & after.keys():
            if before[name] != after[name]:
                yield Source(LISTS.name, name, f"{LISTS.title} {name}")


def _of_overrides(resource: Resource, before: State, after: State) -> Iterator[TrafficChanges]:
    """The differences that overrides of managed DDoS rules make, for each group of managed rules
    that the overrides set alike."""
    former, latter = (overrides_in_force(resource, state) for state in (before, after))
    if former.overrides == latter.overrides:
        return
    managed = managed_rules(resource, after)
    kind = "packet" if resource is L4_OVERRIDES else "request"
    sides = (StateSteps(before), StateSteps(after))
    for (action, levels), is_known in alike_groups(former, latter, managed).items():
        steps = [
            override_steps(resource, state, own, action)
            for state, own in zip((before, after), levels)
        ]
        way = way_of(kind, {resource.plural: steps[0]}, {resource.plural: steps[1]})
        if way.changed:
            found = _changes_of(_compared(way, sides, (before, after)))
            yield found if is_known else _doubted(found)


def _doubted(changes: TrafficChanges) -> TrafficChanges:
    """The same changes, none of them certain, since there may be no managed rule that they
    concern."""
    sides = [
        [change._replace(certain=False) for change in side]
        for side in (changes.passes, changes.stopped)
    ]
    return TrafficChanges(sides[0], sides[1], changes.not_compared)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules, and other objects, that cannot work, each with what it is ineffective by.

A claim is proven: by the solver, with the addresses of the lists that are known. An expression, an
action or a field that is not understood proves nothing. A rule that is off is not looked at.
"""

from __future__ import annotations

from bisect import bisect_left
from datetime import datetime
from functools import partial
from typing import Any, Container, Iterable, Iterator, Mapping, NamedTuple, Sequence, TypedDict

from .._errors import Unread
from .._expressions.covering import Covering
from .._expressions.grammar import Comparison, expression_of, leaves, parse
from .._expressions.lists import with_contents
from .._expressions.solve import (
    DESTINATION,
    EMPTY,
    FIRST_LEVELS,
    MOST_STEPS,
    MOST_VARIABLES,
    SOURCE,
    WHOLE,
    Diagrams,
    Set,
)
from .._plan.desired import Desired
from .._plan.plan import Plan
from .._schema.account import ALLOWLIST, FILTERS, PREFIXES
from .._schema.lists import LISTS, items_in
from .._schema.managed_rules import MANAGED_RULES, named_entries
from .._schema.overrides import L4_OVERRIDES, is_off
from .._schema.rate_limits import RATE_LIMIT_RULES
from .._schema.registry import (
    DDOS_OVERRIDES,
    EVALUATION,
    IN_ORDER,
    ZoneRule,
    beyond,
    contents_in,
    evaluated_as,
    in_order_of,
    phase_of,
    rules_in_force,
    spelt_out,
    title_of_resource,
    zone_values,
)
from .._schema.resource import ENFORCING, NO_ITEMS, OWNERS, Key, Object, Resource, State
from .._schema.zone import CUSTOM_RULES, own_rulesets, rules_of
from .._text import capitalised, first_few, left_out
from .._values.address_set import ROUTABLE, Range, Ranges, intersection, range_of, ranges_of, union
from .._values.kinds import FLAG, as_json
from .._values.list_contents import Contents
from .coverage import Coverage
from .modes import IN_TURN, UNDECIDED
from .overrides import not_understood

NEVER, SHADOWED, DUPLICATE = "never", "shadowed", "duplicate"
UNREACHABLE, OUTSIDE, COVERED = "unreachable", "outside", "covered"
INEFFECTIVE_KINDS = (NEVER, SHADOWED, DUPLICATE, UNREACHABLE, OUTSIDE, COVERED)
# Requests may seem to come from class E, which "Pseudo IPv4" uses.
ARRIVING = union([*ROUTABLE, *ranges_of(["240.0.0.0/4"])])
SOURCE_LEVEL, DESTINATION_LEVEL = map(FIRST_LEVELS.index, (SOURCE, DESTINATION))
ALIKE_IN = ("action", "action_parameters", "ratelimit", "products")
MOST_COMPARED = 100_000
MOST_STEPS_OF_ALL = 8 * MOST_STEPS


class IneffectiveRecord(TypedDict):
    """An object that cannot work, as results show it."""

    resource: str
    key: str
    kind: str
    by: list[str]
    reason: str


class Claim(NamedTuple):
    """The same of an object with a key."""

    key: Key
    label: str
    kind: str
    by: Sequence[str]
    reason: str


CHECKED = (PREFIXES, ALLOWLIST, *FILTERS, *DDOS_OVERRIDES, *(one for one, _read in EVALUATION))
CHECKED_NAMES = frozenset(one.plural for one in CHECKED)


def is_checked(resource: Resource) -> bool:
    """Return whether objects of a collection can be ineffective; prefixes only by networks that
    are announced, which a task does not read."""
    is_known = evaluated_as(resource).plural in CHECKED_NAMES and resource is not PREFIXES
    return is_known or resource.parent is LISTS


def ineffective_in(
    plan: Plan, desired: Sequence[Desired], is_report: bool
) -> list[IneffectiveRecord] | None:
    """The objects of a task that cannot work after its plan, or for a report all that exist and
    cannot; None for a task that has no such objects. A report knows the announced networks, and
    takes back what lies in one of them."""
    checked = [item for item in desired if is_checked(item.resource)]
    if not checked and not is_report:
        return None
    named = {item.resource.plural: item.objects.keys() for item in checked}
    ends = {item.resource.plural: item.expires for item in checked}
    state = plan.before if is_report else {**plan.before, **plan.after()}
    if is_report:
        return ineffective_records(state, None, ends, announced=[])
    return ineffective_records(state, named, ends)


MOST_WARNED = 3


def warnings_of(records: Sequence[IneffectiveRecord]) -> list[str]:
    """A sentence on each of some objects that cannot work."""
    texts = [
        f"The {title_of_resource(one['resource'])} {one['key']} cannot work: {one['reason']}."
        for one in records[:MOST_WARNED]
    ]
    more = left_out(len(records), MOST_WARNED)
    return [*texts, f"{capitalised(more)} cannot work; ineffective has all."] if more else texts


Named = Mapping[str, Container[Key]]  # keys by collection
Ends = Mapping[str, Mapping[Key, datetime]]  # of objects that end, by collection


def ineffective_records(
    state: State, named: Named | None = None, ends: Ends = NO_ITEMS, announced: Ranges | None = None
) -> list[IneffectiveRecord]:
    """The objects of a state that cannot work; if some are `named`, of these alone."""
    records: list[IneffectiveRecord] = []
    for resource in _resources_of(state):
        keys = None if named is None else named.get(resource.plural)
        if named is None or keys:
            records += [
                IneffectiveRecord(
                    resource=resource.name,
                    key=claim.label,
                    kind=claim.kind,
                    by=[*claim.by],
                    reason=claim.reason,
                )
                for claim in _claims(resource, state, ends.get(resource.plural, {}), announced)
                if keys is None or claim.key in keys
            ]
    return records


def _resources_of(state: State) -> Iterator[Resource]:
    """The collections of a state, of which objects can be ineffective."""
    every = [*CHECKED]
    every += map(items_in, state.get(LISTS.plural) or ())
    for owner in OWNERS:
        every += [rules_of(owner, str(obj.get("name"))) for obj in own_rulesets(state, owner)]
    return (one for one in every if state.get(one.plural))


def _claims(
    resource: Resource, state: State, ends: Mapping[Key, datetime], announced: Ranges | None
) -> Iterable[Claim]:
    objects = state[resource.plural]
    if resource is ALLOWLIST:
        active = [one for one in objects if FLAG.normalise(one.get("enabled")) != "false"]
        return _covered(resource, "prefix", active, ends)
    if resource.parent is LISTS:
        return _covered(resource, "ip", objects, ends)
    if resource is PREFIXES:
        return _carving_nothing(state, announced)
    if resource.component:
        return _filter_claims(resource, state, announced)
    if resource in DDOS_OVERRIDES:
        return _override_claims(resource, objects)
    return _rules(resource, state, announced)


def _covered(
    resource: Resource, field: str, objects: Sequence[Object], ends: Mapping[Key, datetime]
) -> Iterator[Claim]:
    """The networks within another one that lasts as long; each by the widest such network."""
    ranges = [(range_of(obj.get(field)), obj) for obj in objects]
    known = [(one, obj) for one, obj in ranges if one]
    known.sort(key=lambda item: (item[0][0], -item[0][1]))
    around: list[tuple[Range, Object]] = []
    for network, obj in known:
        around = [item for item in around if item[0][1] >= network[1]]
        key = resource.key_of(obj)
        for other, outer in around:
            end = ends.get(resource.key_of(outer))
            if other != network and (end is None or (key in ends and ends[key] <= end)):
                by = resource.label_of(outer)
                reason = f"it lies within {by}, which lasts as long"
                yield Claim(key, resource.label_of(obj), COVERED, [by], reason)
                break
        around.append((network, obj))


ANY_OWN_NETWORK = "every network that the account protects or announces"
NO_NETWORK = f"it lies outside of {ANY_OWN_NETWORK}"
NAMES_NO_DESTINATION = f"it names destinations outside of {ANY_OWN_NETWORK}"


def _carving_nothing(state: State, announced: Ranges | None) -> Iterator[Claim]:
    """The excluded prefixes that exclude nothing."""
    space = _protected(state, announced)
    for obj in state[PREFIXES.plural]:
        network = range_of(obj.get("prefix"))
        is_excluded = FLAG.normalise(obj.get("excluded")) == "true"
        if is_excluded and network and space and not intersection([network], space):
            yield Claim(PREFIXES.key_of(obj), PREFIXES.label_of(obj), OUTSIDE, [], NO_NETWORK)


def _protected(state: State, announced: Ranges | None) -> Ranges:
    """The networks that an account protects or announces, exclusions not taken off; none if they
    are not known."""
    prefixes = state.get(PREFIXES.plural)
    known = [range_of(obj.get("prefix")) for obj in prefixes or ()]
    if announced is None or None in known:
        return []
    return union([*Coverage(state).inside, *announced])


class Judged(NamedTuple):
    """The kind of an object that cannot work, the places of those that it is ineffective by, and
    the reason; an empty kind if it can work, as far as it is known."""

    kind: str = ""
    places: Sequence[int] = ()
    reason: str = ""


class _Matching:
    """The traffic that objects of a list match, with their names and in their order, of requests or
    of packets."""

    def __init__(
        self,
        names: Sequence[str],
        expressions: Sequence[str],
        decide: Any = None,
        packets: bool = False,
        tcp: bool = False,
    ) -> None:
        self.names, self.traffic = names, "packet" if packets else "request"
        self.diagrams = Diagrams(decide, tcp, MOST_COMPARED)
        self.spent = 0
        self.sets = [self.of(one) for one in expressions]
        universe = WHOLE
        if packets:
            facts = [] if tcp else self.diagrams.facts()
            universe = self.diagrams.combined("and", [self.diagrams.possible(), *facts])
        self.covering = Covering(self.diagrams, self.sets, universe)

    def of(self, expression: str) -> Set:
        """The traffic that one expression matches; one with too many comparisons is a variable."""
        try:
            is_long = sum(1 for _leaf in leaves(parse(expression))) > MOST_VARIABLES
        except Unread:
            is_long = False
        self.diagrams.steps = 0
        return self.diagrams.variable(expression) if is_long else self.diagrams.matching(expression)

    def judged(
        self, place: int, traffic: Set, same: int, before: Sequence[int], alike: str
    ) -> Judged:
        """Judge the object at a place by others of the list: `same` is the place of the first that
        does the same, with the words for both, and `before` has those that decide before it."""
        if self.covering.possible(traffic) == EMPTY:
            return Judged(NEVER, [], f"no {self.traffic} matches its expression")
        if same != place:
            return Judged(DUPLICATE, [same], alike.format(self.names[same]))
        places = self._by(traffic, before)
        names = first_few(self.names[at] for at in places)
        reason = f"every {self.traffic} that it matches is decided before it by {names}"
        return Judged(SHADOWED, places, reason) if places else Judged()

    def claim(self, key: Key, place: int, judged: Judged) -> Claim:
        """The claim about the object at a place."""
        by = [self.names[at] for at in judged.places]
        return Claim(key, self.names[place], judged.kind, by, judged.reason)

    def _by(self, traffic: Set, places: Sequence[int]) -> list[int]:
        """The places of the fewest, among some, that have all of some traffic."""
        if self.spent > MOST_STEPS_OF_ALL or traffic == EMPTY or not places:
            return []
        fewest = self.covering.fewest(traffic, places)
        self.spent += self.diagrams.steps
        return fewest

    def outside(self, traffic: Set, level: int, space: Ranges) -> bool:
        """True if traffic has some values of a variable, and none of a space."""
        values = self.diagrams.bounds(traffic).values.get(level)
        return bool(values) and not intersection(values or [], space)


def _filter_claims(resource: Resource, state: State, announced: Ranges | None) -> Iterator[Claim]:
    """The filters of a component; those of one mode decide alike, in no order."""
    order = {mode: at for at, mode in enumerate(IN_TURN) if mode != UNDECIDED}
    filters = [obj for obj in state[resource.plural] if str(obj.get("mode")) in order]
    filters.sort(key=lambda obj: order[str(obj["mode"])])
    names, expressions = map(resource.label_of, filters), map(expression_of, filters)
    matching = _Matching([*names], [*expressions], packets=True, tcp=True)
    space = _protected(state, announced)
    alike = "it matches the packets of {}, and has its mode"
    first: dict[tuple[Set, str], int] = {}
    for place, (obj, traffic) in enumerate(zip(filters, matching.sets)):
        mode = str(obj["mode"])
        ending = [at for at, one in enumerate(filters[:place]) if str(one["mode"]) != mode]
        same = first.setdefault((traffic, mode), place)
        judged = matching.judged(place, traffic, same, ending, alike)
        if not judged.kind and space and matching.outside(traffic, DESTINATION_LEVEL, space):
            judged = Judged(OUTSIDE, [], NAMES_NO_DESTINATION)
        if judged.kind:
            yield matching.claim(resource.key_of(obj), place, judged)


def _override_claims(resource: Resource, objects: Sequence[Object]) -> Iterator[Claim]:
    """The overrides of managed rules. The first that matches and sets something for a managed rule
    decides about it."""
    active = [obj for obj in objects if not is_off(obj)]
    is_packet = resource is L4_OVERRIDES
    expressions = [expression_of(obj) or "true" for obj in active]
    matching = _Matching([*map(resource.label_of, active)], expressions, packets=is_packet)
    alike = "it has the expression and the settings of {}"
    first: dict[tuple[Set, str], int] = {}
    for place, (obj, traffic) in enumerate(zip(active, matching.sets)):
        same = first.setdefault((traffic, as_json(_set_by(obj))), place)
        is_unclear = bool(not_understood(obj))
        if is_unclear or not_understood(active[same]):
            same = place
        before = () if is_unclear else enumerate(active[:place])
        ending = [at for at, one in before if _sets_all_of(one, obj)]
        judged = matching.judged(place, traffic, same, ending, alike)
        is_open = not (is_packet or is_unclear or judged.kind)
        if is_open and matching.outside(traffic, SOURCE_LEVEL, ARRIVING):
            judged = Judged(UNREACHABLE, [], NOT_ARRIVING)
        if judged.kind:
            yield matching.claim(resource.key_of(obj), place, judged)


def _set_by(override: Object) -> Mapping[str, Any]:
    """The settings of an override, by the names of managed rules; an empty name is for all."""
    settings = {f"{what} {name}": item for what, name, item in named_entries(override)}
    whole = {name: override[name] for name in ("action", "sensitivity") if override.get(name)}
    return {**({"": whole} if whole else {}), **settings}


def _sets_all_of(earlier: Object, override: Object) -> bool:
    """Return whether an override sets something for each managed rule that another one is about."""
    own, other = _set_by(earlier), _set_by(override)
    sets_all = "" in own or ("" not in other and own.keys() >= other.keys())
    return sets_all and not not_understood(earlier)


NOT_ARRIVING = "it names private or reserved sources alone, and no request of the internet has them"


def _rules(resource: Resource, state: State, announced: Ranges | None) -> Iterator[Claim]:
    """The rules of a list, in a zone with those of its account and of rulesets that it executes."""
    if resource.plural in IN_ORDER:
        rules = rules_in_force(state, resource)
    else:
        rules = in_order_of(resource)(state[resource.plural])
    space = _protected(state, announced)
    claims = {claim.key: claim for claim in _RuleList(resource, rules, state).claims(space)}
    by_name: dict[object, list[Key]] = {}
    for rule in (one for one in rules if one.active):
        by_name.setdefault(rule.key[0], []).append(rule.key)
    for keys in by_name.values():  # a ruleset that two rules execute may work for one of them
        kinds = {claims[key].kind if key in claims else "" for key in keys}
        if (len(kinds) == 1 and "" not in kinds) or kinds == {NEVER, SHADOWED}:
            shadowed = [key for key in keys if claims[key].kind != NEVER]
            yield claims[(shadowed or keys)[0]]


class _RuleList:
    """The rules of a list, in the order in which traffic meets them, and what decides before."""

    def __init__(self, resource: Resource, rules: Sequence[ZoneRule], state: State) -> None:
        lists, values = contents_in(state), zone_values(state)
        self.rules = [spelt_out(rule, lists) for rule in rules]
        self.lists = lists
        is_custom = evaluated_as(resource) not in LATER
        skips = [] if is_custom else [*_skips_of(resource, state, lists)]
        names = [one.entry for one in (*self.rules, *(skip for skip, _passed in skips))]
        self.matching = _Matching(
            names,
            [one.expression for one in self.rules] + [beyond(*both) for both in skips],
            partial(_by_zone, values) if values else None,
            packets=resource.traffic == "packet",
        )
        self.places = {rule.key: at for at, rule in enumerate(self.rules)}
        self.skips = [*range(len(self.rules), len(names))]
        self.ending = [at for at, one in enumerate(self.rules) if is_custom and _ends(one)]

    def claims(self, space: Ranges) -> Iterator[Claim]:
        """The rules that cannot work; `space` has the destinations that packets go to, if they are
        known."""
        first: dict[Any, int] = {}
        for place, rule in enumerate(self.rules):
            if not rule.active:
                continue
            traffic = self.matching.sets[place]
            if rule.whole:
                traffic = self.matching.of(with_contents(rule.whole, self.lists))
            limits = as_json([rule.obj.get(name) for name in ALIKE_IN])
            is_clear = not rule.conditions
            same = first.setdefault((traffic, limits, is_clear or rule.key), place)
            if rule.of_account:  # its account judges it
                continue
            judged = self._judged(place, traffic, same, space)
            if judged.kind:
                yield self.matching.claim(rule.key, place, judged)

    def _judged(self, place: int, traffic: Set, same: int, space: Ranges) -> Judged:
        passed = [self.places[one.key] for one in self.rules[place].unless]
        before = [*self.ending[: bisect_left(self.ending, place)], *passed, *self.skips]
        alike = "it has the expression, the action and the limits of {}"
        judged, matching = self.matching.judged(place, traffic, same, before, alike), self.matching
        is_request = matching.traffic == "request"
        if not judged.kind and is_request and matching.outside(traffic, SOURCE_LEVEL, ARRIVING):
            return Judged(UNREACHABLE, [], NOT_ARRIVING)
        if not judged.kind and space and matching.outside(traffic, DESTINATION_LEVEL, space):
            return Judged(OUTSIDE, [], NAMES_NO_DESTINATION)
        return judged


LATER = (RATE_LIMIT_RULES, MANAGED_RULES)  # what they decide ends no evaluation of others


def _ends(rule: ZoneRule) -> bool:
    """Return whether a request or packet that a rule matches meets no rule behind it, for sure."""
    stops = rule.action in ENFORCING
    return rule.active and not rule.conditions and (stops or rule.terminates)


def _skips_of(
    resource: Resource, state: State, lists: Mapping[str, Contents]
) -> Iterator[tuple[ZoneRule, list[ZoneRule]]]:
    """The custom rules that take requests past the phase of a resource, each with those before it
    that may take them past itself and not past the phase."""
    before: list[ZoneRule] = []
    custom = rules_in_force(state, CUSTOM_RULES) if state.get(CUSTOM_RULES.plural) else ()
    for rule in (spelt_out(one, lists) for one in custom if one.active):
        is_skip = rule.lets_pass and phase_of(resource) in rule.skips
        if is_skip and not rule.conditions:
            yield rule, [*before]
        elif rule.action != "block" and (rule.terminates or rule.unknown):  # challenges are solved
            before.append(rule)


def _by_zone(values: Mapping[str, bytes], leaf: Comparison) -> object:
    """The truth of a comparison that the zone decides; None of any other."""
    if leaf.field not in values:
        return None
    from .._expressions.evaluation import decider_of  # loaded if there is such a rule
    from .._expressions.operands import Fields

    return decider_of(leaf)(Fields(values))

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules, and other objects, that cannot work, each with what it is ineffective by.

A claim is proven: by the solver, with the addresses of the lists that are known. A rule that is off
is not looked at.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime
from functools import lru_cache, partial
from typing import Any, Container, Iterable, Iterator, Mapping, Sequence, TypedDict

from .._errors import ProtectionError
from .._expressions.covering import NEVER, SHADOWED, Claim, Covering, ListObject, Reach
from .._expressions.fields import with_contents
from .._expressions.grammar import Comparison, expression_of
from .._expressions.solve import DESTINATION, FIRST_LEVELS, SOURCE
from .._plan.desired import Desired
from .._schema.account import ALLOWLIST, FILTERS, PREFIXES
from .._schema.lists import APEX, HOSTNAME, LISTS
from .._schema.managed_rules import L4_OVERRIDES, is_off
from .._schema.neighbours import ONBOARDED
from .._schema.registry import (
    DDOS_OVERRIDES,
    DECIDING,
    EVALUATION,
    IN_ORDER,
    ZoneRule,
    beyond,
    contents_in,
    evaluated_as,
    in_order_of,
    phase_of,
    rules_in_force,
    zone_values,
)
from .._schema.resource import ENFORCING, NO_ITEMS, Key, Object, ReadCollection, Resource, State
from .._schema.rulesets import named_entries
from .._schema.zone import CUSTOM_RULES, CUSTOM_RULESETS
from .._values.address_set import (
    ANY_LABEL,
    EVERYTHING,
    ROUTABLE,
    Range,
    Ranges,
    intersection,
    range_of,
    ranges_of,
    union,
)
from .._values.kinds import FLAG, as_json
from .coverage import Coverage, outermost
from .modes import IN_TURN, UNDECIDED
from .overrides import not_understood

COVERED = "covered"
CHECKED = (PREFIXES, ALLOWLIST, *FILTERS, *DDOS_OVERRIDES, *(one for one, _read in EVALUATION))
NO_NETWORK = "it lies outside of every network that the account protects or announces"
CHECKED_NAMES = frozenset(one.plural for one in CHECKED)
Named = Mapping[str, Container[Key]]  # keys by collection
Ends = Mapping[Key, datetime]  # of objects that end


class IneffectiveRecord(TypedDict):
    """An object that cannot work, as results show it."""

    resource: str
    key: str
    kind: str
    by: list[str]
    reason: str


def is_checked(resource: Resource) -> bool:
    """Return whether objects of a collection can be ineffective."""
    return evaluated_as(resource).plural in CHECKED_NAMES or resource.parent is LISTS


def ineffective_in(
    state: State, desired: Sequence[Desired], is_report: bool, read: ReadCollection
) -> list[IneffectiveRecord] | None:
    """The objects of a task that cannot work in a state, or for a report all that exist in it and
    cannot; None for a task that has no such objects. If some lie outside of what the account
    protects, the networks that it may announce are read."""
    checked = [item for item in desired if is_checked(item.resource)]
    if not checked and not is_report:
        return None
    named = {item.resource.plural: item.entries.keys() for item in checked}
    ends = {item.resource.plural: item.expires for item in checked}
    asked = None if is_report else named
    records = ineffective_records(state, asked, ends)
    if any(one["kind"] == OUTSIDE for one in records):
        records = ineffective_records(state, asked, ends, _may_announce(read))
    return records


def _may_announce(read: ReadCollection) -> Ranges:
    """The networks that an account has brought, and may announce; any, if they are not known."""
    try:
        brought = [range_of(one.get("cidr")) for one in read(ONBOARDED)]
    except ProtectionError:
        return EVERYTHING
    known = [one for one in brought if one]
    return union(known) if len(known) == len(brought) else EVERYTHING


def ineffective_records(
    state: State,
    named: Named | None = None,
    ends: Mapping[str, Ends] = NO_ITEMS,
    announced: Sequence[Range] = (),
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
    holders = (LISTS, *CUSTOM_RULESETS.values())
    every = [*CHECKED, *(inner for one in holders for inner in one.inside(state))]
    return (one for one in every if state.get(one.plural))


def _claims(
    resource: Resource, state: State, ends: Ends, announced: Sequence[Range]
) -> Iterable[Claim]:
    objects = state[resource.plural]
    if resource is ALLOWLIST or resource.parent is LISTS:
        active = [one for one in objects if FLAG.normalise(one.get("enabled", True)) != "false"]
        return _covered(resource, active, ends)
    own = _own_networks(state, announced)
    if resource is PREFIXES:
        return _carving_nothing(objects, own)
    return claims_of_list(resource, state, own)


def _covered(resource: Resource, objects: Sequence[Object], ends: Ends) -> Iterator[Claim]:
    """The networks and hostnames within another one that lasts as long; each by the widest one."""
    (name,) = resource.key
    wide = [
        obj
        for obj in objects
        if str(obj.get(name)).startswith(ANY_LABEL) or "/" in str(obj.get(name))
    ]
    spans = [span for span in (_span(resource, obj) for obj in wide) if span and span[0] < span[1]]
    outer = outermost(spans)
    starts = [first for first, _last in outer]
    known = []
    for obj in objects if outer else ():  # of a long list, few lie within others
        span = _span(resource, obj)
        place = bisect_right(starts, span[0]) - 1 if span else -1
        if place >= 0 and span[1] <= outer[place][1]:
            known.append((span, obj))
    known.sort(key=lambda item: item[0][1], reverse=True)
    around: list[tuple[Any, Object]] = []
    for span, obj in sorted(known, key=lambda item: item[0][0]):
        around = [item for item in around if item[0][1] >= span[1]]
        key = resource.key_of(obj)
        for other, wider in around:
            end = ends.get(resource.key_of(wider))
            if other != span and (end is None or (key in ends and ends[key] <= end)):
                by = resource.label_of(wider)
                reason = f"{by} covers it{'' if end is None else ', and lasts as long'}"
                yield Claim(key, resource.label_of(obj), COVERED, [by], reason)
                break
        around.append((span, obj))


LAST_LABEL = "~"  # behind every label


def _span(resource: Resource, obj: Object) -> Any:
    """The first and the last address of a network, or of a hostname its labels from behind: all
    names below `*.` lie between two; None of anything else."""
    (field,) = resource.key
    if field != HOSTNAME:
        return range_of(obj.get(field))
    name = str(obj.get(field))
    is_wide = name.startswith(ANY_LABEL)
    labels = tuple(reversed(name[len(ANY_LABEL) if is_wide else 0 :].split(".")))
    if not is_wide:
        return labels, labels
    return labels if APEX in obj else (*labels, ""), (*labels, LAST_LABEL)


def _carving_nothing(prefixes: Sequence[Object], own: Ranges) -> Iterator[Claim]:
    """The excluded prefixes that exclude nothing."""
    for obj in prefixes:
        network = range_of(obj.get("prefix"))
        is_excluded = FLAG.normalise(obj.get("excluded")) == "true"
        if is_excluded and network and own and not intersection([network], own):
            yield Claim(PREFIXES.key_of(obj), PREFIXES.label_of(obj), OUTSIDE, [], NO_NETWORK)


def _own_networks(state: State, announced: Sequence[Range]) -> Ranges:
    """The networks that an account protects or announces, exclusions not taken off; none if they
    are not known."""
    prefixes = state.get(PREFIXES.plural)
    if prefixes is None or None in [range_of(obj.get("prefix")) for obj in prefixes]:
        return []
    return union([*Coverage(state).inside, *announced])


OUTSIDE, UNREACHABLE = "outside", "unreachable"
NAMES_NO_DESTINATION = (
    "its destinations lie outside of every network that the account protects or announces"
)
NOT_ARRIVING = "it names only private or reserved sources, which no request from the internet has"
# Requests may seem to come from class E, which "Pseudo IPv4" uses.
ARRIVING = Reach(
    FIRST_LEVELS.index(SOURCE),
    union([*ROUTABLE, *ranges_of(["240.0.0.0/4"])]),
    UNREACHABLE,
    NOT_ARRIVING,
)
MOST_JUDGED = 16  # lists of rules, of which the claims are kept
ALIKE_IN = ("action", "action_parameters", "ratelimit", "products")


def claims_of_list(resource: Resource, state: State, own: Ranges) -> Iterator[Claim]:
    """The rules, filters or overrides of a list that cannot work; packets go to the networks that
    the account has as its `own`, unless these are not known and empty."""
    if resource.component:
        return _filter_claims(resource, state[resource.plural], _among(own))
    if resource in DDOS_OVERRIDES:
        return _override_claims(resource, state[resource.plural])
    return _claims_of_rules(resource, state, own)


def _among(own: Sequence[Range]) -> Reach | None:
    """The destinations of packets; None if the networks of the account are not known."""
    if not own:
        return None
    return Reach(FIRST_LEVELS.index(DESTINATION), [*own], OUTSIDE, NAMES_NO_DESTINATION)


def _filter_claims(
    resource: Resource, objects: Sequence[Object], reach: Reach | None
) -> Iterator[Claim]:
    """The filters of a component; those of one mode decide alike, in no order."""
    order = {mode: at for at, mode in enumerate(IN_TURN) if mode != UNDECIDED}
    filters = [obj for obj in objects if str(obj.get("mode")) in order]
    filters.sort(key=lambda obj: order[str(obj["mode"])])
    listed: list[ListObject] = []
    for obj in filters:
        mode, key, name = str(obj["mode"]), resource.key_of(obj), resource.label_of(obj)
        before = [at for at, one in enumerate(listed) if one.does != mode]
        listed.append(ListObject(key, name, expression_of(obj), mode, before=before))
    covering = Covering(listed, packets=True, filters=True)
    return covering.claims("it matches the same packets as {}, in the same mode", reach)


def _override_claims(resource: Resource, objects: Sequence[Object]) -> Iterator[Claim]:
    """The overrides of managed rules. The first that matches and sets something for a managed rule
    decides about it."""
    active = [obj for obj in objects if not is_off(obj)]
    is_packet = resource is L4_OVERRIDES
    settings = [None if not_understood(obj) else _set_by(obj) for obj in active]
    listed = [
        ListObject(
            resource.key_of(obj),
            resource.label_of(obj),
            expression_of(obj) or "true",
            place if own is None else as_json(own),
            before=[at for at, one in enumerate(settings[:place]) if _sets_all_of(one, own)],
        )
        for place, (obj, own) in enumerate(zip(active, settings))
    ]
    covering = Covering(listed, packets=is_packet)
    same = "it has the same expression and settings as {}"
    return covering.claims(same, None if is_packet else ARRIVING)


SettingsByRule = Mapping[str, Any]  # of an override, by managed rule; an empty name is for all


def _set_by(override: Object) -> SettingsByRule:
    settings = {f"{what} {name}": item for what, name, item in named_entries(override)}
    whole = {name: override[name] for name in ("action", "sensitivity") if override.get(name)}
    return {**({"": whole} if whole else {}), **settings}


def _sets_all_of(earlier: SettingsByRule | None, own: SettingsByRule | None) -> bool:
    """Return whether an override sets something for each managed rule that another one is about;
    None is one that is not understood."""
    if earlier is None or own is None:
        return False
    return "" in earlier or ("" not in own and earlier.keys() >= own.keys())


def _claims_of_rules(resource: Resource, state: State, own: Ranges) -> Iterator[Claim]:
    """The rules of a list, in a zone with those of its account and of rulesets that it executes."""
    if resource.plural in IN_ORDER:
        rules = rules_in_force(state, resource)
    else:
        rules = in_order_of(resource)(state[resource.plural])
    active = [one for one in rules if one.active]
    claims = {claim.key: claim for claim in _rule_claims(resource, active, state, own)}
    by_name: dict[object, list[Key]] = {}
    for rule in active:
        by_name.setdefault(rule.key[0], []).append(rule.key)
    for keys in by_name.values():  # a ruleset that two rules execute may work for one of them
        kinds = {claims[key].kind if key in claims else "" for key in keys}
        if (len(kinds) == 1 and "" not in kinds) or kinds == {NEVER, SHADOWED}:
            shadowed = [key for key in keys if claims[key].kind != NEVER]
            yield claims[(shadowed or keys)[0]]


def _rule_claims(
    resource: Resource, rules: Sequence[ZoneRule], state: State, own: Ranges
) -> Sequence[Claim]:
    lists, values = contents_in(state), zone_values(state)
    decides = any(evaluated_as(resource) is one for one, _in_order in DECIDING)
    passing = [] if decides else [*_skips_of(resource, state)]
    places = {rule.key: at for at, rule in enumerate(rules)}
    skips = range(len(rules), len(rules) + len(passing))
    listed = [
        ListObject(
            rule.key,
            rule.entry,
            with_contents(rule.expression, lists),
            as_json([*map(rule.obj.get, ALIKE_IN), rule.key if rule.conditions else None]),
            decides and _ends(rule),
            (*(places[one.key] for one in rule.unless), *skips),
            with_contents(rule.whole, lists),
            is_beside=rule.of_account,  # its account judges it
        )
        for rule in rules
    ]
    listed += [
        ListObject(skip.key, skip.entry, with_contents(beyond(skip, before), lists), is_beside=True)
        for skip, before in passing
    ]
    read = "".join(one.whole + one.expression for one in listed)
    of_zone = tuple(item for item in values.items() if item[0] in read)
    return _judged(tuple(listed), of_zone, resource.traffic, tuple(own))


@lru_cache(maxsize=MOST_JUDGED)  # many zones have the same rules
def _judged(
    listed: tuple[ListObject, ...],
    of_zone: tuple[tuple[str, bytes], ...],
    traffic: str,
    own: tuple[Range, ...],
) -> Sequence[Claim]:
    """The rules that cannot work."""
    decide = partial(_by_zone, dict(of_zone)) if of_zone else None
    covering = Covering(listed, decide, packets=traffic == "packet")
    reach = ARRIVING if traffic == "request" else _among(own)
    return [*covering.claims("it has the same expression as {}, and does the same", reach)]


def _ends(rule: ZoneRule) -> bool:
    """Return whether a request or packet that a rule matches meets no rule behind it, for sure."""
    return not rule.conditions and (rule.action in ENFORCING or rule.terminates)


def _skips_of(resource: Resource, state: State) -> Iterator[tuple[ZoneRule, list[ZoneRule]]]:
    """The custom rules that take requests past the phase of a resource, each with those before it
    that may take them past itself and not past the phase."""
    before: list[ZoneRule] = []
    custom = rules_in_force(state, CUSTOM_RULES) if state.get(CUSTOM_RULES.plural) else ()
    for rule in (one for one in custom if one.active):
        is_skip = rule.lets_pass and phase_of(resource) in rule.skips
        if is_skip and not rule.conditions:
            yield rule, [*before]
        elif rule.action != "block" and (rule.terminates or rule.unknown):  # challenges are solved
            before.append(rule)


def _by_zone(values: Mapping[str, bytes], leaf: Comparison) -> object:
    """The truth of a comparison that the zone decides; None of any other."""
    from .._expressions.evaluation import truth_by  # loaded if a zone is known

    return truth_by(values, leaf) if leaf.field in values else None

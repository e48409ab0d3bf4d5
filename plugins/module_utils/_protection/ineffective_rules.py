# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules, filters and overrides of a list that cannot work, each with the others that decide in
its place."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any, Iterator, Mapping, Sequence

from .._expressions.covering import NEVER, SHADOWED, Claim, Covering, ListObject, Reach
from .._expressions.expression import Expression
from .._expressions.grammar import Comparison
from .._expressions.solve import DESTINATION, FIRST_LEVELS, SOURCE
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.ddos_overrides import L4_OVERRIDES, is_off
from .._schema.registry import DDOS_OVERRIDES, DECIDING, evaluated_as
from .._schema.resource import ENFORCING, Key, Object, Resource, State
from .._schema.rulesets import named_entries
from .._values.address_set import ROUTABLE, Range, Ranges, ranges_of, union
from .._values.kinds import as_json
from .modes import IN_TURN, UNDECIDED
from .overrides import not_understood
from .rules_in_force import (
    IN_ORDER,
    ZoneRule,
    beyond,
    contents_in,
    in_order_of,
    phase_of,
    rules_in_force,
    zone_values,
)

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
        listed.append(ListObject(key, name, Expression.of_object(obj), mode, before=before))
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
            _of_override(obj),
            place if own is None else as_json(own),
            before=[at for at, one in enumerate(settings[:place]) if _sets_all_of(one, own)],
        )
        for place, (obj, own) in enumerate(zip(active, settings))
    ]
    covering = Covering(listed, packets=is_packet)
    same = "it has the same expression and settings as {}"
    return covering.claims(same, None if is_packet else ARRIVING)


def _of_override(override: Object) -> Expression:
    """The expression of an override; one without any is for all traffic."""
    expression = Expression.of_object(override)
    return expression if expression.text else Expression.of("true")


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
    decides = any(evaluated_as(resource) is one for one in DECIDING)
    passing = [] if decides else [*_skips_of(resource, state)]
    places = {rule.key: at for at, rule in enumerate(rules)}
    skips = range(len(rules), len(rules) + len(passing))
    listed = [
        ListObject(
            rule.key,
            rule.entry,
            rule.expression.with_lists(lists),
            as_json([*map(rule.obj.get, ALIKE_IN), rule.key if rule.conditions else None]),
            decides and _ends(rule),
            (*(places[one.key] for one in rule.unless), *skips),
            rule.whole and rule.whole.with_lists(lists),
            is_beside=rule.of_account,  # its account judges it
        )
        for rule in rules
    ]
    listed += [
        ListObject(skip.key, skip.entry, beyond(skip, before).with_lists(lists), is_beside=True)
        for skip, before in passing
    ]
    names: set[str] = set()
    for one in listed:
        names.update(one.expression.names, one.whole.names if one.whole else ())
    of_zone = tuple(item for item in values.items() if item[0] in names)
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

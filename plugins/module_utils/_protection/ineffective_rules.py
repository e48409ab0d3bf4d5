# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules, filters and overrides of a list that cannot work, each with the others that decide in
its place."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache, partial
from typing import Any, Iterator, Mapping, Sequence

from .._expressions.expression import Expression
from .._expressions.grammar import Comparison
from .._expressions.solve import Diagrams, matches_every_request
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.ddos_overrides import L4_OVERRIDES, is_off
from .._schema.firewall_rules import FIREWALL_RULES, has_deleted_filter
from .._schema.lists import ListContents, items_of
from .._schema.registry import DDOS_OVERRIDES, DECIDING, evaluated_as
from .._schema.resource import ENFORCING, Key, Object, Resource, State
from .._schema.rulesets import LOGGED, named_entries, phase_of
from .._text import first_few
from .._values.address_set import SOURCES_OF_REQUESTS, Contents, Range, Ranges
from .._values.kinds import as_json
from .covering import NEVER, SHADOWED, Claim, Covering, ListObject, Reach
from .modes import IN_TURN, UNDECIDED
from .overrides import not_understood, override_expression
from .rules_in_force import (
    IN_ORDER,
    ZoneRule,
    beyond,
    contents_in,
    in_order_of,
    rules_in_force,
    zone_values,
)

Ends = Mapping[Key, datetime]  # of objects that end
EndsByCollection = Mapping[str, Ends]

OUTSIDE, UNREACHABLE = "outside", "unreachable"
NAMES_NO_DESTINATION = (
    "its destinations lie outside of every network that the account protects or announces"
)
# Rules see packets that arrive, and, with egress of Magic Transit, those that leave.
NAMES_NO_END = (
    "its sources and destinations lie outside of every network that the account protects or"
    " announces"
)
NOT_ARRIVING = "it names only private or reserved sources, which no request from the internet has"
ARRIVING = Reach((Diagrams.SOURCE,), SOURCES_OF_REQUESTS, UNREACHABLE, NOT_ARRIVING)
FILTER_IS_DELETED = "its filter is deleted, so that it matches no request"
MOST_REMEMBERED_LISTS = 16  # lists of rules, of which the claims are kept
ALIKE_IN = ("action", "action_parameters", "ratelimit", "products")


def claims_of_list(
    resource: Resource, state: State, networks: Ranges, ends: EndsByCollection
) -> Iterator[Claim]:
    """Claims on the rules, filters or overrides of a list that cannot work. `networks` are those of
    the account, which all packets go to or come from; if empty, they are not known."""
    if resource.component:
        return _filter_claims(resource, state[resource.plural], _arriving_in(networks))
    if resource in DDOS_OVERRIDES:
        return _override_claims(resource, state[resource.plural])
    return _claims_of_rules(resource, state, networks, ends)


def _arriving_in(networks: Sequence[Range]) -> Reach | None:
    """The destinations of arriving packets, which filters must name; None if the account's networks
    are not known."""
    if not networks:
        return None
    fields = (Diagrams.DESTINATION,)
    return Reach(fields, [*networks], OUTSIDE, NAMES_NO_DESTINATION)


def _arriving_or_leaving(networks: Sequence[Range]) -> Reach | None:
    """The sources and destinations of arriving and leaving packets, one of which is in a network of
    the account; None if these networks are not known."""
    if not networks:
        return None
    fields = (Diagrams.SOURCE, Diagrams.DESTINATION)
    return Reach(fields, [*networks], OUTSIDE, NAMES_NO_END)


def _filter_claims(
    resource: Resource, objects: Sequence[Object], reach: Reach | None
) -> Iterator[Claim]:
    """Claims on the filters of a component that cannot work. Filters decide in the order of their
    modes; the order of filters with equal modes does not matter."""
    modes = [mode for mode in IN_TURN if mode != UNDECIDED]
    filters = [obj for obj in objects if str(obj.get("mode")) in modes]
    filters.sort(key=lambda obj: modes.index(str(obj["mode"])))
    listed: list[ListObject] = []
    for obj in filters:
        mode, key, name = str(obj["mode"]), resource.key_of(obj), resource.label_of(obj)
        before = [place for place, earlier in enumerate(listed) if earlier.does != mode]
        listed.append(ListObject(key, name, Expression.of_object(obj), mode, before=before))
    covering = Covering(listed, packets=True, filters=True)
    return covering.claims("it matches the same packets as {}, in the same mode", reach)


def _override_claims(resource: Resource, objects: Sequence[Object]) -> Iterator[Claim]:
    """Claims on overrides that cannot work. For each managed rule, the first matching override that
    sets something for it decides."""
    active = [obj for obj in objects if not is_off(obj)]
    is_packet = resource is L4_OVERRIDES
    settings_before: list[SettingsByRule | None] = []
    listed: list[ListObject] = []
    for place, override in enumerate(active):
        settings = None if not_understood(override) else _set_by(override)
        before = []
        for earlier_place, earlier in enumerate(settings_before):
            if _sets_all_of(earlier, settings):
                before.append(earlier_place)
        listed.append(
            ListObject(
                resource.key_of(override),
                resource.label_of(override),
                _of_override(resource, override),
                place if settings is None else as_json(settings),
                before=before,
            )
        )
        settings_before.append(settings)
    covering = Covering(listed, packets=is_packet, truth_of_text=_of_text_named_by_rules)
    does_the_same = "it has the same expression and settings as {}"
    return covering.claims(does_the_same, None if is_packet else ARRIVING)


def _of_override(resource: Resource, override: Object) -> Expression:
    """The expression of an override; `true` if it has none."""
    expression = override_expression(resource, override)
    return expression if expression.text else Expression.of("true")


SettingsByRule = Mapping[str, Any]  # of an override, by managed rule; an empty name is for all


def _set_by(override: Object) -> SettingsByRule:
    settings: dict[str, Any] = {}
    whole = {name: override[name] for name in ("action", "sensitivity") if override.get(name)}
    if whole:
        settings[""] = whole
    for kind, name, entry in named_entries(override):
        settings[f"{kind} {name}"] = entry
    return settings


def _sets_all_of(earlier: SettingsByRule | None, later: SettingsByRule | None) -> bool:
    """Return whether the `earlier` override sets something for each managed rule that the `later`
    one is about. False if one of them is None: an override that is not understood."""
    if earlier is None or later is None:
        return False
    return "" in earlier or ("" not in later and earlier.keys() >= later.keys())


def _claims_of_rules(
    resource: Resource, state: State, networks: Ranges, ends: EndsByCollection
) -> Iterator[Claim]:
    """Claims on the rules of a list that cannot work, considering the rules of the account and of
    executed rulesets."""
    if resource.plural in IN_ORDER:
        rules = rules_in_force(state, resource)
    else:
        rules = in_order_of(resource)(state[resource.plural])
    active = [rule for rule in rules if rule.active]
    found = _rule_claims(resource, active, state, networks, ends)
    claims = {claim.key: claim for claim in found}
    keys_by_name: dict[object, list[Key]] = {}
    for rule in active:
        keys_by_name.setdefault(rule.key[0], []).append(rule.key)
    for keys in keys_by_name.values():
        claim = _claim_of_each([claims.get(key) for key in keys])
        if claim:
            yield claim
    if resource is FIREWALL_RULES:
        for rule in rules:
            if has_deleted_filter(rule.obj):
                yield Claim(rule.key, rule.entry, NEVER, [], FILTER_IS_DELETED)


def _claim_of_each(claims: Sequence[Claim | None]) -> Claim | None:
    """The claim on a rule that is in force several times, since several rules execute its ruleset;
    `claims` has one entry for each time. None if the rule may work at least once."""
    claimed = [claim for claim in claims if claim]
    if len(claimed) < len(claims):
        return None
    shadowed = [claim for claim in claimed if claim.kind != NEVER]
    kinds = {claim.kind for claim in claimed}
    if len(kinds) == 1 or kinds == {NEVER, SHADOWED}:
        return (shadowed or claimed)[0]
    return None


def _rule_claims(
    resource: Resource,
    rules: Sequence[ZoneRule],
    state: State,
    networks: Ranges,
    ends: EndsByCollection,
) -> Sequence[Claim]:
    lists = _lasting_lists(state, ends)
    decides = any(evaluated_as(resource) is deciding for deciding in DECIDING)
    passing = [] if decides else [*_skips_of(resource, state)]
    places = {rule.key: place for place, rule in enumerate(rules)}
    places_of_skips = range(len(rules), len(rules) + len(passing))
    listed: list[ListObject] = []
    for rule in rules:
        before = [places[skip.key] for skip in rule.unless]
        listed.append(
            ListObject(
                rule.key,
                rule.entry,
                rule.expression.with_lists(lists),
                _effect_of(rule),
                decides and _ends(rule),
                (*before, *places_of_skips),
                rule.whole and rule.whole.with_lists(lists),
                is_beside=rule.of_account,  # its account judges it
                end=_end_of(rule, ends.get(resource.plural, {})),
            )
        )
    for skip, earlier in passing:
        expression = beyond(skip, earlier).with_lists(lists)
        end = _end_of(skip, ends.get(CUSTOM_RULES.plural, {}))
        listed.append(ListObject(skip.key, skip.entry, expression, is_beside=True, end=end))
    values = _values_read(listed, state)
    claims = _claims_among(tuple(listed), values, resource.traffic, tuple(networks))
    claimed = {claim.key for claim in claims}
    unclaimed = [rule for rule in listed if rule.key not in claimed and not rule.is_beside]
    return [*claims, *_claims_by_empty_lists(resource, unclaimed, _empty_lists(state))]


def _empty_lists(state: State) -> frozenset[str]:
    """The names of the lists that have no items."""
    empty = [name for name in contents_in(state) if not state[items_of(name).plural]]
    return frozenset(empty)


def _claims_by_empty_lists(
    resource: Resource, listed: Sequence[ListObject], empty: frozenset[str]
) -> Iterator[Claim]:
    """Claims on the rules that match nothing because the lists that they refer to are empty."""
    without_items = dict.fromkeys(empty, Contents())
    for rule in listed:
        names = [name for name in rule.expression.lists if name in empty]
        if not names:
            continue
        expression = rule.expression.with_lists(without_items)
        if matches_every_request(expression.not_()):
            are_empty = f"the list {names[0]} is empty"
            if len(names) > 1:
                are_empty = f"the lists {first_few(names)} are empty"
            reason = f"no {resource.traffic} matches its expression while {are_empty}"
            yield Claim(rule.key, rule.name, NEVER, names, reason)


def _lasting_lists(state: State, ends: EndsByCollection) -> ListContents:
    """The contents of the lists that are not empty and have no item that expires."""
    contents, empty = contents_in(state), _empty_lists(state)
    lasting: dict[str, Contents] = {}
    for name in contents:
        if name not in empty and not ends.get(items_of(name).plural):
            lasting[name] = contents[name]
    return lasting


def _end_of(rule: ZoneRule, ends: Ends) -> datetime | None:
    """The end of a rule, or of the rule that executes its ruleset; None if it does not expire."""
    return ends.get(rule.via or rule.key)


def _effect_of(rule: ZoneRule) -> str:
    """A text on the effect of a rule, equal for rules with the same effect; a skip that is logged
    differs from one that is not."""
    fields = [_in_any_order(rule.obj.get(name)) for name in ALIKE_IN]
    logging = (rule.obj.get("logging") or LOGGED["logging"]) if rule.lets_pass else None
    return as_json([*fields, logging, rule.key if rule.conditions else None])


def _in_any_order(value: Any) -> Any:
    """The value of a field, with lists of names sorted, since their order does not matter."""
    if isinstance(value, Mapping):
        return {name: _in_any_order(inner) for name, inner in value.items()}
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return sorted({*value})
    return value


def _values_read(listed: Sequence[ListObject], state: State) -> tuple[tuple[str, bytes], ...]:
    """The names and values of those fields that the zone decides and that some expressions use."""
    names: set[str] = set()
    for candidate in listed:
        names.update(candidate.expression.names)
        if candidate.whole:
            names.update(candidate.whole.names)
    values = zone_values(state)
    return tuple((name, values[name]) for name in values if name in names)


@lru_cache(maxsize=MOST_REMEMBERED_LISTS)  # many zones have the same rules
def _claims_among(
    listed: tuple[ListObject, ...],
    values_of_zone: tuple[tuple[str, bytes], ...],
    traffic: str,
    networks: tuple[Range, ...],
) -> Sequence[Claim]:
    """Claims on the rules in `listed` that cannot work."""
    decide = partial(_by_zone, dict(values_of_zone)) if values_of_zone else None
    is_packet = traffic == "packet"
    covering = Covering(
        listed, decide, is_packet, truth_of_text=_of_text_named_by_rules, on_routing=is_packet
    )
    reach = ARRIVING if traffic == "request" else _arriving_or_leaving(networks)
    return [*covering.claims("it has the same expression as {}, and does the same", reach)]


def _ends(rule: ZoneRule) -> bool:
    """Return whether a rule certainly ends the evaluation for all traffic that it matches."""
    return not rule.conditions and (rule.action in ENFORCING or rule.terminates)


def _skips_of(resource: Resource, state: State) -> Iterator[tuple[ZoneRule, list[ZoneRule]]]:
    """The custom rules that make requests skip the phase of `resource`, each with the rules before
    it that may keep requests from reaching it without skipping the phase."""
    before: list[ZoneRule] = []
    custom_rules = rules_in_force(state, CUSTOM_RULES) if state.get(CUSTOM_RULES.plural) else ()
    for rule in custom_rules:
        if not rule.active:
            continue
        is_skip = rule.lets_pass and phase_of(resource) in rule.skips
        if is_skip and not rule.conditions:
            yield rule, [*before]
        elif rule.action != "block" and (rule.terminates or rule.unknown):  # challenges are solved
            before.append(rule)


def _by_zone(values: Mapping[str, bytes], leaf: Comparison) -> object:
    """The truth of a comparison whose field has a value in `values`; None for any other
    comparison."""
    from .._expressions.evaluation import truth_by  # loaded if a zone is known

    return truth_by(values, leaf) if leaf.field in values else None


def _of_text_named_by_rules(leaf: Comparison, field: str, text: str) -> object:
    """The truth of the comparison `leaf` if its field has this text; None if that is not known."""
    from .._expressions.evaluation import truth_of_text  # loaded if a rule names a text

    return truth_of_text(leaf, field, text)

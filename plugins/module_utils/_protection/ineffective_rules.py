# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of a list that cannot work, considering the rules of the account and of executed
rulesets.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Iterator, Mapping, Sequence

from .._schema.custom_rules import CUSTOM_RULES
from .._schema.firewall_rules import FIREWALL_RULES, has_deleted_filter
from .._schema.registry import DECIDING, evaluated_as
from .._schema.resource import ENFORCING, Key, Resource, State
from .._schema.rulesets import LOGGED, phase_of
from .._values.address_set import Ranges
from .._values.kinds import as_json
from .claims_among import claims_among, values_read
from .covering import NEVER, SHADOWED, Claim, ListObject
from .empty_lists import Ends, EndsByCollection, claims_by_empty_lists, empty_lists, lasting_lists
from .rules_in_force import IN_ORDER, beyond, rules_in_force
from .zone_rule import ZoneRule, in_order_of

FILTER_IS_DELETED = "its filter is deleted, so that it matches no request"
ALIKE_IN = ("action", "action_parameters", "ratelimit", "products")


def claims_of_rules(
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
    lists = lasting_lists(state, ends)
    decides = any(evaluated_as(resource) is deciding for deciding in DECIDING)
    passing = [] if decides else [*skips_of(resource, state)]
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
    values = values_read(listed, state)
    claims = claims_among(tuple(listed), values, resource.traffic, tuple(networks))
    claimed = {claim.key for claim in claims}
    unclaimed = [rule for rule in listed if rule.key not in claimed and not rule.is_beside]
    return [*claims, *claims_by_empty_lists(resource, unclaimed, empty_lists(state))]


def _end_of(rule: ZoneRule, ends: Ends) -> datetime | None:
    """The end of a rule, or of the rule that executes its ruleset; None if it does not expire."""
    return ends.get(rule.via or rule.key)


def _effect_of(rule: ZoneRule) -> str:
    """A text on the effect of a rule, equal for rules with the same effect; a skip that is logged
    differs from one that is not. The action of a rule says all if nothing goes with it."""
    given = {name: rule.obj[name] for name in ALIKE_IN if rule.obj.get(name) is not None}
    if not (rule.lets_pass or rule.conditions) and [*given] == ["action"]:
        return rule.action
    logging = (rule.obj.get("logging") or LOGGED["logging"]) if rule.lets_pass else None
    return as_json([_in_any_order(given), logging, rule.key if rule.conditions else None])


def _in_any_order(value: Any) -> Any:
    """The value of a field, with lists of names sorted, since their order does not matter."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {name: _in_any_order(inner) for name, inner in value.items()}
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return sorted({*value})
    return value


def _ends(rule: ZoneRule) -> bool:
    """Return whether a rule certainly ends the evaluation for all traffic that it matches."""
    return not rule.conditions and (rule.action in ENFORCING or rule.terminates)


def skips_of(resource: Resource, state: State) -> Iterator[tuple[ZoneRule, list[ZoneRule]]]:
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

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The components of an account, as its rules and filters say what each does."""

from __future__ import annotations

from typing import Mapping, Sequence

from .._expressions.expression import Expression
from .._expressions.solve import MatchedDestinations
from .._schema.account import (
    COMPONENTS,
    ENABLED,
    MODES,
    MONITORING,
    filters_of,
    levels_of_rule,
    rules_of_component,
)
from .._schema.resource import Key, Object, Resource
from .._text import Unread, excerpt
from .._values.address_set import EVERYTHING
from .._values.kinds import CODE
from .modes import DATA_CENTER, GLOBAL, REGION, UNDECIDED, Component, Filter, Rule, RulePlace


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

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules for a zone's firewall rules and WAF custom rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Mapping, Sequence

from .._errors import OptionError, OptionProblems
from .._guard.risks.registry import ZONE_LIST_RISKS, risk_options
from .._guard.risks.zone import ZONE_RULE_RISKS
from .._messages import Message, Option
from .._plan.desired import (
    STATE,
    Desired,
    Position,
    numbered,
    parse_desired,
    parse_ignore,
    parse_position,
)
from .._schema.resource import Field, Key, Object, Resource, State, options_of
from .._schema.zone import CUSTOM_RULES, FIREWALL_RULES, OWNER
from .._values.kinds import FLAG, ID, TEXT, identifier
from .base import ModuleSpec, Options, list_option


def firewall_spec() -> ModuleSpec:
    """firewall_rules: updates rules that exist."""

    def result(options: Options, desired: Sequence[Desired], state: State) -> Mapping[str, Any]:
        by_key = {FIREWALL_RULES.key_of(item): item for item in state[FIREWALL_RULES.plural]}
        return {"rules": [by_key[key] for key in desired[0].objects]}

    return ModuleSpec(
        owner=OWNER,
        options={
            "rules": list_option(FIREWALL_RULES, required=True),
            **risk_options(ZONE_RULE_RISKS),
        },
        reads=lambda options: (FIREWALL_RULES,),
        desired=lambda options: (
            parse_desired(FIREWALL_RULES, numbered("rules", options["rules"])),
        ),
        result=result,
    )


def custom_spec() -> ModuleSpec:
    """custom_rules: the rules that the task names, or with state exact the whole list and its
    order."""

    def result(options: Options, desired: Sequence[Desired], state: State) -> Mapping[str, Any]:
        rules = list(state[CUSTOM_RULES.plural])
        foreign = [rule for rule in rules if CUSTOM_RULES.key_of(rule) not in desired[0].objects]
        return {"rules": rules, "unmanaged": [CUSTOM_RULES.label_of(rule) for rule in foreign]}

    return ModuleSpec(
        owner=OWNER,
        options={
            "rules": list_option(CUSTOM_RULES, {"position": {"type": "str"}}, required=True),
            "state": {
                "type": "str",
                "choices": ["present", "absent", "exact"],
                "default": "present",
            },
            "ignore": {"type": "list", "elements": "str", "default": []},
            "validate": {"type": "bool", "default": False},
            **risk_options(ZONE_LIST_RISKS),
        },
        reads=lambda options: (CUSTOM_RULES,),
        desired=_desired_rules,
        result=result,
    )


def _desired_rules(options: Options) -> Sequence[Desired]:
    state = options["state"]
    positions: dict[Key, Position] = {}
    entries = []
    problems = OptionProblems()
    for path, entry in numbered("rules", options["rules"]):
        if entry["position"] is not None and state != "absent":
            with problems.collected():
                positions[CUSTOM_RULES.key_of(entry)] = _position(path, entry["position"], state)
        entries.append((path, {name: value for name, value in entry.items() if name != "position"}))
    with problems.collected():
        rules = parse_desired(
            CUSTOM_RULES, entries, absent=state == "absent", exclusive=state == "exact"
        )
        rules = parse_ignore(rules, "ignore", options.get("ignore") or ())
    problems.raise_any()
    return (replace(rules, positions=positions),)


def _position(path: Option, text: str, state: str) -> Position:
    if state == "exact":
        raise OptionError(
            path.at("position"),
            Message("with ", STATE, " exact the order of the list is the order of the rules"),
        )
    try:
        return parse_position(text)
    except ValueError as exc:
        raise OptionError(path.at("position"), str(exc)) from exc


def info_spec(resource: Resource, with_paused: Callable[[Object], Object]) -> ModuleSpec:
    """Rules of a zone that meet every condition of the task; a description is met by a part of it.

    `with_paused` returns a rule with the field `paused`.
    """
    conditions = (Field("id", ID), resource.field("action"), Field("paused", FLAG))

    def meets(options: Options, rule: Object) -> bool:
        description = (options["description"] or "").casefold()
        return description in str(rule.get("description") or "").casefold() and all(
            options[item.name] is None
            or item.normalised(options) == item.normalised(with_paused(rule))
            for item in conditions
        )

    def reads(options: Options) -> Sequence[Resource]:
        if options["id"] is not None:
            try:
                identifier(options["id"])
            except ValueError as exc:
                raise OptionError(Option("id"), str(exc)) from exc
        return (resource,)

    def result(options: Options, desired: Sequence[Desired], state: State) -> Mapping[str, Any]:
        return {"rules": [rule for rule in state[resource.plural] if meets(options, rule)]}

    return ModuleSpec(
        owner=OWNER,
        options=options_of((*conditions, Field("description", TEXT))),
        reads=reads,
        result=result,
    )


def firewall_info_spec() -> ModuleSpec:
    """firewall_rules_info."""
    return info_spec(FIREWALL_RULES, lambda rule: rule)


def custom_info_spec() -> ModuleSpec:
    """custom_rules_info; a rule that is not enabled is a paused one."""
    return info_spec(CUSTOM_RULES, lambda rule: {**rule, "paused": rule.get("enabled") is False})

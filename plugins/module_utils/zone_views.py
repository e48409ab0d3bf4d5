# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules for a zone's firewall rules and WAF custom rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Mapping, Sequence

from .declaration import Field, Key, Object, Resource, State, options_of
from .errors import OptionError
from .limits import LIST_CODES, limit_options
from .resources import CUSTOM_RULES, FIREWALL_RULES
from .values import FLAG, ID, TEXT, identifier
from .view import Options, View, list_option
from .wishes import Position, Wishes, numbered, read_position, read_wishes


def firewall_view() -> View:
    """firewall_rules: rules that exist, brought into line."""

    def wishes(options: Options) -> Sequence[Wishes]:
        return (read_wishes(FIREWALL_RULES, numbered("rules", options["rules"])),)

    def shows(options: Options, state: State) -> Mapping[str, Any]:
        held = {FIREWALL_RULES.key_of(item): item for item in state[FIREWALL_RULES.plural]}
        return {"rules": [held[key] for key in wishes(options)[0].wanted]}

    return View(
        place="zone_id",
        options={"rules": list_option(FIREWALL_RULES.fields, required=True)},
        reads=lambda options: (FIREWALL_RULES,),
        wishes=wishes,
        shows=shows,
    )


def custom_view() -> View:
    """custom_rules: the named rules, or with state exact the whole list and its order."""

    def wishes(options: Options) -> Sequence[Wishes]:
        state = options["state"]
        positions: dict[Key, Position] = {}
        entries = []
        for place, entry in numbered("rules", options["rules"]):
            if entry["position"] is not None:
                positions[CUSTOM_RULES.key_of(entry)] = _position(place, entry["position"], state)
            entries.append((place, {name: value for name, value in entry.items() if name != "position"}))
        read = read_wishes(CUSTOM_RULES, entries, absent=state == "absent", exact=state == "exact")
        return (replace(read, positions=positions),)

    return View(
        place="zone_id",
        options={
            "rules": list_option(CUSTOM_RULES.fields, {"position": {"type": "str"}}, required=True),
            "state": {"type": "str", "choices": ["present", "absent", "exact"], "default": "present"},
            "validate": {"type": "bool", "default": False},
            **limit_options(LIST_CODES),
        },
        reads=lambda options: (CUSTOM_RULES,),
        wishes=wishes,
        shows=lambda options, state: {"rules": list(state[CUSTOM_RULES.plural])},
    )


def _position(place: str, text: str, state: str) -> Position:
    if state == "exact":
        raise OptionError(place + "position", "with state exact the order of the list is the order of the rules")
    try:
        return read_position(text)
    except ValueError as exc:
        raise OptionError(place + "position", str(exc)) from exc


def info_view(resource: Resource, asked: Callable[[Object], Object]) -> View:
    """Rules of a zone that meet every condition given; a description is met by a part of it.

    `asked` shows a rule with the field `paused`.
    """
    conditions = (Field("id", ID), resource.field("action"), Field("paused", FLAG))

    def meets(options: Options, rule: Object) -> bool:
        wanted = (options["description"] or "").casefold()
        return wanted in str(rule.get("description") or "").casefold() and all(
            options[item.name] is None or item.meaning(options) == item.meaning(asked(rule)) for item in conditions
        )

    def reads(options: Options) -> Sequence[Resource]:
        if options["id"] is not None:
            try:
                identifier(options["id"])
            except ValueError as exc:
                raise OptionError("id", str(exc)) from exc
        return (resource,)

    return View(
        place="zone_id",
        options=options_of((*conditions, Field("description", TEXT))),
        reads=reads,
        shows=lambda options, state: {"rules": [rule for rule in state[resource.plural] if meets(options, rule)]},
    )


def firewall_info_view() -> View:
    """firewall_rules_info."""
    return info_view(FIREWALL_RULES, lambda rule: rule)


def custom_info_view() -> View:
    """custom_rules_info; a rule that is not enabled is a paused one."""
    return info_view(CUSTOM_RULES, lambda rule: {**rule, "paused": rule.get("enabled") is False})

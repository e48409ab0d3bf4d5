# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules for the lists of an account: one list, or all that the account should have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping, Sequence

from .._errors import OptionError, OptionProblems, parsed
from .._guard.risks.base import risk_options
from .._guard.risks.lists import DELETION_RISKS, REFERENCED_LIST_RISKS
from .._guard.risks.rulesets import NETWORK_FIREWALL_RISKS, ZONE_RULE_RISKS
from .._plan.desired import Desired, Entries, check_purge, numbered, parse_desired, parse_ignore
from .._schema.lists import LIST_KIND, LISTS, items_of, managed_lists, with_items
from .._schema.resource import Object, OptionSpec, State
from .._text import Message, Option
from .base import (
    ABSENT,
    IGNORE_OPTION,
    PURGE_OPTION,
    STATE_OPTION,
    ModuleResult,
    ModuleSpec,
    Options,
    Resources,
    fields_of,
    list_option,
)

LIST_NAME = LISTS.field("name")
LIST_OPTIONS: OptionSpec = {
    **LISTS.field_options,
    "kind": {**LISTS.field_options["kind"], "default": LIST_KIND},
    "items": list_option(items_of("")),
    **PURGE_OPTION,
}
RULE_RISKS = (*ZONE_RULE_RISKS, *NETWORK_FIREWALL_RISKS)  # of rules that name a list
LIST_RISKS = tuple(dict.fromkeys([*DELETION_RISKS, *REFERENCED_LIST_RISKS, *RULE_RISKS]))


def parsed_name(path: Option, value: Any) -> str:
    """The name of a list; raises OptionError."""
    return str(parsed(path.at("name"), LIST_NAME.value.parse, value))


def _with_items(state: State, obj: Object) -> dict[str, Any]:
    return with_items(obj, state.get(items_of(LISTS.label_of(obj)).plural, ()))


def desired_items(path: Option, entry: Options, absent: bool, exclusive: bool) -> Desired:
    """The desired items of one list; raises OptionError."""
    items = entry.get("items")
    name = parsed_name(path, entry["name"])
    entries = numbered("items", items or (), path)
    exclusive = exclusive and items is not None
    return parse_desired(items_of(name), entries, absent=absent, exclusive=exclusive)


class IpList(ModuleSpec):
    """The module ip_list: one list and its items."""

    risks = LIST_RISKS
    of_rules = True

    def __init__(self) -> None:
        self.options = {**LIST_OPTIONS, **STATE_OPTION, **risk_options(LIST_RISKS)}

    def desired(self, options: Options) -> Sequence[Desired]:
        absent, purge = options["state"] == ABSENT, options["purge"]
        if purge:
            check_purge("items", options["items"], absent=absent)
        if absent and options["items"] == []:
            advice = "it names no item. Leave it out to delete the list, or set "
            problem = Message(advice, Option("state"), " to present")
            raise OptionError(Option("items"), problem)
        items = desired_items(Option(), options, absent, purge)
        if absent and options["items"] is not None:
            holder = parse_desired(LISTS, [(Option(), {"name": options["name"]})])
            return (replace(holder, only_deletes=True), items)
        fields = [(Option(), fields_of(LISTS, options))]
        return (parse_desired(LISTS, fields, absent=absent), items)

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        name = parsed_name(Option(), options["name"])
        lists = [obj for obj in managed_lists(state) if LISTS.label_of(obj) == name]
        whole = _with_items(state, lists[0]) if lists else {}
        items = whole.pop("items", [])
        return {"list": whole or None, "items": items}


class IpLists(ModuleSpec):
    """The lists of a host with their items; with a purge, all lists of the account."""

    risks = LIST_RISKS
    of_rules = True

    def __init__(self) -> None:
        ignored: OptionSpec = {name: {"type": "str"} for name in LISTS.assigned}
        options = {**ignored, **LIST_OPTIONS}
        self.options = {
            "lists": {"type": "list", "elements": "dict", "options": options, "required": True},
            **PURGE_OPTION,
            **IGNORE_OPTION,
            **risk_options(LIST_RISKS),
        }

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        return (LISTS, *map(items_of, self._names(options, state)))

    def _names(self, options: Options, state: State) -> Sequence[str]:
        """Names of the lists to read with their items, once the lists are read."""
        if LISTS.plural not in state:
            return ()
        names = [parsed_name(path, item["name"]) for path, item in _entries(options)]
        if options["purge"]:
            names += [LISTS.label_of(obj) for obj in managed_lists(state)]
        return list(dict.fromkeys(names))

    def desired(self, options: Options) -> Sequence[Desired]:
        entries = _entries(options)
        problems = OptionProblems()
        items: list[Desired] = []
        for path, entry in entries:
            with problems.collected():
                if entry["purge"]:
                    check_purge("items", entry["items"], path=path)
                if entry["items"] is not None:
                    items.append(desired_items(path, entry, False, entry["purge"]))
        fields = [(path, fields_of(LISTS, entry)) for path, entry in entries]
        with problems.collected():
            lists = parse_desired(LISTS, fields, exclusive=options["purge"])
            lists = parse_ignore(lists, options["ignore"] or ())
        problems.raise_any()
        return (lists, *items)

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        known = self._names(options, state)
        lists = [obj for obj in managed_lists(state) if LISTS.label_of(obj) in known]
        return {"lists": [_with_items(state, obj) for obj in lists]}


def _entries(options: Options) -> Entries:
    return numbered("lists", options["lists"])


SPECS: Mapping[str, ModuleSpec] = {"ip_list": IpList()}

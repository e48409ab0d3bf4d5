# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules for the lists of an account: one list, or all that the account should have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping, Sequence

from .._arguments import ArgumentFields, only, unless_wrong
from .._errors import OptionError, OptionProblems, parsed
from .._guard.risks.base import risk_options
from .._guard.risks.lists import DELETION_RISKS, REFERENCED_LIST_RISKS
from .._guard.risks.rulesets import NETWORK_FIREWALL_RISKS
from .._plan.desired import (
    Desired,
    Entries,
    check_purge,
    numbered,
    parse_desired,
    parse_ignore,
    raise_any,
)
from .._schema.lists import (
    ANY_ITEM,
    LIST_KIND,
    LIST_KINDS,
    LISTS,
    items_in,
    items_of,
    kind_of_item,
    managed_lists,
    of_existing_kind,
    with_items,
)
from .._schema.resource import Object, OptionSpec, Resource, State
from .._text import Message, Option
from .base import (
    IGNORE_OPTION,
    PURGE_OPTION,
    STATE_OPTION,
    ModuleResult,
    ModuleSpec,
    Options,
    Resources,
    fields_of,
    is_absent,
    list_option,
)

LIST_NAME = LISTS.field("name")
LIST_OPTIONS: OptionSpec = {
    **LISTS.field_options,
    "kind": {**LISTS.field_options["kind"], "default": LIST_KIND},
    "items": list_option(replace(items_of(""), fields=ANY_ITEM)),
    **PURGE_OPTION,
}
# With those of the rules that name a list, as far as they are the account's.
LIST_RISKS = (*DELETION_RISKS, *REFERENCED_LIST_RISKS, *NETWORK_FIREWALL_RISKS)


def parsed_name(path: Option, value: Any) -> str:
    """The name of a list; raises OptionError."""
    return str(parsed(path.at("name"), LIST_NAME.value.parse, value))


def _with_items(state: State, obj: Object) -> dict[str, Any]:
    return with_items(obj, state.get(items_of(LISTS.label_of(obj)).plural, ()))


def desired_items(path: Option, entry: Options, absent: bool, exclusive: bool) -> Desired:
    """The desired items of one list; raises OptionError."""
    items, kind = entry.get("items"), unless_wrong(entry, "kind")
    entries, problems = numbered("items", items or (), path), OptionProblems()
    others: set[int] = set()
    if kind is None:  # it is wrong
        kind = _kind_of_list(entries[0][1], LIST_KIND) if entries else LIST_KIND
    for index, (option, item) in enumerate(entries):
        if _kind_of_list(item, kind) != kind:
            problems.add(_wrong_kind(option, item, kind, path))
            others.add(index)
    if others:
        entries = [one for index, one in enumerate(entries) if index not in others]
    name = ""
    with problems.collected():
        name = parsed_name(path, entry["name"])
    exclusive = exclusive and items is not None
    desired = parse_desired(items_of(name, kind), entries, absent, exclusive, problems)
    raise_any(problems, [] if absent else [desired])
    return desired


def _kind_of_list(item: Options, kind: str) -> str:
    """The kind of an item, or of its list if it is wrong, so that the rest of it is read."""
    try:
        return kind_of_item(item)
    except OptionError:
        return kind


def _wrong_kind(option: Option, item: Options, kind: str, path: Option) -> OptionError:
    """The error of an item of another kind than its list, or of none or several."""
    own = kind_of_item(item)
    if not own:
        return OptionError(option, f"it needs {kind}, and no other of {', '.join(LIST_KINDS)}")
    problem = Message(f"the list has {LIST_KINDS[kind]}; set ", path.at("kind"), f" to {own}")
    return OptionError(option.at(own), problem)


class IpList(ModuleSpec):
    """The module ip_list: one list and its items."""

    risks = LIST_RISKS
    of_rules = True

    def __init__(self) -> None:
        self.options = {**LIST_OPTIONS, **STATE_OPTION, **risk_options(LIST_RISKS)}

    def desired(self, options: Options) -> Sequence[Desired]:
        absent, purge, problems = is_absent(options), options["purge"], OptionProblems()
        with problems.collected():
            if purge:
                check_purge("items", options["items"], absent=absent)
        with problems.collected():
            if absent and options["items"] == []:
                advice = "it names no item. Leave it out to delete the list, or set "
                problem = Message(advice, Option("state"), " to present")
                raise OptionError(Option("items"), problem)
        with problems.collected():
            items = desired_items(Option(), options, absent, purge)
        with problems.collected():
            holder = self._holder(options, absent)
        problems.raise_any()
        return (holder, items)

    @staticmethod
    def _holder(options: Options, absent: bool) -> Desired:
        """The desired list without its items; raises OptionError."""
        if absent and options["items"] is not None:
            named = only(options, ("name", "kind"))
            return replace(parse_desired(LISTS, [(Option(), named)]), only_deletes=True)
        return parse_desired(LISTS, [(Option(), fields_of(LISTS, options))], absent=absent)

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        every = super().reads(options, desired, state)
        return [of_existing_kind(resource, state) for resource in every]

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
        options = ArgumentFields(LIST_OPTIONS)
        options.ignored = LISTS.assigned
        self.options = {
            "lists": {"type": "list", "elements": "dict", "options": options, "required": True},
            **PURGE_OPTION,
            **IGNORE_OPTION,
            **risk_options(LIST_RISKS),
        }

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        return (LISTS, *self._items(options, state).values())

    def _items(self, options: Options, state: State) -> Mapping[str, Resource]:
        """The items of the lists to read, by the names of these, once the lists are read."""
        if LISTS.plural not in state:
            return {}
        known = {LISTS.label_of(obj): items_in(obj) for obj in managed_lists(state)}
        read: dict[str, Resource] = {}
        for path, entry in _entries(options):
            name = parsed_name(path, entry["name"])
            read[name] = known.get(name) or items_of(name, entry["kind"])
        return {**read, **known} if options["purge"] else read

    def desired(self, options: Options) -> Sequence[Desired]:
        entries = _entries(options)
        problems = OptionProblems()
        items: list[Desired] = []
        for path, entry in entries:
            with problems.collected():
                if entry["purge"]:
                    check_purge("items", entry["items"], path=path)
            with problems.collected():
                if entry["items"] is not None:
                    items.append(desired_items(path, entry, False, entry["purge"]))
        fields = [(path, fields_of(LISTS, entry)) for path, entry in entries]
        lists = parse_desired(LISTS, fields, exclusive=options["purge"], errors=problems)
        with problems.collected():
            lists = parse_ignore(lists, options["ignore"] or ())
        problems.raise_any()
        return (lists, *items)

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        known = self._items(options, state)
        lists = [obj for obj in managed_lists(state) if LISTS.label_of(obj) in known]
        return {"lists": [_with_items(state, obj) for obj in lists]}


def _entries(options: Options) -> Entries:
    return numbered("lists", options["lists"])


SPECS: Mapping[str, ModuleSpec] = {"ip_list": IpList()}

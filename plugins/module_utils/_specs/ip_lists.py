# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module of a list of an account with its items, and the lists of a host."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping, Sequence

from .._arguments import unless_wrong
from .._errors import OptionError, OptionProblems
from .._guard.risks.deletions import DELETION_RISKS, REFERENCED_LIST_RISKS
from .._guard.risks.rules import risks_of_rules
from .._plan.desired import Desired, Entries, numbered, parse_desired, raise_any
from .._schema.ddos_overrides import L4_OVERRIDES
from .._schema.lists import ANY_ITEM, LIST_KIND, LIST_KINDS, LISTS, items_of, kind_of_item
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.resource import OptionSpec
from .._text import Message, Option
from .base import CommonOptions, ModuleResult, ModuleSpec, Options, list_option
from .holders import Holders

OF_A_LIST: OptionSpec = {
    **LISTS.field_options,
    "kind": {**LISTS.field_options["kind"], "default": LIST_KIND},
    "items": list_option(replace(items_of(""), fields=ANY_ITEM)),
    **CommonOptions.PURGE,
}
# With those of the rules and overrides that name a list, as far as they are the account's.
LIST_RISKS = tuple(
    dict.fromkeys(
        [
            *DELETION_RISKS,
            *REFERENCED_LIST_RISKS,
            *risks_of_rules(NETWORK_FIREWALL_RULES),
            *risks_of_rules(L4_OVERRIDES),
        ]
    )
)


class IpLists(Holders):
    """The module ip_list, and the lists of a host, with their items."""

    option, contents, words = "lists", "items", ("list", "item")
    object_options, risks = OF_A_LIST, LIST_RISKS
    holders = LISTS

    def desired_contents(self, path: Option, entry: Options, absent: bool) -> Sequence[Desired]:
        if entry["items"] is None:
            return ()
        problems = OptionProblems()
        items = numbered("items", entry["items"], path)
        kind = unless_wrong(entry, "kind")
        if kind is None:
            kind = _kind_of_items(items)
        items = _items_of_kind(items, kind, path, problems)
        name = ""
        with problems.collected():
            name = self.parsed_name(path.at("name"), entry["name"])
        resource = items_of(name, kind)
        desired = parse_desired(resource, items, absent, entry["purge"], problems)
        raise_any(problems, [] if absent else [desired])
        return (desired,)

    def result_of_one(self, assembled: Sequence[dict[str, Any]]) -> ModuleResult:
        if not assembled:
            return {"list": None, "items": []}
        fields = dict(assembled[0])
        items = fields.pop("items", [])
        return {"list": fields, "items": items}


def _kind_of_items(items: Entries) -> str:
    """The kind of items in a list whose option `kind` is wrong: that of the first item that has
    one.
    """
    for _path, item in items:
        kind = _kind_of_list(item, LIST_KIND)
        if kind:
            return kind
    return LIST_KIND


def _items_of_kind(items: Entries, kind: str, path: Option, problems: OptionProblems) -> Entries:
    """The items of this kind; for each other item, a problem is added."""
    wrong: set[int] = set()
    for index, (option, item) in enumerate(items):
        if _kind_of_list(item, kind) != kind:
            problems.add(_wrong_kind(option, item, kind, path))
            wrong.add(index)
    if not wrong:
        return items  # without a copy, since a list may be long
    return [entry for index, entry in enumerate(items) if index not in wrong]


def _kind_of_list(item: Options, default: str) -> str:
    """The kind of the list with this item; the default if the item is wrong, so that the list can
    be read all the same."""
    try:
        return kind_of_item(item)
    except OptionError:
        return default


def _wrong_kind(option: Option, item: Options, kind: str, path: Option) -> OptionError:
    """The error for an item that has another kind than its list, no kind, or several kinds."""
    kind_of_this = kind_of_item(item)
    if not kind_of_this:
        return OptionError(option, f"it needs {kind}, and no other of {', '.join(LIST_KINDS)}")
    problem = Message(
        f"the list has {LIST_KINDS[kind]}; set ", path.at("kind"), f" to {kind_of_this}"
    )
    return OptionError(option.at(kind_of_this), problem)


IP_LIST_SPECS: Mapping[str, ModuleSpec] = {"ip_list": IpLists()}

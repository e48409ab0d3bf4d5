# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists of an account that rules name, such as `$office`, and their items.

The vendor describes them in "Lists API" and on its page "Custom lists" (WAF). Items change
asynchronously, with one operation at a time in an account.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Mapping, Sequence

from .._values.address_set import BITS, normalise_network, read_network
from .._values.kinds import NETWORK, Value, choice, parse_filled_text, text
from .resource import (
    ACCOUNT_OPTION,
    ACCOUNT_OWNER,
    DELETE,
    TIMES_OF_CLOUDFLARE,
    AtOnce,
    ByCursor,
    Field,
    InFiles,
    Object,
    Permission,
    Resource,
    Semantics,
    State,
    Write,
)

LIST_KIND = "ip"
LISTS_PATH = ACCOUNT_OWNER.path + "/rules/lists"
LIST_PERMISSION = Permission("Account Filter Lists", "account", writing="Edit")
OPERATION = LISTS_PATH + "/bulk_operations/"  # and its id
NAME_FORM = re.compile(r"[a-z0-9_]{1,50}")
SHORTEST_LENGTHS = {4: 8, 6: 12}  # prefix lengths that lists take, by the version of the network
MOST_IN_A_CALL = 1000
MOST_TEXT = 500  # characters of a description or a comment
MOST_ITEMS = 10000  # over all lists of most accounts
REFERENCES = "num_referencing_filters"  # of a list: how many rules refer to it


def _parse_name(value: Any) -> str:
    name = parse_filled_text(value)
    name = name[1:] if name.startswith("$") else name
    if not NAME_FORM.fullmatch(name):
        raise ValueError(
            f"'{name}' is not a name of a list, which has up to 50 lower-case letters, digits and"
            " underscores"
        )
    return name


def _parse_item(value: Any) -> str:
    """An address or a network as lists show it: a single address has no length."""
    network, text = read_network(parse_filled_text(value))
    family, length = network[0], network[2]
    return text.partition("/")[0] if length == BITS[family] else text


def _examine_item(value: Any) -> Sequence[str]:
    network = read_network(str(value))[0]
    family, length = network[0], network[2]
    least = SHORTEST_LENGTHS[family]
    if length >= least:
        return ()
    return (f"Cloudflare may refuse {value}, since lists take networks from /{least} on",)


def _not_ours(obj: Object) -> str:
    kind = str(obj.get("kind"))
    return "" if kind == LIST_KIND else f"is of the kind {kind}, and not of the kind {LIST_KIND}"


LISTS = Resource(
    name="ip_list",
    plural="ip_lists",
    title="list",
    owner=ACCOUNT_OPTION,
    path=LISTS_PATH,
    permission=LIST_PERMISSION,
    fields=(
        Field("name", Value({"type": "str"}, _parse_name, str), required=True),
        Field("kind", choice(LIST_KIND), default=LIST_KIND, absent_default=LIST_KIND),
        Field("description", text(MOST_TEXT), default="", inert=True),
    ),
    key=("name",),
    create=Write("POST"),
    update=Write("PUT", by_id=True),
    delete=DELETE,
    listing=AtOnce(),
    on_demand=True,
    read_only=(*TIMES_OF_CLOUDFLARE, "num_items", REFERENCES),
    is_referred_to=True,
    semantics=Semantics(not_ours=_not_ours),
)


def items_of(name: str) -> Resource:
    """The items of the list with this name."""
    upsert = Write("POST", batch=MOST_IN_A_CALL, declared=True, operation=OPERATION)
    return Resource(
        name="ip_list_item",
        plural=f"items of {name}",
        title="list item",
        plural_title=f"items of the list {name}",
        owner=ACCOUNT_OPTION,
        path=LISTS_PATH + "/{parent_id}/items",
        permission=LIST_PERMISSION,
        fields=(
            Field("ip", NETWORK._replace(parse=_parse_item, examine=_examine_item), required=True),
            Field("comment", text(MOST_TEXT), default="", inert=True),
        ),
        key=("ip",),
        create=upsert,
        update=upsert,
        delete=Write("DELETE", batch=MOST_IN_A_CALL, wrapper="items", operation=OPERATION),
        listing=ByCursor(500),
        on_demand=True,
        read_only=TIMES_OF_CLOUDFLARE,
        parent=LISTS,
        within=name,
    )


def _parse_items(value: Any) -> list[dict[str, Any]]:
    items: dict[str, dict[str, Any]] = {}
    for item in value:
        ip = _parse_item(item.get("ip"))
        if ip in items:
            raise ValueError(f"it names {ip} twice")
        items[ip] = {"ip": ip, "comment": item.get("comment") or ""}
    return list(items.values())


def _normalise_items(value: Any) -> tuple[Any, ...]:
    """Items in any order, without what only Cloudflare sets."""
    items = value if isinstance(value, (list, tuple)) else ()
    known = [item for item in items if isinstance(item, Mapping)]
    pairs = [(normalise_network(item.get("ip")), str(item.get("comment") or "")) for item in known]
    return tuple(sorted(pairs))


_ITEMS = {"type": "list", "elements": "dict", "options": items_of("").field_options}
_FIELD = Field("items", Value(_ITEMS, _parse_items, _normalise_items))
# A list with its items as one object, as files have it: exports and snapshots.
WHOLE_LISTS = replace(LISTS, fields=(*LISTS.fields, _FIELD), listing=InFiles())


def uses_of(obj: Mapping[str, Any]) -> int:
    """Number of rules that refer to a list, by Cloudflare's own count."""
    number = obj.get(REFERENCES)
    return int(number) if isinstance(number, (int, float)) else 0


def with_items(obj: Object, items: Sequence[Object]) -> dict[str, Any]:
    """A list as results show it, with its items."""
    return {**obj, "num_items": len(items), "items": list(items)}


def managed_lists(state: State) -> list[Object]:
    """The lists of a state that have addresses."""
    return LISTS.own(state[LISTS.plural])

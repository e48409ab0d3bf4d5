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
from typing import Any, Hashable, Iterable, Mapping, Sequence

from .._values.address_set import ANY_LABEL, BITS, Contents, Range, range_of, read_network, union
from .._values.hostnames import in_punycode
from .._values.kinds import NETWORK, Value, choice, parse_filled_text, text
from .products import IP_LISTS
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
    Shape,
    State,
    Write,
    options_of,
)

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
SINGLE_ADDRESS = re.compile(r"\.".join([_OCTET] * 4), re.ASCII)

LIST_KIND = IP = "ip"  # of a list of which nobody says its kind
ASN, HOSTNAME = "asn", "hostname"
LIST_KINDS: Mapping[str, str] = {  # of lists, with what their items are, in sentences
    IP: "addresses",
    ASN: "autonomous systems",
    HOSTNAME: "hostnames",
}
LISTS_PATH = ACCOUNT_OWNER.path + "/rules/lists"
LIST_PERMISSION = Permission("Account Filter Lists", "account", writing="Edit")
OPERATION = LISTS_PATH + "/bulk_operations/"  # and its id
NAME_FORM = re.compile(r"[a-z0-9_]{1,50}")
ASN_FORM = re.compile(r"(?:AS)?([0-9]{1,10})", re.IGNORECASE | re.ASCII)
HIGHEST_ASN = 2**32 - 1
_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
HOSTNAME_FORM = re.compile(rf"(?:\*\.)?{_LABEL}(?:\.{_LABEL})+")
LONGEST_HOSTNAME = 253


SHORTEST_LENGTHS = {4: 8, 6: 12}  # prefix lengths that lists take, by the version of the network
MOST_IN_A_CALL = 1000
MOST_TEXT = 500  # characters of a description or a comment
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


def _parse_address(value: Any) -> str:
    """An address or a network as lists show it: a single address has no length."""
    if isinstance(value, str) and SINGLE_ADDRESS.fullmatch(value):  # as most of many items are
        return value
    written = parse_filled_text(value)
    (family, _first, length, _malformed), network = read_network(written)
    shown = network.partition("/")[0] if length == BITS[family] else network
    if written == shown:
        return written  # a long list has each text once
    return shown


def _normalise_address(value: Any) -> str:
    try:
        return _parse_address(value if isinstance(value, str) else str(value))
    except ValueError:
        return str(value)


def _examine_address(value: str) -> Sequence[str]:
    least = SHORTEST_LENGTHS[6 if ":" in value else 4]
    if int(value.partition("/")[2] or least) >= least:
        return ()
    raise ValueError(f"{value} is wider than /{least}, the widest network that lists take")


def _parse_asn(value: Any) -> int:
    number = ASN_FORM.fullmatch(str(value))
    if not number or int(number[1]) > HIGHEST_ASN:
        raise ValueError(f"{value!r} is not an autonomous system; write 64500, or AS64500")
    return int(number[1])


def _normalise_asn(value: Any) -> Hashable:
    try:
        return _parse_asn(value), ""
    except ValueError:
        return -1, str(value)


def _parse_hostname(value: Any) -> str:
    name = parse_filled_text(value).lower()
    ascii_name = "" if name.isascii() else in_punycode(name)
    if HOSTNAME_FORM.fullmatch(ascii_name):
        raise ValueError(
            f"'{name}' is a hostname that requests have in Punycode; write {ascii_name}"
        )
    if len(name) > LONGEST_HOSTNAME or not HOSTNAME_FORM.fullmatch(name):
        raise ValueError(
            f"'{name}' is not a hostname; write shop.example.com, or *.example.com for all below"
            " it, without a scheme, port or path"
        )
    return name


ITEM_FIELDS: Mapping[str, Field] = {  # of items, by the kind of their list
    IP: Field(
        IP,
        NETWORK._replace(
            parse=_parse_address, normalise=_normalise_address, examine=_examine_address
        ),
    ),
    ASN: Field(ASN, Value({"type": "raw"}, _parse_asn, _normalise_asn)),
    HOSTNAME: Field(
        HOSTNAME, Value({"type": "str"}, _parse_hostname, lambda value: str(value).lower())
    ),
}
APEX = "exclude_exact_hostname"  # of a hostname with a wildcard; by default, it is true
URL_HOSTNAME = "url_hostname"


def _read_item(item: Object) -> dict[str, Any]:
    """An item without empty fields; a hostname becomes a text, as the values of other kinds are."""
    fields = {name: value for name, value in item.items() if value != {}}
    hostname = fields.get(HOSTNAME)
    if not isinstance(hostname, Mapping):
        return fields
    text_of_hostname = hostname.get(URL_HOSTNAME)
    fields[HOSTNAME] = text_of_hostname
    if hostname.get(APEX) is False and str(text_of_hostname).startswith(ANY_LABEL):
        fields[APEX] = False
    return fields


def _write_item(item: Object) -> dict[str, Any]:
    if HOSTNAME not in item:
        return dict(item)
    return {**item, HOSTNAME: {URL_HOSTNAME: item[HOSTNAME]}}


def _not_our_item(item: Object) -> str:
    if APEX not in item:
        return ""
    return f"stands for {item[HOSTNAME][len(ANY_LABEL) :]} as well ({APEX}), which no option says"


def _not_ours(obj: Object) -> str:
    kind = str(obj.get("kind"))
    if kind in LIST_KINDS:
        return ""
    if kind == "redirect":
        return "is of the kind redirect, which redirects requests, and protects nothing"
    return f"is of the kind {kind}, which is not known here"


def items_in(obj: Object) -> Resource:
    """The resource of the items of a list, by its name and its kind."""
    kind = str(obj.get("kind"))
    return items_of(LISTS.label_of(obj), kind if kind in LIST_KINDS else LIST_KIND)


def _with_items(obj: Object, state: State) -> dict[str, Any]:
    items = state.get(items_in(obj).plural, ())
    return {**obj, "num_items": len(items), "items": list(items)}


def _is_unreferenced(obj: Object, _state: State, freed: int) -> bool:
    return REFERENCES in obj and uses_of(obj) <= freed


def number_of_items(obj: Object) -> int:
    """The number of items of a list, as Cloudflare counts them."""
    number = obj.get("num_items")
    return int(number) if isinstance(number, (int, float)) else 0


LISTS = Resource(
    name="ip_list",
    plural="ip_lists",
    title="list",
    owner=ACCOUNT_OPTION,
    path=LISTS_PATH,
    permission=LIST_PERMISSION,
    product=IP_LISTS,
    fields=(
        Field("name", Value({"type": "str"}, _parse_name, str), required=True),
        Field("kind", choice(*LIST_KINDS), default=LIST_KIND, absent_default=LIST_KIND, fixed=True),
        Field("description", text(MOST_TEXT), default="", inert=True),
    ),
    key=("name",),
    create=Write("POST"),
    update=Write("PUT", by_id=True),
    delete=DELETE,
    listing=AtOnce(),
    on_demand=True,
    read_only=(*TIMES_OF_CLOUDFLARE, "num_items", REFERENCES),
    contents=items_in,
    is_referred_to=True,
    least_quota=10,
    least_quota_inside=10000,
    semantics=Semantics(
        not_ours=_not_ours,
        assembled=_with_items,
        is_unused=_is_unreferenced,
        number_inside=number_of_items,
    ),
)


_COMMENT = Field("comment", text(MOST_TEXT), default="", inert=True)
ANY_ITEM = (*ITEM_FIELDS.values(), _COMMENT)  # the fields of an item of any list


OF_ITEMS = "items of "  # begins the plural of the items of each list


def has_items(state: State) -> bool:
    """Return whether a state contains the items of some list."""
    return any(plural.startswith(OF_ITEMS) for plural in state)


def items_of(name: str, kind: str = LIST_KIND) -> Resource:
    """The resource of the items of the list with this name; their key depends on the kind of the
    list."""
    upsert = Write("POST", batch=MOST_IN_A_CALL, declared_only=True, operation=OPERATION)
    return Resource(
        name="ip_list_item",
        plural=f"{OF_ITEMS}{name}",
        title="list item",
        plural_title=f"items of the list {name}",
        owner=ACCOUNT_OPTION,
        path=LISTS_PATH + "/{parent_id}/items",
        permission=LIST_PERMISSION,
        product=IP_LISTS,
        fields=(ITEM_FIELDS[kind], _COMMENT),
        key=(kind,),
        create=upsert,
        update=upsert,
        delete=Write("DELETE", batch=MOST_IN_A_CALL, wrapper="items", operation=OPERATION),
        listing=ByCursor(500, Shape(_read_item, _write_item)),
        on_demand=True,
        read_only=TIMES_OF_CLOUDFLARE,
        parent=LISTS,
        parent_name=name,
        semantics=Semantics(not_ours=_not_our_item),
    )


def kind_of_item(item: Mapping[str, Any]) -> str:
    """The kind of the lists that have such items; empty if the item has the field of no kind, or of
    several."""
    kinds = [kind for kind in LIST_KINDS if item.get(kind) is not None]
    return kinds[0] if len(kinds) == 1 else ""


ListContents = Mapping[str, Contents]  # by the names of lists


def contents_of(items: Iterable[Object]) -> Contents:
    """The contents of some items, of which any may be malformed."""
    ranges: list[Range] = []
    numbers: set[int] = set()
    hostnames: set[str] = set()
    for item in items:
        network = range_of(item[IP]) if item.get(IP) else None
        if network:
            ranges.append(network)
        if item.get(ASN) is not None:
            number = ASN_FORM.fullmatch(str(item[ASN]))
            if number:
                numbers.add(int(number[1]))
        if item.get(HOSTNAME):
            hostname = str(item[HOSTNAME]).lower()
            hostnames.add(hostname)
            if APEX in item:
                hostnames.add(hostname[len(ANY_LABEL) :])
    return Contents(union(ranges), frozenset(numbers), frozenset(hostnames))


def items_written(contents: Iterable[str]) -> list[dict[str, str]]:
    """The items of a list with these contents, as `Contents.written()` has them."""
    return [{_kind_written(written): written} for written in contents]


def _kind_written(written: str) -> str:
    if "/" in written:
        return IP
    return ASN if written.isdigit() else HOSTNAME


def _parse_items(value: Any) -> list[dict[str, Any]]:
    items: dict[Hashable, dict[str, Any]] = {}
    for item in value:
        kind = kind_of_item(item)
        if not kind:
            raise ValueError(f"an item needs one of {', '.join(LIST_KINDS)}")
        key = ITEM_FIELDS[kind].value.parse(item[kind])
        if (kind, key) in items:
            raise ValueError(f"it names {key} twice")
        items[kind, key] = {kind: key, "comment": item.get("comment") or ""}
    return list(items.values())


def _normalise_items(value: Any) -> tuple[Any, ...]:
    """The items of a list as a sorted value, without fields that only Cloudflare sets."""
    if not isinstance(value, (list, tuple)):
        return ()
    normalised_items = []
    for item in value:
        kind = kind_of_item(item) if isinstance(item, Mapping) else ""
        if kind and not _not_our_item(item):
            normalised_value = ITEM_FIELDS[kind].normalised(item)
            comment = str(item.get("comment") or "")
            normalised_items.append((kind, normalised_value, comment))
    return tuple(sorted(normalised_items))


def _without_foreign_items(obj: Object) -> Object:
    items = obj.get("items") or ()
    our_items = [item for item in items if not isinstance(item, Mapping) or not _not_our_item(item)]
    if len(our_items) == len(items):
        return obj
    return {**obj, "items": our_items}


_ITEMS = {"type": "list", "elements": "dict", "options": options_of(ANY_ITEM)}
_FIELD = Field("items", Value(_ITEMS, _parse_items, _normalise_items))
# A list with its items as one object, as files have it: exports and snapshots.
WHOLE_LISTS = replace(
    LISTS,
    fields=(*LISTS.fields, _FIELD),
    listing=InFiles([LISTS]),
    semantics=LISTS.semantics._replace(describable=_without_foreign_items),
)


def uses_of(obj: Mapping[str, Any]) -> int:
    """The number of rules that refer to a list, as Cloudflare counts them."""
    number = obj.get(REFERENCES)
    return int(number) if isinstance(number, (int, float)) else 0

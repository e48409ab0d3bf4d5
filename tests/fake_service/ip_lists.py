# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists of an account, and the operations that change their items: one at a time, each done a while after it
was asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import ip_network
from typing import Any

from .clock import Clock, timestamp
from .identity import content_name, new_id

Item = dict[str, Any]

KINDS = ("ip", "hostname", "asn", "redirect")
# By the type of an account: lists and items in all; and of each kind that not every account has.
MOST: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "enterprise": {"": (1000, 500_000), "asn": (40, 30_000), "hostname": (40, 10_000)},
    "standard": {"": (10, 10_000), "asn": (0, 0), "hostname": (0, 0)},
}
HIGHEST_ASN = 2**32 - 1
LABEL = "[a-z0-9]([a-z0-9-]*[a-z0-9])?"
HOSTNAME = re.compile(rf"(\*\.)?{LABEL}(\.{LABEL})+")
SHORTEST = {4: 8, 6: 12}  # prefix lengths, by the version of the network
FIELDS = {"id", "name", "kind", "description", "num_referencing_filters", "created_on", "modified_on", "items"}


@dataclass
class Operation:
    """A change of the items of one list, which is done once its time has come; or fails then, with an error."""

    identity: str
    ready: datetime
    change: Callable[[], None] = field(repr=False)
    error: str = ""
    status: str = "pending"

    def settle(self, now: datetime) -> None:
        """Do it if its time has come and it is not done yet."""
        if self.status not in ("pending", "running"):
            return
        if now < self.ready:
            self.status = "running"
            return
        if not self.error:
            try:
                self.change()
            except ValueError as exc:
                self.error = str(exc)
        self.status = "failed" if self.error else "completed"

    def shown(self) -> Item:
        """As the service shows it."""
        ended = {"completed": timestamp(self.ready)} if self.status in ("completed", "failed") else {}
        error = {"error": self.error} if self.status == "failed" else {}
        return {"id": self.identity, "status": self.status, **ended, **error}


@dataclass
class IpLists:
    """The lists of one account, plain dicts with their `items`; a test may look at them and change them."""

    clock: Clock = field(repr=False)
    lists: list[Item] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    most: Mapping[str, tuple[int, int]] = field(default_factory=lambda: MOST["enterprise"])

    def seed(self, lists: Iterable[Mapping[str, Any]]) -> None:
        """Add lists in the shape of a state document; ids, times and defaults are filled in where missing."""
        for fields in lists:
            unknown = fields.keys() - FIELDS
            if unknown or "name" not in fields:
                raise ValueError(f"a list has no {', '.join(sorted(unknown))}" if unknown else "a list needs a name")
            now = self.clock.timestamp()
            made = {
                "id": fields.get("id") or new_id("list", fields["name"]),
                "kind": "ip",
                "description": "",
                "num_referencing_filters": 0,
                "created_on": now,
                "modified_on": now,
                **fields,
            }
            items = [self.item(item) for item in fields.get("items", ())]
            self.lists.append({**made, "items": items})

    def item(self, fields: Mapping[str, Any]) -> Item:
        """A whole item out of the fields of a body or a document."""
        now = self.clock.timestamp()
        value = shown_value(fields)
        identity = fields.get("id") or new_id("list item", content_name(value))
        return {"id": identity, "comment": "", "created_on": now, "modified_on": now, **fields, **value}

    def list_named(self, name: str) -> Item:
        """The list with this name; LookupError without one."""
        try:
            return next(item for item in self.lists if item["name"] == name)
        except StopIteration:
            raise LookupError(f"no list has the name {name!r}") from None

    def settle(self) -> None:
        """Do what is due by now."""
        for operation in self.operations:
            operation.settle(self.clock.now())

    @property
    def is_busy(self) -> bool:
        """Whether an operation is under way, so that no other may begin."""
        self.settle()
        return any(operation.status in ("pending", "running") for operation in self.operations)

    def begin(self, change: Callable[[], None], seconds: float = 0.0, error: str = "") -> Operation:
        """Take a change on, to be done after so many seconds; ValueError while another one is under way."""
        if self.is_busy:
            raise ValueError("an operation is under way")
        ready = self.clock.now() + timedelta(seconds=seconds)
        self.operations.append(Operation(new_id("operation", ""), ready, change, error))
        return self.operations[-1]

    def append(self, target: Item, bodies: Iterable[Mapping[str, Any]]) -> None:
        """Add items, or update those that have the same key: an item that is posted again is replaced."""
        known = {key_of(item): item for item in target["items"]}
        for body in bodies:
            made = self.item(body)
            existing = known.setdefault(key_of(made), made)
            if existing is made:
                target["items"].append(made)
            else:
                existing.update({**shown_value(body), "comment": body.get("comment", "")})
                existing["modified_on"] = self.clock.timestamp()
        self.touch(target)

    def remove(self, target: Item, ids: Iterable[str]) -> None:
        """Remove items by their ids; ValueError for one that is not there."""
        doomed = set(ids)
        unknown = doomed - {item["id"] for item in target["items"]}
        if unknown:
            raise ValueError(f"list item not found: {', '.join(sorted(unknown))}")
        target["items"][:] = [item for item in target["items"] if item["id"] not in doomed]
        self.touch(target)

    def touch(self, target: Item) -> None:
        target["modified_on"] = self.clock.timestamp()

    def too_many(self, kind: str, lists: int = 0, items: int = 0) -> str:
        """What the account would have too much of, with so many more of a kind; an empty text if it may."""
        for which, (most_lists, most_items) in self.most.items():
            own = [each for each in self.lists if which in ("", each["kind"])]
            if which in ("", kind) and len(own) + lists > most_lists:
                return f"the account may have {most_lists} {which} lists, and would have more"
            if which in ("", kind) and sum(len(each["items"]) for each in own) + items > most_items:
                return f"the account may have {most_items} {which} list items, and would have more"
        return ""


def shown_value(fields: Mapping[str, Any]) -> Item:
    """The value of an item as the service shows it: a hostname is an object, with its default filled in."""
    if "ip" in fields:
        return {"ip": written(fields["ip"])}
    if "hostname" not in fields:
        return {name: fields[name] for name in ("asn",) if name in fields}
    inner = fields["hostname"]
    inner = {"url_hostname": inner} if isinstance(inner, str) else dict(inner)
    inner["url_hostname"] = inner["url_hostname"].lower()
    default = {"exclude_exact_hostname": True} if inner["url_hostname"].startswith("*.") else {}
    return {"hostname": {**default, **inner}}


def key_of(item: Mapping[str, Any]) -> Any:
    """By which an item is known in its list; one of a redirect by its id."""
    value = shown_value(item)
    if "hostname" in value:
        return value["hostname"]["url_hostname"]
    return value.get("ip", value.get("asn", item.get("id")))


def written(value: str) -> str:
    """An address or a network as the service writes it: in lower case, single addresses without a length."""
    try:
        network = ip_network(value)
    except ValueError:
        return value
    return str(network.network_address) if network.prefixlen == network.max_prefixlen else str(network)


def refused_reason(kind: str, body: Mapping[str, Any]) -> str:
    """Why the service refuses an item in a list of this kind; an empty text if it takes it."""
    if kind not in body or len(body.keys() - {"comment"}) != 1:
        return f"the list has items of the kind {kind}"
    if kind == "asn":
        return "" if body["asn"] <= HIGHEST_ASN else f"{body['asn']} is no autonomous system"
    if kind == "hostname":
        name = key_of(body)
        return "" if HOSTNAME.fullmatch(name) else f"{name} is no hostname"
    return refused_network(body["ip"])


def refused_network(value: str) -> str:
    """Why the service refuses an address or a network in a list; an empty text if it takes it."""
    try:
        network = ip_network(value)
    except ValueError as exc:
        return str(exc)
    least = SHORTEST[network.version]
    return "" if network.prefixlen >= least else f"{value} is wider than /{least}"

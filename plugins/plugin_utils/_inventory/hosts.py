# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The hosts of the inventory plugin: pure functions from accounts and zones, as Cloudflare lists
them, to hosts."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from operator import attrgetter
from typing import Any

Listed = Mapping[str, Any]  # an account or zone, as Cloudflare lists it

ID_DIGITS = 6  # of an id behind a name that several accounts or zones have
# No host may have the name of a group.
GROUP_NAMES = ("all", "ungrouped", "accounts", "zones", "localhost")


@dataclass(frozen=True)
class InventoryHost:
    """A host of the inventory: its name, its group, a second group where it has one, and its
    variables."""

    name: str
    group: str
    variables: Mapping[str, Any]
    parent_group: str | None = None


@dataclass(frozen=True)
class Selection:
    """The accounts and zones that become hosts: patterns of names, ids or globs; None takes all, an
    empty list none."""

    accounts: Sequence[str] | None = None
    zones: Sequence[str] | None = None

    def takes_account(self, account: Listed) -> bool:
        """True if the account becomes a host."""
        return self.accounts is None or _is_selected(account, self.accounts)

    def takes_zone(self, zone: Listed) -> bool:
        """True if the zone becomes a host; a zone of an account that is left out by name does
        not."""
        belongs = not self.accounts or _is_selected(_owner(zone), self.accounts)
        return belongs and (self.zones is None or _is_selected(zone, self.zones))

    def unmatched(self, directory: Directory) -> list[str]:
        """The patterns that no account or no zone matches, such as a misspelt name."""
        chosen = ((self.accounts, directory.every_account), (self.zones, directory.zones))
        return [
            pattern
            for patterns, items in chosen
            for pattern in patterns or ()
            if not any(_is_selected(item, [pattern]) for item in items)
        ]


@dataclass(frozen=True)
class Directory:
    """The accounts and zones that the credentials see."""

    accounts: Sequence[Listed] = field(default_factory=list)
    zones: Sequence[Listed] = field(default_factory=list)

    @property
    def accounts_of_zones(self) -> list[Listed]:
        """The accounts that only their zones name; Cloudflare does not list them for these
        credentials."""
        known = {str(account.get("id")) for account in self.accounts}
        owners = {str(owner["id"]): owner for owner in map(_owner, self.zones) if owner.get("id")}
        return [owner for identity, owner in sorted(owners.items()) if identity not in known]

    @property
    def every_account(self) -> list[Listed]:
        """The accounts that Cloudflare lists, and those that only their zones name."""
        return [*self.accounts, *self.accounts_of_zones]


def hosts_of(directory: Directory, selection: Selection) -> list[InventoryHost]:
    """The hosts: accounts first, then zones, each sorted by name. Raises ValueError for one without
    an id."""
    every = directory.every_account
    for item in (*every, *directory.zones):
        if not item.get("id") or not isinstance(item["id"], str):
            name = item.get("name") or "an account or zone"
            raise ValueError(f"Cloudflare lists {name} without an id")
    names_of_zones = zone_names(directory.zones)
    names = account_names(every, set(names_of_zones.values()))
    accounts = [_account_host(item, names) for item in every if selection.takes_account(item)]
    zones = [
        _zone_host(zone, names_of_zones, names)
        for zone in directory.zones
        if selection.takes_zone(zone)
    ]
    return sorted([*accounts, *zones], key=attrgetter("group", "name"))


def zone_names(zones: Iterable[Listed]) -> dict[str, str]:
    """Host names by zone id: the domain, and digits of the id where several zones have it.

    Two accounts may have one domain, one of them not active there.
    """
    return _unique({str(zone["id"]): _domain(zone) for zone in zones}, "zone", ())


def account_names(accounts: Iterable[Listed], taken: Iterable[str] = ()) -> dict[str, str]:
    """Host names by account id: the name in lower case with hyphens, and digits of the id where two
    names collide.

    Names in `taken`, those of zones, collide too.
    """
    plain = {str(account["id"]): hyphenated(str(account.get("name") or "")) for account in accounts}
    return _unique(plain, "account", taken)


def hyphenated(name: str) -> str:
    """A name in lower case, with everything but letters, their marks and digits turned into single
    hyphens."""
    composed = unicodedata.normalize("NFC", name.lower())
    return "-".join(
        "".join(character if _is_kept(character) else " " for character in composed).split()
    )


def group_of_zones(account_host: str) -> str:
    """The group of the zones of an account; a group takes neither hyphens nor marks of letters."""
    return "zones_of_" + re.sub(r"\W", "_", account_host)


def _is_kept(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character).startswith("M")


def _unique(plain: Mapping[str, str], noun: str, taken: Iterable[str]) -> dict[str, str]:
    """Names by id, of which no two are alike and none is taken: with digits of the id, or all of
    it, where they are."""
    reserved = {*taken, *GROUP_NAMES}
    uses = Counter([*plain.values(), *reserved])
    short = {
        identity: name if name and uses[name] == 1 else f"{name or noun}-{identity[:ID_DIGITS]}"
        for identity, name in plain.items()
    }
    uses = Counter([*short.values(), *reserved])
    return {
        identity: name if uses[name] == 1 else f"{plain[identity] or noun}-{identity}"
        for identity, name in short.items()
    }


def _domain(zone: Listed) -> str:
    """The zone's domain, without anything that a domain does not have."""
    return re.sub(r"[^\w.-]+", "-", str(zone.get("name") or "").lower()).strip("-.")


def _owner(zone: Listed) -> Listed:
    """The account that the zone names; empty where it names none."""
    return _mapping(zone.get("account"))


def _mapping(value: Any) -> Listed:
    """An object in a zone; empty if Cloudflare has something else in its place."""
    return value if isinstance(value, Mapping) else {}


def _is_selected(item: Listed, patterns: Sequence[str]) -> bool:
    name, identity = str(item.get("name") or "").casefold(), str(item.get("id") or "").casefold()
    return any(
        identity == pattern.casefold() or fnmatchcase(name, pattern.casefold())
        for pattern in patterns
    )


def _account_host(account: Listed, names: Mapping[str, str]) -> InventoryHost:
    identity = str(account["id"])
    return InventoryHost(
        names[identity],
        "accounts",
        {
            "edge_account_id": identity,
            "edge_account_name": account.get("name"),
            "edge_account_type": account.get("type"),
        },
    )


def _zone_host(
    zone: Listed, names: Mapping[str, str], account_names: Mapping[str, str]
) -> InventoryHost:
    owner, plan = _owner(zone), _mapping(zone.get("plan"))
    account_host = account_names.get(str(owner.get("id")))
    identity = str(zone["id"])
    return InventoryHost(
        names[identity],
        "zones",
        {
            "edge_zone_id": identity,
            "edge_zone_name": zone.get("name"),
            "edge_zone_plan": plan.get("legacy_id") or plan.get("name"),
            "edge_zone_status": zone.get("status"),
            "edge_zone_account": account_host,
            "edge_zone_account_id": owner.get("id") or None,
        },
        group_of_zones(account_host) if account_host else None,
    )

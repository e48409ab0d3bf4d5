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
from typing import Any, NamedTuple

from ...module_utils._schema.zone import ACTIVE
from ...module_utils._text import plural

ListedOwner = Mapping[str, Any]  # an account or zone, as Cloudflare lists it

ID_DIGITS = 6  # of an id behind a name that several accounts or zones have
# No host may have the name of a group.
GROUP_NAMES = ("all", "ungrouped", "accounts", "zones", "localhost")


@dataclass(frozen=True)
class InventoryHost:
    """A host of the inventory: its name, its group, a parent of that group if it has one, and
    its variables."""

    name: str
    group: str
    variables: Mapping[str, Any]
    parent_group: str | None = None


@dataclass(frozen=True)
class Selection:
    """The accounts and zones that become hosts: patterns of names, names of hosts or ids. None
    selects all, an empty list none."""

    accounts: Sequence[str] | None = None
    zones: Sequence[str] | None = None

    def takes_account(self, account: ListedOwner, names: HostNames) -> bool:
        """True if the account becomes a host."""
        return self.accounts is None or _is_selected(account, names.accounts, self.accounts)

    def takes_zone(self, zone: ListedOwner, names: HostNames) -> bool:
        """True if the zone becomes a host; a zone whose account is excluded by name does not."""
        if self.accounts and not _is_selected(_owner(zone), names.accounts, self.accounts):
            return False
        return self.zones is None or _is_selected(zone, names.zones, self.zones)

    def unmatched(self, directory: Directory) -> list[str]:
        """The patterns that no account or no zone matches, such as a misspelt name."""
        names = directory.host_names
        accounts = _unmatched_patterns(self.accounts or (), directory.every_account, names.accounts)
        zones = _unmatched_patterns(self.zones or (), directory.zones, names.zones)
        return [*accounts, *zones]


class HostNames(NamedTuple):
    """The names of hosts by the ids of accounts and of zones."""

    accounts: Mapping[str, str]
    zones: Mapping[str, str]


@dataclass(frozen=True)
class Directory:
    """The accounts and zones that the credentials can read."""

    accounts: Sequence[ListedOwner] = field(default_factory=list)
    zones: Sequence[ListedOwner] = field(default_factory=list)

    @property
    def accounts_of_zones(self) -> list[ListedOwner]:
        """The accounts that only their zones name, since Cloudflare does not list them for these
        credentials."""
        listed_ids = {str(account.get("id")) for account in self.accounts}
        unlisted: dict[str, ListedOwner] = {}
        for zone in self.zones:
            account = _owner(zone)
            identity = str(account.get("id") or "")
            if identity and identity not in listed_ids:
                unlisted[identity] = account
        return [unlisted[identity] for identity in sorted(unlisted)]

    @property
    def every_account(self) -> list[ListedOwner]:
        """The accounts that Cloudflare lists, and those that only their zones name."""
        return [*self.accounts, *self.accounts_of_zones]

    @property
    def host_names(self) -> HostNames:
        """The names of the hosts for all accounts and zones."""
        names_of_zones = zone_names(self.zones)
        names_of_accounts = account_names(self.every_account, set(names_of_zones.values()))
        return HostNames(names_of_accounts, names_of_zones)


SECONDS_OF_HOUR = 3600  # seconds


def age_of_cache(read_at: float, now: float) -> list[str]:
    """A sentence on lists that are older than an hour; the times are in seconds."""
    hours = int((now - read_at) // SECONDS_OF_HOUR)
    if hours < 1:
        return []
    return [
        f"The inventory takes accounts and zones from its cache, {plural(hours, 'hour', 'hours')}"
        " old. If the plan of a zone has changed since, it is not known whether rules of its"
        " account decide. Run again with --flush-cache."
    ]


def hosts_of(directory: Directory, selection: Selection) -> list[InventoryHost]:
    """The hosts: accounts first, then zones, each sorted by name. Raises ValueError for an
    account or zone without an id."""
    accounts = directory.every_account
    for listed in (*accounts, *directory.zones):
        if not listed.get("id") or not isinstance(listed["id"], str):
            name = listed.get("name") or "an account or zone"
            raise ValueError(f"Cloudflare lists {name} without an id")
    names = directory.host_names
    hosts: list[InventoryHost] = []
    for account in accounts:
        if selection.takes_account(account, names):
            hosts.append(_account_host(account, names.accounts))
    for zone in directory.zones:
        if selection.takes_zone(zone, names):
            hosts.append(_zone_host(zone, names.zones, names.accounts))
    return sorted(hosts, key=attrgetter("group", "name"))


def zone_names(zones: Iterable[ListedOwner]) -> dict[str, str]:
    """Host names by zone id: the domain. If several accounts have the domain, only the active
    zone is named by it; the names of the others end with the name of their account, or digits of
    the zone id."""
    listed = list(zones)
    uses = Counter(map(_domain, listed))
    active = Counter(_domain(zone) for zone in listed if zone.get("status") == ACTIVE)
    names: dict[str, str] = {}
    for zone in listed:
        domain, identity = _domain(zone), str(zone["id"])
        account = hyphenated(str(_owner(zone).get("name") or ""))
        has_domain = zone.get("status") == ACTIVE and active[domain] == 1
        is_longer = bool(domain) and uses[domain] > 1 and not has_domain
        names[identity] = f"{domain}-{account or identity[:ID_DIGITS]}" if is_longer else domain
    return _unique(names, "zone", ())


def longer_names(zones: Sequence[ListedOwner]) -> dict[str, str]:
    """By host: a sentence on a zone whose host name is longer than its domain, since another
    zone that is active has the domain as its host name."""
    names = zone_names(zones)
    sentences: dict[str, str] = {}
    for zone in zones:
        name, domain = names[str(zone["id"])], _domain(zone)
        if name != domain and domain in names.values():
            owner = _owner(zone)
            account = owner.get("name") or owner.get("id")
            sentences[name] = (
                f"The zone {domain} of the account {account} is the host {name}, since another"
                f" zone of this name is active. The status of this one is {zone.get('status')}."
            )
    return sentences


def account_names(accounts: Iterable[ListedOwner], taken: Iterable[str] = ()) -> dict[str, str]:
    """Host names by account id: the name in lower case with hyphens, and digits of the id where two
    names collide.

    Names in `taken`, those of zones, collide too.
    """
    names: dict[str, str] = {}
    for account in accounts:
        name = str(account.get("name") or "")
        names[str(account["id"])] = hyphenated(name)
    return _unique(names, "account", taken)


def hyphenated(name: str) -> str:
    """A name in lower case, with everything but letters, their marks and digits turned into single
    hyphens."""
    composed = unicodedata.normalize("NFC", name.lower())
    words = ""
    for character in composed:
        if _is_kept(character):
            words += character
        else:
            words += " "
    return "-".join(words.split())


def group_of_zones(account_host: str) -> str:
    """The group of the zones of an account; a group takes neither hyphens nor marks of letters."""
    return "zones_of_" + re.sub(r"\W", "_", account_host)


def _is_kept(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character).startswith("M")


def _unique(names: Mapping[str, str], noun: str, taken: Iterable[str]) -> dict[str, str]:
    """Names by id, made unique: names that are alike or taken get digits of the id, or all of
    it."""
    reserved = {*taken, *GROUP_NAMES}
    uses = Counter([*names.values(), *reserved])
    with_digits: dict[str, str] = {}
    for identity, name in names.items():
        is_unique = bool(name) and uses[name] == 1
        longer = f"{name or noun}-{identity[:ID_DIGITS]}"
        with_digits[identity] = name if is_unique else longer
    uses = Counter([*with_digits.values(), *reserved])
    unique: dict[str, str] = {}
    for identity, name in with_digits.items():
        longest = f"{names[identity] or noun}-{identity}"
        unique[identity] = name if uses[name] == 1 else longest
    return unique


def _domain(zone: ListedOwner) -> str:
    """The zone's domain, without anything that a domain does not have."""
    name = str(zone.get("name") or "").lower()
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")


def _owner(zone: ListedOwner) -> ListedOwner:
    """The account that the zone names; empty if it names none."""
    return _mapping(zone.get("account"))


def _mapping(value: Any) -> ListedOwner:
    """The value if it is an object; empty if Cloudflare sent something else."""
    return value if isinstance(value, Mapping) else {}


def _is_selected(
    listed: ListedOwner, host_names: Mapping[str, str], patterns: Iterable[str]
) -> bool:
    name = _folded(listed.get("name"))
    identity = _folded(listed.get("id"))
    host_name = _folded(host_names.get(str(listed.get("id"))))
    for pattern in patterns:
        folded = _folded(pattern)
        if identity == folded or fnmatchcase(name, folded) or fnmatchcase(host_name, folded):
            return True
    return False


def _folded(value: Any) -> str:
    """A name, id or pattern in the form in which it is compared without regard to capital
    letters."""
    return str(value or "").casefold()


def _unmatched_patterns(
    patterns: Iterable[str], listed: Sequence[ListedOwner], host_names: Mapping[str, str]
) -> list[str]:
    """The patterns that none of these accounts or zones matches."""
    unmatched: list[str] = []
    for pattern in patterns:
        if not any(_is_selected(candidate, host_names, [pattern]) for candidate in listed):
            unmatched.append(pattern)
    return unmatched


def _account_host(account: ListedOwner, names: Mapping[str, str]) -> InventoryHost:
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
    zone: ListedOwner, names: Mapping[str, str], account_names: Mapping[str, str]
) -> InventoryHost:
    owner = _owner(zone)
    plan = _mapping(zone.get("plan"))
    account_id = owner.get("id") or None
    account_host = account_names.get(str(account_id))
    identity = str(zone["id"])
    variables = {
        "edge_zone_id": identity,
        "edge_zone_name": zone.get("name"),
        "edge_zone_plan": plan.get("legacy_id"),  # the name is for people, and decides nothing
        "edge_zone_status": zone.get("status"),
        "edge_zone_paused": zone.get("paused"),
        "edge_zone_account": account_host,
        "edge_zone_account_id": account_id,
    }
    group = group_of_zones(account_host) if account_host else None
    return InventoryHost(names[identity], "zones", variables, parent_group=group)

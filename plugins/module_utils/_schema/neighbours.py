# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Neighbours of the protection of an account or zone, read only: networks that the account has
brought (Cloudflare API: Address Map and Prefixes), IP Access rules, and the audit log.

Nothing here declares a write: the collection never announces or withdraws a network.
"""

from __future__ import annotations

import re
from typing import Any, Mapping, Sequence

from .._errors import ProtectionError
from .._text import Message, Option, excerpt
from .._values.kinds import CODE, FLAG, ID, NETWORK, TEXT, identifier
from .resource import (
    ACCOUNT_OPTION,
    ACCOUNT_OWNER,
    ZONE_OPTION,
    ZONE_OWNER,
    AtOnce,
    Field,
    Object,
    Owner,
    Paged,
    Permission,
    Resource,
    Single,
)

ADDRESSING_PATH = ACCOUNT_OWNER.path + "/addressing/prefixes"
ADDRESSING = Permission("IP Prefixes", "account")
APPROVED = "V"
WHITELIST = "whitelist"  # the mode of access rules that pass by custom rules and firewall rules

ONBOARDED = Resource(
    name="onboarded_prefix",
    plural="onboarded_prefixes",
    title="onboarded prefix",
    plural_title="onboarded prefixes",
    owner=ACCOUNT_OPTION,
    path=ADDRESSING_PATH,
    permission=ADDRESSING,
    fields=(
        Field("id", ID),
        Field("cidr", NETWORK),
        Field("approved", CODE),
        Field("on_demand_enabled", FLAG),
        Field("advertised", FLAG),
        Field("advertised_modified_at", TEXT),
    ),
    key=("cidr",),
    listing=AtOnce(),
)


def bgp_prefixes_of(identity: str) -> Resource:
    """The parts of an onboarded prefix that are announced by themselves."""
    return _part_of_prefix("bgp_prefix", "BGP prefix", f"{ADDRESSING_PATH}/{identity}/bgp/prefixes")


def delegations_of(identity: str) -> Resource:
    """The parts of an onboarded prefix that other accounts use."""
    return _part_of_prefix("delegation", "delegation", f"{ADDRESSING_PATH}/{identity}/delegations")


def _part_of_prefix(name: str, title: str, path: str) -> Resource:
    return Resource(
        name=name,
        plural=f"{name}s",
        title=title,
        owner=ACCOUNT_OPTION,
        path=path,
        permission=ADDRESSING,
        fields=(Field("id", ID), Field("cidr", NETWORK)),
        key=("cidr",),
        listing=AtOnce(),
    )


def _access_rules(owner: Owner, permission: str) -> Resource:
    return Resource(
        name="access_rule",
        plural="access_rules",
        title="IP Access rule",
        owner=owner.option,
        path=owner.path + "/firewall/access_rules/rules",
        permission=Permission(permission, owner.title),
        fields=(Field("id", ID), Field("mode", CODE), Field("notes", TEXT)),
        key=("id",),
    )


ACCESS_RULES: Mapping[str, Resource] = {  # by owner
    ACCOUNT_OPTION: _access_rules(ACCOUNT_OWNER, "Account Firewall Access Rules"),
    ZONE_OPTION: _access_rules(ZONE_OWNER, "Firewall Services"),
}

AUDIT_LOG = Resource(
    name="change",
    plural="changes",
    title="entry of the audit log",
    plural_title="entries of the audit log",
    owner=ACCOUNT_OPTION,
    path=ACCOUNT_OWNER.path + "/logs/audit",
    permission=Permission("Account Settings", "account"),
    fields=(Field("id", ID),),
    key=("id",),
)


def is_approved(prefix: Mapping[str, Any]) -> bool:
    """Return whether the vendor has approved an onboarded prefix."""
    return prefix.get("approved") == APPROVED


ZONE_NAME = Option(ZONE_OWNER.name_option)
MOST_PER_PAGE = 50  # the most that Cloudflare takes for these lists

DOMAIN = re.compile(
    r"[\w-]+(?:\.[\w-]+)*"
)  # without the colon, which makes a query for a name a search

ACCOUNTS = Resource(
    name="account",
    plural="accounts",
    title="account",
    owner="",
    path="accounts",
    permission=Permission("Account Settings", "account"),
    fields=(Field("id", ID), Field("name", TEXT), Field("type", TEXT)),
    key=("id",),
    listing=Paged(MOST_PER_PAGE),
)

ZONES = Resource(
    name="zone",
    plural="zones",
    title="zone",
    owner="",
    path="zones",
    permission=Permission("Zone", "zone"),
    fields=(Field("id", ID), Field("name", TEXT), Field("status", TEXT)),
    key=("id",),
    listing=Paged(MOST_PER_PAGE),
)

ZONE = Resource(
    name="zone",
    plural="zone",
    title="zone",
    owner=ZONE_OPTION,
    path=ZONE_OWNER.path,
    permission=ZONES.permission,
    fields=ZONES.fields,
    key=(),
    listing=Single(),
)


NEIGHBOURS = (ONBOARDED, *ACCESS_RULES.values(), AUDIT_LOG, ZONE)


def domain(value: Any) -> str:
    """The name of a zone as Cloudflare writes it: in lower case, without a dot at its end; raises
    ValueError."""
    text = str(value).strip().rstrip(".").lower()
    if not DOMAIN.fullmatch(text):
        raise ValueError(f"{excerpt(repr(value))} is not the name of a zone such as example.com")
    return text


def only_zone(name: str, zones: Sequence[Object]) -> str:
    """The id of the one zone with this domain; raises ProtectionError unless it is exactly one.

    A service that ignores the name in the query lists other zones too.
    """
    named = [zone for zone in zones if _is_named(zone, name)]
    if not named:
        permission = ZONES.permission.describe("GET")
        raise ProtectionError(
            Message(
                ZONE_NAME,
                f": the credentials see no zone {name}. Check the name; the credentials need the"
                f" permission {permission} to find it.",
            )
        )
    if len(named) > 1:
        listed = ", ".join(f"{zone.get('id')} ({zone.get('status')})" for zone in named)
        raise ProtectionError(
            Message(
                ZONE_NAME,
                f": {len(named)} zones have the name {name}: {listed}. Set ",
                Option(ZONE_OPTION),
                " to one of these ids instead.",
            )
        )
    try:
        return identifier(named[0].get("id"))
    except ValueError as exc:
        raise ProtectionError(
            Message(ZONE_NAME, f": Cloudflare gave the zone {name} an unusable id: {exc}.")
        ) from exc


def _is_named(zone: Object, name: str) -> bool:
    try:
        return domain(zone.get("name")) == name
    except ValueError:
        return False

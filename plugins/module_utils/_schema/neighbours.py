# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Neighbours of the protection of an account or zone, read only: networks that the account has
brought (Cloudflare API: Address Map and Prefixes), phases of packets, and the audit log.

Nothing here declares a write: the collection never announces or withdraws a network.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Any, Mapping, Sequence

from .._errors import ProtectionError
from .._text import Message, Option, excerpt
from .._values.hostnames import in_letters, in_punycode
from .._values.kinds import ID, identifier
from .resource import (
    ACCOUNT_OPTION,
    ACCOUNT_OWNER,
    RULESET_PATHS,
    ZONE_OPTION,
    ZONE_OWNER,
    AtOnce,
    Field,
    InDocument,
    Object,
    Paged,
    Permission,
    Resource,
    Single,
)

ADDRESSING_PATH = ACCOUNT_OWNER.path + "/addressing/prefixes"
ACCOUNT_SETTINGS = Permission("Account Settings", "account")
MAGIC_FIREWALL = Permission("Magic Firewall", "account")
APPROVED = "V"


def _read_only(name: str, title: str, permission: Permission, **declaration: Any) -> Resource:
    """A resource that the collection only reads."""
    defaults: dict[str, Any] = {"plural": f"{name}s", "key": ("id",), "owner": ACCOUNT_OPTION}
    return Resource(
        name=name,
        title=title,
        permission=permission,
        fields=(Field("id", ID),),
        **{**defaults, **declaration},
    )


ONBOARDED = _read_only(
    "onboarded_prefix",
    "onboarded prefix",
    Permission("IP Prefixes", "account"),
    plural="onboarded_prefixes",
    path=ADDRESSING_PATH,
    listing=AtOnce(),
)


def _parts_of_prefix(name: str, title: str, path: str, prefix: Object) -> Resource:
    """The resource of some parts of an onboarded prefix."""
    return replace(
        ONBOARDED,
        name=name,
        plural=f"{name}s",
        title=title,
        path=f"{ADDRESSING_PATH}/{{parent_id}}/{path}",
        parent=ONBOARDED,
        parent_name=str(prefix.get("id") or ""),
    )


# By the prefix: the parts that are announced by themselves, and those that other accounts use.
PARTS_OF_PREFIX = bgp_prefixes_of, delegations_of = (
    partial(_parts_of_prefix, "bgp_prefix", "BGP prefix", "bgp/prefixes"),
    partial(_parts_of_prefix, "delegation", "delegation", "delegations"),
)

AUDIT_LOG = _read_only(
    "change", "entry of the audit log", ACCOUNT_SETTINGS, path=ACCOUNT_OWNER.path + "/logs/audit"
)


def is_approved(prefix: Mapping[str, Any]) -> bool:
    """Return whether the vendor has approved an onboarded prefix."""
    return prefix.get("approved") == APPROVED


ZONE_NAME = Option(ZONE_OWNER.name_option)
# Lists of what the credentials see, in pages of the most that Cloudflare takes for them.
OF_CREDENTIALS: Mapping[str, Any] = {"owner": "", "listing": Paged(50)}

# Without the colon, which makes a query for a name a search.
DOMAIN = re.compile(r"[\w-]+(?:\.[\w-]+)*")

ACCOUNTS = _read_only("account", "account", ACCOUNT_SETTINGS, path="accounts", **OF_CREDENTIALS)
ZONES = _read_only("zone", "zone", Permission("Zone", "zone"), path="zones", **OF_CREDENTIALS)
ZONE = replace(
    ZONES, plural="zone", owner=ZONE_OPTION, path=ZONE_OWNER.path, key=(), listing=Single()
)
ACCOUNT_DETAILS = replace(
    ACCOUNTS,
    plural="account",
    owner=ACCOUNT_OPTION,
    path=ACCOUNT_OWNER.path,
    key=(),
    listing=Single(),
)
NEIGHBOURS = (ONBOARDED, AUDIT_LOG, ZONE, ACCOUNT_DETAILS)


def _rules_of(phase: str, title: str) -> Resource:
    path = f"{RULESET_PATHS[ACCOUNT_OPTION]}/phases/{phase}/entrypoint"
    listing = InDocument("rules", (), path)
    return _read_only(phase, title, MAGIC_FIREWALL, path=path, phase=phase, listing=listing)


# Phases beside the Network Firewall that packets meet as well, and that nothing evaluates.
PACKET_PHASES = (
    _rules_of("magic_transit_managed", "managed rule of the Network Firewall"),
    _rules_of("magic_transit_ids_managed", "intrusion detection rule"),
    _rules_of("magic_transit_ratelimit", "rate limit of the Network Firewall"),
)


def domain(value: Any) -> str:
    """The name of a zone as Cloudflare writes it: in lower case, without a dot at its end, with
    letters in place of Punycode; raises ValueError."""
    text = str(value).strip()
    text = in_letters(text.rstrip(".").lower())
    if not DOMAIN.fullmatch(in_punycode(text)):
        raise ValueError(f"{excerpt(repr(value))} is not the name of a zone such as example.com")
    return text


def only_zone(name: str, zones: Sequence[Object]) -> str:
    """The id of the one zone with this domain; raises ProtectionError unless it is exactly one.

    A service that ignores the name in the query lists other zones too.
    """
    candidates = [zone for zone in zones if _is_named(zone, name)]
    if not candidates:
        permission = ZONES.permission.describe("GET")
        text = (
            f": the credentials see no zone {name}. Check the name; the credentials need the"
            f" permission {permission} to find it."
        )
        raise ProtectionError(Message(ZONE_NAME, text))
    if len(candidates) > 1:
        listed = ", ".join(f"{zone.get('id')} ({zone.get('status')})" for zone in candidates)
        text = f": {len(candidates)} zones have the name {name}: {listed}. Set "
        advice = " to one of these ids instead."
        raise ProtectionError(Message(ZONE_NAME, text, Option(ZONE_OPTION), advice))
    try:
        return identifier(candidates[0].get("id"))
    except ValueError as exc:
        text = f": Cloudflare gave the zone {name} an unusable id: {exc}."
        raise ProtectionError(Message(ZONE_NAME, text)) from exc


def _is_named(zone: Object, name: str) -> bool:
    try:
        return domain(zone.get("name")) == name
    except ValueError:
        return False

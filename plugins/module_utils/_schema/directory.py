# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The accounts and zones that credentials see, read only (Cloudflare API: Accounts, Zones)."""

from __future__ import annotations

import re
from typing import Any, Sequence

from .._errors import ProtectionError
from .._text import Message, Option, excerpt
from .._values.kinds import ID, TEXT, identifier
from .owners import ZONE_OWNER
from .resource import Field, Object, Permission, Resource
from .zone import PATH

ZONE_NAME = Option(ZONE_OWNER.name_option)
PER_PAGE = 50  # the most that Cloudflare takes for these lists

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
    page_size=PER_PAGE,
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
    page_size=PER_PAGE,
)

ZONE = Resource(
    name="zone",
    plural="zone",
    title="zone",
    owner=ZONE_OWNER.option,
    path=PATH,
    permission=ZONES.permission,
    fields=ZONES.fields,
    key=(),
)


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
                Option(ZONE_OWNER.option),
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

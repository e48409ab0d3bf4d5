# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The accounts and zones that credentials see, read only (Cloudflare API: Accounts, Zones)."""

from __future__ import annotations

from .resource import Field, Permission, Resource
from .values import ID, TEXT

PER_PAGE = 50  # the most that the service takes for these lists

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

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The account of a zone, beside which rules of the zone stand."""

from __future__ import annotations

from typing import Mapping

from .._api.client import Client
from .._errors import ProtectionError
from .._schema.account import OWNER
from .._schema.directory import ZONE
from .._values.kinds import identifier


def account_of(client: Client) -> Client:
    """The client for the account of a zone, or of an account itself; raises ServiceError, and
    ProtectionError for a zone without an account."""
    if OWNER in client.owner:
        return client
    account = client.read(ZONE)[0].get("account")
    try:
        identity = identifier(account.get("id") if isinstance(account, Mapping) else None)
    except ValueError as exc:
        raise ProtectionError(f"The zone does not say its account: {exc}.") from exc
    return client.within({OWNER: identity})

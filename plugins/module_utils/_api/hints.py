# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What to do about a refused call: a sentence for the person at the keyboard."""

from __future__ import annotations

from typing import Mapping, Sequence
from urllib.parse import urlsplit

from .._messages import Message, Option
from .._schema.resource import Resource
from .._text import excerpt

ACCOUNT_ID, ZONE_ID, BASE_URL = Option("account_id"), Option("zone_id"), Option("base_url")
API_TOKEN = Option("api_token")
TOKEN_AS_KEY = Message(
    "The value of ",
    Option("api_key"),
    " is no API key; a token belongs into ",
    API_TOKEN,
    ".",
)
MALFORMED_TOKEN = Message(
    "The value of ",
    API_TOKEN,
    " has not the form of a token; check it for missing or extra characters.",
)
REJECTED = (
    "The credentials are wrong, expired, or may not be used from here; check them. "
    "A token made just now may need some seconds."
)
NOT_ENTITLED = "The account has no {product}; it comes with Magic Transit."
WRONG_ID = Message("Check ", ACCOUNT_ID, ", ", ZONE_ID, " and ", BASE_URL, ".")


def _swapped(owner: Option, other: str) -> Message:
    return Message("Check ", owner, " and ", BASE_URL, "; is ", owner, f" the id of {other}?")


SWAPPED_ID = {  # by the option of the call, the only id that it has
    "account_id": _swapped(ACCOUNT_ID, "a zone"),
    "zone_id": _swapped(ZONE_ID, "an account"),
}
TOO_MANY_CALLS = Message(
    "Too many calls were made with these credentials, by others too; run again in some minutes,"
    " raise ",
    Option("max_wait"),
    ", or lower ",
    Option("call_budget"),
    ".",
)
MAINTENANCE_MODE = 10020  # of an interface that the vendor retires
BY_CODE: Mapping[int | None, str] = {
    6103: TOKEN_AS_KEY,
    6111: MALFORMED_TOKEN,
    7000: WRONG_ID,
    7003: WRONG_ID,
    8888: NOT_ENTITLED,
    9109: REJECTED,
}


def hint_for(
    method: str,
    resource: Resource | None,
    status: int,
    codes: Sequence[int | None],
    location: str | None,
) -> str:
    """What to do next, or an empty text where nothing better than the service's own words is
    known."""
    by_code = next((BY_CODE[code] for code in codes if code in BY_CODE), None)
    if by_code == WRONG_ID and resource:
        return SWAPPED_ID.get(resource.owner, WRONG_ID)
    if by_code:
        product = (resource.product if resource else "") or "such product"
        return by_code.format(product=product) if by_code == NOT_ENTITLED else by_code
    if resource is not None and resource.retired and (MAINTENANCE_MODE in codes or status == 410):
        return resource.retired
    if 300 <= status < 400:
        host = _host(location)
        return Message(
            f"It redirects to {host}, which is not followed, since the credentials are not for it;"
            " check ",
            BASE_URL,
            ".",
        )
    if status == 401:
        return REJECTED
    if status == 403:
        permission = f" {resource.permission.describe(method)}" if resource else ""
        return f"The credentials may lack the permission{permission}, or are not valid here."
    if status == 429:
        return TOO_MANY_CALLS
    if status >= 500:
        return "The service failed; run again later."
    return ""


def _host(location: str | None) -> str:
    try:
        return excerpt(urlsplit(location or "").hostname or "another place")
    except ValueError:
        return "a malformed address"

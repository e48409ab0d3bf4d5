# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What to do about a refused call: a sentence for the person at the keyboard."""

from __future__ import annotations

from typing import Collection, Mapping, Sequence
from urllib.parse import urlsplit

from .._schema.owners import OWNERS, UNKNOWN_ID, others
from .._schema.resource import Resource
from .._text import Message, Option, excerpt, joined

BASE_URL, API_TOKEN = Option("base_url"), Option("api_token")
TOKEN_AS_KEY = Message(
    "The value of ",
    Option("api_key"),
    " is not an API key; a token belongs into ",
    API_TOKEN,
    ".",
)
MALFORMED_TOKEN = Message(
    "The value of ",
    API_TOKEN,
    " is not a well-formed token; check it for missing or extra characters.",
)
REJECTED = (
    "The credentials are wrong, expired, or may not be used from here; check them. "
    "A token made just now may need some seconds."
)
NOT_ENTITLED = "The account has no {product}; it comes with Magic Transit."
WRONG_ID = Message(
    "Check ", joined(", ", [Message(Option(option)) for option in OWNERS]), " and ", BASE_URL, "."
)
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
    **dict.fromkeys(UNKNOWN_ID, WRONG_ID),
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
    """What to do next, or an empty text where nothing better than Cloudflare's own words is
    known."""
    by_code = next((BY_CODE[code] for code in codes if code in BY_CODE), None)
    if by_code == WRONG_ID and resource:
        return _wrong_id(resource.owner)
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
        return "Cloudflare failed; run again later."
    return ""


def _wrong_id(owner: str) -> Message:
    """A call has the id of one owner only, so that it may be the id of another one."""
    if owner not in OWNERS:
        return WRONG_ID
    option, kinds = Option(owner), " or ".join(other.one for other in others(OWNERS[owner]))
    return Message("Check ", option, " and ", BASE_URL, "; is ", option, f" the id of {kinds}?")


def swapped_ids(codes: Sequence[int | None], names: Collection[str]) -> str:
    """A question if Cloudflare does not know an id, and the task names each owner by its id.

    `names` are the options, and the variables of the environment, that have a value.
    """
    by_id = all(owner.option in names or owner.variable in names for owner in OWNERS.values())
    by_name = any(owner.name_option in names for owner in OWNERS.values() if owner.name_option)
    if UNKNOWN_ID.isdisjoint(codes) or not by_id or by_name:
        return ""
    named = joined(" and ", [Message(Option(option)) for option in OWNERS])
    return Message("Are ", named, " swapped?")


def _host(location: str | None) -> str:
    try:
        return excerpt(urlsplit(location or "").hostname or "another place")
    except ValueError:
        return "a malformed address"

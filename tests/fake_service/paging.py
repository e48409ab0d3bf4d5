# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists, a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from flask import request
from werkzeug.wrappers import Response

from .accounts import Item
from .answers import INVALID, refusal, success

LISTING = "edgeops.listing"
Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Listing:
    """How this call's listing misbehaves, or the operation that it begins."""

    page_cap: int | None = None
    same_page: bool = False
    operation_seconds: float = 0.0
    operation_error: str = ""


def page(items: list[Item], order: str | None = None, per_page: int = 25) -> Response:
    """The page that the request asks for (its query has been checked against the contract before).

    Without an order, neither the request's own nor a default one, items come as they were made.
    """
    ordered = in_order(items, request.args.get("order", order), request.args.get("direction") == "DESC")
    return part(ordered, per_page, lambda item: item)


def part(ordered: Sequence[Entry], per_page: int, make: Callable[[Entry], Item]) -> Response:
    """The page that the request asks for, with what `make` makes of each entry on it."""
    listing: Listing = request.environ.get(LISTING, Listing())
    number = 1 if listing.same_page else int(request.args.get("page", 1))
    size = min(int(request.args.get("per_page", per_page)), listing.page_cap or 1000)
    shown = [make(entry) for entry in ordered[(number - 1) * size : number * size]]
    info = {
        "page": number,
        "per_page": size,
        "count": len(shown),
        "total_count": len(ordered),
        "total_pages": -(-len(ordered) // size),
    }
    return success(shown, result_info=info)


def in_order(items: list[Item], order: str | None, descending: bool) -> list[Item]:
    if order is None:
        return items[::-1] if descending else items
    if any(order not in item for item in items):
        raise refusal(400, INVALID, f"query parameter 'order': there is no field {order!r}")
    return sorted(items, key=lambda item: str(item[order]), reverse=descending)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Puts the pages of a listing together, and decides when they are the whole of it: pure, without a call."""

from __future__ import annotations

from typing import Any, Sequence

from ..schema.resource import Object
from ..text import excerpt
from .responses import Envelope

MAX_DIGITS = 20  # of a total in a message


class Incomplete(ValueError):
    """The pages end before the listing does; the text says how far they came."""


class Listing:
    """The objects of the pages so far, each once; `page_size` is the number of objects that a page was asked for.

    The service's total may be too low, so that a full page is always followed by one more.
    """

    def __init__(self, page_size: int) -> None:
        self._page_size = page_size
        self._by_id: dict[Any, Object] = {}
        self._previous: Sequence[Object] = ()
        self._first_length: int | None = None

    @property
    def objects(self) -> list[Object]:
        """What the pages hold, in their order."""
        return list(self._by_id.values())

    def add(self, page: Sequence[Object], envelope: Envelope) -> bool:
        """Add the next page; True where the listing is complete with it. Raises Incomplete."""
        new = self._take(page)
        is_full = len(page) >= min(self._page_size, envelope.per_page)
        is_full = is_full or (self._first_length is not None and new >= self._first_length)
        if self._first_length is None:
            self._first_length = len(page)
        count, total = len(self._by_id), envelope.total
        if total is None or count < total:
            if new:
                return False
            if total is None and len(page) < self._page_size:
                return True  # empty, or from a service that answers every page alike
        elif new or not page or count == total:
            return not (new and is_full)
        # A full page that comes twice may hide another.
        of_all = excerpt(str(total), MAX_DIGITS) if total and count < total else "an unknown number of"
        raise Incomplete(f"the listing ends after {count} of {of_all} objects")

    def _take(self, page: Sequence[Object]) -> int:
        """Keep what the page has and earlier ones had not; returns how many objects that are."""
        before = len(self._by_id)
        if page != self._previous:
            for item in page:
                self._by_id.setdefault(_identity(item) or ("without id", len(self._by_id)), item)
        self._previous = page
        return len(self._by_id) - before


def _identity(item: Object) -> str | int | None:
    """The id by which an object that comes twice is known; None where it has none, or something else in its place."""
    identity = item.get("id")
    return identity if isinstance(identity, (str, int)) else None

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Listings of whole collections, which Cloudflare gives at once, in numbered pages, or in pages
that each tell where the next one begins. A listing is complete, or ServiceError: never a part."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

from .._concurrency import concurrently
from .._errors import LaterPageError, ServiceError
from .._schema.resource import AtOnce, ByCursor, Object, Paged, Resource
from .._text import excerpt
from .progress import Progress
from .responses import Envelope, Request, unexpected

MOST_PAGES = 10000  # where a service never comes to an end
LONGEST_TOTAL = 20  # digits of a total in a message


class Page(NamedTuple):
    """A page of a listing: the request, and the envelope of its response."""

    request: Request
    envelope: Envelope


class Listing(NamedTuple):
    """Reads the collection at a path. `call` makes a call, and `progress` is told of each page.
    `total` is the number of objects that the object around the collection reports (`num_items` of a
    list), None if it reports none.
    """

    resource: Resource
    path: str
    call: Callable[[Request], Envelope]
    progress: Progress
    total: Any = None

    def read(self, query: Mapping[str, Any]) -> list[Object]:
        """All objects, or those that match a query; raises ServiceError."""
        listing = self.resource.listing
        if isinstance(listing, ByCursor):
            return self._read_by_cursor()
        if isinstance(listing, Paged):
            return self._read_numbered(query)
        if isinstance(listing, AtOnce):
            return self._read_at_once()
        request = Request("GET", self.path, resource=self.resource)
        return in_shape(self.resource, [read_object(request, self.call)])

    def _read_at_once(self) -> list[Object]:
        request = Request("GET", self.path, resource=self.resource)
        envelope = self.call(request)
        objects = listed_objects(request, envelope)
        if len(objects) < (envelope.total or 0):
            total = excerpt(str(envelope.total), LONGEST_TOTAL)
            raise unexpected(request, f"the listing has {len(objects)} of {total} objects")
        return objects

    def _read_by_cursor(self) -> list[Object]:
        """All objects, page by page; each page has the cursor of the next one. Raises
        ServiceError."""
        by_id: dict[Any, Object] = {}
        cursors: list[str] = []
        self.progress.begin(self.resource.plural)
        for number in range(1, MOST_PAGES + 1):
            query = {"cursor": cursors[-1]} if cursors else {}
            page = self._page(query, number)
            objects = in_shape(self.resource, listed_objects(*page))
            add_objects(_with_shared_texts(objects), by_id)
            self.progress.read_page(self.resource.plural)
            cursor = page.envelope.next_cursor
            if cursor in cursors:
                raise unexpected(page.request, "the cursor of the next page has come before")
            if cursor is None:
                self._require_whole(page.request, len(by_id), len(objects))
            if not cursor:
                return list(by_id.values())
            cursors.append(cursor)
        raise unexpected(page.request, "the listing does not end")

    def _require_whole(self, request: Request, count: int, count_on_page: int) -> None:
        """Raise ServiceError if more objects may follow the last page: this listing does not say
        which page is the last, so that a full one may be followed by another.
        """
        total = self.total
        if isinstance(total, (int, float)) and count < total:
            raise unexpected(request, f"the listing has {count} of {total:g} objects")
        if count_on_page >= self.resource.page_size:
            raise unexpected(request, "a full page does not say whether it is the last")

    def _read_numbered(self, query: Mapping[str, Any]) -> list[Object]:
        """All objects, page by page until the listing is complete; raises ServiceError."""
        pages = Pages(self.resource.page_size)
        for page in self._numbered_pages(query):
            if pages.add(page.request, page.envelope):
                return list(pages.by_id.values())
        raise unexpected(page.request, "the listing does not end")

    def _numbered_pages(self, query: Mapping[str, Any]) -> Iterator[Page]:
        """The pages of a listing: as many as the total on the first page implies are read
        concurrently, further ones one by one."""

        def read(number: int) -> Page:
            page = self._page({**query, "page": number}, number)
            total = _number_of_pages(page.envelope) if number == 1 else 0
            self.progress.read_page(self.resource.plural, total)
            return page

        self.progress.begin(self.resource.plural)
        first_page = read(1)
        yield first_page
        count = _number_of_pages(first_page.envelope)
        yield from concurrently(read, range(2, count + 1))
        for number in range(max(count, 1) + 1, MOST_PAGES + 1):
            yield read(number)

    def _page(self, query: Mapping[str, Any], number: int) -> Page:
        """One page of a listing; raises ServiceError."""
        page_query = {**query, "per_page": self.resource.page_size}
        request = Request("GET", self.path, page_query, resource=self.resource)
        try:
            return Page(request, self.call(request))
        except ServiceError as exc:
            if number == 1:
                raise
            raise LaterPageError(number, exc) from exc


def read_object(request: Request, call: Callable[[Request], Envelope]) -> Object:
    """The single object that a request asks for; raises ServiceError."""
    result = call(request).result
    if not isinstance(result, Mapping):
        raise unexpected(request, "the result is not an object")
    return result


def in_shape(resource: Resource, objects: Sequence[Any]) -> list[Any]:
    """Objects of Cloudflare in the shape that this collection uses for the resource."""
    shape = resource.shape
    if not shape:
        return list(objects)
    shaped: list[Any] = []
    for obj in objects:
        if isinstance(obj, Mapping):
            shaped.append(shape.from_api(obj))
        else:
            shaped.append(obj)
    return shaped


def _with_shared_texts(page: Sequence[Object]) -> list[Object]:
    """The objects of a page; texts that several of them have, such as times, are kept once."""
    texts: dict[Any, Any] = {}
    objects: list[Object] = []
    for obj in page:
        shared = dict(obj)
        for name, value in obj.items():
            if isinstance(value, str):
                shared[name] = texts.setdefault(value, value)
        objects.append(shared)
    return objects


def _number_of_pages(envelope: Envelope) -> int:
    """Number of pages of a listing, by the total of its first one."""
    page = envelope.result
    if not isinstance(page, list) or not page:
        return 1
    total = envelope.total or 0
    full_pages, on_last_page = divmod(total, len(page))
    pages = full_pages + 1 if on_last_page else full_pages
    return min(MOST_PAGES, pages)


def listed_objects(request: Request, envelope: Envelope) -> list[Object]:
    """The objects of a response; raises ServiceError if the result is not a list of objects."""
    result = envelope.result
    if result is None and envelope.total == 0:
        return []
    if not isinstance(result, list) or not all(isinstance(obj, dict) for obj in result):
        raise unexpected(request, "the result is not a list of objects")
    return result


class Pages:
    """The pages so far, with each object once in `by_id`. `page_size` is the number of objects that
    are requested per page. Pages may report different totals, of which the highest counts. Even
    that may be too low, so that a full page is always followed by one more request.
    """

    def __init__(self, page_size: int) -> None:
        self._page_size = page_size
        self.by_id: dict[Any, Object] = {}
        self._previous: Sequence[Object] = ()
        self._first_length: int | None = None
        self._total: int | None = None

    def add(self, request: Request, envelope: Envelope) -> bool:
        """Return whether the listing is complete after adding the next page; raises ServiceError if
        the pages end before the listing does.

        | the page          | no total       | too few so far | the total  | more than the total |
        |-------------------|----------------|----------------|------------|---------------------|
        | new objects, full | goes on        | goes on        | goes on    | goes on             |
        | new objects       | goes on        | goes on        | complete   | complete            |
        | the same, full    | incomplete     | incomplete     | complete   | incomplete          |
        | the same          | complete       | incomplete     | complete   | incomplete          |
        | empty             | complete       | incomplete     | complete   | complete            |

        A full page that comes twice may hide another one.
        """
        page = listed_objects(request, envelope)
        new = add_objects(page, self.by_id) if page != self._previous else 0
        self._previous = page
        is_full = self._is_full(page, new, envelope)
        if envelope.total is not None:
            self._total = max(envelope.total, self._total or 0)
        count, total = len(self.by_id), self._total
        if new:
            return total is not None and count >= total and not is_full
        if total is None:
            is_complete = len(page) < self._page_size
        else:
            is_complete = count == total or (count > total and not page)
        if not is_complete:
            is_short = total is not None and count < total
            of_all = excerpt(str(total), LONGEST_TOTAL) if is_short else "an unknown number of"
            raise unexpected(request, f"the listing ends after {count} of {of_all} objects")
        return True

    def _is_full(self, page: Sequence[Object], new: int, envelope: Envelope) -> bool:
        """Return whether a page has as many objects as were requested or as Cloudflare reports for
        a page, or as many new ones as the first page had."""
        as_first = self._first_length is not None and new >= self._first_length
        if self._first_length is None:
            self._first_length = len(page)
        return as_first or len(page) >= min(self._page_size, envelope.per_page)


def add_objects(page: Sequence[Object], by_id: dict[Any, Object]) -> int:
    """The number of objects of a page that earlier pages did not have; these are added to
    `by_id`."""
    before = len(by_id)
    for obj in page:
        identity = obj.get("id")  # by which an object that comes twice is known
        has_id = bool(identity) and isinstance(identity, (str, int))
        by_id.setdefault(identity if has_id else ("without id", len(by_id)), obj)
    return len(by_id) - before

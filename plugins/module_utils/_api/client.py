# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads complete collections and writes objects. It knows paths and pages; the session knows the
network."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any, Callable, Iterator, Mapping, Protocol, Sequence

from .._concurrency import concurrently
from .._errors import LaterPageError, ServiceError
from .._schema.resource import (
    NO_ITEMS,
    AtOnce,
    ByCursor,
    InDocument,
    Object,
    Paged,
    Resource,
    State,
    Write,
    fields_in,
    id_of_new,
)
from .._text import excerpt
from .._timestamps import read_date
from .._values.kinds import SAFE_ID
from .progress import Progress
from .responses import Envelope, Request, Response, open_envelope, unexpected
from .retry import operate
from .versions import Versions, oldest_first, version_of

NO_ENTRY_POINT = 10003  # the vendor's code for a phase that has no ruleset yet
MOST_PAGES = 10000  # where a service never comes to an end


class Sender(Protocol):
    """Carries a request to Cloudflare and brings the response back; `calls` counts the
    attempts."""

    @property
    def calls(self) -> int:
        """Number of calls, repeated ones included."""

    def send(self, request: Request) -> Response:
        """Raises ServiceError when no response came."""


class Client:
    """Reads and writes the resources of one account or zone.

    `owner` fills the paths: {"account_id": ...} or {"zone_id": ...}, both checked to be ids. `now`
    is Cloudflare's time by its last response, None where it told none; `zones` is the zone if the
    task names it. `progress` hears of each page that is read. `reader` names the base URL and the
    credentials.
    """

    def __init__(
        self,
        sender: Sender,
        owner: Mapping[str, str],
        progress: Progress | None = None,
        reader: str = "",
    ) -> None:
        self._sender, self.reader = sender, reader
        self.progress = progress or Progress()
        self.owner = owner
        self.now: datetime | None = None
        self.zones: Sequence[Object] = ()
        self.wait: Callable[[float], bool] = lambda _seconds: False  # as a part of max_wait
        self._list_objects: dict[str, Object] = {}
        self._listings: dict[str, list[Object]] = {}
        self._read_at: dict[str, float] = {}
        self.versions: dict[str, Versions] = {}  # of ordered lists, by plural
        self.written: dict[str, Resource] = {}  # ordered lists that this run writes, by plural
        self.ids: dict[str, str] = {}  # of named objects that hold a list, by id_of_new

    @property
    def calls(self) -> int:
        """Number of calls, repeated ones included."""
        return self._sender.calls

    def within(self, owner: Mapping[str, str]) -> Client:
        """A client of this owner that makes its calls in the same session."""
        client = Client(self._sender, owner, self.progress, self.reader)
        client.wait = self.wait
        return client

    def read(self, resource: Resource, query: Mapping[str, str] | None = None) -> list[Object]:
        """All objects of a collection, or the single object of a resource without a key; raises
        ServiceError.

        `query` limits a collection that comes in pages to some of its objects.
        """
        if resource.parent and not self._holder(resource):
            return []
        listing = resource.listing
        if isinstance(listing, InDocument):
            return self._read_document(resource)
        if isinstance(listing, ByCursor):
            return self._read_by_cursor(resource)
        if isinstance(listing, Paged):
            return self._read_pages(resource, query or {})
        if isinstance(listing, AtOnce):
            return self._read_at_once(resource)
        return _as_known(resource, [self._read_object(resource)])

    def read_each(self, resources: Sequence[Resource]) -> Iterator[list[Object]]:
        """The objects of each collection, in order, read concurrently; raises ServiceError."""
        return concurrently(self.read, resources)

    def read_state(self, resources: Sequence[Resource]) -> State:
        """A complete listing of each collection, read concurrently; raises ServiceError."""
        names = [resource.plural for resource in resources]
        return dict(zip(names, self.read_each(resources)))

    def write(
        self, resource: Resource, path: str, write: Write, bodies: Sequence[Any], ids: Sequence[str]
    ) -> Any:
        """Send changes of objects: one alone at its own path where it has one, several as a list;
        returns the result.

        `path` has placeholders: the resource's own, or that of its nested objects. Raises
        ServiceError.
        """
        shape = resource.shape
        bodies = [shape.to_api(body) if shape and body else body for body in bodies]
        if write.by_id and len(ids) == 1:
            path, body = f"{path}/{ids[0]}", bodies[0]
        else:
            path, body = path + write.suffix, bodies[0] if write.batch == 1 else list(bodies)
        body = {write.wrapper: body} if write.wrapper else body
        request = Request(write.method, self._filled(path, resource), body=body, resource=resource)
        if write.operation:
            return operate(request, self._filled(write.operation, resource), self._call)
        result = self._call(request).result
        if resource.path in self._listings and isinstance(result, Mapping) and not ids[0]:
            self._listings[resource.path].append(result)
        return _as_known(resource, [result])[0]

    def ask(self, request: Request) -> Response:
        """Send a query that reads, and bring back its response, whatever its status; raises
        ServiceError when none came."""
        response = self._sender.send(request)
        self.now = read_date(response.header("Date")) or self.now
        return response

    def list_object(self, resource: Resource) -> Object:
        """The object around an ordered list, as it was last read or written; empty where there is
        none yet."""
        return self._list_objects.get(resource.plural, {})

    def age_of(self, resource: Resource) -> float:
        """The seconds since an ordered list was last read; 0 where it was not."""
        now = time.monotonic()
        return now - self._read_at.get(resource.plural, now)

    def path_to(self, path: str, **values: str) -> str:
        """A path of a declaration, with the owner and these values in their places."""
        return path.format(**self.owner, **values)

    def version(self, resource: Resource) -> int | None:
        """The version of an ordered list as it was last read or written; see version_of."""
        return version_of(self.list_object(resource))

    def _path_of_list(self, resource: Resource) -> str:
        """The path of the object around an ordered list, by its id."""
        identity = str(self.list_object(resource).get("id"))
        return self.path_to(resource.document.path, id=identity)

    def read_version(self, resource: Resource, number: int) -> list[Object]:
        """The list as it was in a version; raises ServiceError."""
        path = f"{self._path_of_list(resource)}/versions/{number}"
        request = Request("GET", path, resource=resource)
        around = fields_in(self._call(request).result)
        if version_of(around) != number:
            raise unexpected(request, f"the result is not version {number}")
        listed = Envelope(around.get(resource.document.field) or [], {})
        return _as_known(resource, _listed_objects(request, listed))

    def replace(
        self,
        resource: Resource,
        objects: Sequence[Object],
        query: Mapping[str, Any] | None = None,
        changes: Object = NO_ITEMS,
    ) -> Any:
        """Replace an ordered list inside of one object, with `changes` of that object; returns the
        list in the response. An object that is not there yet is made. Raises ServiceError."""
        document = resource.document
        around, shape = self.list_object(resource), resource.shape
        body = {
            **{field: around[field] for field in document.sent_along if field in around},
            **changes,
            document.field: [shape.to_api(item) if shape else item for item in objects],
        }
        parent = None if self._holder(resource) else resource.parent
        method = (parent or resource).write_for("create").method
        path = self._path(parent or resource)
        request = Request(method, path, query or {}, body, parent or resource)
        return self._call(request).result if query else self._written(resource, request, parent)

    def write_rule(
        self, resource: Resource, write: Write, identity: str, rule: Object | None, place: Object
    ) -> Any:
        """Create, change, move or delete one object of an ordered list; returns the list in the
        response. Raises ServiceError."""
        path = f"{self._path_of_list(resource)}/{resource.document.field}"
        path = f"{path}/{identity}" if write.by_id else path
        shape = resource.shape
        body = {**(shape.to_api(rule) if shape and rule else rule or {}), **place} or None
        return self._written(resource, Request(write.method, path, body=body, resource=resource))

    def _written(self, resource: Resource, request: Request, parent: Resource | None = None) -> Any:
        """The list in the answer to a write, as a version of this run."""
        self.written[resource.plural] = resource
        versions = self.versions.setdefault(resource.plural, Versions())
        was_written, versions.is_written = versions.is_written, True
        try:
            result = self._call(request).result
        except ServiceError as exc:
            versions.is_written = was_written or exc.maybe_applied
            raise
        if not isinstance(result, Mapping):
            return None
        if parent:
            self._keep_ids(parent, [result])
        self._list_objects[resource.plural] = result
        listed = self.listed(resource)
        objects = [item for item in listed or () if isinstance(item, Mapping)]
        if listed is not None:
            versions.keep(self.version(resource), objects, is_own=True)
        return listed

    def listed(self, resource: Resource) -> list[Any] | None:
        """The ordered list as it was last read or written; None where the answer has no list."""
        listed = self.list_object(resource).get(resource.document.field) or []
        return _as_known(resource, listed) if isinstance(listed, list) else None

    def _path(self, resource: Resource) -> str:
        return self._filled(resource.path, resource)

    def _filled(self, path: str, resource: Resource) -> str:
        """A path with the owner and, of a collection inside of an object, the id of that object;
        raises ServiceError for an id that is none."""
        identity = str((self._holder(resource) or {}).get("id") or "")
        if resource.parent and not SAFE_ID.fullmatch(identity):
            problem = f"the {resource.parent.title} {resource.parent_name} has the id {identity!r}"
            raise unexpected(Request("GET", self._path(resource.parent)), problem)
        return path.format(**self.owner, parent_id=identity)

    def _holder(self, resource: Resource) -> Object | None:
        """The object that holds a collection; None if the last listing has no such object, or one
        that is not ours."""
        parent = resource.parent
        if parent is None:
            return None
        key = parent.key_of({parent.key[0]: resource.parent_name})
        own = parent.our_objects(self._listings.get(parent.path, ()))
        return next((obj for obj in own if parent.key_of(obj) == key), None)

    def _keep_ids(self, resource: Resource, objects: Sequence[Object]) -> None:
        if resource.holds_rules:
            self._listings[resource.path] += objects
            for obj in reversed(resource.our_objects(objects)):
                self.ids[id_of_new(resource.label_of(obj))] = str(obj.get("id"))

    def _oldest_first(self, resource: Resource, objects: list[Object]) -> list[Object]:
        """The objects of a listing, kept as it; of those that hold a list, the oldest of one key
        comes first. Raises ServiceError."""

        def read(path: str) -> Object:
            request = Request("GET", f"{self._path(resource)}{path}", resource=resource)
            return fields_in(self._call(request).result)

        listing = oldest_first(resource, objects, read) if resource.holds_rules else objects
        self._listings[resource.path] = []
        self._keep_ids(resource, listing)
        return listing

    def read_same(self, resource: Resource, made: Object) -> list[Object]:
        """The objects with the key of one that this run made, read again, the oldest first; raises
        ServiceError."""
        listing = self.read(resource)
        if made.get("id") not in [obj.get("id") for obj in listing]:
            self._keep_ids(resource, [made])  # it is deleted, or not listed yet
            listing = self._oldest_first(resource, [*listing, made])
        key = resource.key_of(made)
        return [obj for obj in resource.our_objects(listing) if resource.key_of(obj) == key] or [
            made
        ]

    def _call(self, request: Request) -> Envelope:
        """One call; raises ServiceError unless the response is an envelope that says success."""
        return open_envelope(request, self.ask(request))

    def _read_object(self, resource: Resource) -> Object:
        request = Request("GET", self._path(resource), resource=resource)
        result = self._call(request).result
        if not isinstance(result, Mapping):
            raise unexpected(request, "the result is not an object")
        return result

    def _read_document(self, resource: Resource) -> list[Object]:
        """The list inside of one object; empty where Cloudflare has no such object yet."""
        request = Request("GET", self._path(resource), resource=resource)
        around: Object = {}
        try:
            around = self._read_object(resource)
            if not isinstance(around.get("id"), str):  # which no object lacks, even without a list
                raise unexpected(request, "the result has no id")
        except ServiceError as exc:
            if exc.status != 404 or NO_ENTRY_POINT not in exc.codes:
                raise
        if self.list_object(resource).get("id", around.get("id")) != around.get("id"):
            self.versions.pop(resource.plural, None)  # those of another object
        self._list_objects[resource.plural] = around
        self._read_at[resource.plural] = time.monotonic()
        listed = Envelope(around.get(resource.document.field) or [], {})
        objects = _as_known(resource, _listed_objects(request, listed))
        versions = self.versions.setdefault(resource.plural, Versions())
        versions.keep(self.version(resource), objects)
        return objects

    def _read_at_once(self, resource: Resource) -> list[Object]:
        """A collection that Cloudflare does not cut into pages."""
        request = Request("GET", self._path(resource), resource=resource)
        envelope = self._call(request)
        objects = _listed_objects(request, envelope)
        if len(objects) < (envelope.total or 0):
            known = excerpt(str(envelope.total), LONGEST_TOTAL)
            raise unexpected(request, f"the listing has {len(objects)} of {known} objects")
        self._listings[resource.path] = list(objects)
        return objects

    def _read_by_cursor(self, resource: Resource) -> list[Object]:
        """Page after page as each says where the next one begins, or ServiceError: never a part."""
        listing: dict[Any, Object] = {}
        cursors: list[str] = []
        self.progress.begin(resource.plural)
        for number in range(1, MOST_PAGES + 1):
            query = {"cursor": cursors[-1]} if cursors else {}
            request, envelope = self._page(resource, query, number)
            page = _with_shared_texts(_as_known(resource, _listed_objects(request, envelope)))
            _keep(page, listing)
            self.progress.read_page(resource.plural)
            after = envelope.next_cursor
            if after in cursors:
                raise unexpected(request, "the cursor of the next page has come before")
            if after is None:
                self._require_whole(resource, request, len(listing), len(page))
            if not after:
                return self._oldest_first(resource, list(listing.values()))
            cursors.append(after)
        raise unexpected(request, "the listing does not end")

    def _read_pages(self, resource: Resource, query: Mapping[str, str]) -> list[Object]:
        """Page after page until the listing is complete, or ServiceError: never a part of it."""
        listing = Pages(resource.page_size)
        for request, envelope in self._pages(resource, query):
            if listing.add(request, envelope):
                return list(listing.by_id.values())
        raise unexpected(request, "the listing does not end")

    def _page(
        self, resource: Resource, query: Mapping[str, Any], number: int
    ) -> tuple[Request, Envelope]:
        """One page of a listing; raises ServiceError."""
        paged = {**query, "per_page": resource.page_size}
        request = Request("GET", self._path(resource), paged, resource=resource)
        try:
            return request, self._call(request)
        except ServiceError as exc:
            if number == 1:
                raise
            raise LaterPageError(number, exc) from exc

    def _require_whole(
        self, resource: Resource, request: Request, count: int, on_page: int
    ) -> None:
        """Raises ServiceError if a page that does not say whether it is the last one may not be."""
        total = (self._holder(resource) or {}).get("num_items")
        if isinstance(total, (int, float)) and count < total:
            raise unexpected(request, f"the listing has {count} of {total:g} objects")
        if on_page >= resource.page_size:
            raise unexpected(request, "a full page does not say whether it is the last")

    def _pages(
        self, resource: Resource, query: Mapping[str, Any]
    ) -> Iterator[tuple[Request, Envelope]]:
        """Page after page: concurrently as many as the first page's total tells, and then one by
        one."""

        def page(number: int) -> tuple[Request, Envelope]:
            request, envelope = self._page(resource, {**query, "page": number}, number)
            known = _number_of_pages(envelope) if number == 1 else 0
            self.progress.read_page(resource.plural, known)
            return request, envelope

        self.progress.begin(resource.plural)
        first = page(1)
        yield first
        last = _number_of_pages(first[1])
        yield from concurrently(page, range(2, last + 1))
        for number in range(max(last, 1) + 1, MOST_PAGES + 1):
            yield page(number)


def _as_known(resource: Resource, objects: Sequence[Any]) -> list[Any]:
    """Objects of Cloudflare in the shape in which they are known here."""
    shape = resource.shape
    return [
        shape.from_api(item) if shape and isinstance(item, Mapping) else item for item in objects
    ]


def _with_shared_texts(page: Sequence[Object]) -> list[Object]:
    """The objects of a page; texts that several of them have, such as times, are kept once."""
    texts: dict[Any, Any] = {}
    return [
        {
            name: texts.setdefault(value, value) if isinstance(value, str) else value
            for name, value in obj.items()
        }
        for obj in page
    ]


def _number_of_pages(first: Envelope) -> int:
    """Number of pages of a listing, by the total of its first one."""
    per_page = len(first.result) if isinstance(first.result, list) else 0
    return min(MOST_PAGES, -(-(first.total or 0) // per_page) if per_page else 1)


def _listed_objects(request: Request, envelope: Envelope) -> list[Object]:
    result = envelope.result
    if result is None and envelope.total == 0:
        return []
    if not isinstance(result, list) or not all(isinstance(item, dict) for item in result):
        raise unexpected(request, "the result is not a list of objects")
    return result


LONGEST_TOTAL = 20  # digits of a total in a message


class Pages:
    """The objects of the pages so far, each once, in `by_id`; `page_size` is the number of objects
    that a page was asked for.

    The highest total that a page tells is the one that counts: a page that tells none, or a lower
    one, does not take it back. It may be too low, so that a full page is always followed by one
    more.
    """

    def __init__(self, page_size: int) -> None:
        self._page_size = page_size
        self.by_id: dict[Any, Object] = {}
        self._previous: Sequence[Object] = ()
        self._first_length: int | None = None
        self._total: int | None = None

    def add(self, request: Request, envelope: Envelope) -> bool:
        """Add the next page; True if the listing is complete with it. Raises ServiceError if the
        pages end before the listing does.

        | the page          | no total       | too few so far | the total  | more than the total |
        |-------------------|----------------|----------------|------------|---------------------|
        | new objects, full | goes on        | goes on        | goes on    | goes on             |
        | new objects       | goes on        | goes on        | complete   | complete            |
        | the same, full    | incomplete     | incomplete     | complete   | incomplete          |
        | the same          | complete       | incomplete     | complete   | incomplete          |
        | empty             | complete       | incomplete     | complete   | complete            |

        A full page that comes twice may hide another one.
        """
        page = _listed_objects(request, envelope)
        new = _keep(page, self.by_id) if page != self._previous else 0
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
        """Return whether a page has as much as was asked for, or as Cloudflare says that a page
        has, or brings as much as the first one."""
        as_first = self._first_length is not None and new >= self._first_length
        if self._first_length is None:
            self._first_length = len(page)
        return as_first or len(page) >= min(self._page_size, envelope.per_page)


def _keep(page: Sequence[Object], by_id: dict[Any, Object]) -> int:
    """Keep what the page has and earlier ones had not; returns how many objects that are."""
    before = len(by_id)
    for item in page:
        identity = item.get("id")  # by which an object that comes twice is known
        is_known = bool(identity) and isinstance(identity, (str, int))
        by_id.setdefault(identity if is_known else ("without id", len(by_id)), item)
    return len(by_id) - before

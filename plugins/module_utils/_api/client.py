# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads complete collections and writes objects. It knows paths and versions; pages.py knows pages,
and the session the network."""

from __future__ import annotations

import time
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Callable, Iterator, Mapping, Protocol, Sequence

from .._concurrency import concurrently, forget
from .._errors import ServiceError
from .._schema.resource import (
    AtOnce,
    ByCursor,
    InDocument,
    Object,
    Resource,
    State,
    Write,
    id_of_new,
)
from .._values.kinds import SAFE_ID
from .pages import Listing, in_shape, listed_objects, read_object
from .progress import Progress
from .responses import Envelope, Request, Response, open_envelope, unexpected
from .retry import operate
from .versions import Versions, oldest_first, version_of

NO_ENTRY_POINT = 10003  # the vendor's code for a phase that has no ruleset yet


class Sender(Protocol):
    """Sends requests to Cloudflare; `calls` counts the attempts."""

    @property
    def calls(self) -> int:
        """Number of calls, repeated ones included."""

    def send(self, request: Request) -> Response:
        """The response to a request; raises ServiceError if none came."""


class Client:
    """Reads and writes the resources of one account or zone. `owner` has the ids for the paths:
    {"account_id": ...} or {"zone_id": ...}, both well-formed. `now` is the time of Cloudflare's
    last response, None before the first. `zones` has the zone if it was looked up by its name.
    `progress` is told of each page that is read, `hear` of each response, and `credentials_hash`
    tells credentials apart.
    """

    def __init__(
        self,
        sender: Sender,
        owner: Mapping[str, str],
        progress: Progress | None = None,
        credentials_hash: str = "",
    ) -> None:
        self._sender = sender
        self.credentials_hash = credentials_hash
        self.progress = progress or Progress()
        self.owner = owner
        self.now: datetime | None = None
        self.zones: Sequence[Object] = ()  # the zone, once it was read
        self.wait: Callable[[float], bool] = lambda _seconds: False  # as a part of max_wait
        self.hear: Callable[[Request, Response], None] = lambda _request, _response: None
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
        """A client of another account or zone that uses the same session."""
        client = Client(self._sender, owner, self.progress, self.credentials_hash)
        client.wait, client.hear = self.wait, self.hear
        return client

    def read(self, resource: Resource, query: Mapping[str, str] | None = None) -> list[Object]:
        """All objects of a collection, or the single object of a resource without a key; raises
        ServiceError.

        `query` limits a collection that comes in pages to some of its objects.
        """
        holder = self._holder(resource)
        if resource.parent and not holder:
            return []
        if isinstance(resource.listing, InDocument):
            return self._read_document(resource)
        total = holder.get("num_items") if holder else None
        path = self._path(resource)
        objects = Listing(resource, path, self._call, self.progress, total).read(query or {})
        if isinstance(resource.listing, ByCursor):
            return self._oldest_first(resource, objects)
        if isinstance(resource.listing, AtOnce):
            self._listings[resource.path] = list(objects)
        return objects

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
        """The result of writing objects. A single object is sent to the path with its id if the
        resource allows that; several are sent as a list. `ids` are the ids of the objects, empty
        for new ones. The placeholders of `path` are filled from the resource or its nested objects.
        Raises ServiceError.
        """
        written = [_as_written(resource, body) for body in bodies]
        is_sent_to_id = write.by_id and len(ids) == 1
        path = f"{path}/{ids[0]}" if is_sent_to_id else f"{path}{write.suffix}"
        body: Any = written[0] if is_sent_to_id or write.batch == 1 else written
        if write.wrapper:
            body = {write.wrapper: body}
        request = Request(write.method, self._filled(path, resource), body=body, resource=resource)
        with self._writing(resource):
            if write.operation:
                return operate(request, self._filled(write.operation, resource), self._call)
            result = self._call(request).result
        is_object = isinstance(result, Mapping)
        if resource.path in self._listings and is_object and not ids[0]:  # a new one
            self._listings[resource.path].append(result)
        return in_shape(resource, [result])[0]

    def ask(self, request: Request) -> Response:
        """The response to a request that only reads, whatever its status; raises ServiceError if
        none came."""
        response = self._sender.send(request)
        self.hear(request, response)
        self.now = response.date or self.now
        return response

    @contextmanager
    def _writing(self, resource: Resource) -> Iterator[None]:
        """A context for a write to the owner of a resource. Tasks of a run share what they read; at
        the end of the context, also after an error, what was read of this owner is forgotten.
        """
        try:
            yield
        finally:
            forget(self.owner.get(resource.owner, ""))

    def list_object(self, resource: Resource) -> Object:
        """The object around an ordered list, as it was last read or written; empty if there is
        none yet."""
        return self._list_objects.get(resource.plural, {})

    def age_of(self, resource: Resource) -> float:
        """The seconds since an ordered list was last read; 0 if it was not read."""
        now = time.monotonic()
        return now - self._read_at.get(resource.plural, now)

    def path_to(self, path: str, **values: str) -> str:
        """A path of a declaration, its placeholders filled with the ids of the owner and these
        values."""
        return path.format(**self.owner, **values)

    def version(self, resource: Resource) -> int | None:
        """The version of an ordered list as it was last read or written; see version_of."""
        return version_of(self.list_object(resource))

    def _path_of_list(self, resource: Resource) -> str:
        """The path of the object around an ordered list, by its id."""
        identity = str(self.list_object(resource).get("id"))
        return self.path_to(resource.document.path, id=identity)

    def read_version(self, resource: Resource, number: int) -> list[Object]:
        """The objects of an ordered list in one of its versions; raises ServiceError."""
        path = f"{self._path_of_list(resource)}/versions/{number}"
        request = Request("GET", path, resource=resource)
        document = self._call(request).fields
        if version_of(document) != number:
            raise unexpected(request, f"the result is not version {number}")
        return _objects_of_document(resource, request, document)

    def replace(
        self,
        resource: Resource,
        objects: Sequence[Object],
        query: Mapping[str, Any] | None = None,
        changes: Object | None = None,
    ) -> Any:
        """Replace an ordered list; return the list in the response or, with a `query`, the whole
        result. `changes` are further fields of the object around the list, which is created if it
        does not exist. Raises ServiceError.
        """
        declared = resource.document
        document = self.list_object(resource)
        body = {field: document[field] for field in declared.sent_along if field in document}
        body.update(changes or {})
        body[declared.field] = [_as_written(resource, obj) for obj in objects]
        parent = None if self._holder(resource) else resource.parent
        target = parent or resource
        method = target.write_for("create").method
        request = Request(method, self._path(target), query or {}, body, target)
        if query:
            return self._call(request).result
        return self._list_after(resource, request, parent)

    def write_rule(
        self, resource: Resource, write: Write, identity: str, rule: Object | None, position: Object
    ) -> Any:
        """Create, change, move or delete one object of an ordered list, and return the list in the
        response. `position` is the field of that name, or empty. Raises ServiceError.
        """
        path = f"{self._path_of_list(resource)}/{resource.document.field}"
        if write.by_id:
            path = f"{path}/{identity}"
        body = {**_as_written(resource, rule or {}), **position}
        request = Request(write.method, path, body=body or None, resource=resource)
        return self._list_after(resource, request)

    def _list_after(
        self, resource: Resource, request: Request, parent: Resource | None = None
    ) -> Any:
        """Send a write and return the list in the response, which is kept as the present version;
        None if the response has no list. `parent` is the resource of the object around the list if
        this write creates it.
        """
        self.written[resource.plural] = resource
        versions = self.versions.setdefault(resource.plural, Versions())
        was_written, versions.is_written = versions.is_written, True
        try:
            with self._writing(resource):
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
        if listed is not None:
            objects = [obj for obj in listed if isinstance(obj, Mapping)]
            versions.keep(self.version(resource), objects, of_this_run=True)
        return listed

    def listed(self, resource: Resource) -> list[Any] | None:
        """The ordered list as it was last read or written; None if the response had no list."""
        listed = self.list_object(resource).get(resource.document.field) or []
        return in_shape(resource, listed) if isinstance(listed, list) else None

    def _path(self, resource: Resource) -> str:
        return self._filled(resource.path, resource)

    def _filled(self, path: str, resource: Resource) -> str:
        """A path with the ids of the owner, and of the object that contains the collection, in
        place of the placeholders; raises ServiceError for an id that is not well-formed.
        """
        holder = self._holder(resource) or {}
        identity = str(holder.get("id") or "")
        parent = resource.parent
        if parent and not SAFE_ID.fullmatch(identity):
            problem = f"the {parent.title} {resource.parent_name} has the id {identity!r}"
            raise unexpected(Request("GET", self._path(parent)), problem)
        return path.format(**self.owner, parent_id=identity)

    def _holder(self, resource: Resource) -> Object | None:
        """The object that contains a collection, such as the ruleset of some rules; None if there
        is no such object, or if the last listing had none of ours with this name.
        """
        parent = resource.parent
        if parent is None:
            return None
        key_field = parent.key[0]
        key = parent.key_of({key_field: resource.parent_name})
        listing = self._listings.get(parent.path, ())
        for obj in parent.our_objects(listing):
            if parent.key_of(obj) == key:
                return obj
        return None

    def _keep_ids(self, resource: Resource, objects: Sequence[Object]) -> None:
        if resource.holds_rules:
            self._listings[resource.path] += objects
            for obj in reversed(resource.our_objects(objects)):
                self.ids[id_of_new(resource.label_of(obj))] = str(obj.get("id"))

    def _oldest_first(self, resource: Resource, objects: list[Object]) -> list[Object]:
        """The objects of a listing, in the order in which they were created if several of them have
        the same key and contain lists; the listing is kept. Raises ServiceError.
        """

        def read(path: str) -> Object:
            request = Request("GET", f"{self._path(resource)}{path}", resource=resource)
            return self._call(request).fields

        listing = oldest_first(resource, objects, read) if resource.holds_rules else objects
        self._listings[resource.path] = []
        self._keep_ids(resource, listing)
        return listing

    def read_with_same_key(self, resource: Resource, made: Object) -> list[Object]:
        """Read again all objects that have the key of `made`, an object that this run made; the
        oldest comes first. Raises ServiceError.
        """
        listing = self.read(resource)
        ids = [obj.get("id") for obj in listing]
        if made.get("id") not in ids:
            self._keep_ids(resource, [made])  # it is deleted, or not listed yet
            listing = self._oldest_first(resource, [*listing, made])
        key = resource.key_of(made)
        same = [obj for obj in resource.our_objects(listing) if resource.key_of(obj) == key]
        return same or [made]

    def _call(self, request: Request) -> Envelope:
        """The envelope of the response to one call; raises ServiceError unless it reports
        success."""
        return open_envelope(request, self.ask(request))

    def _read_document(self, resource: Resource) -> list[Object]:
        """The list inside of one object; empty if Cloudflare has no such object yet."""
        request = Request("GET", self._path(resource), resource=resource)
        document: Object = {}
        try:
            document = read_object(request, self._call)
            if not isinstance(document.get("id"), str):  # which each has, even without a list
                raise unexpected(request, "the result has no id")
        except ServiceError as exc:
            if exc.status != 404 or NO_ENTRY_POINT not in exc.codes:
                raise
        identity = document.get("id")
        if self.list_object(resource).get("id", identity) != identity:
            self.versions.pop(resource.plural, None)  # those of another object
        self._list_objects[resource.plural] = document
        self._read_at[resource.plural] = time.monotonic()
        objects = _objects_of_document(resource, request, document)
        versions = self.versions.setdefault(resource.plural, Versions())
        versions.keep(self.version(resource), objects)
        return objects


def _objects_of_document(resource: Resource, request: Request, document: Object) -> list[Object]:
    """The objects of a list that is a field of a larger document; `document` is the result of the
    request. Raises ServiceError if the field is not a list.
    """
    listed = document.get(resource.document.field) or []
    return in_shape(resource, listed_objects(request, Envelope(listed, {})))


def _as_written(resource: Resource, obj: Any) -> Any:
    """An object in the shape that Cloudflare accepts; an empty one stays empty."""
    shape = resource.shape
    return shape.to_api(obj) if shape and obj else obj

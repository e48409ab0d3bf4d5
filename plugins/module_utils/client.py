# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The service as its resources: complete listings, and writes. It knows paths and pages, not wires."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Iterator, Mapping, Protocol, Sequence

from .clock import read_date
from .declaration import Object, Resource
from .envelope import Answer, Envelope, Request, error_details, open_envelope
from .errors import ServiceError
from .side_by_side import side_by_side

NO_ENTRY_POINT = 10003
MOST_PAGES = 10000  # a service that never comes to an end is stopped there


class Sender(Protocol):
    """What carries a request to the service and brings the answer back; `calls` counts the tries."""

    @property
    def calls(self) -> int:
        """How many calls were made, repeated ones included."""

    def send(self, request: Request) -> Answer:
        """Raises ServiceError when no answer came."""


class Client:
    """Reads and writes the resources of one account or zone.

    `place` fills the paths: {"account_id": ...} or {"zone_id": ...}, both checked to be ids. `now` is the time that
    the service's last answer told, None where it told none.
    """

    def __init__(self, sender: Sender, place: Mapping[str, str]) -> None:
        self._sender = sender
        self._place = place
        self.now: datetime | None = None
        self._holders: dict[str, Object] = {}

    @property
    def calls(self) -> int:
        """How many calls were made, repeated ones included."""
        return self._sender.calls

    def call(self, request: Request) -> Envelope:
        """One call; raises ServiceError unless the answer is an envelope that says success."""
        answer = self._sender.send(request)
        self.now = read_date(answer.header("Date")) or self.now
        return open_envelope(request, answer)

    def write(self, method: str, path: str, body: Any = None) -> Any:
        """Send a change to a path with placeholders; returns the result in the answer."""
        return self.call(Request(method, path.format(**self._place), body=body)).result

    def read(self, resource: Resource) -> list[Object]:
        """All objects of a collection, or the one object where there is but one."""
        path = resource.path.format(**self._place)
        if resource.inside:
            return self._inside(path, resource)
        if resource.key:
            return self._listing(path, resource.page_size)
        request = Request("GET", path)
        result = self.call(request).result
        if not isinstance(result, Mapping):
            raise _odd(request, "the result is not an object")
        return [result]

    def replace(self, resource: Resource, objects: Sequence[Object], query: Mapping[str, Any] | None = None) -> Any:
        """Send a whole list that stands inside of one object; returns the list in the answer."""
        path, name = resource.path.format(**self._place), str(resource.inside)
        holder = self._holders.get(path, {})
        body = {**{field: holder[field] for field in resource.beside if field in holder}, name: list(objects)}
        result = self.call(Request(resource.update.method, path, query=query or {}, body=body)).result
        return result.get(name) if isinstance(result, Mapping) else None

    def _inside(self, path: str, resource: Resource) -> list[Object]:
        """The list that one object holds; without such an object it is empty (facts.md, section 1.4)."""
        request = Request("GET", path)
        try:
            result = self.call(request).result
        except ServiceError as exc:
            if exc.status == 404 and NO_ENTRY_POINT in exc.codes:
                return []
            raise
        if not isinstance(result, Mapping):
            raise _odd(request, "the result is not an object")
        self._holders[path] = result
        return _items(request, Envelope(result.get(str(resource.inside)) or [], {}))

    def _listing(self, path: str, size: int) -> list[Object]:
        """Page after page until the listing is complete (facts.md, section 1.1), or an error: never a part of it."""
        found: dict[Any, Object] = {}
        for number, (request, envelope) in enumerate(self._pages(path, size)):
            items = _items(request, envelope)
            known = len(found)
            for item in items:
                found.setdefault(item.get("id") or ("without id", number, len(found)), item)
            advanced = len(found) > known
            if envelope.total is not None and len(found) >= envelope.total:
                return list(found.values())
            if items and advanced:
                continue
            # A service that does not page answers every page alike; a full page that comes twice may hide another.
            if envelope.total is None and (not items or len(items) < size):
                return list(found.values())
            raise _odd(
                request,
                f"the listing ends after {len(found)} of {envelope.total or 'an unknown number of'} objects",
            )
        raise _odd(Request("GET", path), "the listing does not end")

    def _pages(self, path: str, size: int) -> Iterator[tuple[Request, Envelope]]:
        """Page after page, as many as the total tells side by side, and then one by one."""

        def page(number: int) -> tuple[Request, Envelope]:
            request = Request("GET", path, query={"page": number, "per_page": size})
            return request, self.call(request)

        first = page(1)
        yield first
        total, on_a_page = first[1].total or 0, len(first[1].result) if isinstance(first[1].result, list) else 0
        last = min(MOST_PAGES, -(-total // on_a_page) if on_a_page else 1)
        yield from side_by_side(page, range(2, last + 1))
        for number in range(max(last, 1) + 1, MOST_PAGES + 1):
            yield page(number)


def _items(request: Request, envelope: Envelope) -> list[Object]:
    result = envelope.result
    if result is None and envelope.total == 0:
        return []
    if not isinstance(result, list) or not all(isinstance(item, Mapping) for item in result):
        raise _odd(request, "the result is not a list of objects")
    return result


def _odd(request: Request, problem: str) -> ServiceError:
    return ServiceError(
        f"{request} was answered oddly: {problem}. Nothing is taken for granted from that; run again, and check "
        "base_url if it comes back.",
        error_details(request, 200),
        carried_out=None,
    )

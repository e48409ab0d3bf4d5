# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways for calls to go wrong.

Each kind is a function whose parameters are its settings. Kinds differ in when they act: *before* the call is
applied, *instead* of applying it, *within* it (they change how a listing is made), or *after* it (they spoil the response).
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from werkzeug.wrappers import Response

from .answers import answer as bare
from .answers import error, failure
from .paging import Listing

Errors = Sequence[Mapping[str, Any]]
When = Literal["before", "instead", "within", "after"]

WRITES = "POST|PUT|PATCH|DELETE"
RULES = r"^/zones/[^/]+/firewall/rules"
LIST_ITEMS = r"/rules/lists/[^/]+/items$"
OVERLOADED: Errors = (error(10503, "The service is overloaded"),)
RETIRED: Errors = (error(10410, "This API has been retired"),)
MAINTENANCE = (
    "firewallrules.api.maintenance_mode. This API is in maintenance mode and no longer accepts modifications. "
    "Please migrate to WAF custom rules."
)
UNKNOWN_FIELDS = {"x_region": "WEUR", "x_labels": ["edge"], "x_origin": {"source": "api"}}
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>
<body><h1>{title}</h1><p>The web server reported an error.</p></body></html>
"""


@dataclass(frozen=True)
class Delivery:
    """An answer, and how it goes over the wire; without a response the connection is closed unanswered."""

    response: Response | None
    wait: float = 0.0  # seconds before the first byte
    interval: float = 0.0  # seconds between two bytes of the body
    cut_at: int | None = None  # bytes of the body that are sent before the connection is closed
    headers: Mapping[str, str] = field(default_factory=dict)  # sent as they are, in the place of the usual ones

    def with_body(self, body: Any) -> Delivery:
        """The same answer with another body: JSON, or bytes as they are."""
        if self.response is not None:
            self.response.set_data(body if isinstance(body, bytes) else json.dumps(body))
        return self

    @property
    def body(self) -> Any:
        return json.loads(self.data) if self.data else None

    @property
    def data(self) -> bytes:
        return b"" if self.response is None else self.response.get_data()


@dataclass(frozen=True)
class Kind:
    name: str
    when: When
    act: Callable[..., Any]
    method: str = ".*"
    path: str = ""


KINDS: dict[str, Kind] = {}


def kind(when: When, **match: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a kind, by the function's name; match is where it applies unless a fault says otherwise."""

    def declare(act: Callable[..., Any]) -> Callable[..., Any]:
        KINDS[act.__name__] = Kind(act.__name__, when, act, **match)
        return act

    return declare


@dataclass
class Fault:
    """One kind at work on the calls that match, from the one after `skip` on, `times` times (None: without end)."""

    kind: Kind
    method: str
    path: str
    skip: int
    times: int | None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seen: int = 0

    @classmethod
    def of(
        cls,
        name: str,
        *,
        method: str | None = None,
        path: str | None = None,
        skip: int = 0,
        times: int | None = None,
        settings: Mapping[str, Any],
    ) -> Fault:
        """Refuses with ValueError or TypeError what is not a kind, or not a setting of it."""
        if name not in KINDS:
            raise ValueError(f"{name!r} is no kind of misbehaviour; there are {', '.join(sorted(KINDS))}")
        chosen = KINDS[name]
        arguments = [] if chosen.when in ("before", "instead") else [None]
        inspect.signature(chosen.act).bind(*arguments, **settings)
        return cls(chosen, method or chosen.method, path or chosen.path, skip, times, settings)

    def strikes(self, method: str, path: str) -> bool:
        """Whether this call is one to go wrong; counts it if it matches at all."""
        if not re.fullmatch(self.method, method) or not re.search(self.path, path):
            return False
        self.seen += 1
        return self.skip < self.seen and (self.times is None or self.seen <= self.skip + self.times)

    def act(self, *arguments: Any) -> Any:
        return self.kind.act(*arguments, **self.settings)

    def document(self) -> dict[str, Any]:
        match = {"method": self.method, "path": self.path, "skip": self.skip, "times": self.times}
        return {"kind": self.kind.name, **match, **self.settings, "seen": self.seen}


# Before it is applied


@kind("before")
def meanwhile(action: Callable[[], None]) -> None:
    """Somebody else is faster: the action runs first. For tests in the same process."""
    action()


# Instead of carrying the call out


@kind("instead")
def status(
    status: int,
    errors: Errors = OVERLOADED,
    messages: Sequence[Any] | None = (),
    headers: Mapping[str, str] | None = None,
) -> Delivery:
    """Any status with these errors (items may lack a code; messages may be None)."""
    return refused(status, errors, messages, headers)


def refused(
    status: int, errors: Errors, messages: Sequence[Any] | None = (), headers: Mapping[str, str] | None = None
) -> Delivery:
    response = failure(status, errors, messages)
    response.headers.update(headers or {})
    return Delivery(response)


@kind("instead")
def html(status: int = 522, title: str = "Connection timed out", headers: Mapping[str, str] | None = None) -> Delivery:
    return Delivery(Response(PAGE.format(title=title), status, headers=headers, mimetype="text/html"))


@kind("instead")
def success_false_200(errors: Errors = OVERLOADED) -> Delivery:
    return Delivery(failure(200, errors))


@kind("instead")
def lost_before() -> Delivery:
    return Delivery(None)


@kind("instead")
def hang(seconds: float = 3600) -> Delivery:
    """The connection stays open, and nothing comes."""
    return Delivery(None, wait=seconds)


@kind("instead")
def redirect(location: str, status: int = 302) -> Delivery:
    return Delivery(Response(status=status, headers={"Location": location}))


@kind("instead", path=RULES)
def gone(errors: Errors = RETIRED) -> Delivery:
    """The firewall rules API after its end."""
    return refused(410, errors)


@kind("instead", path=r"^/zones/[^/]+/(firewall/rules|filters)", method=WRITES)
def maintenance() -> Delivery:
    """The firewall rules API shortly before its end: readable, no longer writable."""
    return refused(400, [error(10020, MAINTENANCE)])


@kind("instead")
def raw(body: str | bytes = "", status: int = 200, headers: Mapping[str, str] | None = None) -> Delivery:
    """Any body at all."""
    return Delivery(Response(body, status, mimetype="application/json"), headers=headers or {})


# Within it


@kind("within")
def page_cap(listing: Listing, cap: int) -> Listing:
    """Never more than so many items a page, whatever is asked for."""
    return replace(listing, page_cap=cap)


@kind("within")
def same_page(listing: Listing) -> Listing:
    """Always the first page, whichever is asked for."""
    return replace(listing, same_page=True)


@kind("within", path=LIST_ITEMS, method=WRITES)
def slow_operation(listing: Listing, seconds: float) -> Listing:
    """A change of a list's items that is under way for so long."""
    return replace(listing, operation_seconds=seconds)


@kind("within", path=LIST_ITEMS, method=WRITES)
def failed_operation(listing: Listing, error: str = "the operation could not be completed") -> Listing:
    """A change of a list's items that is taken on, and fails."""
    return replace(listing, operation_error=error)


# After it was applied


@kind("after")
def lost_after(answer: Delivery) -> Delivery:
    return Delivery(None)


@kind("after")
def status_after(answer: Delivery, status: int = 502, errors: Errors = OVERLOADED) -> Delivery:
    """The call was applied, yet the response says something else."""
    return refused(status, errors)


@kind("after")
def empty(answer: Delivery, status: int = 200) -> Delivery:
    return Delivery(Response(status=status))


@kind("after")
def truncated(answer: Delivery) -> Delivery:
    """Whole as HTTP, half as JSON."""
    return answer.with_body(answer.data[: len(answer.data) // 2])


@kind("after")
def cut_body(answer: Delivery) -> Delivery:
    """The connection ends in the middle of the body."""
    return replace(answer, cut_at=len(answer.data) // 2)


@kind("after")
def slow(answer: Delivery, seconds: float) -> Delivery:
    return replace(answer, wait=seconds)


@kind("after")
def drip(answer: Delivery, interval: float = 1.0) -> Delivery:
    """The body byte by byte: no single read times out."""
    return replace(answer, interval=interval)


@kind("after")
def no_result_info(answer: Delivery) -> Delivery:
    return answer.with_body({name: value for name, value in answer.body.items() if name != "result_info"})


@kind("after")
def null_result(answer: Delivery) -> Delivery:
    return answer.with_body({**answer.body, "result": None})


@kind("after")
def extra_fields(answer: Delivery) -> Delivery:
    """Fields that nobody has heard of, in every object."""
    return answer.with_body(with_unknown_fields(answer.body))


def with_unknown_fields(value: Any) -> Any:
    if isinstance(value, dict):
        return {**{name: with_unknown_fields(inner) for name, inner in value.items()}, **UNKNOWN_FIELDS}
    if isinstance(value, list):
        return [with_unknown_fields(inner) for inner in value]
    return value


@kind("after")
def missing_fields(answer: Delivery, fields: Sequence[str]) -> Delivery:
    """Objects of the result without these fields."""
    return answer.with_body({**answer.body, "result": without(answer.body.get("result"), fields)})


def without(value: Any, fields: Sequence[str]) -> Any:
    if isinstance(value, list):
        return [without(inner, fields) for inner in value]
    if isinstance(value, dict):
        return {name: inner for name, inner in value.items() if name not in fields}
    return value


@kind("after")
def headers(answer: Delivery, headers: Mapping[str, str]) -> Delivery:
    """The same answer with these headers on top; latin-1, as HTTP has them."""
    return replace(answer, headers=headers)


@kind("after")
def member(answer: Delivery, members: Mapping[str, str]) -> Delivery:
    """The envelope with these members on top, in JSON as it is written here."""
    body = answer.body
    return answer.with_body(spliced(body, body, members))


@kind("after")
def entry(answer: Delivery, fields: Mapping[str, str]) -> Delivery:
    """The first object of the result with these fields on top, in JSON as it is written here."""
    body = answer.body
    first = first_object(body.get("result"))
    return answer if first is None else answer.with_body(spliced(body, first, fields))


def first_object(value: Any) -> dict[str, Any] | None:
    """The first of a list, or of the list of rules in an object, or the object itself."""
    if isinstance(value, list):
        return first_object(value[0]) if value else None
    if isinstance(value, dict):
        return first_object(value["rules"]) if "rules" in value else value
    return None


def spliced(body: Any, item: dict[str, Any], texts: Mapping[str, str]) -> bytes:
    """A body as JSON, with members at one place of it that json itself might not write."""
    markers = {name: f"spliced-{name}" for name in texts}
    item.update(markers)
    whole = json.dumps(body)
    for name, marker in markers.items():
        whole = whole.replace(json.dumps(marker), texts[name])
    return whole.encode("utf-8", "surrogatepass")


# Of the analytics


@kind("instead", path=r"^/graphql$")
def query_errors(messages: Sequence[str], status: int = 200, path: Sequence[Any] | None = None) -> Delivery:
    """Errors in the place of data, under any status; `path` leads to what they are about."""
    errors: list[dict[str, Any]] = [{"message": message, "path": path, "extensions": {}} for message in messages]
    return Delivery(bare({"data": None, "errors": errors}, status))


@kind("after", path=r"^/graphql$")
def query_errors_beside(answer: Delivery, messages: Sequence[str]) -> Delivery:
    """Errors beside the data that were asked for."""
    return answer.with_body({**answer.body, "errors": [{"message": message} for message in messages]})

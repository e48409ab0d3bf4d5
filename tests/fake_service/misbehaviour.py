# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways for calls to go wrong.

Each kind is a function whose parameters are its settings; README.md describes them. Kinds differ in when they act: *before* the call is
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

Errors = Sequence[Mapping[str, Any]]
When = Literal["before", "instead", "within", "after"]

WRITES = "POST|PUT|PATCH|DELETE"
RULES = r"^/zones/[^/]+/firewall/rules"
RULES_AND_FILTERS = r"^/zones/[^/]+/(firewall/rules|filters)"
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
    """A kind of misbehaviour; `method` and `path` are where it applies unless a fault says otherwise."""

    name: str
    when: When
    act: Callable[..., Any]
    method: str = ".*"
    path: str = ""


def instead(status: int, body: Any = b"", headers: Any = None, mimetype: str = "application/json") -> Delivery:
    return Delivery(Response(body, status, headers=headers, mimetype=mimetype))


def refused(
    status: int,
    errors: Errors = OVERLOADED,
    messages: Sequence[Any] | None = (),
    headers: Mapping[str, str] | None = None,
) -> Delivery:
    """Any status with these errors (items may lack a code; messages may be None)."""
    response = failure(status, errors, messages)
    response.headers.update(headers or {})
    return Delivery(response)


def with_unknown_fields(value: Any) -> Any:
    if isinstance(value, dict):
        return {**{name: with_unknown_fields(inner) for name, inner in value.items()}, **UNKNOWN_FIELDS}
    return [with_unknown_fields(inner) for inner in value] if isinstance(value, list) else value


def without(value: Any, fields: Sequence[str]) -> Any:
    if isinstance(value, list):
        return [without(inner, fields) for inner in value]
    return {name: inner for name, inner in value.items() if name not in fields} if isinstance(value, dict) else value


def spliced(answer: Delivery, item: Callable[[Any], Any], texts: Mapping[str, str]) -> Delivery:
    """An answer with members at one place of its body in JSON as it is written here, which json itself might not write."""
    body = answer.body
    place = item(body)
    if place is None:
        return answer
    markers = {name: f"spliced-{name}" for name in texts}
    place.update(markers)
    whole = json.dumps(body)
    for name, marker in markers.items():
        whole = whole.replace(json.dumps(marker), texts[name])
    return answer.with_body(whole.encode("utf-8", "surrogatepass"))


def first_object(value: Any) -> dict[str, Any] | None:
    """The first of a list, or of the list of rules in an object, or the object itself."""
    if isinstance(value, list):
        return first_object(value[0]) if value else None
    if isinstance(value, dict):
        return first_object(value["rules"]) if "rules" in value else value
    return None


def query_errors(messages: Sequence[str], status: int = 200, path: Sequence[Any] | None = None) -> Delivery:
    """Errors in the place of data, under any status; `path` leads to what they are about."""
    errors: list[dict[str, Any]] = [{"message": message, "path": path, "extensions": {}} for message in messages]
    return Delivery(bare({"data": None, "errors": errors}, status))


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        # Somebody else is faster: the action runs first. For tests in the same process.
        Kind("meanwhile", "before", lambda action: action()),
        Kind("status", "instead", refused),
        Kind("html", "instead", lambda status=522, title="Connection timed out", headers=None: instead(
            status, PAGE.format(title=title), headers, "text/html")),
        Kind("raw", "instead", lambda body="", status=200, headers=None: replace(instead(status, body), headers=headers or {})),
        Kind("redirect", "instead", lambda location, status=302: instead(status, headers={"Location": location})),
        Kind("success_false_200", "instead", lambda errors=OVERLOADED: refused(200, errors)),
        Kind("lost_before", "instead", lambda: Delivery(None)),
        Kind("hang", "instead", lambda seconds=3600: Delivery(None, wait=seconds)),
        Kind("gone", "instead", lambda errors=RETIRED: refused(410, errors), path=RULES),
        Kind("maintenance", "instead", lambda: refused(400, [error(10020, MAINTENANCE)]), WRITES, RULES_AND_FILTERS),
        Kind("query_errors", "instead", query_errors, path=r"^/graphql$"),
        Kind("page_cap", "within", lambda listing, cap: replace(listing, page_cap=cap)),
        Kind("same_page", "within", lambda listing: replace(listing, same_page=True)),
        Kind("slow_operation", "within", lambda listing, seconds: replace(listing, operation_seconds=seconds), WRITES, LIST_ITEMS),
        Kind("failed_operation", "within", lambda listing, error="the operation could not be completed": replace(
            listing, operation_error=error), WRITES, LIST_ITEMS),
        Kind("lost_after", "after", lambda answer: Delivery(None)),
        Kind("status_after", "after", lambda answer, status=502, errors=OVERLOADED: refused(status, errors)),
        Kind("empty", "after", lambda answer, status=200: Delivery(Response(status=status))),
        Kind("truncated", "after", lambda answer: answer.with_body(answer.data[: len(answer.data) // 2])),
        Kind("cut_body", "after", lambda answer: replace(answer, cut_at=len(answer.data) // 2)),
        Kind("slow", "after", lambda answer, seconds: replace(answer, wait=seconds)),
        Kind("drip", "after", lambda answer, interval=1.0: replace(answer, interval=interval)),
        Kind("headers", "after", lambda answer, headers: replace(answer, headers=headers)),
        Kind("no_result_info", "after", lambda answer: answer.with_body(without(answer.body, ["result_info"]))),
        Kind("null_result", "after", lambda answer: answer.with_body({**answer.body, "result": None})),
        Kind("extra_fields", "after", lambda answer: answer.with_body(with_unknown_fields(answer.body))),
        Kind("missing_fields", "after", lambda answer, fields: answer.with_body(
            {**answer.body, "result": without(answer.body.get("result"), fields)})),
        Kind("member", "after", lambda answer, members: spliced(answer, lambda body: body, members)),
        Kind("entry", "after", lambda answer, fields: spliced(answer, lambda body: first_object(body.get("result")), fields)),
        Kind("query_errors_beside", "after", lambda answer, messages: answer.with_body(
            {**answer.body, "errors": [{"message": message} for message in messages]}), path=r"^/graphql$"),
    )
}  # fmt: skip


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

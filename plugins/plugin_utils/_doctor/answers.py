# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads a host's account and zone once, and keeps whatever comes as an answer.

Every request reads. That to the analytics is a POST, which queries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from ...module_utils._api.client import NO_ENTRY_POINT
from ...module_utils._api.responses import Request, Response, Unreadable, error_items, read_document
from ...module_utils._api.session import client_of_owner, connected
from ...module_utils._concurrency import concurrently
from ...module_utils._errors import ProtectionError, ServiceError
from ...module_utils._schema.managed_rules import deployed
from ...module_utils._schema.neighbours import ACCOUNTS, AUDIT_LOG, ZONE, ZONES
from ...module_utils._schema.registry import BY_NAME, READ_ONLY
from ...module_utils._schema.resource import ACCOUNT_OPTION, Paged, Permission, Resource, Single
from ...module_utils._schema.zone import CUSTOM_RULES
from ...module_utils._text import Names, Screen, Warn, excerpt, plural, visible, with_names
from ...module_utils._timestamps import read_date, write_time
from ...module_utils._traffic.queries import query
from .._baseline.variables import Part, settings_of

RETRIES = 1  # the doctor tells what it meets, rather than waiting until it is gone
ENTRIES_OF_LOG = 10
TIME_OF_LOG = timedelta(hours=1)
HALF_A_SECOND = 0.5
ANALYTICS = Resource(
    name="analytics",
    plural="analytics",
    title="analytics",
    owner="",  # the query names the account
    path="graphql",
    permission=Permission("Account Analytics", "account"),
    fields=(),
    key=(),
    listing=Single(),
)
Ask = Callable[[Request], Response]  # raises ServiceError if no response comes
Clock = Callable[[], datetime]


class HostAnswer(NamedTuple):
    """The answer to a request about a resource: the response, None if none came, and its JSON
    document, or the `problem` why there is none.

    `seconds_ahead` is how far the header Date is ahead of the clock of this machine; None if there
    is no such header, or it cannot be read. No message shows one of the `names`.
    """

    resource: Resource
    request: Request
    response: Response | None = None
    document: Any = None
    problem: str = ""
    seconds_ahead: float | None = None
    names: Sequence[str] = ()

    @property
    def about(self) -> str:
        """The title of its resource."""
        return self.resource.titles if self.resource.key else self.resource.title

    @property
    def status(self) -> int | None:
        """The status of the response."""
        return self.response.status if self.response else None

    @property
    def envelope(self) -> Mapping[str, Any]:
        """The document, if it is an object."""
        return self.document if isinstance(self.document, Mapping) else {}

    @property
    def is_success(self) -> bool:
        """True if the answer brings what was asked for; a phase may have no rules yet."""
        if self.resource.is_ordered and self.status == 404 and NO_ENTRY_POINT in self.codes:
            return True
        of_query = self.resource is ANALYTICS and bool(self.envelope.get("data"))
        succeeded = of_query or self.envelope.get("success") is True
        return succeeded and 200 <= (self.status or 0) < 300

    @property
    def codes(self) -> list[int]:
        """The codes of its errors, those of their chains included."""
        codes = (item["code"] for item in error_items(self.envelope.get("errors")))
        return [code for code in codes if code is not None]

    @property
    def objects(self) -> list[Mapping[str, Any]]:
        """The objects of the result, if it is a list of objects, an object with one, or an
        object."""
        result = self.envelope.get("result")
        if self.resource.is_ordered and isinstance(result, Mapping):
            result = result.get(self.resource.document.field) or []
        listed = result if isinstance(result, list) else [result]
        not_ours = self.resource.semantics.not_ours
        own = [item for item in listed if isinstance(item, Mapping) and not not_ours(item)]
        is_custom = self.resource.phase == CUSTOM_RULES.phase  # whose deployments have other fields
        return [item for item in own if not (is_custom and deployed(item))]

    @property
    def reason(self) -> str:
        """The cause of a failure, in Cloudflare's words as far as they hold nothing private."""
        if self.status is None:
            return redacted(self.problem, self.names)
        codes = "".join(f" [{code}]" for code in self.codes)
        messages = [item["message"] for item in error_items(self.envelope.get("errors"))]
        words = "; ".join(redacted(text, self.names) for text in messages) or self.problem
        return f"HTTP {self.status}{codes}{words and f': {words}'}"

    def header(self, name: str) -> str | None:
        """A header of the response."""
        return self.response.header(name) if self.response else None


class HostAnswers(NamedTuple):
    """All answers about a host, the ids of its account and zone, and how many calls were made."""

    answers: Sequence[HostAnswer]
    owners: Mapping[str, str]
    calls: int


def is_written(resource: Resource) -> bool:
    """True if the collection writes these objects, so that it should know each of their fields."""
    return bool(resource.update or resource.create)


def resources_to_read(owner: str) -> list[Resource]:
    """The resources of an account or of a zone that need no other id to be read."""
    every = (*BY_NAME.values(), *READ_ONLY)
    owned = [item for item in every if item.owner == owner and item.path.count("{") == 1]
    return [*owned, ANALYTICS] if owner == ACCOUNT_OPTION else owned


def _request_for(resource: Resource, owner: Mapping[str, str], now: datetime) -> Request:
    path = resource.path.format(**owner)
    if resource is ANALYTICS:
        account_id = owner[ACCOUNT_OPTION]
        body = query(account_id, (), with_settings=True)
        return Request("POST", path, body=body, resource=resource, about=account_id)
    conditions: Mapping[str, Any] = {}
    if resource is AUDIT_LOG:
        since, before = map(write_time, (now - TIME_OF_LOG, now))
        conditions = {"since": since, "before": before, "limit": ENTRIES_OF_LOG}
    elif resource.page_size:
        first = {"page": 1} if isinstance(resource.listing, Paged) else {}
        conditions = {**first, "per_page": resource.page_size}
    return Request("GET", path, conditions, resource=resource)


def ask_all(
    ask: Ask, resources: Iterable[Resource], owner: Mapping[str, str], clock: Clock, names: Names
) -> list[HostAnswer]:
    """The answers about some resources, which are read concurrently; nothing that goes wrong stops
    them. `names` are the variables that fill the options."""

    def answer(resource: Resource) -> HostAnswer:
        request = _request_for(resource, owner, clock())
        try:
            response = ask(request)
        except ServiceError as exc:
            return HostAnswer(resource, request, problem=with_names(exc.message, names))
        ahead = seconds_ahead(response.header("Date"), clock())
        try:
            document, problem = read_document(response.content), ""
        except Unreadable as exc:
            document, problem = None, exc.reason
        return HostAnswer(resource, request, response, document, problem, ahead)

    return list(concurrently(answer, list(resources)))


def seconds_ahead(header: str | None, received: datetime) -> float | None:
    """The seconds by which a header Date, which is cut to the second, is ahead of the end of a
    call; before a call is sent, it may wait for its turn."""
    date = read_date(header)
    return None if date is None else round((date - received).total_seconds() + HALF_A_SECOND, 1)


def examine_host(
    parts: Sequence[Part], warn: Warn, clock: Clock, screen: Screen | None = None
) -> HostAnswers:
    """Read every part; raises ValueError for wrong options, before any call."""
    every = [(settings_of(part, RETRIES, warn), part.names) for part in parts]
    answers: list[HostAnswer] = []
    owners: dict[str, str] = {}
    calls = 0
    for settings, names in every:
        with connected(settings, warn, screen) as client:
            if not answers:
                answers += ask_all(client.ask, (ACCOUNTS, ZONES), {}, clock, names)
            try:
                owner = client_of_owner(client, settings).owner
            except ProtectionError as exc:  # a zone goes by an unknown name
                problem = with_names(exc.message, names)
                answers.append(HostAnswer(ZONE, Request("GET", "zones"), problem=problem))
            else:
                owners.update(owner)
                (kind,) = owner
                answers += ask_all(client.ask, resources_to_read(kind), owner, clock, names)
            calls += client.calls
    private = _names_in(answers)
    return HostAnswers([item._replace(names=private) for item in answers], owners, calls)


def _names_in(answers: Sequence[HostAnswer]) -> list[str]:
    """The names of accounts and zones that answers tell, the longer ones first."""
    owners = [item for item in answers if item.resource in (ACCOUNTS, ZONES, ZONE)]
    objects = [obj for item in owners for obj in item.objects]
    within = [obj["account"] for obj in objects if isinstance(obj.get("account"), Mapping)]
    names = {str(obj["name"]).strip() for obj in (*objects, *within) if obj.get("name")}
    return sorted(names - {""}, key=len, reverse=True)


MAX_TEXT = 300  # characters
PRIVATE = (
    (re.compile(r"[^\s@'\"<>]+@[^\s@'\"<>]+"), "(e-mail)"),
    (re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"), "(id)"),
    (re.compile(r"\b[0-9a-fA-F]{16,}\b"), "(id)"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?"), "(address)"),
    (re.compile(r"(?<![\w:])(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}(?:/\d{1,3})?"), "(address)"),
    (re.compile(r"\b(?:[\w-]+\.)+[A-Za-z][A-Za-z-]+\b(?!\()"), "(name)"),
    (re.compile(r"[A-Za-z0-9_-]{30,}"), "(text)"),
)
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")
NO_WORD = re.compile(r"[0-9a-fA-F-]{12,}|[0-9]{4,}")


def redacted(text: str, names: Sequence[str] = ()) -> str:
    """The text in one line, with a word in brackets for each private part, and each of the
    names."""
    for name in names:
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "(name)", text, flags=re.IGNORECASE)
    for pattern, word in PRIVATE:
        text = pattern.sub(word, text)
    return visible(excerpt(" ".join(text.split()), MAX_TEXT))


def shown_name(value: object) -> str:
    """A short word as it is, and of anything else only its length or type."""
    if not isinstance(value, str):
        return f"({type(value).__name__})"
    if WORD.fullmatch(value) and not NO_WORD.search(value):
        return value
    return f"(a text of {plural(len(value), 'character', 'characters')})"

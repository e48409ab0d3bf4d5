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
from string import Formatter
from typing import Any, NamedTuple

from ...module_utils._api.client import NO_ENTRY_POINT, Client
from ...module_utils._api.responses import Request, Response, Unreadable, error_items, read_document
from ...module_utils._api.session import client_of_owner, connected
from ...module_utils._api.settings import Settings, parse_settings, shared_options
from ...module_utils._concurrency import concurrently
from ...module_utils._errors import ProtectionError, ServiceError
from ...module_utils._schema.neighbours import ACCOUNTS, AUDIT_LOG, ZONE, ZONES
from ...module_utils._schema.registry import BY_NAME, READ_ONLY
from ...module_utils._schema.resource import ACCOUNT_OPTION, Permission, Resource, Single
from ...module_utils._specs.base import validate
from ...module_utils._specs.registry import MODULE_SPECS
from ...module_utils._text import Names, Warn, excerpt, plural, visible, with_names
from ...module_utils._timestamps import read_date, write_timestamp
from ...module_utils._traffic.ask import GRAPHQL_PATH
from ...module_utils._traffic.queries import PERMISSION as ANALYTICS_PERMISSION
from ...module_utils._traffic.queries import query
from .._baseline.variables import (
    ACCOUNT,
    CUSTOM,
    INVENTORY,
    OPTIONS,
    Part,
    connection_options,
    parts_of,
)

RETRIES = 1  # the doctor tells what it meets, rather than waiting until it is gone
FIRST, BEHIND = "first page", "page behind the last one"
FIRST_TEN, NEXT_TEN = "first ten", "next ten"
SMALL_PAGE = 10  # objects; the least that a list of an account takes
HOURS_OF_LOG = 1
HALF_A_SECOND = 0.5
ANALYTICS = Resource(
    name="analytics",
    plural="analytics",
    title="analytics",
    plural_title="analytics",
    owner="",  # the query names the account
    path=GRAPHQL_PATH,
    permission=Permission(ANALYTICS_PERMISSION.partition(" Read")[0], "account"),
    fields=(),
    key=(),
    listing=Single(),
)
Ask = Callable[[Request], Response]  # raises ServiceError if no response comes
Clock = Callable[[], datetime]


def _connection_of(module: str) -> list[str]:
    options = shared_options(MODULE_SPECS[module].owner, lambda *names: None)
    return [variable for option, variable in OPTIONS[module].items() if option in options]


OF_CONNECTION = tuple(
    dict.fromkeys([*_connection_of(ACCOUNT), *_connection_of(CUSTOM), *INVENTORY.values()])
)


class Read(NamedTuple):
    """One request about a resource; `part` says which page of a list it is."""

    resource: Resource
    request: Request
    part: str = FIRST


class HostAnswer(NamedTuple):
    """The answer to a read: the response, None if none came, and its JSON document, or the
    `problem` why there is none.

    `seconds_ahead` is how far the header Date is ahead of the clock of this machine; None if there
    is no such header, or it cannot be read.
    """

    read: Read
    response: Response | None = None
    document: Any = None
    problem: str = ""
    seconds_ahead: float | None = None

    @property
    def about(self) -> str:
        """The title of its resource."""
        return listed_title(self.read.resource)

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
        if self.read.resource.is_ordered and self.status == 404 and NO_ENTRY_POINT in self.codes:
            return True
        if not 200 <= (self.status or 0) < 300:
            return False
        if self.read.request.is_query:
            return bool(self.envelope.get("data"))
        return self.envelope.get("success") is True

    @property
    def codes(self) -> list[int]:
        """The codes of its errors, those of their chains included."""
        codes = (item["code"] for item in error_items(self.envelope.get("errors")))
        return [code for code in codes if code is not None]

    @property
    def objects(self) -> list[Mapping[str, Any]]:
        """The objects of the result, if it is a list of objects, an object with one, or an
        object."""
        resource, result = self.read.resource, self.envelope.get("result")
        if resource.is_ordered and isinstance(result, Mapping):
            result = result.get(resource.document.field) or []
        listed = result if isinstance(result, list) else [result]
        return [item for item in listed if isinstance(item, Mapping)]

    @property
    def reason(self) -> str:
        """The cause of a failure, in Cloudflare's words as far as they hold nothing private."""
        if self.status is None:
            return redacted(self.problem)
        codes = "".join(f" [{code}]" for code in self.codes)
        messages = [item["message"] for item in error_items(self.envelope.get("errors"))]
        words = "; ".join(map(redacted, messages)) or self.problem
        return f"HTTP {self.status}{codes}{words and f': {words}'}"

    def header(self, name: str) -> str | None:
        """A header of the response."""
        return self.response.header(name) if self.response else None


class HostAnswers(NamedTuple):
    """All answers about a host, the ids of its account and zone, and how many calls were made."""

    answers: Sequence[HostAnswer]
    owners: Mapping[str, str]
    calls: int


def listed_title(resource: Resource) -> str:
    """The title of a resource in a list of them."""
    return resource.titles if resource.key else resource.title


def is_written(resource: Resource) -> bool:
    """True if the collection writes these objects, so that it should know each of their fields."""
    return bool(resource.update or resource.create)


def is_paged(resource: Resource) -> bool:
    """True if a list comes in pages by their number."""
    return bool(resource.page_size) and resource is not AUDIT_LOG


def first_answers(answers: Sequence[HostAnswer]) -> list[HostAnswer]:
    """One answer for each resource."""
    return [answer for answer in answers if answer.read.part == FIRST]


def resources_of(owner: str) -> list[Resource]:
    """The resources of an account or of a zone that need no other id to be read."""
    resources = [
        resource
        for resource in (*BY_NAME.values(), *READ_ONLY)
        if resource.owner == owner and _places(resource.path) == {owner}
    ]
    return [*resources, ANALYTICS] if owner == ACCOUNT_OPTION else resources


def _places(path: str) -> set[str]:
    return {name for _text, name, _form, _conversion in Formatter().parse(path) if name}


def _first_read(resource: Resource, owner: Mapping[str, str], now: datetime) -> Read:
    if resource is ANALYTICS:
        body = query(owner[ACCOUNT_OPTION], (), with_settings=True)
        return Read(
            resource, Request("POST", GRAPHQL_PATH, body=body, resource=resource, is_query=True)
        )
    if resource is AUDIT_LOG:
        times = (now - timedelta(hours=HOURS_OF_LOG), now)
        since, before = (write_timestamp(moment).replace("+00:00", "Z") for moment in times)
        conditions = {"since": since, "before": before, "limit": SMALL_PAGE}
        path = resource.path.format(**owner)
        return Read(resource, Request("GET", path, conditions, resource=resource))
    return _page_read(resource, owner, 1, resource.page_size, FIRST)


def _page_read(
    resource: Resource, owner: Mapping[str, str], number: int, size: int, part: str
) -> Read:
    conditions: Mapping[str, Any] = {"page": number, "per_page": size} if is_paged(resource) else {}
    path = resource.path.format(**owner)
    return Read(resource, Request("GET", path, conditions, resource=resource), part)


def further_reads(answers: Sequence[HostAnswer], owner: Mapping[str, str]) -> list[Read]:
    """Pages that show how a list goes on, of the longest managed list that fits on its first
    page."""
    lists = [
        (answer.read.resource, len(answer.objects))
        for answer in answers
        if answer.is_success and is_paged(answer.read.resource) and is_written(answer.read.resource)
    ]
    complete = [(resource, length) for resource, length in lists if length < resource.page_size]
    if not complete:
        return []
    resource, length = max(complete, key=lambda item: item[1])
    behind = _page_read(resource, owner, 2, resource.page_size, BEHIND)
    if length <= SMALL_PAGE:
        return [behind]
    parts = enumerate((FIRST_TEN, NEXT_TEN), start=1)
    return [behind, *(_page_read(resource, owner, page, SMALL_PAGE, part) for page, part in parts)]


def ask_all(ask: Ask, reads: Iterable[Read], clock: Clock, names: Names) -> list[HostAnswer]:
    """The answers to some reads, which are made concurrently; nothing that goes wrong stops
    them. `names` are the variables that fill the options."""

    def answer(read: Read) -> HostAnswer:
        sent = clock()
        try:
            response = ask(read.request)
        except ServiceError as exc:
            return HostAnswer(read, problem=with_names(exc.message, names))
        ahead = seconds_ahead(response.header("Date"), sent, clock())
        try:
            return HostAnswer(read, response, read_document(response.content), "", ahead)
        except Unreadable as exc:
            return HostAnswer(read, response, None, exc.reason, ahead)

    return list(concurrently(answer, list(reads)))


def seconds_ahead(header: str | None, sent: datetime, received: datetime) -> float | None:
    """The seconds by which a header Date, which is cut to the second, is ahead of the middle of a
    call."""
    date = read_date(header)
    if date is None:
        return None
    middle = sent + (received - sent) / 2
    return round((date - middle).total_seconds() + HALF_A_SECOND, 1)


def parts_to_read(host: str, values: Mapping[str, Any]) -> list[Part]:
    """The account and the zone of a host, with the options to reach them; raises ValueError for a
    host that has neither, or no credentials."""
    return parts_of(host, {**values, OPTIONS[CUSTOM]["rules"]: []})


def settings_of(part: Part, warn: Warn) -> Settings:
    """The checked options of a part; raises ValueError with the names of the variables."""
    owner = MODULE_SPECS[part.module].owner
    arguments = shared_options(owner, lambda *names: None)
    options, error = validate(arguments, part.module, connection_options(part))
    if error:
        raise ValueError(with_names(error, part.names))
    try:
        return parse_settings({**options, "retries": RETRIES}, owner, {}, warn)
    except ProtectionError as exc:
        raise ValueError(with_names(exc.message, part.names)) from exc


def examine_host(parts: Sequence[Part], warn: Warn, clock: Clock) -> HostAnswers:
    """Read every part; raises ValueError for wrong options, before any call."""
    every = [(settings_of(part, warn), part.names) for part in parts]
    answers: list[HostAnswer] = []
    owners: dict[str, str] = {}
    calls = 0
    for settings, names in every:
        with connected(settings, warn) as client:
            if not answers:
                of_token = [_first_read(resource, {}, clock()) for resource in (ACCOUNTS, ZONES)]
                answers += ask_all(client.ask, of_token, clock, names)
            answers += _read_owner(client, settings, owners, clock, names)
            calls += client.calls
    return HostAnswers(answers, owners, calls)


def _read_owner(
    client: Client, settings: Settings, owners: dict[str, str], clock: Clock, names: Names
) -> list[HostAnswer]:
    """The answers of an account or a zone; one that goes by an unknown name is a failed read."""
    try:
        client = client_of_owner(client, settings)
    except ProtectionError as exc:
        read = Read(ZONE, Request("GET", "zones", resource=ZONE))
        return [HostAnswer(read, problem=with_names(exc.message, names))]
    owners.update(client.owner)
    (kind,), now = client.owner, clock()
    reads = [_first_read(resource, client.owner, now) for resource in resources_of(kind)]
    answers = ask_all(client.ask, reads, clock, names)
    further = further_reads(answers, client.owner)
    return [*answers, *ask_all(client.ask, further, clock, names)]


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


def redacted(text: str) -> str:
    """The text in one line, with a word in brackets for each private part."""
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

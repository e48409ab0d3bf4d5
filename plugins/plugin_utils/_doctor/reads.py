# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the doctor asks of an account and of a zone: one read of each resource, and some more pages.

Every request reads. That to the analytics is a POST, which queries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import (
    Request,
    Response,
    Unreadable,
    read_document,
)
from ansible_collections.edgeops.protection.plugins.module_utils._concurrency import concurrently
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._schema import account, neighbours
from ansible_collections.edgeops.protection.plugins.module_utils._schema import (
    neighbours as directory,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import (
    ACCOUNT_OPTION,
    OWNERS,
    Permission,
    Resource,
    Single,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import (
    OWN_NAMES,
    Names,
    excerpt,
    plural,
    visible,
    with_names,
)
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import (
    read_date,
    write_timestamp,
)
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.ask import PATH
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.queries import (
    PERMISSION as ANALYTICS_PERMISSION,
)
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.queries import query

FIRST, BEHIND = "first page", "page behind the last one"
FIRST_TEN, NEXT_TEN = "first ten", "next ten"
SMALL_PAGE = 10  # objects; the least that a list of an account takes
HOURS_OF_LOG = 1
ANALYTICS = Resource(
    name="analytics",
    plural="analytics",
    title="analytics",
    plural_title="analytics",
    owner="",  # the query names the account
    path=PATH,
    permission=Permission(ANALYTICS_PERMISSION.partition(" Read")[0], "account"),
    fields=(),
    key=(),
    listing=Single(),
)
OF_TOKEN = (directory.ACCOUNTS, directory.ZONES)


def declared(value: Any) -> Iterator[Resource]:
    """The resources in a value of a module, which may be one, or hold several."""
    if isinstance(value, Resource):
        yield value
    elif isinstance(value, (tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from declared(item)


def declared_resources() -> list[Resource]:
    """What the files of the schema declare of accounts and zones, each path once, and those of TCP
    protection first; without what needs another id in its path."""
    folder, package = Path(str(account.__file__)).parent, account.__name__.rpartition(".")[0]
    names = ["account", *sorted(path.stem for path in folder.glob("[a-z]*.py"))]
    by_path: dict[str, Resource] = {}
    for name in names:
        for value in vars(import_module(f"{package}.{name}")).values():
            for resource in declared(value):
                if _places(resource.path) == {resource.owner}:
                    by_path.setdefault(resource.path, resource)
    return list(by_path.values())


def _places(path: str) -> set[str]:
    return {name for _text, name, _form, _conversion in Formatter().parse(path) if name}


OF_OWNER: Mapping[str, Sequence[Resource]] = {
    owner: [
        *(resource for resource in declared_resources() if resource.owner == owner),
        *([ANALYTICS] if owner == ACCOUNT_OPTION else []),
    ]
    for owner in OWNERS
}


@dataclass(frozen=True)
class Read:
    """One request about a resource; `part` says which page of a list it is."""

    resource: Resource
    request: Request
    part: str = FIRST


def reads_of(owner: Mapping[str, str], now: datetime) -> list[Read]:
    """What is read first of an account or of a zone."""
    (kind,) = owner
    return [_first(resource, owner, now) for resource in OF_OWNER[kind]]


def reads_of_token() -> list[Read]:
    """What is read of the directory, whichever account or zone the token is for."""
    return [_page(resource, resource.path, 1, resource.page_size, FIRST) for resource in OF_TOKEN]


def _first(resource: Resource, owner: Mapping[str, str], now: datetime) -> Read:
    path = resource.path.format(**owner)
    if resource is ANALYTICS:
        body = query(owner[ACCOUNT_OPTION], (), with_settings=True)
        return Read(resource, Request("POST", path, body=body, resource=resource, is_query=True))
    if resource is neighbours.AUDIT_LOG:
        since = now - timedelta(hours=HOURS_OF_LOG)
        conditions = {"since": _utc(since), "before": _utc(now), "limit": SMALL_PAGE}
        return Read(resource, Request("GET", path, conditions, resource=resource))
    return _page(resource, path, 1, resource.page_size, FIRST)


def _utc(moment: datetime) -> str:
    return write_timestamp(moment).replace("+00:00", "Z")


def _page(resource: Resource, path: str, number: int, size: int, part: str) -> Read:
    conditions: Mapping[str, Any] = {"page": number, "per_page": size} if is_paged(resource) else {}
    return Read(resource, Request("GET", path, conditions, resource=resource), part)


def title_of(resource: Resource) -> str:
    """What a resource is called in a list of them."""
    return resource.titles if resource.key else resource.title


def is_paged(resource: Resource) -> bool:
    """Whether a list comes in pages by their number."""
    return bool(resource.page_size) and resource is not neighbours.AUDIT_LOG


def further_reads(
    lists: Sequence[tuple[Resource, int]], owner: Mapping[str, str]
) -> Iterator[Read]:
    """Pages that show how a list goes on, for the longest of these lists.

    `lists` are the managed lists that fit on their first page, with their lengths.
    """
    longest = max(lists, key=lambda item: item[1], default=None)
    if longest is None:
        return
    resource, length = longest
    path = resource.path.format(**owner)
    yield _page(resource, path, 2, resource.page_size, BEHIND)
    if length > SMALL_PAGE:
        yield _page(resource, path, 1, SMALL_PAGE, FIRST_TEN)
        yield _page(resource, path, 2, SMALL_PAGE, NEXT_TEN)


HALF_A_SECOND = 0.5
NO_ENTRY_POINT = 10003  # the code for a phase that has no ruleset yet

Ask = Callable[[Request], Response]  # raises ServiceError if no response comes
Clock = Callable[[], datetime]


@dataclass(frozen=True)
class Answer:
    """What came of a read: `status` is None if nothing came, and `problem` says why there is no
    JSON document.

    `seconds_ahead` is how far the header Date is ahead of the clock of this machine; None if there
    is no such header, or it cannot be read.
    """

    read: Read
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    document: Any = None
    problem: str = ""
    seconds_ahead: float | None = None

    @property
    def envelope(self) -> Mapping[str, Any]:
        """The document, if it is an object."""
        return self.document if isinstance(self.document, Mapping) else {}

    @property
    def is_success(self) -> bool:
        """Whether the answer brings what was asked for."""
        succeeded = self.status is not None and 200 <= self.status < 300
        if self.read.request.is_query:
            return succeeded and bool(self.envelope.get("data"))
        return (succeeded and self.envelope.get("success") is True) or self.is_empty_phase

    @property
    def is_empty_phase(self) -> bool:
        """Whether it says that a phase has no rules yet, which is not a failure."""
        return self.read.resource.is_ordered and self.status == 404 and NO_ENTRY_POINT in self.codes

    @property
    def codes(self) -> list[int]:
        """The codes of its errors, those of their chains included."""
        return [code for code in _codes(self.envelope.get("errors")) if code is not None]

    @property
    def messages(self) -> list[str]:
        """The texts of its errors, as Cloudflare wrote them."""
        errors = self.envelope.get("errors")
        listed = errors if isinstance(errors, list) else []
        return [str(item.get("message") or "") for item in listed if isinstance(item, Mapping)]

    @property
    def objects(self) -> list[Mapping[str, Any]]:
        """The objects of the result, if it is a list of objects, an object with one, or an
        object."""
        resource, result = self.read.resource, self.envelope.get("result")
        if resource.is_ordered and isinstance(result, Mapping):
            result = result.get(resource.document.field) or []
        listed = result if isinstance(result, list) else [result]
        return [item for item in listed if isinstance(item, Mapping)]

    def header(self, name: str) -> str | None:
        """A header, whatever the case of its name."""
        lowered = name.lower()
        values = (value for header, value in self.headers.items() if header.lower() == lowered)
        return next(values, None)


def _codes(errors: Any) -> list[int | None]:
    codes: list[int | None] = []
    for item in errors if isinstance(errors, list) else []:
        if isinstance(item, Mapping):
            code = item.get("code")
            is_number = isinstance(code, int) and not isinstance(code, bool)
            codes += [code if is_number else None, *_codes(item.get("error_chain"))]
    return codes


def ask_all(
    ask: Ask, reads: Sequence[Read], clock: Clock, names: Names | None = None
) -> list[Answer]:
    """The answers to some reads, which are made concurrently; nothing that goes wrong stops
    them. `names` are the variables that fill the options."""

    def answer(read: Read) -> Answer:
        sent = clock()
        try:
            response = ask(read.request)
        except ServiceError as exc:
            return Answer(read, problem=with_names(exc.message, names or OWN_NAMES))
        return _answer(read, response, sent, clock())

    return list(concurrently(answer, reads))


def _answer(read: Read, response: Response, sent: datetime, received: datetime) -> Answer:
    try:
        document, problem = read_document(response.content), ""
    except Unreadable as exc:
        document, problem = None, exc.reason
    ahead = seconds_ahead(response.header("Date"), sent, received)
    return Answer(read, response.status, dict(response.headers), document, problem, ahead)


def seconds_ahead(header: str | None, sent: datetime, received: datetime) -> float | None:
    """How far a header Date, which is cut to the second, is ahead of the middle of a call."""
    date = read_date(header)
    if date is None:
        return None
    middle = sent + (received - sent) / 2
    return round((date - middle).total_seconds() + HALF_A_SECOND, 1)


def first_answers(answers: Sequence[Answer]) -> list[Answer]:
    """One answer for each resource."""
    return [answer for answer in answers if answer.read.part == FIRST]


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


def redacted(text: str) -> str:
    """The text in one line, with a word in brackets for each private part."""
    for pattern, word in PRIVATE:
        text = pattern.sub(word, text)
    return visible(excerpt(" ".join(text.split()), MAX_TEXT))


WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")
HEXADECIMAL = re.compile(r"[0-9a-fA-F-]{12,}")
DIGITS = re.compile(r"[0-9]{4,}")


def shown_name(value: object) -> str:
    """A short word as it is, and of anything else only its length or type."""
    if not isinstance(value, str):
        return f"({type(value).__name__})"
    is_word = WORD.fullmatch(value) and not HEXADECIMAL.search(value) and not DIGITS.search(value)
    if is_word:
        return value
    return f"(a text of {plural(len(value), 'character', 'characters')})"


def shown_names(values: Iterable[object]) -> list[str]:
    """Each of these once, in order."""
    return sorted({shown_name(value) for value in values})

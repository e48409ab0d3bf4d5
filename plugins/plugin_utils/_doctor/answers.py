# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Answers as they came, whatever they hold: the doctor looks at each itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import (
    Request,
    Response,
    Unreadable,
    read_document,
)
from ansible_collections.edgeops.protection.plugins.module_utils._concurrency import concurrently
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._text import (
    OWN_NAMES,
    Names,
    with_names,
)
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import read_date

from .reads import FIRST, Read

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
        return (
            bool(self.read.resource.list_field)
            and self.status == 404
            and NO_ENTRY_POINT in self.codes
        )

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
        if resource.list_field and isinstance(result, Mapping):
            result = result.get(resource.list_field) or []
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

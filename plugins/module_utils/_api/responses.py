# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Responses of Cloudflare: JSON, and the envelope around each result, opened or turned into an
error."""

from __future__ import annotations

import json
import math
import re
from datetime import datetime
from itertools import chain
from typing import Any, Callable, Collection, Iterator, Mapping, NamedTuple, Sequence
from urllib.parse import urlsplit

from .._errors import ErrorDetails, ErrorItem, ServiceError
from .._schema.products import lacks_product, sentence_on_lack
from .._schema.resource import OWNERS, UNKNOWN_ID, Object, Resource, fields_in, other_owners
from .._text import Message, Option, Unread, excerpt, joined, left_out, visible, worded
from .._timestamps import read_date

TOKEN_AS_KEY = worded("The value of {api_key} is not an API key; a token belongs in {api_token}.")
MALFORMED_TOKEN = worded(
    "The value of {api_token} is not a well-formed token; check it for missing or extra characters."
)
REJECTED = (
    "The credentials are wrong, expired, or may not be used from here; check them. "
    "A token made just now may need some seconds."
)
OWNER_IDS = [Message(Option(option)) for option in OWNERS]
WRONG_ID = worded("Check {ids} and {base_url}.", ids=joined(", ", OWNER_IDS))
TOO_MANY_CALLS = worded(
    "Too many calls were made with these credentials, by others too; run again in some minutes,"
    " raise {max_wait}, or lower {call_budget}."
)
MAINTENANCE_MODE = 10020  # of an interface that the vendor retires
LIST_IN_USE = (
    "Rules name this list, also disabled ones and those of other zones. Let them name another list,"
    " or delete them, and run again."
)
Hint = Callable[["Resource | None"], str]  # the advice for a failed call about a resource


def _always(advice: str) -> Hint:
    return lambda _resource: advice


def _wrong_id(resource: Resource | None) -> str:
    """Advice on an id that Cloudflare does not know: it may be the id of another kind of owner."""
    owner = OWNERS.get(resource.owner) if resource else None
    if owner is None:
        return WRONG_ID
    kinds = " or ".join(candidate.with_article for candidate in other_owners(owner))
    return worded(
        "Check {owner} and {base_url}; is {owner} the id of {kinds}?",
        owner=Option(owner.option),
        kinds=kinds,
    )


BY_CODE: Mapping[int | None, Hint] = {
    6103: _always(TOKEN_AS_KEY),
    6111: _always(MALFORMED_TOKEN),
    **dict.fromkeys(UNKNOWN_ID, _wrong_id),
    9109: _always(REJECTED),
    10031: _always(LIST_IN_USE),
}


def _hint_for(request: Request, response: Response, codes: Sequence[int | None]) -> str:
    """Advice for a failed call; empty if nothing better than Cloudflare's own message is known."""
    resource, status = request.resource, response.status
    if lacks_product(codes):  # of what a write names, only a part may be meant
        return sentence_on_lack(resource.product if resource and request.method == "GET" else "")
    for code in codes:
        if code in BY_CODE:
            return BY_CODE[code](resource)
    is_retired = MAINTENANCE_MODE in codes or status == 410
    if resource is not None and resource.retired and is_retired:
        return resource.retired
    if 300 <= status < 400:
        return worded(
            "It redirects to {host}, which is not followed, since the credentials are not for it;"
            " check {base_url}.",
            host=_redirect_host(response.header("Location")),
        )
    if status == 401:
        return REJECTED
    if status == 403:
        permission = f" {resource.permission.describe(request.method)}" if resource else ""
        return f"The credentials may lack the permission{permission}, or are not valid here."
    if status == 429:
        return TOO_MANY_CALLS
    if status >= 500:
        return "Cloudflare failed; run again later."
    return ""


def swapped_ids(codes: Sequence[int | None], names: Collection[str]) -> str:
    """The question whether the ids are swapped, if Cloudflare does not know one and the task names
    each owner by its id; otherwise empty.

    `names` are the options, and the variables of the environment, that have a value.
    """
    if UNKNOWN_ID.isdisjoint(codes):
        return ""
    for owner in OWNERS.values():
        by_id = owner.option in names or owner.variable in names
        by_name = bool(owner.name_option) and owner.name_option in names
        if by_name or not by_id:
            return ""
    return Message("Are ", joined(" and ", OWNER_IDS), " swapped?")


def _redirect_host(location: str | None) -> str:
    try:
        return excerpt(urlsplit(location or "").hostname or "another place")
    except ValueError:
        return "a malformed address"


MOST_SHOWN = 10  # so many are shown; the others are counted
MAX_ERROR_LENGTH = 500  # of each error's message, in characters
MAX_POINTER_LENGTH = 200
PAGE = re.compile(r"https://[A-Za-z0-9./_#?&=%-]{1,200}")  # of the documentation of an error
MAX_TITLE_LENGTH = 120
MOST_OF_UNREADABLE = 60  # characters of a body that is not JSON
PAGE_START = 65536  # so many bytes of a page are searched for its title
TITLE_BEGINS = re.compile(r"<title\b", re.IGNORECASE)
TITLE_ENDS = re.compile(r"</title", re.IGNORECASE)


class Response(NamedTuple):
    """A response of Cloudflare.

    `maybe_applied` says whether an earlier attempt at the same call, which got no usable response,
    may have been applied.
    """

    status: int
    headers: Mapping[str, str]
    content: bytes
    maybe_applied: bool = False

    def header(self, name: str) -> str | None:
        """A header's value, whatever the case of its name."""
        lowered = name.lower()
        for header, value in self.headers.items():
            if header.lower() == lowered:
                return value
        return None

    @property
    def date(self) -> datetime | None:
        """The time at which Cloudflare responded, by its own clock; None if it does not report the
        time."""
        return read_date(self.header("Date"))


class Request(NamedTuple):
    """A call as it is sent: its path without the base URL, query and JSON body; and the resource
    that it concerns.

    `about` is the account or zone that a POST to the analytics asks about: such a POST only reads,
    so that it may be repeated, and counts on the budget of that account or zone. `is_final` tells
    of a failed response whether every further attempt would fail as well, and `is_pending` of any
    response whether Cloudflare is not done yet, so that the call is repeated after a wait.
    """

    method: str
    path: str
    query: Mapping[str, Any] = {}
    body: Any = None
    resource: Resource | None = None
    about: str = ""
    is_final: Callable[[Response], bool] = lambda response: False
    is_pending: Callable[[Response], bool] = lambda response: False

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Envelope(NamedTuple):
    """A response that reports success: its `result`, and `info`, which has totals and cursors of
    pages."""

    result: Any
    info: Mapping[str, Any]

    @property
    def fields(self) -> Object:
        """The fields of the result; none if it is not an object."""
        return fields_in(self.result)

    @property
    def total(self) -> int | None:
        """The number of all objects of the listing; None if Cloudflare does not report it."""
        return _count_in(self.info.get("total_count"))

    @property
    def next_cursor(self) -> str | None:
        """The cursor of the next page; empty if this is the last one, None if Cloudflare does not
        say."""
        cursors = self.info.get("cursors")
        if not isinstance(cursors, Mapping):
            return None
        cursor = cursors.get("after")
        if cursor is None:
            return ""
        return cursor if isinstance(cursor, str) else None

    @property
    def per_page(self) -> float:
        """The number of objects on a full page as Cloudflare reports it; infinite if it does
        not."""
        return _count_in(self.info.get("per_page")) or math.inf


def _count_in(value: Any) -> int | None:
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return value if is_integer and value >= 0 else None


def open_envelope(request: Request, response: Response) -> Envelope:
    """The envelope of a response that reports success; raises ServiceError for any other
    response."""
    document, problem = read_envelope(response)
    succeeded = 200 <= response.status < 300
    if request.method == "DELETE":
        is_gone = response.status == 404 and response.maybe_applied
        is_empty = succeeded and not response.content.strip()
        if is_gone or is_empty:
            return Envelope(None, {})
    says_success = document.get("success") is True
    if problem or not succeeded or not says_success:
        raise _error_of_response(request, response, document, problem)
    info = fields_in(document.get("result_info"))
    return Envelope(document.get("result"), info)


def read_envelope(response: Response) -> tuple[Mapping[str, Any], str]:
    """The envelope of a response, and an empty text; or an empty envelope, and what the response is
    instead."""
    try:
        document = read_document(response.content)
    except Unread as exc:
        problem = _describe_unreadable(response.content) if exc.malformed else exc.reason
        return {}, problem
    if not isinstance(document, dict):
        return {}, _describe_unreadable(response.content)
    return document, ""


def _error_of_response(
    request: Request, response: Response, document: Mapping[str, Any], problem: str
) -> ServiceError:
    """The error for a response that refuses the call, or that cannot be read, for the reason
    `problem`."""
    errors = list(error_items(document.get("errors")))
    shown = errors[:MOST_SHOWN]
    ray = response.header("CF-RAY")
    reason = _describe_errors(shown, len(errors)) or problem
    if not reason:
        refuses = document.get("success") is False
        reason = "it gave no reason" if refuses else "it is not Cloudflare's envelope"
    trace = f" (ray {excerpt(ray)})" if ray else ""
    answer = f"{request} was answered with HTTP {response.status}"
    sentence = f"{answer}: {reason.rstrip('.')}{trace}."
    hint = _hint_for(request, response, [error["code"] for error in shown])
    return ServiceError(
        joined(" ", [sentence, hint]) if hint else sentence,
        error_details(request, response.status, shown, ray),
        maybe_applied=_is_maybe_applied(response),
    )


def _is_maybe_applied(response: Response) -> bool:
    """Return whether Cloudflare may have done what a failed call asked for.

    A redirect and a refusal (3xx, 4xx) say that it has not; a success that cannot be read, a
    failure of Cloudflare and a timeout (408) do not.
    """
    refuses = 300 <= response.status < 500 and response.status != 408
    return response.maybe_applied or not refuses


def error_details(
    request: Request,
    status: int | None,
    errors: list[ErrorItem] | None = None,
    ray: str | None = None,
) -> ErrorDetails:
    """The `error` of a failed result."""
    return ErrorDetails(
        method=request.method, path=request.path, status=status, errors=errors or [], ray=ray
    )


def error_items(errors: Any) -> Iterator[ErrorItem]:
    """The errors of an envelope and of their chains; where they are missing, code and pointer are
    None, and the message is empty.

    Control characters in the texts are escaped, since the output of a failure shows them.
    """
    if not isinstance(errors, list):
        return
    for error in errors:
        if not isinstance(error, Mapping):
            error = {"message": error}
        item = ErrorItem(
            code=_code_of(error),
            message=_harmless(str(error.get("message") or ""), MAX_ERROR_LENGTH),
            pointer=_pointer_of(error),
        )
        page = str(error.get("documentation_url") or "")
        if PAGE.fullmatch(page):
            item["documentation_url"] = page
        yield item
        yield from error_items(error.get("error_chain"))


def _code_of(error: Mapping[str, Any]) -> int | None:
    code = error.get("code")
    is_integer = isinstance(code, int) and not isinstance(code, bool)
    return code if is_integer else None


def _pointer_of(error: Mapping[str, Any]) -> str | None:
    pointer = fields_in(error.get("source")).get("pointer")
    return _harmless(pointer, MAX_POINTER_LENGTH) if isinstance(pointer, str) else None


def _harmless(text: str, longest: int) -> str:
    """A text of Cloudflare, cut to `longest` characters, its invisible characters escaped except
    for line breaks."""
    lines = excerpt(text, longest).split("\n")
    return "\n".join(visible(line) for line in lines)


def _describe_errors(errors: list[ErrorItem], count: int) -> str:
    """The shown errors as one text; `count` is the number of all errors."""
    descriptions = [_describe_error(error) for error in errors]
    text = "; ".join(filter(None, descriptions))
    uncounted = left_out(count, len(errors), "error", "errors")
    if not uncounted:
        return text
    return f"{text}; {uncounted}"


def _describe_error(error: ErrorItem) -> str:
    code, pointer = error["code"], error["pointer"]
    text = " ".join(error["message"].split())
    if code is not None:
        text = f"[{code}] {text}"
    if pointer is not None:
        text = f"{text} (at {pointer})"
    page = error.get("documentation_url")
    if page:
        text = f"{text} (see {page})"
    return text.strip()


def _describe_unreadable(content: bytes) -> str:
    """A description of a body that is not an envelope: the title of an HTML page, or the first
    characters."""
    text = content[:PAGE_START].decode("utf-8", "replace")
    if not content.strip():
        return "the response is empty"
    title = _page_title(text)
    if title:
        return f"a page titled '{excerpt(title, MAX_TITLE_LENGTH)}' instead of JSON"
    beginning = " ".join(text.split())[:MOST_OF_UNREADABLE]
    return f"not JSON, it begins with {beginning!r}"


def _page_title(page: str) -> str:
    """The title of an HTML page, found in one pass; empty if it has none."""
    tag = TITLE_BEGINS.search(page)
    if not tag:
        return ""
    start = page.find(">", tag.end()) + 1
    end = TITLE_ENDS.search(page, start) if start else None
    if not end:
        return ""
    title = page[start : end.start()]
    return " ".join(title.split())


# Lists and objects inside of each other; Cloudflare's own documents have less than ten levels.
DEEPEST_JSON = 100
TOO_DEEP = f"its JSON is nested more than {DEEPEST_JSON} levels deep"
LONGEST_INTEGER = 1000  # digits; Python's own limit is 4300, and older releases have none

SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def read_document(content: bytes) -> Any:
    """The JSON document of a body; raises Unread, whose `malformed` is False for JSON that is
    nested too deep.

    Numbers that no float or limited integer can hold stay texts. Lone surrogates, which no result
    can carry, become U+FFFD.
    """
    try:
        document = DECODER.decode(content.decode("utf-8"))
    except RecursionError as exc:
        raise Unread(TOO_DEEP, malformed=False) from exc
    except ValueError as exc:
        raise Unread("it is not JSON") from exc
    containers = content.count(b"{") + content.count(b"[")  # or more, since texts may have both
    if containers > DEEPEST_JSON and _is_too_deep(document):
        raise Unread(TOO_DEEP, malformed=False)
    return _without_lone_surrogates(document) if SURROGATE_ESCAPE.search(content) else document


def _is_too_deep(document: Any) -> bool:
    """Return whether a document is nested too deep; it is searched level by level, since a
    recursion would meet Python's own limit."""
    containers: list[Any] = [[document]]
    for _level in range(DEEPEST_JSON + 1):
        members = chain.from_iterable(map(_members_of, containers))
        containers = [member for member in members if isinstance(member, (dict, list))]
    return bool(containers)


def _members_of(container: dict[Any, Any] | list[Any]) -> Collection[Any]:
    return container.values() if isinstance(container, dict) else container


def _without_lone_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return LONE_SURROGATE.sub(REPLACEMENT, value)
    if isinstance(value, dict):
        return {
            _without_lone_surrogates(name): _without_lone_surrogates(member)
            for name, member in value.items()
        }
    if isinstance(value, list):
        return [_without_lone_surrogates(member) for member in value]
    return value


def _read_integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= LONGEST_INTEGER else digits


def _read_float(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) else digits


def _refuse_constant(name: str) -> Any:
    """Raise ValueError for NaN and Infinity, which Python accepts and JSON does not have."""
    raise ValueError(f"{name} is not JSON")


DECODER = json.JSONDecoder(
    parse_int=_read_integer, parse_float=_read_float, parse_constant=_refuse_constant
)


def unexpected(request: Request, problem: str) -> ServiceError:
    """The error for a successful response of an unexpected form; it is returned, not raised."""
    text = worded(
        "{call} got an unexpected response: {problem}. The module stops there; run it again,"
        " and check {base_url} if the same response comes again.",
        call=request,
        problem=problem,
    )
    return ServiceError(text, error_details(request, 200), maybe_applied=True)

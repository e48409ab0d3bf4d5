# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Responses of the service: the envelope around each result, opened or turned into an error."""

from __future__ import annotations

import json
import re
from typing import Any, Mapping, NamedTuple

from ..errors import ErrorDetails, ErrorItem, ServiceError
from ..schema.resource import Resource
from .hints import hint_for


class Request(NamedTuple):
    """A call as it is sent: its path without the base URL, query and JSON body; and the resource it is about."""

    method: str
    path: str
    query: Mapping[str, Any] = {}
    body: Any = None
    resource: Resource | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Response(NamedTuple):
    """What the service sent back."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    maybe_applied: bool = False  # whether an earlier attempt, which got no good response, may have been applied

    def header(self, name: str) -> str | None:
        """A header's value, whatever the case of its name."""
        lowered = name.lower()
        return next((value for header, value in self.headers.items() if header.lower() == lowered), None)


class Envelope(NamedTuple):
    """A response that says success: its result, and what it says of pages."""

    result: Any
    info: Mapping[str, Any]

    @property
    def total(self) -> int | None:
        """How many objects the listing has in all, where the service says so."""
        total = self.info.get("total_count")
        return total if isinstance(total, int) and not isinstance(total, bool) and total >= 0 else None


def open_envelope(request: Request, response: Response) -> Envelope:
    """The result of a response; raises ServiceError for every other kind of response."""
    document = _document(response)
    succeeded = 200 <= response.status < 300
    if request.method == "DELETE" and response.status == 404 and response.maybe_applied:
        return Envelope(None, {})
    if succeeded and not response.content.strip() and request.method == "DELETE":
        return Envelope(None, {})
    if not succeeded or document is None or document.get("success") is not True:
        raise failed(request, response, document)
    info = document.get("result_info")
    return Envelope(document.get("result"), info if isinstance(info, Mapping) else {})


def _document(response: Response) -> Mapping[str, Any] | None:
    try:
        document = json.loads(response.content.decode("utf-8"))
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def failed(request: Request, response: Response, document: Mapping[str, Any] | None) -> ServiceError:
    """The error of a response that refuses, or that cannot be read."""
    errors = _errors((document or {}).get("errors"))
    ray = response.header("CF-RAY")
    reason = _describe_errors(errors) or _describe_unreadable(response, document)
    trace = f" (ray {ray})" if ray else ""
    sentence = f"{request} was answered with HTTP {response.status}: {reason.rstrip('.')}{trace}."
    codes = [item["code"] for item in errors]
    hint = hint_for(request.method, request.resource, response.status, codes, response.header("Location"))
    return ServiceError(
        " ".join(filter(None, (sentence, hint))),
        error_details(request, response.status, errors, ray),
        maybe_applied=response.maybe_applied or not 300 <= response.status < 500 or response.status == 408,
    )


def error_details(
    request: Request, status: int | None, errors: list[ErrorItem] | None = None, ray: str | None = None
) -> ErrorDetails:
    """The `error` of a failed result."""
    return ErrorDetails(method=request.method, path=request.path, status=status, errors=errors or [], ray=ray)


def _errors(items: Any) -> list[ErrorItem]:
    """The envelope's errors with those of their chains, whatever of code, message and pointer they lack."""
    errors: list[ErrorItem] = []
    for item in items if isinstance(items, list) else []:
        if not isinstance(item, Mapping):
            item = {"message": str(item)}
        source = item.get("source")
        pointer = source.get("pointer") if isinstance(source, Mapping) else None
        code = item.get("code")
        errors.append(
            ErrorItem(
                code=code if isinstance(code, int) else None,
                message=str(item.get("message") or ""),
                pointer=pointer if isinstance(pointer, str) else None,
            )
        )
        errors.extend(_errors(item.get("error_chain")))
    return errors


def _describe_errors(errors: list[ErrorItem]) -> str:
    parts = []
    for item in errors:
        code = "" if item["code"] is None else "[{}] ".format(item["code"])
        pointer = "" if item["pointer"] is None else " (at {})".format(item["pointer"])
        parts.append((code + " ".join(item["message"].split()) + pointer).strip())
    return "; ".join(filter(None, parts))


def _describe_unreadable(response: Response, document: Mapping[str, Any] | None) -> str:
    """A few words on a response that is not an envelope: an edge page's title, or the first bytes."""
    if document is not None:
        return "it gave no reason" if document.get("success") is False else "it is not the service's envelope"
    text = response.content.decode("utf-8", "replace")
    if not text.strip():
        return "the response is empty"
    title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
    if title:
        return "a page titled '{}' instead of JSON".format(" ".join(title.group(1).split())[:120])
    return "not JSON, it begins with {!r}".format(" ".join(text.split())[:60])

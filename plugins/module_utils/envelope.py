# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The envelope around every answer, opened or turned into an error (service.md, section 2.1; facts.md, section 3)."""

from __future__ import annotations

import json
import re
from typing import Any, Mapping, NamedTuple

from .advice import advise
from .errors import ServiceError


class Request(NamedTuple):
    """A call as it is sent: the path without the base URL, the query and the JSON body."""

    method: str
    path: str
    query: Mapping[str, Any] = {}
    body: Any = None

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Answer(NamedTuple):
    """What came back over the wire."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    doubtful: bool = False  # whether an earlier try, which brought no good answer, may have been carried out

    def header(self, name: str) -> str | None:
        """A header's value, whatever the case of its name."""
        wanted = name.lower()
        return next((value for header, value in self.headers.items() if header.lower() == wanted), None)


class Envelope(NamedTuple):
    """An answer that says success: its result, and what it says of pages."""

    result: Any
    info: Mapping[str, Any]

    @property
    def total(self) -> int | None:
        """How many objects the listing has in all, where the service says so."""
        total = self.info.get("total_count")
        return total if isinstance(total, int) and not isinstance(total, bool) and total >= 0 else None


def open_envelope(request: Request, answer: Answer) -> Envelope:
    """The result of an answer; raises ServiceError for every other kind of answer."""
    document = _document(answer)
    succeeded = 200 <= answer.status < 300
    if request.method == "DELETE" and answer.status == 404 and answer.doubtful:
        return Envelope(None, {})
    if succeeded and not answer.content.strip() and request.method == "DELETE":
        return Envelope(None, {})
    if not succeeded or document is None or document.get("success") is not True:
        raise failed(request, answer, document)
    info = document.get("result_info")
    return Envelope(document.get("result"), info if isinstance(info, Mapping) else {})


def _document(answer: Answer) -> Mapping[str, Any] | None:
    try:
        document = json.loads(answer.content.decode("utf-8"))
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def failed(request: Request, answer: Answer, document: Mapping[str, Any] | None) -> ServiceError:
    """The error of an answer that refuses, or that cannot be read."""
    errors = _errors((document or {}).get("errors"))
    ray = answer.header("CF-RAY")
    said = _said(errors) or _unreadable(answer, document)
    trace = f" (ray {ray})" if ray else ""
    sentence = f"{request} was answered with HTTP {answer.status}: {said.rstrip('.')}{trace}."
    advice = advise(request, answer.status, [item["code"] for item in errors], answer.header("Location"))
    return ServiceError(
        " ".join(filter(None, (sentence, advice))),
        error_details(request, answer.status, errors, ray),
        carried_out=None if answer.doubtful or not 300 <= answer.status < 500 or answer.status == 408 else False,
    )


def error_details(
    request: Request, status: int | None, errors: list[dict[str, Any]] | None = None, ray: str | None = None
) -> dict[str, Any]:
    """The `error` of a failed result."""
    return {"method": request.method, "path": request.path, "status": status, "errors": errors or [], "ray": ray}


def _errors(items: Any) -> list[dict[str, Any]]:
    """The envelope's errors with those of their chains, whatever of code, message and pointer they lack."""
    found: list[dict[str, Any]] = []
    for item in items if isinstance(items, list) else []:
        if not isinstance(item, Mapping):
            item = {"message": str(item)}
        source = item.get("source")
        pointer = source.get("pointer") if isinstance(source, Mapping) else None
        code = item.get("code")
        found.append(
            {
                "code": code if isinstance(code, int) else None,
                "message": str(item.get("message") or ""),
                "pointer": pointer if isinstance(pointer, str) else None,
            }
        )
        found.extend(_errors(item.get("error_chain")))
    return found


def _said(errors: list[dict[str, Any]]) -> str:
    parts = []
    for item in errors:
        code = "" if item["code"] is None else "[{}] ".format(item["code"])
        pointer = "" if item["pointer"] is None else " (at {})".format(item["pointer"])
        parts.append((code + " ".join(item["message"].split()) + pointer).strip())
    return "; ".join(filter(None, parts))


def _unreadable(answer: Answer, document: Mapping[str, Any] | None) -> str:
    """A few words on an answer that is not an envelope: an edge page's title, or the first bytes."""
    if document is not None:
        return "it gave no reason" if document.get("success") is False else "it is not the service's envelope"
    text = answer.content.decode("utf-8", "replace")
    if not text.strip():
        return "the answer is empty"
    title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
    if title:
        return "a page titled '{}' instead of JSON".format(" ".join(title.group(1).split())[:120])
    return "not JSON, it begins with {!r}".format(" ".join(text.split())[:60])

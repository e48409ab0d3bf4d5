# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The envelope that every answer comes in, and the refusals."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from werkzeug.wrappers import Response

NO_ROUTE = 7003
NOT_ENTITLED = 8888
METHOD_NOT_ALLOWED = 10405
# The real codes of these are not known; they follow the pattern of the one above.
INVALID = 10400
NOT_FOUND = 10404
DUPLICATE = 10409
BROKEN = 10500


class Refusal(Exception):
    """Ends a call with an error answer; nothing has been changed."""

    def __init__(self, status: int, errors: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(status, errors)
        self.status = status
        self.errors = errors


def error(code: int, message: str, pointer: str | None = None) -> dict[str, Any]:
    """One item of `errors`; the pointer, when there is one, leads to the field of the body that is wrong."""
    source = {} if pointer is None else {"source": {"pointer": pointer}}
    return {"code": code, "message": message, **source}


def refusal(status: int, code: int, message: str, pointer: str | None = None) -> Refusal:
    return Refusal(status, [error(code, message, pointer)])


def missing(noun: str, identifier: str, pointer: str | None = None) -> Refusal:
    return refusal(404, NOT_FOUND, f"{noun} {identifier!r} does not exist", pointer)


def one_of(
    items: Iterable[dict[str, Any]], noun: str, identifier: str, pointer: str | None = None, by: str = "id"
) -> Any:
    """The item with an id, or with another field that identifies it; refused if there is none."""
    found = next((item for item in items if item[by] == identifier), None)
    if found is None:
        raise missing(noun, identifier, pointer)
    return found


def no_route(path: str) -> Refusal:
    return refusal(404, NO_ROUTE, f"Could not route to {path}, perhaps your object identifier is invalid?")


def answer(body: Any, status: int = 200) -> Response:
    return Response(json.dumps(body), status, mimetype="application/json")


def success(result: Any, **extra: Any) -> Response:
    return answer({"result": result, "success": True, "errors": [], "messages": [], **extra})


def deleted() -> Response:
    """What follows a DELETE of protection items: the envelope without a result."""
    return answer({"success": True, "errors": [], "messages": []})


def failure(status: int, errors: Sequence[Mapping[str, Any]], messages: Sequence[Any] | None = ()) -> Response:
    listed = None if messages is None else list(messages)
    return answer({"result": None, "success": False, "errors": list(errors), "messages": listed}, status)

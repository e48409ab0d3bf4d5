# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Operations that Cloudflare begins in the place of an answer, one at a time in an account, and
ends some time later (Lists API)."""

from __future__ import annotations

from typing import Any, Callable, Mapping

from .._errors import OperationFailed, ServiceError, StillPending
from .._text import Message, Option, excerpt
from .._values.kinds import SAFE_ID
from .responses import (
    Envelope,
    Request,
    Response,
    Unreadable,
    error_details,
    read_document,
    unexpected,
)
from .retry import RATE_LIMITED, read_retry_after

MAX_WAIT = Option("max_wait")
UNDER_WAY = ("pending", "running")  # states of an operation


def operate(request: Request, path: str, call: Callable[[Request], Envelope]) -> None:
    """Begin an operation, after the one that is under way, and wait for its end.

    Its id behind `path` is the path of the operation, and `call` makes a call. Raises ServiceError:
    StillPending if max_wait is over, OperationFailed if Cloudflare says so.
    """
    result = call(request._replace(is_pending=is_refused_meanwhile)).result
    identity = result.get("operation_id") if isinstance(result, Mapping) else None
    if not isinstance(identity, str) or not SAFE_ID.fullmatch(identity):
        raise unexpected(request, "the result has no id of an operation")
    look = Request("GET", path + identity, resource=request.resource, is_pending=is_under_way)
    ended = _end_of(look, call)
    status = ended.get("status") if isinstance(ended, Mapping) else None
    if status == "failed":
        reason = excerpt(str(ended.get("error") or "Cloudflare does not say why"))
        message = f"{request} was begun, and Cloudflare says that it failed: {reason}."
        raise OperationFailed(message, error_details(look, 200), maybe_applied=False)
    if status != "completed":
        raise unexpected(look, f"the status of the operation is {excerpt(repr(status))}")


def _end_of(look: Request, call: Callable[[Request], Envelope]) -> Any:
    """How an operation that was begun has ended; whatever the answer is, the operation may have
    been made."""
    try:
        return call(look).result
    except StillPending:
        raise
    except ServiceError as exc:
        raise ServiceError(exc.message, exc.error, maybe_applied=True) from exc


def still_pending(request: Request, status: int | None) -> ServiceError:
    """The error of a call that waits for an operation which Cloudflare has not ended in time."""
    is_refused = status == RATE_LIMITED
    reason = (
        "was refused, since another operation is under way in the account"
        if is_refused
        else "says that the operation is still under way, and Cloudflare goes on with it"
    )
    message = Message(
        f"{request} {reason}; ",
        MAX_WAIT,
        " leaves no time to wait for its end. Run again later, or raise ",
        MAX_WAIT,
        ".",
    )
    return StillPending(message, error_details(request, status), maybe_applied=not is_refused)


def is_refused_meanwhile(response: Response) -> bool:
    """Whether Cloudflare takes no operation on now, since another one is under way. A rate limit
    says how long to wait."""
    return response.status == RATE_LIMITED and read_retry_after(response.headers) is None


def is_under_way(response: Response) -> bool:
    """Whether a response says that the operation has not ended yet."""
    if response.status != 200:
        return False
    try:
        document: Any = read_document(response.content)
    except Unreadable:
        return False
    result = document.get("result") if isinstance(document, Mapping) else None
    return isinstance(result, Mapping) and result.get("status") in UNDER_WAY

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Repeats calls, as long as a task may lose time with it, and waits for operations.

Cloudflare answers some writes with the id of an operation, one at a time in an account, and ends it
some time later (Lists API).
"""

from __future__ import annotations

import re
import threading
import time
from datetime import datetime, timezone
from typing import Any, Callable, Mapping, NamedTuple, Sequence

from .._errors import OperationFailed, ServiceError, StillPending
from .._schema.resource import fields_in
from .._text import excerpt, worded
from .._timestamps import read_date
from .._values.kinds import SAFE_ID
from .responses import Envelope, Request, Response, error_details, read_envelope, unexpected

UNDER_WAY = ("pending", "running")  # states of an operation

RATE_LIMITED = 429
# Safe to repeat; POST creates, and is not.
SETS_ABSOLUTE_VALUES = frozenset(["GET", "PUT", "PATCH", "DELETE"])
WORTH_REPEATING = frozenset([408, RATE_LIMITED, 500, 502, 503, 504])
SHORTEST_WAIT = 0.5
LONGEST_PENDING_WAIT = 2.0  # between two looks at an operation of Cloudflare
LONGEST_WAIT = 8.0
MOST_DOUBLINGS = 10  # the wait is at its longest by then
SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{0,9})?")


class AttemptOutcome(NamedTuple):
    """The outcome of one attempt. `status` is that of the response, None if none came. `response`
    is a response that can be read; without one, `reason` says why, with advice, and `cause` says it
    without. `retry_after` is in seconds. `sent` is False if the request surely did not leave.
    `transient` is False if another attempt would fail in the same way. `pending` is True if
    Cloudflare has not ended an operation: the one that the request asks about, or an earlier one.
    """

    status: int | None
    response: Response | None = None
    reason: str = ""
    retry_after: float | None = None
    sent: bool = True
    transient: bool = True
    pending: bool = False
    cause: str = ""

    @classmethod
    def of(cls, request: Request, response: Response) -> AttemptOutcome:
        """The outcome of an attempt with this response."""
        return cls(
            response.status,
            response,
            retry_after=read_retry_after(response.headers),
            pending=request.is_pending(response),
        )

    @property
    def failed(self) -> bool:
        """Return whether the attempt brought no response that a caller can use."""
        return self.status is None or self.status in WORTH_REPEATING or self.pending

    @property
    def maybe_applied(self) -> bool:
        """Return whether Cloudflare may have done what this attempt asked for."""
        return self.sent and self.status != RATE_LIMITED

    @property
    def uses_retry(self) -> bool:
        """Return whether the attempt counts as one of the retries. One that a rate limit refused
        does not: max_wait bounds those.
        """
        return not self.demands_wait and not self.pending

    @property
    def demands_wait(self) -> bool:
        """Return whether Cloudflare demands that all calls with these credentials wait."""
        return self.status == RATE_LIMITED and bool(self.retry_after) and not self.pending


def seconds_until_retry(
    method: str, outcomes: Sequence[AttemptOutcome], retries: int, spread: float
) -> float | None:
    """The seconds to wait before the next attempt; None if none is to follow. `outcomes` are those
    of all attempts of the call so far. `spread`, between 0 and 1, shortens the waits that
    Cloudflare did not demand, so that many tasks do not call again at the same moment.
    """
    latest = outcomes[-1]
    failures = sum(outcome.uses_retry for outcome in outcomes)
    # A call that sets absolute values may be repeated, a create only if it surely was not applied.
    is_safe = method in SETS_ABSOLUTE_VALUES or not latest.maybe_applied
    may_repeat = failures <= retries and latest.transient and is_safe
    if not latest.failed or (latest.uses_retry and not may_repeat):
        return None
    if latest.retry_after and not latest.pending:
        return max(latest.retry_after, SHORTEST_WAIT)
    if latest.pending:
        looks = sum(outcome.pending for outcome in outcomes)
        return _growing_wait(looks, LONGEST_PENDING_WAIT) * spread
    return _growing_wait(failures, LONGEST_WAIT) * spread


def _growing_wait(number: int, longest: float) -> float:
    """The wait in seconds after attempt `number`: twice as long as the one before, at most
    `longest`."""
    doublings = min(number - 1, MOST_DOUBLINGS)
    return float(min(longest, SHORTEST_WAIT * 2**doublings))


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds to wait by the header Retry-After, a number or a date; a date counts by
    Cloudflare's own clock. None if neither can be read."""
    value = (headers.get("Retry-After") or "").strip()
    if SECONDS.fullmatch(value):
        return float(value)
    until = read_date(value)
    if until is None:
        return None
    now = read_date(headers.get("Date")) or datetime.now(timezone.utc)
    return max(0.0, (until - now).total_seconds())


def merge_spans(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Spans of time (begin, end) in order, with those that overlap merged."""
    merged: list[tuple[float, float]] = []
    for began, end in sorted(spans):
        if merged:
            previous_began, previous_end = merged[-1]
            if began <= previous_end:
                merged[-1] = (previous_began, max(previous_end, end))
                continue
        merged.append((began, end))
    return merged


class TaskTime:
    """The seconds that a task loses with failed attempts and with waits: at most `allowed`, and at
    most `max_wait` of them with waits.

    Seconds that several calls lose together count once. An attempt under way counts as lost until
    it ends well, so that all attempts under way together end in time. `calls` is the number of
    calls that were admitted, with the repeated ones.
    """

    def __init__(self, max_wait: float, allowed: float) -> None:
        self.allowed = allowed
        self.calls = 0
        self._wait_left = max_wait
        self._lock = threading.RLock()
        self._under_way: list[float] = []
        self._lost: list[tuple[float, float]] = []
        self._waiting_until = 0.0
        self._closed_until = 0.0

    @property
    def left(self) -> float:
        """The seconds that may still be lost."""
        with self._lock:
            now = time.monotonic()
            under_way = [(began, now) for began in self._under_way]
            spans = merge_spans([*self._lost, *under_way])
            lost = sum(end - began for began, end in spans)
            return self.allowed - lost

    @property
    def wait_left(self) -> float:
        """The seconds that a call may still wait."""
        return max(0.0, min(self._wait_left, self.left))

    def begin(self) -> float:
        """The time at which an attempt begins, which is under way from now on; `end` needs it."""
        with self._lock:
            began = time.monotonic()
            self._under_way.append(began)
            return began

    def end(self, began: float, failed: bool) -> None:
        """Record the end of an attempt; the time of a failed one is lost."""
        with self._lock:
            self._under_way.remove(began)
            if failed:
                self._lost = merge_spans([*self._lost, (began, time.monotonic())])

    def wait(self, seconds: float, all_calls: bool) -> bool:
        """Wait, and return True; return False at once if less time is left. With `all_calls`, all
        other calls of the task wait as well."""
        may_wait = self.book_wait(seconds, all_calls)
        if may_wait:
            time.sleep(seconds)
        return may_wait

    def admit(self) -> None:
        """Wait as long as a rate limit demands of all calls, and count one call more."""
        seconds = self._closed_until - time.monotonic()
        if seconds > 0:
            time.sleep(seconds)
        with self._lock:
            self.calls += 1

    def book_wait(self, seconds: float, all_calls: bool) -> bool:
        """Reserve time for a wait, and return True; return False if less time is left. Seconds in
        which another call waits already cost nothing.
        """
        with self._lock:
            now = time.monotonic()
            end = now + seconds
            added = end - max(self._waiting_until, now)
            if added > self._wait_left or seconds > self.left:
                return False
            self._wait_left -= max(0.0, added)
            self._lost = merge_spans([*self._lost, (now, end)])
            self._waiting_until = max(self._waiting_until, end)
            if all_calls:
                self._closed_until = max(self._closed_until, end)
            return True


def operate(request: Request, path: str, call: Callable[[Request], Envelope]) -> None:
    """Begin an operation of Cloudflare when no other one is under way, and wait until it has ended.
    `path` with the id of the operation is where its state is read, and `call` makes a call. Raises
    StillPending if max_wait is over, OperationFailed if Cloudflare reports a failure, and other
    ServiceErrors.
    """
    begin = request._replace(is_pending=is_refused_meanwhile)
    identity = call(begin).fields.get("operation_id")
    if not isinstance(identity, str) or not SAFE_ID.fullmatch(identity):
        raise unexpected(request, "the result has no id of an operation")
    look = Request("GET", path + identity, resource=request.resource, is_pending=is_under_way)
    operation = _ended_operation(look, call)
    status = operation.get("status")
    if status == "failed":
        reason = excerpt(str(operation.get("error") or "Cloudflare does not say why"))
        message = f"{request} was begun, and Cloudflare says that it failed: {reason}."
        raise OperationFailed(message, error_details(look, 200), maybe_applied=False)
    if status != "completed":
        raise unexpected(look, f"the status of the operation is {excerpt(repr(status))}")


def _ended_operation(look: Request, call: Callable[[Request], Envelope]) -> Mapping[str, Any]:
    """Ask about an operation until it has ended, and return its fields. An error says that it may
    have been applied, since it was begun.
    """
    try:
        return call(look).fields
    except StillPending:
        raise
    except ServiceError as exc:
        raise ServiceError(exc.message, exc.error, maybe_applied=True) from exc


def still_pending(request: Request, status: int | None) -> ServiceError:
    """The error of a call that waits for an operation which Cloudflare has not ended in time."""
    is_refused = status == RATE_LIMITED
    if is_refused:
        reason = "was refused, since another operation is under way in the account"
    else:
        reason = "says that the operation is still under way, and Cloudflare goes on with it"
    message = worded(
        "{event}; {max_wait} leaves no time to wait for its end. Run again later, or raise"
        " {max_wait}.",
        event=f"{request} {reason}",
    )
    return StillPending(message, error_details(request, status), maybe_applied=not is_refused)


def is_refused_meanwhile(response: Response) -> bool:
    """Return whether Cloudflare refuses an operation since another one is under way: a 429 without
    Retry-After, which a rate limit has."""
    return response.status == RATE_LIMITED and read_retry_after(response.headers) is None


def is_under_way(response: Response) -> bool:
    """Return whether a response reports that the operation has not ended yet."""
    if response.status != 200:
        return False
    document, _problem = read_envelope(response)
    operation = fields_in(document.get("result"))
    return operation.get("status") in UNDER_WAY

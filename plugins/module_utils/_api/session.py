# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One HTTP session for a module call: it repeats calls that may be repeated, and waits, both within
limits.

Together with adapters.py, this is the only file that knows requests and urllib3.
"""

from __future__ import annotations

import random
import re
import socket
import ssl
from threading import BoundedSemaphore, Event
from typing import Any, Callable, Iterator, Sequence
from urllib.parse import urlsplit

from .._budget.budget import Closed, NoBudget
from .._concurrency import MAX_CONCURRENT_CALLS, SharedByTasks
from .._errors import ServiceError
from .._text import Message, joined, worded
from .adapters import Adapter, usual_trust
from .progress import Progress, end_if_orphan
from .responses import Request, Response, error_details
from .retry import RATE_LIMITED, AttemptOutcome, TaskTime, seconds_until_retry, still_pending
from .settings import Settings

try:
    import requests
    from urllib3 import disable_warnings, exceptions
    from urllib3.connection import CertificateError
except ImportError:  # which REQUESTS_IMPORT_ERROR tells
    pass
else:
    TIMED_OUT = (requests.Timeout, exceptions.TimeoutError, socket.timeout)
    NOT_CONNECTED = (exceptions.ConnectTimeoutError, exceptions.NewConnectionError)
    NETWORK = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)
    NOT_TRUSTED = (ssl.SSLCertVerificationError, CertificateError)

VERSION = "1.0.0"
# Bytes after decompression; the largest page of a listing needs a hundredth of it.
MAX_BODY = 64 * 2**20
BODY_PIECE = 2**20  # bytes that are read at once
COMPRESSED_BODY_PIECE = 2**14  # which may become a thousand times as many
ENCODINGS = ("gzip", "deflate")
MOST_OPEN = 64  # connections to a host that stay open
# Without it, the analytics count all queries of a user together.
BY_ACCOUNT = {"X-Rate-Limit-Type": "account-based"}


class UnreadableBody(Exception):
    """The body of a response is too large, or in an encoding that was not requested; `status` is
    that of the response.
    """

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(
            f"was answered with HTTP {status}, but {problem}, and is not read. Check base_url."
        )
        self.status = status


class Connections:
    """Connections to one base URL with the same credentials, with the proxies and CAs of the
    environment, which is read once. Any thread may use them.
    """

    def __init__(self, settings: Settings) -> None:

        def with_credentials(prepared: Any) -> Any:
            """Add the credentials; as the session's auth, this keeps requests from reading
            .netrc."""
            prepared.headers.update(settings.headers)
            return prepared

        if settings.verify is False:  # the user has said so, once is enough
            disable_warnings(exceptions.InsecureRequestWarning)
        self.session = requests.Session()
        # http is for loopback only; a proxy would read the credentials.
        self.session.trust_env = not settings.base_url.lower().startswith("http:")
        self.session.auth = with_credentials
        self.session.headers["User-Agent"] = "edgeops.protection/" + VERSION
        self.session.headers["Accept-Encoding"] = ", ".join(ENCODINGS)
        adapter = Adapter(usual_trust(settings.verify), pool_maxsize=MOST_OPEN)
        for scheme in ("https://", "http://"):
            self.session.mount(scheme, adapter)
        self.environment: Any = self.session.merge_environment_settings(
            settings.base_url, proxies={}, stream=True, verify=settings.verify, cert=None
        )

    def close(self) -> None:
        """Close all connections."""
        self.session.close()


class Session:
    """Sends requests to one base URL.

    A task loses at most (retries + 1) * timeout + max_wait seconds with attempts that fail and with
    waits; one of several tasks in a process loses at most max_wait, or one timeout if that is
    longer, so that it does not hold up the others. Waiting for a turn in the budget of calls, or in
    that of queries, does not count.
    The session opens a budget for all calls, and one for each account or zone that queries are
    about, closes them, and tells `progress` of its waits.
    Several threads may send at the same time.
    """

    def __init__(
        self,
        settings: Settings,
        open_budget: Callable[[str], NoBudget],
        progress: Progress | None = None,
    ) -> None:
        self._open_budget = open_budget
        self._budgets = {"": open_budget("")}
        self._progress = progress or Progress()
        self._in_flight = BoundedSemaphore(MAX_CONCURRENT_CALLS)
        self._ended = Event()
        self._base_url = settings.base_url
        self._server = _server_of(settings.base_url)
        self._timeout = settings.timeout
        self._retries = settings.retries
        self._shared = SharedByTasks.current() or SharedByTasks()
        longest_call = (settings.retries + 1) * settings.timeout
        allowed = longest_call + settings.max_wait
        if self._shared.tasks > 1:
            allowed = min(allowed, max(settings.max_wait, settings.timeout))
        self._time = TaskTime(settings.max_wait, allowed)
        key = (settings.credentials_hash, settings.verify)  # no credentials
        self._connections = self._shared.made_once(key, lambda: Connections(settings))

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: Any, trace: Any) -> None:
        self._ended.set()  # a thread that an interrupt left behind repeats nothing
        is_shared = self._shared is SharedByTasks.current()
        if is_shared:
            return
        self._shared.close()
        for budget in self._budgets.values():
            budget.close()

    @property
    def calls(self) -> int:
        """Number of calls, repeated ones and those without a response included."""
        return self._time.calls

    def wait(self, seconds: float) -> bool:
        """Wait for another run, and return True; return False at once if max_wait leaves less."""
        with self._progress.waiting(seconds):
            return self._time.wait(seconds, all_calls=False)

    def send(self, request: Request) -> Response:
        """The response to a request after its retries, whatever its status; raises ServiceError if
        none came."""
        outcomes: list[AttemptOutcome] = []
        method = "GET" if request.about else request.method
        with self._in_flight:
            while True:
                turn, seconds = self._admit(request, outcomes)
                attempt = self._attempt(request, turn, seconds)
                outcomes.append(attempt)
                spread = random.uniform(0.5, 1.0)
                pause = seconds_until_retry(method, outcomes, self._retries, spread)
                if pause is None or self._is_last(request, attempt, pause):
                    return _last_response(request, outcomes)
                if attempt.demands_wait:
                    self._budget_of(request).close_for(pause)
                all_calls = attempt.status == RATE_LIMITED and not attempt.pending
                self._wait_for_retry(request, pause, all_calls, outcomes)

    def _is_last(self, request: Request, attempt: AttemptOutcome, pause: float) -> bool:
        """Return whether no further attempt follows: it would fail as well, or does not fit into
        the time of the task after the pause."""
        response = attempt.response
        if response is None:
            return pause >= self._time.left
        return request.is_final(response)

    def _admit(self, request: Request, outcomes: Sequence[AttemptOutcome]) -> tuple[int, float]:
        """Wait until the call budget has a turn for the next attempt; return the turn, and the
        timeout of the attempt in seconds. Raises ServiceError if no time is left."""
        self._time.admit()
        turn = self._take_turn(request, outcomes)
        seconds = self._time.left
        end_if_orphan()
        if self._ended.is_set():
            raise _no_response(request, "was not sent: the task has ended.", outcomes)
        if seconds <= 0:
            reason = worded(
                "was not sent: failed attempts and waits have taken the {allowed:g} s that a task"
                " may lose with them. Check the network, or raise {timeout}.",
                allowed=self._time.allowed,
            )
            raise _no_response(request, reason, outcomes)
        return turn, min(self._timeout, seconds)

    def _budget_of(self, request: Request) -> NoBudget:
        """The budget against which a request counts. One for queries is opened at the first
        query."""
        if request.about not in self._budgets:
            self._budgets[request.about] = self._open_budget(request.about)
        return self._budgets[request.about]

    def _wait_for_retry(
        self, request: Request, seconds: float, all_calls: bool, outcomes: Sequence[AttemptOutcome]
    ) -> None:
        """Wait before another attempt, and with `all_calls` make all calls wait; raises
        ServiceError at once if max_wait does not allow it."""
        if outcomes and not outcomes[-1].sent:
            self._progress.unreachable(outcomes[-1].cause)
        with self._progress.waiting(seconds):
            has_waited = self._time.wait(seconds, all_calls)
        if not has_waited:
            raise self._too_long(request, seconds, outcomes)

    def _take_turn(self, request: Request, outcomes: Sequence[AttemptOutcome]) -> int:
        """Wait for the turn of an attempt in the budget of calls, and return it. If Cloudflare
        refused a call of any task before, this waits as long as Cloudflare demands.
        """
        while True:
            try:
                return self._budget_of(request).take_turn(self._ended.wait)
            except Closed as exc:
                self._wait_for_retry(request, exc.seconds, True, outcomes)

    def _attempt(self, request: Request, turn: int, seconds: float) -> AttemptOutcome:
        """Make one attempt of at most `seconds`, including reading the body; return its outcome.
        Its turn in the budget ends with it.
        """
        began = self._time.begin()
        failed, limit = True, None
        try:
            response = self._exchange(request, seconds)
            attempt = AttemptOutcome.of(request, response)
            failed = attempt.failed
            limited = response.status == RATE_LIMITED or request.about
            limit = None if limited else response.headers.get("Ratelimit")
        except UnreadableBody as exc:
            attempt = AttemptOutcome(exc.status, reason=str(exc))
        except (requests.RequestException, exceptions.HTTPError, OSError) as exc:
            chain = list(_wrapped(exc))
            cause, advice = _cause_of(chain, self._server, self._timeout, seconds)
            attempt = _outcome_of(chain, cause, advice)
        finally:
            self._budget_of(request).end_turn(turn, limit)
            self._time.end(began, failed)
        return attempt

    def _exchange(self, request: Request, seconds: float) -> Response:
        """The response to one call through requests' adapter, which follows no redirects; raises
        the exceptions of requests."""
        url = f"{self._base_url}/{request.path}"
        headers = BY_ACCOUNT if request.about else None
        query = dict(request.query)
        session = self._connections.session
        environment = self._connections.environment
        unprepared = requests.Request(request.method, url, headers, params=query, json=request.body)
        prepared = session.prepare_request(unprepared)
        adapter = session.get_adapter(url)
        with adapter.send(prepared, timeout=seconds, **environment) as response:
            body = read_body(response)
            return Response(response.status_code, response.headers, body)

    def _too_long(
        self, request: Request, seconds: float, outcomes: Sequence[AttemptOutcome]
    ) -> ServiceError:
        """The error of a call whose next attempt would have to wait longer than max_wait allows."""
        status = outcomes[-1].status if outcomes else None
        if outcomes and outcomes[-1].pending:
            return still_pending(request, status)
        if not outcomes:
            event = (
                "was not sent, since Cloudflare refused another call with these credentials"
                " (HTTP 429)"
            )
        elif status:
            event = f"was answered with HTTP {status}"
        else:
            event = f"got no response from {self._server}"
        reason = worded(
            "{event}; the next try would have to wait {seconds:.0f} s, and {max_wait} leaves"
            " {left:.0f} s. Run again after that time, or raise {max_wait}.",
            event=event,
            seconds=seconds,
            left=self._time.wait_left,
        )
        return _no_response(request, reason, outcomes)


def _server_of(base_url: str) -> str:
    """The scheme and the host of a base URL, which holds no credentials."""
    url = urlsplit(base_url)
    return f"{url.scheme}://{url.netloc}"


def read_body(response: Any) -> bytes:
    """The whole body, decompressed; raises UnreadableBody, and the exceptions of requests."""
    encoding = response.headers.get("Content-Encoding")
    if encoding and encoding.strip().lower() not in ENCODINGS:
        raise UnreadableBody(response.status_code, f"its body is encoded as {encoding[:40]!r}")
    piece_length = COMPRESSED_BODY_PIECE if encoding else BODY_PIECE
    body = bytearray()
    for piece in response.iter_content(piece_length):
        body += piece
        if len(body) > MAX_BODY:
            problem = f"its body is larger than {MAX_BODY >> 20} MiB"
            raise UnreadableBody(response.status_code, problem)
    missing = response.raw.length_remaining
    if missing:  # which not every urllib3 takes for an error
        raise requests.ConnectionError(exceptions.IncompleteRead(len(body), missing))
    return bytes(body)


def _last_response(request: Request, outcomes: Sequence[AttemptOutcome]) -> Response:
    """The response of the last attempt; raises ServiceError if it brought none."""
    *earlier, latest = outcomes
    if latest.response is None:
        raise _no_response(request, latest.reason, outcomes)
    maybe_applied = any(outcome.maybe_applied for outcome in earlier)
    return latest.response._replace(maybe_applied=maybe_applied)


def _no_response(request: Request, reason: str, outcomes: Sequence[AttemptOutcome]) -> ServiceError:
    """The error of a call that ends without a usable response."""
    status = outcomes[-1].status if outcomes else None
    maybe_applied = any(outcome.maybe_applied for outcome in outcomes)
    message = Message(f"{request} ", reason)
    details = error_details(request, status)
    return ServiceError(message, details, maybe_applied=maybe_applied)


def _any_of(chain: Sequence[BaseException], kinds: Any) -> bool:
    return any(isinstance(problem, kinds) for problem in chain)


def _outcome_of(chain: Sequence[BaseException], cause: str, advice: str) -> AttemptOutcome:
    """The outcome of an attempt without a response: whether the request was sent, and whether
    another attempt may succeed."""
    is_connected = not _any_of(chain, NOT_CONNECTED)
    is_untrusted = _any_of(chain, NOT_TRUSTED)
    is_refused_by_proxy = is_connected and _any_of(chain, requests.exceptions.ProxyError)
    is_refused = is_untrusted or is_refused_by_proxy
    is_of_tls = _any_of(chain, requests.exceptions.SSLError)
    is_closed_early = _any_of(chain, ssl.SSLEOFError)
    is_of_network = _any_of(chain, NETWORK) and (is_closed_early or not is_of_tls)
    return AttemptOutcome(
        None,
        reason=joined(". ", [cause, advice]),
        sent=is_connected and not is_refused,
        transient=is_of_network and not is_refused,
        cause=cause,
    )


def _cause_of(
    chain: Sequence[BaseException], server: str, timeout: float, seconds: float
) -> tuple[str, str]:
    """The cause of a missing response, and advice. `chain` is an exception with those that it
    wraps; `seconds` is the time that the attempt had, at most `timeout`.
    """
    cause = chain[-1]
    reason = re.sub(r"^\w+\(.*?\): ", "", str(cause)).rstrip(".")
    is_timeout = isinstance(cause, TIMED_OUT)
    if _any_of(chain, requests.exceptions.ProxyError):
        advice: str = "Check the proxy in the environment (HTTPS_PROXY, NO_PROXY)."
    elif _any_of(chain, NOT_TRUSTED):
        advice = worded(
            "Cloudflare's certificate is not trusted here, or is for another name; check"
            " {base_url}, or name the bundle of the CA that signed it in {ca_path}."
        )
    elif is_timeout and not isinstance(cause, exceptions.NewConnectionError):
        if round(seconds, 1) < timeout:
            reason = f"it took longer than the task has left ({seconds:.1f} s)"
        else:
            reason = worded("it took longer than {timeout} allows ({s:g} s)", s=timeout)
        advice = worded("Check the network, or raise {timeout}.")
    else:
        advice = worded("Check {base_url} and the network.")
    return Message(f"got no response from {server}: ", reason), advice


def _wrapped(problem: BaseException) -> Iterator[BaseException]:
    """An exception and those that it wraps, the innermost last."""
    yield problem
    inner = getattr(problem, "reason", None) or _last_exception(problem.args)
    if isinstance(inner, BaseException) and inner is not problem:
        yield from _wrapped(inner)


def _last_exception(arguments: Sequence[Any]) -> BaseException | None:
    for argument in reversed(arguments):
        if isinstance(argument, BaseException):
            return argument
    return None

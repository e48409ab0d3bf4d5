# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One HTTP session for a module call: kept alive, retried within limits, and sure of what it repeats.

Together with adapters.py, this is the only file that knows requests and urllib3.
"""

from __future__ import annotations

import random
import re
import socket
import ssl
import time
from email.utils import parsedate_to_datetime
from threading import BoundedSemaphore
from typing import Any, Iterator, Mapping

from ..concurrency import MAX_CONCURRENT_CALLS
from ..errors import ServiceError
from .adapters import Adapter, usual_trust
from .responses import Request, Response, error_details
from .retry import WaitBudget, WaitTooLong

try:
    import requests
    import urllib3
    from requests.auth import AuthBase
    from urllib3 import disable_warnings
    from urllib3.connection import CertificateError
    from urllib3.exceptions import ConnectTimeoutError, InsecureRequestWarning, MaxRetryError, NewConnectionError
    from urllib3.util.retry import Retry
except ImportError:
    AuthBase = Retry = object  # type: ignore[misc,assignment]
    NEVER_SENT: tuple[type[BaseException], ...] = ()
    TIMED_OUT: tuple[type[BaseException], ...] = ()
    NOT_TRUSTED: tuple[type[BaseException], ...] = ()
else:
    TIMED_OUT = (requests.Timeout, urllib3.exceptions.TimeoutError, socket.timeout)
    NOT_TRUSTED = (ssl.SSLCertVerificationError, CertificateError)
    NEVER_SENT = (ConnectTimeoutError, NewConnectionError, requests.exceptions.ProxyError, *NOT_TRUSTED)

VERSION = "0.1.0"
SETS_ABSOLUTE_VALUES = frozenset(["GET", "PUT", "PATCH", "DELETE"])  # safe to repeat; POST creates, and is not
WORTH_REPEATING = frozenset([408, 429, 500, 502, 503, 504])
SHORTEST_PAUSE = 0.5
LONGEST_PAUSE = 8.0


class Headers(AuthBase):
    """Carries the credentials; since it is the session's auth, requests does not look into .netrc."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    def __call__(self, prepared: Any) -> Any:
        prepared.headers.update(self._headers)
        return prepared


class BudgetedRetry(Retry):  # type: ignore[misc]
    """Repeats what sets absolute values, and a create only where it surely was not carried out.

    urllib3 itself repeats any method when no connection came about, and never a POST that had been sent.
    """

    def __init__(self, *args: Any, wait_budget: WaitBudget, **kwargs: Any) -> None:
        self.wait_budget = wait_budget
        super().__init__(*args, **kwargs)

    def new(self, **kwargs: Any) -> BudgetedRetry:
        """The next attempt's state, which shares the wait_budget."""
        return super().new(wait_budget=self.wait_budget, **kwargs)  # type: ignore[no-any-return]

    def is_retry(self, method: str, status_code: int, has_retry_after: bool = False) -> bool:
        """Whether an response with this status is asked for again."""
        return status_code in WORTH_REPEATING and (method in SETS_ABSOLUTE_VALUES or status_code == 429)

    def increment(self, *args: Any, **kwargs: Any) -> BudgetedRetry:
        """One try less; but waiting for a rate limit as long as it asks is bounded by max_wait, not by retries."""
        response = kwargs.get("response")
        if response is not None and response.status == 429 and self.get_retry_after(response):
            return self.new()
        try:
            return super().increment(*args, **kwargs)  # type: ignore[no-any-return]
        except MaxRetryError as exc:
            exc.maybe_applied = self.maybe_applied
            raise

    @property
    def maybe_applied(self) -> bool:
        """Whether one of the tries so far may have been carried out, though it brought no good response."""
        return any(item.status != 429 and not isinstance(item.error, NEVER_SENT) for item in self.history)

    def get_backoff_time(self) -> float:
        """Doubles from half a second; jitter keeps many accounts from coming back together."""
        attempts = len(self.history)
        return float(min(LONGEST_PAUSE, SHORTEST_PAUSE * 2 ** max(0, attempts - 1)) * random.uniform(0.5, 1.0))

    def get_retry_after(self, response: Any) -> float | None:
        """The seconds that the service asks for, in either form; by its own clock where it is a date."""
        stated = (response.headers.get("Retry-After") or "").strip()
        if stated.replace(".", "", 1).isdigit():
            return float(stated)
        try:
            until = parsedate_to_datetime(stated).timestamp()
        except (TypeError, ValueError):
            return None
        try:
            now = parsedate_to_datetime(response.headers.get("Date")).timestamp()
        except (TypeError, ValueError, AttributeError):
            now = time.time()
        return max(0.0, until - now)

    def sleep(self, response: Any = None) -> None:
        """Wait as asked, else as long as the backoff says."""
        asked = self.get_retry_after(response) if response is not None else None
        status = response.status if response is not None else None
        try:
            self.wait_budget.wait(self.get_backoff_time() if not asked else max(asked, SHORTEST_PAUSE), status)
        except WaitTooLong as exc:
            exc.maybe_applied = self.maybe_applied
            raise


class Session:
    """Sends requests to one base URL.

    `timeout` is in seconds for each request as a whole, `retries` for each request, `max_wait` in seconds for all
    waiting together, `verify` True, False or the path of a CA bundle. Several threads may send at the same time.
    """

    def __init__(
        self,
        base_url: str,
        headers: Mapping[str, str],
        timeout: float,
        retries: int,
        wait_budget: WaitBudget,
        verify: bool | str = True,
    ) -> None:
        self._in_flight = BoundedSemaphore(MAX_CONCURRENT_CALLS)
        self._base_url = base_url
        self._timeout = timeout
        self._wait_budget = wait_budget
        self._verify = verify
        if verify is False:
            disable_warnings(InsecureRequestWarning)  # the user has said so, once is enough
        self._session = requests.Session()
        self._session.auth = Headers(headers)
        self._session.headers["User-Agent"] = "edgeops.protection/" + VERSION
        retry = BudgetedRetry(
            total=retries,
            other=0,
            redirect=False,
            raise_on_status=False,
            allowed_methods=SETS_ABSOLUTE_VALUES,
            wait_budget=wait_budget,
        )
        for scheme in ("https://", "http://"):
            self._session.mount(scheme, Adapter(usual_trust(verify), max_retries=retry))

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: Any, trace: Any) -> None:
        self._session.close()

    @property
    def calls(self) -> int:
        """How many calls were made, repeated ones and those without an response included."""
        return self._wait_budget.calls

    def send(self, request: Request) -> Response:
        """Send a request and bring back the response, whatever its status; raises ServiceError when none came."""
        with self._in_flight:
            self._wait_budget.gate()
            return self._send(request)

    def _send(self, request: Request) -> Response:
        try:
            response = self._session.request(
                request.method,
                f"{self._base_url}/{request.path}",
                params=dict(request.query),
                json=request.body,
                timeout=self._timeout,
                allow_redirects=False,
                stream=True,
                # An explicit value, since requests would let REQUESTS_CA_BUNDLE override the session's own.
                verify=self._verify,
            )
            tries = response.raw.retries
            maybe_applied = bool(tries is not None and tries.maybe_applied)
            self._wait_budget.learn(response.headers.get("Ratelimit"))
            return Response(response.status_code, response.headers, response.raw.data, maybe_applied)
        except WaitTooLong as exc:
            raise self._too_long(request, exc) from exc
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as exc:
            raise _unanswered(request, exc, self._timeout) from exc

    def _too_long(self, request: Request, wait: WaitTooLong) -> ServiceError:
        asked = f"was answered with HTTP {wait.status}" if wait.status else "was not answered"
        return ServiceError(
            f"{request} {asked}; the next try would have to wait {wait.seconds:.0f} s, and max_wait leaves "
            f"{self._wait_budget.left:.0f} s. Run again after that time, or raise max_wait.",
            error_details(request, wait.status),
            maybe_applied=wait.maybe_applied,
        )


def _unanswered(request: Request, problem: Exception, timeout: float) -> ServiceError:
    """What became of a request that has no response."""
    chain = list(_wrapped(problem))
    reason = re.sub(r"^\w+\(.*?\): ", "", str(chain[-1])).rstrip(".")
    if any(isinstance(item, requests.exceptions.ProxyError) for item in chain):
        advice = "Check the proxy in the environment (HTTPS_PROXY, NO_PROXY)."
    elif any(isinstance(item, NOT_TRUSTED) for item in chain):
        advice = (
            "The service's certificate is not trusted here, or is for another name; check base_url, or name the bundle "
            "of the CA that signed it in ca_path."
        )
    elif isinstance(chain[-1], TIMED_OUT) and not isinstance(chain[-1], NewConnectionError):
        reason = f"it took longer than timeout allows ({timeout:g} s)"
        advice = "Check the network, or raise timeout."
    else:
        advice = "Check base_url and the network."
    unsent = any(isinstance(item, NEVER_SENT) for item in chain)
    maybe_applied = any(getattr(item, "maybe_applied", False) for item in chain)
    return ServiceError(
        f"{request} got no response: {reason}. {advice}",
        error_details(request, None),
        maybe_applied=maybe_applied or not unsent,
    )


def _wrapped(problem: BaseException) -> Iterator[BaseException]:
    """An exception and those that it wraps, the reason at the bottom last."""
    yield problem
    inner = getattr(problem, "reason", None) or next(
        (item for item in reversed(problem.args) if isinstance(item, BaseException)), None
    )
    if isinstance(inner, BaseException) and inner is not problem:
        yield from _wrapped(inner)

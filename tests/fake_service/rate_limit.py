# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rate limit: so many calls in so many seconds, and a block for those who do not keep to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from werkzeug.datastructures import Headers
from werkzeug.wrappers import Response

from .answers import answer, error, failure
from .clock import Clock

QUERY = "/graphql"  # its calls have limits of their own
DEPLETED = "rate limiter budget depleted, try again after 5 minutes"
THROTTLED = error(971, "Please wait and consider throttling your request speed")


def is_by_account(headers: Mapping[str, str] | Headers) -> bool:
    """Whether queries count for each account that they are about, and not for the user."""
    return headers.get("X-Rate-Limit-Type") == "account-based"


def depleted() -> Response:
    """How the analytics refuse; they have no envelope."""
    return answer({"data": None, "errors": [{"message": DEPLETED, "path": None, "extensions": {}}]}, 429)


@dataclass
class RateLimit:
    """Goes by the service's clock, so that a test need not wait for the block to end."""

    clock: Clock
    calls: int
    seconds: float
    retry_after: float | None = None
    refuses: Callable[[], Response] = field(default=lambda: failure(429, [THROTTLED]))
    _used: int = 0
    _window_ends: datetime | None = field(default=None)
    _blocked_until: datetime | None = field(default=None)

    def refuse(self) -> Response | None:
        """Count a call: None lets it through, and an answer turns it away."""
        now = self.clock.now()
        if self._blocked_until and now < self._blocked_until:
            return self._refusal(self._blocked_until - now)
        if self._window_ends is None or now >= self._window_ends or self._blocked_until:
            self._used, self._window_ends, self._blocked_until = (0, now + timedelta(seconds=self.seconds), None)
        self._used += 1
        if self._used <= self.calls:
            return None
        wait = self._window_ends - now if self.retry_after is None else timedelta(seconds=self.retry_after)
        self._blocked_until = now + wait
        return self._refusal(wait)

    def _refusal(self, wait: timedelta) -> Response:
        response = self.refuses()
        if self.retry_after is not None:
            response.headers["Retry-After"] = str(math.ceil(wait.total_seconds()))
        return response

    def headers(self) -> dict[str, str]:
        """What every answer says of the limit."""
        left = max(0, self.calls - self._used)
        remaining = (self._window_ends - self.clock.now()).total_seconds() if self._window_ends else self.seconds
        return {
            "Ratelimit": f'"default";r={left};t={max(0, math.ceil(remaining))}',
            "Ratelimit-Policy": f'"default";q={self.calls};w={math.ceil(self.seconds)}',
        }

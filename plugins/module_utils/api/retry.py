# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How long a module waits in all, and when all its calls wait together."""

from __future__ import annotations

import re
import threading
import time

RATE_LIMITED = 429
FEW_CALLS = 10  # with no more left than these, the rest of the time is shared out among them
LIMIT = re.compile(r"\br=(\d{1,9})\b.*?\bt=(\d{1,9})\b")


class WaitTooLong(Exception):
    """The next wait would be longer than what is left of max_wait."""

    def __init__(self, seconds: float, status: int | None) -> None:
        super().__init__(seconds, status)
        self.seconds = seconds
        self.status = status
        self.maybe_applied = False


class WaitBudget:
    """What is left of max_wait, shared by all calls of a session; those that wait at the same time wait once.

    `calls` counts the calls that it let go, the repeated ones after their wait.
    """

    def __init__(self, max_wait: float) -> None:
        self.left = max_wait
        self.calls = 0
        self._lock = threading.Lock()
        self._waiting_until = 0.0
        self._closed_until = 0.0

    def wait(self, seconds: float, status: int | None) -> None:
        """Wait, or raise WaitTooLong at once; after a rate limit, everybody who comes to the gate waits as well."""
        if not self._take(seconds, everybody=status == RATE_LIMITED):
            raise WaitTooLong(seconds, status)
        time.sleep(seconds)
        self._let_go()

    def gate(self) -> None:
        """Wait as long as a rate limit holds everybody back."""
        seconds = self._closed_until - time.monotonic()
        if seconds > 0:
            time.sleep(seconds)
        self._let_go()

    def learn(self, limit: str | None) -> None:
        """Slow down where an answer's header Ratelimit says that few calls are left (facts.md, section 3).

        This is a courtesy: where it would take longer than what is left of max_wait, nobody waits.
        """
        found = LIMIT.search(limit or "")
        if found and int(found.group(1)) <= FEW_CALLS:
            self._take(float(found.group(2)) / (int(found.group(1)) + 1), everybody=True)

    def _let_go(self) -> None:
        with self._lock:
            self.calls += 1

    def _take(self, seconds: float, everybody: bool) -> bool:
        """Take so much of the patience, as far as nobody waits that long already; False where less is left."""
        with self._lock:
            now = time.monotonic()
            more = now + seconds - max(self._waiting_until, now)
            if more > self.left:
                return False
            self.left -= max(0.0, more)
            self._waiting_until = max(self._waiting_until, now + seconds)
            if everybody:
                self._closed_until = max(self._closed_until, now + seconds)
            return True

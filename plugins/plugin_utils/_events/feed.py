# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Follows the traffic of accounts, window by window, and tells when dropping begins and ends.

A window whose traffic could not be read is asked for again, later and later, and no window is left
out before it was read; only what is older than `LONGEST` is given up, and that is said.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, Protocol

from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import CLOCK_SKEW
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.ask import ask_traffic
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.evidence import (
    NO_TRAFFIC,
    evidence_of,
)
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.rows import Traffic

from .watch import Event, Watch, Window, next_window, rates

LONGEST = timedelta(hours=6)  # that windows are asked for again
MAX_PAUSE = timedelta(minutes=15)  # between two attempts
FIRST_FAILURES = 6  # after which the pause does not grow any more
LOG = logging.getLogger("edgeops.protection.traffic")


class Queue(Protocol):
    """Where events go."""

    async def put(self, event: Event) -> Any:
        """Take an event."""


def local_time() -> datetime:
    """This machine's time."""
    return datetime.now(timezone.utc)


@dataclass
class Feed:
    """The traffic of the components of one account that share a node of the analytics.

    `shift` is how far Cloudflare's clock is ahead of this machine's, `attempt_at` when to ask
    again after a failure.
    """

    client: Client
    watch: Watch
    interval: timedelta
    delay: timedelta
    redact: Callable[[Event], Event]
    clock: Callable[[], datetime] = local_time
    since: datetime | None = None
    shift: timedelta = timedelta()
    failures: int = 0
    attempt_at: datetime | None = field(default=None)

    def pause(self) -> timedelta:
        """How long to wait until there is something to ask."""
        if self.attempt_at is not None:
            return self.attempt_at - self.clock()
        since = self._beginning()
        return since + self.interval - self._latest()

    def poll(self) -> list[Event]:
        """Read the next window, and say what it changes; nothing before it is over."""
        self.since = self._beginning()
        window = next_window(self.since, self.interval, self._latest())
        if window is None:
            return []
        traffic = self._ask(window)
        if self._correct_clock():
            return []  # the first window lay elsewhere by Cloudflare's clock
        reasons = [reason for listed in traffic.unknown.values() for reason in listed]
        events = self._failed(window, reasons) if reasons else self._read(window, traffic)
        return [self.redact(event) for event in events]

    def _ask(self, window: Window) -> Traffic:
        account_id, components = self.watch.account_id, sorted(self.watch.components)
        listings = ask_traffic(self.client.ask, account_id, components, *window)
        return listings.traffic()

    def _read(self, window: Window, traffic: Traffic) -> list[Event]:
        self.failures, self.attempt_at, self.since = 0, None, window.until
        evidence = [evidence_of(traffic, name) for name in sorted(self.watch.components)]
        odd = [text for each in evidence for text in each.unknown if text != NO_TRAFFIC]
        knowledge = self.watch.lose(odd, window.since) if odd else self.watch.regain(window.since)
        return [*knowledge, *self.watch.read(window, rates(evidence, window))]

    def _failed(self, window: Window, reasons: Sequence[str]) -> list[Event]:
        growth = 2 ** min(self.failures, FIRST_FAILURES)
        self.failures += 1
        self.attempt_at = self.clock() + min(self.interval * growth, MAX_PAUSE)
        if self._latest() - window.since > LONGEST:
            self.since = self._latest() - self.interval
            LOG.warning("%s: traffic since %s is given up.", self.watch.account_id, window.since)
        return self.watch.lose(reasons, window.since)

    def _beginning(self) -> datetime:
        return self.since or self._latest() - self.interval

    def _latest(self) -> datetime:
        return self.clock() + self.shift - self.delay

    def _correct_clock(self) -> bool:
        """Whether Cloudflare's clock turned out to be another one before the first window was
        read."""
        if self.client.now is None:
            return False
        shift = self.client.now - self.clock()
        differs = abs(shift - self.shift) > CLOCK_SKEW
        if differs:
            self.shift = shift
        if differs and not self.watch.dropping and not self.failures:
            self.since = self._latest() - self.interval
            return True
        return False


async def follow(feed: Feed, queue: Queue) -> None:
    """Poll for ever, and put the events into the queue in their order."""
    while True:
        pause = feed.pause().total_seconds()
        if pause > 0:
            await asyncio.sleep(pause)
        for event in await asyncio.to_thread(feed.poll):
            _log(event)
            await queue.put(event)


def _log(event: Event) -> None:
    traffic = event["traffic"]
    if traffic["event"] == "unknown":
        LOG.warning("%s: the traffic is not known. %s", traffic["account_id"], traffic["message"])

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.answers import Row, Traffic
from ansible_collections.edgeops.protection.plugins.plugin_utils._events import source as room
from ansible_collections.edgeops.protection.plugins.plugin_utils._events.source import Feed, Watch, follow

NOON = datetime(2026, 7, 1, 12, tzinfo=timezone.utc)
MINUTE = timedelta(minutes=1)
LOST = Row("203.0.113.0/24", "FRA", "NOT_FOUND", "pass", "drop", 6000, 60)


class Analytics:
    """What the analytics tell of each window, by its beginning; `down` is why they tell nothing."""

    def __init__(self) -> None:
        self.now = NOON
        self.ahead = timedelta()  # of Cloudflare's clock
        self.down = ""
        self.rows: dict[datetime, list[Row]] = {}
        self.asked: list[datetime] = []

    def ask(self, _send: Any, _account: str, _components: Any, since: datetime, until: datetime) -> Any:
        self.asked.append(since)
        traffic = Traffic(since, until, {"tcp": self.rows.get(since, [])}, {"tcp": [self.down] if self.down else []})
        return SimpleNamespace(traffic=lambda: traffic)


@pytest.fixture
def analytics(monkeypatch: pytest.MonkeyPatch) -> Analytics:
    analytics = Analytics()
    monkeypatch.setattr(room, "ask_traffic", analytics.ask)
    return analytics


@pytest.fixture
def feed(analytics: Analytics) -> Feed:
    class Client:
        @property
        def now(self) -> datetime:
            return analytics.now + analytics.ahead

        ask = None

    client: Any = Client()
    watch = Watch("a" * 32, ["out_of_state_tcp"], 10)
    return Feed(client, watch, MINUTE, timedelta(), lambda event: event, lambda: analytics.now)


def names(events: Any) -> list[str]:
    return [event["traffic"]["event"] for event in events]


def test_windows_follow_each_other_without_a_gap(feed: Feed, analytics: Analytics) -> None:
    for _minute in range(3):
        feed.poll()
        analytics.now += MINUTE * 1.4
    feed.poll()
    assert analytics.asked == [NOON + number * MINUTE for number in (-1, 0, 1, 2)]


def test_a_window_that_failed_is_asked_for_again(feed: Feed, analytics: Analytics) -> None:
    analytics.rows = {NOON - MINUTE: [LOST]}
    analytics.down = "A shard is lost."
    assert names(feed.poll()) == ["unknown"] and feed.pause() == MINUTE
    analytics.now += MINUTE
    assert names(feed.poll()) == [] and feed.pause() == 2 * MINUTE
    analytics.down = ""
    analytics.now += 2 * MINUTE
    assert names(feed.poll()) == ["known", "start"]
    assert names(feed.poll()) == ["end"] and analytics.asked[:3] == [NOON - MINUTE] * 3


def test_the_clock_of_the_service_counts(feed: Feed, analytics: Analytics) -> None:
    analytics.ahead = -timedelta(hours=1)
    feed.poll()
    assert feed.since == NOON - timedelta(hours=1) - MINUTE


def test_events_go_into_the_queue_until_the_task_is_cancelled(feed: Feed, analytics: Analytics) -> None:
    analytics.rows = {NOON - MINUTE: [LOST]}

    async def first() -> Any:
        queue: asyncio.Queue[Any] = asyncio.Queue()
        task = asyncio.create_task(follow(feed, queue))
        event = await asyncio.wait_for(queue.get(), 20)
        task.cancel()
        return event

    assert names([asyncio.run(first())]) == ["start"]

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The event source against the local service: no event twice, none lost over a poll that fails, no credentials."""

from __future__ import annotations

import asyncio
import json
import random
import re
import runpy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import TCP_KINDS
from ansible_collections.edgeops.protection.plugins.plugin_utils._events.source import (
    LONGEST_GAP,
    MAX_PAUSE,
    NUMBER_BOUNDS,
    SOURCE_ARGUMENTS,
    Feed,
    feeds_of,
    parse_source,
)

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY
from tests.support.module_run import ACCOUNT

PLUGIN = REPOSITORY / "extensions" / "eda" / "plugins" / "event_source" / "traffic.py"
RULEBOOKS = sorted((REPOSITORY / "extensions" / "eda" / "rulebooks").glob("*.yml"))
INTERVAL, DELAY = 60, 120
NETWORK = "203.0.113.0/24"


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def arguments(service: LocalService, **others: Any) -> dict[str, Any]:
    connection = {"base_url": service.base_url, "api_token": service.token, "retries": 0}
    return {"accounts": [ACCOUNT], "interval": INTERVAL, "delay": DELAY, **connection, **others}


def feeds(service: LocalService, stack: ExitStack, **others: Any) -> list[Feed]:
    """The feeds of the source, by the service's clock."""
    made = feeds_of(parse_source(arguments(service, **others), {}, print), stack, (service.token,))
    for feed in made:
        feed.clock = service.clock.now
    return made


def flow(packets: int = 60_000, seconds_ago: float = DELAY + INTERVAL / 2, **others: Any) -> dict[str, Any]:
    """PacketCounts that would have been dropped, in the middle of the window that is read next."""
    dropped = {"verdict": "drop", "mitigationReason": "NOT_FOUND"}
    where = {"ipDestinationAddress": "203.0.113.7", "packets": packets, "hours_ago": seconds_ago / 3600}
    return {**where, **dropped, **others}


def told(events: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [(event["traffic"]["event"], event["traffic"].get("action")) for event in events]


def test_dropping_begins_and_ends(service: LocalService, stack: ExitStack) -> None:
    (feed,) = feeds(service, stack)
    account = service.account(ACCOUNT).seed(traffic=[flow()])
    (event,) = feed.poll()
    assert event["traffic"]["network"] == NETWORK and event["traffic"]["component"] == "out_of_state_tcp"
    assert event["traffic"]["packets_per_second"] == 1000.0 and event["traffic"]["event"] == "start"
    assert feed.poll() == [] and len(service.queries) == 1  # the next window is not over
    assert timedelta(seconds=50) < feed.pause() <= timedelta(seconds=INTERVAL)
    service.clock.advance(seconds=INTERVAL)
    account.seed(traffic=[flow(outcome="drop")])
    assert told(feed.poll()) == [("end", "would_drop"), ("start", "dropped")]
    service.clock.advance(seconds=INTERVAL)
    assert told(feed.poll()) == [("end", "dropped")] and len(service.queries) == 3


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 500},
        {"kind": "lost_before"},
        {"kind": "query_errors", "messages": ["not authorized for that account"]},
        {"kind": "query_errors", "messages": ["rate limiter budget depleted, try again after 5 minutes"]},
        {"kind": "query_errors_beside", "messages": ["a shard is lost"]},
    ],
    ids=lambda fault: " ".join(map(str, fault.values())),
)
def test_a_burst_while_polls_fail_is_told_afterwards(
    fault: dict[str, Any], service: LocalService, stack: ExitStack, waits: list[float]
) -> None:
    (feed,) = feeds(service, stack)
    account = service.account(ACCOUNT)
    assert feed.poll() == []
    service.misbehave(**fault, path="graphql")
    service.clock.advance(seconds=INTERVAL)
    account.seed(traffic=[flow()])  # for one interval only, which nobody could read
    assert told(feed.poll()) == [("unknown", None)]
    for _attempt in range(3):
        service.clock.advance(seconds=feed.pause().total_seconds() + 1)
        assert feed.poll() == []  # nothing twice
    service.faults.clear()
    service.clock.advance(seconds=max(0.0, feed.pause().total_seconds()) + 1)
    assert told(feed.poll()) == [("known", None), ("start", "would_drop")]
    assert feed.pause() <= timedelta()  # what was missed is read at once
    assert told(feed.poll()) == [("end", "would_drop")]


def test_attempts_become_rarer_up_to_a_limit(service: LocalService, stack: ExitStack, waits: list[float]) -> None:
    (feed,) = feeds(service, stack)
    service.account(ACCOUNT)
    service.misbehave("status", status=500, path="graphql")
    pauses = []
    for _attempt in range(7):
        feed.poll()
        pauses.append(round(feed.pause().total_seconds()))
        service.clock.advance(seconds=pauses[-1])
    assert pauses == [60, 120, 240, 480, *[MAX_PAUSE.total_seconds()] * 3]


def test_old_moments_are_given_up(
    service: LocalService, stack: ExitStack, waits: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    (feed,) = feeds(service, stack)
    service.account(ACCOUNT)
    service.misbehave("status", status=500, path="graphql")
    feed.poll()
    service.clock.advance(seconds=LONGEST_GAP.total_seconds() + INTERVAL)
    feed.poll()
    assert "is given up" in caplog.text and feed.since and service.clock.now() - feed.since < timedelta(minutes=4)


def test_random_traffic_with_random_failures_has_the_events_of_its_windows(
    service: LocalService, stack: ExitStack, waits: list[float]
) -> None:
    """Whatever fails, the events are those of a reader whose polls never fail."""
    chance = random.Random(16)
    (feed,) = feeds(service, stack, min_packets_per_second=100)
    account = service.account(ACCOUNT)
    assert feed.poll() == []
    dropping, expected, actual = False, [], []
    for _window in range(60):
        service.clock.advance(seconds=INTERVAL)
        packets = chance.choice([0, 0, 5_000, 7_000, 60_000])
        account.seed(traffic=[flow(packets)] if packets else [])
        if (packets >= 6_000) is not dropping:
            dropping = not dropping
            expected.append("start" if dropping else "end")
        if chance.random() < 0.4:
            service.misbehave("status", status=500, path="graphql", times=1)
        actual += feed.poll()
    service.faults.clear()
    service.clock.advance(seconds=2 * INTERVAL)  # in which nothing is dropped
    for _rest in range(2000):
        if feed.pause() <= timedelta():
            actual += feed.poll()
        elif feed.attempt_at:
            service.clock.advance(seconds=1)
    changes = [event["traffic"]["event"] for event in actual if event["traffic"]["event"] in ("start", "end")]
    assert changes == [*expected, *(["end"] if dropping else [])] and len(expected) > 10


def test_a_wrong_clock_of_this_machine_is_corrected(service: LocalService, stack: ExitStack) -> None:
    (feed,) = feeds(service, stack)
    feed.clock = lambda: service.clock.now() + timedelta(hours=3)
    service.account(ACCOUNT).seed(traffic=[flow()])
    assert feed.poll() == []
    assert told(feed.poll()) == [("start", "would_drop")]


def test_words_that_are_not_understood_are_said_and_the_others_count(service: LocalService, stack: ExitStack) -> None:
    (feed,) = feeds(service, stack)
    service.account(ACCOUNT).seed(traffic=[flow(), flow(verdict="maybe")])
    assert told(feed.poll()) == [("unknown", None), ("start", "would_drop")]
    service.clock.advance(seconds=INTERVAL)
    assert told(feed.poll()) == [("known", None), ("end", "would_drop")]


def test_no_end_is_told_while_the_traffic_is_not_understood(service: LocalService, stack: ExitStack) -> None:
    (feed,) = feeds(service, stack)
    account = service.account(ACCOUNT).seed(traffic=[flow()])
    assert told(feed.poll()) == [("start", "would_drop")]
    service.clock.advance(seconds=INTERVAL)
    account.seed(traffic=[flow(verdict="maybe"), flow(ipDestinationAddress="198.51.100.1")])
    assert told(feed.poll()) == [("unknown", None), ("start", "would_drop")]
    service.clock.advance(seconds=INTERVAL)
    account.seed(traffic=[flow()])
    assert told(feed.poll()) == [("known", None), ("end", "would_drop")]


def test_dns_protection_is_followed_by_itself(service: LocalService, stack: ExitStack, waits: list[float]) -> None:
    tcp, dns = feeds(service, stack, components=["syn_flood", "dns"])
    service.account(ACCOUNT).seed(traffic=[flow(node="dns"), flow()], analytics={"tcp": {"enabled": False}})
    assert told(tcp.poll()) == [("unknown", None)]
    (event,) = dns.poll()
    assert (event["traffic"]["event"], event["traffic"]["component"]) == ("start", "dns")


def test_no_event_has_credentials(service: LocalService, stack: ExitStack) -> None:
    (feed,) = feeds(service, stack)
    service.account(ACCOUNT).seed(traffic=[flow(mitigationReason=f"Bearer {service.token}")])
    service.misbehave("query_errors", messages=[f"not authorized: {service.token}"], path="graphql", times=1)
    events = feed.poll()
    service.clock.advance(seconds=INTERVAL)
    events += feed.poll()
    assert told(events) == [("unknown", None), ("known", None), *[("start", "would_drop")] * 2]
    assert "not authorized" in events[0]["traffic"]["message"] and len(events[2]["traffic"]["reasons"]) == 1
    assert service.token not in json.dumps(events)


def test_the_plugin_emits_events_into_the_queue_of_the_rulebook(service: LocalService) -> None:
    service.account(ACCOUNT).seed(traffic=[flow(seconds_ago=5, outcome="drop")])
    main = runpy.run_path(str(PLUGIN))["main"]

    async def first() -> Any:
        queue: asyncio.Queue[Any] = asyncio.Queue()
        task = asyncio.create_task(main(queue, arguments(service, delay=0, interval=10)))
        event = await asyncio.wait_for(queue.get(), 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return event

    event = asyncio.run(first())
    assert (event["traffic"]["event"], event["traffic"]["action"]) == ("start", "dropped")


def test_the_plugin_and_its_page_have_the_options_that_there_are() -> None:
    documented = yaml.safe_load(runpy.run_path(str(PLUGIN))["DOCUMENTATION"])["options"]
    page = (REPOSITORY / "docs" / "events.md").read_text(encoding="utf-8")
    for name in NUMBER_BOUNDS:
        default = SOURCE_ARGUMENTS[name]["default"]
        assert documented[name]["default"] == default and f"| `{name}` | {default:g} |" in page
    assert documented["components"]["default"] == list(TCP_KINDS)
    assert documented.keys() <= set(SOURCE_ARGUMENTS) and all(f"`{name}`" in page for name in SOURCE_ARGUMENTS)


@pytest.mark.parametrize("rulebook", RULEBOOKS, ids=lambda path: path.stem)
def test_the_rulebook_uses_options_and_keys_that_there_are(
    rulebook: Path, service: LocalService, stack: ExitStack
) -> None:
    (ruleset,) = yaml.safe_load(rulebook.read_text(encoding="utf-8"))
    options = ruleset["sources"][0]["edgeops.protection.traffic"]
    assert options.keys() <= set(SOURCE_ARGUMENTS)
    (feed,) = feeds(service, stack)
    service.account(ACCOUNT).seed(traffic=[flow()])
    keys = {key for event in (*feed.poll(), *feed.watch.know(["lost"], feed.clock())) for key in event["traffic"]}
    assert set(re.findall(r"event\.traffic\.(\w+)", rulebook.read_text(encoding="utf-8"))) <= keys


def test_wrong_options_end_the_plugin(service: LocalService) -> None:
    main = runpy.run_path(str(PLUGIN))["main"]
    with pytest.raises(ValueError, match="interval: it must be a number of at least 10"):
        asyncio.run(main(asyncio.Queue(), arguments(service, interval=1)))
    assert not service.queries

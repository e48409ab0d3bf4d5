# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The event source: from options to feeds that run until they are cancelled."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._api.connect import connected
from ansible_collections.edgeops.protection.plugins.module_utils._api.settings import (
    BOUNDS,
    DEFAULT_BASE_URL,
    Settings,
    known_secrets,
    parse_settings,
)
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._runner import redact
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    COMPONENTS,
    KINDS,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import (
    ACCOUNT_OPTION,
    OWNER_OPTIONS,
)
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import (
    CLOCK_SKEW,
    write_timestamp,
)
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.answers import (
    Row,
    Traffic,
)
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.ask import ask_traffic
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.evidence import (
    NO_TRAFFIC,
    Evidence,
    action_of,
    evidence_of,
    grouped,
)
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.queries import NODES

CREDENTIALS = ("api_token", "api_email", "api_key")
NUMBERS: Final[Mapping[str, tuple[float, float]]] = {  # option: its default, its least value
    "interval": (60.0, 10),
    "delay": (120.0, 0),
    "min_packets_per_second": (100.0, 0),
}
OF_RULEBOOKS = ("eda_feedback_queue",)  # which ansible-rulebook may add
NAMES = (
    "accounts",
    "components",
    *NUMBERS,
    *CREDENTIALS,
    "base_url",
    *BOUNDS,
    "validate_certs",
    "ca_path",
)


@dataclass(frozen=True)
class SourceOptions:
    """Checked options; `settings` has one element for each account."""

    settings: Sequence[Settings]
    components: Sequence[str]
    interval: timedelta
    delay: timedelta
    least: float  # packets per second


def parse_source(
    arguments: Mapping[str, Any], environment: Mapping[str, str], warn: Callable[[str], None]
) -> SourceOptions:
    """The options of the source; raises ValueError with a sentence for each wrong one."""
    problems = [
        f"{name} is not an option; the options are {', '.join(NAMES)}"
        for name in arguments
        if name not in (*NAMES, *OF_RULEBOOKS)
    ]
    numbers = {
        name: _number(arguments.get(name, default)) for name, (default, _least) in NUMBERS.items()
    }
    for name, (_default, least) in NUMBERS.items():
        number = numbers[name]
        if number is None or not least <= number < float("inf"):
            problems.append(f"{name}: it must be a number of at least {least:g}")
    accounts = _texts(arguments.get("accounts"))
    components = _texts(arguments.get("components", list(KINDS)))
    if not accounts:
        problems.append("accounts: it must be a list of ids of accounts")
    if not components or set(components) - set(COMPONENTS):
        problems.append(f"components: it must be a list of some of {', '.join(COMPONENTS)}")
    settings = []
    for account_id in dict.fromkeys(accounts):
        try:
            options = _connection(arguments, account_id, environment)
            settings.append(parse_settings(options, ACCOUNT_OPTION, environment, warn))
        except (OptionError, ValueError) as exc:
            problems.append(str(exc).replace(ACCOUNT_OPTION, "accounts"))
    if problems:
        raise ValueError(". ".join(dict.fromkeys(problem.rstrip(".") for problem in problems)))
    return SourceOptions(
        settings,
        [name for name in COMPONENTS if name in components],
        timedelta(seconds=numbers["interval"] or 0),
        timedelta(seconds=numbers["delay"] or 0),
        numbers["min_packets_per_second"] or 0.0,
    )


def _connection(
    arguments: Mapping[str, Any], account_id: str, environment: Mapping[str, str]
) -> dict[str, Any]:
    """The connection options of the modules, out of the source's own."""
    base_url = environment.get("CLOUDFLARE_BASE_URL", DEFAULT_BASE_URL)
    return {
        **{name: arguments.get(name) for name in CREDENTIALS},
        "base_url": arguments.get("base_url", base_url),
        **{
            name: _of_kind(name, arguments.get(name, default))
            for name, (_type, default, _least) in BOUNDS.items()
        },
        "validate_certs": _flag(arguments.get("validate_certs", True)),
        "ca_path": arguments.get("ca_path"),
        **dict.fromkeys(OWNER_OPTIONS),
        ACCOUNT_OPTION: account_id,
    }


def _of_kind(name: str, value: Any) -> float:
    number = _number(value)
    if number is None:
        raise ValueError(f"{name}: it must be a number")
    return int(number) if BOUNDS[name][0] == "int" and number == number // 1 else number


def _number(value: Any) -> float | None:
    """A number, also as the text that a variable of a rulebook becomes; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _flag(value: Any) -> bool:
    texts = {"true": True, "yes": True, "false": False, "no": False}
    flag = value if isinstance(value, bool) else texts.get(str(value).lower())
    if flag is None:
        raise ValueError("validate_certs: it must be true or false")
    return flag


def _texts(value: Any) -> list[str]:
    """A list of texts, empty for anything else; one text is a list of one."""
    elements = [value] if isinstance(value, str) else value
    if not isinstance(elements, (list, tuple)):
        return []
    return [item for item in elements if isinstance(item, str) and item]


ACTIONS: Final = ("dropped", "would_drop")
DIGITS = 3  # of packets per second

Event = dict[str, Any]  # as a rulebook gets it


class Window(NamedTuple):
    """A span of time, from `since` up to `until`."""

    since: datetime
    until: datetime

    @property
    def seconds(self) -> float:
        """Its length."""
        return (self.until - self.since).total_seconds()


class Subject(NamedTuple):
    """What events are about: one component, one network, and what happens to packets there."""

    component: str
    network: str
    action: str


class Rate(NamedTuple):
    """Packets in a window, by second and by reason."""

    per_second: float
    reasons: Mapping[str, int]


NONE = Rate(0.0, {})


def rates(evidence: Iterable[Evidence], window: Window) -> dict[Subject, Rate]:
    """How many packets were or would have been dropped, by component, network and action."""
    by_subject: dict[Subject, Rate] = {}
    for each in evidence:
        dropping = [row for row in each.rows if action_of(row) in ACTIONS]
        groups = grouped(dropping, lambda row: (row.destination, action_of(row)))
        for (network, action), rows in groups.items():
            by_subject[Subject(each.component, network, action)] = _rate(rows, window)
    return by_subject


def _rate(rows: Sequence[Row], window: Window) -> Rate:
    reasons = grouped(rows, lambda row: row.reason or "unknown")
    packets = {reason: sum(row.packets for row in reasons[reason]) for reason in sorted(reasons)}
    return Rate(round(sum(packets.values()) / window.seconds, DIGITS), packets)


@dataclass
class Watch:
    """What is dropped in an account, as far as its windows went; `least` is the number of packets
    per second from which on something is an event."""

    account_id: str
    components: Collection[str]
    least: float
    dropping: set[Subject] = field(default_factory=set)
    unknown: bool = False

    def read(self, window: Window, seen: Mapping[Subject, Rate]) -> list[Event]:
        """The events of the next window: what begins, and what ends."""
        now = {subject for subject, rate in seen.items() if self._counts(rate)}
        changes = [(subject, "end") for subject in sorted(self.dropping - now)]
        changes += [(subject, "start") for subject in sorted(now - self.dropping)]
        self.dropping = now
        return [
            self._event(event, subject, seen.get(subject, NONE), window.since)
            for subject, event in changes
        ]

    def _counts(self, rate: Rate) -> bool:
        return bool(rate.reasons) and 0 < rate.per_second >= self.least

    def _event(self, event: str, subject: Subject, rate: Rate, at: datetime) -> Event:
        traffic = {
            "event": event,
            "account_id": self.account_id,
            "component": subject.component,
            "network": subject.network,
            "action": subject.action,
            "packets_per_second": rate.per_second,
            "reasons": dict(rate.reasons),
            "at": write_timestamp(at),
        }
        return {"traffic": traffic}

    def lose(self, reasons: Sequence[str], at: datetime) -> list[Event]:
        """The event that the traffic is not known; none if it was not known before."""
        if self.unknown:
            return []
        self.unknown = True
        return [self._about_knowledge("unknown", reasons, at)]

    def regain(self, at: datetime) -> list[Event]:
        """The event that the traffic is known again; none if it was known before."""
        if not self.unknown:
            return []
        self.unknown = False
        return [self._about_knowledge("known", [], at)]

    def _about_knowledge(self, event: str, reasons: Sequence[str], at: datetime) -> Event:
        traffic = {
            "event": event,
            "account_id": self.account_id,
            "components": sorted(self.components),
            "message": " ".join(reasons),
            "at": write_timestamp(at),
        }
        return {"traffic": traffic}


def next_window(since: datetime, length: timedelta, latest: datetime) -> Window | None:
    """The window that begins at `since`, once it is over; None before. `latest` is up to when
    traffic can be read."""
    until = since + length
    return Window(since, until) if until <= latest else None


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


async def run_source(queue: Queue, arguments: Mapping[str, Any]) -> None:
    """Watch the traffic of accounts until the task is cancelled; raises ValueError for wrong
    options."""
    environment = dict(os.environ)
    options = parse_source(arguments, environment, LOG.warning)
    secrets = known_secrets(arguments, environment)
    with ExitStack() as stack:
        feeds = feeds_of(options, stack, secrets)
        await asyncio.gather(*(follow(feed, queue) for feed in feeds))


def feeds_of(options: SourceOptions, stack: ExitStack, secrets: tuple[str, ...]) -> list[Feed]:
    """One feed for each account and node."""
    feeds = []
    for settings in options.settings:
        for node in NODES:
            components = [name for name in options.components if name in node.components]
            if components:
                client = stack.enter_context(connected(settings, LOG.warning))
                watch = Watch(settings.owner[ACCOUNT_OPTION], components, options.least)
                hide = partial(redact, secrets=secrets)
                feeds.append(Feed(client, watch, options.interval, options.delay, hide))
    return feeds

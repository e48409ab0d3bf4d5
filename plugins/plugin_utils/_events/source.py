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
from typing import Any, Final, NamedTuple

from ansible.module_utils.common.parameters import env_fallback

from ...module_utils._api.client import Client
from ...module_utils._api.session import connected
from ...module_utils._api.settings import (
    DEFAULT_BASE_URL,
    Settings,
    known_secrets,
    parse_settings,
    shared_options,
)
from ...module_utils._errors import OptionError
from ...module_utils._schema.account import COMPONENTS, TCP_KINDS
from ...module_utils._schema.resource import ACCOUNT_OPTION, OWNER_OPTIONS
from ...module_utils._specs.base import validate
from ...module_utils._text import Names, redact, with_names
from ...module_utils._timestamps import CLOCK_SKEW, write_timestamp
from ...module_utils._traffic.answers import Traffic
from ...module_utils._traffic.ask import ask_traffic
from ...module_utils._traffic.evidence import Evidence, action_of, evidence_of, grouped
from ...module_utils._traffic.queries import NODES
from .._variables import TEXTS, Arguments, sentence_of, wrong_values

LONGEST_GAP = timedelta(hours=6)  # that windows are asked for again
NUMBER_BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    "interval": (10, LONGEST_GAP.total_seconds()),
    "delay": (0, LONGEST_GAP.total_seconds()),
    "min_packets_per_second": (0, 1e15),
}
SHARED_ARGUMENTS: Arguments = {
    name: argument
    for name, argument in shared_options(ACCOUNT_OPTION, env_fallback).items()
    if name not in OWNER_OPTIONS
}
SOURCE_ARGUMENTS: Arguments = {
    "accounts": TEXTS,
    "components": {**TEXTS, "choices": list(COMPONENTS), "default": list(TCP_KINDS)},
    "interval": {"type": "float", "default": 60.0},
    "delay": {"type": "float", "default": 120.0},
    "min_packets_per_second": {"type": "float", "default": 100.0},
    **SHARED_ARGUMENTS,
}
OF_RULEBOOKS = ("eda_feedback_queue",)  # which ansible-rulebook may add
OPTION_NAMES: Names = {ACCOUNT_OPTION: "accounts"}


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
        f"{name} is not an option; the options are {', '.join(SOURCE_ARGUMENTS)}"
        for name in arguments
        if name not in (*SOURCE_ARGUMENTS, *OF_RULEBOOKS)
    ]
    values = {name: arguments[name] for name in SOURCE_ARGUMENTS if arguments.get(name) is not None}
    values.setdefault("base_url", environment.get("CLOUDFLARE_BASE_URL", DEFAULT_BASE_URL))
    of_types = list(wrong_values(SOURCE_ARGUMENTS, values))
    problems += [sentence_of(*problem) for problem in of_types]
    wrong = {str(option.path[0]) for option, _text in of_types}
    options = validate(SOURCE_ARGUMENTS, "traffic", values).options
    problems += [text for name, text in _unfit(options, values) if name not in wrong]
    settings: dict[str, Settings] = {}
    if wrong.isdisjoint(("accounts", *SHARED_ARGUMENTS)):
        for account_id in options["accounts"] or ():
            every = {**options, **dict.fromkeys(OWNER_OPTIONS), ACCOUNT_OPTION: account_id}
            try:
                one = parse_settings(every, ACCOUNT_OPTION, environment, warn)
                settings[one.owner[ACCOUNT_OPTION]] = one
            except OptionError as exc:
                problems.append(with_names(exc.message, OPTION_NAMES))
    if problems:
        raise ValueError(". ".join(dict.fromkeys(problem.rstrip(".") for problem in problems)))
    return SourceOptions(
        [*settings.values()],
        [name for name in COMPONENTS if name in options["components"]],
        timedelta(seconds=options["interval"]),
        timedelta(seconds=options["delay"]),
        options["min_packets_per_second"],
    )


def _unfit(options: Mapping[str, Any], values: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """By option, the problems that no type shows."""
    if not options["accounts"]:
        yield "accounts", "accounts: it must be a list of ids of accounts"
    if not options["components"]:
        names = ", ".join(COMPONENTS)
        yield "components", f"components: it must be a list of some of {names}"
    for name, (least, most) in NUMBER_BOUNDS.items():
        is_number = isinstance(options[name], float) and not isinstance(values.get(name), bool)
        if not is_number or not least <= options[name] <= most:
            yield name, f"{name}: it must be a number of at least {least:g}, and at most {most:g}"


DROPS: Final = ("dropped", "would_drop")
RATE_DIGITS = 3  # of packets per second

Event = dict[str, Any]  # as a rulebook gets it
PacketCounts = Mapping[str, int]  # by reason


class Subject(NamedTuple):
    """The subject of events: one component, one network, and what happens to packets there."""

    component: str
    network: str
    action: str


def drops(evidence: Iterable[Evidence]) -> dict[Subject, PacketCounts]:
    """The packets that were or would have been dropped, by component, network and action."""
    return {
        Subject(each.component, network, action): Evidence(each.component, rows, []).reasons()
        for each in evidence
        for (network, action), rows in grouped(
            each.rows, lambda row: (row.destination, action_of(row))
        ).items()
        if action in DROPS
    }


@dataclass
class Watch:
    """The drops in an account, as far as its windows went; `least` is the number of packets per
    second from which on something is an event."""

    account_id: str
    components: Collection[str]
    least: float
    dropping: set[Subject] = field(default_factory=set)
    unknown: bool = False

    def read(
        self, since: datetime, length: timedelta, seen: Mapping[Subject, PacketCounts]
    ) -> list[Event]:
        """The events of the next window: drops that begin, and those that end, which only a window
        tells that is understood."""
        rates = {
            subject: round(sum(packets.values()) / length.total_seconds(), RATE_DIGITS)
            for subject, packets in seen.items()
        }
        now = {subject for subject, rate in rates.items() if 0 < rate >= self.least}
        over = set() if self.unknown else self.dropping - now
        changes = [("end", subject) for subject in sorted(over)]
        changes += [("start", subject) for subject in sorted(now - self.dropping)]
        self.dropping = (self.dropping | now) - over
        return [
            self._event(
                event,
                since,
                **subject._asdict(),
                packets_per_second=rates.get(subject, 0.0),
                reasons=dict(seen.get(subject, {})),
            )
            for event, subject in changes
        ]

    def know(self, reasons: Sequence[str], at: datetime) -> list[Event]:
        """The event that the traffic is not known, for these reasons, or is known again; none if
        that is no news."""
        if self.unknown == bool(reasons):
            return []
        self.unknown = bool(reasons)
        event, message = "unknown" if reasons else "known", " ".join(reasons)
        return [self._event(event, at, components=sorted(self.components), message=message)]

    def _event(self, event: str, at: datetime, **details: Any) -> Event:
        beginning = {"event": event, "account_id": self.account_id}
        return {"traffic": {**beginning, **details, "at": write_timestamp(at)}}


MAX_PAUSE = timedelta(minutes=15)  # between two attempts
FIRST_FAILURES = 6  # after which the pause does not grow any more
LOG = logging.getLogger("edgeops.protection.traffic")


LOCAL_TIME = partial(datetime.now, timezone.utc)


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
    clock: Callable[[], datetime] = LOCAL_TIME
    since: datetime | None = None
    shift: timedelta = timedelta()
    failures: int = 0
    attempt_at: datetime | None = None

    def pause(self) -> timedelta:
        """The time until there is something to ask."""
        if self.attempt_at is not None:
            return self.attempt_at - self.clock()
        return self._beginning() + self.interval - self._latest()

    def poll(self) -> list[Event]:
        """Read the next window, and say what it changes; nothing before it is over."""
        self.since = since = self._beginning()
        until = since + self.interval
        if until > self._latest():
            return []
        account_id, components = self.watch.account_id, sorted(self.watch.components)
        traffic = ask_traffic(self.client.ask, account_id, components, since, until).traffic()
        if self._correct_clock():
            return []  # the first window lay elsewhere by Cloudflare's clock
        reasons = [reason for listed in traffic.unknown.values() for reason in listed]
        events = self._failed(since, reasons) if reasons else self._read(since, traffic)
        return [self.redact(event) for event in events]

    def _read(self, since: datetime, traffic: Traffic) -> list[Event]:
        self.failures, self.attempt_at, self.since = 0, None, since + self.interval
        evidence = [evidence_of(traffic, name) for name in sorted(self.watch.components)]
        odd = [text for each in evidence if each.rows for text in each.unknown]
        news = self.watch.know(odd, since)
        return [*news, *self.watch.read(since, self.interval, drops(evidence))]

    def _failed(self, since: datetime, reasons: Sequence[str]) -> list[Event]:
        growth = 2 ** min(self.failures, FIRST_FAILURES)
        self.failures += 1
        self.attempt_at = self.clock() + min(self.interval * growth, MAX_PAUSE)
        if self._latest() - since > LONGEST_GAP:
            self.since = self._latest() - self.interval
            LOG.warning("%s: traffic since %s is given up.", self.watch.account_id, since)
        return self.watch.know(reasons, since)

    def _beginning(self) -> datetime:
        return self.since or self._latest() - self.interval

    def _latest(self) -> datetime:
        return self.clock() + self.shift - self.delay

    def _correct_clock(self) -> bool:
        """True if Cloudflare's clock turned out to be another one before the first window was
        read."""
        if self.client.now is None:
            return False
        shift = self.client.now - self.clock()
        if abs(shift - self.shift) <= CLOCK_SKEW:
            return False
        self.shift = shift
        if self.watch.dropping or self.failures:
            return False
        self.since = self._latest() - self.interval
        return True


async def follow(feed: Feed, queue: asyncio.Queue[Event]) -> None:
    """Poll for ever, and put the events into the queue in their order."""
    while True:
        pause = feed.pause().total_seconds()
        if pause > 0:
            await asyncio.sleep(pause)
        for event in await asyncio.to_thread(feed.poll):
            traffic = event["traffic"]
            if traffic["event"] == "unknown":
                LOG.warning(
                    "%s: the traffic is not known. %s", traffic["account_id"], traffic["message"]
                )
            await queue.put(event)


async def run_source(queue: asyncio.Queue[Event], arguments: Mapping[str, Any]) -> None:
    """Watch the traffic of accounts until the task is cancelled; raises ValueError for wrong
    options."""
    options = parse_source(arguments, os.environ, LOG.warning)
    with ExitStack() as stack:
        feeds = feeds_of(options, stack, known_secrets(arguments, os.environ))
        await asyncio.gather(*(follow(feed, queue) for feed in feeds))


def feeds_of(options: SourceOptions, stack: ExitStack, secrets: tuple[str, ...]) -> list[Feed]:
    """One feed for each account and node."""
    feeds = []
    hide = partial(redact, secrets=secrets)
    for settings in options.settings:
        for node in NODES:
            components = [name for name in options.components if name in node.components]
            if components:
                client = stack.enter_context(connected(settings, LOG.warning))
                watch = Watch(settings.owner[ACCOUNT_OPTION], components, options.least)
                feeds.append(Feed(client, watch, options.interval, options.delay, hide))
    return feeds

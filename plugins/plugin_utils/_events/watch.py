# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""When dropping begins and ends: pure functions from windows of traffic to events.

A window is a span of time without a gap to the one before, so that nothing is seen twice and
nothing is missed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import write_timestamp
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.evidence import (
    Evidence,
    action_of,
    grouped,
)
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.rows import Row

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

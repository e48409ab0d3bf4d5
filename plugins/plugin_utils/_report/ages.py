# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How old the parts of a report are, which were read at one time each."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from ansible_collections.edgeops.protection.plugins.module_utils._text import plural

from .record import Report

UNITS = (
    (timedelta(days=1), "day", "days"),
    (timedelta(hours=1), "hour", "hours"),
    (timedelta(minutes=1), "minute", "minutes"),
)


class Age(NamedTuple):
    """The hosts that were read at one time, and how long before the report that was."""

    generated: str
    hosts: int
    before: timedelta

    def in_words(self) -> str:
        """Such as `2 hosts were read 2026-11-21 10:00 UTC, 3 hours before this report`."""
        verb = "was" if self.hosts == 1 else "were"
        long = f", {_in_words(self.before)} before this report" if self.before else ""
        return f"{plural(self.hosts, 'host', 'hosts')} {verb} read {shown(self.generated)}{long}"


def ages(report: Report) -> list[Age]:
    """The parts of a report, the oldest first; a report that was not merged has one."""
    hosts = Counter(record["generated"] for record in report["hosts"])
    made = datetime.fromisoformat(report["generated"])
    parts = [
        Age(generated, number, made - datetime.fromisoformat(generated))
        for generated, number in hosts.items()
    ]
    return sorted(parts, key=lambda part: part.before, reverse=True)


def shown(timestamp: str) -> str:
    """A moment to the minute, in UTC."""
    moment = datetime.fromisoformat(timestamp).astimezone(timezone.utc)
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _in_words(duration: timedelta) -> str:
    """The largest unit of a duration, rounded down: an hour and a half is one hour."""
    for unit, one, many in UNITS:
        if abs(duration) >= unit:
            return plural(int(duration / unit), one, many)
    return "less than a minute"

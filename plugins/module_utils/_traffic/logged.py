# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The matches of rules in the last hours, and all requests to their zone, by the analytics.
Not known is never zero."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Mapping, NamedTuple, Sequence

from .ask import NodeTraffic, Send, ask_groups
from .hits import OF_ZONE
from .pieces import silence
from .queries import FEWEST_SAMPLES, REQUESTS, too_few


class LoggedTraffic(NamedTuple):
    """The requests to a zone, and how many of them each rule matched, by its id. `unknown` are the
    reasons why something is not known."""

    requests: int
    matched: Mapping[str, int]
    unknown: Sequence[str]


def read_logged(send: Send, zone_id: str, since: datetime, until: datetime) -> LoggedTraffic:
    """The requests to a zone between two moments, and what its rules matched."""
    requests = ask_groups(send, zone_id, REQUESTS._replace(grouped_by=()), since, until)
    events = ask_groups(send, zone_id, OF_ZONE._replace(grouped_by=("ruleId",)), since, until)
    matched: Counter[str] = Counter()
    for row in events.rows:
        matched[str(row.values[0])] += row.packets
    unknown = [*requests.unknown, *events.unknown, *_gaps(requests)]
    number = sum(row.packets for row in requests.rows)
    return LoggedTraffic(number, matched, list(dict.fromkeys(unknown)))


def _gaps(requests: NodeTraffic) -> list[str]:
    """The reasons why the requests do not speak for all of the time."""
    samples = sum(row.samples for row in requests.rows)
    if samples < FEWEST_SAMPLES:
        return [too_few(samples, "requests")]
    by_hour: Counter[str] = Counter()
    for row in requests.hourly_rows:
        by_hour[str(row.values[0])] += row.samples
    silent = silence(by_hour, requests.page.since, requests.page.until, "requests")
    return [silent] if silent else []

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The matches of rules in the last hours, and all requests or packets that they may match, by the
analytics.
Not known is never zero."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Mapping, NamedTuple, Sequence

from .ask import NodeTraffic, Send, ask_groups
from .hits import OF_ZONE
from .pieces import silence
from .queries import FEWEST_SAMPLES, FIREWALL, PACKETS, REQUESTS, too_few


class LoggedTraffic(NamedTuple):
    """The requests to a zone, or the packets to an account, and how many of them each rule matched,
    by its id. `unknown` are the reasons why something is not known."""

    number: int
    matched: Mapping[str, int]
    unknown: Sequence[str]


NODES_BY_TRAFFIC = {  # by what rules match: all of it, and what they matched
    "request": (REQUESTS._replace(grouped_by=()), OF_ZONE._replace(grouped_by=("ruleId",))),
    "packet": (PACKETS, FIREWALL),
}


def read_logged(
    send: Send, owner_id: str, traffic: str, since: datetime, until: datetime
) -> LoggedTraffic:
    """The traffic, which is a request or a packet, to a zone or an account between two moments, and
    what its rules matched."""
    all_traffic, matched_by_rules = NODES_BY_TRAFFIC[traffic]
    requests = ask_groups(send, owner_id, all_traffic, since, until)
    events = ask_groups(send, owner_id, matched_by_rules, since, until)
    matched: Counter[str] = Counter()
    for row in events.rows:
        matched[str(row.values[0])] += row.packets
    unknown = [*requests.unknown, *events.unknown, *_gaps(requests, f"{traffic}s")]
    number = sum(row.packets for row in requests.rows)
    return LoggedTraffic(number, matched, list(dict.fromkeys(unknown)))


def _gaps(requests: NodeTraffic, noun: str) -> list[str]:
    """The reasons why requests, or packets, do not speak for all of the time."""
    samples = sum(row.samples for row in requests.rows)
    if samples < FEWEST_SAMPLES:
        return [too_few(samples, noun)]
    by_hour: Counter[str] = Counter()
    for row in requests.hourly_rows:
        by_hour[str(row.values[0])] += row.samples
    silent = silence(by_hour, requests.page.since, requests.page.until, noun)
    return [silent] if silent else []

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A sample of a watched change: the requests, or packets, that rules stopped since a moment.

Figures end where the analytics end. The last minute with a request may still be incomplete, so that
they cover the time before it. Not known is never zero.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Iterable, Mapping, Sequence, TypedDict

from .._api.client import Client
from .._text import Unread
from .._timestamps import read_timestamp, write_timestamp
from .ask import AccountTraffic, NodeTraffic, Send
from .hits import OF_ZONE
from .queries import PASS, REQUESTS, Row, RowsPage

MINUTE = "datetimeMinute"
THE_ZONE = "zone"  # the source of the samples of a zone
HOUR_BEFORE = timedelta(hours=1)
EVENTS_BY_MINUTE = OF_ZONE._replace(grouped_by=("ruleId", "action", MINUTE))
EARLIER_EVENTS = OF_ZONE._replace(name="earlier_events", grouped_by=("ruleId", "action"))
REQUESTS_BY_MINUTE = REQUESTS._replace(grouped_by=(MINUTE,))
WATCHED_NODES = (REQUESTS_BY_MINUTE, EVENTS_BY_MINUTE, EARLIER_EVENTS)
EXAMPLE_FIELDS: Mapping[str, str] = {  # by the keys of a request, as expectations have them
    "method": "clientRequestHTTPMethodName",
    "host": "clientRequestHTTPHost",
    "path": "clientRequestPath",
    "country": "clientCountryName",
}
EXAMPLES = OF_ZONE._replace(
    name="examples", grouped_by=("ruleId", "action", *EXAMPLE_FIELDS.values())
)
MOST_EXAMPLE_ROWS, MOST_EXAMPLES = 200, 3  # in the answer, and of a rule
# The vendor lists the actions of events on its page "Firewall events" (Logpush); the analytics
# write them with underscores.
PASSING_ACTIONS = frozenset(("allow", "bypass", "log", "rewrite", "simulate", "skip", PASS))
ENDED_WELL = ("solved", "bypassed", "skipped")  # of a challenge, as an event of its own


class RuleStops(TypedDict):
    """The requests, or packets, that a rule stopped since the change, and in the hour before it."""

    rule: str
    stopped: int
    hour_before: int


class WatchSample(TypedDict):
    """The answer of the analytics at a moment. `requests`, which may be packets, and `rules` are
    about the time up to `covered_until`, which is None if there are none; `unknown` are the reasons
    why the figures are not known."""

    now: str
    covered_until: str | None
    requests: int
    samples: int
    rules: list[RuleStops]
    unknown: list[str]


def pages_of(since: datetime, now: datetime) -> list[RowsPage]:
    """The pages to ask for about a change of a zone."""
    return [
        RowsPage(REQUESTS_BY_MINUTE, since, now),
        RowsPage(EVENTS_BY_MINUTE, since, now),
        RowsPage(EARLIER_EVENTS, since - HOUR_BEFORE, since),
    ]


def read_sample(send: Send, zone: str, since: datetime, now: datetime) -> WatchSample:
    """Ask the analytics which requests the rules of a zone stopped from a moment up to now, by
    Cloudflare's clock."""
    traffic = AccountTraffic(send, zone, since, now, nodes=WATCHED_NODES)
    return sample_of(traffic.read(pages_of(since, now)), now)


def read_examples(client: Client, since: datetime) -> dict[str, list[dict[str, Any]]]:
    """The most frequent requests that rules of the zone stopped since a moment, by the ids of the
    rules; none if the analytics do not tell."""
    (zone,) = client.owner.values()
    now = client.now or datetime.now(timezone.utc)
    page = RowsPage(EXAMPLES, since, now, limit=MOST_EXAMPLE_ROWS)
    try:
        answer = AccountTraffic(client.ask, zone, since, now, nodes=(EXAMPLES,)).ask([page])
    except Unread:
        return {}
    return examples_of(answer.rows.get(EXAMPLES.name, ()))


def examples_of(rows: Iterable[Row]) -> dict[str, list[dict[str, Any]]]:
    """The stopped requests in these rows, of which the most frequent come first, by the ids of
    rules."""
    examples: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        rule, action, *values = row.values
        of_rule = examples.setdefault(str(rule), [])
        if stopped({str(action): row.packets}) and len(of_rule) < MOST_EXAMPLES:
            request = {name: value for name, value in zip(EXAMPLE_FIELDS, values) if value}
            of_rule.append({**request, "requests": row.packets})
    return examples


def sample_of(listings: Mapping[str, NodeTraffic], now: datetime) -> WatchSample:
    """The sample in the listings of requests, events and earlier events, by the names of nodes. An
    event has the id of a rule, and the action, or the outcome of a packet."""
    unknown: list[str] = []
    for listing in listings.values():
        unknown += [*listing.cut, *listing.unknown]
    requests = listings[REQUESTS_BY_MINUTE.name].rows
    minutes = [minute for minute in map(_minute, requests) if minute is not None]
    if len(minutes) < len(requests):
        unknown.append("The analytics gave a time that is not understood.")
    end = max(minutes, default=None)
    events = listings[EVENTS_BY_MINUTE.name].rows
    return WatchSample(
        now=write_timestamp(now),
        covered_until=write_timestamp(end) if end else None,
        requests=sum(row.packets for row in _before(requests, end)),
        samples=sum(row.samples for row in _before(requests, end)),
        rules=_stops_by_rule(_before(events, end), listings[EARLIER_EVENTS.name].rows),
        unknown=list(dict.fromkeys(unknown)),
    )


def _minute(row: Row) -> datetime | None:
    """The minute of a row, which is its last dimension."""
    return read_timestamp(row.values[-1])


def _before(rows: Iterable[Row], end: datetime | None) -> list[Row]:
    """The rows of the minutes before a moment."""
    if end is None:
        return []
    minutes = [(_minute(row), row) for row in rows]
    return [row for minute, row in minutes if minute is not None and minute < end]


def _stops_by_rule(events: Sequence[Row], earlier: Sequence[Row]) -> list[RuleStops]:
    now, before = _counts(events), _counts(earlier)
    return [
        RuleStops(
            rule=rule, stopped=stopped(now.get(rule, {})), hour_before=stopped(before.get(rule, {}))
        )
        for rule in dict.fromkeys([*now, *before])
    ]


def _counts(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """The numbers of events by the id of the rule and the action."""
    counts: dict[str, dict[str, int]] = {}
    for row in rows:
        rule, action = str(row.values[0]), str(row.values[1])
        actions = counts.setdefault(rule, {})
        actions[action] = actions.get(action, 0) + row.packets
    return counts


def stopped(actions: Mapping[str, Any]) -> int:
    """The number of requests that events with these actions stopped: a solved challenge stops
    nobody, and an action that is not known counts as a stop."""
    blocks = challenges = solved = 0
    for name, number in actions.items():
        action = name.replace("_", "").lower()
        if action.endswith(ENDED_WELL):
            solved += number
        elif "challenge" in action:
            challenges += number
        elif action not in PASSING_ACTIONS:
            blocks += number
    return blocks + max(0, challenges - solved)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The requests of one client in one period of a rate limit, as the analytics have them for the
last hours. They tell which number of requests a limit can have.

Periods begin at full multiples of their length. A limit counts requests that its counting
expression matches, or else its expression ("Rate limiting parameters").
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any, Mapping, NamedTuple, Sequence, Tuple, TypedDict

from .._expressions.batch import Batch
from .._expressions.expression import Expression
from .._expressions.operands import Fields, FieldValue
from .._schema.rate_limits import COUNTED_HEADER, DATA_CENTER, SCORE, limit_of
from .._schema.resource import Object, State
from .._text import first_few, plural
from .._timestamps import read_timestamp
from .._traffic.ask import NodeTraffic, Send, ask_requests
from .._traffic.pieces import silence
from .._traffic.queries import NOTHING_SEEN, Row
from .past_requests import ANALYTICS, FieldReader, missing_fields
from .rules_in_force import contents_in, zone_values

# The fields that the analytics have in the place of a characteristic.
FIELD_OF_HEADER = {"user-agent": "http.user_agent", "referer": "http.referer"}
FIELD_OF_CHARACTERISTIC = {DATA_CENTER: "cf.colo.name"}
# From the longest: the dimensions of time, by their seconds.
TIMES = {
    3600: "datetimeHour",
    900: "datetimeFifteenMinutes",
    300: "datetimeFiveMinutes",
    60: "datetimeMinute",
    1: "datetime",
}
PIECE = timedelta(hours=1)  # of a query, so that its rows fit into a page
ONLY_ORIGIN = "It counts requests to the origin alone, which the analytics do not tell apart."
OTHERS_COUNTED = "It counts other requests than those that it stops."
NO_NUMBER = "It has no number of requests."
BY_SCORE = "It counts scores, which the analytics do not have."


ClientPeriod = Tuple[object, int]  # a client, and the number of a period


class MeasuredLimit(TypedDict):
    """The measurement of a rate limit: the numbers of clients and of requests that it counts, and
    quantiles of the requests of one client in a period; None if they are not known."""

    ref: str
    period: int | None
    clients: int | None
    requests: int | None
    p50: int | None
    p95: int | None
    p99: int | None
    p99_9: int | None
    known: bool
    unknown: list[str]


class CountedLimit(NamedTuple):
    """The requests that a rate limit counts, and the fields that tell its clients apart; `unknown`
    are the reasons why the analytics cannot tell these."""

    ref: str
    period: int
    expression: Expression
    fields: Sequence[str]
    unknown: Sequence[str]


class ClientCounts(NamedTuple):
    """The numbers of requests by client and period, and the reasons why more may be counted;
    `of_zone` are all requests to the zone."""

    requests: Mapping[ClientPeriod, int]
    unknown: Sequence[str]
    of_zone: int = 0


def counted_limit(rule: Object, state: State) -> CountedLimit:
    """The limit of a rule, with the contents of the lists that its state has."""
    limit = limit_of(rule)
    counting = limit if limit.get("counting_expression") else rule
    name = "counting_expression" if counting is limit else "expression"
    expression = Expression.of_object(counting, name).with_lists(contents_in(state))
    unknown = [BY_SCORE] if SCORE in limit else []
    unknown += [ONLY_ORIGIN] if limit.get("requests_to_origin") else []
    fields: list[str] = []
    for characteristic in limit.get("characteristics") or ():
        field = _field_of(str(characteristic))
        if FieldReader([field], ANALYTICS).names:
            fields.append(field)
        else:
            unknown.append(f"The analytics do not have {characteristic}.")
    period = limit.get("period")
    if not isinstance(period, int) or period < 1:
        unknown.append("It has no period.")
        period = 1
    return CountedLimit(str(rule.get("ref")), period, expression, fields, unknown)


def _field_of(characteristic: str) -> str:
    """The field that has the values of a characteristic."""
    header = COUNTED_HEADER.fullmatch(characteristic)
    if header:
        return FIELD_OF_HEADER.get(header.group(1), characteristic)
    return FIELD_OF_CHARACTERISTIC.get(characteristic, characteristic)


class Analytics(NamedTuple):
    """The analytics of a zone, and the hours that are asked for, up to now."""

    send: Send
    zone_id: str
    until: datetime
    hours: float


def measured_limits(
    rules: Sequence[Object], state: State, analytics: Analytics
) -> list[MeasuredLimit]:
    """The measurement of each rule; `state` has the zone and the lists that the rules name."""
    records: list[MeasuredLimit] = []
    for rule in rules:
        limit = counted_limit(rule, state)
        records.append(measurement(limit, _counted(limit, state, analytics)))
    return records


def _counted(limit: CountedLimit, state: State, analytics: Analytics) -> ClientCounts:
    """The requests that a limit counts, unless the analytics cannot tell its clients apart."""
    if limit.unknown:
        return ClientCounts({}, ())
    reader = FieldReader([*limit.expression.names, *limit.fields], ANALYTICS)
    listing = _listing(limit, reader, analytics)
    counts = client_counts(limit, reader, listing.rows, zone_values(state))
    of_zone = sum(row.packets for row in listing.rows)
    return counts._replace(unknown=[*_doubts_of(listing), *counts.unknown], of_zone=of_zone)


class OverLimit(NamedTuple):
    """The requests that a rate limit would have stopped, of how many to the zone, and the reasons
    why that is not known."""

    stopped: int
    requests: int
    unknown: Sequence[str]


class LimitNumbers(NamedTuple):
    """The number of requests that a limit lets through in a period, and for how many further
    periods it then stops a client."""

    most: int
    further: int


def requests_over_limit(
    rule: Object, state: State, analytics: Analytics, existing: Object | None = None
) -> OverLimit:
    """The requests that a rate limit would have stopped: of each client those above its number in a
    period, and all until its timeout has passed. Those that the `existing` limit stops today do not
    count; it is left out of account unless it counts the same requests."""
    limit, declared = counted_limit(rule, state), limit_of(rule)
    counts = _counted(limit, state, analytics)
    unknown = [*limit.unknown, *counts.unknown]
    unknown += [OTHERS_COUNTED] if declared.get("counting_expression") else []
    planned = _numbers_of(rule)
    if planned is None:
        return OverLimit(0, counts.of_zone, [*unknown, NO_NUMBER])
    today = _numbers_today(existing, rule, state) if existing else None
    by_client: dict[object, dict[int, int]] = {}
    for (client, number), requests in counts.requests.items():
        by_client.setdefault(client, {})[number] = requests
    stopped = sum(_newly_stopped(periods, planned, today) for periods in by_client.values())
    return OverLimit(stopped, counts.of_zone, unknown)


def _numbers_of(rule: Object, is_least: bool = False) -> LimitNumbers | None:
    """The numbers of a limit, None if it lacks one. A period in which its timeout ends counts
    whole, or if they are the least, only those that it surely stops from beginning to end."""
    declared = limit_of(rule)
    most, timeout = declared.get("requests_per_period"), declared.get("mitigation_timeout") or 0
    period = declared.get("period")
    if not (isinstance(most, int) and isinstance(timeout, int) and isinstance(period, int)):
        return None
    further = max(0, timeout // period - 1) if is_least else -(-timeout // period)
    return LimitNumbers(most, further)


def _numbers_today(existing: Object, rule: Object, state: State) -> LimitNumbers | None:
    """The numbers of a limit that is in force, None unless it counts and stops the same requests as
    a planned one."""
    counted = [counted_limit(item, state)._replace(ref="") for item in (existing, rule)]
    if counted[0] != counted[1] or existing.get("expression") != rule.get("expression"):
        return None
    timeouts = {limit_of(item).get("mitigation_timeout") or 0 for item in (existing, rule)}
    return _numbers_of(existing, is_least=len(timeouts) > 1)


def _newly_stopped(
    periods: Mapping[int, int], planned: LimitNumbers, today: LimitNumbers | None
) -> int:
    """The requests of a client that are stopped, and are not today; `periods` are all its requests
    by the number of the period. Of the requests of a period, limits stop the last ones."""
    stopped_today = _stopped_of(periods, today) if today else {}
    newly = 0
    for number, stopped in _stopped_of(periods, planned).items():
        newly += max(0, stopped - stopped_today.get(number, 0))
    return newly


def _stopped_of(periods: Mapping[int, int], numbers: LimitNumbers) -> dict[int, int]:
    """The stopped requests of a client, by the number of the period."""
    stopped: dict[int, int] = {}
    until = -1
    for number in sorted(periods):
        requests = periods[number]
        if number <= until:
            stopped[number] = requests
        elif requests > numbers.most:
            stopped[number] = requests - numbers.most
            until = number + numbers.further
    return stopped


def time_of(period: int) -> str:
    """The dimension of time whose steps make up a period."""
    return next(name for seconds, name in TIMES.items() if period % seconds == 0)


def _listing(limit: CountedLimit, reader: FieldReader, analytics: Analytics) -> NodeTraffic:
    dimensions = [*reader.names, time_of(limit.period)]
    since = analytics.until - timedelta(hours=analytics.hours)
    return ask_requests(
        analytics.send, analytics.zone_id, dimensions, since, analytics.until, PIECE
    )


def _doubts_of(listing: NodeTraffic) -> list[str]:
    """The reasons why the rows may not be all requests, or not exactly so many."""
    reasons = list(listing.unknown)
    if not listing.rows and not reasons:
        reasons.append(NOTHING_SEEN)
    if any(row.packets != row.samples for row in listing.rows):
        reasons.append("Cloudflare samples these requests, so that it does not count single ones.")
    samples: Counter[str] = Counter()
    for row in listing.hourly_rows:
        samples[str(row.values[0])] += row.samples
    silent = silence(samples, listing.page.since, listing.page.until, "requests")
    return [*reasons, silent] if silent else reasons


def client_counts(
    limit: CountedLimit,
    reader: FieldReader,
    rows: Sequence[Row],
    fields_of_zone: Mapping[str, FieldValue],
) -> ClientCounts:
    """The requests that a limit counts, by client and period. The last value of a row is its time,
    those before it are in the order of the reader."""
    distinct = [*dict.fromkeys(row.values[:-1] for row in rows)]
    requests: list[Fields] = []
    for values in distinct:
        group = reader.group(values, (0, 0))
        requests.append(Fields({**fields_of_zone, **group.fields}))
    certain, possible = Batch(requests).matching(limit.expression)
    clients: dict[Sequence[Any], object] = {}
    missing: dict[str, None] = {}
    for place in Batch.places(possible):
        fields = requests[place].values
        missing.update(dict.fromkeys(name for name in limit.fields if name not in fields))
        clients[distinct[place]] = tuple(fields.get(name) for name in limit.fields)
    for place in Batch.places(possible & ~certain):
        missing.update(dict.fromkeys(missing_fields(limit.expression, requests[place])))
    counted = [row for row in rows if row.values[:-1] in clients]
    counts: Counter[ClientPeriod] = Counter()
    for row in counted:
        counts[clients[row.values[:-1]], _period_of(row, limit.period)] += row.packets
    unknown = []
    if missing:
        number = plural(sum(row.packets for row in counted), "request", "requests")
        unknown.append(f"Of {number} it is not known, without {first_few(list(missing))}.")
    return ClientCounts(counts, unknown)


def _period_of(row: Row, period: int) -> int:
    """The number of the period in which the requests of a row lie."""
    moment = read_timestamp(row.values[-1])
    return int(moment.timestamp() // period) if moment else -1


def measurement(limit: CountedLimit, counts: ClientCounts) -> MeasuredLimit:
    """The measurement of a limit, whose numbers are None if not all of it is known."""
    unknown = [*limit.unknown, *counts.unknown]
    numbers = [] if unknown else sorted(counts.requests.values())
    clients = {client for client, _period in counts.requests}
    return MeasuredLimit(
        ref=limit.ref,
        period=limit.period,
        clients=None if unknown else len(clients),
        requests=None if unknown else sum(numbers),
        p50=_quantile(numbers, 500),
        p95=_quantile(numbers, 950),
        p99=_quantile(numbers, 990),
        p99_9=_quantile(numbers, 999),
        known=not unknown,
        unknown=unknown,
    )


def _quantile(ordered: Sequence[int], thousandths: int) -> int | None:
    """The lowest number that so many thousandths of some ordered numbers keep to; None if there are
    no numbers."""
    rank = -(-thousandths * len(ordered) // 1000)
    return ordered[rank - 1] if ordered else None

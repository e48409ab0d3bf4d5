# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The backtest of the requests that the analytics of a zone have, or a file."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta, timezone
from itertools import chain
from typing import Sequence

from .._text import first_few, plural
from .._timestamps import write_timestamp
from .._traffic.ask import Send, ask_requests
from .._traffic.pieces import silence
from .backtest import Backtest, BacktestRecord
from .past_requests import ANALYTICS, LOGPUSH, SOURCE, FieldReader, Records, require_file

ONLY_ZONES = "An account has no analytics of single requests; name a file with those of a zone."


def of_analytics(
    backtests: Sequence[Backtest],
    send: Send,
    zone_id: str | None,
    now: datetime | None,
    hours: float,
) -> list[BacktestRecord]:
    """The backtests of the requests that a zone received in the last `hours` before `now`, as
    results show them, with one query for all of them. If `zone_id` is None, they say that accounts
    have no analytics of requests."""
    if zone_id is None:
        return [backtest.record((None, None), [ONLY_ZONES]) for backtest in backtests]
    fields = dict.fromkeys(chain.from_iterable(backtest.fields for backtest in backtests))
    reader = FieldReader([*fields], ANALYTICS)
    until = now or datetime.now(timezone.utc)
    since = until - timedelta(hours=hours)
    listing = ask_requests(send, zone_id, reader.names, since, until)
    rows = ((row.values, row.packets, row.samples) for row in listing.rows)
    for groups in reader.groups(rows):
        for backtest in backtests:
            backtest.add(groups)
    window = (write_timestamp(listing.page.since), write_timestamp(until))
    samples: Counter[str] = Counter()
    for row in listing.hourly_rows:
        samples[str(row.values[0])] += row.samples
    silent = silence(samples, listing.page.since, until, "requests")
    reasons_unknown = [*listing.unknown, *([silent] if silent else [])]
    return [backtest.record(window, reasons_unknown) for backtest in backtests]


def of_file(backtest: Backtest, path: str) -> BacktestRecord:
    """The backtest of the requests in a file of Logpush records, as results show it; raises
    PlanError if the file cannot be opened."""
    require_file(path)
    reader = FieldReader(backtest.fields, LOGPUSH)
    records = Records(path, reader.names)
    for groups in reader.groups(records):
        backtest.add(groups)
    unclear = plural(records.unclear, "line", "lines")
    backtest.add_unread(records.unclear, f"{SOURCE} in {unclear} of {path}")
    reasons_unknown = []
    if records.unread:
        reasons_unknown.append(f"The file {path} cannot be read to its end: {records.unread}.")
    if len(records.zones) > 1:
        zones = first_few(sorted(records.zones))
        reasons_unknown.append(
            f"The file {path} has requests to several zones ({zones}). Keep those of the zone."
        )
    if backtest.requests["all"]:
        malformed = plural(records.malformed, "line", "lines")
        backtest.add_unread(records.malformed, f"records in {malformed} of {path}")
    elif not records.unread:
        reasons_unknown.append(
            f"No line of the file {path} is the record of a request of a client."
        )
    return backtest.record(records.window, reasons_unknown)

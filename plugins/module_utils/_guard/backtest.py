# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The backtest of a plan: past requests of the analytics or of a file, and the risk that they
show. Not known counts as too much."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from fractions import Fraction
from typing import NamedTuple

from .._api.client import Client
from .._errors import PlanError
from .._plan.plan import Plan
from .._protection.backtest import Backtest, BacktestRecord
from .._protection.past_requests import ANALYTICS, LOGPUSH, SOURCE, Reader, Records
from .._schema.resource import ZONE_OPTION
from .._schema.zone import CUSTOM_RULES
from .._text import Message, Option, first_few, plural
from .._timestamps import write_timestamp
from .._traffic.ask import ask_requests
from .._traffic.queries import PERMISSION, PERMISSION_OF_ZONE
from .risks.base import Entry, Found, entries_of

ONLY_ZONES = "An account has no analytics of single requests; name a file with those of a zone."


class Backtested(NamedTuple):
    """The backtest of a plan as results show it, and the risk that it finds."""

    record: BacktestRecord
    risk: Found


def run_backtest(
    plan: Plan, client: Client, hours: float, max_percent: float, file: str | None
) -> Backtested:
    """The backtest of a plan with the requests of some hours, or with those of a file."""
    backtest = Backtest(plan.before, plan.after())
    record = _of_file(backtest, file) if file else _of_analytics(backtest, client, hours)
    return Backtested(record, _finding(plan, backtest, record, max_percent))


def _of_analytics(backtest: Backtest, client: Client, hours: float) -> BacktestRecord:
    zone_id = client.owner.get(ZONE_OPTION)
    if zone_id is None:
        return backtest.record((None, None), [ONLY_ZONES])
    reader = Reader(backtest.fields, ANALYTICS)
    until = client.now or datetime.now(timezone.utc)
    since = until - timedelta(hours=hours)
    listing = ask_requests(client.ask, zone_id, reader.names, since, until)
    for part in reader.groups((row.values, row.packets, row.samples) for row in listing.rows):
        backtest.add(part)
    unknown = [text.replace(PERMISSION, PERMISSION_OF_ZONE) for text in listing.unknown]
    return backtest.record((write_timestamp(listing.page.since), write_timestamp(until)), unknown)


def _of_file(backtest: Backtest, path: str) -> BacktestRecord:
    try:
        with open(path, "rb"):
            reader = Reader(backtest.fields, LOGPUSH)
    except OSError as exc:
        problem = f": {path} cannot be opened: {exc.strerror}. Name a file that is there."
        raise PlanError(Message(Option("backtest", "file"), problem)) from exc
    records = Records(path, reader.names)
    for part in reader.groups(records):
        backtest.add(part)
    why, unclear = records.unread, plural(records.unclear, "line", "lines")
    backtest.add_unread(records.unclear, f"{SOURCE} in {unclear} of {path}")
    unknown = [f"The file {path} cannot be read to its end: {why}."] if why else []
    if backtest.requests["all"]:
        lines = plural(records.malformed, "line", "lines")
        backtest.add_unread(records.malformed, f"records in {lines} of {path}")
    elif not why:
        unknown.append(f"No line of the file {path} is the record of a request of a client.")
    return backtest.record(records.window, unknown)


def _finding(plan: Plan, backtest: Backtest, record: BacktestRecord, most: float) -> Found:
    of, reasons = backtest.requests, list(record["unknown"])
    if 100 * of["may_block"] > Fraction(str(most)) * of["passing"]:
        newly, undecided = record["newly_blocked"], record["undecided"]
        rules = [f"{one['ref']} {one['percent']:g} %" for one in record["rules"] if one["requests"]]
        by = f" ({first_few(rules)})" if rules else ""
        share = f"Of the requests that pass today, {newly['percent'] or 0:g} %"
        reasons.append(
            f"{share} would be blocked or challenged{by}, and at most {most:g} % may be."
        )
        if undecided["requests"]:
            without, percent = first_few(undecided["fields"]), undecided["percent"] or 0
            reasons.append(f"Of {percent:g} % it is not known, without {without}.")
    if not reasons:
        return None
    stopping = [tried.step.rule for tried in backtest.tried if tried.may_stop]
    entries = [Entry(CUSTOM_RULES, rule.key, rule.entry) for rule in stopping]
    return " ".join(reasons), [], entries or entries_of(plan.operations)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many accounts under one token: how close runs come to what the rate limit allows, and how long their inventory takes."""

from __future__ import annotations

from collections.abc import Iterator

from . import accounts, plays
from .measure import EMPTY, Case, Row, by_processor
from .ways import Limit, Ways, Work

FORKS = 20
LIMIT = Limit(120, 6.0)  # as the service's own 1,200 calls in 300 s, in less time
MANY, MOST = 200, 1_000
ZONES = 10_000
LATENCY = 0.05


def under_one_token(ways: Ways) -> Iterator[Case]:
    """Runs of the role that need several windows of the limit, one alone and two at once."""
    tasks = plays.role_baseline(call_budget=LIMIT.calls, call_budget_period=LIMIT.seconds)
    for count, runs, rounds in ((MANY, 1, 3), (MANY, 2, 1), (MOST, 1, 1)):
        times = "two runs at once over" if runs == 2 else "one run over"
        title = f"{times} {count:,} accounts in order, under a rate limit, forks {FORKS}, role baseline"
        least = f"the least time of the calls of {times} {count:,} accounts"
        work = Work(accounts.in_order(), parts=count)
        measured, limited = ways.limited(tasks, work, FORKS, LIMIT, runs)
        yield Case(
            f"limited_{count}_{runs}", {title: measured, least: limited}, [Row(title, least, 1.15)], rounds=rounds
        )


def without_waiting(ways: Ways) -> Iterator[Case]:
    """A run that needs no waiting, with and without a budget."""
    count = 100
    work = Work(accounts.in_order(), parts=count)
    one, other = (f"{count} accounts in order, {way} call budget, processors' time" for way in ("with a", "without a"))
    alternatives = {
        EMPTY: by_processor(ways.empty()),
        one: by_processor(ways.hosts(plays.account_protection(), work, FORKS)),
        other: by_processor(ways.hosts(plays.account_protection(call_budget=0), work, FORKS)),
    }
    yield Case("call_budget", alternatives, [Row(one, other, 1.02)])


def inventory(ways: Ways) -> Iterator[Case]:
    """A large inventory, against as many hosts in a file."""
    title = f"the inventory of {MOST:,} accounts and {ZONES:,} zones, {round(LATENCY * 1000)} ms per request"
    static = "a file with the same hosts"
    measured, read = ways.inventory(MOST, ZONES, LATENCY)
    yield Case("inventory", {title: measured, static: read}, [Row(title, static, 3.0, added=True)], rounds=3)

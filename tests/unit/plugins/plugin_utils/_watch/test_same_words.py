# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What says that a change stops too much says it in the same words: the evidence for a rule that monitors or logs, the
backtest, and the watch."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.facts import Backtested, backtest_finding
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.rollout import EvidenceLimits
from ansible_collections.edgeops.protection.plugins.module_utils._planning.judging import judge
from ansible_collections.edgeops.protection.plugins.module_utils._planning.rule_evidence import verdict_of
from ansible_collections.edgeops.protection.plugins.module_utils._protection.deciding import Decided
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.evidence import Evidence
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.logged import LoggedTraffic
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.queries import Row
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import range_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.watch_terms import WatchTerms
from ansible_collections.edgeops.protection.plugins.plugin_utils._watch.mark import WatchMark
from ansible_collections.edgeops.protection.plugins.plugin_utils._watch.sentences import figures_in_words
from ansible_collections.edgeops.protection.plugins.plugin_utils._watch.verdict import (
    EXCEEDED,
    RuleFigures,
    WatchedObject,
    WatchVerdict,
)

NETWORK = "192.0.2.0/24"


def of_network(stopped: int, total: int, limits: EvidenceLimits) -> str:
    rows = [
        Row(NETWORK, "FRA", "NOT_FOUND", "pass", verdict, packets, 100)
        for verdict, packets in (("drop", stopped), ("pass", total - stopped))
    ]
    network = range_of(NETWORK)
    assert network is not None
    decided = Decided([(network, [network])])
    return judge(decided, Evidence("out_of_state_tcp", rows, ()), limits).message


def of_rule(stopped: int, total: int, limits: EvidenceLimits) -> str:
    return verdict_of("a", "request", LoggedTraffic(total, {"a": stopped}, ()), limits).message


def of_backtest(stopped: int, total: int, limits: EvidenceLimits) -> str:
    requests = {"may_block": stopped, "passing": total}
    backtest: Any = SimpleNamespace(requests=requests, may_or_may_not_block=0, tried=[])
    record: Any = {"unknown": [], "rules": [], "undecided": {"requests": 0}}
    backtested = Backtested(backtest, record, limits.max_percent)
    finding = backtest_finding(Plan({}, ()), backtested)
    assert finding is not None
    return str(finding[0])


def of_watch(stopped: int, total: int, limits: EvidenceLimits) -> str:
    assert limits.max_packets is not None
    terms = WatchTerms(max_stopped_percent=limits.max_percent, max_stopped_requests=limits.max_packets)
    rule = WatchedObject("custom_rule", "admin", "a")
    mark = WatchMark("p", "2027-01-31T09:00:00Z", terms, (), {}, (), watched=[rule])
    figures = [RuleFigures(rule, stopped, None)]
    return figures_in_words(mark, WatchVerdict(EXCEEDED, requests=total, stopped=stopped, figures=figures))


HOURS = 24.0


@pytest.mark.parametrize(
    ("stopped", "total", "percent", "most", "share", "allowed"),
    [
        (812, 20140, 0.5, 1000, "4.032 %", "0.5 % or 1000"),
        (1, 2, 0, 0, "50 %", "0 % or 0"),
        (3, 1_000_000, 0, 5, "0.0003 %", "0 % or 5"),
        (20, 20, 99.9, 10, "100 %", "99.9 % or 10"),
    ],
)
def test_all_say_how_many_of_how_many_and_how_many_may_be(
    stopped: int, total: int, percent: float, most: int, share: str, allowed: str
) -> None:
    limits = EvidenceLimits(HOURS, percent, most)
    number = f"stopped {stopped} of {total}"
    allowed_percent = allowed.partition(" or ")[0]
    assert of_network(stopped, total, limits) == (
        f"It would have {number} packets to {NETWORK} ({share}) within 24 h, more than the allowed {allowed} packets."
    )
    assert of_rule(stopped, total, limits) == (
        f"It would have {number} requests ({share}) within 24 h, more than the allowed {allowed} requests."
    )
    assert of_backtest(stopped, total, limits) == (
        f"The planned rules would stop {stopped} of {total} requests that pass today ({share}),"
        f" more than the allowed {allowed_percent}."
    )
    assert of_watch(stopped, total, limits) == (
        f"custom rule admin {number} requests ({share}) since 2027-01-31 09:00 UTC,"
        f" more than the allowed {allowed} requests."
    )

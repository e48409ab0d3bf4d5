# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Verdicts: network by network, and never by what is not known."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.terms import parse_evidence
from ansible_collections.edgeops.protection.plugins.module_utils._plan.rollout import EvidenceLimits, Verdict
from ansible_collections.edgeops.protection.plugins.module_utils._planning.judging import judge
from ansible_collections.edgeops.protection.plugins.module_utils._protection.deciding import Decided
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.evidence import Evidence
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.queries import Row
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import networks, range_of

LARGE, SMALL = "203.0.112.0/23", "198.51.100.0/24"
LIMITS = EvidenceLimits(24.0, 0.1, None)
PASSED = [
    Row("203.0.112.0/24", "FRA", "", "pass", "pass", 100_000, 100),
    Row(SMALL, "FRA", "", "pass", "pass", 1000, 100),
]


def decided(*texts: str, **fields: Any) -> Decided:
    ranges = sorted(item for item in map(range_of, texts) if item)
    return Decided([(item, [item]) for item in ranges], **fields)


def lost(destination: str, packets: int, data_center: str = "FRA") -> Row:
    return Row(destination, data_center, "NOT_FOUND", "pass", "drop", packets, 1)


def verdict(*rows: Row, where: Decided | None = None, limits: EvidenceLimits = LIMITS, unknown: Any = ()) -> Verdict:
    evidence = Evidence("out_of_state_tcp", [*PASSED, *rows], list(unknown))
    return judge(where or decided(LARGE, SMALL), evidence, limits)


def test_a_rule_that_loses_no_more_than_allowed_may_be_enabled() -> None:
    found = verdict(lost("203.0.112.0/24", 100))
    assert (found.reason, found.percent, found.packets) == ("", 0.1, 100)


@pytest.mark.parametrize(
    ("rows", "percent", "concerned"),
    [
        ([lost("203.0.112.0/24", 101)], 0.101, ["203.0.112.0/23"]),
        ([lost(SMALL, 2)], 0.2, [SMALL]),
        ([lost("203.0.113.0/24", 1)], 100.0, ["203.0.113.0/24"]),
        ([lost(SMALL, 2), lost("203.0.113.0/24", 1)], 100.0, [SMALL, "203.0.113.0/24"]),
    ],
)
def test_each_subnet_and_each_prefix_counts(rows: list[Row], percent: float, concerned: list[str]) -> None:
    found = verdict(*rows)
    assert (found.reason, found.percent, networks(list(found.ranges))) == ("evidence", percent, concerned)
    assert found.advice and f"{percent:g} %" in found.message


def test_packets_count_by_prefix_too() -> None:
    limits = EvidenceLimits(24.0, 100, 10)
    assert verdict(lost("203.0.112.0/24", 6), lost("203.0.113.0/24", 6), limits=limits).reason == "evidence"
    assert verdict(lost("203.0.112.0/24", 6), lost(SMALL, 6), limits=limits).reason == ""


@pytest.mark.parametrize(
    ("where", "unknown", "words", "concerned"),
    [
        (decided(), [], "It decides for no protected address.", []),
        (decided(SMALL), ["It is broken."], "It is broken.", [SMALL]),
        (decided(SMALL, "192.0.2.0/24"), [], "saw no traffic to 192.0.2.0/24", ["192.0.2.0/24"]),
        (decided(SMALL, only=frozenset(["lax"])), [], "saw no traffic to", [SMALL]),
        (decided(SMALL, but=frozenset(["fra"])), [], "saw no traffic to", [SMALL]),
    ],
)
def test_not_known_counts_as_too_much(where: Decided, unknown: Any, words: str, concerned: list[str]) -> None:
    found = verdict(where=where, unknown=unknown)
    assert found.reason == "unknown" and words in found.message and networks(list(found.ranges)) == concerned
    assert found.percent is None and found.packets is None


def test_too_few_samples_are_not_known() -> None:
    few = Evidence("syn_flood", [Row(SMALL, "FRA", "", "pass", "pass", 10**6, 29)], [])
    assert (
        "Only 29 packets were sampled, fewer than 30, to 198.51.100.0/24." in judge(decided(SMALL), few, LIMITS).message
    )


def test_a_region_is_as_bad_as_its_worst_data_center() -> None:
    rows = [Row(SMALL, "CDG", "", "pass", "pass", 10, 10), lost(SMALL, 1, "CDG")]
    assert verdict(*rows, where=decided(SMALL)).reason == ""
    found = verdict(*rows, where=decided(SMALL, beside_region=True))
    assert (found.reason, found.percent) == ("evidence", 9.091)


def test_rows_by_address_count_for_their_subnet() -> None:
    rows = [lost("198.51.100.7", 1), lost("198.51.100.8", 1)]
    assert verdict(*rows, where=decided(SMALL)).percent == 0.2


OPTIONS = {"hours": 24.0, "max_would_drop_percent": 0.1, "max_would_drop_packets": None}


def test_a_task_may_not_ask() -> None:
    assert parse_evidence({}) is None and parse_evidence({"rollout_evidence": None}) is None
    limits = parse_evidence({"rollout_evidence": OPTIONS})
    assert limits == EvidenceLimits(24.0, 0.1, None)

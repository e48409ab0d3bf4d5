# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rows, summed up: what counts for which component, and what is not known."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import COMPONENTS
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.evidence import (
    Sums,
    evidence_of,
    summed,
    traffic_record,
)
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.queries import Row, Traffic

NOW = datetime(2026, 7, 1, 12, tzinfo=timezone.utc)


def row(destination: str = "203.0.113.0/24", packets: int = 1000, **fields: Any) -> Row:
    values = {"data_center": "FRA", "reason": "", "outcome": "pass", "verdict": "pass", "samples": packets, **fields}
    return Row(destination=destination, packets=packets, **values)


def would_drop(packets: int, reason: str = "NOT_FOUND", **fields: Any) -> Row:
    return row(packets=packets, reason=reason, verdict="drop", **fields)


def traffic_of(*rows: Row, unknown: Any = ()) -> Traffic:
    return Traffic(NOW - timedelta(hours=24), NOW, {"tcp": list(rows)}, {"tcp": list(unknown)})


def test_packets_are_summed_by_what_was_done_with_them() -> None:
    sums = summed([row(), would_drop(30), row(packets=7, outcome="drop", verdict="drop"), row(packets=3)])
    assert sums == Sums(passed=1003, dropped=7, would_drop=30, samples=1040)
    assert (sums.total, sums.percent, sums.sample_interval, sums.known) == (1040, 2.885, 1, True)
    assert (Sums().percent, Sums().sample_interval, Sums().known) == (None, None, False)


@pytest.mark.parametrize(
    ("reason", "counts"),
    [
        ("CHALLENGE_NEEDED", {"syn_flood": 30, "out_of_state_tcp": 0}),
        ("OUT_OF_SEQUENCE", {"syn_flood": 0, "out_of_state_tcp": 30}),
        ("SOMETHING_NEW", {"syn_flood": 30, "out_of_state_tcp": 30}),
        ("", {"syn_flood": 30, "out_of_state_tcp": 30}),
    ],
)
def test_reasons_tell_the_component(reason: str, counts: dict[str, int]) -> None:
    traffic = traffic_of(row(), would_drop(30, reason))
    assert {name: summed(evidence_of(traffic, name).rows).would_drop for name in counts} == counts


@pytest.mark.parametrize(
    ("traffic", "words"),
    [
        (traffic_of(), "The analytics saw no traffic."),
        (traffic_of(row(), unknown=["It is broken."]), "It is broken."),
        (traffic_of(row(samples=29)), "Only 29 packets were sampled, fewer than 30."),
        (traffic_of(row(), row(outcome="bounce")), "Outcome and verdict are not understood: bounce/pass."),
        (traffic_of(row(), row(verdict="")), "Outcome and verdict are not understood: pass/."),
        (traffic_of(row(), row("somewhere")), "Destinations are not understood: somewhere."),
        (Traffic(NOW, NOW), "The analytics were not asked."),
    ],
)
def test_not_known_is_never_zero(traffic: Traffic, words: str) -> None:
    record = traffic_record(traffic, ["syn_flood"], None)
    assert record["known"] is False and words in " ".join(record["unknown"])
    component = record["components"]["syn_flood"]
    assert component["known"] is False and words in " ".join(component["unknown"])


def test_results_have_components_and_networks() -> None:
    small = "198.51.100.0/24"
    rows = [row(packets=100_000), row(small), would_drop(50, destination=small, data_center="AMS"), would_drop(20)]
    record = traffic_record(traffic_of(*rows), ["out_of_state_tcp"], None)
    assert (record["since"], record["until"]) == ("2026-06-30T12:00:00+00:00", "2026-07-01T12:00:00+00:00")
    component = record["components"]["out_of_state_tcp"]
    assert record["known"] is True and component["reasons"] == {"NOT_FOUND": 70}
    assert component["advice"] == ["NOT_FOUND: flow tracking has not learned these connections yet; monitor longer."]
    assert [item["network"] for item in component["networks"]] == [small, "203.0.113.0/24"]
    assert component["networks"][0] == {
        "network": small,
        "passed_packets": 1000,
        "dropped_packets": 0,
        "would_drop_packets": 50,
        "would_drop_percent": 4.762,
        "data_centers": {"AMS": 50},
        "known": True,
    }


def test_networks_are_those_that_were_asked_for() -> None:
    rows = [row(), row("198.51.100.0/24"), would_drop(5)]
    networks = traffic_record(traffic_of(*rows), ["syn_flood"], ["203.0.0.0/16", "192.0.2.0/24"])
    listed = networks["components"]["syn_flood"]["networks"]
    assert [(item["network"], item["passed_packets"], item["known"]) for item in listed] == [
        ("203.0.0.0/16", 1000, True),
        ("192.0.2.0/24", None, False),
    ]


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("NOT_FOUND", "monitor longer"),
        ("UNEXPECTED", "asymmetric"),
        ("OUT_OF_SEQUENCE", "lower the burst sensitivity first"),
        ("ALREADY_CLOSED", "end of their connection"),
        ("CHALLENGE_NEEDED", "clients would be challenged"),
    ],
)
def test_each_reason_has_advice(reason: str, words: str) -> None:
    advice = [text for name in COMPONENTS for text in evidence_of(traffic_of(would_drop(5, reason)), name).advice()]
    assert len(advice) == 1 and words in advice[0]

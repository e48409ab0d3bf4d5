# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random traffic against a small model of the gate, which goes by single subnets of single prefixes."""

from __future__ import annotations

from fractions import Fraction
from ipaddress import IPv4Network
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._guard.evidence import judge
from ansible_collections.edgeops.protection.plugins.module_utils._guard.terms import EvidenceLimits
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Decided
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.answers import Row, Traffic
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.evidence import FEWEST_SAMPLES, evidence_of
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import range_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

PREFIXES = ["198.51.100.0/24", "203.0.112.0/23", "192.0.2.0/24"]
SUBNETS = ["198.51.100.0/24", "203.0.112.0/24", "203.0.113.0/24", "192.0.2.0/24", "10.0.0.0/24"]
CODES = ["FRA", "AMS"]
ROWS = st.lists(
    st.builds(
        Row,
        st.sampled_from(SUBNETS),
        st.sampled_from(CODES),
        st.sampled_from(["", "NOT_FOUND", "CHALLENGE_NEEDED", "NEW"]),
        st.sampled_from(["pass", "pass", "pass", "drop"]),
        st.sampled_from(["pass", "pass", "pass", "drop"]),
        st.integers(0, 5000),
        st.integers(0, 60),
    ),
    max_size=14,
)
LIMITS = st.builds(
    EvidenceLimits, st.just(24.0), st.sampled_from([0.0, 0.1, 5.0, 30.0, 100.0]), st.sampled_from([None, 0, 100, 5000])
)
UNKNOWN = st.sampled_from([[], [], [], ["A shard is lost."]])
SCOPES = st.sampled_from(["global", "datacenter", "region"])


def counts(row: Row, component: str) -> bool:
    """Whether the component saw the packet."""
    if (row.outcome, row.verdict) == ("pass", "pass"):
        return True
    of_syn_flood = row.reason.startswith("CHALLENGE")
    of_out_of_state = row.reason == "NOT_FOUND"
    return not (of_out_of_state if component == "syn_flood" else of_syn_flood)


def expected(rows: list[Row], component: str, limits: EvidenceLimits, scope: str, prefixes: list[str]) -> str:
    """What the gate must say of rows that are all known: by prefix, by subnet, in a region by data center."""
    seen = [row for row in rows if counts(row, component) and (scope != "datacenter" or row.data_center == "AMS")]
    groups: list[list[Row]] = []
    for prefix in prefixes:
        inside = [row for row in seen if IPv4Network(row.destination).subnet_of(IPv4Network(prefix))]
        groups.append(inside)
        for subnet in SUBNETS:
            of_subnet = [row for row in inside if row.destination == subnet]
            parts = [[row for row in of_subnet if row.data_center == code] for code in CODES]
            groups += parts if scope == "region" else [of_subnet]
    for group in groups:
        lost = sum(row.packets for row in group if (row.outcome, row.verdict) == ("pass", "drop"))
        total = sum(row.packets for row in group)
        too_many = limits.max_packets is not None and lost > limits.max_packets
        if lost and (Fraction(lost * 100) > Fraction(str(limits.max_percent)) * total or too_many):
            return "evidence"
    few = any(
        sum(row.samples for row in seen if IPv4Network(row.destination).subnet_of(IPv4Network(prefix))) < FEWEST_SAMPLES
        for prefix in prefixes
    )
    return "unknown" if few else ""


@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=ROWS,
    limits=LIMITS,
    scope=SCOPES,
    component=st.sampled_from(["syn_flood", "out_of_state_tcp"]),
    prefixes=st.sets(st.sampled_from(PREFIXES), min_size=1),
    unknown=UNKNOWN,
)
def test_the_gate_enables_nothing_that_the_model_keeps_and_keeps_nothing_else(
    rows: list[Row], limits: EvidenceLimits, scope: str, component: str, prefixes: set[str], unknown: list[str]
) -> None:
    listed = sorted(prefixes, key=lambda text: range_of(text) or (0, 0))
    ranges = [item for item in map(range_of, listed) if item]
    only = frozenset(["ams"]) if scope == "datacenter" else None
    decided = Decided([(item, [item]) for item in ranges], only=only, beside_region=scope == "region")
    moment: Any = None
    evidence = evidence_of(Traffic(moment, moment, {"tcp": rows}, {"tcp": unknown}), component)
    reason = expected(rows, component, limits, scope, listed)
    assert judge(decided, evidence, limits).reason == ("unknown" if unknown and reason != "evidence" else reason)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rows of the analytics, summed up: what passed, was dropped, and would have been dropped; and how
many requests each rule of a zone matched, by the events that the analytics keep.

Numbers are estimates, since Cloudflare samples. Not known is never zero.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Callable, Hashable, Iterable, Mapping, Sequence, TypedDict, TypeVar

from .._text import first_few
from .._timestamps import write_timestamp
from .._values.address_set import Ranges, intersection, range_of
from .ask import Heaviest
from .queries import (
    ADVICE_BY_STATE_REASON,
    CHALLENGE,
    DROP,
    FEWEST_SAMPLES,
    NOTHING_SEEN,
    PASS,
    Row,
    Traffic,
    concerns,
    node_of,
    percentage,
    too_few,
)

GroupKey = TypeVar("GroupKey", bound=Hashable)


class PacketNumbers(TypedDict):
    """The numbers of packets that passed, were dropped, or would have been dropped. None means that
    no packets were seen, which does not mean that there were none.
    """

    passed_packets: int | None
    dropped_packets: int | None
    would_drop_packets: int | None
    would_drop_percent: float | None


class NetworkTraffic(TypedDict):
    """The traffic to one network, in the shape of results."""

    network: str
    passed_packets: int | None
    dropped_packets: int | None
    would_drop_packets: int | None
    would_drop_percent: float | None
    data_centers: dict[str, Any]
    known: bool


class ComponentTraffic(PacketNumbers):
    """The traffic that one component of the protection saw, in the shape of results."""

    sample_interval: int | None
    known: bool
    unknown: list[str]
    reasons: dict[str, Any]
    advice: list[str]
    networks: list[NetworkTraffic]


class TrafficRecord(TypedDict):
    """The traffic of an account, in the shape of results."""

    since: str
    until: str
    known: bool
    unknown: list[str]
    components: dict[str, ComponentTraffic]


class HeavyTraffic(TypedDict):
    """One of the heaviest sources, networks, autonomous systems, countries or ports, in the shape
    of results.
    """

    value: str
    packets: int


class TopTraffic(TypedDict):
    """The heaviest sources, networks and so on of dropped packets, in the shape of results."""

    known: bool
    unknown: list[str]
    sources: list[HeavyTraffic]
    source_networks: list[HeavyTraffic]
    asns: list[HeavyTraffic]
    countries: list[HeavyTraffic]
    ports: list[HeavyTraffic]


class TopRecord(TrafficRecord):
    """The traffic of an account with its heaviest traffic."""

    top: TopTraffic


@dataclass(frozen=True)
class Sums:
    """The numbers of packets that passed, were dropped, or would have been dropped. They are
    estimates from `samples`, the number of packets that the analytics saw.
    """

    passed: int = 0
    dropped: int = 0
    would_drop: int = 0
    samples: int = 0

    @property
    def total(self) -> int:
        """The number of all packets."""
        return self.passed + self.dropped + self.would_drop

    @property
    def percent(self) -> float | None:
        """The percentage that would have been dropped; None if none were seen."""
        return percentage(self.would_drop, self.total)

    def record(self) -> PacketNumbers:
        """The numbers as results show them."""
        if not self.samples:
            return PacketNumbers(
                passed_packets=None,
                dropped_packets=None,
                would_drop_packets=None,
                would_drop_percent=self.percent,
            )
        return PacketNumbers(
            passed_packets=self.passed,
            dropped_packets=self.dropped,
            would_drop_packets=self.would_drop,
            would_drop_percent=self.percent,
        )

    @property
    def sample_interval(self) -> int | None:
        """N if the analytics saw one of N packets; None if they saw none."""
        return max(1, round(self.total / self.samples)) if self.samples else None

    @property
    def known(self) -> bool:
        """Return whether enough packets were seen for a percentage to be reliable."""
        return self.samples >= FEWEST_SAMPLES


def action_of(row: Row) -> str:
    """`passed`, `dropped` or `would_drop`; empty if the outcome of a row has a name that is not
    known.
    """
    if row.outcome == DROP:
        return "dropped"
    if row.outcome != PASS:
        return ""
    if row.verdict == DROP:
        return "would_drop"
    return "passed" if row.verdict == PASS else ""


def summed(rows: Iterable[Row]) -> Sums:
    """The sums over these rows."""
    packets = {"passed": 0, "dropped": 0, "would_drop": 0, "": 0}
    samples = 0
    for row in rows:
        packets[action_of(row)] += row.packets
        samples += row.samples
    return Sums(packets["passed"], packets["dropped"], packets["would_drop"], samples)


def grouped(rows: Iterable[Row], key: Callable[[Row], GroupKey]) -> dict[GroupKey, list[Row]]:
    """The rows grouped by their keys."""
    groups: dict[GroupKey, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


@dataclass(frozen=True)
class Evidence:
    """The rows that are about one component, and the reasons why something about it is not
    known."""

    component: str
    rows: Sequence[Row]
    unknown: Sequence[str]

    def within(self, space: Ranges) -> Evidence:
        """The same evidence without rows whose destination lies outside of a space."""
        rows = [row for row in self.rows if _goes_to(row, space)]
        return Evidence(self.component, rows, self.unknown)

    def reasons(self) -> dict[str, int]:
        """The packets that were or would have been dropped, by reason."""
        packets: Counter[str] = Counter()
        for row in self.rows:
            if action_of(row) in ("dropped", "would_drop"):
                packets[row.reason or "unknown"] += row.packets
        reasons = sorted(packets, key=lambda reason: (-packets[reason], reason))
        return {reason: packets[reason] for reason in reasons}

    def advice(self) -> list[str]:
        """Advice about packets that would have been dropped, a sentence for each reason."""
        reasons = {row.reason for row in self.rows if action_of(row) == "would_drop"}
        advice = [
            sentence for reason, sentence in ADVICE_BY_STATE_REASON.items() if reason in reasons
        ]
        if any(reason.startswith(CHALLENGE) for reason in reasons):
            advice.append(CHALLENGED)
        return advice


CHALLENGED = "CHALLENGE: clients would be challenged; lower the sensitivities if they are your own."


def _goes_to(row: Row, space: Ranges) -> bool:
    """Return whether packets went to a destination that lies in a space, at least in part."""
    destination = range_of(row.destination)
    if destination is None:
        return False
    return bool(intersection([destination], space))


def evidence_of(traffic: Traffic, component: str) -> Evidence:
    """The rows of an account's traffic that are about one component."""
    name = node_of(component).name
    rows: list[Row] = []
    verdicts: set[str] = set()  # that are not understood
    destinations: set[str] = set()  # likewise
    for row in traffic.rows.get(name, ()):
        action = action_of(row)
        if action != "passed" and not concerns(component, row.reason):
            continue
        rows.append(row)
        if not action:
            verdicts.add(f"{row.outcome}/{row.verdict}")
        if range_of(row.destination) is None:
            destinations.add(row.destination)
    unknown = list(traffic.unknown.get(name, ["The analytics were not asked."]))
    if verdicts:
        unknown.append(f"Outcome and verdict are not understood: {first_few(sorted(verdicts))}.")
    if destinations:
        unknown.append(f"Destinations are not understood: {first_few(sorted(destinations))}.")
    if not rows and not unknown:
        unknown.append(NOTHING_SEEN)
    return Evidence(component, rows, unknown)


def traffic_record(
    traffic: Traffic, components: Sequence[str], prefixes: Sequence[str] | None
) -> TrafficRecord:
    """The traffic as results show it; networks are the prefixes, or else the subnets that traffic
    went to."""
    records: dict[str, ComponentTraffic] = {}
    unknown: dict[str, None] = {}
    for component in components:
        record = component_record(evidence_of(traffic, component), prefixes)
        records[component] = record
        unknown.update(dict.fromkeys(record["unknown"]))
    return TrafficRecord(
        since=write_timestamp(traffic.since),
        until=write_timestamp(traffic.until),
        known=all(record["known"] for record in records.values()),
        unknown=list(unknown),
        components=records,
    )


def top_record(heaviest: Heaviest) -> dict[str, Any]:
    """The heaviest traffic as results show it, the heaviest first."""
    unknown = list(dict.fromkeys(heaviest.unknown))
    record: dict[str, Any] = {"known": not unknown, "unknown": unknown}
    for name, packets in heaviest.packets.items():
        record[name] = [
            HeavyTraffic(value=value, packets=number) for value, number in packets.items()
        ]
    return record


def component_record(evidence: Evidence, prefixes: Sequence[str] | None) -> ComponentTraffic:
    """The evidence of one component as results show it."""
    sums = summed(evidence.rows)
    unknown = list(evidence.unknown)
    if evidence.rows and not sums.known:
        unknown.append(too_few(sums.samples))
    is_unknown = bool(evidence.unknown)
    rows_of_networks = by_network(evidence, prefixes)
    networks: list[NetworkTraffic] = []
    for network, rows in rows_of_networks.items():
        networks.append(network_record(network, rows, is_unknown))
    return ComponentTraffic(
        **sums.record(),
        sample_interval=sums.sample_interval,
        known=not unknown,
        unknown=unknown,
        reasons=evidence.reasons(),
        advice=evidence.advice(),
        networks=networks,
    )


def by_network(evidence: Evidence, prefixes: Sequence[str] | None) -> Mapping[str, Sequence[Row]]:
    """The rows by prefix, or by subnet if there are no prefixes. The networks for which most
    packets would have been dropped come first.
    """
    groups: dict[str, list[Row]] = {}
    if prefixes is None:
        groups = grouped(evidence.rows, lambda row: row.destination)
    for prefix in prefixes or ():
        network = range_of(prefix)
        groups[prefix] = list(evidence.within([network]).rows) if network else []
    lost = {name: summed(rows).would_drop for name, rows in groups.items()}
    return {name: groups[name] for name in sorted(groups, key=lambda name: -lost[name])}


def network_record(network: str, rows: Sequence[Row], is_unknown: bool) -> NetworkTraffic:
    """The traffic to one network, in the shape of results; its `data_centers` count only packets
    that would have been dropped.
    """
    sums = summed(rows)
    would_drop: Counter[str] = Counter()
    for row in rows:
        if action_of(row) == "would_drop":
            would_drop[row.data_center] += row.packets
    return NetworkTraffic(
        network=network,
        **sums.record(),
        data_centers={name: would_drop[name] for name in sorted(would_drop)},
        known=sums.known and not is_unknown,
    )

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Doubts about networks to which the analytics saw no traffic in parts of the hours."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import Iterable, Sequence

from .._protection.deciding import Decided
from .._text import first_few
from .._traffic.ask import NodeTraffic
from .._traffic.evidence import Evidence
from .._traffic.pieces import silence
from .._traffic.queries import Row
from .._values.address_set import (
    Range,
    Ranges,
    difference,
    intersection,
    networks,
    range_of,
    subnet_of,
)
from .judging import Doubt, in_few_sentences, is_decided, union_of_networks


def silent(hours: NodeTraffic, decided: Decided, evidence: Evidence) -> list[Doubt]:
    """A doubt for each prefix, and each subnet with traffic, to which the analytics saw no traffic
    in parts of the hours; for all of them if the hours are not known.
    """
    space = decided.space
    if hours.unknown:
        return [(reason, space) for reason in hours.unknown]
    doubts = _silent_networks(hours, [ranges for _prefix, ranges in decided.networks])
    told = union_of_networks([ranges for _sentence, ranges in doubts])
    rows = [row for row in evidence.rows if is_decided(row, decided, space)]
    subnets = [ranges for ranges in _subnets_of(rows, space) if difference(ranges, told)]
    return in_few_sentences([*doubts, *_silent_networks(hours, subnets)])


def _subnets_of(rows: Iterable[Row], space: Ranges) -> list[Ranges]:
    """The subnets that have traffic, each limited to its part in the space."""
    destinations = {range_of(row.destination) or (0, 0) for row in rows}
    subnets = sorted({subnet_of(destination) for destination in destinations})
    return [intersection([subnet], space) for subnet in subnets]


def _silent_networks(hours: NodeTraffic, spaces: Sequence[Ranges]) -> list[Doubt]:
    """A doubt for each network to which the analytics saw no traffic in parts of the hours."""
    samples_by_subnet: dict[Range, Counter[str]] = {}
    for row in hours.rows:
        destination = range_of(row.destination)
        if destination:
            samples_by_subnet.setdefault(destination, Counter())[row.outcome] += row.samples
    subnets = sorted(samples_by_subnet)  # they are disjoint
    doubts: list[Doubt] = []
    for space in spaces:
        samples: Counter[str] = Counter()
        for subnet in _touching(subnets, space):
            samples.update(samples_by_subnet[subnet])
        traffic = f"traffic to {first_few(networks(space))}"
        text = silence(samples, hours.page.since, hours.page.until, traffic)
        if text:
            doubts.append((text, space))
    return doubts


def _touching(subnets: Sequence[Range], space: Ranges) -> list[Range]:
    """The subnets that overlap the `space`; `subnets` are disjoint and in order."""
    touching: dict[Range, None] = {}
    for start, end in space:
        first = bisect_right(subnets, (start, start))
        first -= 1 if first and subnets[first - 1][1] >= start else 0
        for subnet in subnets[first:]:
            if subnet[0] > end:
                break
            touching[subnet] = None
    return list(touching)

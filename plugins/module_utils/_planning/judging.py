# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The verdict of past traffic on one object: whether too much would have been dropped.

Network by network, so that a small one is not hidden by a large one. Not known counts as too much.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from typing import Iterable, Sequence, Tuple

from .._plan.rollout import EvidenceLimits, Verdict
from .._protection.deciding import Decided
from .._text import first_few, plural
from .._traffic.evidence import Evidence, Sums, grouped, summed
from .._traffic.queries import Row, too_few
from .._traffic.stopped import WOULD_HAVE_STOPPED, StoppedLimits, StoppedTraffic
from .._values.address_set import (
    INSIDE,
    Range,
    Ranges,
    intersection,
    networks,
    position_in,
    range_of,
    subnet_of,
    union,
)

NetworkShare = Tuple[Ranges, Sums]  # a network, and the traffic to it
Doubt = Tuple[str, Ranges]  # a sentence on what is not known, and the networks concerned


def _exceeds(limits: EvidenceLimits, sums: Sums) -> bool:
    """Return whether more traffic would have been dropped than these limits allow."""
    most_percent, most_packets = Fraction(str(limits.max_percent)), limits.max_packets
    if 100 * sums.would_drop > most_percent * sums.total:
        return True
    return most_packets is not None and sums.would_drop > most_packets


def judge(
    decided: Decided,
    evidence: Evidence,
    limits: EvidenceLimits,
    further_doubts: Sequence[Doubt] = (),
) -> Verdict:
    """The verdict on an object: in no network may more traffic be lost than the limits allow.

    It concerns each network that loses too much or is not known, so that no acceptance of one
    network hides another.
    """
    space = decided.space
    if not space:
        return Verdict.unknown("It decides for no protected address.", [])
    rows = [row for row in evidence.rows if is_decided(row, decided, space)]
    by_prefix = _by_prefix(rows, decided)
    shares = [*by_prefix, *_by_subnet(rows, decided, space)]
    dropped = summed(rows).would_drop
    advice = Evidence(evidence.component, rows, ()).advice()
    exceeding = [share for share in shares if _exceeds(limits, share[1])]
    doubts: list[Doubt] = [(reason, space) for reason in evidence.unknown]
    doubts += [*_too_thin(by_prefix), *further_doubts]
    unknown = unknown_by(doubts)
    if not exceeding and doubts:
        return unknown
    if not exceeding:
        return Verdict("", "", max(map(_percent_of, shares)), dropped, [], advice)
    worst = max(exceeding, key=_percent_of)
    ranges = union_of_networks([share[0] for share in exceeding])
    sentences = [_too_much(worst, ranges, limits)]
    if doubts:
        sentences.append(unknown.message)
    concerned = union([*ranges, *unknown.ranges])
    message = " ".join(sentences)
    return Verdict("evidence", message, _percent_of(worst), dropped, concerned, advice)


def unknown_by(doubts: Sequence[Doubt]) -> Verdict:
    """The verdict that it is not known, for these `doubts`, how much traffic an object would
    drop.
    """
    sentences = [sentence for sentence, _ranges in doubts]
    return Verdict.unknown(
        " ".join(sentences), union_of_networks([ranges for _sentence, ranges in doubts])
    )


def union_of_networks(networks_of_each: Sequence[Ranges]) -> Ranges:
    """The addresses of several networks, as one set."""
    return union(network for ranges in networks_of_each for network in ranges)


def _percent_of(share: NetworkShare) -> float:
    return share[1].percent or 0.0


def is_decided(row: Row, decided: Decided, space: Ranges) -> bool:
    """Return whether a rule or filter may decide for the traffic in a row."""
    destination = range_of(row.destination)
    is_inside = destination is not None and position_in(destination, space) == INSIDE
    return is_inside and decided.may_decide_in(row.data_center)


def _by_prefix(rows: Iterable[Row], decided: Decided) -> list[NetworkShare]:
    """The packets of each protected prefix, also for prefixes without traffic."""
    prefixes = [prefix for prefix, _ranges in decided.networks]
    starts = [start for start, _end in prefixes]  # they are disjoint and in order

    def prefix_of(row: Row) -> Range:
        start, _end = range_of(row.destination) or (0, 0)
        return prefixes[bisect_right(starts, start) - 1]

    rows_by_prefix = grouped(rows, prefix_of)
    shares: list[NetworkShare] = []
    for prefix, ranges in decided.networks:
        shares.append((ranges, summed(rows_by_prefix.get(prefix, ()))))
    return shares


def _by_subnet(rows: Iterable[Row], decided: Decided, space: Ranges) -> list[NetworkShare]:
    """The packets of each subnet in the `space`; if it is not known which data centers are
    concerned, of each subnet in each data center.
    """

    def subnet_and_data_center(row: Row) -> tuple[Range, str]:
        destination = range_of(row.destination) or (0, 0)
        return subnet_of(destination), row.data_center if decided.beside_region else ""

    shares: list[NetworkShare] = []
    for (subnet, _data_center), subnet_rows in grouped(rows, subnet_and_data_center).items():
        shares.append((intersection([subnet], space), summed(subnet_rows)))
    return shares


def _too_much(worst: NetworkShare, ranges: Ranges, limits: EvidenceLimits) -> str:
    concerned, sums = worst
    worst_networks = networks(concerned)
    number = len(networks(ranges)) - len(worst_networks)
    further = plural(number, "more network", "more networks")
    further_networks = f", and too many to {further}" if number > 0 else ""
    found = StoppedTraffic(
        sums.would_drop,
        sums.total,
        "packets",
        where=f"to {first_few(worst_networks)}",
        when=f"within {limits.hours:g} h",
    )
    most = StoppedLimits(limits.max_percent, limits.max_packets)
    return f"It {found.beyond(most, WOULD_HAVE_STOPPED)}{further_networks}."


def _too_thin(by_prefix: Sequence[NetworkShare]) -> list[Doubt]:
    """A doubt for each prefix to which too few packets were seen."""
    silent: list[Ranges] = []
    thin: list[Doubt] = []
    for ranges, sums in by_prefix:
        if not sums.samples:
            silent.append(ranges)
        elif not sums.known:
            number = too_few(sums.samples).rstrip(".")
            thin.append((f"{number}, to {first_few(networks(ranges))}.", ranges))
    doubts: list[Doubt] = []
    if silent:
        space = union_of_networks(silent)
        doubts.append((f"The analytics saw no traffic to {first_few(networks(space))}.", space))
    return [*doubts, *in_few_sentences(thin)]


def in_few_sentences(doubts: Sequence[Doubt]) -> list[Doubt]:
    """The doubts joined into one, which names the first of them and concerns the networks of
    all.
    """
    if not doubts:
        return []
    sentences = [sentence for sentence, _ranges in doubts[:MOST_SENTENCES]]
    return [(" ".join(sentences), union_of_networks([ranges for _sentence, ranges in doubts]))]


MOST_SENTENCES = 3

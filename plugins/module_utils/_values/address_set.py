# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sets of addresses of both families, exact whatever their size: sorted, disjoint ranges of whole
numbers.

IPv4 addresses are their own numbers; IPv6 addresses follow behind a gap, so that ranges never grow
together across the families. Each operation is linear in the number of ranges, after one sort where
they come unsorted.
"""

from __future__ import annotations

import ipaddress
from bisect import bisect_right
from typing import Any, Iterable, Iterator, List, Tuple

from .._text import plural
from .networks import BITS, normalise_network

Range = Tuple[int, int]  # first and last number
Ranges = List[Range]  # sorted, disjoint, none next to another

IPV6 = 1 << 64
EVERYTHING: Ranges = [(0, (1 << 32) - 1), (IPV6, IPV6 + (1 << 128) - 1)]
INSIDE, STRADDLING, OUTSIDE = "inside", "straddling", "outside"


def range_of(text: Any) -> Range | None:
    """The range of a network or address as Cloudflare or a user writes it; None where it is
    neither."""
    version, address, length, malformed = normalise_network(text)
    if malformed or not version:
        return None
    first = address + (IPV6 if version == 6 else 0)
    return first, first + (1 << (BITS[version] - length)) - 1


def overlaps(text: Any, ranges: Ranges) -> bool:
    """Whether a network or address has an address in a set; not where it is neither."""
    network = range_of(text)
    return network is not None and bool(intersection([network], ranges))


def subnet_of(network: Range) -> Range:
    """The subnet that the analytics count a network or address in: /24 of IPv4, /64 of IPv6; a
    wider network is one by itself."""
    first, last = network
    bits = 64 if first >= IPV6 else 8
    subnet = (first >> bits << bits, first | ((1 << bits) - 1))
    return (min(subnet[0], first), max(subnet[1], last))


def union(ranges: Iterable[Range]) -> Ranges:
    """Ranges in any order, overlapping or not, as a set."""
    merged: Ranges = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            if last > merged[-1][1]:
                merged[-1] = (merged[-1][0], last)
        else:
            merged.append((first, last))
    return merged


def intersection(one: Ranges, other: Ranges) -> Ranges:
    """What both sets hold."""
    common: Ranges = []
    left = right = 0
    while left < len(one) and right < len(other):
        first, last = max(one[left][0], other[right][0]), min(one[left][1], other[right][1])
        if first <= last:
            common.append((first, last))
        if one[left][1] < other[right][1]:
            left += 1
        else:
            right += 1
    return common


def difference(one: Ranges, other: Ranges) -> Ranges:
    """What the first set holds and the second does not."""
    return intersection(one, complement(other))


def complement(ranges: Ranges) -> Ranges:
    """Every address of both families that the set does not hold."""
    left: Ranges = []
    position = 0
    for start, end in EVERYTHING:
        while position < len(ranges) and ranges[position][0] <= end:
            first, last = ranges[position]
            if start < first:
                left.append((start, first - 1))
            start = last + 1
            position += 1
        if start <= end:
            left.append((start, end))
    return left


def position_in(network: Range, space: Ranges) -> str:
    """Whether a range lies inside of a space, outside, or straddles its edge."""
    first, last = network
    index = bisect_right(space, (first, EVERYTHING[-1][1]))  # the first that begins behind it
    if index and space[index - 1][1] >= first:
        return INSIDE if space[index - 1][1] >= last else STRADDLING
    return STRADDLING if index < len(space) and space[index][0] <= last else OUTSIDE


def count(ranges: Ranges) -> int:
    """How many addresses the set holds."""
    return sum(last - first + 1 for first, last in ranges)


def networks(ranges: Ranges) -> list[str]:
    """The set as the fewest networks in CIDR notation, in ascending order, IPv4 first."""
    return [_text(first, bits, length) for first, bits, length in _blocks(ranges)]


def widest(ranges: Ranges) -> Iterator[tuple[int, int, Range]]:
    """The networks that the set consists of, as the family's version, the length of the prefix and
    the range."""
    for first, bits, length in _blocks(ranges):
        yield (4 if bits == 32 else 6), length, (first, first + (1 << (bits - length)) - 1)


def _blocks(ranges: Ranges) -> Iterator[tuple[int, int, int]]:
    for first, last in ranges:
        offset, bits = (IPV6, 128) if first >= IPV6 else (0, 32)
        while first <= last:
            address = first - offset
            aligned = (address & -address).bit_length() - 1 if address else bits
            size = min(aligned, (last - first + 1).bit_length() - 1)
            yield first, bits, bits - size
            first += 1 << size


def _text(first: int, bits: int, length: int) -> str:
    address = ipaddress.IPv4Address(first) if bits == 32 else ipaddress.IPv6Address(first - IPV6)
    return f"{address}/{length}"


def counted(ranges: Ranges) -> str:
    """How many addresses, as people say it: IPv6 addresses by the /64 where there is at least
    one."""
    four = count([item for item in ranges if item[0] < IPV6])
    six = count(ranges) - four
    parts = [plural(four, "IPv4 address", "IPv4 addresses")] if four else []
    if six >= 1 << 64:
        whole, rest = divmod(six, 1 << 64)
        more = "more than " if rest else ""
        parts.append(more + plural(whole, "IPv6 /64 network", "IPv6 /64 networks"))
    elif six:
        parts.append(plural(six, "IPv6 address", "IPv6 addresses"))
    return " and ".join(parts) or "no addresses"

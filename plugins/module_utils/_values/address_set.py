# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Networks and sets of addresses, and the contents of lists that rules refer to.

A network has a normalised value, by which equal networks compare as equal however a user writes
them. A set is exact whatever its size: sorted, disjoint ranges of whole numbers. IPv4 addresses are
their own numbers; IPv6 addresses follow behind a gap, so that ranges never grow together across the
families. Each operation on sets is linear in the number of ranges, after one sort where they come
unsorted.
"""

from __future__ import annotations

import ipaddress
import socket
from bisect import bisect_right
from typing import Any, Iterable, Iterator, List, NamedTuple, Tuple, Union

Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]

# The family, the first address, the length; or a malformed text.
NormalisedNetwork = Tuple[int, int, int, str]
BITS = {4: 32, 6: 128}  # of an address, by family
WIDEST_USUAL = {4: 8, 6: 16}  # nobody announces wider networks
GLOBAL_IPV6 = "2000::/3"
# By IANA's registry "IPv4 Special-Purpose Address Space", without the networks for documentation,
# which examples use.
NOT_ROUTABLE = (
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "224.0.0.0/3",
)
LENGTHS = {str(length): length for length in range(129)}


def parse_network(text: str) -> Network:
    """The network that `text` (an address, or a network in CIDR notation) names, host bits
    dropped."""
    text = text.strip()
    length = text.partition("/")[2]
    if "%" in text or (("/" in text) and not (length.isascii() and length.isdigit())):
        raise ValueError(f"'{text}' is not a network in CIDR notation")
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError as exc:
        reason = _too_long(text) or f"{exc}{_completed(text)}"
        raise ValueError(f"'{text}' is not a network: {reason}") from exc


def _completed(text: str) -> str:
    """A hint where octets are missing, as in 203.0.113/24."""
    address, slash, length = text.partition("/")
    octets = address.split(".")
    if not slash:
        return ""
    candidate = ".".join(octets + ["0"] * (4 - len(octets))) + slash + length
    try:
        ipaddress.ip_network(candidate, strict=False)
    except ValueError:
        return ""
    return f" (did you mean {candidate}?)"


def _canonical(text: str) -> NormalisedNetwork | None:
    """The normalised value of an address, or of a network in its usual form, without the slower
    ipaddress; None for other text."""
    address, slash, digits = text.partition("/")
    version, family, bits = (6, socket.AF_INET6, 128) if ":" in address else (4, socket.AF_INET, 32)
    try:
        packed = socket.inet_pton(family, address)
        if socket.inet_ntop(family, packed) != address or (version == 6 and "." in address):
            return None
    except (OSError, ValueError):
        return None
    number, length = int.from_bytes(packed, "big"), LENGTHS.get(digits, bits + 1) if slash else bits
    if length > bits or number & ((1 << (bits - length)) - 1):
        return None
    return (version, number, length, "")


def _too_long(text: str) -> str:
    """The length of a malformed network if it is beyond its addresses, in words."""
    address, _slash, length = text.partition("/")
    try:
        version = ipaddress.ip_address(address).version
    except ValueError:
        return ""
    return f"/{length} is too long for IPv{version}" if length.isdecimal() else ""


def read_network(text: str) -> tuple[NormalisedNetwork, str]:
    """The normalised value of a network, and its usual form; raises ValueError."""
    normalised = _canonical(text)
    if normalised:
        return normalised, text if "/" in text else f"{text}/{normalised[2]}"
    network = parse_network(text)
    return (network.version, int(network.network_address), network.prefixlen, ""), str(network)


def normalise_network(value: Any) -> NormalisedNetwork:
    """Sorts by family, address and length, so that a network comes before its subsets; malformed
    text comes first."""
    text = str(value)
    try:
        return _canonical(text) or read_network(text)[0]
    except ValueError:
        return (0, 0, 0, text)


def cut_host_bits(text: Any) -> str:
    """Clause on the bits that were cut off a network; an empty text where nothing was. Somebody may
    have meant a single address, or another length."""
    address, slash, dummy = str(text).strip().partition("/")
    if not slash or _canonical(str(text)):
        return ""
    try:
        network = parse_network(str(text))
        host = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if host == network.network_address:
        return ""
    single = f"{host}/{network.max_prefixlen}"
    return (
        f"{text} is an address within {network}, which the task uses; write {network}, or {single}"
    )


def added_length(text: Any) -> str:
    """Clause on the length that was added to an address; an empty text where it has one."""
    if "/" in str(text):
        return ""
    try:
        network = parse_network(str(text))
    except ValueError:
        return ""
    return f"{text} has no length and is taken for {network}; write {network}"


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


def networks_overlap(one: Any, other: Any) -> bool:
    """Return whether two networks have an address in common; False where one of them is not a
    network."""
    network = range_of(other)
    return network is not None and overlaps(one, [network])


def overlaps(text: Any, ranges: Ranges) -> bool:
    """Return whether a network or address has an address in a set; not where it is neither."""
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


def ranges_of(texts: Iterable[Any]) -> Ranges:
    """The addresses of networks as a set; a text that is no network has none."""
    return union(filter(None, map(range_of, texts)))


def intersection(one: Ranges, other: Ranges) -> Ranges:
    """Addresses of both sets."""
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
    """Addresses of the first set that the second lacks."""
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


# Everything but what nobody announces: all of IPv4, and the part of IPv6 that is assigned.
ROUTABLE = difference(
    [EVERYTHING[0], *filter(None, [range_of(GLOBAL_IPV6)])], ranges_of(NOT_ROUTABLE)
)


def unusual_to_protect(network: Any) -> str:
    """Reason, with its verb, for which a network is an unlikely one to protect; an empty text where
    nothing does."""
    version, _address, length, _malformed = normalise_network(network)
    if range_of(network) is None:
        return ""
    if length < WIDEST_USUAL[version]:
        return f"is wider than /{WIDEST_USUAL[version]}"
    return "" if overlaps(network, ROUTABLE) else "is not globally routable"


def position_in(network: Range, space: Ranges) -> str:
    """Return whether a range lies inside of a space, outside, or straddles its edge."""
    first, last = network
    index = bisect_right(space, (first, EVERYTHING[-1][1]))  # the first that begins behind it
    if index and space[index - 1][1] >= first:
        return INSIDE if space[index - 1][1] >= last else STRADDLING
    return STRADDLING if index < len(space) and space[index][0] <= last else OUTSIDE


def part_in(network: Range, ranges: Ranges) -> Ranges:
    """The part of a set that lies in a range, without a look at all of the set."""
    start = bisect_right(ranges, (network[0], EVERYTHING[-1][1])) - 1
    end = bisect_right(ranges, (network[1], EVERYTHING[-1][1]))
    return intersection([network], ranges[max(start, 0) : end])


def count(ranges: Ranges) -> int:
    """Number of addresses in the set."""
    return sum(last - first + 1 for first, last in ranges)


def networks(ranges: Ranges) -> list[str]:
    """The set as the fewest networks in CIDR notation, in ascending order, IPv4 first."""
    return [_written_network(first, bits, length) for first, bits, length in _blocks(ranges)]


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


def _written_network(first: int, bits: int, length: int) -> str:
    address = ipaddress.IPv4Address(first) if bits == 32 else ipaddress.IPv6Address(first - IPV6)
    return f"{address}/{length}"


def counted(ranges: Ranges) -> str:
    """Number of addresses in words: IPv6 addresses by the /64 where there is at least one."""
    four = count([item for item in ranges if item[0] < IPV6])
    six = count(ranges) - four
    parts = [_number_of(four, "IPv4 address", "es")] if four else []
    if six >= 1 << 64:
        whole, rest = divmod(six, 1 << 64)
        more = "more than " if rest else ""
        parts.append(more + _number_of(whole, "IPv6 /64 network", "s"))
    elif six:
        parts.append(_number_of(six, "IPv6 address", "es"))
    return " and ".join(parts) or "no addresses"


def _number_of(number: int, noun: str, ending: str) -> str:
    return f"{number} {noun}{'' if number == 1 else ending}"


ANY_LABEL = "*."  # in front of a hostname: any name below it, and not the name itself
NO_ADDRESSES: Ranges = []


class Contents(NamedTuple):
    """The addresses, autonomous systems or hostnames of a list; a list has one kind of them."""

    ranges: Ranges = NO_ADDRESSES
    numbers: frozenset[int] = frozenset()
    hostnames: frozenset[str] = frozenset()

    @property
    def size(self) -> int:
        """The number of ranges, numbers and names."""
        return len(self.ranges) + len(self.numbers) + len(self.hostnames)

    @property
    def kind_in_words(self) -> str:
        """The kind of its contents, in sentences."""
        return "hostnames" if self.hostnames else "numbers" if self.numbers else "addresses"

    def has_hostname(self, name: str) -> bool:
        """Return whether a name, or all that one with a wildcard stands for, is among its
        hostnames."""
        _label, _dot, above = name.partition(".")
        while name not in self.hostnames and above:
            name, (_label, _dot, above) = ANY_LABEL + above, above.partition(".")
        return name in self.hostnames

    def without(self, other: Contents) -> Contents:
        """Its contents that another list lacks."""
        return Contents(
            difference(self.ranges, other.ranges) if other.ranges else self.ranges,
            self.numbers - other.numbers,
            frozenset(name for name in self.hostnames if not other.has_hostname(name)),
        )

    def written(self) -> list[str]:
        """Its contents as texts, each once and in order."""
        return [*networks(self.ranges), *map(str, sorted(self.numbers)), *sorted(self.hostnames)]

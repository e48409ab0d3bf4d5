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
import re
import socket
from bisect import bisect_right
from itertools import filterfalse
from typing import Any, Iterable, Iterator, List, NamedTuple, Tuple, Union

Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]
Address = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]

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
    """The network that `text` names (an address, or a network in CIDR notation), without host bits;
    raises ValueError if it names none."""
    text = text.strip()
    length = text.partition("/")[2]
    if "%" in text or (("/" in text) and not (length.isascii() and length.isdigit())):
        raise ValueError(f"'{text}' is not a network in CIDR notation")
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError as exc:
        reason = _too_long(text) or f"{exc}{_completed(text)}"
        raise ValueError(f"'{text}' is not a network: {reason}") from exc


def is_network(text: str) -> bool:
    """Return whether a text is a valid address, or a valid network in CIDR notation."""
    try:
        parse_network(text)
    except ValueError:
        return False
    return True


def _completed(text: str) -> str:
    """A hint with the completed network, if octets are missing as in 203.0.113/24; otherwise
    empty."""
    address, slash, length = text.partition("/")
    octets = address.split(".")
    if not slash:
        return ""
    missing_octets = ["0"] * (4 - len(octets))
    candidate = ".".join([*octets, *missing_octets]) + slash + length
    try:
        ipaddress.ip_network(candidate, strict=False)
    except ValueError:
        return ""
    return f" (did you mean {candidate}?)"


def _canonical(text: str) -> NormalisedNetwork | None:
    """The normalised value of an address or network that is written in its usual form, found
    without the slower ipaddress; None for any other text."""
    address, slash, digits = text.partition("/")
    if ":" in address:
        version, family, bits = 6, socket.AF_INET6, 128
    else:
        version, family, bits = 4, socket.AF_INET, 32
    try:
        packed = socket.inet_pton(family, address)
        if socket.inet_ntop(family, packed) != address or (version == 6 and "." in address):
            return None
    except (OSError, ValueError):
        return None
    number = int.from_bytes(packed, "big")
    length = LENGTHS.get(digits, bits + 1) if slash else bits
    if length > bits:
        return None
    host_bits = number & ((1 << (bits - length)) - 1)
    if host_bits:
        return None
    return (version, number, length, "")


def _too_long(text: str) -> str:
    """A clause that says that the length of a network is too long for its address; empty if the
    address is not valid, or the length is not a number."""
    address, _slash, length = text.partition("/")
    try:
        version = ipaddress.ip_address(address).version
    except ValueError:
        return ""
    return f"/{length} is too long for IPv{version}" if length.isdecimal() else ""


def read_network(text: str) -> tuple[NormalisedNetwork, str]:
    """The normalised value of a network, and the network in its usual form; raises ValueError."""
    normalised = _canonical(text)
    if normalised:
        return normalised, text if "/" in text else f"{text}/{normalised[2]}"
    network = parse_network(text)
    return (network.version, int(network.network_address), network.prefixlen, ""), str(network)


OCTET = 8
SHORT_NETWORK = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,3}){0,2})/([0-9]{1,2})", re.ASCII)


def normalise_network(value: Any) -> NormalisedNetwork:
    """The normalised value of a network. It sorts by family, address and length, so that a network
    comes before its subnets; malformed text comes first."""
    text = str(value)
    try:
        return _canonical(text) or read_network(text)[0]
    except ValueError:
        return _without_last_octets(text) or (0, 0, 0, text)


def _without_last_octets(text: str) -> NormalisedNetwork | None:
    """The normalised value of an IPv4 network that is written without its last octets, such as
    10/8, which are all 0; None for any other text."""
    short = SHORT_NETWORK.fullmatch(text)
    octets = short[1].split(".") if short else []
    if not short or int(short[2]) > OCTET * len(octets):
        return None
    missing_octets = ["0"] * (4 - len(octets))
    return _canonical(f"{'.'.join([*octets, *missing_octets])}/{short[2]}")


def cut_host_bits(text: Any) -> str:
    """A remark if a network is written with host bits, since a single address or another length may
    have been meant; otherwise empty."""
    address, slash, _length = str(text).strip().partition("/")
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
    """A remark if a network is written without a length, and so taken for a single address;
    otherwise empty."""
    if "/" in str(text):
        return ""
    try:
        network = parse_network(str(text))
    except ValueError:
        return ""
    return f"{text} has no length and is taken for {network}; write {network}"


Range = Tuple[int, int]  # the numbers at its start and at its end, which both belong to it
Ranges = List[Range]  # sorted, disjoint, none next to another

IPV6 = 1 << 64
EVERYTHING: Ranges = [(0, (1 << 32) - 1), (IPV6, IPV6 + (1 << 128) - 1)]
LOWEST = -(1 << 64)  # below every number of a range
BEYOND = 1 << 200  # higher than the number of any address
INSIDE, STRADDLING, OUTSIDE = "inside", "straddling", "outside"


def range_of(text: Any) -> Range | None:
    """The range of addresses that a text names as a network or address; None if it names
    neither."""
    version, address, length, malformed = normalise_network(text)
    if malformed or not version:
        return None
    start = address + (IPV6 if version == 6 else 0)
    size = 1 << (BITS[version] - length)
    return start, start + size - 1


def networks_overlap(text: Any, text_of_network: Any) -> bool:
    """Return whether two networks have an address in common; False if either is not a network."""
    network = range_of(text_of_network)
    return network is not None and overlaps(text, [network])


def overlaps(text: Any, ranges: Ranges) -> bool:
    """Return whether a network or address overlaps the set `ranges`; False if `text` names
    neither."""
    network = range_of(text)
    return network is not None and bool(intersection([network], ranges))


def is_in(ranges: Ranges, address: Address) -> bool:
    """Return whether a set of addresses contains an address."""
    number = int(address) + (IPV6 if address.version == 6 else 0)
    index = bisect_right(ranges, (number, BEYOND)) - 1
    return index >= 0 and ranges[index][1] >= number


def subnet_of(network: Range) -> Range:
    """The subnet by which the analytics count `network`: the /24 (IPv4) or /64 (IPv6) that contains
    it, or the network itself if it is wider."""
    start, end = network
    host_bits = 64 if start >= IPV6 else 8
    start_of_subnet = start >> host_bits << host_bits
    end_of_subnet = start | ((1 << host_bits) - 1)
    return (min(start_of_subnet, start), max(end_of_subnet, end))


def union(ranges: Iterable[Range]) -> Ranges:
    """The set of all addresses in these ranges, which may overlap and be in any order."""
    merged: Ranges = []
    merged_start, merged_end = 0, LOWEST  # before every range, and next to none
    for start, end in sorted(ranges):
        if start <= merged_end + 1:
            if end > merged_end:
                merged_end = end
                merged[-1] = (merged_start, merged_end)
        else:
            merged_start, merged_end = start, end
            merged.append((start, end))
    return merged


def ranges_of(texts: Iterable[Any]) -> Ranges:
    """The set of all addresses in these networks; a text that is not a network is ignored."""
    return union(filter(None, map(range_of, texts)))


def intersection(ranges: Ranges, mask: Ranges) -> Ranges:
    """The addresses that are in both sets."""
    common: Ranges = []
    index = mask_index = 0
    while index < len(ranges) and mask_index < len(mask):
        start, end = ranges[index]
        mask_start, mask_end = mask[mask_index]
        common_start = max(start, mask_start)
        common_end = min(end, mask_end)
        if common_start <= common_end:
            common.append((common_start, common_end))
        if end < mask_end:
            index += 1
        else:
            mask_index += 1
    return common


def difference(ranges: Ranges, subtracted: Ranges) -> Ranges:
    """The addresses of the set `ranges` that are not in the set `subtracted`."""
    return intersection(ranges, complement(subtracted))


def complement(ranges: Ranges) -> Ranges:
    """All addresses of both families that are not in the set."""
    gaps: Ranges = []
    position = 0
    for gap_start, end_of_family in EVERYTHING:
        while position < len(ranges) and ranges[position][0] <= end_of_family:
            start, end = ranges[position]
            if gap_start < start:
                gaps.append((gap_start, start - 1))
            gap_start = end + 1
            position += 1
        if gap_start <= end_of_family:
            gaps.append((gap_start, end_of_family))
    return gaps


# Everything but what nobody announces: all of IPv4, and the part of IPv6 that is assigned.
ROUTABLE = difference(
    [EVERYTHING[0], *filter(None, [range_of(GLOBAL_IPV6)])], ranges_of(NOT_ROUTABLE)
)

# Requests from the internet; they may seem to come from class E, which "Pseudo IPv4" uses.
SOURCES_OF_REQUESTS = union([*ROUTABLE, *ranges_of(["240.0.0.0/4"])])


def unusual_to_protect(network: Any) -> str:
    """The reason why somebody would hardly protect this network, as a predicate; empty if there is
    none, or the text is not a network."""
    version, _address, length, _malformed = normalise_network(network)
    if range_of(network) is None:
        return ""
    if length < WIDEST_USUAL[version]:
        return f"is wider than /{WIDEST_USUAL[version]}"
    return "" if overlaps(network, ROUTABLE) else "is not globally routable"


def position_in(network: Range, space: Ranges) -> str:
    """The position of a network relative to `space`: INSIDE it, OUTSIDE it, or STRADDLING its
    edge."""
    start, end = network
    next_index = _index_behind(start, space)
    end_before = space[next_index - 1][1] if next_index else -1
    if end_before >= end:
        return INSIDE
    if end_before >= start:
        return STRADDLING
    begins_within = next_index < len(space) and space[next_index][0] <= end
    return STRADDLING if begins_within else OUTSIDE


def _index_behind(number: int, ranges: Ranges) -> int:
    """The index of the first range that begins after a number."""
    return bisect_right(ranges, (number, EVERYTHING[-1][1]))


def part_in(network: Range, ranges: Ranges) -> Ranges:
    """The part of the set `ranges` that lies in the range `network`."""
    start, end = network
    index_before = max(_index_behind(start, ranges) - 1, 0)
    return intersection([network], ranges[index_before : _index_behind(end, ranges)])


def count(ranges: Ranges) -> int:
    """The number of addresses in the set."""
    return sum(end - start + 1 for start, end in ranges)


def networks(ranges: Ranges) -> list[str]:
    """The smallest list of networks in CIDR notation that make up the set, in ascending order, IPv4
    first."""
    return [_network_in_cidr(network) for network in _networks_of(ranges)]


def network_ranges(ranges: Ranges) -> Iterator[tuple[int, int, Range]]:
    """The networks that make up the set: the IP version, the prefix length and the range of
    each."""
    for start, version, length in _networks_of(ranges):
        size = 1 << (BITS[version] - length)
        yield version, length, (start, start + size - 1)


CidrNetwork = Tuple[int, int, int]  # a network: the number at its start, the version, the length


def _networks_of(ranges: Ranges) -> Iterator[CidrNetwork]:
    for start, end in ranges:
        version, offset = (6, IPV6) if start >= IPV6 else (4, 0)
        bits = BITS[version]
        while start <= end:
            address = start - offset
            trailing_zeros = (address & -address).bit_length() - 1 if address else bits
            bits_of_size = (end - start + 1).bit_length() - 1
            host_bits = min(trailing_zeros, bits_of_size)
            yield start, version, bits - host_bits
            start += 1 << host_bits


def _network_in_cidr(network: CidrNetwork) -> str:
    start, version, length = network
    if version == 4:
        return f"{ipaddress.IPv4Address(start)}/{length}"
    return f"{ipaddress.IPv6Address(start - IPV6)}/{length}"


def counted(ranges: Ranges) -> str:
    """The number of addresses in words; IPv6 addresses are counted in /64 networks if there are
    enough for one."""
    ipv4_addresses = count([(start, end) for start, end in ranges if start < IPV6])
    ipv6_addresses = count(ranges) - ipv4_addresses
    clauses = []
    if ipv4_addresses:
        clauses.append(_number_of(ipv4_addresses, "IPv4 address", "es"))
    if ipv6_addresses >= 1 << 64:
        subnets, remainder = divmod(ipv6_addresses, 1 << 64)
        clause = _number_of(subnets, "IPv6 /64 network", "s")
        clauses.append(f"more than {clause}" if remainder else clause)
    elif ipv6_addresses:
        clauses.append(_number_of(ipv6_addresses, "IPv6 address", "es"))
    return " and ".join(clauses) or "no addresses"


def _number_of(number: int, noun: str, ending: str) -> str:
    return f"{number} {noun}{'' if number == 1 else ending}"


ANY_LABEL = "*."  # in front of a hostname: any name below it, and not the name itself
NO_ADDRESSES: Ranges = []


class Contents(NamedTuple):
    """The contents of a list: addresses (as `ranges`), autonomous system `numbers`, or `hostnames`.
    A list contains only one of these kinds."""

    ranges: Ranges = NO_ADDRESSES
    numbers: frozenset[int] = frozenset()
    hostnames: frozenset[str] = frozenset()

    @property
    def size(self) -> int:
        """The number of ranges, numbers and hostnames together."""
        return len(self.ranges) + len(self.numbers) + len(self.hostnames)

    @property
    def kind_in_words(self) -> str:
        """The noun that messages use for these contents: `hostnames`, `numbers` or `addresses`."""
        if self.hostnames:
            return "hostnames"
        return "numbers" if self.numbers else "addresses"

    def has_hostname(self, name: str) -> bool:
        """Return whether the hostnames of the list, with their wildcards, cover a hostname; a name
        with a wildcard must be covered as a whole."""
        domain = name.partition(".")[2]
        while name not in self.hostnames and domain:
            name = ANY_LABEL + domain
            domain = domain.partition(".")[2]
        return name in self.hostnames

    def without(self, subtracted: Contents) -> Contents:
        """These contents, without those that `subtracted` contains."""
        ranges = self.ranges
        if subtracted.ranges:
            ranges = difference(ranges, subtracted.ranges)
        numbers = self.numbers - subtracted.numbers
        hostnames = frozenset(filterfalse(subtracted.has_hostname, self.hostnames))
        return Contents(ranges, numbers, hostnames)

    def written(self) -> list[str]:
        """The contents as texts in order, each of them once."""
        return [*networks(self.ranges), *map(str, sorted(self.numbers)), *sorted(self.hostnames)]

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Networks: how a user may write them, and the normalised value by which equal networks compare as
equal."""

from __future__ import annotations

import ipaddress
import socket
from functools import lru_cache
from typing import Any, Tuple, Union

Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]

NormalisedNetwork = Tuple[
    int, int, int, str
]  # the family, the first address, the length; or a malformed text
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
        raise ValueError(f"'{text}' is not a network: {exc}{_completed(text)}") from exc


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
    return f"; did you mean {candidate}?"


def _canonical(text: str) -> NormalisedNetwork | None:
    """The normalised value of a network in its usual form, without the slower ipaddress; None for
    other text."""
    address, dummy, digits = text.partition("/")
    version, family, bits = (6, socket.AF_INET6, 128) if ":" in address else (4, socket.AF_INET, 32)
    try:
        packed = socket.inet_pton(family, address)
        if socket.inet_ntop(family, packed) != address or (version == 6 and "." in address):
            return None
    except (OSError, ValueError):
        return None
    number, length = int.from_bytes(packed, "big"), LENGTHS.get(digits, bits + 1)
    if length > bits or number & ((1 << (bits - length)) - 1):
        return None
    return (version, number, length, "")


@lru_cache(maxsize=1 << 17)
def read_network(text: str) -> tuple[NormalisedNetwork, str]:
    """The normalised value of a network, and its usual form; raises ValueError, which the cache
    does not keep."""
    normalised = _canonical(text)
    if normalised:
        return normalised, text
    network = parse_network(text)
    return (network.version, int(network.network_address), network.prefixlen, ""), str(network)


def normalise_network(value: Any) -> NormalisedNetwork:
    """Sorts by family, address and length, so that a network comes before its subsets; malformed
    text comes first."""
    try:
        return read_network(str(value))[0]
    except ValueError:
        return (0, 0, 0, str(value))


def networks_overlap(one: Any, other: Any) -> bool:
    """Whether two networks have an address in common; False where one of them is not a network."""
    (
        (version, first, length, malformed),
        (other_version, other_first, other_length, other_malformed),
    ) = (normalise_network(network) for network in (one, other))
    if malformed or other_malformed or not version or version != other_version:
        return False
    shift = BITS[version] - min(length, other_length)
    return first >> shift == other_first >> shift


def contains(outer: str, inner: Any) -> bool:
    """Whether a network lies in another one; False where it is malformed."""
    (version, first, length, dummy), (inner_version, inner_first, inner_length, malformed) = (
        normalise_network(network) for network in (outer, inner)
    )
    if malformed or version != inner_version or inner_length < length:
        return False
    shift = BITS[version] - length
    return inner_first >> shift == first >> shift


def cut_host_bits(text: Any) -> str:
    """What was cut off a network, in a clause; an empty text where nothing was. Somebody may have
    meant a single address, or another length."""
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
    return f"{text} is an address within {network}, which is taken; write {network}, or {single}"


def added_length(text: Any) -> str:
    """What length was added to an address, in a clause; an empty text where it has one."""
    if "/" in str(text):
        return ""
    try:
        network = parse_network(str(text))
    except ValueError:
        return ""
    return f"{text} has no length and is taken for {network}; write {network}"


def unusual_to_protect(network: Any) -> str:
    """What makes a network an unlikely one to protect, with its verb; an empty text where nothing
    does."""
    version, dummy, length, malformed = normalise_network(network)
    if malformed or not version:
        return ""
    if length < WIDEST_USUAL[version]:
        return f"is wider than /{WIDEST_USUAL[version]}"
    routable = version == 4 or contains(GLOBAL_IPV6, network)
    if not routable or any(contains(special, network) for special in NOT_ROUTABLE):
        return "is not globally routable"
    return ""

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Networks: how a user may write them, and the normalised value by which equal networks compare as equal."""

from __future__ import annotations

import ipaddress
import socket
from functools import lru_cache
from typing import Any, Tuple, Union

Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]

NormalisedNetwork = Tuple[int, int, int, str]  # the family, the first address, the length; or a malformed text
LENGTHS = {str(length): length for length in range(129)}


def parse_network(text: str) -> Network:
    """The network that `text` (an address, or a network in CIDR notation) names, host bits dropped."""
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
    """The normalised value of a network in its usual form, without the slower ipaddress; None for other text."""
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
    """The normalised value of a network, and its usual form; raises ValueError, which the cache does not keep."""
    normalised = _canonical(text)
    if normalised:
        return normalised, text
    network = parse_network(text)
    return (network.version, int(network.network_address), network.prefixlen, ""), str(network)


def normalise_network(value: Any) -> NormalisedNetwork:
    """Sorts by family, address and length, so that a network comes before its subsets; malformed text comes first."""
    try:
        return read_network(str(value))[0]
    except ValueError:
        return (0, 0, 0, str(value))


def networks_overlap(one: Any, other: Any) -> bool:
    """Whether two networks have an address in common; False where one of them is no network."""
    (version, first, length, malformed), (other_version, other_first, other_length, other_malformed) = (
        normalise_network(network) for network in (one, other)
    )
    if malformed or other_malformed or not version or version != other_version:
        return False
    shift = (32 if version == 4 else 128) - min(length, other_length)
    return first >> shift == other_first >> shift

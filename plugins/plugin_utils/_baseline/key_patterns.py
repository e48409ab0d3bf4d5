# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Patterns of keys in acceptances of the report. A pattern of addresses is a set of addresses: it
matches networks inside of it, and no wider ones, however they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from ipaddress import ip_address, ip_network

from ...module_utils._schema.registry import BY_NAME
from ...module_utils._values.address_set import difference, range_of

ADDRESS = r"[0-9a-f]*[.:][0-9a-f.:]*[0-9a-f:]"
# A network, or all addresses between two of them, in a text.
NETWORK_IN_KEY = re.compile(
    rf"(?<![\w.:])(?P<address>{ADDRESS}?)(?P<end>/\d{{1,3}}|\.\.{ADDRESS})(?![\w.:])", re.IGNORECASE
)


def matches_text(text: str, patterns: Iterable[str]) -> bool:
    """Return whether a text is one of the patterns, or matches one."""
    return any(text == pattern or fnmatchcase(text, pattern) for pattern in patterns)


def matches_key(resource: str, key: str, patterns: Iterable[str]) -> bool:
    """Return whether the key of an object of this resource is one of the patterns, or matches one;
    a `ref` counts letter by letter."""
    is_exact = BY_NAME[resource].is_ordered
    has_network = bool(BY_NAME[resource].address_field)
    folded_key = key if is_exact else key.casefold()
    for pattern in patterns:
        folded_pattern = pattern if is_exact else pattern.casefold()
        if _key_matches(folded_key, folded_pattern):
            return True
        if has_network and _is_within(folded_key, folded_pattern):
            return True
    return False


def _is_within(key: str, pattern: str) -> bool:
    """Return whether the network at the end of a key lies within the network at the end of a
    pattern, in the same list if they name one."""
    list_name, _space, network = key.rpartition(" ")
    accepted_list, _space, accepted_network = pattern.rpartition(" ")
    inner, outer = range_of(network), range_of(accepted_network)
    if inner is None or outer is None or list_name != accepted_list:
        return False
    return not difference([inner], [outer])


def _key_matches(key: str, pattern: str) -> bool:
    """Return whether a key matches a pattern, and would with any address of a network in it in
    place of that network. A network that the pattern writes out in full always matches."""
    if key == pattern:
        return True
    if not fnmatchcase(key, pattern):
        return False
    written_out = {network.group() for network in NETWORK_IN_KEY.finditer(pattern)}
    for network in NETWORK_IN_KEY.finditer(key):
        if network.group() in written_out:
            continue
        before, behind = key[: network.start()], key[network.end("address") :]
        if not all(
            fnmatchcase(before + text + behind, pattern) for text in _addresses_of_network(network)
        ):
            return False
    return True


def _addresses_of_network(found: re.Match[str]) -> list[str]:
    """Sample addresses of a network as text: the first, the last, and for each host bit the
    address with only that bit set."""
    address, end = found.group("address"), found.group("end")
    if end.startswith(".."):
        return [address, end[2:]]
    try:
        network = ip_network(f"{address}{end}", strict=False)
    except ValueError:
        return []
    free_bits = network.max_prefixlen - network.prefixlen
    first = int(network.network_address)
    numbers = [first, int(network.broadcast_address)]
    numbers += [first | 1 << bit for bit in range(free_bits)]
    make = type(ip_address(str(network.network_address)))
    return [str(make(number)) for number in numbers]

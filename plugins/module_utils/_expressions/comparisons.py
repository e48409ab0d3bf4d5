# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The values that meet a comparison: addresses, or whole numbers.

The vendor describes the operators in "Rules language: operators".
"""

from __future__ import annotations

import ipaddress
import re
from typing import Mapping, Tuple

from .._text import excerpt
from .._values.address_set import (
    BITS,
    IPV6,
    Range,
    Ranges,
    complement,
    parse_network,
    read_network,
    union,
)
from .grammar import Comparison, Token, Unread, quoted

AddressRange = Tuple[int, int, int]  # the family, the first and the last address
NumberRange = Tuple[int, int]

NUMBER = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)
OTHER_BASE = re.compile(r"0[0-9]+|-?0[xX][0-9a-fA-F]+", re.ASCII)
LONGEST_REASON = 200


# The vendor names lists in rules ("Use lists in expressions"), and none in "JSON objects".
WITHOUT_LISTS = "filters are documented with addresses in braces, and without lists"


def addresses_of(comparison: Comparison) -> Ranges:
    """The addresses that meet a comparison; raises Unread."""
    addresses = union(map(_range, address_ranges(comparison)))
    return complement(addresses) if comparison.operator == "ne" else addresses


def _range(addresses: AddressRange) -> Range:
    version, first, last = addresses
    offset = IPV6 if version == 6 else 0
    return offset + first, offset + last


def numbers_of(comparison: Comparison, lowest: int, highest: int) -> Ranges:
    """The whole numbers from `lowest` to `highest` that meet a comparison; raises Unread."""
    ranges = number_ranges(comparison)
    first, last = ranges[0] if ranges else (highest, lowest)
    bounds: Mapping[str, Ranges] = {
        "ne": [(lowest, first - 1), (last + 1, highest)],
        "lt": [(lowest, first - 1)],
        "le": [(lowest, first)],
        "gt": [(first + 1, highest)],
        "ge": [(first, highest)],
    }
    clipped = [
        (max(low, lowest), min(high, highest))
        for low, high in bounds.get(comparison.operator, ranges)
    ]
    return union(item for item in clipped if item[0] <= item[1])


def address_ranges(comparison: Comparison) -> list[AddressRange]:
    """The addresses that a comparison names, in their order; raises Unread."""
    _check_operator(comparison, ("eq", "ne", "in"), ("lt", "le", "gt", "ge"), "addresses")
    if comparison.in_braces:
        return [_addresses(token) for token in comparison.operands]
    (token,) = comparison.operands
    if "/" in token.text or ".." in token.text:
        raise Unread(
            f"{quoted(token.text)} is more than one address; write in {{{excerpt(token.text)}}}",
            token.start,
        )
    return [_addresses(token)]


def number_ranges(comparison: Comparison) -> list[NumberRange]:
    """The numbers that a comparison names, in their order; raises Unread."""
    _check_operator(comparison, ("eq", "ne", "in", "lt", "le", "gt", "ge"), (), "ports")
    if comparison.in_braces:
        return [_numbers(token) for token in comparison.operands]
    (token,) = comparison.operands
    if ".." in token.text:
        raise Unread(
            f"{quoted(token.text)} is more than one port; write in {{{excerpt(token.text)}}}",
            token.start,
        )
    return [_numbers(token)]


def _check_operator(
    comparison: Comparison, known: tuple[str, ...], unknown: tuple[str, ...], kind: str
) -> None:
    """`known` are the operators that the documentation names for such fields, `unknown` those that
    the engine takes beyond them."""
    operator, start = comparison.operator, comparison.start
    if not operator:
        raise Unread(f"{quoted(comparison.field)} is compared to nothing", start)
    if operator not in known:
        raise Unread(
            f"'{operator}' does not go with {kind}", start, malformed=operator not in unknown
        )
    if operator == "in" and not comparison.in_braces:
        (token,) = comparison.operands
        if token.text.startswith("$"):
            raise Unread(
                f"{quoted(token.text)} is a list, and {WITHOUT_LISTS}",
                token.start,
                malformed=False,
            )
        raise Unread(f"'in' takes a set in braces; write in {{{excerpt(token.text)}}}", token.start)
    if operator != "in" and comparison.in_braces:
        raise Unread(f"'{operator}' takes one value, and no set; write in {{...}}", start)


def _addresses(token: Token) -> AddressRange:
    first, dots, last = token.text.partition("..")
    try:
        (version, start, length, dummy), written = read_network(first)
        if not dots:
            if "/" in first and written != first:
                _check_host_bits(first)
            return version, start, start + (1 << (BITS[version] - length)) - 1
        other, end = read_network(last)[0][:2]
    except ValueError as exc:
        raise Unread(excerpt(str(exc), LONGEST_REASON), token.start) from exc
    if "/" in token.text or version != other or end < start:
        raise Unread(f"{quoted(token.text)} is not a range of addresses", token.start)
    return version, start, end


def _check_host_bits(text: str) -> None:
    network = parse_network(text)
    if network.network_address != ipaddress.ip_address(text.partition("/")[0]):
        raise ValueError(f"{quoted(text)} has bits behind its prefix length; write {network}")


def _numbers(token: Token) -> NumberRange:
    first, dots, last = token.text.partition("..")
    numbers = []
    for text in (first, last) if dots else (first,):
        if not NUMBER.fullmatch(text):
            why = (
                f", but a number to base {8 if text.isdigit() else 16}"
                if OTHER_BASE.fullmatch(text)
                else ""
            )
            raise Unread(
                f"{quoted(text)} is not a port{why}; write decimal digits without a leading 0",
                token.start,
            )
        numbers.append(int(text))
    if numbers[0] > numbers[-1]:
        raise Unread(f"{quoted(token.text)} is not a range of ports", token.start)
    return numbers[0], numbers[-1]

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The networks and ports to which comparisons compare, as sets.

The vendor describes filters in "JSON objects" (Advanced TCP Protection API): the fields ip.src,
ip.dst, tcp.srcport and tcp.dstport, and no functions.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Mapping, NamedTuple, Sequence

from .._text import Unread, excerpt, quoted
from .._values.address_set import (
    BITS,
    EVERYTHING,
    IPV6,
    Range,
    Ranges,
    complement,
    intersection,
    parse_network,
    read_network,
    union,
)
from .grammar import QUOTED, Comparison, Token, is_address, is_number

HIGHEST_PORT = 65535


ALL_PORTS: Ranges = [(0, HIGHEST_PORT)]
FILTER_FIELDS: Mapping[str, Ranges] = {  # with all of their values
    "ip.src": EVERYTHING,
    "ip.dst": EVERYTHING,
    "tcp.srcport": ALL_PORTS,
    "tcp.dstport": ALL_PORTS,
}


DECIMAL = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)
OTHER_BASE = re.compile(r"0[0-9]+|-?0[xX][0-9a-fA-F]+", re.ASCII)
LONGEST_REASON = 200


# The vendor names lists in rules ("Use lists in expressions"), and none in "JSON objects".
WITHOUT_LISTS = "filters are documented with addresses in braces, and without lists"


class ValueKind(NamedTuple):
    """A kind of values in comparisons: one and several of them in words, the operators that the
    documentation names for them, further ones that the engine accepts, and the signs of a range."""

    singular: str
    plural: str
    documented: Sequence[str]
    undocumented: Sequence[str]
    signs: Sequence[str]


ADDRESSES_AS_VALUES = ValueKind(
    "address", "addresses", ("eq", "ne", "in"), ("lt", "le", "gt", "ge"), ("/", "..")
)
PORTS_AS_VALUES = ValueKind(
    "port", "ports", ("eq", "ne", "in", "lt", "le", "gt", "ge"), (), ("..",)
)


def addresses_of(comparison: Comparison) -> Ranges:
    """The addresses that meet a comparison; raises Unread."""
    addresses = union(map(_address_range, _operands(comparison, ADDRESSES_AS_VALUES)))
    return complement(addresses) if comparison.operator == "ne" else addresses


def met_addresses(comparison: Comparison) -> Ranges:
    """The addresses that meet a comparison, also one by the order of addresses within their family,
    which no page documents; raises Unread."""
    if comparison.operator not in ADDRESSES_AS_VALUES.undocumented:
        return addresses_of(comparison)
    addresses = addresses_of(comparison._replace(operator="eq"))
    (family,) = (family for family in EVERYTHING if intersection([family], addresses))
    return within(comparison.operator, addresses, *family)


def numbers_of(comparison: Comparison, lowest: int, highest: int) -> Ranges:
    """The whole numbers from `lowest` to `highest` that meet a comparison; raises Unread."""
    ranges = [_number_range(token) for token in _operands(comparison, PORTS_AS_VALUES)]
    return within(comparison.operator, ranges, lowest, highest)


def within(operator: str, ranges: Ranges, lowest: int, highest: int) -> Ranges:
    """The numbers from `lowest` to `highest` that meet a comparison by an operator with these
    ranges."""
    start, end = ranges[0] if ranges else (highest, lowest)
    bounds: Mapping[str, Ranges] = {
        "ne": [(lowest, start - 1), (end + 1, highest)],
        "lt": [(lowest, start - 1)],
        "le": [(lowest, start)],
        "gt": [(start + 1, highest)],
        "ge": [(start, highest)],
    }
    clipped = []
    for low, high in bounds.get(operator, ranges):
        if max(low, lowest) <= min(high, highest):
            clipped.append((max(low, lowest), min(high, highest)))
    return union(clipped)


def _operands(comparison: Comparison, kind: ValueKind) -> Sequence[Token]:
    """The operands of a comparison; raises Unread if the documentation does not allow this
    operator, or this way to write the operands, for such values."""
    operator, start = comparison.operator, comparison.start
    if comparison.problem:
        raise Unread(comparison.problem, at=start)
    if not operator:
        raise Unread(f"{quoted(comparison.field)} is compared to nothing", at=start)
    if operator not in kind.documented:
        is_malformed = operator not in kind.undocumented
        raise Unread(
            f"'{operator}' does not go with {kind.plural}", at=start, malformed=is_malformed
        )
    if operator == "in" and comparison.in_braces:
        return comparison.operands
    if comparison.in_braces:
        raise Unread(f"'{operator}' takes one value, and no set; write in {{...}}", at=start)
    (token,) = comparison.operands
    if token.text.startswith("$"):
        problem = f"{quoted(token.text)} is a list, and {WITHOUT_LISTS}"
        raise Unread(problem, at=token.start, malformed=operator != "in")
    if operator == "in":
        raise Unread(f"'in' takes a set in braces{set_to_write(token)}", at=token.start)
    in_braces = f"write in {{{excerpt(token.text)}}}"
    if any(sign in token.text for sign in kind.signs):
        several = f"{quoted(token.text)} is more than one {kind.singular}"
        raise Unread(f"{several}; {in_braces}", at=token.start)
    return comparison.operands


def set_to_write(token: Token) -> str:
    """The advice to write a single value as a set; empty for a word that is not a value."""
    text = token.text.strip('"')  # addresses and numbers have no quotes
    if is_address(text) or is_number(text):
        return f"; write in {{{excerpt(text)}}}"
    return f"; write in {{{excerpt(token.text)}}}" if token.kind == QUOTED else ""


def _address_range(token: Token) -> Range:
    start_text, dots, end_text = token.text.partition("..")
    try:
        (version, start, length, dummy), written = read_network(start_text)
        offset = IPV6 if version == 6 else 0
        if not dots:
            if "/" in start_text and written != start_text:
                _check_host_bits(start_text)
            return offset + start, offset + start + (1 << (BITS[version] - length)) - 1
        version_of_end, end = read_network(end_text)[0][:2]
    except ValueError as exc:
        raise Unread(excerpt(str(exc), LONGEST_REASON), at=token.start) from exc
    if "/" in token.text or version != version_of_end or end < start:
        raise Unread(f"{quoted(token.text)} is not a range of addresses", at=token.start)
    return offset + start, offset + end


def _check_host_bits(text: str) -> None:
    network = parse_network(text)
    if network.network_address != ipaddress.ip_address(text.partition("/")[0]):
        raise ValueError(f"{quoted(text)} has bits behind its prefix length; write {network}")


def _number_range(token: Token) -> Range:
    numbers = []
    for text in token.text.split("..", 1):
        if not DECIMAL.fullmatch(text):
            base = 8 if text.isdigit() else 16
            why = f", but a number to base {base}" if OTHER_BASE.fullmatch(text) else ""
            to_do = "write decimal digits without a leading 0"
            raise Unread(f"{quoted(text)} is not a port{why}; {to_do}", at=token.start)
        numbers.append(int(text))
    if numbers[0] > numbers[-1]:
        raise Unread(f"{quoted(token.text)} is not a range of ports", at=token.start)
    return numbers[0], numbers[-1]


def values_of(leaf: Comparison) -> Ranges:
    """The values that meet a comparison of a field that filters know; raises Unread for any
    other."""
    if leaf.field in FILTER_FIELDS:
        is_port = FILTER_FIELDS[leaf.field] is ALL_PORTS
        return numbers_of(leaf, 0, HIGHEST_PORT) if is_port else addresses_of(leaf)
    name, *words_behind = leaf.field.split()
    what = f"filters know no field {quoted(name)}"
    if "(" in words_behind[:1]:
        what = f"{quoted(name)} is a function, and filters know none"
    raise Unread(f"{what}, only {', '.join(FILTER_FIELDS)}", at=leaf.start, malformed=False)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The functions of expressions that are evaluated, as the vendor describes them in "Rules language:
functions".

Each takes the values of its arguments, of which none is missing, and returns a value; raises
Unevaluated.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Callable, Mapping, NamedTuple

from .literals import Items, Unevaluated, Value, kind_of

PERCENT = re.compile(rb"%([0-9a-fA-F]{2})")


class Function(NamedTuple):
    """A function, and how many arguments it takes."""

    call: Callable[..., Value]
    fewest: int
    most: int | None


def _bytes(value: Value) -> bytes:
    if not isinstance(value, bytes):
        raise Unevaluated(f"a function takes a text, and gets {kind_of(value)}")
    return value


def _number(value: Value) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Unevaluated(f"a function takes a number, and gets {kind_of(value)}")
    return value


def _length(value: Value) -> int:
    if isinstance(value, Items):
        if not value.is_listed:
            raise Unevaluated("the number of the elements of an array is not known")
        return len(value.values)
    return len(_bytes(value))


def _joined(*values: Value) -> Value:
    if not any(isinstance(value, Items) for value in values):
        return b"".join(map(_bytes, values))
    if not all(isinstance(value, Items) for value in values):
        raise Unevaluated("concat takes texts or arrays, and not both")
    elements = tuple(item for value in values for item in value.values)
    return Items(elements, all(value.is_listed for value in values))


def _part(value: Value, start: Value, end: Value = None) -> bytes:
    text = _bytes(value)
    bounds = [_from_start(_number(start), text)]
    bounds.append(len(text) if end is None else _from_start(_number(end), text))
    if not 0 <= bounds[0] < bounds[1] <= len(text):
        raise Unevaluated("substring has no such part of the text")
    return text[bounds[0] : bounds[1]]


def _from_start(index: int, text: bytes) -> int:
    return index + len(text) if index < 0 else index


def _url_decoded(value: Value) -> bytes:
    spaced = _bytes(value).replace(b"+", b" ")
    return PERCENT.sub(lambda match: bytes([int(match[1], 16)]), spaced)


def _without_bytes(value: Value, unwanted: Value) -> bytes:
    return _bytes(value).translate(None, _bytes(unwanted))


def _in_words(value: Value) -> bytes:
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, (int, ipaddress.IPv4Address)):
        return str(value).encode()
    if isinstance(value, ipaddress.IPv6Address) and value.ipv4_mapped is None:
        return str(value).encode()
    raise Unevaluated(f"to_string takes no {kind_of(value)} of this form")


def _network(value: Value, ipv4_bits: Value, ipv6_bits: Value) -> Value:
    if not isinstance(value, (ipaddress.IPv4Address, ipaddress.IPv6Address)):
        raise Unevaluated(f"cidr takes an address, and gets {kind_of(value)}")
    length = _number(ipv4_bits if value.version == 4 else ipv6_bits)
    if not 1 <= length <= value.max_prefixlen:
        raise Unevaluated(f"cidr takes no prefix length of {length}")
    return ipaddress.ip_network((value, length), strict=False).network_address


FUNCTIONS: Mapping[str, Function] = {
    "lower": Function(lambda value: _bytes(value).lower(), 1, 1),
    "upper": Function(lambda value: _bytes(value).upper(), 1, 1),
    "len": Function(_length, 1, 1),
    "starts_with": Function(lambda value, start: _bytes(value).startswith(_bytes(start)), 2, 2),
    "ends_with": Function(lambda value, end: _bytes(value).endswith(_bytes(end)), 2, 2),
    "concat": Function(_joined, 1, None),
    "substring": Function(_part, 2, 3),
    "url_decode": Function(_url_decoded, 1, 1),
    "remove_bytes": Function(_without_bytes, 2, 2),
    "to_string": Function(_in_words, 1, 1),
    "cidr": Function(_network, 3, 3),
    "cidr6": Function(lambda value, ipv6_bits: _network(value, 32, ipv6_bits), 2, 2),
}
QUANTIFIERS = ("any", "all")
SKIPS_MISSING = ("concat",)  # the others return nothing if an argument is missing

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The values of fields and of literals, as the engine has them: texts are bytes.

The vendor describes them in "Rules language: values"; where the description is silent, the public
engine (github.com/cloudflare/wirefilter) decides.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Any, Mapping, NamedTuple, Union

from .grammar import PATTERN, QUOTED, RAW, WORD, Token, quoted

Address = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]
Value = Any  # bytes, int, bool, Address, Items, Pairs, or MISSING

WHOLE_NUMBER = re.compile(r"-?[1-9][0-9]*|0[0-7]*|0x[0-9a-fA-F]+", re.ASCII)
ADDRESS = re.compile(r"[0-9a-fA-F:.]*[:.][0-9a-fA-F:.]*(?:/[0-9]{1,3})?", re.ASCII)
ESCAPE = re.compile(rb'\\(?:(["\\])|x([0-9a-fA-F]{2})|([0-3][0-7]{2})|(.?))', re.DOTALL)
FENCE = re.compile(r'r(#*)"')
MOST = (1 << 63) - 1


class Unevaluated(Exception):
    """A value is not known; `reason` is a text without a capital and without a full stop."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Missing(NamedTuple):
    """What a request does not have, such as a header: every comparison is false but `ne`."""


MISSING = Missing()


class Items(NamedTuple):
    """An array. Those in `maybe` may stand among its values; if it is not `complete`, others may
    as well. The order is known only if it is `ordered`."""

    values: tuple[Value, ...]
    complete: bool = True
    maybe: tuple[Value, ...] = ()
    ordered: bool = True

    @property
    def is_listed(self) -> bool:
        """Whether the place of each element is known."""
        return self.complete and self.ordered and not self.maybe


class Pairs(NamedTuple):
    """A map; of the keys in `unknown` it is not known whether the map has them."""

    values: Mapping[bytes, Value]
    unknown: tuple[bytes, ...] = ()


KINDS = {
    bytes: "a text",
    bool: "true or false",
    int: "a number",
    ipaddress.IPv4Address: "an address",
    ipaddress.IPv6Address: "an address",
    Items: "an array",
    Pairs: "a map",
}


def kind_of(value: Value) -> str:
    """The kind of a value, in sentences."""
    return KINDS.get(type(value), "nothing")


def text_of(token: Token) -> bytes:
    """The bytes of a text as the language writes it; raises Unevaluated."""
    if token.kind == RAW:
        fence = FENCE.match(token.text)
        length = len(fence[1]) + 2 if fence else 0
        return token.text[length : len(token.text) - length + 1].encode()
    if token.kind not in (QUOTED, PATTERN):
        raise Unevaluated(f"{quoted(token.text)} is not text")
    return ESCAPE.sub(_unescaped, token.text[1:-1].encode())


def _unescaped(match: re.Match[bytes]) -> bytes:
    plain, hexadecimal, octal, other = match.groups()
    if other is not None:
        raise Unevaluated(f"the language knows no escape '\\{other.decode(errors='replace')}'")
    return plain or bytes([int(hexadecimal, 16) if hexadecimal else int(octal, 8)])


def is_number(text: str) -> bool:
    """Whether a word, or each end of a range, is a whole number as the language writes it."""
    return all(WHOLE_NUMBER.fullmatch(part) for part in text.split(".."))


def number_of(text: str) -> int:
    """The number that a word is: decimal, octal with a leading 0, hexadecimal with 0x; raises
    Unevaluated."""
    if not WHOLE_NUMBER.fullmatch(text):
        raise Unevaluated(f"{quoted(text)} is not a number")
    base = 16 if text[:2] == "0x" else 8 if text[0] == "0" else 10
    number = int(text, base)
    if not -MOST - 1 <= number <= MOST:
        raise Unevaluated(f"{quoted(text)} is too large a number")
    return number


def is_address(text: str) -> bool:
    """Whether a word looks like an address, a network or a range of addresses."""
    return all(ADDRESS.fullmatch(part) for part in text.split(".."))


def literal_of(token: Token) -> Value:
    """The value of a single literal; raises Unevaluated."""
    if token.kind != WORD:
        return text_of(token)
    if is_number(token.text):
        return number_of(token.text)
    try:
        return ipaddress.ip_address(token.text)
    except ValueError:
        raise Unevaluated(f"{quoted(token.text)} is not understood") from None

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Kinds of values: how a user must write them, and what they mean, so that equal meanings compare as equal.

`parse` is strict: it takes what a user wrote, returns what is sent to the service, and raises ValueError with the
reason. `meaning` is total: it takes whatever the service says and returns something to compare, hash and sort by.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from functools import lru_cache
from typing import Any, Callable, Hashable, Mapping, NamedTuple, Sequence, Tuple, Union

Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]

Meaning = Tuple[int, int, int, str]  # of a network: the family, the first address, the length; or a malformed text
LENGTHS = {str(length): length for length in range(129)}

IDENTIFIER = re.compile(r"[0-9a-f]{32}", re.IGNORECASE)
HIGHEST_PRIORITY_NUMBER = 2147483647  # facts.md, section 4


class Value(NamedTuple):
    """A kind of value: its part of an argument spec, the strict reader and the tolerant one."""

    option: Mapping[str, Any]
    parse: Callable[[Any], Any]
    meaning: Callable[[Any], Hashable]


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


def _canonical(text: str) -> Meaning | None:
    """The meaning of a network that is written as networks are shown, found without ipaddress; None for other text."""
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
def _network(text: str) -> tuple[Meaning, str]:
    """What a text means, and how it is written where that is a network; raises ValueError, which is not kept."""
    meaning = _canonical(text)
    if meaning:
        return meaning, text
    network = parse_network(text)
    return (network.version, int(network.network_address), network.prefixlen, ""), str(network)


def _network_text(value: Any) -> str:
    return _network(_text(value))[1]


def network_meaning(value: Any) -> Meaning:
    """Sorts by family, address and length, so that a network comes before its subsets; malformed text comes first."""
    try:
        return _network(str(value))[0]
    except ValueError:
        return (0, 0, 0, str(value))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    return value


def _filled(value: Any) -> str:
    text = _text(value).strip()
    if not text:
        raise ValueError("it is empty")
    return text


def _text_meaning(value: Any) -> str:
    return "" if value is None else str(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")
    return value


def _flag_meaning(value: Any) -> str:
    """As text, since the service may one day say something else than true and false."""
    return str(value or False).lower()


def _code_meaning(value: Any) -> str:
    """Region and data-center codes: sources differ in their case (facts.md, section 2)."""
    return _text_meaning(value).strip().casefold()


def expression_meaning(value: Any) -> str:
    """White space outside of quotes has no meaning in an expression."""
    parts = re.split(r'("(?:[^"\\]|\\.)*")', _text_meaning(value))
    return "".join(part if index % 2 else re.sub(r"\s+", " ", part) for index, part in enumerate(parts)).strip()


def identifier(value: Any) -> str:
    """An account's, zone's, rule's or filter's id, in lower case."""
    text = _text(value).strip()
    if not IDENTIFIER.fullmatch(text):
        raise ValueError(f"'{text}' is not an id, which has 32 hexadecimal digits")
    return text.lower()


def _priority(value: Any) -> Any:
    if value == "":
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= HIGHEST_PRIORITY_NUMBER:
        raise ValueError(f"{value!r} is not a whole number from 0 to {HIGHEST_PRIORITY_NUMBER}")
    return value


def _priority_meaning(value: Any) -> str:
    return _text_meaning(int(value) if isinstance(value, float) and value.is_integer() else value)


def choice(*choices: str) -> Value:
    """One of some words; they sort as they stand here, and words that only the service knows come last."""
    positions: dict[str, int] = {word: position for position, word in enumerate(choices)}

    def meaning(value: Any) -> tuple[int, str]:
        word = _code_meaning(value)
        return (positions.get(word, len(positions)), word)

    return Value({"type": "str", "choices": list(choices)}, _text, meaning)


def several(*choices: str) -> Value:
    """Any of some words, whose order has no meaning."""

    def parse(value: Sequence[str]) -> Sequence[str]:
        return list(dict.fromkeys(value))

    def meaning(value: Any) -> tuple[str, ...]:
        return tuple(sorted({str(word) for word in value})) if isinstance(value, (list, tuple)) else ()

    return Value({"type": "list", "elements": "str", "choices": list(choices)}, parse, meaning)


def mapping(spec: Mapping[str, Mapping[str, Any]], check: Callable[[Mapping[str, Any]], None]) -> Value:
    """An object that is wished for as a whole; `check` raises ValueError for what cannot be."""

    def parse(value: Mapping[str, Any]) -> Mapping[str, Any]:
        said: Mapping[str, Any] = _said(value)
        check(said)
        return said

    return Value({"type": "dict", "options": spec}, parse, _structure)


def _said(value: Any) -> Any:
    """A structure without what was left out of it."""
    if isinstance(value, Mapping):
        return {name: _said(item) for name, item in value.items() if item is not None}
    return value


def _structure(value: Any) -> str:
    """A structure as text, the order of its fields and of the words in its lists without meaning."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{name}:{_structure(item)}" for name, item in sorted(value.items())) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(sorted(map(_structure, value))) + "]"
    return repr(value)


NETWORK = Value({"type": "str"}, _network_text, network_meaning)
TEXT = Value({"type": "str"}, _text, _text_meaning)
CODE = Value({"type": "str"}, _filled, _code_meaning)
FLAG = Value({"type": "bool"}, _flag, _flag_meaning)
EXPRESSION = Value({"type": "str"}, _filled, expression_meaning)
ID = Value({"type": "str"}, identifier, _code_meaning)
PRIORITY = Value({"type": "raw"}, _priority, _priority_meaning)

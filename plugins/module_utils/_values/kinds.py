# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Kinds of values: how a user may write them, and the normalised value by which equal values
compare as equal.

`parse` is strict: it takes what a user wrote, returns what is sent to Cloudflare, and raises
ValueError with the reason. `normalise` is total: it takes whatever Cloudflare returns, and returns
a value to compare, hash and sort by.
"""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Hashable, Mapping, NamedTuple, Sequence

from .address_set import added_length, cut_host_bits, normalise_network, read_network
from .bounds import Bounded

IDENTIFIER = re.compile(r"[0-9a-f]{32}", re.IGNORECASE)
SAFE_ID = re.compile(r"[0-9A-Za-z_-]+")  # of an object, as a part of a path
HIGHEST_PRIORITY_NUMBER = 2147483647
Suboptions = Mapping[str, Mapping[str, Any]]
# See Value.subject.
A_NETWORK, A_MODE, AN_EXPRESSION = "network", "mode", "expression"


class Value(NamedTuple):
    """A kind of value: its `option` in an argument spec, its strict reader `parse`, and its
    tolerant reader `normalise`.

    `examine` checks a value that a task asks for, as `parse` returned it; it raises ValueError if
    Cloudflare would refuse the value, and returns warnings if Cloudflare may refuse it. `remark`
    returns a remark if reading changed what a user wrote in a way that may not have been meant
    (empty: it did not). `subject` says what the values are about, if that decides how a plan treats
    them: a network, a mode, or an expression.
    """

    option: Mapping[str, Any]
    parse: Callable[[Any], Any]
    normalise: Callable[[Any], Hashable]
    examine: Callable[[Any], Sequence[str]] = lambda value: ()
    remark: Callable[[Any], str] = lambda value: ""
    subject: str = ""


def _parse_network(value: Any) -> str:
    return read_network(_parse_text(value))[1]


def _parse_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    return value


def parse_filled_text(value: Any, white_space: str | None = None) -> str:
    """The text without the characters of `white_space` (None: all white space) around it; raises
    ValueError if nothing remains."""
    text = _parse_text(value).strip(white_space)
    if not text:
        raise ValueError("it is empty")
    return text


def _normalise_text(value: Any) -> str:
    return "" if value is None else str(value)


def _parse_flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")
    return value


def _normalise_flag(value: Any) -> str:
    """The flag as a text; Cloudflare may one day return a third value beside true and false."""
    return str(value or False).lower()


def _normalise_code(value: Any) -> str:
    """The code of a region or data center in lower case, since the vendor's pages write it in both
    cases."""
    return _normalise_text(value).strip().casefold()


def identifier(value: Any) -> str:
    """The id of an account, zone, rule or filter in lower case; raises ValueError if it is not 32
    hexadecimal digits."""
    text = _parse_text(value).strip()
    if not IDENTIFIER.fullmatch(text):
        raise ValueError(f"'{text}' is not an id, which has 32 hexadecimal digits")
    return text.lower()


def _parse_priority(value: Any) -> Any:
    if value == "":
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= HIGHEST_PRIORITY_NUMBER:
        raise ValueError(f"{value!r} is not a whole number from 0 to {HIGHEST_PRIORITY_NUMBER}")
    return value


def _normalise_priority(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _normalise_text(value)


def number(low: int, high: int | None = None) -> Value:
    """The kind of value for whole numbers from `low` to `high`; None means that there is no upper
    bound."""
    argument = Bounded({"type": "int"}, low=low, high=high)

    def parse(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueError(f"{value!r} is not a whole number of {low} or more")
        return int(_within(argument, value))

    return Value(argument, parse, _normalise_priority)


def _within(argument: Bounded, value: Any) -> Any:
    """The value itself; raises ValueError if it exceeds the bounds of the argument."""
    problem = argument.problem(value)
    if problem:
        raise ValueError(problem)
    return value


def text(most: int) -> Value:
    """The kind of value for texts with at most `most` characters."""

    argument = Bounded(TEXT.option, characters_at_most=most)

    def parse(value: Any) -> str:
        return str(_within(argument, _parse_text(value)))

    return TEXT._replace(option=argument, parse=parse)


def choice(*choices: str) -> Value:
    """The kind of value for one of these words. Values sort in the order of `choices`; words that
    only Cloudflare knows come last."""
    positions: dict[str, int] = {word: position for position, word in enumerate(choices)}

    def normalise(value: Any) -> tuple[int, str]:
        word = _normalise_code(value)
        return (positions.get(word, len(positions)), word)

    return Value({"type": "str", "choices": list(choices)}, _parse_text, normalise)


def several(*choices: str) -> Value:
    """The kind of value for lists of any of these words, whose order does not matter."""

    def parse(value: Sequence[str]) -> Sequence[str]:
        return list(dict.fromkeys(value))

    def normalise(value: Any) -> tuple[str, ...]:
        if not isinstance(value, (list, tuple)):
            return ()
        words = {str(word) for word in value}
        return tuple(sorted(words))

    return Value({"type": "list", "elements": "str", "choices": list(choices)}, parse, normalise)


def mapping(spec: Suboptions, check: Callable[[Mapping[str, Any]], None]) -> Value:
    """The kind of value for objects that are always replaced as a whole. `check` raises ValueError
    if an object is not valid. Empty lists in the object, which templates may produce, are left
    out."""

    def parse(value: Mapping[str, Any]) -> Mapping[str, Any]:
        filled: Mapping[str, Any] = _without_empty(value)
        check(filled)
        sent: Mapping[str, Any] = _without_empty(filled, [])
        return sent

    return Value({"type": "dict", "options": spec}, parse, _normalise_structure)


def keyed(key: str, parse_key: Callable[[Any], Any], spec: Suboptions) -> Value:
    """The kind of value for lists of objects that are always replaced as a whole. Each object is
    identified by the field `key` and must have another field, too; the order does not matter."""
    settings = ", ".join(name for name in spec if name != key)

    def parse(value: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        entries: dict[Any, Mapping[str, Any]] = {}
        problems: list[str] = []
        for entry in map(_without_empty, value):
            name = parse_key(entry[key])
            if name in entries:
                problems.append(f"{name} is named twice")
            if len(entry) == 1:
                problems.append(f"{name} has none of {settings}; set one, or leave it out")
            entries[name] = {**entry, key: name}
        if problems:
            raise ValueError("; ".join(problems))
        return list(entries.values())

    option = {"type": "list", "elements": "dict", "options": spec}
    return Value(option, parse, _normalise_structure)


def ordered_list(spec: Suboptions) -> Value:
    """The kind of value for lists of objects that are always replaced as a whole, and whose order
    matters."""
    option = {"type": "list", "elements": "dict", "options": spec}
    return Value(option, _without_empty, lambda value: as_json(_without_empty(value or [])))


def _without_empty(value: Any, empty: Any = None) -> Any:
    """The value without the fields, at any depth, that are None or equal to `empty`."""
    if isinstance(value, Mapping):
        filled = {name: field for name, field in value.items() if field != empty}
        return {name: _without_empty(field, empty) for name, field in filled.items()}
    if isinstance(value, list):
        return [_without_empty(element, empty) for element in value]
    return value


def same_value(value: Any, compared: Any) -> bool:
    """Return whether two values are equal as JSON; unlike in Python, true does not equal 1."""
    if value is compared or (isinstance(value, str) and isinstance(compared, str)):
        return bool(value == compared)
    return as_json(value) == as_json(compared)


def as_json(value: Any) -> str:
    """The value as a text in JSON, equal for structures that are equal; the order of lists
    matters."""
    return json.dumps(value, sort_keys=True, default=str)


def _normalise_structure(value: Any) -> str:
    """The value as a text that is equal for structures that are equal if the order of lists is
    ignored."""
    if isinstance(value, Mapping):
        fields = [f"{name}:{_normalise_structure(value[name])}" for name in sorted(value)]
        return "{" + ",".join(fields) + "}"
    if isinstance(value, (list, tuple)):
        elements = sorted(map(_normalise_structure, value))
        return "[" + ",".join(elements) + "]"
    return repr(value)


def _remark_on_prefix(value: Any) -> str:
    return added_length(value) or cut_host_bits(value)


NETWORK = Value(
    {"type": "str"}, _parse_network, normalise_network, remark=cut_host_bits, subject=A_NETWORK
)
A_PREFIX = NETWORK._replace(remark=_remark_on_prefix)  # hardly anybody protects a single address
TEXT = Value({"type": "str"}, _parse_text, _normalise_text)
CODE = Value({"type": "str"}, parse_filled_text, _normalise_code)
FLAG = Value({"type": "bool"}, _parse_flag, _normalise_flag)
ID = Value({"type": "str"}, identifier, _normalise_code)
PRIORITY = Value({"type": "raw"}, _parse_priority, _normalise_priority)

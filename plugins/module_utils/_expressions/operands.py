# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The left side of a comparison: a field, a function, or an element of either.

It is compiled once into a function that takes the fields of a request. A text as it is written
leads to the same function each time.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Sequence

from .._text import Unread, quoted
from .._values.address_set import Contents
from .grammar import DEPTHS, EACH, QUOTED, RAW, WORD, Token, is_number, number_of, text_of

FieldValue = Any  # bytes, int, bool, Address, Items, Pairs, or MISSING


class Missing(NamedTuple):
    """The value of something that a request does not have, such as a header: every comparison is
    false but `ne`."""


MISSING = Missing()


class LowerBound(NamedTuple):
    """A value of which only the least is known: the beginning of a text that may go on, or a number
    that may be greater."""

    start: FieldValue


def single_result(results: Iterable[Any]) -> Any:
    """The one result that all values have which something may be; raises Unread if the results
    differ."""
    distinct: list[Any] = []
    for result in results:
        if result not in distinct:
            distinct.append(result)
    if len(distinct) > 1:
        raise Unread("only the beginning of a text is known")
    return distinct[0]


class Items(NamedTuple):
    """An array. The elements in `maybe` may stand among its values; if it is not `complete`,
    unknown elements may as well. The order is known only if it is `ordered`."""

    values: tuple[FieldValue, ...]
    complete: bool = True
    maybe: tuple[FieldValue, ...] = ()
    ordered: bool = True

    @property
    def is_listed(self) -> bool:
        """Return whether the place of each element is known."""
        return self.complete and self.ordered and not self.maybe


class Pairs(NamedTuple):
    """A map; of the keys in `unknown` it is not known whether the map has them."""

    values: Mapping[bytes, FieldValue]
    unknown: tuple[bytes, ...] = ()


KIND_WORDS = {
    bytes: "a text",
    bool: "true or false",
    int: "a number",
    ipaddress.IPv4Address: "an address",
    ipaddress.IPv6Address: "an address",
    Items: "an array",
    Pairs: "a map",
}


def kind_in_words(value: FieldValue) -> str:
    """The kind of a value, in sentences."""
    return KIND_WORDS.get(type(value), "nothing")


def literal_of(token: Token) -> FieldValue:
    """The value of a text or a number; raises Unread."""
    return number_of(token.text) if token.kind == WORD else text_of(token)


PERCENT_ESCAPE = re.compile(rb"%([0-9a-fA-F]{2})")


class FieldFunction(NamedTuple):
    """A function, and how many arguments it takes."""

    call: Callable[..., FieldValue]
    fewest: int
    most: int | None


def _bytes(value: FieldValue) -> bytes:
    if not isinstance(value, bytes):
        raise Unread(f"a function takes a text, and gets {kind_in_words(value)}")
    return value


def _whole_number(value: FieldValue) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Unread(f"a function takes a number, and gets {kind_in_words(value)}")
    return value


def _length_of_value(value: FieldValue) -> int:
    if isinstance(value, Items):
        if not value.is_listed:
            raise Unread("the number of the elements of an array is not known")
        return len(value.values)
    return len(_bytes(value))


def _concatenated(*values: FieldValue) -> FieldValue:
    if not any(isinstance(value, Items) for value in values):
        return b"".join(map(_bytes, values))
    if not all(isinstance(value, Items) for value in values):
        raise Unread("concat takes texts or arrays, and not both")
    elements: list[FieldValue] = []
    for array in values:
        elements += array.values
    return Items(tuple(elements), all(array.is_listed for array in values))


def _substring(value: FieldValue, start: FieldValue, end: FieldValue = None) -> bytes:
    text = _bytes(value)
    bounds = [_from_start(_whole_number(start), text)]
    bounds.append(len(text) if end is None else _from_start(_whole_number(end), text))
    if not 0 <= bounds[0] < bounds[1] <= len(text):
        raise Unread("substring has no such part of the text")
    return text[bounds[0] : bounds[1]]


def _from_start(index: int, text: bytes) -> int:
    return index + len(text) if index < 0 else index


def _url_decoded(value: FieldValue) -> bytes:
    spaced = _bytes(value).replace(b"+", b" ")
    return PERCENT_ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), spaced)


def _without_bytes(value: FieldValue, unwanted: FieldValue) -> bytes:
    return _bytes(value).translate(None, _bytes(unwanted))


def _to_string(value: FieldValue) -> bytes:
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, (int, ipaddress.IPv4Address)):
        return str(value).encode()
    if isinstance(value, ipaddress.IPv6Address) and value.ipv4_mapped is None:
        return str(value).encode()
    raise Unread(f"to_string takes no {kind_in_words(value)} of this form")


def _network(value: FieldValue, ipv4_bits: FieldValue, ipv6_bits: FieldValue) -> FieldValue:
    if not isinstance(value, (ipaddress.IPv4Address, ipaddress.IPv6Address)):
        raise Unread(f"cidr takes an address, and gets {kind_in_words(value)}")
    length = _whole_number(ipv4_bits if value.version == 4 else ipv6_bits)
    if not 1 <= length <= value.max_prefixlen:
        raise Unread(f"cidr takes no prefix length of {length}")
    return ipaddress.ip_network((value, length), strict=False).network_address


FUNCTIONS: Mapping[str, FieldFunction] = {
    "lower": FieldFunction(lambda value: _bytes(value).lower(), 1, 1),
    "upper": FieldFunction(lambda value: _bytes(value).upper(), 1, 1),
    "len": FieldFunction(_length_of_value, 1, 1),
    "starts_with": FieldFunction(
        lambda value, start: _bytes(value).startswith(_bytes(start)), 2, 2
    ),
    "ends_with": FieldFunction(lambda value, end: _bytes(value).endswith(_bytes(end)), 2, 2),
    "concat": FieldFunction(_concatenated, 1, None),
    "substring": FieldFunction(_substring, 2, 3),
    "url_decode": FieldFunction(_url_decoded, 1, 1),
    "remove_bytes": FieldFunction(_without_bytes, 2, 2),
    "to_string": FieldFunction(_to_string, 1, 1),
    "cidr": FieldFunction(_network, 3, 3),
    "cidr6": FieldFunction(lambda value, ipv6_bits: _network(value, 32, ipv6_bits), 2, 2),
}
SKIPS_MISSING = ("concat",)  # the others return nothing if an argument is missing
GROWS = frozenset(["len", "lower", "remove_bytes", "substring", "upper", "url_decode"])


def _value_of_lower_bound(
    name: str, call: Callable[..., FieldValue], values: list[FieldValue]
) -> FieldValue:
    """The value of a function if only the beginning of one of its texts is known; raises Unread if
    that does not determine it."""
    place = next(index for index, value in enumerate(values) if isinstance(value, LowerBound))
    before, start, behind = values[:place], _bytes(values[place].start), values[place + 1 :]
    if name == "concat":
        return LowerBound(call(*before, start))
    if name in ("starts_with", "ends_with") and behind:
        end = _bytes(*behind)
        continuations = (b"", b"\0", b"\1", end[len(start) :], end)
        return single_result(call(start + continuation, end) for continuation in continuations)
    is_cut = name == "url_decode" and b"%" in start
    is_behind = name == "substring" and min(map(_whole_number, behind), default=-1) < 0
    if before or is_cut or is_behind or name not in GROWS:
        raise Unread("only the beginning of a text is known")
    part = call(start, *behind)
    return part if name == "substring" and behind[1:] else LowerBound(part)


class NotGiven(str):
    """The reason that a request or packet has no value of a `field`, in words."""

    field: str

    def __new__(cls, field: str, words: str) -> NotGiven:
        reason = super().__new__(cls, words)
        reason.field = field
        return reason


class Fields(NamedTuple):
    """The known fields of a request or packet, and the contents of the lists of its account by
    their names. `keys` are the keys by which an expectation gives fields, by the names of the
    fields."""

    values: Mapping[str, FieldValue]
    lists: Mapping[str, Contents] = {}
    keys: Mapping[str, str] = {}

    def value(self, name: str) -> FieldValue:
        """The value of a field; raises Unread."""
        try:
            return self.values[name]
        except KeyError:
            raise Unread(self.not_given(name)) from None

    def not_given(self, name: str) -> NotGiven:
        """The reason why the value of a field is not known."""
        words = f"the field {name} is not given"
        if self.keys:
            words = f"{words} ({self.keys.get(name, f'fields: {{{name}: ...}}')})"
        return NotGiven(name, words)


Evaluate = Callable[[Fields], FieldValue]


class Operand(NamedTuple):
    """A part of the left side of a comparison: `evaluate` returns its value or, with `is_each`, one
    value for each element of an array, as Items or MISSING."""

    evaluate: Evaluate
    is_each: bool = False


def field_operand(name: str) -> Operand:
    """The value of a field."""
    return Operand(lambda fields: fields.value(name))


def operand(tokens: Sequence[Token]) -> Operand:
    """The left side of a comparison from its words; raises Unread."""
    if not tokens or tokens[0].kind != WORD:
        raise Unread("the left side of a comparison is not understood")
    name, behind = tokens[0].text, list(tokens[1:])
    base = field_operand(name)
    if behind and behind[0].text == "(":
        arguments, behind = _bracketed(behind)
        base = _called(name, _arguments(arguments))
    indexes: list[Any] = []
    while behind and behind[0].text == "[":
        index, behind = _bracketed(behind)
        indexes.append(_index(index))
    if behind:
        raise Unread(f"{quoted(behind[0].text)} is not understood there")
    return _indexed(base, indexes)


def _bracketed(tokens: Sequence[Token]) -> tuple[list[Token], list[Token]]:
    """The words between the first bracket and the one that closes it, and the words behind."""
    depth = 0
    for index, token in enumerate(tokens):
        depth += DEPTHS.get(token.text, 0)
        if not depth:
            return list(tokens[1:index]), list(tokens[index + 1 :])
    raise Unread("a bracket is not closed")


def _arguments(tokens: Sequence[Token]) -> list[list[Token]]:
    """The arguments of a function, which commas separate."""
    arguments: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += DEPTHS.get(token.text, 0)
        if token.text == "," and not depth:
            arguments.append([])
        else:
            arguments[-1].append(token)
    return arguments if tokens else []


def _index(tokens: Sequence[Token]) -> Any:
    if len(tokens) == 1:
        if tokens[0].text == EACH:
            return EACH
        if tokens[0].kind in (QUOTED, RAW):
            return text_of(tokens[0])
        if tokens[0].kind == WORD:
            return number_of(tokens[0].text)
    raise Unread("an index is not understood")


def _indexed(base: Operand, indexes: Sequence[Any]) -> Operand:
    if not indexes:
        return base
    if base.is_each and EACH not in indexes:
        raise Unread("a function of each element needs [*] behind it")

    def each(fields: Fields) -> FieldValue:
        values: list[FieldValue] = [base.evaluate(fields)]
        if indexes == [EACH]:
            return _elements(values[0])
        complete = True
        for index in indexes:
            inner: list[FieldValue] = []
            for value in values:
                elements = _elements(value) if index == EACH else Items((_element(value, index),))
                complete = complete and elements.complete and not elements.maybe
                inner += [element for element in elements.values if element is not MISSING]
            values = inner
        return Items(tuple(values), complete)

    def single(fields: Fields) -> FieldValue:
        value = base.evaluate(fields)
        for index in indexes:
            value = _element(value, index)
        return value

    return Operand(each, True) if EACH in indexes else Operand(single)


def _elements(value: FieldValue) -> Items:
    if value is MISSING:
        return Items(())
    if isinstance(value, Pairs):
        elements = tuple(value.values.values())
        return Items(elements, not value.unknown)
    if not isinstance(value, Items):
        raise Unread(f"{kind_in_words(value)} has no elements")
    return value


def _element(value: FieldValue, index: Any) -> FieldValue:
    if value is MISSING:
        return MISSING
    if isinstance(value, Pairs) and isinstance(index, bytes):
        if index in value.unknown:
            raise Unread(f"{index.decode(errors='replace')} is not given")
        return value.values.get(index, MISSING)
    if isinstance(value, Items) and isinstance(index, int):
        if not value.is_listed:
            raise Unread("the order of the elements of an array is not known")
        return value.values[index] if 0 <= index < len(value.values) else MISSING
    raise Unread(f"{kind_in_words(value)} has no element {index!r}")


def _called(name: str, arguments: Sequence[Sequence[Token]]) -> Operand:
    function = FUNCTIONS.get(name)
    if function is None:
        raise Unread(f"the function {name} is not known")
    if not function.fewest <= len(arguments) <= (function.most or len(arguments)):
        raise Unread(f"the function {name} is not known with {len(arguments)} arguments")
    operands = [_argument(tokens) for tokens in arguments]
    if any(argument.is_each for argument in operands[1:]):
        raise Unread(f"the function {name} takes [*] in its first argument only")
    return _call(name, function, operands)


def _call(name: str, function: FieldFunction, operands: Sequence[Operand]) -> Operand:
    def called(values: Sequence[FieldValue]) -> FieldValue:
        present = [value for value in values if value is not MISSING]
        if len(present) == len(values) or (present and name in SKIPS_MISSING):
            if any(isinstance(value, LowerBound) for value in present):
                return _value_of_lower_bound(name, function.call, present)
            return function.call(*present)
        return MISSING

    def single(fields: Fields) -> FieldValue:
        return called([argument.evaluate(fields) for argument in operands])

    def each(fields: Fields) -> FieldValue:
        elements = operands[0].evaluate(fields)
        arguments = [argument.evaluate(fields) for argument in operands[1:]]

        def of_each(values: Sequence[FieldValue]) -> tuple[FieldValue, ...]:
            results = [called([element, *arguments]) for element in values]
            return tuple(result for result in results if result is not MISSING)

        return Items(of_each(elements.values), elements.complete, of_each(elements.maybe))

    return Operand(each, True) if operands[0].is_each else Operand(single)


def _argument(tokens: Sequence[Token]) -> Operand:
    if len(tokens) == 1 and (tokens[0].kind in (QUOTED, RAW) or is_number(tokens[0].text)):
        literal = literal_of(tokens[0])
        return Operand(lambda fields: literal)
    return operand(tokens)


def readable_value(value: FieldValue) -> Any:
    """The value of a field in the form that results show."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, Items):
        return ", ".join(str(readable_value(element)) for element in value.values)
    if isinstance(value, Pairs):
        pairs = []
        for name, content in value.values.items():
            pairs.append(f"{readable_value(name)}={readable_value(content)}")
        return "&".join(pairs)
    return value if isinstance(value, int) else str(value)

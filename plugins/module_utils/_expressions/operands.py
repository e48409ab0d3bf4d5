# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What stands on the left side of a comparison: a field, a function, or an element of either.

It is compiled once into a function that takes the fields of a request. A text as it is written
leads to the same function each time.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, NamedTuple, Sequence

from .._values.address_set import Ranges
from .functions import FUNCTIONS, SKIPS_MISSING, Function
from .grammar import QUOTED, RAW, WORD, Token, quoted, tokens_of
from .literals import (
    MISSING,
    Items,
    Pairs,
    Unevaluated,
    Value,
    is_number,
    kind_of,
    literal_of,
    number_of,
    text_of,
)

EACH = "*"
CLOSING = {"(": ")", "[": "]", "{": "}"}


class Fields(NamedTuple):
    """What is known of a request or packet: its fields, and the addresses of the lists of its
    account by their names. Others are not known."""

    values: Mapping[str, Value]
    lists: Mapping[str, Ranges] = {}

    def value(self, name: str) -> Value:
        """The value of a field; raises Unevaluated."""
        try:
            return self.values[name]
        except KeyError:
            raise Unevaluated(f"the field {name} is not given") from None


Evaluate = Callable[[Fields], Value]


class Operand(NamedTuple):
    """A value, or with `is_each` one for each element of an array, as Items or MISSING."""

    evaluate: Evaluate
    is_each: bool = False


def operand_of(text: str) -> Operand:
    """The left side of a comparison; raises Unevaluated for a form that is not known."""
    return operand(tokens_of(text))


def field_operand(name: str) -> Operand:
    """The value of a field."""
    return Operand(lambda fields: fields.value(name))


def operand(tokens: Sequence[Token]) -> Operand:
    """The same from its words."""
    if not tokens or tokens[0].kind != WORD:
        raise Unevaluated("the left side of a comparison is not understood")
    name, rest = tokens[0].text, list(tokens[1:])
    base = field_operand(name)
    if rest and rest[0].text == "(":
        arguments, rest = _bracketed(rest)
        base = _called(name, _arguments(arguments))
    indexes: list[Any] = []
    while rest and rest[0].text == "[":
        index, rest = _bracketed(rest)
        indexes.append(_index(index))
    if rest:
        raise Unevaluated(f"{quoted(rest[0].text)} is not understood there")
    return _indexed(base, indexes)


def _bracketed(tokens: Sequence[Token]) -> tuple[list[Token], list[Token]]:
    """What stands between the first bracket and the one that closes it, and what stands behind."""
    open_brackets: list[str] = []
    for index, token in enumerate(tokens):
        if token.text in CLOSING:
            open_brackets.append(CLOSING[token.text])
        elif open_brackets and token.text == open_brackets[-1]:
            open_brackets.pop()
            if not open_brackets:
                return list(tokens[1:index]), list(tokens[index + 1 :])
    raise Unevaluated("a bracket is not closed")


def _arguments(tokens: Sequence[Token]) -> list[list[Token]]:
    """The arguments of a function, which commas separate."""
    arguments: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in CLOSING) - (token.text in CLOSING.values())
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
    raise Unevaluated("an index is not understood")


def _indexed(base: Operand, indexes: Sequence[Any]) -> Operand:
    if not indexes:
        return base
    if base.is_each and EACH not in indexes:
        raise Unevaluated("a function of each element needs [*] behind it")

    def each(fields: Fields) -> Value:
        values: list[Value] = [base.evaluate(fields)]
        if indexes == [EACH]:
            return _elements(values[0])
        complete = True
        for index in indexes:
            inner: list[Value] = []
            for value in values:
                elements = _elements(value) if index == EACH else Items((_element(value, index),))
                complete = complete and elements.complete and not elements.maybe
                inner += [element for element in elements.values if element is not MISSING]
            values = inner
        return Items(tuple(values), complete)

    def single(fields: Fields) -> Value:
        value = base.evaluate(fields)
        for index in indexes:
            value = _element(value, index)
        return value

    return Operand(each, True) if EACH in indexes else Operand(single)


def _elements(value: Value) -> Items:
    if value is MISSING:
        return Items(())
    if isinstance(value, Pairs):
        return Items(tuple(value.values.values()), not value.unknown)
    if not isinstance(value, Items):
        raise Unevaluated(f"{kind_of(value)} has no elements")
    return value


def _element(value: Value, index: Any) -> Value:
    if value is MISSING:
        return MISSING
    if isinstance(value, Pairs) and isinstance(index, bytes):
        if index in value.unknown:
            raise Unevaluated(f"{index.decode(errors='replace')} is not given")
        return value.values.get(index, MISSING)
    if isinstance(value, Items) and isinstance(index, int):
        if not value.is_listed:
            raise Unevaluated("the order of the elements of an array is not known")
        return value.values[index] if 0 <= index < len(value.values) else MISSING
    raise Unevaluated(f"{kind_of(value)} has no element {index!r}")


def _called(name: str, arguments: Sequence[Sequence[Token]]) -> Operand:
    function = FUNCTIONS.get(name)
    if function is None:
        raise Unevaluated(f"the function {name} is not known")
    if not function.fewest <= len(arguments) <= (function.most or len(arguments)):
        raise Unevaluated(f"the function {name} is not known with {len(arguments)} arguments")
    operands = [_argument(tokens) for tokens in arguments]
    if any(item.is_each for item in operands[1:]):
        raise Unevaluated(f"the function {name} takes [*] in its first argument only")
    return _call(name, function, operands)


def _call(name: str, function: Function, operands: Sequence[Operand]) -> Operand:
    def called(values: Sequence[Value]) -> Value:
        present = [value for value in values if value is not MISSING]
        if len(present) == len(values) or (present and name in SKIPS_MISSING):
            return function.call(*present)
        return MISSING

    def single(fields: Fields) -> Value:
        return called([item.evaluate(fields) for item in operands])

    def each(fields: Fields) -> Value:
        elements = operands[0].evaluate(fields)
        others = [item.evaluate(fields) for item in operands[1:]]

        def of_each(values: Sequence[Value]) -> tuple[Value, ...]:
            results = [called([element, *others]) for element in values]
            return tuple(result for result in results if result is not MISSING)

        return Items(of_each(elements.values), elements.complete, of_each(elements.maybe))

    return Operand(each, True) if operands[0].is_each else Operand(single)


def _argument(tokens: Sequence[Token]) -> Operand:
    if len(tokens) == 1 and (tokens[0].kind in (QUOTED, RAW) or is_number(tokens[0].text)):
        literal = literal_of(tokens[0])
        return Operand(lambda fields: literal)
    return operand(tokens)

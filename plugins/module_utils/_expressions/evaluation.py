# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The evaluation of an expression for one request or packet: true, false, or not known, with the
reasons.

The vendor describes the language in "Rules language"; where the description is silent, the public
engine (github.com/cloudflare/wirefilter) decides: addresses are compared within their family, a
missing value meets no comparison but `ne`, and regular expressions work on bytes.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache, partial
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence, Tuple, Union

from .._text import Unread, quoted
from .._values.address_set import is_in
from .grammar import (
    LARGEST_NUMBER,
    PATTERN,
    QUANTIFIERS,
    QUOTED,
    RAW,
    Combination,
    Comparison,
    Constant,
    Negation,
    NotKnown,
    Token,
    Tree,
    is_address,
    is_number,
    number_of,
    parse,
    text_of,
    tokens_of,
)
from .networks_and_ports import met_addresses
from .operands import (
    MISSING,
    Evaluate,
    Fields,
    FieldValue,
    Items,
    LowerBound,
    Operand,
    field_operand,
    kind_in_words,
    operand,
    single_result,
)
from .patterns import regular_expression, wildcard, wildcard_pieces

Truth = Union[bool, NotKnown]
Decide = Callable[[Fields], Truth]
Test = Callable[[FieldValue, Fields], bool]  # whether a value meets a comparison; raises Unread

Kinds = Tuple[type, ...]
TEXT_KINDS: Kinds = (bytes,)
NUMBER_KINDS: Kinds = (int,)  # and no bool
ADDRESS_KINDS: Kinds = (ipaddress.IPv4Address, ipaddress.IPv6Address)
OfValue = Callable[[Any], bool]  # the same without the fields
DECISIVE = {"or": True, "and": False}
NOT_ALL = NotKnown(("not all elements of an array are given",))
# The end of a pattern that says nothing; behind a parenthesis only if there is no choice.
ENDLESS = re.compile(r'^([^|]*)(?<!\\)\.[*+]\)*\$"#*\Z|(?<!\\)\.[*+]\$"#*\Z')
LOOKS_AT_END = re.compile(r"\$|\\[bBz]")
ORDERINGS: Mapping[str, Callable[[Any, Any], bool]] = {
    ordering.__name__: ordering for ordering in (eq, ne, lt, le, gt, ge)
}


@lru_cache(maxsize=4096)
def decider_of(tree: Tree) -> Decide:
    """A function that decides by the fields of a request whether it matches an expression, or a
    part of one."""
    if isinstance(tree, Constant):
        value = tree.value
        return lambda fields: value
    if isinstance(tree, Negation):
        part = decider_of(tree.part)
        return lambda fields: _negated(part(fields))
    if isinstance(tree, Combination):
        return _decider_of_parts(DECISIVE.get(tree.operator), tree.parts)
    _left_side, evaluate, test = halves(tree)

    def decide(fields: Fields) -> Truth:
        try:
            return test(evaluate(fields), fields)
        except Unread as exc:
            return NotKnown(exc.reasons)

    return decide


def _decider_of_parts(decisive: bool | None, trees: Sequence[Tree]) -> Decide:
    """A function that decides an `and`, `or` or `xor`. The decider of a part is made when a request
    gets to it, since most requests do not get behind the first one."""
    deciders: list[Decide | None] = [None] * len(trees)

    def truths(fields: Fields) -> Iterator[Truth]:
        for place, decider in enumerate(deciders):
            if decider is None:
                decider = deciders[place] = decider_of(trees[place])
            yield decider(fields)

    return lambda fields: _combined(decisive, truths(fields))


def truth_by(values: Mapping[str, FieldValue], leaf: Comparison) -> Truth:
    """The truth of a comparison, as far as these values of fields decide it."""
    return decider_of(leaf)(Fields(values))


def truth_of_text(leaf: Comparison, field: str, text: str) -> Truth:
    """The truth of a comparison of a field with this text, as an expression writes it."""
    value = text_of(Token(QUOTED, text, 0))
    names = dict.fromkeys((field, field.replace(".src.", ".geoip.")), value)
    return truth_by(names, leaf)


def _negated(truth: Truth) -> Truth:
    return truth if isinstance(truth, NotKnown) else not truth


def _combined(decisive: bool | None, truths: Iterable[Truth]) -> Truth:
    """The truth of `or` if True is decisive, of `and` if False is, and of `xor` if None is; no
    truth behind a decisive one is evaluated."""
    reasons: list[str] = []
    xor_result = False
    for truth in truths:
        if isinstance(truth, NotKnown):
            reasons += truth.reasons
        elif truth is decisive:
            return truth
        else:
            xor_result ^= truth
    if reasons:
        return NotKnown(tuple(dict.fromkeys(reasons)))
    return xor_result if decisive is None else not decisive


class Halves(NamedTuple):
    """A comparison: its left side as it is written, the function that evaluates the left side, and
    the test of the value."""

    left_side: str
    evaluate: Evaluate
    test: Test


@lru_cache(maxsize=4096)
def halves(leaf: Comparison) -> Halves:
    """The two halves of a comparison; if the comparison is not understood, the test raises
    Unread."""
    problem: Sequence[str] = [leaf.problem]
    if not leaf.problem:
        try:
            return _comparison_halves(leaf)
        except Unread as exc:
            problem = exc.reasons

    def not_known(value: FieldValue, fields: Fields) -> bool:
        raise Unread(*problem)

    return Halves("", lambda fields: MISSING, not_known)


def _comparison_halves(comparison: Comparison) -> Halves:
    if comparison.plain:
        return _single_halves(comparison, field_operand(comparison.field))
    tokens = tokens_of(comparison.field)
    if tokens[0].text in QUANTIFIERS and tokens[1:2] and tokens[1].text == "(":
        if comparison.operator or tokens[-1].text != ")":
            raise Unread(f"{tokens[0].text}() is compared to something")
        return _quantified_halves(tokens[0].text, tokens[2:-1])
    left_side = operand(tokens)
    if left_side.is_each:
        raise Unread("[*] is used without any() or all()")
    return _single_halves(comparison, left_side)


def _single_halves(comparison: Comparison, left_side: Operand) -> Halves:
    test, if_missing = _test(comparison), comparison.operator == "ne"

    def tested(value: FieldValue, fields: Fields) -> bool:
        return if_missing if value is MISSING else test(value, fields)

    return Halves(comparison.field, left_side.evaluate, tested)


def _quantified_halves(name: str, tokens: Sequence[Token]) -> Halves:
    """The halves of any() or all() with a comparison of each element of an array."""
    tree = parse(" ".join(token.text for token in tokens))
    is_negated = isinstance(tree, Negation)
    if isinstance(tree, Negation):
        tree = tree.part
    if not isinstance(tree, Comparison) or tree.problem:
        raise Unread(f"{name}() of more than one comparison is not understood")
    left_side = operand(tokens_of(tree.field))
    if not left_side.is_each and tree.operator:
        raise Unread(f"{name}() takes a comparison of each element, with [*]")
    test = _test(tree)

    def met(value: FieldValue, fields: Fields) -> Truth:
        try:
            return test(value, fields) is not is_negated
        except Unread as exc:
            return NotKnown(exc.reasons)

    elements_test = partial(_test_elements, name, met)
    return Halves(tree.field, left_side.evaluate, elements_test)


def _test_elements(
    name: str, met: Callable[[FieldValue, Fields], Truth], elements: FieldValue, fields: Fields
) -> bool:
    """Return whether any, or all, elements of an array meet a test; raises Unread."""
    if elements is MISSING:
        return False
    if not isinstance(elements, Items):
        raise Unread(f"{kind_in_words(elements)} has no elements")
    decisive = name == "any"
    truths = [met(element, fields) for element in elements.values]
    # An element that may be there makes no difference if it decides nothing.
    truth_of_possible = _combined(decisive, (met(element, fields) for element in elements.maybe))
    if not elements.complete or truth_of_possible is not (not decisive):
        truths.append(NOT_ALL)
    truth = _combined(decisive, truths)
    if isinstance(truth, NotKnown):
        raise Unread(*truth.reasons)
    return truth


def _test(comparison: Comparison) -> Test:
    """The test of a value in a comparison; raises Unread for an unknown form."""
    operator, operands = comparison.operator, comparison.operands
    if not operator:
        return _is_true
    in_list = operator == "in" and not comparison.in_braces and operands[0].text.startswith("$")
    if comparison.in_braces != (operator == "in") and not in_list:
        raise Unread(f"'{operator}' is not known with these values")
    if not operands:
        return lambda value, fields: False
    kinds = {token.kind for token in operands}
    if kinds <= {QUOTED, RAW, PATTERN}:
        return _text_test(comparison)
    texts = [token.text for token in operands]
    if in_list:
        return _list_test(texts[0])
    if all(map(is_number, texts)):
        return _number_test(operator, texts)
    if all(map(is_address, texts)):
        return _address_test(comparison)
    raise Unread(f"{quoted(texts[0])} is not understood as a value")


def _is_true(value: FieldValue, fields: Fields) -> bool:
    if not isinstance(value, bool):
        raise Unread(f"{kind_in_words(value)} is neither true nor false")
    return value


def _text_test(comparison: Comparison) -> Test:
    operator = comparison.operator
    if operator == "in":
        members = frozenset(map(text_of, comparison.operands))
        return _test_of_texts("texts", lambda value: value in members, *members)
    (token,) = comparison.operands
    if operator == "matches":
        test = regular_expression(token)
        return _test_of_kinds(
            TEXT_KINDS, "a regular expression", test, partial(_decisive_beginning, token, test)
        )
    text = text_of(token)
    if operator == "contains":
        return _test_of_texts("a text", lambda value: text in value, text)
    if operator in ("wildcard", "strict wildcard"):
        pieces, fits = wildcard_pieces(text), wildcard(text, operator != "wildcard")
        return _test_of_texts("a wildcard", fits, b"".join(pieces))
    compare = _ordering_of(operator)
    return _test_of_texts("a text", lambda value: compare(value, text), text)


def _ordering_of(operator: str) -> Callable[[Any, Any], bool]:
    if operator not in ORDERINGS:
        raise Unread(f"'{operator}' is not known with these values")
    return ORDERINGS[operator]


def _test_of_kinds(
    kinds: Kinds,
    right_side: str,
    test: OfValue,
    points: Callable[[Any], Iterable[Any]] | None = None,
) -> Test:
    """A test for values of these kinds, which raises Unread for others. Of a LowerBound it tests
    all `points`, which stand for all values that it may be, and raises Unread if their results
    differ."""

    def tested(value: FieldValue, fields: Fields) -> bool:
        if type(value) in kinds:
            return test(value)
        if points and isinstance(value, LowerBound) and type(value.start) in kinds:
            return bool(single_result(map(test, points(value.start))))
        raise Unread(f"{kind_in_words(value)} is compared to {right_side}")

    return tested


def _test_of_texts(right_side: str, test: OfValue, *texts: bytes) -> Test:
    """A test whose result for a text follows from a comparison of the text with these texts."""
    highest = b"\xff" * (max(map(len, texts), default=0) + 1)

    def points(start: bytes) -> Iterable[bytes]:
        cut = [text[len(start) :] for text in texts]
        behind = [text + b"\0" for text in cut]
        ends = (b"", b"\0", highest, *texts, *cut, *behind)
        return [start + end for end in ends]

    return _test_of_kinds(TEXT_KINDS, right_side, test, points)


def _decisive_beginning(token: Token, test: OfValue, start: bytes) -> list[bytes]:
    """The beginning of a text, if all texts that begin so match a regular expression; raises Unread
    otherwise."""
    if LOOKS_AT_END.search(ENDLESS.sub(r"\1", token.text)) or not test(start):
        raise Unread("only the beginning of a text is known")
    return [start]


def _number_test(operator: str, texts: list[str]) -> Test:
    ranges = [[number_of(text) for text in written.split("..")] for written in texts]
    near: list[int] = []
    for ends in ranges:
        for end in ends:
            near += [end, end + 1]

    def points(start: int) -> Iterable[int]:
        return (max(start, point) for point in (-LARGEST_NUMBER, *near, LARGEST_NUMBER))

    def is_within(value: int) -> bool:
        return any(ends[0] <= value <= ends[-1] for ends in ranges)

    if operator == "in":
        return _test_of_kinds(NUMBER_KINDS, "numbers", is_within, points)
    compare, number = _ordering_of(operator), ranges[0][0]
    return _test_of_kinds(NUMBER_KINDS, "a number", lambda value: compare(value, number), points)


def _address_test(comparison: Comparison) -> Test:
    if comparison.operator != "in":
        _ordering_of(comparison.operator)  # others are of texts alone
    ranges = met_addresses(comparison)
    return _test_of_kinds(ADDRESS_KINDS, "addresses", lambda value: is_in(ranges, value))


def _list_test(name: str) -> Test:
    def test(value: FieldValue, fields: Fields) -> bool:
        contents = fields.lists.get(name[1:])
        if contents is None:
            raise Unread(f"the content of the list {name} is not known")
        if not contents.size:
            return False
        if contents.ranges and type(value) in ADDRESS_KINDS:
            return is_in(contents.ranges, value)
        if contents.numbers and type(value) in NUMBER_KINDS:
            return value in contents.numbers
        if contents.hostnames and type(value) in TEXT_KINDS:
            return contents.has_hostname(value.decode(errors="replace").lower())
        raise Unread(f"{kind_in_words(value)} is compared to {contents.kind_in_words}")

    return test

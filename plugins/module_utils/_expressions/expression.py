# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An expression of the Rules language as a value: its text, what it names, what it means, and the
expressions that are made of it.

A text leads to the same object each time, as far as memory allows, so that it is read once. An
expression that is made of others has their trees, and no text is read again.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import AbstractSet, Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence

from .._text import Unread
from .._values.address_set import Contents
from .._vendor.fields import PACKET_FIELDS
from .._vendor.rules import Readable
from .fields import doubts, doubts_of_place, doubts_of_request
from .grammar import (
    LONGEST_FILTER,
    MATCHES,
    UNPARSED,
    WORD,
    Combination,
    Comparison,
    Constant,
    Negation,
    NotKnown,
    Tree,
    fields_in_expression,
    leaves,
    normalise_expression,
    parse,
    tokens_of,
    with_comparisons,
)
from .lists import list_uses, lists_in, with_contents

COUNTRY_OF_EITHER_END = "ip.geoip.country"  # of packets; of requests, it is that of the source
COUNTRY_OF_END = ("ip.src.country", "ip.dst.country")
EITHER_END = re.compile(r"(?<![\w.])ip\.geoip\.country(?![\w.])")
OTHER_COUNTRY = (
    "the vendor does not say whether source, destination, or both have to be of another country;"
    " write ip.src.country ne ... and ip.dst.country ne ..."
)
MOST_REMEMBERED_TEXTS = 4096  # of which the expressions are kept


class ListUse(NamedTuple):
    """A comparison that asks whether the value of a field is in a list of the account."""

    list_name: str
    field: str


class Expression:
    """An expression of the Rules language.

    Two are equal if their texts differ in white space outside of texts in quotes only. `tree`
    raises Unread if the expression cannot be read; such an expression names nothing, and whether a
    request matches it is not known.
    """

    def __init__(
        self, text: str = "", operator: str = "", parts: Sequence[Expression] = ()
    ) -> None:
        self._text, self._operator, self._parts = text, operator, tuple(parts)

    @staticmethod
    def of(text: str) -> Expression:
        """The expression with a text."""
        return _expression_with(text)

    @staticmethod
    def of_object(obj: Mapping[str, Any], field: str = "expression") -> Expression:
        """The expression of an object of Cloudflare. One that is longer than Cloudflare accepts is
        not parsed: it becomes an expression that cannot be read."""
        text = str(obj.get(field) or "")
        if len(text) <= LONGEST_FILTER:
            return Expression.of(text)
        digest = sha256(text.encode(errors="replace")).hexdigest()
        return Expression.of(f"{UNPARSED} {len(text)} {digest}")

    def __eq__(self, expression: object) -> bool:
        if self is expression:
            return True
        if not isinstance(expression, Expression):
            return NotImplemented
        return self.normalised == expression.normalised

    def __hash__(self) -> int:
        return hash(self.normalised)

    def __repr__(self) -> str:
        return f"Expression.of({self.text!r})"

    @cached_property
    def text(self) -> str:
        """The text as it is written, or as it would be written of its parts."""
        if not self._operator:
            return self._text
        if self._operator == "not":
            return f"not ({self._parts[0].text})"
        return f" {self._operator} ".join(part.text_as_part for part in self._parts)

    @property
    def text_as_part(self) -> str:
        """The text as it stands in a longer expression."""
        return self.text if self._operator == "not" else f"({self.text})"

    @cached_property
    def normalised(self) -> str:
        """The normalised text, the same for equal expressions."""
        return normalise_expression(self.text)

    @property
    def tree(self) -> Tree:
        """The tree of its parts; raises Unread."""
        tree = self._tree_or_problem
        if isinstance(tree, Unread):
            raise tree.with_traceback(None)
        return tree

    @property
    def problem(self) -> Unread | None:
        """The reason why it cannot be read; None if it can be."""
        tree = self._tree_or_problem
        return tree if isinstance(tree, Unread) else None

    @cached_property
    def _tree_or_problem(self) -> Tree | Unread:
        try:
            return self._read_tree()
        except Unread as exc:
            return exc

    def _read_tree(self) -> Tree:
        if not self._operator:
            return parse(self._text)
        trees = tuple(part.tree for part in self._parts)
        if self._operator == "not":
            return Negation(trees[0])
        return Combination(self._operator, trees)

    @cached_property
    def comparisons(self) -> Sequence[Comparison]:
        """The comparisons from left to right; raises Unread."""
        return tuple(leaves(self.tree))

    @cached_property
    def names(self) -> Sequence[str]:
        """The fields that it reads, each once."""
        if self._operator:
            return _merged(part.names for part in self._parts)
        return tuple(fields_in_expression(self._text))

    @cached_property
    def lists(self) -> Sequence[str]:
        """The names of the lists of the account to which it refers, each once."""
        if self._operator:
            return _merged(part.lists for part in self._parts)
        return tuple(lists_in(self._text))

    @property
    def list_uses(self) -> Sequence[ListUse]:
        """The comparisons that ask whether a value is in a list of the account."""
        return [ListUse(use.operands[0].text[1:], use.field) for use in list_uses(self.text)]

    @property
    def has_regular_expression(self) -> bool:
        """Return whether it compares something to a regular expression."""
        try:
            tokens = tokens_of(self.text)
        except Unread:
            return False
        return any(token.text in MATCHES for token in tokens)

    def doubts(self, of_packets: bool = False, of_responses: bool = False) -> str:
        """Remarks, each beginning with a verb, on fields that it reads and that requests, packets
        or responses do not have; empty if there are none."""
        if of_packets:
            return doubts(self.text, PACKET_FIELDS)
        return doubts(self.text) if of_responses else doubts_of_request(self.text)

    def doubts_of_place(self, readable: Readable) -> str:
        """A remark, beginning with a verb, on fields that cannot be read at its place; empty if all
        can."""
        return doubts_of_place(self.text, readable)

    def evaluate(self, fields: Any) -> bool | NotKnown:
        """Return whether a request or packet with these Fields matches."""
        return self._decide(fields)

    @cached_property
    def _decide(self) -> Callable[[Any], bool | NotKnown]:
        from .evaluation import decider_of  # loaded if something is evaluated

        try:
            return decider_of(self.tree)
        except Unread as exc:
            unread = NotKnown((f"the expression cannot be read: {exc}",))
            return lambda fields: unread

    def and_(self, *expressions: Expression) -> Expression:
        """An expression that matches if this one and all of these match."""
        return self._joined("and", expressions)

    def or_(self, *expressions: Expression) -> Expression:
        """An expression that matches if this one or one of these matches."""
        return self._joined("or", expressions)

    def not_(self) -> Expression:
        """An expression that matches if this one does not."""
        return Expression(operator="not", parts=[self])

    def without(self, *expressions: Expression) -> Expression:
        """An expression that matches if this one does, and none of these."""
        return self._joined("and", [expression.not_() for expression in expressions])

    def _joined(self, operator: str, expressions: Sequence[Expression]) -> Expression:
        if not expressions:
            return self
        return Expression(operator=operator, parts=[self, *expressions])

    @staticmethod
    def any_of(expressions: Sequence[Expression]) -> Expression:
        """An expression that matches if one of these does; `false` if there are none."""
        if not expressions:
            return Expression.of("false")
        return expressions[0].or_(*expressions[1:])

    def with_lists(self, contents: Mapping[str, Contents]) -> Expression:
        """The expression with the known contents of lists in the place of their names. A long list
        stays a name, and so does one of hostnames if the comparison has another form."""
        if not contents or contents.keys().isdisjoint(self.lists):
            return self
        if self._operator:
            parts = [part.with_lists(contents) for part in self._parts]
            return Expression(operator=self._operator, parts=parts)
        return Expression.of(with_contents(self._text, contents))

    def assuming(self, condition: Expression) -> Expression:
        """The expression as it is for traffic that meets the condition, a single comparison: that
        comparison is true."""
        if self.problem or condition.text not in self.text:
            return self
        return _Assuming(self, condition)

    def of_packets(self) -> Expression:
        """The expression as packets meet it: a country of either end matches by the source or by
        the destination ("Network Firewall fields")."""
        return _OfPackets(self) if COUNTRY_OF_EITHER_END in self.names else self

    def truths_in_favour(self, fields: AbstractSet[str]) -> list[tuple[Comparison, bool]]:
        """Each comparison of one of these fields, with the truth by which the expression is more
        likely to match; with both truths if either may do so. Raises Unread."""
        return [*_truths_in_favour(self.tree, fields, True)]


class _Assuming(Expression):
    """An expression in which one comparison is taken as true."""

    def __init__(self, whole: Expression, condition: Expression) -> None:
        super().__init__(whole.text.replace(condition.text, "true"))
        self._whole, self._condition = whole, condition

    def _read_tree(self) -> Tree:
        (condition,) = self._condition.comparisons
        met = _words(condition)

        def with_true(comparison: Comparison) -> Tree:
            return Constant(True) if _words(comparison) == met else comparison

        return with_comparisons(self._whole.tree, with_true)


class _OfPackets(Expression):
    """An expression of packets, in which a country of either end is that of the source or of the
    destination."""

    def __init__(self, written: Expression) -> None:
        # The text differs, so that no request with this expression is taken for a packet.
        super().__init__(EITHER_END.sub("/".join(COUNTRY_OF_END), written.text))
        self._written = written

    def _read_tree(self) -> Tree:
        return with_comparisons(self._written.tree, _of_either_end)

    @cached_property
    def names(self) -> Sequence[str]:
        names = [name for name in self._written.names if name != COUNTRY_OF_EITHER_END]
        return _merged([names, COUNTRY_OF_END])

    def with_lists(self, contents: Mapping[str, Contents]) -> Expression:
        return self._written.with_lists(contents).of_packets()


def _of_either_end(comparison: Comparison) -> Tree:
    """The comparison of a country of either end, by the countries of both ends."""
    if not EITHER_END.search(comparison.field):
        return comparison
    if comparison.operator == "ne":
        return comparison._replace(problem=OTHER_COUNTRY)
    fields = [EITHER_END.sub(name, comparison.field) for name in COUNTRY_OF_END]
    return Combination("or", tuple(comparison._replace(field=field) for field in fields))


def _words(comparison: Comparison) -> tuple[object, ...]:
    """The words of a comparison without their places, by which equal comparisons are found."""
    operands = tuple(token.text for token in comparison.operands)
    return comparison.field, comparison.operator, comparison.in_braces, operands


@lru_cache(maxsize=MOST_REMEMBERED_TEXTS)
def _expression_with(text: str) -> Expression:
    return Expression(text)


def _merged(parts: Iterable[Sequence[str]]) -> Sequence[str]:
    """All names of these parts, each once."""
    merged: dict[str, None] = {}
    for names in parts:
        merged.update(dict.fromkeys(names))
    return tuple(merged)


def _truths_in_favour(
    tree: Tree, fields: AbstractSet[str], is_wanted: bool
) -> Iterator[tuple[Comparison, bool]]:
    if isinstance(tree, Negation):
        yield from _truths_in_favour(tree.part, fields, not is_wanted)
    elif isinstance(tree, Combination):
        for part in tree.parts:
            yield from _truths_in_favour(part, fields, is_wanted)
            if tree.operator == "xor":
                yield from _truths_in_favour(part, fields, not is_wanted)
    elif isinstance(tree, Comparison) and not fields.isdisjoint(_fields_of_side(tree.field)):
        yield tree, is_wanted


@lru_cache(maxsize=MOST_REMEMBERED_TEXTS)
def _fields_of_side(side: str) -> frozenset[str]:
    """The words of the left side of a comparison, among which its fields are."""
    return frozenset(token.text for token in tokens_of(side) if token.kind == WORD)

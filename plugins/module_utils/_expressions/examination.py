# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The check of an expression of a task before any request, and words that cannot be meant, each
with the form to write.

A mistake is one by the vendor's pages and by its engine, and has the same words with and without
the engine's parser. Of a field or a function that is not known nothing is said but that. A custom
rule's expression has at most 4,096 characters, and a filter's 8,192.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from itertools import accumulate
from typing import Any, Callable, Iterator, NamedTuple, Sequence

from .._text import Unread, did_you_mean, quoted
from .._values.hostnames import in_punycode
from .._values.kinds import AN_EXPRESSION, Value, parse_filled_text
from .._vendor.fields import (
    ADDRESS,
    ARRAY,
    FIELD_KINDS,
    FLAG,
    KNOWN_FIELDS,
    MAP,
    NUMBER,
    PACKET_FIELDS,
    RAW_PACKETS,
    TEXT,
)
from .._vendor.functions import RESULTS_OF_FUNCTIONS
from .fields import unknown_names
from .grammar import (
    AROUND,
    DEPTHS,
    EACH,
    FIELD,
    LONGEST_FILTER,
    QUANTIFIERS,
    QUOTED,
    WORD,
    Combination,
    Comparison,
    Token,
    Tree,
    is_address,
    is_number,
    leaves,
    normalise_expression,
    number_of,
    parse,
    place_in_words,
    text_of,
    tokens_of,
)
from .lists import misplaced_list
from .networks_and_ports import FILTER_FIELDS, addresses_of, set_to_write, values_of
from .never_true import texts_never_begun, values_never_had
from .patterns import wildcard_pieces

try:
    import octorules_wirefilter
except ImportError:  # the parser of the vendor's own engine is optional
    vendor_parser: Callable[..., dict[str, Any]] | None = None
else:
    vendor_parser = octorules_wirefilter.parse_expression

LONGEST_RULE = 4096
LONGEST_OVERRIDE = 4000  # of managed DDoS rules
FILTER_SCHEME: str | None = "magic_firewall"  # packets
RULE_SCHEME: str | None = None  # requests
ERROR = re.compile(r"[^\n]*\((\d+):(\d+)\):\n[^\n]*\n *\^+ (.+)", re.DOTALL)
UNCERTAIN = re.compile(
    r"unknown identifier|invalid (?:kind|type|number) of argument|cannot perform this operation"
)
UNRECOGNISED = "unrecognised input"  # also an unknown name among the arguments of a function
# Documented, and not known to the library.
FALSELY_REFUSED = ("true", "false", "is_timed_hmac_valid_v0")


def check_rule(expression: str, is_filter: bool = False) -> list[str]:
    """Warnings about an expression: what Cloudflare may refuse, and what can hardly be meant.
    Raises Unread if Cloudflare refuses it. Filters know few fields; rules know too many to list
    them all."""
    tree = parse(expression)
    doubts = _doubts_of_values(tree, is_filter)
    mistakes = [*mistakes_in(tree)]
    for mistake in mistakes:
        if mistake.malformed:
            raise mistake
    remarks = [*doubts.items()]
    for mistake in mistakes:
        if mistake.at not in doubts:
            remarks.append((mistake.at, str(mistake)))
    places: dict[str, int] = {}  # the first of each remark
    for place, remark in sorted(remarks, reverse=True):
        places[remark] = place
    in_order = reversed([*places])
    return [f"{place_in_words(expression, places[remark])}: {remark}" for remark in in_order]


def _doubts_of_values(tree: Tree, is_filter: bool) -> dict[int, str]:
    """The doubts about values of fields that filters know, by their places in the expression;
    raises Unread for a value that Cloudflare refuses."""
    doubts: dict[int, str] = {}
    for leaf in leaves(tree):
        is_known = leaf.field in FILTER_FIELDS and not leaf.problem
        if is_filter or (is_known and not misplaced_list(leaf)):
            try:
                values_of(leaf)
            except Unread as exc:
                if exc.malformed:
                    raise
                if is_filter:
                    doubts[exc.at] = f"{exc}; Cloudflare may refuse it"
    return doubts


def check_packets(expression: str) -> list[str]:
    """Warnings about an expression for packets, like those of check_rule(); raises Unread if
    Cloudflare refuses it, or if it uses a field of requests."""
    for name in unknown_names(expression, PACKET_FIELDS):
        if name in KNOWN_FIELDS:
            tokens = tokens_of(expression)
            start = next(token.start for token in tokens if token.text == name)
            raise Unread(f"{quoted(name)} is a field of requests, and not of packets", at=start)
    return check_rule(expression)


def vendor_refusal(expression: str, scheme: str | None) -> Unread | None:
    """The refusal of an expression by the parser of the vendor's own engine; None if it does not
    refuse it, or may be wrong.

    It is the library octorules-wirefilter, where it is installed. Cloudflare may know more fields
    and functions than the library's scheme, so that what the library does not know by name or type
    is not refused.
    """
    if vendor_parser is None or _is_falsely_refused(expression):
        return None
    try:
        error = vendor_parser(expression, scheme).get("error") or ""
    except Exception:  # an optional check does not stop the module
        return None
    match = ERROR.match(error)
    if not match or UNCERTAIN.match(match[3]):
        return None
    line, column, reason = int(match[1]), int(match[2]), " ".join(match[3].split())
    lines = expression.split("\n")
    # The library counts bytes.
    before = lines[line - 1].encode()[: column - 1].decode(errors="ignore")
    start = sum(len(text) + 1 for text in lines[: line - 1]) + len(before)
    if reason == UNRECOGNISED and _is_newer_field(expression, start, scheme):
        return None
    return Unread(f"{reason} (so says the parser of the vendor's engine)", at=start)


def _is_newer_field(expression: str, start: int, scheme: str | None) -> bool:
    """Return whether a field stands at this place that the library does not know."""
    name = FIELD.match(expression, start)
    return name is not None and name[0] not in _fields_of_library(scheme)


@lru_cache(maxsize=None)
def _fields_of_library(scheme: str | None) -> frozenset[str]:
    fields = octorules_wirefilter.get_schema_info(scheme)["fields"]
    return frozenset(field["name"] for field in fields)


def _is_falsely_refused(expression: str) -> bool:
    """Return whether an expression contains a word that the library does not know although
    Cloudflare does. Since few do, the text is searched first."""
    return any(word in expression for word in FALSELY_REFUSED) and any(
        token.text in FALSELY_REFUSED for token in tokens_of(expression)
    )


def _expression_kind(
    check: Callable[[str], list[str]], scheme: str | None, longest: int | None
) -> Value:
    """The kind of value for expressions of at most `longest` characters (None: any). `check` and
    the vendor's parser for `scheme` examine them before any request is sent; see Value.examine."""

    def read(value: object) -> str:
        return parse_filled_text(value, AROUND)

    @lru_cache(maxsize=4096)
    def examine(expression: str) -> list[str]:
        length = len(expression)
        if longest is not None and length > longest:
            too_long = f"it has {length} characters, and Cloudflare takes at most {longest}"
            raise ValueError(f"{too_long}; split it into several")
        try:
            warnings = check(expression)
            refusal = vendor_refusal(expression, scheme)
            if refusal:
                raise refusal
        except Unread as exc:
            sentence = f"{place_in_words(expression, exc.at)}: {exc}"
            if exc.malformed:
                raise ValueError(sentence) from exc
            return [sentence]
        return warnings

    return Value({"type": "str"}, read, normalise_expression, examine, subject=AN_EXPRESSION)


FILTER_EXPRESSION = _expression_kind(
    partial(check_rule, is_filter=True), FILTER_SCHEME, LONGEST_FILTER
)
PACKET_EXPRESSION = _expression_kind(check_packets, FILTER_SCHEME, LONGEST_RULE)
PACKET_OVERRIDE_EXPRESSION = _expression_kind(check_packets, FILTER_SCHEME, LONGEST_OVERRIDE)
HTTP_OVERRIDE_EXPRESSION = _expression_kind(check_rule, RULE_SCHEME, LONGEST_OVERRIDE)
FIREWALL_EXPRESSION = _expression_kind(check_rule, RULE_SCHEME, None)
RULE_EXPRESSION = _expression_kind(check_rule, RULE_SCHEME, LONGEST_RULE)


NEAR_FUNCTIONS = 0.7
KINDS_IN_WORDS = {TEXT: "a text", NUMBER: "a number", ADDRESS: "an address", FLAG: "true or false"}
NUMBER_OPERATORS = ("eq", "ne", "lt", "le", "gt", "ge", "in")
NUMBER_RANGE, AS_NUMBER = re.compile("[0-9]+-[0-9]+"), re.compile("[aA][sS]([0-9]+)")
OF_ARRAYS_TOO = ("concat",)  # functions that return an array for arrays
OF_OTHER_ELEMENTS = ("_categories", "_sizes", "_ids")  # ends of fields whose elements are no texts
LOWERED = ("http.request.headers", "http.response.headers")
BYTES = re.compile(r"[0-9a-fA-F]{2}(?:[:.-][0-9a-fA-F]{2})+")  # of a text, without quotes
# Also of fields that are new.
FIELD_NAME = re.compile(r"(?:cf|http|icmp|ip|raw|tcp|udp)\.[a-z0-9_.]+")


def mistakes_in(tree: Tree) -> Iterator[Unread]:
    """The mistakes in an expression. A mistake that Cloudflare accepts, or may accept, is not
    `malformed`."""
    for leaf in leaves(tree):
        problem = leaf.problem if not leaf.may_be_known else ""
        if problem:
            yield Unread(problem, at=leaf.start)
        elif not leaf.problem:
            yield from _mistakes_of(leaf, leaf.start)


class _LeftSide(NamedTuple):
    """The left side of a comparison, in words: the name of a field or function, the arguments of
    the function with their parentheses, and the indexes behind them."""

    name: str
    arguments: Sequence[str]
    indexes: Sequence[str]

    @property
    def is_of_each(self) -> bool:
        """Return whether a function is applied to each element of its first argument, as in
        `lower(x[*])`."""
        depth, argument = 0, []
        for word in self.arguments[1:-1]:
            depth += DEPTHS.get(word, 0)
            if word == "," and not depth:
                break
            argument.append(word)
        return bool(argument) and EACH in _left_side(argument).indexes

    @property
    def text(self) -> str:
        """The left side as users write it, with names of headers in lower case."""
        indexes = "".join(self.indexes)
        is_lowered = self.name in LOWERED and not self.arguments
        return f"{self.name}{''.join(self.arguments)}{indexes.lower() if is_lowered else indexes}"


def _left_side(words: Sequence[str]) -> _LeftSide:
    name, *behind = words
    if behind[:1] != ["("]:
        return _LeftSide(name, (), behind)
    depths = accumulate(DEPTHS.get(word, 0) for word in behind)
    end = next(place for place, depth in enumerate(depths, 1) if not depth)
    return _LeftSide(name, behind[:end], behind[end:])


class _Shape(NamedTuple):
    """The kind of the single values that the left side of a comparison yields (empty: not known),
    and the number of indexes, such as `[*]`, that must be added to reach a single value. The number
    is negative if the left side has too many indexes."""

    kind: str
    missing: int


def _shape_of(left_side: _LeftSide) -> _Shape:
    count = left_side.indexes.count("[")
    if left_side.arguments:
        kind, levels = RESULTS_OF_FUNCTIONS[left_side.name], int(left_side.is_of_each)
        if kind == ARRAY:
            kind, levels = TEXT, levels + 1
        if left_side.name in OF_ARRAYS_TOO and count > levels:
            kind = ""
        return _Shape(kind, levels - count)
    kind = FIELD_KINDS.get(left_side.name, "")
    if kind not in (ARRAY, MAP):
        return _Shape(kind, -count)
    missing = (2 if kind == MAP else 1) - count
    has_other_elements = (
        left_side.name.endswith(OF_OTHER_ELEMENTS) or ".multipart." in left_side.name
    )
    is_known = missing >= 0 and not (count and has_other_elements)
    return _Shape(TEXT if is_known else "", missing)


def _mistakes_of(leaf: Comparison, start: int, is_inner: bool = False) -> Iterator[Unread]:
    form = misplaced_list(leaf) or _faulty_wildcard(leaf)
    if form:
        yield form
        return
    words = [leaf.field] if leaf.plain else [token.text for token in tokens_of(leaf.field)]
    left_side = _left_side(words)
    name = left_side.name
    if left_side.arguments and name in QUANTIFIERS:
        yield from _mistakes_of_quantifier(leaf, name, start)
        return
    for function in _unknown_functions(words):
        near = did_you_mean(function, RESULTS_OF_FUNCTIONS, NEAR_FUNCTIONS)
        problem = f"no page of Cloudflare names a function {quoted(function)}{near}"
        yield Unread(f"{problem}; Cloudflare may refuse it", at=start, malformed=False)
    if not left_side.arguments or name in RESULTS_OF_FUNCTIONS:
        if (
            name in LOWERED
            and left_side.indexes
            and left_side.indexes[1] != left_side.indexes[1].lower()
        ):
            write = left_side.indexes[1].lower()
            problem = f"the keys of {name} have small letters alone; write {write}"
            yield Unread(problem, at=start, malformed=False)
        yield from _mistakes_of_shape(leaf, left_side, start, is_inner)


def _unknown_functions(words: Sequence[str]) -> list[str]:
    """The functions among these words that no page names."""
    called = [word for word, behind in zip(words, words[1:]) if behind == "(" and word[0].isalpha()]
    return [name for name in dict.fromkeys(called) if name not in RESULTS_OF_FUNCTIONS]


def _mistakes_of_shape(
    leaf: Comparison, left_side: _LeftSide, start: int, is_inner: bool
) -> Iterator[Unread]:
    """The mistake in a left side with too few or too many indexes; without one, the mistakes in the
    comparison of its single value."""
    kind, missing = _shape_of(left_side)
    if left_side.name in RAW_PACKETS and not left_side.arguments and not leaf.operator:
        problem = f"{left_side.name} is a raw packet, and neither true nor false"
        to_do = f'; write ip.proto eq "{left_side.name}"' if left_side.name != "ip" else ""
        yield Unread(f"{problem}{to_do}", at=start)
    if not kind:
        return
    operator = f" {leaf.operator} ..." if leaf.operator else ""
    is_map = FIELD_KINDS.get(left_side.name) == MAP and not left_side.arguments
    if missing < 0:
        whole = left_side._replace(indexes=()).text
        yield Unread(f"{whole} is {KINDS_IN_WORDS[kind]}, and has no elements", at=start)
    elif missing and kind == FLAG:  # which any() takes as they are
        if not is_inner:
            yield Unread(
                f"{left_side.text} has several values; write any({left_side.text})", at=start
            )
    elif missing:
        key = '["..."]' if is_map and missing == 2 else ""
        each = f"{left_side.text}{key}{'[*]' * (1 if is_map else missing)}{operator}"
        is_array = "a map" if key else "an array, not a single value"
        problem = "has several values" if left_side.is_of_each else f"is {is_array}"
        write = each if is_inner else f"any({each})"
        yield Unread(f"{left_side.text} {problem}; write {write}", at=start)
    elif EACH in left_side.indexes and not is_inner:
        write = f"any({left_side.text}{operator})"
        yield Unread(f"{left_side.text} has several values; write {write}", at=start)
    elif is_inner and EACH not in left_side.indexes:
        yield Unread(
            f"{left_side.text} is a single value; write {left_side.text}{operator}", at=start
        )
    else:
        yield from _mistakes_of_single(leaf, kind, start)


def _faulty_wildcard(leaf: Comparison) -> Unread | None:
    """The mistake in a wildcard that Cloudflare's engine rejects; None if there is no such
    wildcard."""
    if not leaf.operator.endswith("wildcard"):
        return None
    for token in leaf.operands:
        try:
            wildcard_pieces(text_of(token))
        except Unread as exc:
            return Unread(exc.reason, at=token.start)
    return None


def _mistakes_of_quantifier(leaf: Comparison, name: str, start: int) -> Iterator[Unread]:
    """The mistakes in a call of any() or all(), which apply a comparison to each element."""
    if leaf.operator:
        yield Unread(f"{name}() is true or false, and is compared to nothing", at=start)
        return
    words = tokens_of(leaf.field)[2:-1]
    inner = parse(" ".join(token.text for token in words))
    if isinstance(inner, Combination) and not _is_in_parentheses(words):
        problem = f"{name}() takes a single comparison"
        yield Unread(f"{problem}; write {name}((... {inner.operator} ...))", at=start)
    for comparison in leaves(inner):
        if comparison.problem:
            continue
        for mistake in _mistakes_of(comparison, start, is_inner=True):
            # The words of the comparison have other places in the whole.
            yield Unread(mistake.reason, at=start, malformed=mistake.malformed)


def _is_in_parentheses(words: Sequence[Token]) -> bool:
    """Return whether one pair of parentheses is around all words."""
    depths = [*accumulate(DEPTHS.get(word.text, 0) for word in words)]
    return words[0].text == "(" and 0 not in depths[:-1]


def _mistakes_of_single(leaf: Comparison, kind: str, start: int) -> Iterator[Unread]:
    """The mistakes in a comparison whose left side is a single value of this kind."""
    field, operator = leaf.field.replace(" ", ""), leaf.operator
    in_list = [token.text[0] for token in leaf.operands] == ["$"] and operator == "in"
    if kind == FLAG:
        if operator:
            yield Unread(f"{field} is true or false; write {field}, or not {field}", at=start)
        else:
            yield from texts_never_begun(leaf.field, start)
    elif not operator:
        yield Unread(f"'{field}' is compared to nothing", at=start)
    elif leaf.in_braces != (operator == "in") and not in_list:
        problem = f"'{operator}' takes one value, and no set"
        if operator == "in":
            problem = f"'in' takes a set in braces{set_to_write(leaf.operands[0])}"
        yield Unread(problem, at=start)
    elif leaf.in_braces and not leaf.operands:
        yield Unread(
            "the set in braces is empty, so that nothing is in it", at=start, malformed=False
        )
    elif kind in (NUMBER, ADDRESS) and operator not in NUMBER_OPERATORS:
        yield Unread(f"'{operator}' does not go with {KINDS_IN_WORDS[kind]}", at=start)
    elif not in_list and leaf.field not in FILTER_FIELDS:  # whose values are checked
        mistakes = [
            mistake for token in leaf.operands for mistake in _mistakes_of_value(token, kind)
        ]
        yield from mistakes or _mistakes_of_operands(leaf, kind)
        yield from _mistakes_of_hostnames(leaf)
        yield from values_never_had(leaf, start)


def _mistakes_of_value(token: Token, kind: str) -> Iterator[Unread]:
    """The mistakes in one of the values to which a left side of this kind is compared; `at` of a
    mistake is the place in the whole expression."""
    text = token.text
    if token.kind != WORD:
        if kind in (NUMBER, ADDRESS):
            bare = text.strip('"')
            fits = is_number(bare) if kind == NUMBER else is_address(bare)
            to_do = f"; write {bare}" if fits else ""
            yield Unread(
                f"{text} is a text, and no {'number' if kind == NUMBER else 'address'}{to_do}",
                at=token.start,
            )
        elif token.kind == QUOTED:
            try:
                text_of(token)
            except Unread as exc:
                yield Unread(f'{exc}; write \\\\, or a raw text r"..."', at=token.start)
    elif (FIELD_NAME.fullmatch(text) or text in FIELD_KINDS) and text not in RAW_PACKETS:
        return  # a field
    elif kind == TEXT and not BYTES.fullmatch(text):
        yield Unread(f'{quoted(text)} is not a text without quotes; write "{text}"', at=token.start)
    elif kind == NUMBER and not is_number(text):
        is_range, is_asn = NUMBER_RANGE.fullmatch(text), AS_NUMBER.fullmatch(text)
        form = text.replace("-", "..") if is_range else is_asn[1] if is_asn else ""
        to_do = f"; write {form}" if form else ""
        problem = f"{quoted(text)} is not a number{to_do}"
        yield Unread(problem, at=token.start, malformed=not is_range)
    elif kind == ADDRESS and not is_address(text):
        yield Unread(f"{quoted(text)} is not an address", at=token.start)


def _mistakes_of_operands(leaf: Comparison, kind: str) -> Iterator[Unread]:
    """The mistakes in well-formed numbers and addresses: reversed ranges, and a range, network or
    list in the place of a single value."""
    try:
        if kind == ADDRESS and leaf.operator in ("eq", "ne", "in"):
            addresses_of(leaf)
        elif kind == NUMBER:
            for token in leaf.operands:
                _require_number(token, leaf.operator)
    except Unread as exc:
        yield exc


def _require_number(token: Token, operator: str) -> None:
    """Raise Unread for a range of numbers whose end is below its start, or that follows an operator
    other than `in`."""
    start, dots, end = token.text.partition("..")
    if dots and operator != "in":
        to_do = f"; write in {{{token.text}}}" if operator == "eq" else ""
        raise Unread(f"{quoted(token.text)} is more than one number{to_do}", at=token.start)
    try:
        is_range = number_of(start) <= number_of(end if dots else start)
    except Unread as exc:
        raise Unread(exc.reason, at=token.start) from None
    if not is_range:
        raise Unread(f"{quoted(token.text)} is not a range of numbers", at=token.start)


def _mistakes_of_hostnames(leaf: Comparison) -> Iterator[Unread]:
    """The mistakes in hostnames with letters beyond ASCII, which requests contain in Punycode."""
    if "http.host" not in leaf.field.split():
        return
    for token in leaf.operands:
        if token.kind != WORD and not token.text.isascii():
            is_whole = leaf.operator not in ("contains", "matches")
            ascii_name = in_punycode(token.text.strip('"').lower()) if is_whole else ""
            to_do = f'; write "{ascii_name}"' if ascii_name else ""
            problem = f"requests have the hostname {token.text} in Punycode{to_do}"
            yield Unread(problem, at=token.start, malformed=False)

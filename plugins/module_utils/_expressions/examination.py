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
from typing import Any, Callable, Iterator

from .._text import Unread, did_you_mean
from .._values.kinds import AN_EXPRESSION, Value, parse_filled_text
from .fields import (
    ADDRESS,
    ARRAY,
    FIELD_KINDS,
    FILTER_FIELDS,
    FLAG,
    KNOWN_FIELDS,
    MAP,
    NUMBER,
    PACKET_FIELDS,
    RANGES,
    TEXT,
    TEXTS_OF_FIELDS,
    numbers_of,
    possible_texts,
    unknown_names,
    values_of,
)
from .grammar import (
    LONGEST_FILTER,
    QUANTIFIERS,
    QUOTED,
    WHITE_SPACE,
    WORD,
    Comparison,
    Negation,
    Token,
    Tree,
    is_address,
    is_number,
    leaves,
    normalise_expression,
    parse,
    place_in_words,
    quoted,
    text_of,
    tokens_of,
)

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
# Documented, and not known to the library.
FALSELY_REFUSED = ("true", "false", "is_timed_hmac_valid_v0")


def check_rule(expression: str, is_filter: bool = False) -> list[str]:
    """Warnings of what Cloudflare may refuse in an expression, and of what cannot be meant; raises
    Unread for what it does refuse. Filters know few fields, and rules too many to know them all."""
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
    """The doubts about values of fields that filters know, by their places; raises Unread."""
    doubts: dict[int, str] = {}
    for leaf in leaves(tree):
        if is_filter or (leaf.field in FILTER_FIELDS and not leaf.problem):
            try:
                values_of(leaf)
            except Unread as exc:
                if exc.malformed:
                    raise
                if is_filter:
                    doubts[exc.at] = f"{exc}; Cloudflare may refuse it"
    return doubts


def check_packets(expression: str) -> list[str]:
    """The same for a rule about packets; one that reads a field of requests is refused."""
    for name in unknown_names(expression, PACKET_FIELDS):
        if name in KNOWN_FIELDS:
            start = next(token.start for token in tokens_of(expression) if token.text == name)
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
    return Unread(f"{reason} (so says the parser of the vendor's engine)", at=start)


def _is_falsely_refused(expression: str) -> bool:
    """Return whether an expression has a word that the library does not know; few have one, so the
    text is searched first."""
    return any(word in expression for word in FALSELY_REFUSED) and any(
        token.text in FALSELY_REFUSED for token in tokens_of(expression)
    )


def _expression(
    check: Callable[[str], list[str]], scheme: str | None, longest: int | None
) -> Value:
    """A kind of expressions with the check of one before any request; see Value.examine."""

    def read(value: object) -> str:
        return parse_filled_text(value, WHITE_SPACE)

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


FILTER_EXPRESSION = _expression(partial(check_rule, is_filter=True), FILTER_SCHEME, LONGEST_FILTER)
PACKET_EXPRESSION = _expression(check_packets, FILTER_SCHEME, LONGEST_RULE)
PACKET_OVERRIDE_EXPRESSION = _expression(check_packets, FILTER_SCHEME, LONGEST_OVERRIDE)
HTTP_OVERRIDE_EXPRESSION = _expression(check_rule, RULE_SCHEME, LONGEST_OVERRIDE)
FIREWALL_EXPRESSION = _expression(check_rule, RULE_SCHEME, None)
RULE_EXPRESSION = _expression(check_rule, RULE_SCHEME, LONGEST_RULE)


# Functions of the vendor's page "Functions", by the kind that they return.
FUNCTIONS_BY_KIND = {
    TEXT: """
concat decode_base64 encode_base64 join lower lookup_json_string regex_replace remove_bytes
remove_query_args sha256 sha512 substring to_string trim trim_end trim_start upper url_decode uuidv4
wildcard_replace
""",
    NUMBER: "bit_slice hash_in_range len lookup_json_integer",
    FLAG: """
all any contains ends_with has_key has_value ip_in_range is_jwt_present is_jwt_valid
is_timed_hmac_valid_v0 starts_with wildcard
""",
    ADDRESS: "cidr cidr6",
    ARRAY: "split",
    "": "coalesce hmac",
}
RESULTS_OF_FUNCTIONS: dict[str, str] = {}
for _kind, _names in FUNCTIONS_BY_KIND.items():
    RESULTS_OF_FUNCTIONS.update(dict.fromkeys(_names.split(), _kind))
NEAR_FUNCTIONS = 0.7
KINDS_IN_WORDS = {TEXT: "a text", NUMBER: "a number", ADDRESS: "an address", FLAG: "true or false"}
NUMBER_OPERATORS = ("eq", "ne", "lt", "le", "gt", "ge", "in")
NUMBER_RANGE, AS_NUMBER = re.compile("[0-9]+-[0-9]+"), re.compile("[aA][sS]([0-9]+)")
LOWERED = ("http.request.headers", "http.response.headers")
BYTES = re.compile(r"[0-9a-fA-F]{2}(?:[:.-][0-9a-fA-F]{2})+")  # of a text, without quotes
# Also of fields that are new.
FIELD_NAME = re.compile(r"(?:cf|http|icmp|ip|raw|tcp|udp)\.[a-z0-9_.]+")


def mistakes_in(tree: Tree) -> Iterator[Unread]:
    """The mistakes in an expression; one that Cloudflare takes all the same, or may take, is
    not malformed."""
    for leaf in leaves(tree):
        problem = leaf.problem if not leaf.may_be_known else ""
        if problem:
            yield Unread(problem, at=leaf.start)
        elif not leaf.problem:
            yield from _mistakes_of(leaf, leaf.start)


def _mistakes_of(leaf: Comparison, start: int, is_inner: bool = False) -> Iterator[Unread]:
    words = () if leaf.plain else tokens_of(leaf.field)
    name, *behind = [token.text for token in words] or [leaf.field]
    if behind[:1] == ["("] and name not in RESULTS_OF_FUNCTIONS:
        near = did_you_mean(name, RESULTS_OF_FUNCTIONS, NEAR_FUNCTIONS)
        problem = f"no page of Cloudflare names a function {quoted(name)}{near}"
        yield Unread(f"{problem}; Cloudflare may refuse it", at=start, malformed=False)
        return
    if name in QUANTIFIERS and behind:
        yield from _of_quantifier(leaf, name, start)
        return
    if "[" in behind and FIELD_KINDS.get(name) in KINDS_IN_WORDS:
        yield Unread(
            f"{name} is {KINDS_IN_WORDS[FIELD_KINDS[name]]}, and has no elements", at=start
        )
        return
    if name in LOWERED and (behind[1:2] or [""])[0] != (behind[1:2] or [""])[0].lower():
        problem = f"the keys of {name} have small letters alone; write {behind[1].lower()}"
        yield Unread(problem, at=start, malformed=False)
    kind = _kind_of_left_side(name, behind)
    is_each = "*" in behind
    written = leaf.field.replace(" ", "")
    if name in LOWERED and "[" in behind:
        written = f"{name}{written[len(name) :].lower()}"
    operator = f" {leaf.operator} ..." if leaf.operator else ""
    if is_each and not is_inner and kind:
        each = f"{written}[*]" if written.endswith(")") else written
        yield Unread(f"{written} has several values; write any({each}{operator})", at=start)
    elif kind in (ARRAY, MAP):
        whole = f'{written}["..."]' if kind == MAP else written
        inner = f"{whole}[*]{operator}"
        write = inner if is_inner else f"any({inner})"
        what = "a map" if kind == MAP else "an array, not a single value"
        yield Unread(f"{written} is {what}; write {write}", at=start)
    elif kind:
        yield from _of_single(leaf, kind, start)


def _of_quantifier(leaf: Comparison, name: str, start: int) -> Iterator[Unread]:
    """The same of any() and all(), whose comparison is of each element."""
    if leaf.operator:
        yield Unread(f"{name}() is true or false, and is compared to nothing", at=start)
        return
    words = tokens_of(leaf.field)[2:-1]
    inner = parse(" ".join(token.text for token in words))
    if isinstance(inner, Negation):
        inner = inner.part
    if isinstance(inner, Comparison) and not inner.problem:
        yield from _mistakes_of(inner, start, is_inner=True)


def _kind_of_left_side(name: str, behind: list[str]) -> str:
    """The kind of the left side of a comparison; empty if it is not known."""
    if behind[:1] == ["("]:
        return (
            RESULTS_OF_FUNCTIONS[name]
            if "[" not in behind[_end_of(behind) :] or "*" in behind
            else ""
        )
    kind, indexes = FIELD_KINDS.get(name, ""), behind.count("[")
    if not indexes or kind not in (ARRAY, MAP):
        return "" if indexes else kind
    if name.endswith(("_categories", "_sizes", "_ids")) or ".multipart." in name:
        return ""  # elements that are no texts
    return ARRAY if kind == MAP and indexes == 1 else TEXT


def _end_of(words: list[str]) -> int:
    return len(words) - words[::-1].index(")")


def _of_single(leaf: Comparison, kind: str, start: int) -> Iterator[Unread]:
    """The same of a single value of a known kind."""
    field, operator = leaf.field.replace(" ", ""), leaf.operator
    in_list = [token.text[0] for token in leaf.operands] == ["$"] and operator == "in"
    if kind == FLAG:
        if operator:
            yield Unread(f"{field} is true or false; write {field}, or not {field}", at=start)
    elif not operator:
        yield Unread(f"'{field}' is compared to nothing", at=start)
    elif leaf.in_braces != (operator == "in") and not in_list:
        is_set = f"'{operator}' takes one value, and no set"
        yield Unread("'in' takes a set in braces" if operator == "in" else is_set, at=start)
    elif leaf.in_braces and not leaf.operands:
        yield Unread(
            "the set in braces is empty, so that nothing is in it", at=start, malformed=False
        )
    elif kind in (NUMBER, ADDRESS) and operator not in NUMBER_OPERATORS:
        yield Unread(f"'{operator}' does not go with {KINDS_IN_WORDS[kind]}", at=start)
    elif not in_list and leaf.field not in FILTER_FIELDS:  # whose values are checked
        for token in leaf.operands:
            yield from _of_value(token, kind)
        yield from _always(leaf, start)


def _of_value(token: Token, kind: str) -> Iterator[Unread]:
    """The same of a value beside a field of a known kind; `at` of it counts within the whole."""
    text = token.text
    if token.kind != WORD:
        if kind in (NUMBER, ADDRESS):
            bare = text.strip('"')
            fits = is_number(bare) if kind == NUMBER else is_address(bare)
            to_do = f"; write {bare}" if fits else ""
            yield Unread(
                f"{text} is a text, and no {KINDS_IN_WORDS[kind].split()[1]}{to_do}", at=token.start
            )
        elif token.kind == QUOTED:
            try:
                text_of(token)
            except Unread as exc:
                yield Unread(f'{exc}; write \\\\, or a raw text r"..."', at=token.start)
    elif FIELD_NAME.fullmatch(text) or text in FIELD_KINDS:
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


def _always(leaf: Comparison, start: int) -> Iterator[Unread]:
    """A comparison that is always true or false by the range of its field."""
    possible, why = possible_texts(leaf), TEXTS_OF_FIELDS.get(leaf.field.partition(" ")[0])
    truth = None
    if possible == []:
        truth = leaf.operator == "ne"
        is_listed = why and "," in why and "such" not in why
        why = f"is one of {why}" if is_listed else f"has {why}"
    elif leaf.field in RANGES and all(is_number(token.text) for token in leaf.operands):
        lowest, highest = RANGES[leaf.field]
        try:
            ranges = numbers_of(leaf, lowest, highest)
        except Unread:
            return
        truth = None if ranges not in ([], [(lowest, highest)]) else bool(ranges)
        is_open = highest > 10**11
        why = f"is {lowest} or more" if is_open else f"is from {lowest} to {highest}"
        why = f"is always {lowest}" if lowest == highest else why
    if truth is not None:
        adverb = "always" if truth else "never"
        name = leaf.field.replace(" ", "")
        problem = f"the comparison is {adverb} true, since {name} {why}"
        yield Unread(problem, at=start, malformed=False)

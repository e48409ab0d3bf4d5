# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Kinds of expressions: what a task may ask for, by the fields that filters and custom rules know.

The vendor describes filters in "JSON objects" (Advanced TCP Protection API): the fields ip.src,
ip.dst, tcp.srcport and tcp.dstport, no functions, at most 8,192 characters. A custom rule's
expression has at most 4,096.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Tuple

from .._text import excerpt
from .._values.kinds import Value, parse_filled_text
from .._values.networks import parse_network, read_network
from .grammar import (
    WHITE_SPACE,
    Comparison,
    Token,
    Unknown,
    Unread,
    leaves,
    normalise_expression,
    parse,
    place_of,
    quoted,
    tokens_of,
)

try:
    import octorules_wirefilter
except ImportError:  # the parser of the vendor's own engine is optional
    vendor_parser: Callable[..., dict[str, Any]] | None = None
else:
    vendor_parser = octorules_wirefilter.parse_expression

AddressRange = Tuple[int, int, int]  # the family, the first and the last address
NumberRange = Tuple[int, int]

NUMBER = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)
OTHER_BASE = re.compile(r"0[0-9]+|-?0[xX][0-9a-fA-F]+", re.ASCII)
BITS = {4: 32, 6: 128}
LONGEST_REASON = 200
LONGEST_RULE = 4096
LONGEST_FILTER = 8192
FILTER_SCHEME: str | None = "magic_firewall"  # packets
RULE_SCHEME: str | None = None  # requests
ERROR = re.compile(r"[^\n]*\((\d+):(\d+)\):\n[^\n]*\n *\^+ (.+)", re.DOTALL)
UNCERTAIN = re.compile(
    r"unknown identifier|invalid (?:kind|type|number) of argument|cannot perform this operation"
)
FALSELY_REFUSED = (
    "true",
    "false",
    "is_timed_hmac_valid_v0",
)  # documented, and not known to the library


def address_ranges(comparison: Comparison) -> list[AddressRange]:
    """The addresses that a comparison names, in their order; raises Unread."""
    _check_operator(comparison, ("eq", "ne", "in"), ("lt", "le", "gt", "ge"), "addresses")
    if comparison.in_braces:
        return [_addresses(token) for token in comparison.operands]
    (token,) = comparison.operands
    if "/" in token.text or ".." in token.text:
        raise Unread(
            f"{quoted(token.text)} is more than one address; write in {{{excerpt(token.text)}}}",
            token.start,
        )
    return [_addresses(token)]


def number_ranges(comparison: Comparison) -> list[NumberRange]:
    """The numbers that a comparison names, in their order; raises Unread."""
    _check_operator(comparison, ("eq", "ne", "in", "lt", "le", "gt", "ge"), (), "ports")
    if comparison.in_braces:
        return [_numbers(token) for token in comparison.operands]
    (token,) = comparison.operands
    if ".." in token.text:
        raise Unread(
            f"{quoted(token.text)} is more than one port; write in {{{excerpt(token.text)}}}",
            token.start,
        )
    return [_numbers(token)]


FIELDS: Mapping[str, Callable[[Comparison], object]] = {
    "ip.src": address_ranges,
    "ip.dst": address_ranges,
    "tcp.srcport": number_ranges,
    "tcp.dstport": number_ranges,
}


def _check_operator(
    comparison: Comparison, known: tuple[str, ...], unknown: tuple[str, ...], kind: str
) -> None:
    """`known` are the operators that the documentation names for such fields, `unknown` those that
    the engine takes beyond them."""
    operator, start = comparison.operator, comparison.start
    if not operator:
        raise Unread(f"{quoted(comparison.field)} is compared to nothing", start)
    if operator not in known:
        raise Unread(
            f"'{operator}' does not go with {kind}", start, malformed=operator not in unknown
        )
    if operator == "in" and not comparison.in_braces:
        (token,) = comparison.operands
        if token.text.startswith("$"):
            raise Unread(
                f"what the list {quoted(token.text)} holds is not known",
                token.start,
                malformed=False,
            )
        raise Unread(f"'in' takes a set in braces; write in {{{excerpt(token.text)}}}", token.start)
    if operator != "in" and comparison.in_braces:
        raise Unread(f"'{operator}' takes one value, and no set; write in {{...}}", start)


def _addresses(token: Token) -> AddressRange:
    first, dots, last = token.text.partition("..")
    try:
        (version, start, length, dummy), written = read_network(first)
        if not dots:
            if "/" in first and written != first:
                _check_host_bits(first)
            return version, start, start + (1 << (BITS[version] - length)) - 1
        other, end = read_network(last)[0][:2]
    except ValueError as exc:
        raise Unread(excerpt(str(exc), LONGEST_REASON), token.start) from exc
    if "/" in token.text or version != other or end < start:
        raise Unread(f"{quoted(token.text)} is no range of addresses", token.start)
    return version, start, end


def _check_host_bits(text: str) -> None:
    network = parse_network(text)
    if network.network_address != ipaddress.ip_address(text.partition("/")[0]):
        raise ValueError(f"{quoted(text)} has bits behind its prefix length; write {network}")


def _numbers(token: Token) -> NumberRange:
    first, dots, last = token.text.partition("..")
    numbers = []
    for text in (first, last) if dots else (first,):
        if not NUMBER.fullmatch(text):
            why = (
                f", but a number to base {8 if text.isdigit() else 16}"
                if OTHER_BASE.fullmatch(text)
                else ""
            )
            raise Unread(
                f"{quoted(text)} is no port{why}; write decimal digits without a leading 0",
                token.start,
            )
        numbers.append(int(text))
    if numbers[0] > numbers[-1]:
        raise Unread(f"{quoted(token.text)} is no range of ports", token.start)
    return numbers[0], numbers[-1]


def check_filter(expression: str) -> list[str]:
    """Warnings of what the service may refuse in a filter's expression; raises Unread for what it
    does refuse."""
    warnings: dict[str, str] = {}
    for leaf in leaves(parse(expression)):
        try:
            if isinstance(leaf, Unknown) or leaf.field not in FIELDS:
                raise unknown_leaf(leaf)
            FIELDS[leaf.field](leaf)
        except Unread as exc:
            if exc.malformed:
                raise
            warnings.setdefault(exc.problem, place_of(expression, exc.start))
    return [f"{where}: {problem}; the service may refuse it" for problem, where in warnings.items()]


def unknown_leaf(leaf: Comparison | Unknown) -> Unread:
    """Why a comparison is not one of those that filters know."""
    if leaf.field in FIELDS and isinstance(leaf, Unknown):
        return Unread(leaf.problem, leaf.start)
    name, *rest = leaf.field.split()
    what = (
        f"{quoted(name)} is a function, and filters know none"
        if "(" in rest[:1]
        else f"filters know no field {quoted(name)}"
    )
    return Unread(f"{what}, only {', '.join(FIELDS)}", leaf.start, malformed=False)


def check_rule(expression: str) -> list[str]:
    """The same for a rule of a zone, whose fields are too many to know them all; so there are no
    warnings."""
    for leaf in leaves(parse(expression)):
        if isinstance(leaf, Comparison) and leaf.field in FIELDS:
            try:
                FIELDS[leaf.field](leaf)
            except Unread as exc:
                if exc.malformed:
                    raise
    return []


def vendor_refusal(expression: str, scheme: str | None) -> Unread | None:
    """Why the parser of the vendor's own engine refuses an expression; None where it does not, or
    may be wrong.

    It is the library octorules-wirefilter, where it is installed. The service may know more fields
    and functions than the library's scheme, so that what the library does not know by name or type
    is not refused.
    """
    if vendor_parser is None or any(
        token.text in FALSELY_REFUSED for token in tokens_of(expression)
    ):
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
    before = (
        lines[line - 1].encode()[: column - 1].decode(errors="ignore")
    )  # the library counts bytes
    start = sum(len(text) + 1 for text in lines[: line - 1]) + len(before)
    return Unread(f"{reason} (so says the parser of the vendor's engine)", start)


@dataclass(frozen=True)
class Examination:
    """What a task's expression goes through before any request; see Value.examine."""

    check: Callable[[str], list[str]]
    scheme: str | None
    longest: int | None

    def __call__(self, expression: str) -> list[str]:
        if self.longest is not None and len(expression) > self.longest:
            raise ValueError(
                f"it has {len(expression)} characters, and the service takes at most {self.longest}"
            )
        try:
            warnings = self.check(expression)
            refusal = vendor_refusal(expression, self.scheme)
            if refusal:
                raise refusal
        except Unread as exc:
            sentence = f"{place_of(expression, exc.start)}: {exc.problem}"
            if exc.malformed:
                raise ValueError(sentence) from exc
            return [sentence]
        return warnings


def _expression(
    check: Callable[[str], list[str]], scheme: str | None, longest: int | None
) -> Value:
    def read(value: object) -> str:
        return parse_filled_text(value, WHITE_SPACE)

    return Value({"type": "str"}, read, normalise_expression, Examination(check, scheme, longest))


FILTER_EXPRESSION = _expression(check_filter, FILTER_SCHEME, LONGEST_FILTER)
FIREWALL_EXPRESSION = _expression(check_rule, RULE_SCHEME, None)
RULE_EXPRESSION = _expression(check_rule, RULE_SCHEME, LONGEST_RULE)

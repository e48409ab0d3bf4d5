# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an expression of a task goes through before any request.

A filter's expression has at most 8,192 characters, by the vendor's "JSON objects" (Advanced TCP
Protection API), a custom rule's at most 4,096.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable

from .._values.kinds import AN_EXPRESSION, Value, parse_filled_text
from .fields import FIELDS, KNOWN, PACKET_FIELDS, unknown_fields, unknown_leaf
from .grammar import (
    WHITE_SPACE,
    Comparison,
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

LONGEST_RULE = 4096
LONGEST_OVERRIDE = 4000  # of managed DDoS rules
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


def check_filter(expression: str) -> list[str]:
    """Warnings of what Cloudflare may refuse in a filter's expression; raises Unread for what it
    does refuse."""
    warnings: dict[str, str] = {}
    for leaf in leaves(parse(expression)):
        try:
            if isinstance(leaf, Unknown) or leaf.field not in FIELDS:
                raise unknown_leaf(leaf)
            FIELDS[leaf.field].values_of(leaf)
        except Unread as exc:
            if exc.malformed:
                raise
            warnings.setdefault(exc.problem, place_of(expression, exc.start))
    return [f"{where}: {problem}; Cloudflare may refuse it" for problem, where in warnings.items()]


def check_rule(expression: str) -> list[str]:
    """The same for a rule of a zone, whose fields are too many to know them all; so there are no
    warnings."""
    for leaf in leaves(parse(expression)):
        if isinstance(leaf, Comparison) and leaf.field in FIELDS:
            try:
                FIELDS[leaf.field].values_of(leaf)
            except Unread as exc:
                if exc.malformed:
                    raise
    return []


def check_packets(expression: str) -> list[str]:
    """The same for a rule about packets; one that reads a field of requests is refused."""
    for name in unknown_fields(expression, PACKET_FIELDS):
        if name in KNOWN:
            start = next(token.start for token in tokens_of(expression) if token.text == name)
            raise Unread(f"{quoted(name)} is a field of requests, and not of packets", start)
    return check_rule(expression)


def vendor_refusal(expression: str, scheme: str | None) -> Unread | None:
    """Why the parser of the vendor's own engine refuses an expression; None where it does not, or
    may be wrong.

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
    before = (
        lines[line - 1].encode()[: column - 1].decode(errors="ignore")
    )  # the library counts bytes
    start = sum(len(text) + 1 for text in lines[: line - 1]) + len(before)
    return Unread(f"{reason} (so says the parser of the vendor's engine)", start)


def _is_falsely_refused(expression: str) -> bool:
    """Whether an expression has a word that the library does not know; few have one, so the text is
    searched first."""
    return any(word in expression for word in FALSELY_REFUSED) and any(
        token.text in FALSELY_REFUSED for token in tokens_of(expression)
    )


@dataclass(frozen=True)
class Examination:
    """What a task's expression goes through before any request; see Value.examine."""

    check: Callable[[str], list[str]]
    scheme: str | None
    longest: int | None

    def __call__(self, expression: str) -> list[str]:
        if self.longest is not None and len(expression) > self.longest:
            raise ValueError(
                f"it has {len(expression)} characters, and Cloudflare takes at most {self.longest}"
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

    examine = Examination(check, scheme, longest)
    return Value({"type": "str"}, read, normalise_expression, examine, holds=AN_EXPRESSION)


FILTER_EXPRESSION = _expression(check_filter, FILTER_SCHEME, LONGEST_FILTER)
PACKET_EXPRESSION = _expression(check_packets, FILTER_SCHEME, LONGEST_RULE)
PACKET_OVERRIDE_EXPRESSION = _expression(check_packets, FILTER_SCHEME, LONGEST_OVERRIDE)
HTTP_OVERRIDE_EXPRESSION = _expression(check_rule, RULE_SCHEME, LONGEST_OVERRIDE)
FIREWALL_EXPRESSION = _expression(check_rule, RULE_SCHEME, None)
RULE_EXPRESSION = _expression(check_rule, RULE_SCHEME, LONGEST_RULE)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The check of an expression of a task before any request.

A custom rule's expression has at most 4,096 characters, and a filter's 8,192.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Callable

from .._errors import Unread
from .._values.kinds import AN_EXPRESSION, Value, parse_filled_text
from .fields import FILTER_FIELDS, KNOWN_FIELDS, PACKET_FIELDS, unknown_names, values_of
from .grammar import (
    LONGEST_FILTER,
    WHITE_SPACE,
    Tree,
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
FILTER_SCHEME: str | None = "magic_firewall"  # packets
RULE_SCHEME: str | None = None  # requests
ERROR = re.compile(r"[^\n]*\((\d+):(\d+)\):\n[^\n]*\n *\^+ (.+)", re.DOTALL)
UNCERTAIN = re.compile(
    r"unknown identifier|invalid (?:kind|type|number) of argument|cannot perform this operation"
)
# Documented, and not known to the library.
FALSELY_REFUSED = ("true", "false", "is_timed_hmac_valid_v0")


def check_filter(expression: str) -> list[str]:
    """Warnings of what Cloudflare may refuse in a filter's expression, and of what cannot be meant;
    raises Unread for what it does refuse."""
    tree = parse(expression)
    warnings: dict[str, int] = {}
    for leaf in leaves(tree):
        try:
            values_of(leaf)
        except Unread as exc:
            if exc.malformed:
                raise
            warnings.setdefault(f"{exc}; Cloudflare may refuse it", exc.at)
    for mistake in _not_malformed(tree):
        if mistake.at not in warnings.values():
            warnings.setdefault(str(mistake), mistake.at)
    return [f"{place_of(expression, at)}: {problem}" for problem, at in warnings.items()]


def check_rule(expression: str) -> list[str]:
    """The same for a rule of a zone, whose fields are too many to know them all."""
    tree = parse(expression)
    for leaf in leaves(tree):
        if leaf.field in FILTER_FIELDS and not leaf.problem:
            try:
                values_of(leaf)
            except Unread as exc:
                if exc.malformed:
                    raise
    warnings = {str(mistake): mistake.at for mistake in reversed(_not_malformed(tree))}
    return [f"{place_of(expression, at)}: {why}" for why, at in reversed([*warnings.items()])]


def _not_malformed(tree: Tree) -> list[Unread]:
    """The mistakes that Cloudflare may take; raises Unread for another one."""
    from .mistakes import mistakes_in  # loaded if there is an expression

    every = [*mistakes_in(tree)]
    for mistake in every:
        if mistake.malformed:
            raise mistake
    return every


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
            raise ValueError(f"it has {length} characters, and Cloudflare takes at most {longest}")
        try:
            warnings = check(expression)
            refusal = vendor_refusal(expression, scheme)
            if refusal:
                raise refusal
        except Unread as exc:
            sentence = f"{place_of(expression, exc.at)}: {exc}"
            if exc.malformed:
                raise ValueError(sentence) from exc
            return [sentence]
        return warnings

    return Value({"type": "str"}, read, normalise_expression, examine, holds=AN_EXPRESSION)


FILTER_EXPRESSION = _expression(check_filter, FILTER_SCHEME, LONGEST_FILTER)
PACKET_EXPRESSION = _expression(check_packets, FILTER_SCHEME, LONGEST_RULE)
PACKET_OVERRIDE_EXPRESSION = _expression(check_packets, FILTER_SCHEME, LONGEST_OVERRIDE)
HTTP_OVERRIDE_EXPRESSION = _expression(check_rule, RULE_SCHEME, LONGEST_OVERRIDE)
FIREWALL_EXPRESSION = _expression(check_rule, RULE_SCHEME, None)
RULE_EXPRESSION = _expression(check_rule, RULE_SCHEME, LONGEST_RULE)

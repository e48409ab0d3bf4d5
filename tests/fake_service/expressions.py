# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an expression is one of the Rules language: the parser of the vendor's own engine decides."""

from __future__ import annotations

import re
from typing import Any

try:
    from octorules_wirefilter import parse_expression
except ImportError:  # where there is no wheel of it, every expression is taken

    def parse_expression(expr: str, scheme: str | None = None) -> dict[str, Any]:
        return {}


LONGEST = 4096
PACKETS = "magic_firewall"  # the scheme of expressions about packets; None is that of requests
TRUE = {None: "ssl", PACKETS: "sip"}  # a field that is there
TEXT = re.compile(
    r"""
      (r(?P<fence>\#*)".*?"(?P=fence)   # raw: r"..." or r#"..."#
    | "(?:[^"\\]|\\.)*")               # quoted, with escapes
    """,
    re.VERBOSE | re.DOTALL,
)
CONSTANT = re.compile(r"(?<![\w.])(?:true|false)(?![\w.])")  # documented, and not known to the parser
# Documented as well, and not known to the parser; its arguments are texts, fields and calls of functions.
TIMED_HMAC = re.compile(r'\bis_timed_hmac_valid_v0\s*\((?:"(?:[^"\\]|\\.)*"|[^()"]|\([^()]*\))+\)')
NUMBER = re.compile(r"(?<![\w.])ip\.proto\.num(?![\w.])")  # the same, and live accounts have it
REASON = re.compile(r".*?\n.*?\n *\^* *(.*)", re.DOTALL)
# The service is newer than the parser: fields of the pages "Threat intelligence fields" and "Response firewall", and cf.new.* in the
# place of those of tomorrow.
AT_FIELD = re.compile(r".*?\n( *)\^+ (?:unknown identifier|unrecognised input)\s*", re.DOTALL)
NEWER_FIELD = re.compile(r"(?:cf\.(?:intel\.ip|new)\.[a-z0-9_.]+|http\.response\.headers\.truncated)(?![\w.])")


def fault_in(expression: str, scheme: str | None = None, longest: int = LONGEST) -> str | None:
    """Why this is no expression of a request, or of a packet, or None when it is one."""
    if not expression.strip():
        return "it is empty"
    if len(expression) > longest:
        return f"it is longer than {longest} characters"
    known = TIMED_HMAC.sub(TRUE[scheme], _without_constants(expression, TRUE[scheme]))
    error = parse_expression(known, scheme).get("error")
    return None if error is None or _is_at_newer_field(error) else REASON.sub(r"\1", error).strip()


def _is_at_newer_field(error: str) -> bool:
    """Whether the parser stops at a field that the service knows, and the parser does not."""
    place = AT_FIELD.fullmatch(error)
    if place is None:
        return False
    line = error.split("\n")[1].encode()[len(place[1]) :].decode(errors="replace")
    return bool(NEWER_FIELD.match(line))


def _without_constants(expression: str, field: str) -> str:
    """The expression with a field that is there in the place of true and false, and of another number."""
    parts, end = [], 0
    for text in TEXT.finditer(expression):
        parts += [_known(expression[end : text.start()], field), text[0]]
        end = text.end()
    return "".join([*parts, _known(expression[end:], field)])


def _known(text: str, field: str) -> str:
    return CONSTANT.sub(field, NUMBER.sub("ip.ttl", text) if field == TRUE[PACKETS] else text)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The parser of the vendor's own engine, where it is installed: it refuses what the service refuses.

It is the library octorules-wirefilter, which is optional. It reads an expression by a scheme of fields and functions;
the service may know more of these, so what the library does not know by name or type is not refused.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Optional

from .tokens import Unread, tokens_of

Parser = Callable[[str, Optional[str]], Dict[str, Any]]
vendor_parser: Parser | None
try:
    from octorules_wirefilter import parse_expression as vendor_parser
except ImportError:
    vendor_parser = None

FILTER_SCHEME: str | None = "magic_firewall"  # packets
RULE_SCHEME: str | None = None  # requests
ERROR = re.compile(r"[^\n]*\((\d+):(\d+)\):\n[^\n]*\n *\^+ (.+)", re.DOTALL)
UNCERTAIN = re.compile(r"unknown identifier|invalid (?:kind|type|number) of argument|cannot perform this operation")
FALSELY_REFUSED = ("true", "false", "is_timed_hmac_valid_v0")  # documented, and not known to the library


def vendor_refusal(expression: str, scheme: str | None) -> Unread | None:
    """Why the vendor's parser refuses an expression; None where it does not, is not installed or may be wrong."""
    if vendor_parser is None or any(token.text in FALSELY_REFUSED for token in tokens_of(expression)):
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
    before = lines[line - 1].encode()[: column - 1].decode(errors="ignore")  # the library counts bytes
    start = sum(len(text) + 1 for text in lines[: line - 1]) + len(before)
    return Unread(f"{reason} (so says the parser of the vendor's engine)", start)

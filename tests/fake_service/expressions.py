# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a text can be an expression of the Rules language at all; what its fields and operators mean is not looked at."""

from __future__ import annotations

import re

CLOSES = {"(": ")", "{": "}", "[": "]"}
QUOTED = re.compile(
    r"""
      r(?P<fence>\#*)".*?"(?P=fence)   # raw: r"..." or r#"..."#
    | "(?:[^"\\]|\\.)*"                # quoted, with escapes
    """,
    re.VERBOSE | re.DOTALL,
)


def fault_in(expression: str) -> str | None:
    """Why this is no expression, or None when it may be one."""
    if not expression.strip():
        return "it is empty"
    bare = QUOTED.sub(" ", expression)
    if '"' in bare:
        return "a quoted text has no end"
    return unbalanced(bare)


def unbalanced(bare: str) -> str | None:
    """What is wrong with the brackets of an expression without its quoted texts."""
    awaited: list[str] = []
    for character in bare:
        if character in CLOSES:
            awaited.append(CLOSES[character])
        elif character in CLOSES.values() and (not awaited or awaited.pop() != character):
            return f"{character!r} closes nothing"
    return f"{awaited[-1]!r} is missing at the end" if awaited else None

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists that an expression refers to, such as `$offices`, and the expression with their
addresses in the place of their names."""

from __future__ import annotations

import re
from typing import Mapping, Sequence

from .._values.address_set import Ranges, networks
from .grammar import WORD, Token, Unread, tokens_of

LIST = re.compile(r"\$[a-z0-9_]+")  # of an account; the lists of the vendor have dots
MOST_NETWORKS = 1000  # a longer list stays a name


def lists_in(expression: str) -> list[str]:
    """The names of the lists of the account that an expression refers to."""
    return list(dict.fromkeys(token.text[1:] for token in _references(expression)))


def with_contents(expression: str, lists: Mapping[str, Ranges]) -> str:
    """The expression with the addresses of the lists that are known. A long list stays a
    name."""
    if not lists:
        return expression
    for token in reversed(_references(expression)):
        ranges = lists.get(token.text[1:])
        if ranges is not None and len(ranges) <= MOST_NETWORKS:
            end, blocks = token.start + len(token.text), " ".join(networks(ranges))
            expression = f"{expression[: token.start]}{{{blocks}}}{expression[end:]}"
    return expression


def _references(expression: str) -> Sequence[Token]:
    if "$" not in expression:
        return ()
    try:
        tokens = tokens_of(expression)
    except Unread:
        return ()
    return [token for token in tokens if token.kind == WORD and LIST.fullmatch(token.text)]

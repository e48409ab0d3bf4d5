# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists of an account that expressions refer to."""

from __future__ import annotations

import json
import re
from typing import Mapping, Sequence

from .._errors import Unread
from .._values.list_contents import ANY_LABEL, Contents
from .grammar import WORD, Comparison, Token, leaves, parse, tokens_of

LIST = re.compile(r"\$[a-z0-9_]+")  # of an account; the lists of the vendor have dots
MOST_SPELT_OUT = 1000  # a longer list stays a name


def lists_in(expression: str) -> list[str]:
    """The names of the lists of the account that an expression refers to."""
    return list(dict.fromkeys(token.text[1:] for token in _references(expression)))


def list_uses(expression: str) -> list[Comparison]:
    """The comparisons that ask whether a value is in a list of the account; none of an expression
    that cannot be read."""
    if not _references(expression):
        return []
    try:
        compared = [leaf for leaf in leaves(parse(expression)) if leaf.operator == "in"]
    except Unread:
        return []
    return [leaf for leaf in compared if leaf.operands and LIST.fullmatch(leaf.operands[0].text)]


def with_contents(expression: str, lists: Mapping[str, Contents]) -> str:
    """The expression with the contents of the lists that are known. A long list stays a name, and
    so do hostnames in a comparison of another form."""
    uses = {leaf.operands[0].start: leaf for leaf in list_uses(expression)} if lists else {}
    for token in reversed(_references(expression) if lists else ()):
        contents, end = lists.get(token.text[1:]), token.start + len(token.text)
        if contents is None or contents.size > MOST_SPELT_OUT:
            continue
        start, text = token.start, f"{{{' '.join(contents.written())}}}"
        if contents.hostnames:
            if start not in uses:
                continue
            start, text = uses[start].start, _among(uses[start].field, contents)
        expression = f"{expression[:start]}{text}{expression[end:]}"
    return expression


def _among(field: str, contents: Contents) -> str:
    """The comparison of a field with hostnames, some with a wildcard in front."""
    texts = [json.dumps(name) for name in contents.written()]
    exact = " ".join(text for text in texts if not text.startswith(f'"{ANY_LABEL}'))
    wild = [f"{field} wildcard {text}" for text in texts if text.startswith(f'"{ANY_LABEL}')]
    return f"({' or '.join([f'{field} in {{{exact}}}', *wild])})"


def _references(expression: str) -> Sequence[Token]:
    if "$" not in expression:
        return ()
    try:
        tokens = tokens_of(expression)
    except Unread:
        return ()
    return [token for token in tokens if token.kind == WORD and LIST.fullmatch(token.text)]

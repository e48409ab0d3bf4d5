# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists that expressions name, and the fields whose values they may contain."""

from __future__ import annotations

import json
import re
from typing import Mapping, Sequence

from .._text import Unread, quoted
from .._values.address_set import ANY_LABEL, Contents
from .._vendor.fields import ADDRESS, FIELD_KINDS
from .grammar import (
    WORD,
    Comparison,
    Token,
    fields_in_expression,
    is_number,
    leaves,
    parse,
    tokens_of,
)

FIELDS_OF_LISTS: Mapping[str, Sequence[str]] = {  # that may be in a list, by the kind of the list
    "ip": [name for name, kind in FIELD_KINDS.items() if kind == ADDRESS],
    "asn": ["ip.src.asnum", "ip.geoip.asnum"],
    "hostname": ["http.host"],
}


def fields_in_place_of(field: str, kind: str) -> Sequence[str] | None:
    """The fields that may be in the lists of a kind, if this field may not; None for a field that
    may, or that is not known."""
    names = {name for name in fields_in_expression(field) if name in FIELD_KINDS}
    fitting_fields = FIELDS_OF_LISTS.get(kind, ())
    if names and names.isdisjoint(fitting_fields):
        return fitting_fields
    return None


LIST = re.compile(r"\$[a-z0-9_]+")  # of an account; the lists of the vendor have dots


# Also those of the vendor ("Managed lists").
LIST_NAME = re.compile(rf"(?:{LIST.pattern}|\$cf\.[a-z0-9_.]+)")


def _name_of_list(word: str) -> str:
    return "$" + re.sub("[^a-z0-9_]", "_", word[1:].lower())


def misplaced_list(leaf: Comparison) -> Unread | None:
    """The mistake that a comparison names a list in a form that nothing reads: `eq $offices`,
    `in {$offices}`, `in offices`; None if it does not."""
    is_alone = leaf.operator == "in" and not leaf.in_braces
    for token in leaf.operands:
        if token.kind != WORD:
            continue
        text = token.text
        if text.startswith("$") and not is_alone:
            is_negated = leaf.operator == "ne"
            write = f"not {leaf.field.replace(' ', '')} in {text}" if is_negated else f"in {text}"
            problem = f"{quoted(text)} is a list, which stands alone behind in"
            return Unread(f"{problem}; write {write}", at=token.start)
        if text.startswith("$") and not LIST_NAME.fullmatch(text):
            form = "the name of a list has small letters, digits and _ alone"
            problem = f"there is no list {quoted(text)}, since {form}"
            return Unread(f"{problem}; write in {_name_of_list(text)}", at=token.start)
        if is_alone and LIST.fullmatch(f"${text}") and not is_number(text):
            problem = f"'in' takes a list or a set in braces; write in ${text} for a list"
            return Unread(problem, at=token.start)
    return None


MOST_SPELT_OUT = 1000  # a longer list stays a name


def lists_in(*expressions: str) -> list[str]:
    """The names of the lists of the account that expressions refer to."""
    names: dict[str, None] = {}
    for expression in expressions:
        for token in _references(expression):
            names[token.text[1:]] = None
    return list(names)


def list_uses(expression: str) -> list[Comparison]:
    """The comparisons that ask whether a value is in a list of the account; none of an expression
    that cannot be read."""
    if not _references(expression):
        return []
    try:
        compared = [leaf for leaf in leaves(parse(expression)) if leaf.operator == "in"]
    except Unread:
        return []
    with_operands = [leaf for leaf in compared if leaf.operands]
    return [leaf for leaf in with_operands if LIST.fullmatch(leaf.operands[0].text)]


def with_contents(expression: str, lists: Mapping[str, Contents]) -> str:
    """The expression with the known contents of lists in the place of their names. A long list
    stays a name, and so does one of hostnames if the comparison has another form."""
    uses = {leaf.operands[0].start: leaf for leaf in list_uses(expression)} if lists else {}
    for token in reversed(_references(expression) if lists else ()):
        contents, end = lists.get(token.text[1:]), token.start + len(token.text)
        if contents is None or contents.size > MOST_SPELT_OUT:
            continue
        start, text = token.start, f"{{{' '.join(contents.written())}}}"
        if contents.hostnames:
            if start not in uses:
                continue
            start, text = uses[start].start, _comparison_with_hostnames(uses[start].field, contents)
        expression = f"{expression[:start]}{text}{expression[end:]}"
    return expression


def _comparison_with_hostnames(field: str, contents: Contents) -> str:
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

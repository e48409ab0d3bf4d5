# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Comparisons that are always or never true, since their field never has the values that they name.

Cloudflare accepts them; nobody means them."""

from __future__ import annotations

from typing import Iterator, Sequence

from .._text import Unread
from .._vendor.fields import RANGES
from .._vendor.texts import TEXTS_OF_FIELDS, USUAL_TEXTS, TextForm
from .fields import plain_texts
from .grammar import QUOTED, Comparison, Token, is_number, tokens_of
from .networks_and_ports import numbers_of


def values_never_had(leaf: Comparison, start: int) -> Iterator[Unread]:
    """The mistakes of a comparison with values that its field never has; `start` is the place of
    the comparison in the whole expression."""
    problems = [*_impossible_texts(leaf, start)] or [*_impossible_numbers(leaf, start)]
    yield from problems or _impossible_starts(leaf, start)


def texts_never_begun(left_side: str, start: int) -> Iterator[Unread]:
    """The mistake of a call such as `starts_with(http.request.uri.path, "admin")`, whose text is
    not the beginning, or the end, of any text of the field; `left_side` is the call in words."""
    texts = [token for token in tokens_of(left_side) if token.text not in ("(", ",", ")")]
    if len(texts) != 3 or texts[2].kind != QUOTED:
        return
    function, field, token = texts[0].text, texts[1].text, texts[2]
    if function not in ("starts_with", "ends_with"):
        return
    subject = f"{function}(...)"
    problems = [*_wrong_parts(field, token, [[token.text[1:-1]]], subject, start)]
    if function == "starts_with":
        problems = problems or [*_wrong_start(field, token, subject, start)]
    yield from problems


def _impossible_texts(leaf: Comparison, start: int) -> Iterator[Unread]:
    """The mistake that a field has none of the texts, or mistakes with those that it never has."""
    if plain_texts(leaf) is None:
        return
    tables = (TEXTS_OF_FIELDS, USUAL_TEXTS)
    for form in filter(None, [table.get(leaf.field.partition(" ")[0]) for table in tables]):
        if leaf.operator == "contains" and not form.of_parts:
            continue
        impossible = [token for token in leaf.operands if not form.has(token.text[1:-1])]
        if impossible and len(impossible) == len(leaf.operands):
            why = f"{form.words}{_to_write(form, impossible)}"
            yield _constant(leaf, start, leaf.operator == "ne", why)
        elif impossible:
            for token in impossible:
                name = leaf.field.replace(" ", "")
                problem = f"{name} is never {token.text}, since it {form.words}"
                yield Unread(
                    f"{problem}{_to_write(form, [token])}", at=token.start, malformed=False
                )
        if impossible:
            return


def _to_write(form: TextForm, impossible: Sequence[Token]) -> str:
    """The advice to write the texts that may be meant; empty if they are not known."""
    suggestions = [form.suggestion(token.text[1:-1]) for token in impossible]
    if not all(suggestions):
        return ""
    return "; write " + " ".join(f'"{suggestion}"' for suggestion in suggestions)


def _impossible_numbers(leaf: Comparison, start: int) -> Iterator[Unread]:
    """The mistake that all numbers of a field meet a comparison, or none does."""
    is_of_numbers = all(is_number(token.text) for token in leaf.operands)
    if leaf.field not in RANGES or not is_of_numbers:
        return
    lowest, highest = RANGES[leaf.field]
    try:
        ranges = numbers_of(leaf, lowest, highest)
    except Unread:
        return
    if ranges in ([], [(lowest, highest)]):
        is_open = highest > 10**11
        why = f"is {lowest} or more" if is_open else f"is from {lowest} to {highest}"
        why = f"is always {lowest}" if lowest == highest else why
        yield _constant(leaf, start, bool(ranges), why)


def _constant(leaf: Comparison, start: int, truth: bool, why: str) -> Unread:
    adverb = "always" if truth else "never"
    name = leaf.field.replace(" ", "")
    problem = f"the comparison is {adverb} true, since {name} {why}"
    return Unread(problem, at=start, malformed=False)


def _impossible_starts(leaf: Comparison, start: int) -> Iterator[Unread]:
    """The mistake of a wildcard that no text of the field begins with, or that has parts which no
    text has."""
    if not leaf.operator.endswith("wildcard") or leaf.operands[0].kind != QUOTED:
        return
    token, parts = leaf.operands[0], leaf.operands[0].text[1:-1].split("*")
    versions = [parts]
    if not leaf.operator.startswith("strict"):  # which alone distinguishes capital letters
        versions = [[part.lower() for part in parts], [part.upper() for part in parts]]
    problems = [*_wrong_parts(leaf.field, token, versions, "the comparison", start)]
    yield from problems or _wrong_start(leaf.field, token, "the comparison", start)


def _wrong_parts(
    field: str, token: Token, versions: Sequence[Sequence[str]], subject: str, start: int
) -> Iterator[Unread]:
    """The mistake of a text with parts that no text of the field has, in none of their versions."""
    forms = filter(None, [table.get(field) for table in (USUAL_TEXTS, TEXTS_OF_FIELDS)])
    for form in forms:
        if form.of_parts and not any(all(map(form.has, parts)) for parts in versions):
            problem = f"{subject} is never true, since {field} {form.words}"
            yield Unread(f"{problem}{_to_write(form, [token])}", at=start, malformed=False)
            return


def _wrong_start(field: str, token: Token, subject: str, start: int) -> Iterator[Unread]:
    form, text = USUAL_TEXTS.get(field), token.text[1:-1]
    if form is None or not form.start or text[:1] in ("*", "\\", ""):
        return
    beginning = text.partition("*")[0].lower()[: len(form.start)]
    if not form.start.startswith(beginning):
        problem = f"{subject} is never true, since {field} {form.words}"
        yield Unread(f"{problem}{_to_write(form, [token])}", at=start, malformed=False)

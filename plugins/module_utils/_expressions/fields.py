# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields that expressions name: their kinds, the texts that they can have, and doubts about
them."""

from __future__ import annotations

from typing import AbstractSet, NamedTuple

from .._text import Unread, closest, did_you_mean, quoted
from .._vendor.fields import (
    FIELD_KINDS,
    FLAG,
    KNOWN_FIELDS,
    NUMBER,
    OPEN,
    RANGES,
    RESPONSE_FIELDS,
    SAME_FIELD,
    TEXT,
)
from .._vendor.rules import Readable
from .._vendor.texts import TEXTS_OF_FIELDS, TextForm
from .grammar import HARD_TO_END, QUOTED, Comparison, fields_in_expression, tokens_of

NEAR = 0.75  # how alike names of fields are of which one may be meant
NEAR_PARTS = 0.65  # the same of the last parts of names


class KnownField(NamedTuple):
    """The kind of a field, empty if the vendor does not say it or the field is not known, and the
    numbers that it can have; 0 if its page names none."""

    kind: str
    lowest: int
    highest: int

    @staticmethod
    def of(name: str) -> KnownField:
        """The field of a name."""
        return KnownField(FIELD_KINDS.get(name, ""), *RANGES.get(name, (0, 0)))

    @property
    def is_text(self) -> bool:
        """Return whether its values are texts."""
        return self.kind == TEXT

    @property
    def is_number(self) -> bool:
        """Return whether its values are numbers."""
        return self.kind == NUMBER

    @property
    def is_flag(self) -> bool:
        """Return whether it is true or false."""
        return self.kind == FLAG


def possible_texts(leaf: Comparison) -> list[str] | None:
    """The texts of a comparison that its field, or function, can be equal to, or contain; None if
    it is compared in another way."""
    texts, form = plain_texts(leaf), form_of_texts(leaf)
    if texts is None or form is None or (leaf.operator == "contains" and not form.of_parts):
        return texts
    return [text for text in texts if form.has(text[1:-1])]


def plain_texts(leaf: Comparison) -> list[str] | None:
    """The texts of a comparison, each in quotes; None if it is compared in another way, or to a
    text with an escape."""
    if leaf.operator not in ("eq", "ne", "in", "contains") or not leaf.operands:
        return None
    for token in leaf.operands:
        if token.kind != QUOTED or HARD_TO_END.search(token.text):
            return None
    return [token.text for token in leaf.operands]


def form_of_texts(leaf: Comparison) -> TextForm | None:
    """The form of the texts of the field, or function, of a comparison; None if its page says
    none."""
    return TEXTS_OF_FIELDS.get(leaf.field.partition(" ")[0])


def unknown_names(expression: str, known_fields: AbstractSet[str] = KNOWN_FIELDS) -> list[str]:
    """The fields of an expression that are not among the known ones."""
    return [
        name for name in fields_in_expression(expression) if not is_known_field(name, known_fields)
    ]


BEYOND_OUR_FIELDS = "that this collection does not know"


def doubts(
    expression: str, known_fields: AbstractSet[str] = KNOWN_FIELDS, why: str = BEYOND_OUR_FIELDS
) -> str:
    """A remark, beginning with a verb, on fields that an expression reads and that are not among
    the known ones; empty if all are. `why` says of them why they should not be there."""
    names = unknown_names(expression, known_fields)
    unknown = [f"{quoted(name)}{_near(name.lower(), known_fields)}" for name in names]
    if not unknown:
        return ""
    noun = "a field" if len(unknown) == 1 else "fields"
    return f"reads {noun} {why}: {', '.join(unknown)}"


def doubts_of_name(name: str, known_names: AbstractSet[str], title: str) -> str:
    """A remark, beginning with a verb, on a name that stands in an option (`title`) and is not
    among the known ones; empty if it is."""
    try:
        tokens_of(name)
    except Unread as exc:
        return f"has the {title} {quoted(name)}, in which {exc}"
    return doubts(name, known_names, f"in a {title} {BEYOND_OUR_FIELDS}")


def doubts_of_place(expression: str, readable: Readable) -> str:
    """A remark, beginning with a verb, on fields that an expression reads and that cannot be read
    at its place; empty if all can."""
    why = f"that Cloudflare's page does not list for {readable.place}"
    return doubts(expression, readable.fields, why)


def doubts_of_request(expression: str) -> str:
    """Remarks, each beginning with a verb, on unknown fields that an expression of a request reads,
    and on fields of the response, which nothing knows yet; empty if there are none."""
    names = [name for name in fields_in_expression(expression) if name in RESPONSE_FIELDS]
    noun = "a field" if len(names) == 1 else "fields"
    listed = ", ".join(map(quoted, names))
    early = f"reads {noun} of the response, which does not exist yet: {listed}" if names else ""
    return ", and ".join(filter(None, [doubts(expression), early]))


def _near(name: str, known_fields: AbstractSet[str]) -> str:
    """A question in brackets with the field that may be meant; empty if none is near. For a word
    without a dot, the last parts of fields are compared, and the shortest field counts."""
    part = (
        ""
        if "." in name
        else closest(name, {field.split(".")[-1] for field in known_fields}, NEAR_PARTS)
    )
    fields = {
        SAME_FIELD.get(field, field) for field in known_fields if field.split(".")[-1] == part
    }
    if not part or name in fields:
        return did_you_mean(name, known_fields, NEAR)
    return f" (did you mean {min(fields, key=lambda field: (len(field), field))}?)"


def is_known_field(name: str, known_fields: AbstractSet[str] = KNOWN_FIELDS) -> bool:
    """Return whether a field is among the known ones, or is named after a claim of a token."""
    return name in known_fields or name.startswith(OPEN)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sentences for people: names in a row, counts, capitals and full stops, and text of others within
them."""

from __future__ import annotations

import re
from typing import Iterable

from ._messages import Message, Option

MAX_NAMES = 5  # so many are named in a sentence; the others are counted
MAX_EXCERPT = 120  # characters
# Control characters, marks and overrides of the direction, invisible characters, line separators,
# tags, surrogates.
UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def first_few(names: Iterable[str], most: int = MAX_NAMES) -> str:
    """The first names in a row, and how many more there are: `a, b and 2 more`."""
    every = list(names)
    return f"{', '.join(every[:most])} {left_out(len(every), most)}".rstrip()


def left_out(number: int, most: int, one: str = "", many: str = "") -> str:
    """How many of a number of things are beyond the first ones: `and 1 more host`; an empty text if
    none is."""
    more = number - most
    return f"and {plural(more, f'more {one}', f'more {many}')}".rstrip() if more > 0 else ""


def plural(number: int, one: str, many: str) -> str:
    """A number with its noun: `1 address`, `2 addresses`."""
    return f"{number} {one if number == 1 else many}"


def capitalised(text: str) -> str:
    """A text whose first letter is a capital; the others stay, and the name of an option does."""
    if isinstance(text, Message):
        first, *others = text.parts or ("",)
        return Message(first if isinstance(first, Option) else capitalised(first), *others)
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """A text with a capital at its beginning and a full stop at its end."""
    return capitalised(text) + "."


def excerpt(text: str, most: int = MAX_EXCERPT) -> str:
    """The first characters of a text, and how many more there are: `abc... (17 more
    characters)`."""
    more = len(text) - most
    return (
        text
        if more <= 0
        else f"{text[:most]}... ({plural(more, 'more character', 'more characters')})"
    )


def visible(text: str) -> str:
    """A text as a terminal can show it: characters that control it, or the direction of text, are
    escaped."""
    return UNSEEN.sub(lambda match: match.group().encode("unicode_escape").decode("ascii"), text)

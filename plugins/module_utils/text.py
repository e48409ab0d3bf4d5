# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sentences for people: names in a row, counts, capitals and full stops."""

from __future__ import annotations

from typing import Iterable

MAX_NAMES = 5  # so many are named in a sentence; the others are counted


def first_few(names: Iterable[str], most: int = MAX_NAMES) -> str:
    """The first names in a row, and how many more there are: `a, b and 2 more`."""
    every = list(names)
    more = len(every) - most
    return ", ".join(every[:most]) + (f" and {more} more" if more > 0 else "")


def plural(number: int, one: str, many: str) -> str:
    """A number with its noun: `1 address`, `2 addresses`."""
    return f"{number} {one if number == 1 else many}"


def capitalised(text: str) -> str:
    """A text whose first letter is a capital; the others stay."""
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """A text with a capital at its beginning and a full stop at its end."""
    return capitalised(text) + "."

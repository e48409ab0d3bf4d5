# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The versions of an ordered list, which rise by one with each write: of this run, and of
others."""

from __future__ import annotations

from typing import Sequence

from .._schema.resource import Object

MAX_DIGITS = 19  # a longer text is no version


def version_of(around: Object) -> int | None:
    """The version of the object around a list, 0 where there is none yet; None where Cloudflare
    does not number it."""
    number = str(around.get("version") if around else 0)
    is_number = number.isascii() and number.isdigit() and len(number) < MAX_DIGITS
    return int(number) if is_number else None


class Versions:
    """The versions of one list that are known: the one that was read before this run wrote, those
    of its answers, and those that were read later."""

    def __init__(self) -> None:
        self.known: dict[int, Sequence[Object]] = {}
        self.own: set[int] = set()
        self.is_written = False

    def keep(self, number: int | None, objects: Sequence[Object], is_own: bool = False) -> None:
        """Keep a version; what was read before it does not matter as long as nothing is written."""
        if not self.is_written:
            self.known.clear()
        if number is not None:
            self.known[number] = objects
            self.own |= {number} if is_own else set()

    @property
    def unknown(self) -> list[int]:
        """The numbers in between, of versions that others wrote, or earlier attempts."""
        numbers = range(min(self.known), max(self.known)) if self.is_written and self.known else ()
        return [number for number in numbers if number not in self.known]

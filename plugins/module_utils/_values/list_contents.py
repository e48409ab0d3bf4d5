# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The contents of lists that rules refer to, as sets that can be asked and compared."""

from __future__ import annotations

from typing import NamedTuple

from .address_set import Ranges, difference, networks

ANY_LABEL = "*."  # in front of a hostname: any name below it, and not the name itself
NO_ADDRESSES: Ranges = []


class Contents(NamedTuple):
    """The addresses, autonomous systems or hostnames of a list; a list has one kind of them."""

    ranges: Ranges = NO_ADDRESSES
    numbers: frozenset[int] = frozenset()
    hostnames: frozenset[str] = frozenset()

    @property
    def size(self) -> int:
        """The number of ranges, numbers and names."""
        return len(self.ranges) + len(self.numbers) + len(self.hostnames)

    @property
    def kind_in_words(self) -> str:
        """The kind of its contents, in sentences."""
        return "hostnames" if self.hostnames else "numbers" if self.numbers else "addresses"

    def has_hostname(self, name: str) -> bool:
        """Return whether a name, or all that one with a wildcard stands for, is among its
        hostnames."""
        _label, _dot, above = name.partition(".")
        while name not in self.hostnames and above:
            name, (_label, _dot, above) = ANY_LABEL + above, above.partition(".")
        return name in self.hostnames

    def without(self, other: Contents) -> Contents:
        """Its contents that another list lacks."""
        return Contents(
            difference(self.ranges, other.ranges) if other.ranges else self.ranges,
            self.numbers - other.numbers,
            frozenset(name for name in self.hostnames if not other.has_hostname(name)),
        )

    def written(self) -> list[str]:
        """Its contents as texts, each once and in order."""
        return [*networks(self.ranges), *map(str, sorted(self.numbers)), *sorted(self.hostnames)]

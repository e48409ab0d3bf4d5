# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Numbers of addresses as bars and in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .record import CLASSES, FAMILIES, AddressCounts, ClassCounts, Family

TITLES = {"ipv4": "IPv4", "ipv6": "IPv6"}
SIGNS = {"covered": "c", "monitored": "m", "undecided": "u", "uncovered": "n", "excluded": "x"}
LABELS = {
    "covered": "mitigated",
    "monitored": "mitigated in part, or only monitored",
    "undecided": "not understood",
    "uncovered": "not covered",
    "excluded": "excluded",
}
SUBNET = 1 << 64  # people count IPv6 addresses in networks of this size


class Bar(NamedTuple):
    """One bar: the family of the addresses, an inline SVG, and the same in words."""

    family: str
    svg: str
    words: str


def bars(addresses: AddressCounts) -> Iterator[Bar]:
    """A bar for each family that has addresses; `addresses` has numbers by family and class."""
    for family in FAMILIES:
        numbers = addresses[family]
        whole = sum(numbers.values())
        if whole:
            words = in_words(family, numbers)
            yield Bar(TITLES[family], _svg(numbers, whole, f"{TITLES[family]}: {words}"), words)


def in_words(family: Family, numbers: ClassCounts) -> str:
    """The classes that have addresses, such as `240 mitigated, 16 excluded`."""
    counted = [
        f"{amount(family, numbers[name])} {LABELS[name]}" for name in CLASSES if numbers[name]
    ]
    return ", ".join(counted) or "no addresses"


def amount(family: str, number: int) -> str:
    """A number of addresses; IPv6 in /64 networks, where it is at least one."""
    if family == "ipv6" and number >= SUBNET:
        return f"{number // SUBNET:,} /64"
    return f"{number:,}"


def _svg(numbers: ClassCounts, whole: int, label: str) -> str:
    """The bar; all of it is made of numbers and words of this file."""
    rectangles, position = [], 0.0
    for name in CLASSES:
        width = 100 * numbers[name] / whole
        if numbers[name]:
            rectangles.append(
                f'<rect class="{SIGNS[name]}" x="{position:.4g}%" width="{width:.4g}%"'
                ' height="100%"/>'
            )
        position += width
    return f'<svg class="bar" role="img" aria-label="{label}">{"".join(rectangles)}</svg>'

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields that filters know, each declared once.

The vendor describes filters in "JSON objects" (Advanced TCP Protection API): the fields ip.src,
ip.dst, tcp.srcport and tcp.dstport, and no functions.
"""

from __future__ import annotations

from typing import Callable, Mapping, NamedTuple

from .._values.address_set import EVERYTHING, Range, Ranges
from .comparisons import addresses_of, numbers_of
from .grammar import Comparison, Unknown, Unread, quoted

HIGHEST_PORT = 65535


class FilterField(NamedTuple):
    """A field of packets.

    `values_of` returns the values that meet a comparison, and raises Unread; `everything` are all
    values. `parts` are the values by which destinations differ: a packet with a value of such a
    part goes to one of the destinations beside it. The destination itself has no parts.
    """

    type_name: str
    values_of: Callable[[Comparison], Ranges]
    everything: Ranges
    parts: tuple[tuple[Range, Ranges], ...] = ()


def _ports_of(comparison: Comparison) -> Ranges:
    return numbers_of(comparison, 0, HIGHEST_PORT)


# The source and the destination of a packet are of one family.
FAMILIES = tuple((family, [family]) for family in EVERYTHING)
PORTS: Range = (0, HIGHEST_PORT)
DESTINATION = FilterField("address", addresses_of, EVERYTHING)
SOURCE = FilterField("address", addresses_of, EVERYTHING, FAMILIES)
PORT = FilterField("number", _ports_of, [PORTS], ((PORTS, EVERYTHING),))
FIELDS: Mapping[str, FilterField] = {
    "ip.src": SOURCE,
    "ip.dst": DESTINATION,
    "tcp.srcport": PORT,
    "tcp.dstport": PORT,
}


def unknown_leaf(leaf: Comparison | Unknown) -> Unread:
    """Why a comparison is not one of those that filters know."""
    if leaf.field in FIELDS and isinstance(leaf, Unknown):
        return Unread(leaf.problem, leaf.start)
    name, *rest = leaf.field.split()
    what = (
        f"{quoted(name)} is a function, and filters know none"
        if "(" in rest[:1]
        else f"filters know no field {quoted(name)}"
    )
    return Unread(f"{what}, only {', '.join(FIELDS)}", leaf.start, malformed=False)

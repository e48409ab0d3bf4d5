# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the analytics tell of an account, as data: rows, and what is not known."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Mapping, NamedTuple, Sequence

from .._values.address_set import INSIDE, OUTSIDE, STRADDLING, Ranges, position_in, range_of


class Row(NamedTuple):
    """A sum of packets that have all of this in common; `samples` is how many of them were seen."""

    destination: str
    data_center: str
    reason: str
    outcome: str
    verdict: str
    packets: int
    samples: int


def position_of(row: Row, spaces: Sequence[Ranges]) -> str:
    """Whether a row's destination lies inside of a space, outside of all, or straddles the edge of
    one."""
    destination = range_of(row.destination)
    positions = {position_in(destination, space) for space in spaces} if destination else {OUTSIDE}
    return next((one for one in (STRADDLING, INSIDE) if one in positions), OUTSIDE)


@dataclass(frozen=True)
class Traffic:
    """What the analytics tell of an account, by the name of the node; `unknown` says what they do
    not tell, and why."""

    since: datetime
    until: datetime
    rows: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    unknown: Mapping[str, Sequence[str]] = field(default_factory=dict)

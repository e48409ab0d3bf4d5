# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pieces of the hours that past traffic is to speak for: each of them has some of it, network by
network. A sum over all hours does not tell that.

Cloudflare samples, so that a small network has hours without a row. A piece is therefore as long as
it takes until some packets of the network are sampled on the average, and an hour at least.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Iterable, Sequence

from .._text import first_few, plural
from .._timestamps import read_timestamp
from .._traffic.ask import NodeTraffic
from .._traffic.queries import Row
from .._values.address_set import Ranges, intersection, networks, range_of, union

SAMPLES_OF_PIECE = 8  # of so many on the average, none at all are seen once in 3000 pieces
HOUR = timedelta(hours=1)


def silent_pieces(hours: NodeTraffic, prefixes: Iterable[Ranges]) -> list[tuple[str, Ranges]]:
    """A sentence for each prefix with pieces of the asked time in which the analytics saw no
    traffic to it, and its networks; also if the hours themselves are not known."""
    spaces = list(prefixes)
    if hours.unknown:
        space = union(network for ranges in spaces for network in ranges)
        return [(reason, space) for reason in hours.unknown]
    whole = _whole_hours(hours.page.since, hours.page.until)
    doubts: list[tuple[str, Ranges]] = []
    for space in spaces:
        rows = [row for row in hours.rows if _goes_to(row, space)]
        silent = _silent_hours(rows, whole)
        if silent:
            title = first_few(networks(space))
            number = plural(len(whole), "hour", "hours")
            text = f"The analytics saw no traffic to {title} in {silent} of {number}, "
            doubts.append((f"{text}so that they do not show all of this time.", space))
    return doubts


def _goes_to(row: Row, space: Ranges) -> bool:
    destination = range_of(row.destination)
    return bool(destination and intersection([destination], space))


def _whole_hours(since: datetime, until: datetime) -> list[datetime]:
    """The beginnings of the hours that lie between two moments as a whole."""
    first = since.astimezone(timezone.utc).replace(minute=0, second=0, microsecond=0)
    if first < since:
        first += HOUR
    return [first + HOUR * number for number in range((until - first) // HOUR)]


def _silent_hours(rows: Sequence[Row], whole: Sequence[datetime]) -> int:
    """The number of hours in pieces without a row."""
    samples = sum(row.samples for row in rows)
    pieces = min(len(whole), samples // SAMPLES_OF_PIECE)
    if not pieces:
        return 0  # so few say nothing, which is told elsewhere
    seen = {read_timestamp(row.outcome) for row in rows}
    length = -(-len(whole) // pieces)
    silent = 0
    for start in range(0, len(whole), length):
        piece = whole[start : start + length]
        silent += 0 if seen.intersection(piece) else len(piece)
    return silent

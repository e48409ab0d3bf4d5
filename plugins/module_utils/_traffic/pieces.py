# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pieces of the hours that past traffic is to speak for: each of them has some of it. A sum over
all hours does not tell that.

Cloudflare samples, so that little traffic has hours without a row. A piece is therefore as long as
it takes until some of it is sampled on the average, and an hour at least.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Mapping

from .._text import plural
from .._timestamps import read_timestamp

SAMPLES_OF_PIECE = 8  # of so many on the average, none at all are seen once in 3000 pieces
HOUR = timedelta(hours=1)


def silence(samples_by_hour: Mapping[str, int], since: datetime, until: datetime, noun: str) -> str:
    """A sentence that the analytics saw no traffic for some hours between two moments; empty if
    they saw some in each hour, or if they saw too little for a conclusion. `samples_by_hour` has
    the numbers by the beginning of the hour; `noun` names the traffic, such as `packets`.
    """
    all_hours = _hours_between(since, until)
    pieces = min(len(all_hours), sum(samples_by_hour.values()) // SAMPLES_OF_PIECE)
    if not pieces:
        return ""
    hours = {read_timestamp(text) for text in samples_by_hour}
    length = -(-len(all_hours) // pieces)
    silent = 0
    for start in range(0, len(all_hours), length):
        piece = all_hours[start : start + length]
        silent += 0 if hours.intersection(piece) else len(piece)
    if not silent:
        return ""
    number = plural(len(all_hours), "hour", "hours")
    return (
        f"The analytics saw no {noun} in {silent} of {number}, so that they do not show all of this"
        " time."
    )


def _hours_between(since: datetime, until: datetime) -> list[datetime]:
    """The beginnings of the hours of which at least half lies between two moments. A day has 24 of
    them, so that a silent first or last hour is noticed as well.
    """
    first, end = _nearest_hour(since), _nearest_hour(until)
    return [first + HOUR * number for number in range((end - first) // HOUR)]


def _nearest_hour(moment: datetime) -> datetime:
    """The beginning of an hour, in UTC, that is nearest to a moment."""
    middle = moment.astimezone(timezone.utc) + HOUR / 2
    return middle.replace(minute=0, second=0, microsecond=0)

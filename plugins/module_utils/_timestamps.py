# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Points in time, as Cloudflare writes them in objects and in the header Date.

A time that cannot be, such as Go's zero time in the year 1, the epoch or the year 9999, stands for
none: it is unknown.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Mapping, Tuple

END_OF_TIME = datetime.max.replace(tzinfo=timezone.utc)
POSSIBLE_YEARS = range(2010, 2100)  # Cloudflare began in 2010
CLOCK_SKEW = timedelta(minutes=5)  # between the clocks of Cloudflare's own machines
DATE = re.compile(r"\d{4}-\d\d-\d\d")
TIMESTAMP = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?", re.IGNORECASE
)


def read_timestamp(value: Any) -> datetime | None:
    """The time that a timestamp of an object stands for, with any precision and offset; None if it
    is not a timestamp, or is not possible."""
    match = TIMESTAMP.fullmatch(value) if isinstance(value, str) else None
    if not match:
        return None
    day, time, fraction, offset = match.groups()
    offset = "+00:00" if offset in (None, "Z", "z") else offset
    microseconds = (fraction or "").ljust(6, "0")[:6]
    try:
        return _if_possible(datetime.fromisoformat(f"{day}T{time}.{microseconds}{offset}"))
    except ValueError:
        return None


Age = Tuple[datetime, str]


def age_of(obj: Mapping[str, Any]) -> Age:
    """The sort key of duplicates: the oldest is first, and of one age, they are sorted by their
    ids."""
    return read_timestamp(obj.get("created_on")) or END_OF_TIME, str(obj.get("id"))


def read_date(header: str | None) -> datetime | None:
    """The time in a response's header Date; None if it is missing, unreadable or not possible."""
    try:
        date = parsedate_to_datetime(header or "")
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return _if_possible(date if date.tzinfo else date.replace(tzinfo=timezone.utc))


def _if_possible(time: datetime) -> datetime | None:
    return time if time.year in POSSIBLE_YEARS else None


def started_before(now: datetime | None, value: Any) -> datetime | None:
    """The time of a timestamp of something that began before `now`; None if either is not known, or
    the timestamp lies in the future."""
    time = read_timestamp(value)
    if time is None or now is None or time > now + CLOCK_SKEW:
        return None
    return time


def write_timestamp(time: datetime) -> str:
    """A point in time as results show it, to the second, in UTC."""
    return time.astimezone(timezone.utc).replace(microsecond=0).isoformat()


def write_time(time: datetime) -> str:
    """A point in time to the second with a Z, as Cloudflare accepts it and people write it."""
    return write_timestamp(time).replace("+00:00", "Z")


def to_the_minute(timestamp: str) -> str:
    """A timestamp in UTC, without seconds, such as `2027-01-31 17:00 UTC`; the text itself if it is
    not a timestamp."""
    moment = read_timestamp(timestamp)
    return f"{moment.astimezone(timezone.utc):%Y-%m-%d %H:%M} UTC" if moment else timestamp


def parse_expiry(text: str) -> datetime:
    """The moment from which an entry no longer counts; raises ValueError.

    The text is a timestamp with an offset, or a date, which stands for its end in UTC. The date
    9999-12-31, which people write for never, ends with the last moment of datetime.
    """
    text = text.strip()
    if DATE.fullmatch(text):
        try:
            day = datetime.fromisoformat(f"{text}T00:00:00+00:00")
        except ValueError as exc:
            raise ValueError(f"'{text}' is not a date that exists") from exc
        is_last_day = day.date() >= END_OF_TIME.date()
        return END_OF_TIME if is_last_day else day + timedelta(days=1)
    match = TIMESTAMP.fullmatch(text)
    time = read_timestamp(text)
    if not match or not match.group(4) or time is None:
        raise ValueError(
            f"'{text}' is neither a date such as 2027-01-31 nor a time such as"
            " 2027-01-31T18:00:00+01:00"
        )
    return time

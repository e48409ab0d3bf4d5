# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Points in time, as the service writes them in objects and in the header Date (facts.md, section 1.1)."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

TIMESTAMP = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?", re.IGNORECASE)


def read_timestamp(value: Any) -> datetime | None:
    """A timestamp of an object, with any precision and offset; None where it is not one."""
    found = TIMESTAMP.fullmatch(str(value or ""))
    if not found:
        return None
    day, time, fraction, offset = found.groups()
    offset = "+00:00" if offset in (None, "Z", "z") else offset
    try:
        return datetime.fromisoformat(f"{day}T{time}.{(fraction or '').ljust(6, '0')[:6]}{offset}")
    except ValueError:
        return None


def read_date(header: str | None) -> datetime | None:
    """The time that an answer's header Date names; None where it is missing or unreadable."""
    try:
        date = parsedate_to_datetime(header or "")
    except (TypeError, ValueError, IndexError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=timezone.utc)


def write_timestamp(time: datetime) -> str:
    """A point in time as results show it, to the second, in UTC."""
    return time.astimezone(timezone.utc).replace(microsecond=0).isoformat()

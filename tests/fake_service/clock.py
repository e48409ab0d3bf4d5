# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock that every time of the service comes from; a test may move it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime


class Clock:
    """Runs like the machine's clock, ahead of it by as much as it was advanced."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def advance(self, **delta: float) -> None:
        """Move on (or back) by what timedelta takes: seconds=..., minutes=..., hours=..., days=..."""
        self._ahead += timedelta(**delta)

    def set(self, moment: datetime) -> None:
        """Move to a moment; from there the clock goes on running."""
        self._ahead = moment.astimezone(UTC) - datetime.now(UTC)

    def timestamp(self) -> str:
        return timestamp(self.now())

    def http_date(self) -> str:
        return format_datetime(self.now(), usegmt=True)


def timestamp(moment: datetime) -> str:
    """As the service writes times: microseconds, and a numeric offset. A moment without an offset is taken as UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.isoformat(timespec="microseconds")

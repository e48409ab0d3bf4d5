# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a finder of risks gets, and what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Sequence, TypedDict

from .._coverage.coverage import Coverage
from .._plan.plan import Plan
from .._values.address_set import Ranges, counted, networks


@dataclass(frozen=True)
class Change:
    """A plan with what it does to the coverage; `now` is the service's time, None where it does not
    say."""

    plan: Plan
    before: Coverage
    after: Coverage
    now: datetime | None = None


class RiskRecord(TypedDict):
    """A risk as results show it; `entries` are the keys of the objects whose change is the risk.

    `reason` is why the task accepts it, None where it does not say so.
    """

    code: str
    message: str
    networks: list[str]
    addresses: str
    entries: list[str]
    reason: str | None


@dataclass(frozen=True)
class Risk:
    """One of the codes, with a sentence on it, the networks concerned and the keys of the
    objects."""

    code: str
    message: str
    ranges: Ranges
    entries: Sequence[str]
    reason: str | None = None

    def record(self) -> RiskRecord:
        """The risk as results show it."""
        return RiskRecord(
            code=self.code,
            message=self.message,
            networks=networks(self.ranges),
            addresses=counted(self.ranges),
            entries=list(self.entries),
            reason=self.reason,
        )

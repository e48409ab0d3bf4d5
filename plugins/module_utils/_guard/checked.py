# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the guard knows of a plan, as data; results word it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Sequence

from .._coverage.coverage import Coverage
from .._plan.plan import Plan
from .._schema.account import ACCOUNT
from .acceptance import Acceptance
from .risks.base import FoundRisk


class Feasibility(NamedTuple):
    """Why an account or zone would not take a plan, and why that is not known; both empty if it
    would."""

    refused: str = ""
    unknown: str = ""


@dataclass(frozen=True)
class Checked:
    """A plan with its risks, and the coverage before and after it.

    `risks` are those that the task accepts, `refused` all others. `expired` are acceptances that no
    longer count at `now`, Cloudflare's time; `unmet` are those for everything that met nothing.
    `unknown` says why it is not known whether the owner takes the plan, a sentence each.
    """

    plan: Plan
    before: Coverage
    after: Coverage
    now: datetime | None = None
    risks: Sequence[FoundRisk] = ()
    refused: Sequence[FoundRisk] = ()
    expired: Sequence[Acceptance] = ()
    unmet: Sequence[Acceptance] = ()
    unknown: Sequence[str] = ()

    @property
    def knows_account(self) -> bool:
        """Whether all that decides on the protection of an account was read."""
        return all(resource.plural in self.before.state for resource in ACCOUNT)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All that may keep an account or zone from taking a plan."""

from __future__ import annotations

from typing import Callable, Sequence

from ..._plan.plan import Plan
from ..._schema.resource import ReadCollection
from ..checked import Feasibility
from .catalogue import check_catalogue
from .list_items import check_list_items
from .onboarding import check_onboarding
from .quota import check_quota

CHECKS: Sequence[Callable[[Plan, ReadCollection], Feasibility]] = (
    check_quota,
    check_onboarding,
    check_catalogue,
    check_list_items,
)


def check_feasibility(plan: Plan, read: ReadCollection) -> list[Feasibility]:
    """What each check finds; `read` is called only if a plan may be refused."""
    return [check(plan, read) for check in CHECKS]

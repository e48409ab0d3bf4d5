# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How many items the lists of an account may have together, which depends on its contract."""

from __future__ import annotations

from ..._plan.plan import Plan
from ..._schema.lists import LISTS, MOST_ITEMS
from ..._schema.resource import ReadCollection
from ..checked import Feasibility


def check_list_items(plan: Plan, _read: ReadCollection) -> Feasibility:
    """Whether a plan gives the lists of an account more items than most accounts may have: whether
    this one may is not known."""
    more = 0
    for item in plan.operations:
        if item.resource.parent is LISTS:
            more += {"create": 1, "delete": -1}.get(item.action, 0)
        more -= sum(other.resource.parent is LISTS for other in item.along)
    if more <= 0:
        return Feasibility()
    before = sum(_number(obj.get("num_items")) for obj in plan.before[LISTS.plural])
    if not before <= MOST_ITEMS < before + more:
        return Feasibility()
    return Feasibility(
        unknown=f"The lists of the account would have {before + more} items together, and most"
        f" accounts may have {MOST_ITEMS}. Cloudflare may refuse them."
    )


def _number(value: object) -> int:
    return int(value) if isinstance(value, (int, float)) else 0

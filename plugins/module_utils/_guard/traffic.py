# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic that a plan treats differently, and why more of it may be."""

from __future__ import annotations

from typing import Iterator

from .._plan.plan import Plan
from .._protection.compared_ways import compared_ways
from .._protection.difference import difference_on
from .._protection.rules_in_force import expressions_in
from .._protection.traffic_changes import NO_CHANGES, NotCompared, Source
from .._schema.lists import LISTS, uses_of
from .._text import plural
from .finders.base import PlanTraffic


def plan_traffic(plan: Plan) -> PlanTraffic:
    """The traffic that a plan treats differently."""
    if not plan.operations:
        return PlanTraffic(NO_CHANGES)
    after = {**plan.before, **plan.after()}
    ways = compared_ways(plan.before, after)
    changes = difference_on(ways, plan.before, after)
    return PlanTraffic(changes.without_comparison(_lists_of_unread_rules(plan)), ways)


def _lists_of_unread_rules(plan: Plan) -> Iterator[NotCompared]:
    """A sentence for each changed list to which rules refer that could not be read."""
    changed = {
        operation.resource.parent_name
        for operation in plan.operations
        if operation.action != "update"  # of a comment, since its address is the key of an item
    }
    known = [name for expression in expressions_in(plan.before) for name in expression.lists]
    for obj in plan.before.get(LISTS.plural) or ():
        name = LISTS.label_of(obj)
        unread = uses_of(obj) - known.count(name)
        if name in changed and unread > 0:
            rules = plural(
                unread, "rule that is not known refers", "rules that are not known refer"
            )
            source = Source(LISTS.name, name, f"{LISTS.title} {name}")
            yield NotCompared(f"{rules} to the list {name}", [source])

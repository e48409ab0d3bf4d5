# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order of a plan whose new lists have room only after rules of the same plan stop referring to
others: rules that need nothing of what the plan makes come first. Pure functions."""

from __future__ import annotations

from collections import Counter
from typing import Mapping, Sequence

from .._guard.finders.deletions import reference_changes
from .._guard.list_plans import newly_used_lists
from .._plan.plan import Operation, Plan
from .._plan.removals import is_removal, removals_for_room, split_at_removals
from .._schema.resource import id_of_new
from .._schema.rulesets import deployed
from .turns import changed_list


def with_rules_first(plan: Plan, freed: Mapping[str, int]) -> Plan:
    """The plan, whose removals make room after rules that stop referring to what they remove, if
    that suffices. `freed` are, by list, how many rules of other owners refer to it no more by then.
    """
    changes = {
        plural: reference_changes(plan._replace(operations=tuple(operations)))
        for plural, operations in _independent_rules(plan).items()
    }
    freed_here = Counter(freed)
    for of_rules in changes.values():
        freed_here.subtract(of_rules)
    first = removals_for_room(plan.operations, plan.before, freed_here)
    names = {*map(changed_list, first)}
    plurals = {
        plural for plural in changes if any(changes[plural].get(name, 0) < 0 for name in names)
    }
    rules = [operation for operation in plan.operations if operation.resource.plural in plurals]
    ahead = {id(operation) for operation in (*rules, *first)}
    rest = [operation for operation in plan.operations if id(operation) not in ahead]
    return plan._replace(operations=(*rules, *first, *rest)) if rules else plan


def _independent_rules(plan: Plan) -> dict[str, list[Operation]]:
    """The operations on ordered lists of rules, by plural, that need nothing that the plan makes,
    and no items that it adds."""
    made, _removals = split_at_removals(plan.operations)
    fills = {changed_list(operation) for operation in made if not is_removal(operation)}
    rulesets = [operation for operation in plan.operations if operation.resource.holds_rules]
    new_ids = {id_of_new(ruleset.label) for ruleset in rulesets if ruleset.action == "create"}
    changed_rulesets = {ruleset.label for ruleset in rulesets}
    rules: dict[str, list[Operation]] = {}
    for operation in plan.operations:
        resource = operation.resource
        if resource.is_ordered and resource.parent_name not in changed_rulesets:
            rules.setdefault(resource.plural, []).append(operation)
    return {
        plural: operations
        for plural, operations in rules.items()
        if fills.isdisjoint(newly_used_lists(plan._replace(operations=tuple(operations))))
        and not _deploys_any(operations, new_ids)
    }


def _deploys_any(rules: Sequence[Operation], ids: set[str]) -> bool:
    return any(deployed(operation.planned or {}) in ids for operation in rules)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order of a plan whose new lists have room only after rules of the same plan stop referring to
others: rules that need nothing of what the plan makes come first. Pure functions."""

from __future__ import annotations

from collections import Counter
from typing import Iterable, Mapping, Sequence, Tuple

from .._guard.finders.deletions import reference_changes
from .._plan.plan import Operation, Plan
from .._plan.removals import Freed, referred_by, removals_for_room, split_at_removals
from .._schema.custom_rulesets import CUSTOM_RULESETS
from .._schema.lists import LISTS
from .._schema.resource import ACCOUNT_OPTION, ZONE_OPTION, id_of_new
from .._schema.rulesets import deployed
from .turns import filled_lists, makes_rules, references_in

Changes = Mapping[Tuple[str, str], int]  # in the number of rules, by plural and name


def with_rules_first(plan: Plan, freed: Freed) -> Plan:
    """The plan, whose removals make room after rules that stop referring to what they remove, if
    that suffices. Rules of other owners have stopped to refer to what is `freed`.
    """
    changes = {
        plural: _changes(plan._replace(operations=tuple(operations)))
        for plural, operations in _independent_rules(plan).items()
    }
    freed_here = _freed_by(changes.values(), freed)
    first = removals_for_room(plan.operations, plan.before, freed_here)
    removed = [*map(referred_by, first)]
    plurals = {
        plural for plural in changes if any(changes[plural].get(name, 0) < 0 for name in removed)
    }
    rules = [operation for operation in plan.operations if operation.resource.plural in plurals]
    ahead = {id(operation) for operation in (*rules, *first)}
    rest = [operation for operation in plan.operations if id(operation) not in ahead]
    if not rules or makes_rules(rest):  # which may stop what these have stopped
        return plan
    return plan._replace(operations=(*rules, *first, *rest))


def _freed_by(all_changes: Iterable[Changes], freed: Freed) -> Freed:
    """The objects to which fewer rules refer after these changes, and those `freed` before them."""
    total = {plural: Counter(names) for plural, names in freed.items()}
    for changes in all_changes:
        for (plural, name), number in changes.items():
            total.setdefault(plural, Counter())[name] -= number
    return total


def _changes(plan: Plan) -> Changes:
    """The change in the number of rules that refer to a list, or deploy a ruleset."""
    changes: Counter[tuple[str, str]] = Counter()
    for name, number in reference_changes(plan).items():
        changes[(LISTS.plural, name)] = number
    names = {
        obj.get("id"): (rulesets.plural, rulesets.label_of(obj))
        for rulesets in CUSTOM_RULESETS.values()
        for obj in rulesets.our_objects_in(plan.before)
    }
    for operation in plan.operations:
        for rule, number in ((operation.existing, -1), (operation.planned, 1)):
            ruleset = names.get(deployed(rule or {}))
            if ruleset:
                changes[ruleset] += number
    return changes


def _independent_rules(plan: Plan) -> dict[str, list[Operation]]:
    """The operations on ordered lists of rules, by plural, that need nothing that the plan makes;
    none if any rule refers to a list that it makes or changes."""
    made, _removals = split_at_removals(plan.operations)
    after = plan.after()
    needed = {*references_in(after, ZONE_OPTION), *references_in(after, ACCOUNT_OPTION)}
    if not needed.isdisjoint(filled_lists(made)):
        return {}
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
        if not _deploys_any(operations, new_ids)
    }


def _deploys_any(rules: Sequence[Operation], ids: set[str]) -> bool:
    return any(deployed(operation.planned or {}) in ids for operation in rules)

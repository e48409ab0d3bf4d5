# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists to which the changed rules of a plan newly refer, and the kinds of lists after it."""

from __future__ import annotations

from typing import Mapping, NamedTuple, Sequence

from .._plan.plan import Operation, Plan
from .._protection.rules_in_force import expressions_in
from .._remembered import remembered
from .._schema.lists import LISTS
from .._schema.registry import evaluated_as
from .._schema.resource import Object


class NewUse(NamedTuple):
    """A list to which a changed rule newly refers, and the field that the rule looks for in the
    list; the field is empty if the expression does not show it.
    """

    operation: Operation
    list_name: str
    field: str


@remembered(32)  # three checks look at the uses of one plan
def new_uses(operations: Sequence[Operation]) -> Sequence[NewUse]:
    """The lists to which changed rules newly refer: each list once without a field, and once with
    each field that the rules look for in it.
    """
    uses: list[NewUse] = []
    for operation in operations:
        if operation.resource.parent is LISTS:
            continue
        before = _uses_in(operation, operation.existing)
        for list_name, field in _uses_in(operation, operation.planned):
            if (list_name, field) not in before:
                uses.append(NewUse(operation, list_name, field))
    return uses


def _uses_in(operation: Operation, rule: Object | None) -> Mapping[tuple[str, str], None]:
    """The lists to which a rule refers: each once without a field, and once with each field that
    the rule looks for in it; empty if the rule is None.
    """
    if not rule:
        return {}
    expressions = expressions_in({evaluated_as(operation.resource).plural: [rule]})
    names: dict[tuple[str, str], None] = {}
    fields: dict[tuple[str, str], None] = {}
    for expression in expressions:
        for name in expression.lists:
            names[name, ""] = None
        fields.update(dict.fromkeys(expression.list_uses))
    return {**names, **fields}


def kinds_of_lists(plan: Plan) -> dict[str, str]:
    """The kinds of the lists before and after a plan, by their names."""
    lists_before, lists_after = plan.before[LISTS.plural], plan.after()[LISTS.plural]
    lists = [*lists_before, *lists_after]
    return {LISTS.label_of(obj): str(obj.get("kind")) for obj in lists}

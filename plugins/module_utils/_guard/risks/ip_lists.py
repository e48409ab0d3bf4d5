# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk of lists that rules name."""

from __future__ import annotations

from typing import Iterator

from ..._plan.plan import Operation
from ..._schema.lists import LISTS, references
from ..._schema.resource import Object
from ..._text import first_few, plural
from .base import Change, Finding, Limits, entry_of, risk


@risk("The plan would delete a list that rules refer to, or leave it empty.")
def removes_referenced_list(change: Change, limits: Limits) -> Finding | None:
    """A rule would match nothing any more, or could not be read."""
    concerned = list(_lost(change))
    if not concerned:
        return None
    reasons = [
        f"{LISTS.label_of(obj)} ({plural(references(obj), 'rule refers', 'rules refer')} to it,"
        f" and it would be {outcome})"
        for obj, outcome in concerned
    ]
    message = f"Lists that rules refer to: {first_few(reasons)}."
    return Finding(message, [], [entry_of(LISTS, obj) for obj, dummy in concerned])


def _lost(change: Change) -> Iterator[tuple[Object, str]]:
    """The lists that rules refer to and that would lose all, each with what becomes of it."""
    emptied: dict[str, None] = {}
    for item in change.plan.operations:
        if item.resource is LISTS and item.action == "delete" and references(item.existing or {}):
            yield item.existing or {}, "deleted"
        elif _empties(item, change):
            emptied.setdefault(item.resource.within)
    for obj in change.plan.before.get(LISTS.plural, ()):
        if LISTS.label_of(obj) in emptied and references(obj):
            yield obj, "empty"


def _empties(item: Operation, change: Change) -> bool:
    is_item = item.resource.parent is LISTS and item.action == "delete"
    return is_item and not change.after.state[item.resource.plural]


IP_LIST_RISKS = (removes_referenced_list,)

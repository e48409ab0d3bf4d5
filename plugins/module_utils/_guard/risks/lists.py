# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of deletions, for any list of an account or a zone."""

from __future__ import annotations

from collections import Counter
from typing import Iterator, Mapping, NamedTuple, Sequence

from ..._plan.plan import Operation, Plan, with_along
from ..._schema.lists import LISTS, uses_of
from ..._schema.resource import Object
from ..._text import capitalised, first_few, plural
from ..._values.address_set import range_of, union
from .base import Change, Found, Limit, Limits, entries_of, entry_of, risk

FEWEST_MASS_DELETION = 5
MAX_DELETIONS = Limit(
    "max_deletions_percent",
    30,
    100,
    ("The percentage of a list above which deletions in one plan are a risk.",),
)


class Deletions(NamedTuple):
    """The operations that delete from one list, and how many objects it has before and after."""

    gone: Sequence[Operation]
    before: int
    after: int

    @property
    def title(self) -> str:
        """The name of the list at the beginning of a sentence."""
        return capitalised(self.gone[0].resource.titles)


@risk(
    "The plan would delete five objects or more, and more than O(limits.max_deletions_percent) of a"
    " list.",
    MAX_DELETIONS,
)
def mass_deletion(change: Change, limits: Limits) -> Found:
    """A good part of a list goes at once."""
    most = limits[MAX_DELETIONS]
    concerned = [
        item
        for item in _deletions(change)
        if len(item.gone) >= FEWEST_MASS_DELETION and len(item.gone) * 100 > item.before * most
    ]
    more = f"would be deleted, which is more than {most} %"
    reasons = [f"{one.title}: {len(one.gone)} of {one.before} {more}" for one in concerned]
    return _of_deletions(concerned, reasons)


@risk(
    "The plan would leave a list empty by a purge or an expiry, and not because the task names"
    " each object that it deletes."
)
def empties_list(change: Change, limits: Limits) -> Found:
    """Nothing is left of a list, and not because the task names what goes."""
    concerned = [
        item
        for item in _deletions(change)
        if not item.after and not all(operation.named for operation in item.gone)
    ]
    reasons = [f"{item.title}: none of {item.before} would be left" for item in concerned]
    return _of_deletions(concerned, reasons)


def _deletions(change: Change) -> Iterator[Deletions]:
    """The deletions of each list; those that lower no protection do not count."""
    by_list: dict[str, list[Operation]] = {}
    for item in change.plan.operations:
        if item.action == "delete" and not item.resource.semantics.protects_nobody(
            item.existing or {}
        ):
            by_list.setdefault(item.resource.plural, []).append(item)
    before, after = change.before.state, change.after.state
    for collection, gone in by_list.items():
        yield Deletions(gone, len(before[collection]), len(after[collection]))


def _of_deletions(concerned: Sequence[Deletions], reasons: Sequence[str]) -> Found:
    if not concerned:
        return None
    gone = [operation for item in concerned for operation in item.gone]
    ranges = union(filter(None, (range_of(item.address) for item in gone)))
    return "; ".join(reasons) + ".", ranges, entries_of(gone)


DELETION_RISKS = (mass_deletion, empties_list)


@risk("The plan would delete a list that rules refer to, or leave it empty.")
def removes_referenced_list(change: Change, limits: Limits) -> Found:
    """A rule would match nothing any more, or could not be read."""
    concerned = list(_lost_lists(change))
    if not concerned:
        return None
    reasons = []
    for obj, uses, outcome in concerned:
        rules = plural(uses, "rule refers", "rules refer")
        reasons.append(f"{LISTS.label_of(obj)} ({rules} to it, and it would be {outcome})")
    message = f"Lists that rules refer to: {first_few(reasons)}."
    return message, [], [entry_of(LISTS, obj) for obj, *_rest in concerned]


def _lost_lists(change: Change) -> Iterator[tuple[Object, int, str]]:
    """The lists that would lose all, each with the number of rules that refer to it after the plan,
    and with what becomes of it."""
    deleting = [item for item in change.plan.operations if item.action == "delete"]
    items = {
        item.resource.within: item.resource for item in deleting if item.resource.parent is LISTS
    }
    lost = [(item.existing or {}, "deleted") for item in deleting if item.resource is LISTS]
    lost += [
        (obj, "empty")
        for obj in change.plan.before.get(LISTS.plural, ())
        for resource in [items.get(LISTS.label_of(obj))]
        if resource and not change.after.state[resource.plural]
    ]
    more = _reference_changes(change.plan) if lost else {}
    for obj, outcome in lost:
        uses = uses_of(obj) + more.get(LISTS.label_of(obj), 0)
        if uses_of(obj) and uses > 0:
            yield obj, uses, outcome


def _reference_changes(plan: Plan) -> Mapping[str, int]:
    """By list, how many more rules refer to it after a plan, or fewer."""
    from ..._schema.registry import evaluated_as, lists_named_in  # loads all kinds of rules

    changes: Counter[str] = Counter()
    for item in with_along(plan.operations):
        rules = evaluated_as(item.resource)
        if rules.traffic or rules.is_ordered:
            for obj, number in ((item.existing, -1), (item.planned, 1)):
                for name in lists_named_in({rules.plural: [obj]}) if obj else ():
                    changes[name] += number
    return changes


REFERENCED_LIST_RISKS = (removes_referenced_list,)
